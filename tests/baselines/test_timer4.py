"""TimeR4's scores by hand, months for days."""

from collections.abc import Callable

import numpy as np
import pytest

from qtie.baselines.ranker import Pool, Question
from qtie.baselines.reading import read_intent
from qtie.baselines.timer4 import TimeR4
from qtie.errors import ConfigError
from qtie.interval import Granularity

Ask, Dated = Callable[..., Question], Callable[..., Pool]
MONTH = Granularity.MONTH.days
STAMPS = ("2009-12-31", "2009-06-01", "2005", "2010-01-01", None)
NEAR, HALF_YEAR = 1 / MONTH, 214 / MONTH  # 1 June to 1 January is 214 days


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("2024", [0.2 - 0.6 * NEAR / 15, 0.2 - 0.6 * HALF_YEAR / 15, 0.2 - 6, 0.2 - 6, 0.2 - 6]),
        (
            "2025",
            [0.4 + 0.2 * (1 - NEAR / 30), 0.4 + 0.2 * (1 - HALF_YEAR / 30), 0.4 - 0.2, 0.4 - 20, 0.4 - 0.2],
        ),
    ],
)
def test_before(ask: Ask, dated: Dated, form: str, expected: list[float]) -> None:
    scores = TimeR4(form=form).scores(
        ask("who won before 2010"), np.full(5, 0.5), dated(*STAMPS), normalization="cosine"
    )
    np.testing.assert_allclose(scores, expected)


@pytest.mark.parametrize(("form", "near", "far"), [("2024", 0.2, 0.2 - 6), ("2025", 0.4 + 0.2, 0.4 - 0.2)])
def test_in(ask: Ask, dated: Dated, form: str, near: float, far: float) -> None:
    pool = dated("2010-05", "2011", None, ("1999", "2010-01-01"))
    scores = TimeR4(form=form).scores(ask("who won in 2010"), np.full(4, 0.5), pool, normalization="cosine")
    np.testing.assert_allclose(scores, [near, far, far, near])


def test_after_mirrors_before(ask: Ask, dated: Dated) -> None:
    pool = dated("2011-01-01", "2011-08-03", "2010-12-31", ("1990", "2011-01-01"))
    scores = TimeR4().scores(ask("who won after 2010"), np.full(4, 0.5), pool, normalization="cosine")
    expected = [0.2 - 0.6 * NEAR / 15, 0.2 - 0.6 * 215 / MONTH / 15, 0.2 - 6, 0.2 - 0.6 * NEAR / 15]
    np.testing.assert_allclose(scores, expected)


@pytest.mark.parametrize(("word", "order"), [("first", [2, 1, 0, 3, 4]), ("last", [0, 1, 2, 3, 4])])
def test_first_and_last_are_sorted_by_date_among_those_that_fit(
    ask: Ask, dated: Dated, word: str, order: list[int]
) -> None:
    pool, semantic = dated(*STAMPS), np.array([0.1, 0.2, 0.9, 0.8, 0.3])
    scores = TimeR4(form="2025").scores(ask(f"who {word} won before 2010"), semantic, pool, normalization="cosine")
    assert pool.order(scores, semantic).tolist()[:2] != order  # 2005 is too far to be sorted with the others
    question = ask(f"who {word} won")
    scores = TimeR4(form="2025").scores(question, semantic, pool, normalization="cosine")
    assert pool.order(scores, semantic)[0] == (2 if word == "first" else 3)


def test_only_the_best_twenty_are_sorted(ask: Ask, dated: Dated) -> None:
    pool, semantic = dated(*(str(2000 + i) for i in range(30))), np.linspace(1, 0, 30)
    order = pool.order(TimeR4().scores(ask("who last won"), semantic, pool, normalization="cosine"), semantic)
    assert order.tolist() == [*range(19, -1, -1), *range(20, 30)]


def test_large_scores_are_normalized(ask: Ask, dated: Dated) -> None:
    scores = TimeR4().scores(
        ask("who won in 2010"), np.array([20.0, 10.0]), dated("2010", "2010"), normalization="bm25"
    )
    np.testing.assert_allclose(scores, [0.4, 0.4 * 0.505])


def test_fed_with_an_intent_it_asks_for_the_topic_alone(ask: Ask, dated: Dated) -> None:
    question = ask("who won five years before 2010")
    ranker, pool, semantic = TimeR4(read=read_intent), dated("1990", "2005"), np.array([0.3, 0.2])
    assert TimeR4().semantic_query(question, pool) == question.text
    assert ranker.semantic_query(question, pool) == "who won"
    assert pool.order(ranker.scores(question, semantic, pool, normalization="cosine"), semantic)[0] == 1


def test_unknown_form() -> None:
    with pytest.raises(ConfigError, match="one of 2024, 2025"):
        TimeR4(form="2026")
