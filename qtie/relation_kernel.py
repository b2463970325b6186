"""How well documents' times stand in an Allen relation to an asked interval, graded as `qtie.kernels.graded` is."""

import numpy as np

from qtie.allen import AllenRelation, bounds
from qtie.errors import ConfigError
from qtie.intent import TemporalConstraint
from qtie.interval import Granularity, unit_of
from qtie.kernels import Grading, Scores, grade, share_and_distance
from qtie.time_columns import FAR_DAYS, Times

__all__ = ["related", "relation_boxes"]

_DEFAULT = Grading()
_Box = tuple[tuple[float, float], tuple[float, float]]


def related(times: Times, constraint: TemporalConstraint, *, grading: Grading = _DEFAULT) -> Scores:
    r"""1 where a time stands in the constraint's relation to its interval, falling with how far it is from that.

    Each of Allen's relations is a box: the days in which the time's start and end must lie. With p the product of
    the shares of possible days inside, and Δ the sum of the distances of start and end from the box,

    .. math:: S = 1 - (1 - u)(1 - p) - (u - f)\frac{\Delta}{\Delta + \sigma}

    An equality of bounds holds within the constraint's unit: a term from March 2005 "starts" 2005–2010 if those are
    years. Negated, the relation scores f where it surely holds, and 1 − (1 − u) p elsewhere.

    Args:
        times: n_times of them; both bounds of a point are the point.
        constraint: a resolved one, whose relation is one of Allen's.
        grading: u, f and the scale.

    Returns:
        Shape (n_times,), in [f, 1].

    Raises:
        ConfigError: the constraint is not resolved, or its relation is `intersects`.

    Example:
        >>> from qtie.interval import TimeInterval
        >>> terms = Times.from_intervals(map(TimeInterval.parse, ["1997/2007", "1999/2007"]), lasting=True)
        >>> asked = TimeInterval.years(1999, 2001)
        >>> unit = Granularity.YEAR
        >>> contains = TemporalConstraint(interval=asked, relation=AllenRelation.CONTAINS, granularity=unit)
        >>> related(terms, contains).round(2)
        array([1.  , 0.25])
    """
    start_box, end_box = relation_boxes(constraint)
    share, distance = share_and_distance(times.bound("start"), start_box)
    end_share, end_distance = share_and_distance(times.bound("end"), end_box)
    share *= end_share
    distance += end_distance
    if constraint.negated:
        return np.where(share == 1, grading.floor, 1 - (1 - grading.unknown) * share)
    return grade(share, distance, scale_days=constraint.granularity.days, grading=grading)


def relation_boxes(constraint: TemporalConstraint) -> _Box:
    """The days in which the document's start and end must lie for the relation to hold; equality within a unit."""
    if constraint.interval is None or constraint.relation == "intersects":
        raise ConfigError("expected a resolved constraint with one of Allen's relations")
    s, e = (float(np.clip(day, -FAR_DAYS, FAR_DAYS)) for day in bounds(constraint.interval))
    free = (-np.inf, np.inf)

    def from_day(day: float) -> tuple[float, float]:
        return (day, _unit_bounds(day, constraint.granularity)[1])

    def to_day(day: float) -> tuple[float, float]:
        return (_unit_bounds(day, constraint.granularity)[0], day)

    boxes: dict[AllenRelation, _Box] = {
        AllenRelation.BEFORE: (free, (-np.inf, s - 2)),
        AllenRelation.MEETS: (free, to_day(s - 1)),
        AllenRelation.OVERLAPS: ((-np.inf, s - 1), (s, e - 1)),
        AllenRelation.STARTS: (from_day(s), (-np.inf, e - 1)),
        AllenRelation.DURING: ((s + 1, np.inf), (-np.inf, e - 1)),
        AllenRelation.FINISHES: ((s + 1, np.inf), to_day(e)),
        AllenRelation.EQUALS: (from_day(s), to_day(e)),
        AllenRelation.FINISHED_BY: ((-np.inf, s - 1), to_day(e)),
        AllenRelation.CONTAINS: ((-np.inf, s - 1), (e + 1, np.inf)),
        AllenRelation.STARTED_BY: (from_day(s), (e + 1, np.inf)),
        AllenRelation.OVERLAPPED_BY: ((s + 1, e), (e + 1, np.inf)),
        AllenRelation.MET_BY: (from_day(e + 1), free),
        AllenRelation.AFTER: ((e + 2, np.inf), free),
    }
    return boxes[AllenRelation(constraint.relation)]


def _unit_bounds(day: float, unit: Granularity) -> tuple[float, float]:
    return (day, day) if abs(day) >= FAR_DAYS - 1 else bounds(unit_of(int(day), unit))
