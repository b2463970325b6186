"""The last stage: facts in the order of how well they fit the question and its time, by one of four scores.

`cosine` takes the semantic score alone; `timer4_2024` and `timer4_2025` are the two published forms of TimeR4, with
days as their unit; `product_of_experts` is the product with this library's temporal score.
"""

from collections.abc import Callable

import numpy as np

from qtie.baselines.timer4 import months_from_bound, score_2024, score_2025
from qtie.errors import ConfigError
from qtie.fusion import product_of_experts
from qtie.intent import TemporalIntent
from qtie.interval import Granularity
from qtie.temporal_relevance import temporal_scores
from qtie.time_columns import TimeColumns
from qtie.tkg.asking import Order
from qtie.tkg.store import Scores

__all__ = ["FINAL_STAGES", "SAME_READING", "final_order"]

FinalStage = Callable[[Scores, TimeColumns, TemporalIntent], Scores]

TEMPORAL_WEIGHT = 0.6
"""w of the product of experts."""
_N_SORTED = 20
"""How many of the best TimeR4 sorts by date where the first or last is asked for."""
_N_FIRST, _N_OTHERS = 10, 5
"""How many facts in the order of their dates come before how many of other readings."""
SAME_READING = 0.8
"""Facts that fit the question this well beside the best are of one reading, and sorted by date."""


def _cosine(semantic: Scores, times: TimeColumns, intent: TemporalIntent) -> Scores:
    return semantic


def _days(times: TimeColumns, intent: TemporalIntent) -> Scores | None:
    """Δ of TimeR4 in days, since facts have dates as exact as its graphs'."""
    if intent.interval is None:
        return None
    return months_from_bound(times.times_for("any"), intent.interval) * Granularity.MONTH.days


def _timer4_2024(semantic: Scores, times: TimeColumns, intent: TemporalIntent) -> Scores:
    days = _days(times, intent)
    return semantic if days is None else score_2024(semantic, days)


def _timer4_2025(semantic: Scores, times: TimeColumns, intent: TemporalIntent) -> Scores:
    days = _days(times, intent)
    return semantic if days is None else score_2025(semantic, days)


def _product(semantic: Scores, times: TimeColumns, intent: TemporalIntent) -> Scores:
    return product_of_experts(semantic, temporal_scores(intent, times), temporal_weight=TEMPORAL_WEIGHT)


FINAL_STAGES: dict[str, FinalStage] = {
    "product_of_experts": _product,
    "timer4_2024": _timer4_2024,
    "timer4_2025": _timer4_2025,
    "cosine": _cosine,
}
"""The scores by name."""


def final_order(
    stage: str, semantic: Scores, times: TimeColumns, intent: TemporalIntent, *, order: Order | None
) -> tuple[np.ndarray, Scores]:
    """The facts, best first, and their scores.

    Where the first or last is asked for, those that fit best are sorted by date: with the product of experts the facts
    of one reading of the question (within the asked time, and as good as the best), with TimeR4's forms the best 20.
    A cosine knows no time and sorts nothing.

    Args:
        stage: a name in `FINAL_STAGES`.
        semantic: shape (n_facts,), in (0, 1].
        times: of the facts.
        intent: the asked time.
        order: whether the first or last is asked for.

    Returns:
        The places of the facts, best first, and the scores in the order of the facts.

    Raises:
        ConfigError: no such stage.
    """
    if stage not in FINAL_STAGES:
        raise ConfigError(f"unknown final stage {stage!r}; one of {', '.join(FINAL_STAGES)}")
    scores = FINAL_STAGES[stage](semantic, times, intent)
    ranked = np.argsort(-scores, kind="stable")
    if order is None or stage == "cosine" or not len(ranked):
        return ranked, scores
    best = scores[ranked[0]]
    if stage == "product_of_experts":
        n_sorted = int((scores >= best + (1 - TEMPORAL_WEIGHT) * np.log(SAME_READING)).sum())
    else:
        n_sorted = _N_SORTED
    days = _days_in_order(times, order)[ranked[:n_sorted]]
    by_date = ranked[:n_sorted][np.lexsort((-scores[ranked[:n_sorted]], days))]
    rest = ranked[n_sorted:]
    if stage == "product_of_experts":  # other readings of the question have a place among the facts too
        rest = rest[np.lexsort((_days_in_order(times, order)[rest], -scores[rest].round(2)))]
        by_date, rest = by_date[:_N_FIRST], np.concatenate([rest[:_N_OTHERS], by_date[_N_FIRST:], rest[_N_OTHERS:]])
    return np.concatenate([by_date, rest]), scores


def _days_in_order(times: TimeColumns, order: Order) -> Scores:
    """Shape (n_facts,): each fact's first day, or its last as a negative number; infinite where it has none."""
    columns = times.times_for("any")
    days = np.full(times.n_docs, np.inf)
    days[columns.doc] = columns.start if order == "first" else -columns.end
    return days
