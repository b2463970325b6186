"""qtie as a ranker of the `rerankers` library, alone and after another of its rankers."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

pytest.importorskip("rerankers", reason="needs qtie[rerankers]")

from rerankers import Document
from rerankers.models.ranker import BaseRanker
from rerankers.results import RankedResults, Result
from rerankers.utils import prep_docs

from qtie.errors import DocumentError
from qtie.integrations.rerankers import TemporalRanker
from qtie.reranker import TemporalReranker

Notes = list[tuple[str, dict[str, Any]]]
QUERY = "who leads the ministry in 2016"


class SharedWords(BaseRanker):
    """Ranks by how many of the query's words a text has; changes what it is given, as rankers of the library do."""

    def __init__(self) -> None:
        pass

    def score(self, query: str, doc: str) -> float:
        asked = set(query.lower().split())
        return len(asked & set(doc.lower().split())) / len(asked)

    def rank(self, query: str, docs: Any, doc_ids: Any = None, metadata: Any = None) -> RankedResults:
        documents = prep_docs(docs, doc_ids, metadata)
        for document in documents:
            document.metadata["seen"] = True
        scored = sorted(((self.score(query, each.text), each) for each in documents), key=lambda pair: -pair[0])
        return RankedResults([Result(document, score) for score, document in scored], query, has_scores=True)


@pytest.fixture
def documents(notes: Notes) -> list[Document]:
    return [Document(text, metadata["id"], metadata) for text, metadata in notes]


def _ids(results: RankedResults) -> list[Any]:
    return [result.document.doc_id for result in results]


def test_ranks_documents(documents: list[Document]) -> None:
    before = deepcopy([vars(document) for document in documents])
    results = TemporalRanker().rank(QUERY, documents)
    assert _ids(results)[0] == "jonas"
    assert [result.rank for result in results] == [1, 2, 3, 4]
    assert results.has_scores
    assert results.top_k(1)[0].metadata["temporal"]["cues"] == ["in 2016"]
    assert results.get_result_by_docid("jonas").document.metadata["date"] == "2016-03-14"
    assert [vars(document) for document in documents] == before


def test_ranks_texts_by_the_times_they_state() -> None:
    texts = ["The budget of 9 May 2016 passed.", "The budget of 12 May 2019 passed."]
    assert _ids(TemporalRanker().rank("budget in 2019", texts)) == [1, 0]
    assert _ids(TemporalRanker().rank("budget in 2019", texts, doc_ids=["a", "b"])) == ["b", "a"]
    assert _ids(TemporalRanker().rank("budget in 2019", "one text")) == [0]
    dates = [{"date": "2019"}, {"date": "2016"}]
    assert _ids(TemporalRanker().rank("budget in 2019", ["Budget", "Budget"], metadata=dates[::-1])) == [1, 0]
    assert len(TemporalRanker().rank("budget in 2019", []).results) == 0


def test_runs_after_another_ranker(documents: list[Document]) -> None:
    before = deepcopy([vars(document) for document in documents])
    results = TemporalRanker(SharedWords()).rank(QUERY, documents)
    assert _ids(results)[0] == "jonas"
    assert results[0].metadata["temporal"]["rank_before"] == 2
    assert [vars(document) for document in documents] == before
    assert TemporalRanker(SharedWords()).score("apples", "apples and pears") == SharedWords().score("apples", "apples")


@pytest.mark.parametrize("query", ["who leads the ministry", "who leads room 2099"])
def test_atemporal_queries_change_nothing(documents: list[Document], query: str) -> None:
    first = SharedWords().rank(query, deepcopy(documents))
    same = TemporalRanker(SharedWords()).rank(query, documents)
    assert [(r.document.doc_id, r.score) for r in same] == [(r.document.doc_id, r.score) for r in first]
    alone = TemporalRanker().rank(query, documents)
    assert _ids(alone) == [document.doc_id for document in documents]
    assert not alone.has_scores


def test_every_form_of_a_time(in_2019: dict[str, Any]) -> None:
    found = [Document("Budget", "wrong", {"date": "2016-05-09"}), Document("Budget", "right", in_2019)]
    assert _ids(TemporalRanker().rank("budget in 2019", found)) == ["right", "wrong"]


def test_score_of_one_text() -> None:
    ranker = TemporalRanker()
    fits, fails = (ranker.score("budget in 2019", f"Budget of 12 May {year}.") for year in (2019, 2011))
    assert 0 < fails < fits <= 1
    assert ranker.score("budget", "Budget of 12 May 2011.") == 1.0


def test_async_rank_gives_the_same_and_does_not_block(
    documents: list[Document], slow: TemporalReranker, heartbeat: Callable[..., tuple[Any, int]]
) -> None:
    ranker = TemporalRanker(reranker=slow)
    results, n_beats = heartbeat(lambda: ranker.rank_async(QUERY, documents))
    assert _ids(results) == _ids(ranker.rank(QUERY, documents))
    assert n_beats >= 10


def test_ids_must_fit_the_documents(documents: list[Document]) -> None:
    with pytest.raises(DocumentError, match="4 documents, but 1 doc_ids"):
        TemporalRanker().rank(QUERY, documents, doc_ids=["a"])
