"""What every ranker of a comparison does: score all documents of a pool for a question."""

from dataclasses import dataclass
from datetime import date
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.retrieval.pool import Pool
from qtie.retrieval.retriever import Scores
from qtie.time_columns import FAR_DAYS, Times

__all__ = ["Pool", "Question", "Ranker", "Scores", "ahead_of_the_rest", "day_of_asking"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query as rankers see it.

    Example:
        >>> Question(text="who won", intent=TemporalIntent(query="who won")).reference_date is None
        True
    """

    text: str
    """The query as the user asked it, from which a baseline reads what its paper reads."""
    intent: TemporalIntent
    """What time it asks for, given from outside: right, wrong or corrupted."""
    reference_date: date | None = None
    """The day of asking."""


@runtime_checkable
class Ranker(Protocol):
    """Scores documents by topic and time, given what a retriever thinks of their topic."""

    def semantic_query(self, question: Question, pool: Pool) -> str:
        """The text that the retriever scores for this ranker."""
        ...

    def scores(self, question: Question, semantic: Scores, pool: Pool, *, normalization: str) -> Scores:
        """Shape (n_docs,): higher is better, -inf means not ranked at all; `pool.order` makes them a ranking.

        Args:
            question: what is asked.
            semantic: shape (n_docs,), as the retriever gave them for `semantic_query`; left as they are.
            pool: the documents.
            normalization: what `semantic` holds, a name in `qtie.normalization.NORMALIZATIONS`.
        """
        ...


def ahead_of_the_rest(scores: Scores, chosen: NDArray[np.intp], semantic: Scores) -> Scores:
    """`scores` for the chosen documents; the others follow them in their semantic order.

    Args:
        scores: shape (n_chosen,).
        chosen: shape (n_chosen,), indices into `semantic`.
        semantic: shape (n_docs,).

    Returns:
        Shape (n_docs,).

    Example:
        >>> ahead_of_the_rest(np.array([-4.0, 7.0]), np.array([0, 1]), np.array([0.9, 0.8, 0.7, 0.2])).tolist()
        [-4.0, 7.0, -5.0, -5.5]
    """
    if not len(chosen):
        return semantic
    highest = np.delete(semantic, chosen).max(initial=-np.inf)
    placed: Scores = semantic - highest + (scores.min() - 1.0)
    placed[chosen] = scores
    return placed


def day_of_asking(question: Question, times: Times) -> int:
    """The reference date; without one, the day by which 95 of 100 times have ended (0 where none has).

    Not the last day of all: among times that were read from texts some lie far in the future.
    """
    today = TimeInterval.from_dates(None, question.reference_date or question.intent.reference_date).end
    if today is not None:
        return today
    ends = times.end[np.abs(times.end) < FAR_DAYS]
    return int(np.quantile(ends, 0.95, method="higher")) if len(ends) else 0
