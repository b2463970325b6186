"""Recency: newer documents first, whatever the question asks."""

import numpy as np

from qtie.baselines.ranker import Pool, Question, Scores, day_of_asking
from qtie.errors import ConfigError
from qtie.normalization import normalize

__all__ = ["Recency"]


class Recency:
    r"""A prior that halves with every half-life of a document's age, times the semantic score.

    .. math:: S = \log S_\text{sem} - \frac{\text{age}}{\text{half-life}} \log 2

    Li and Croft (2003), "Time-based language models". Age is counted in days from a document's last day to the
    reference date (without one: to the day by which 95 of 100 times have ended), and is 0 for anything later. A
    document without a time gets the median age of the others (assumed).

    Args:
        half_life_days: the age that halves the score. The default, a century, is mild: in the sweep of
            `benchmarks/tune_baselines.py` the longer, the better, up to no decay at all.

    Raises:
        ConfigError: a half-life that is not positive.
    """

    def __init__(self, *, half_life_days: float = 36524.25) -> None:
        if not half_life_days > 0:
            raise ConfigError(f"half_life_days must be positive, not {half_life_days}")
        self._half_life_days = half_life_days

    def semantic_query(self, question: Question, pool: Pool) -> str:
        """The query as asked."""
        return question.text

    def scores(self, question: Question, semantic: Scores, pool: Pool, *, normalization: str) -> Scores:
        """The sums of logarithms; the semantic scores where no document has a time."""
        times = pool.columns.times_for("any")
        if not len(times.doc):
            return semantic
        ages = np.maximum(day_of_asking(question, times) - np.maximum.reduceat(times.end, times.firsts), 0.0)
        age = np.full(pool.columns.n_docs, np.median(ages))
        age[times.dated] = ages
        scores: Scores = np.log(normalize(semantic, normalization)) - age / self._half_life_days * np.log(2)
        return scores
