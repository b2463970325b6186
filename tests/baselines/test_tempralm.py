"""TempRALM's reward by hand."""

from collections.abc import Callable
from datetime import date

import numpy as np
import pytest

from qtie.baselines.ranker import Pool, Question
from qtie.baselines.reading import read_intent
from qtie.baselines.tempralm import TempRalm
from qtie.errors import ConfigError

Ask, Dated = Callable[..., Question], Callable[..., Pool]


def test_scores_by_hand(ask: Ask, dated: Dated) -> None:
    # q_t = 2010-12-31; days to it: 0 (taken for 10), 20, 40; the fourth is later: the least; the fifth has none.
    pool = dated("2010-12-31", "2010-12-11", "2010-11-21", "2011-06-01", None)
    inverse = np.array([1 / 10, 1 / 20, 1 / 40, 1 / 40])
    semantic = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    z = (inverse - inverse.mean()) / inverse.std()
    expected = semantic + np.append(z, 0.0) * semantic.std() + semantic.mean()
    scores = TempRalm(least_days=10).scores(ask("who led it in 2010"), semantic, pool, normalization="bm25")
    np.testing.assert_allclose(scores, expected)


def _best(question: Question, semantic: list[float], pool: Pool) -> int:
    scores = TempRalm(read=read_intent).scores(question, np.array(semantic), pool, normalization="cosine")
    return int(pool.order(scores, np.array(semantic))[0])


def test_the_best_time_of_a_document_counts(ask: Ask, dated: Dated) -> None:
    assert _best(ask("in 2010"), [0.3, 0.2, 0.1], dated("2000", ("1900", "2010"), "2005")) == 1


def test_after_counts_from_the_day_of_asking(ask: Ask, dated: Dated) -> None:
    pool = dated("2004", "2014", "2024")
    assert _best(ask("news after 2003", date(2015, 1, 1)), [0.12, 0.1, 0.0], pool) == 1
    assert _best(ask("news after 2003"), [0.0, 0.1, 0.1], pool) == 2  # no day of asking: the last of the pool


@pytest.mark.parametrize("stamps", [(None, None), ("2010", "2010"), ("2020", "2030")])
def test_times_that_say_nothing_keep_the_order(ask: Ask, dated: Dated, stamps: tuple[str | None, ...]) -> None:
    semantic = np.array([0.1, 0.2])
    scores = TempRalm().scores(ask("in 2010"), semantic, dated(*stamps), normalization="cosine")
    assert scores[1] - scores[0] == pytest.approx(0.1)


def test_without_a_date_the_semantic_scores_stay(ask: Ask, dated: Dated) -> None:
    semantic = np.array([0.1, 0.2])
    assert TempRalm().scores(ask("who led it"), semantic, dated("2010", "2011"), normalization="cosine") is semantic


def test_least_days_must_be_positive() -> None:
    with pytest.raises(ConfigError, match="least_days"):
        TempRalm(least_days=0)
