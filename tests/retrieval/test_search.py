from datetime import date

import numpy as np
import pytest

from qtie.document import Document
from qtie.errors import ConfigError
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import TimeInterval
from qtie.reranker import TemporalReranker
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.search import TemporalSearcher


class YearExtractor:
    """Reads "in YYYY" at the end of a query, or nothing."""

    def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
        words = query.rsplit(" in ", maxsplit=1)
        if len(words) == 1:
            return TemporalIntent(query=query, reference_date=reference_date)
        interval = TimeInterval.year(int(words[1]))
        constraint = TemporalConstraint(interval=interval, granularity=interval.granularity)
        return TemporalIntent(query=query, constraints=(constraint,), semantic_query=words[0])


def corpus(n_docs: int = 200) -> list[Document]:
    """Mostly about apples, one for each year from 1800, in an order that is not that of the ids."""
    records = [
        {"_id": f"d{(7 * i) % n_docs:03}", "text": "apple harvest " + "report " * (i % 3), "date": str(1800 + i)}
        for i in range(n_docs)
    ]
    return [Document.from_record(record) for record in [*records, {"_id": "pear", "text": "pear", "date": "1990"}]]


@pytest.fixture
def searcher() -> TemporalSearcher:
    documents = corpus()
    return TemporalSearcher(documents, Bm25Retriever(documents), reranker=TemporalReranker(YearExtractor()))


def test_time_reaches_documents_far_down_the_retrievers_list(searcher: TemporalSearcher) -> None:
    ranking = searcher.search("apple harvest in 1802", k=3)
    best = ranking[0]
    assert str(best.time) == "1802-01-01/1802-12-31"
    assert best.rank_before > 100
    assert len(ranking) == 3
    assert ranking.intent.semantic_query == "apple harvest"


def test_a_query_without_time_keeps_the_retrievers_order_and_scores(searcher: TemporalSearcher) -> None:
    scores = Bm25Retriever(searcher.documents).scores("harvest report")
    expected = sorted(range(len(scores)), key=lambda i: (-scores[i], searcher.documents[i].doc_id))[:5]
    ranking = searcher.search("harvest report", k=5)
    assert [ranked.document for ranked in ranking] == [searcher.documents[i] for i in expected]
    assert [ranked.score for ranked in ranking] == [scores[i] for i in expected]
    assert {ranked.temporal_score for ranked in ranking} == {1.0}


def test_run_ranks_as_search_does(searcher: TemporalSearcher) -> None:
    texts = ["harvest report", "apple in 1850", "pear in 1990", "apple in 1999", "nothing at all", "pear"]
    queries = {f"q{i}": texts[i % len(texts)] for i in range(130)}  # more than two batches
    run = dict(searcher.run(queries, k=7))
    assert list(run) == list(queries)
    for query_id in list(queries)[: len(texts)]:
        ranking = searcher.search(queries[query_id], k=7)
        assert list(run[query_id]) == [ranked.doc_id for ranked in ranking]
        assert (np.diff(list(run[query_id].values())) <= 0).all()
    assert run["q0"] == run["q126"]


def test_intents_and_intervals_of_the_caller(searcher: TemporalSearcher) -> None:
    intent = YearExtractor().extract("apple in 1850")
    assert searcher.search("apple", intent=intent)[0].document.metadata["date"] == "1850"
    assert searcher.search("apple", interval=TimeInterval.year(1860))[0].document.metadata["date"] == "1860"
    (ranked,) = dict(searcher.run({"q": "apple"}, k=1, intents={"q": intent})).values()
    assert list(ranked) == [searcher.search("apple", intent=intent, k=1)[0].doc_id]


def test_reference_dates_reach_the_extractor() -> None:
    seen: list[date | None] = []

    class Spy(YearExtractor):
        def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
            seen.append(reference_date)
            return super().extract(query, reference_date=reference_date)

    documents = corpus(3)
    searcher = TemporalSearcher(documents, Bm25Retriever(documents), reranker=TemporalReranker(Spy()))
    searcher.search("apple", reference_date=date(2020, 1, 1))
    dict(searcher.run({"a": "apple", "b": "pear"}, reference_dates={"b": date(2021, 1, 1)}))
    assert seen == [date(2020, 1, 1), None, date(2021, 1, 1)]


def test_strict_mode_and_dropped_documents() -> None:
    documents = [*corpus(10), Document(doc_id="undated", text="apple harvest")]
    reranker = TemporalReranker(YearExtractor(), mode="strict", missing="drop")
    searcher = TemporalSearcher(documents, Bm25Retriever(documents), reranker=reranker)
    assert [ranked.document.metadata["date"] for ranked in searcher.search("apple in 1805")] == ["1805"]
    assert len(dict(searcher.run({"q": "apple in 1805"}))["q"]) == 1


def test_the_normalization_is_the_retrievers_unless_named() -> None:
    documents = corpus(3)
    reranker = TemporalReranker(YearExtractor())
    assert TemporalSearcher(documents, Bm25Retriever(documents), reranker=reranker).reranker.normalization == "bm25"
    assert reranker.normalization == "auto"  # the caller's own is left as it is
    named = TemporalReranker(YearExtractor(), normalization="rank")
    assert TemporalSearcher(documents, Bm25Retriever(documents), reranker=named).reranker.normalization == "rank"


def test_an_empty_corpus() -> None:
    searcher = TemporalSearcher([], Bm25Retriever([]), reranker=TemporalReranker(YearExtractor()))
    assert len(searcher.search("apple")) == 0
    assert len(searcher.search("apple in 1850")) == 0
    assert dict(searcher.run({"q": "apple in 1850", "r": "apple"})) == {"q": {}, "r": {}}


@pytest.mark.parametrize("k", [0, -1])
def test_k_must_be_positive(searcher: TemporalSearcher, k: int) -> None:
    with pytest.raises(ConfigError, match="k must be at least 1"):
        searcher.search("apple", k=k)
    with pytest.raises(ConfigError, match="k must be at least 1"):
        dict(searcher.run({"q": "apple"}, k=k))
