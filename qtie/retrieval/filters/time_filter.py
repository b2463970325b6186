"""What a store must match: an intent's intervals, widened by a margin, on the fields that hold documents' times."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from math import ceil, inf, isfinite

from qtie.errors import ConfigError
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval, merge_intervals
from qtie.relation_kernel import relation_boxes
from qtie.retrieval.filters.fields import DEFAULT_FIELDS, TimeFields
from qtie.temporal_relevance import AskedTimes, asked_times

__all__ = ["TimeBounds", "TimeClause", "TimeFilter", "fields_for", "time_filter"]

_FALLBACK = {"start": "held", "end": "held", "held": "any"}
"""Where a target has no fields of its own: those whose interval holds its interval."""
_DROPPED_IF_UNDATED = ("any", "start", "end", "held")
"""As in `qtie.temporal_relevance`: a document that lacks another facet is neutral whatever the policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBounds:
    """The document's time in `fields` may share a day with `interval` (days, both ends included), or is unknown."""

    fields: TimeFields
    interval: TimeInterval

    def __str__(self) -> str:
        names = dict.fromkeys((self.fields.start, self.fields.end))
        return f"{'/'.join(names)} in {self.interval}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeClause:
    """Any of the alternatives, each of which asks for all of its bounds; no alternatives: any time will do."""

    alternatives: tuple[tuple[TimeBounds, ...], ...]
    dated: TimeFields | None = None
    """The fields in which the document must have a time; None keeps documents without one."""

    def __str__(self) -> str:
        wanted = [" and ".join(map(str, bounds)) for bounds in self.alternatives] or ["any time"]
        return " or ".join([*wanted, "unknown"] if self.dated is None else wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFilter:
    """All of the clauses, one or more for each target that a query names."""

    clauses: tuple[TimeClause, ...]

    def __str__(self) -> str:
        clauses = [str(clause) for clause in self.clauses]
        return clauses[0] if len(clauses) == 1 else " and ".join(f"({clause})" for clause in clauses)


def time_filter(
    intent: TemporalIntent,
    *,
    fields: Mapping[str, TimeFields] = DEFAULT_FIELDS,
    margin_units: float = 1.0,
    keep_undated: bool = True,
    reference_date: date | None = None,
) -> TimeFilter | None:
    r"""What documents must match to be candidates; None where the intent asks for nothing that a store could check.

    Each interval is widened on both sides by the margin: m = `margin_units` of the unit it was given in. What the
    filter leaves out is known to lie farther off, so that its temporal score (`graded`) on some target is at most

    .. math:: S^* = u - (u - f) \frac{m}{m + \sigma}

    of `Grading`: with the defaults 0.13, half of what an undated document gets. A document that has no time, or an
    open side, is kept. A preference ("latest") and unresolved constraints are no condition. A target without fields
    is left to the reranker; `start`, `end` and `held` fall back on wider fields, `future` and facets do not.

    Args:
        intent: what the query asks for.
        fields: by target, as `TimeColumns.times_for` names them; `any` for most uses.
        margin_units: 0 is strict: it leaves out what `mode="strict"` would remove.
        keep_undated: False for `missing="drop"`.
        reference_date: the day of asking; by default the intent's.

    Raises:
        ConfigError: a margin that is negative or not finite.

    Example:
        >>> year = TemporalConstraint(interval=TimeInterval.year(2016), granularity=Granularity.YEAR)
        >>> intent = TemporalIntent(query="won in 2016", constraints=(year,))
        >>> print(time_filter(intent))
        time_start/time_end in 2014-12-31/2018-01-01 or unknown
        >>> print(time_filter(intent, margin_units=0, keep_undated=False))
        time_start/time_end in 2016-01-01/2016-12-31
        >>> print(time_filter(TemporalIntent(query="who won")))
        None
    """
    if not (isfinite(margin_units) and margin_units >= 0):
        raise ConfigError(f"margin_units must be 0 or more, not {margin_units}")
    clauses: list[TimeClause] = []
    for asked in asked_times(intent, reference_date) if intent.by_target else ():
        names = fields_for(asked.column, fields)
        if names is not None:
            dated = None if keep_undated or asked.column not in _DROPPED_IF_UNDATED else names
            clauses += _clauses(asked, names, fields, margin_units, dated)
    return TimeFilter(clauses=tuple(clauses)) if clauses else None


def fields_for(target: str, fields: Mapping[str, TimeFields]) -> TimeFields | None:
    """The fields that hold the times of `target`, or wider ones; None where there are none.

    Example:
        >>> fields_for("start", DEFAULT_FIELDS).start, fields_for("born", DEFAULT_FIELDS)
        ('time_start', None)
    """
    while target not in fields and target in _FALLBACK:
        target = _FALLBACK[target]
    return fields.get(target)


def _clauses(
    asked: AskedTimes,
    names: TimeFields,
    fields: Mapping[str, TimeFields],
    margin_units: float,
    dated: TimeFields | None,
) -> Iterator[TimeClause]:
    """One clause for what is asked, and, beside relations, one for each excluded interval."""
    widened = [_widened(interval, _margin(margin_units, unit)) for interval, unit in asked.alternatives]
    alternatives = [_bounds(names, interval) for interval in merge_intervals(widened)]
    for constraint in asked.related:
        alternatives += _related(constraint, asked.column, fields, _margin(margin_units, constraint.granularity))
    if alternatives and () not in alternatives:  # neither nothing nor everything is left of what is asked
        yield TimeClause(alternatives=tuple(alternatives), dated=dated)
    elif dated is not None:
        yield TimeClause(alternatives=(), dated=dated)
    if asked.related:  # elsewhere the alternatives already leave out what is excluded
        units = [*(unit for _, unit in asked.alternatives), *(c.granularity for c in asked.related)]
        margin = _margin(margin_units, max(units, key=lambda unit: unit.days))
        for outside in (_outside(interval, margin) for interval in asked.excluded):
            if TimeInterval() not in outside:
                yield TimeClause(alternatives=tuple(_bounds(names, side) for side in outside))


def _related(
    constraint: TemporalConstraint, column: str, fields: Mapping[str, TimeFields], margin: int
) -> list[tuple[TimeBounds, ...]]:
    """An Allen relation as a box around the document's start and end; negated, what lies outside it on either side."""
    sides = ("start", "end") if column == "held" else (column, column)
    names = [side_fields for side in sides if (side_fields := fields_for(side, fields)) is not None]
    boxes = relation_boxes(constraint)
    if constraint.negated:
        return [
            _bounds(side_fields, outside)
            for side_fields, box in zip(names, boxes, strict=True)
            for outside in _outside(_days(box, 0), margin)
        ]
    intervals = [interval for box in boxes if (interval := _days(box, margin)) is not None]
    if len(intervals) < len(boxes):
        return []
    return [tuple(b for side_fields, i in zip(names, intervals, strict=True) for b in _bounds(side_fields, i))]


def _bounds(names: TimeFields, interval: TimeInterval) -> tuple[TimeBounds, ...]:
    """The bounds that an interval sets: none where it is open on both sides."""
    return () if interval == TimeInterval() else (TimeBounds(fields=names, interval=interval),)


def _margin(margin_units: float, unit: Granularity) -> int:
    return ceil(margin_units * unit.days)


def _widened(interval: TimeInterval, margin: int) -> TimeInterval:
    start = None if interval.start is None else interval.start - margin
    return TimeInterval(start, None if interval.end is None else interval.end + margin)


def _days(box: tuple[float, float], margin: int) -> TimeInterval | None:
    """One side of a box, widened; None where no day is left of it."""
    low, high = box[0] - margin, box[1] + margin
    return TimeInterval(int(low) if low > -inf else None, int(high) if high < inf else None) if low <= high else None


def _outside(interval: TimeInterval | None, margin: int) -> list[TimeInterval]:
    """What lies before and after the interval, widened; all days where the margins meet or there is none."""
    if interval is None:
        return [TimeInterval()]
    return merge_intervals([_widened(side, margin) for side in interval.complement()])
