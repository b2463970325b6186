"""TempRALM's ranking: the semantic score plus a reward for documents shortly before the query's time."""

import numpy as np

from qtie.baselines.ranker import Pool, Question, Scores, day_of_asking
from qtie.baselines.reading import Reader, compared_times, read_intent, read_last_date
from qtie.errors import ConfigError
from qtie.time_columns import Times

__all__ = ["TempRalm", "temporal_rewards"]


class TempRalm:
    r"""Semantic score plus inverse age, brought to the mean and spread of the semantic scores.

    .. math:: S = s + \frac{\tau - \mu_\tau}{\sigma_\tau} \sigma_s + \mu_s, \quad \tau = \frac{\alpha}{q_t - d_t}

    Gade and Jetcheva (2024), "It's about time: incorporating temporality in retrieval augmented language models",
    arXiv 2401.13222. α cancels, since τ is standardized; what remains to be chosen is the least distance,
    `least_days`, which stands for any shorter one, zero included. Assumed: q_t is the latest date that the question
    names, or else the reference date (fed with an intent, the end of its interval); means and spreads are those of
    the pool's documents with a time; one without gets the mean. Only recency counts: the method knows no "after".
    Without a date it is the semantic score.

    Args:
        least_days: the shortest distance that is told apart; the default is the best of a sweep on the sample corpus
            and TimeQA (`benchmarks/tune_baselines.py`), as are the 182 days of `tempralm+intent`.
        read: how the question is understood.

    Raises:
        ConfigError: least_days is not positive.
    """

    def __init__(self, *, least_days: float = 730.0, read: Reader = read_last_date) -> None:
        if not least_days > 0:
            raise ConfigError(f"least_days must be positive, not {least_days}")
        self._least_days, self._read = least_days, read

    def semantic_query(self, question: Question, pool: Pool) -> str:
        """The question as asked; fed with an intent, as `Pool.semantic_query` gives it."""
        return question.text if self._read is not read_intent else pool.semantic_query(question.intent)

    def scores(self, question: Question, semantic: Scores, pool: Pool, *, normalization: str) -> Scores:
        """The sums; the semantic scores where the question or every document has no time."""
        reading = self._read(question)
        if reading.interval is None:
            return semantic
        times = compared_times(reading, question, pool)
        if not len(times.doc):
            return semantic
        query_day = reading.interval.end
        if query_day is None:
            query_day = day_of_asking(question, times)
        rewards = temporal_rewards(times, query_day, least_days=self._least_days)
        scores: Scores = semantic + rewards * semantic.std() + semantic.mean()
        return scores


def temporal_rewards(times: Times, query_day: int, *, least_days: float) -> Scores:
    """TempRALM's τ, standardized over the documents that have a time; 0 for those without.

    Of several times of a document the best counts. One that starts after the query's day gets the least reward of all
    others (assumed).

    Args:
        times: of n_docs documents, one at least; a longer one counts from its last day, or from q_t if that is earlier.
        query_day: q_t.
        least_days: the shortest distance that is told apart.

    Returns:
        Shape (n_docs,), of mean 0 and spread 1 over the documents with a time; zeros where all are alike.

    Example:
        >>> from qtie.interval import TimeInterval
        >>> times = Times.from_intervals([TimeInterval(0, 0), TimeInterval(5, 5), TimeInterval(9, 9)])
        >>> temporal_rewards(times, 6, least_days=1.0).round(3)
        array([-0.707,  1.414, -0.707])
    """
    inverse = 1.0 / np.maximum(query_day - times.end, least_days)
    later = times.start > query_day
    inverse[later] = inverse[~later].min(initial=1.0 / least_days)
    rewards = np.maximum.reduceat(inverse, times.firsts)
    standardized = np.zeros(times.n_docs)
    if rewards.max() > rewards.min():
        standardized[times.dated] = (rewards - rewards.mean()) / rewards.std()
    return standardized
