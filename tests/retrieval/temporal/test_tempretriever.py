"""TempRetriever: texts and dates in one vector."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qtie.document import Document
from qtie.document_time import parse_time
from qtie.evaluation.grid.semantic_scores import SemanticScores, retriever_parts
from qtie.retrieval.hybrid import make_retriever
from qtie.retrieval.search import TemporalSearcher
from qtie.retrieval.temporal.date_fusion import DATE_FUSIONS
from qtie.retrieval.temporal.tempretriever import DatedEncoder, TempRetriever
from qtie.tie.grammar import GrammarExtractor


def _corpus(**years: int | None) -> list[Document]:
    documents = [Document(doc_id=name, text="budget passed") for name in years]
    return [
        document.with_times({"timestamp": [parse_time(year)]}) if (year := years[document.doc_id]) else document
        for document in documents
    ]


@pytest.mark.parametrize("fusion", sorted(DATE_FUSIONS.keys() - {"product"}))  # the stub's words share no dimension
def test_of_equal_texts_the_one_of_the_asked_year_is_first(fusion: str, hash_encoder: Any) -> None:
    corpus = _corpus(early=2016, right=2019, undated=None)
    scores = TempRetriever(corpus, DatedEncoder(hash_encoder, fusion)).scores("budget in 2019")
    assert scores.shape == (3,)
    assert scores[1] > scores[0]
    assert np.abs(scores).max() <= 1


def test_a_query_without_a_time_is_plain_retrieval(hash_encoder: Any) -> None:
    scores = TempRetriever(_corpus(early=2016, right=2019), hash_encoder).scores("budget")
    assert scores[0] == pytest.approx(scores[1])


def test_concatenation_is_the_mean_of_two_cosines(hash_encoder: Any) -> None:
    corpus = [document.with_times({"timestamp": [parse_time(2019)]}) for document in _corpus(one=2019)]
    query, date = hash_encoder.encode_queries(["cost in 2019"]), hash_encoder.encode_queries(["2019"])
    texts = hash_encoder.encode_documents(["budget passed"])
    expected = ((query @ texts.T)[0, 0] + (date @ date.T)[0, 0]) / 2
    assert TempRetriever(corpus, hash_encoder).scores("cost in 2019")[0] == pytest.approx(expected, abs=1e-6)


def test_nothing_to_search_and_nothing_asked(hash_encoder: Any) -> None:
    assert TempRetriever([], hash_encoder).batch_scores(["budget in 2019"]).shape == (1, 0)
    assert TempRetriever(_corpus(one=2019), hash_encoder).batch_scores([]).shape == (0, 1)


class Listening:
    """A retriever that reads time, and keeps what it was asked."""

    normalization = "min_max"
    reads_time = True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def scores(self, query: str) -> Any:
        return self.batch_scores([query])[0]

    def batch_scores(self, queries: Sequence[str]) -> Any:
        self.asked += queries
        return np.ones((len(queries), 2))


def test_a_retriever_that_reads_time_is_asked_the_whole_query() -> None:
    retriever = Listening()
    searcher = TemporalSearcher(_corpus(early=2016, right=2019), retriever)
    searcher.reranker.extractor = GrammarExtractor()
    assert searcher.search("budget in 2019")[0].doc_id == "right"
    assert dict(searcher.run({"q": "budget in 2019"}))["q"]
    assert retriever.asked == ["budget in 2019"] * 2
    retriever.reads_time = False
    searcher = TemporalSearcher(_corpus(early=2016, right=2019), retriever)
    searcher.reranker.extractor = GrammarExtractor()
    searcher.search("budget in 2019")
    assert retriever.asked[-1] == "budget"


def test_the_suite_knows_temporal_retrievers_by_name(bert_folder: Path, tmp_path: Path) -> None:
    assert retriever_parts(f"tempretriever:{bert_folder}") == ("tempretriever", str(bert_folder))
    corpus = _corpus(early=2016, right=2019)
    for kind in ("tempretriever", "tsm", "tscontriever"):
        scorer = SemanticScores(f"{kind}:{bert_folder}", corpus, tmp_path)
        assert scorer.reads_time
        assert scorer.of(["red apple in 2019"])[0].shape == (2,)
        assert make_retriever(kind, corpus, encoder=scorer._encoder).normalization == scorer.normalization
    assert not SemanticScores(f"dense:{bert_folder}", corpus, tmp_path).reads_time


def test_scores_are_kept_by_date_where_dates_count(bert_folder: Path, tmp_path: Path) -> None:
    names = [f"tempretriever:{bert_folder}", f"tsm:{bert_folder}"]
    paths = [
        {SemanticScores(name, _corpus(one=year), tmp_path)._kept._path for year in (2016, 2019)} for name in names
    ]  # fmt: skip
    assert list(map(len, paths)) == [2, 1]
