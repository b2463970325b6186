"""TimeR4's time filter and re-ranking, in the form of 2024 and that of 2025, for documents instead of facts."""

from collections.abc import Callable

import numpy as np

from qtie.allen import Days
from qtie.baselines.ranker import Pool, Question, Scores, ahead_of_the_rest
from qtie.baselines.reading import Reader, compared_times, read_intent, read_strict_keywords
from qtie.errors import ConfigError
from qtie.interval import Granularity, TimeInterval
from qtie.normalization import normalize
from qtie.time_columns import Times

__all__ = ["FORMS", "TimeR4", "months_from_bound", "score_2024", "score_2025"]

_N_SORTED = 20
"""How many of the best are sorted by date where the first or last is asked for."""


def score_2024(cosine: Scores, months: Scores) -> Scores:
    r"""The form of 2024: a penalty that is small only for what lies on the right side and close to the bound.

    .. math:: S = 0.4\,s - 0.6\,p, \quad p = \Delta / 15 \text{ within } \Delta < 16, \text{ else } 10

    Args:
        cosine: shape (n_docs,), in [-1, 1].
        months: shape (n_docs,), Δ as `months_from_bound` gives it.

    Returns:
        Shape (n_docs,), in [-6.4, 0.4].

    Example:
        >>> score_2024(np.array([0.9, 0.8]), np.array([-3.0, 7.5])).round(2)
        array([-5.64,  0.02])
    """
    penalty = np.where((months >= 0) & (months < 16), months / 15, 10.0)
    return 0.4 * cosine - 0.6 * penalty


def score_2025(cosine: Scores, months: Scores) -> Scores:
    r"""The form of 2025: a reward on the right side, and a place below all others on the wrong one.

    .. math:: S = 0.8\,s + 0.2\,m, \quad m = 1 - \Delta / 30 \text{ within } \Delta \le 30

    m is -100 on the wrong side (Δ < 0), and -1 where Δ is larger or not known.

    Args:
        cosine: shape (n_docs,), in [-1, 1].
        months: shape (n_docs,), Δ as `months_from_bound` gives it.

    Returns:
        Shape (n_docs,), in [-20.8, 1].

    Example:
        >>> score_2025(np.array([0.9, 0.8]), np.array([-3.0, 7.5])).round(2)
        array([-19.28,   0.79])
    """
    near = np.where(months <= 30, 1 - np.abs(months) / 30, -1.0)  # NaN is near nothing
    return 0.8 * cosine + 0.2 * np.where(months < 0, -100.0, near)


FORMS: dict[str, Callable[[Scores, Scores], Scores]] = {"2024": score_2024, "2025": score_2025}
"""The scores by the year of their publication."""


class TimeR4:
    r"""A cosine and the distance from the asked date, joined by one of the two published forms.

    Qian et al. (2024), "TimeR4: time-aware retrieval-augmented large language models for temporal knowledge graph
    question answering", EMNLP. What is compared here is its ranking alone: questions are not rewritten by a language
    model, and the semantic scores are the retriever's. Assumed: months take the place of days, since documents lie
    farther apart than the facts of its graphs; semantic scores beyond [-1, 1] are normalized to (0, 1]; a range of
    dates counts as *in*; a document without a time is as one at another time. Without a date the semantic score stays.

    Where the first or last is asked for, the best 20 (with a date: those of them that fit it) are sorted by date.

    Args:
        form: one of `FORMS`.
        read: how the question is understood; keywords are those of MRAG (assumed), and bounds are strict.

    Raises:
        ConfigError: no such form.
    """

    def __init__(self, *, form: str = "2024", read: Reader = read_strict_keywords) -> None:
        if form not in FORMS:
            raise ConfigError(f"unknown form of TimeR4 {form!r}; one of {', '.join(FORMS)}")
        self._form, self._read = FORMS[form], read

    def semantic_query(self, question: Question, pool: Pool) -> str:
        """The question as asked, dates included; fed with an intent, as `Pool.semantic_query` gives it."""
        return question.text if self._read is not read_intent else pool.semantic_query(question.intent)

    def scores(self, question: Question, semantic: Scores, pool: Pool, *, normalization: str) -> Scores:
        """The scores of the form, the best in the order of their dates where the first or last is asked for."""
        reading = self._read(question)
        times = compared_times(reading, question, pool)
        scores, fits = semantic, np.ones(len(semantic), dtype=np.bool_)
        if reading.interval is not None:
            months = months_from_bound(times, reading.interval)
            scores, fits = self._form(_cosines(semantic, normalization), months), months >= 0
        if reading.condition is None:
            return scores
        top = pool.order(scores, semantic, k=_N_SORTED)
        top = top[fits[top]]
        days = _days(times, first=reading.condition == "first")[top]
        by_date = top[np.argsort(days, kind="stable")]
        return ahead_of_the_rest(-np.arange(len(by_date), dtype=np.float64), by_date, scores)


def months_from_bound(times: Times, asked: TimeInterval) -> Scores:
    """Δ: months between the asked bound and the nearest fitting day of each document.

    Above 0 on the right side of an open interval, below 0 on the wrong one; 0 inside a closed interval. Of several
    times the nearest that fits counts.

    Args:
        times: of n_docs documents.
        asked: the days that fit.

    Returns:
        Shape (n_docs,); NaN outside a closed interval and for documents without a time.

    Example:
        >>> times = Times.from_intervals(map(TimeInterval.parse, ("2009", "2010-06", "2012")))
        >>> months_from_bound(times, TimeInterval.parse("../2010-12-31")).round(1)
        array([ 12. ,   6.1, -12. ])
    """
    if asked.start is not None and asked.end is not None:
        inside = (times.start <= asked.end) & (times.end >= asked.start)
        values = np.where(inside, 0.0, np.nan)
    elif asked.end is not None:
        values = _from_end(times.start, times.end, asked.end)
    else:
        values = _from_end(-times.end, -times.start, -(asked.start or 0))
    fitting, months = np.full(times.n_docs, np.inf), np.full(times.n_docs, np.nan)
    fits = values >= 0
    np.minimum.at(fitting, times.doc[fits], values[fits])
    np.fmax.at(months, times.doc[~fits], values[~fits])
    return np.where(np.isfinite(fitting), fitting, months)


def _from_end(start: Days, end: Days, bound: int) -> Scores:
    """Months to the first day after `bound`, which is the last that fits."""
    days = np.where(start <= bound, bound + 1 - np.minimum(end, bound), bound - start)
    return days / Granularity.MONTH.days


def _days(times: Times, *, first: bool) -> Days:
    """Shape (n_docs,): each document's first day, or its last as a negative number; infinite where it has none."""
    days = np.full(times.n_docs, np.inf)
    np.minimum.at(days, times.doc, times.start if first else -times.end)
    return days


def _cosines(semantic: Scores, normalization: str) -> Scores:
    return semantic if np.abs(semantic).max(initial=0.0) <= 1 else normalize(semantic, normalization)
