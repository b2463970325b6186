"""MRAG's ranking: the semantic score times how a document's year stands to the asked years."""

import numpy as np
from numpy.typing import NDArray

from qtie.baselines.ranker import Pool, Question, Scores
from qtie.baselines.reading import Reader, Reading, compared_times, read_keywords
from qtie.interval import civil_date
from qtie.time_columns import FAR_DAYS, Times

__all__ = ["Mrag", "year_coefficients"]

_REACH = 50
"""Years that "before" and "after" look back and ahead."""


class Mrag:
    r"""Semantic score times a coefficient of the document's year.

    .. math:: S = S_\text{sem} \cdot c

    Zhang et al. (2024), "MRAG: a modular retrieval framework for time-sensitive question answering", arXiv
    2412.15540. The question loses its words about time, except where they name a date without an order (*in*, *on*):
    there the paper scores by meaning alone, and so does a question without a date (their whole text, assumed).
    A negative cosine counts as 0 (assumed), so that c cannot raise it. Fed with an intent, a closed interval of
    whatever length counts as *between*.

    Args:
        read: how the question is understood.
    """

    def __init__(self, *, read: Reader = read_keywords) -> None:
        self._read = read

    def semantic_query(self, question: Question, pool: Pool) -> str:
        """The question without its time phrase and condition word; as asked, where no order of years is read."""
        reading = self._read(question)
        return reading.text if _is_ordered(reading) else question.text

    def scores(self, question: Question, semantic: Scores, pool: Pool, *, normalization: str) -> Scores:
        """The products; the semantic scores where the question names no order of years."""
        reading = self._read(question)
        if not _is_ordered(reading):
            return semantic
        times = compared_times(reading, question, pool)
        coefficients = year_coefficients(times, _asked_years(reading), first=reading.condition == "first")
        return np.maximum(semantic, 0.0) * coefficients


def year_coefficients(times: Times, asked: tuple[int, int], *, first: bool = False) -> Scores:
    r"""MRAG's c: from 0.6 in the first asked year to 1 in the last; 0.5 outside and for undated documents.

    .. math:: c = 0.6 + 0.4 \frac{y - y_1}{y_2 - y_1}

    y is the latest of the document's years that is asked for. With `first` it is the earliest, and c falls from 1 to
    0.6. Where y_1 = y_2, c is 1 (assumed).

    Args:
        times: of n_docs documents; a longer time has all its years.
        asked: y_1 and y_2, both included.
        first: whether the earliest is wanted.

    Returns:
        Shape (n_docs,), in [0.5, 1].

    Example:
        >>> from qtie.interval import TimeInterval
        >>> times = Times.from_intervals(map(TimeInterval.parse, ("2010", "2015-07", "2020", "2021")))
        >>> year_coefficients(times, (2010, 2020))
        array([0.6, 0.8, 1. , 0.5])
    """
    y_1, y_2 = asked
    low, high = np.maximum(_years(times.start), y_1), np.minimum(_years(times.end), y_2)
    along = ((y_2 - low if first else high - y_1) / max(y_2 - y_1, 1)) if y_2 > y_1 else np.ones(len(low))
    values = np.where(low <= high, 0.6 + 0.4 * along, 0.5)
    coefficients = np.full(times.n_docs, 0.5)
    np.maximum.at(coefficients, times.doc, values)
    return coefficients


def _is_ordered(reading: Reading) -> bool:
    return reading.interval is not None and reading.kind != "in"


def _asked_years(reading: Reading) -> tuple[int, int]:
    start, end = (None, None) if reading.interval is None else (reading.interval.start, reading.interval.end)
    first = None if start is None else civil_date(start)[0]
    last = None if end is None else civil_date(end)[0]
    if first is None:
        first = (last or 0) - _REACH
    return first, first + _REACH if last is None else last


def _years(days: NDArray[np.float64]) -> NDArray[np.int64]:
    """The calendar year of each day; open sides lie beyond every year."""
    whole = np.clip(days, -FAR_DAYS, FAR_DAYS).astype(np.int64)
    years: NDArray[np.int64] = whole.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
    return years
