"""MRAG's scores by hand: c rises from 0.6 to 1 over the asked years, 0.5 outside."""

from collections.abc import Callable

import numpy as np
import pytest

from qtie.baselines.mrag import Mrag
from qtie.baselines.ranker import Pool, Question
from qtie.baselines.reading import read_intent

Ask, Dated = Callable[..., Question], Callable[..., Pool]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("who won between 2000 and 2010", [0.6, 0.8, 1.0, 0.5, 0.5]),
        ("who won before 2010", [0.6 + 0.4 * 40 / 50, 0.6 + 0.4 * 45 / 50, 1.0, 0.5, 0.5]),
        ("who won after 2000", [0.6, 0.6 + 0.4 * 5 / 50, 0.6 + 0.4 * 10 / 50, 0.6 + 0.4 * 20 / 50, 0.5]),
        ("who was the first to win after 2000", [1.0, 1 - 0.4 * 5 / 50, 1 - 0.4 * 10 / 50, 1 - 0.4 * 20 / 50, 0.5]),
    ],
)
def test_coefficients(ask: Ask, dated: Dated, text: str, expected: list[float]) -> None:
    pool = dated("2000", "2005-03", "2010-12-31", "2020", None)
    scores = Mrag().scores(ask(text), np.full(5, 0.5), pool, normalization="cosine")
    np.testing.assert_allclose(scores, 0.5 * np.array(expected))


def test_the_latest_fitting_year_of_a_document_counts_and_the_earliest_for_first(ask: Ask, dated: Dated) -> None:
    pool = dated(("1990", "2002", "2008", "2030"))
    for text, expected in [
        ("between 2000 and 2010", 0.6 + 0.4 * 0.8),
        ("the first between 2000 and 2010", 1 - 0.4 * 0.2),
    ]:
        scores = Mrag().scores(ask(text), np.ones(1), pool, normalization="cosine")
        np.testing.assert_allclose(scores, [expected])


def test_in_a_year_is_left_to_meaning(ask: Ask, dated: Dated) -> None:
    question, semantic = ask("who won in 2005"), np.array([0.3, 0.2])
    assert Mrag().semantic_query(question, dated("1990")) == "who won in 2005"
    np.testing.assert_array_equal(
        Mrag().scores(question, semantic, dated("1990", "2005"), normalization="cosine"), semantic
    )


def test_an_intent_makes_one_year_an_interval(ask: Ask, dated: Dated) -> None:
    ranker, question = Mrag(read=read_intent), ask("who won five years before 2010")
    scores = ranker.scores(question, np.array([0.3, 0.2]), dated("1990", "2005"), normalization="cosine")
    np.testing.assert_allclose(scores, [0.15, 0.2])
    assert ranker.semantic_query(question, dated("1990")) == "who won"


def test_a_negative_cosine_is_no_gain(ask: Ask, dated: Dated) -> None:
    scores = Mrag().scores(ask("before 2010"), np.array([-0.4, 0.1]), dated("2030", "2031"), normalization="cosine")
    np.testing.assert_allclose(scores, [0.0, 0.05])
