"""Allen's thirteen relations between two intervals, one pair at a time or a whole corpus at once.

Allen (1983), "Maintaining knowledge about temporal intervals". Days are discrete and both ends are included,
so an interval is read as [start, end + 1): `meets` says that the next day belongs to the other interval.
An open side is infinitely far away; two intervals open on the same side share that bound.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from qtie.interval import TimeInterval

__all__ = ["AllenRelation", "Days", "allen_relation", "allen_relations", "bounds"]

Days = NDArray[np.float64]
"""Day numbers; -inf and inf stand for open sides."""


class AllenRelation(StrEnum):
    """How interval a stands to interval b."""

    BEFORE = "before"
    MEETS = "meets"
    OVERLAPS = "overlaps"
    STARTS = "starts"
    DURING = "during"
    FINISHES = "finishes"
    EQUALS = "equals"
    FINISHED_BY = "finished-by"
    CONTAINS = "contains"
    STARTED_BY = "started-by"
    OVERLAPPED_BY = "overlapped-by"
    MET_BY = "met-by"
    AFTER = "after"

    @property
    def converse(self) -> "AllenRelation":
        """The relation of b to a.

        Example:
            >>> AllenRelation.DURING.converse
            <AllenRelation.CONTAINS: 'contains'>
        """
        relations = list(AllenRelation)
        return relations[12 - relations.index(self)]


_RELATIONS = list(AllenRelation)


def bounds(interval: TimeInterval) -> tuple[float, float]:
    """Start and end as numbers; an open side is -inf or inf."""
    start = -np.inf if interval.start is None else float(interval.start)
    end = np.inf if interval.end is None else float(interval.end)
    return start, end


def allen_relations(starts: Days, ends: Days, interval: TimeInterval) -> NDArray[np.uint8]:
    """The relation of each interval to `interval`, as its index in `list(AllenRelation)`.

    Args:
        starts: shape (n,), first days, -inf where open.
        ends: shape (n,), last days, inf where open.
        interval: the interval b that all are compared with.

    Returns:
        Shape (n,), in 0 … 12.

    Example:
        >>> days = np.array([0.0, 5.0, 9.0])
        >>> [list(AllenRelation)[i].value for i in allen_relations(days, days + 4, TimeInterval(5, 9))]
        ['meets', 'equals', 'overlapped-by']
    """
    start, end = bounds(interval)
    start_order = np.sign(_difference(starts, start))  # -1: starts earlier, 0: together, 1: later
    end_order = np.sign(_difference(ends, end))
    # Where the two share days, the orders of starts and ends decide; rows are start order, columns end order.
    shared = np.array([[2, 7, 8], [3, 6, 9], [4, 5, 10]], dtype=np.uint8)
    relation = shared[(start_order + 1).astype(np.int8), (end_order + 1).astype(np.int8)]
    relation = np.where(ends + 1 == start, 1, relation)
    relation = np.where(ends + 1 < start, 0, relation)
    relation = np.where(starts == end + 1, 11, relation)
    relation = np.where(starts > end + 1, 12, relation)
    return relation.astype(np.uint8)


def _difference(values: Days, bound: float) -> Days:
    """values − bound, where equal infinities differ by 0."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(values - bound, nan=0.0, posinf=np.inf, neginf=-np.inf)


def allen_relation(a: TimeInterval, b: TimeInterval) -> AllenRelation:
    """The one relation that holds of `a` to `b`.

    Example:
        >>> allen_relation(TimeInterval.year(2018), TimeInterval.year(2019)).value
        'meets'
    """
    start, end = bounds(a)
    return _RELATIONS[int(allen_relations(np.array([start]), np.array([end]), b)[0])]
