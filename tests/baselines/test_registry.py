"""What holds for every ranker of the table, and that `qtie` ranks as the searcher does."""

from collections.abc import Callable
from datetime import date

import numpy as np
import pytest

from qtie.baselines.ranker import Pool, Question, Ranker, ahead_of_the_rest
from qtie.baselines.registry import RANKERS, make_ranker
from qtie.errors import ConfigError
from qtie.evaluation.datasets import load_sample
from qtie.reranker import TemporalReranker
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.search import TemporalSearcher
from qtie.tie.grammar import GrammarExtractor

Ask, Dated = Callable[..., Question], Callable[..., Pool]
QUERIES = [
    "who won in 2010",
    "who won between 2003 and 2009",
    "first winner after 1999",
    "the latest winner before May 2008",
    "current champion",
    "who won",
    "who won except in 2010",
    "winners born in 1950",
    "who won in 2050",
]


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("query", QUERIES)
def test_every_ranker_scores_every_document(ask: Ask, dated: Dated, name: str, query: str) -> None:
    ranker, question = make_ranker(name), ask(query, date(2020, 5, 1))
    pool = dated("2010-05-01", "2003", ("1999", "2008"), None, "2030", "1950")
    semantic = np.array([0.5, 0.4, 0.4, 0.9, 0.1, -0.2])
    given = semantic.copy()
    assert isinstance(ranker, Ranker)
    assert ranker.semantic_query(question, pool)
    scores = ranker.scores(question, semantic, pool, normalization="min_max")
    assert scores.shape == (6,)
    dated_ones = [0, 1, 2, 4, 5]
    assert np.isfinite(scores[dated_ones]).all()
    assert np.isfinite(scores[3]) or name == "berberich"  # which ranks no document without a time
    np.testing.assert_array_equal(semantic, given)


@pytest.mark.parametrize("name", RANKERS)
def test_every_ranker_takes_a_pool_without_documents_or_times(ask: Ask, dated: Dated, name: str) -> None:
    ranker, question = make_ranker(name), ask("the first winner before 2010", date(2020, 5, 1))
    assert ranker.scores(question, np.array([]), dated(), normalization="cosine").shape == (0,)
    pool, semantic = dated(None, None, None), np.array([0.1, 0.3, 0.2])
    scores = ranker.scores(question, semantic, pool, normalization="cosine")
    ranked = [] if name == "berberich" else [1, 2, 0]  # it ranks no document without a time
    assert pool.order(scores, semantic).tolist() == ranked


@pytest.mark.parametrize("name", [name for name in RANKERS if name not in ("recency",)])
def test_a_question_without_a_time_keeps_its_order(ask: Ask, dated: Dated, name: str) -> None:
    pool, semantic = dated("2010", "2003", "1999"), np.array([0.1, 0.3, 0.2])
    scores = make_ranker(name).scores(ask("who won"), semantic, pool, normalization="cosine")
    assert pool.order(scores, semantic).tolist() == [1, 2, 0]


def test_recency_halves_with_every_half_life(ask: Ask, dated: Dated) -> None:
    pool = dated("2020-01-01", "2019-12-22", "2019-12-02", "2021-01-01", None)
    question = ask("who won", date(2020, 1, 1))
    scores = make_ranker("recency", half_life_days=10).scores(question, np.ones(5), pool, normalization="cosine")
    np.testing.assert_allclose(np.exp(scores), [1, 1 / 2, 1 / 8, 1, 2**-0.5])  # ages 0, 10, 30, 0; their median is 5


def test_filter_keeps_what_may_fit_ahead(ask: Ask, dated: Dated) -> None:
    pool, semantic = dated("2010-05-01", "2003", None, "2010", "2012"), np.array([0.2, 0.9, 0.1, 0.3, 0.8])
    scores = make_ranker("filter").scores(ask("who won in May 2010"), semantic, pool, normalization="cosine")
    assert pool.order(scores, semantic).tolist() == [3, 0, 2, 1, 4]


@pytest.mark.parametrize("options", [{}, {"mode": "strict"}, {"missing": "drop"}, {"kernel": "gap"}])
def test_qtie_ranks_as_the_searcher_does(options: dict[str, str]) -> None:
    sample, extractor = load_sample(), GrammarExtractor()
    retriever, pool = Bm25Retriever(sample.documents), Pool(sample.documents)
    searcher = TemporalSearcher(sample.documents, retriever, reranker=TemporalReranker(extractor, **options))  # type: ignore[arg-type]
    queries = {query.query_id: query.text for query in sample.queries}
    days = {query.query_id: query.reference_date for query in sample.queries}
    ranker = make_ranker("qtie", **options)
    for query_id, found in searcher.run(queries, k=20, reference_dates=days):
        intent = extractor.extract(queries[query_id], reference_date=days[query_id])
        question = Question(text=queries[query_id], intent=intent, reference_date=days[query_id])
        semantic = retriever.scores(ranker.semantic_query(question, pool))
        scores = ranker.scores(question, semantic, pool, normalization=retriever.normalization)
        order = [index for index in pool.order(scores, semantic)[:20] if scores[index] > -np.inf]
        assert [sample.documents[index].doc_id for index in order] == list(found), queries[query_id]


def test_the_words_about_time_stay_where_documents_carry_no_times(ask: Ask, dated: Dated) -> None:
    question, dated_pool, undated_pool = (
        ask("who won in 2010"),
        dated("2010", "2003", None),
        dated("2010", "2003", None, None),
    )
    for name in ("qtie", "filter", "timer4-2024+intent", "tempralm+intent"):
        assert make_ranker(name).semantic_query(question, dated_pool) == "who won"
        assert make_ranker(name).semantic_query(question, undated_pool) == "who won in 2010"
    assert make_ranker("qtie", strip=False).semantic_query(question, dated_pool) == "who won in 2010"
    assert make_ranker("qtie", strip=True).semantic_query(question, undated_pool) == "who won"


def test_the_rest_follows_in_order() -> None:
    semantic = np.array([0.1, 0.9, 0.5, 0.7])
    placed = ahead_of_the_rest(np.array([-3.0, 2.0]), np.array([0, 2]), semantic)
    assert np.argsort(-placed).tolist() == [2, 0, 1, 3]
    np.testing.assert_array_equal(ahead_of_the_rest(np.array([]), np.array([], dtype=np.intp), semantic), semantic)
    np.testing.assert_array_equal(ahead_of_the_rest(semantic, np.arange(4), semantic), semantic)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("best", {}, "unknown ranker 'best'; one of none, qtie"),
        ("mrag:x", {}, "unknown ranker"),
        ("cross-encoder:", {}, "unknown ranker"),
        ("mrag", {"half_life_days": 3}, "ranker 'mrag': "),
        ("qtie", {"kernels": "gap"}, "ranker 'qtie': "),
        ("qtie", {"kernel": "none"}, "unknown kernel"),
        ("recency", {"half_life_days": 0}, "half_life_days"),
        ("tempralm", {"least_days": -1}, "least_days"),
    ],
)
def test_unknown_names_and_options(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_ranker(name, **options)
