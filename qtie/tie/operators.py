"""What operators do: from the days X of a time expression to the days that the query asks for.

One function, one definition; X.start and X.end are X's first and last day. `OPERATORS` has them by name, for the
grammar and for any learned extractor alike. Every bound is inclusive in `interval`; `raw` keeps it as said.
"""

from collections.abc import Callable
from typing import NamedTuple

from qtie.interval import Granularity, TimeInterval, shift_day, unit_of
from qtie.tie.timex import Timex

__all__ = ["OPERATORS", "Reading", "adjoining", "between", "shifted", "span_of_units", "within"]


class Reading(NamedTuple):
    """The days asked for, the bounds as said, and further fair readings."""

    interval: TimeInterval
    raw: TimeInterval
    readings: tuple[TimeInterval, ...] = ()


def during(x: Timex) -> Reading:
    """X itself."""
    return Reading(x.known, x.known, x.readings)


def before(x: Timex) -> Reading:
    """../(X.start − 1 day); "before the end of X" is ../X.end."""
    if x.edge == "end":
        return until(x)
    bound = _start(x)
    return Reading(TimeInterval(None, bound - 1), TimeInterval(None, bound))


def after(x: Timex) -> Reading:
    """(X.end + 1 day)/..; "after the start of X" is X.start/.."""
    if x.edge == "start":
        return since(x)
    bound = _end(x)
    return Reading(TimeInterval(bound + 1, None), TimeInterval(bound, None))


def since(x: Timex) -> Reading:
    """X.start/.."""
    bound = _end(x) if x.edge == "end" else _start(x)
    interval = TimeInterval(bound, None)
    return Reading(interval, interval)


def by(x: Timex) -> Reading:
    """../X.end; "by the start of X" is ../X.start."""
    interval = TimeInterval(None, _start(x) if x.edge == "start" else _end(x))
    return Reading(interval, interval)


def until(x: Timex) -> Reading:
    """../X.end, second reading ../(X.start − 1 day)."""
    interval = TimeInterval(None, _start(x) if x.edge == "start" else _end(x))
    return Reading(interval, interval, (TimeInterval(None, _start(x) - 1),))


def through(x: Timex) -> Reading:
    """../X.end for a year or finer; a decade or century is meant whole."""
    return during(x) if x.granularity.days > Granularity.YEAR.days else by(x)


def as_of(x: Timex) -> Reading:
    """../X.end; the extractor adds the preference for the latest."""
    return by(x)


OPERATORS: dict[str, Callable[[Timex], Reading]] = {
    "in": during,
    "before": before,
    "after": after,
    "since": since,
    "by": by,
    "until": until,
    "through": through,
    "as of": as_of,
}


def between(x: Timex, y: Timex) -> Reading:
    """X.start/Y.end; bounds in reverse order are swapped."""
    first, last = (x, y) if (x.known.start or 0) <= (y.known.start or 0) else (y, x)
    interval = TimeInterval(first.known.start, last.known.end)
    return Reading(interval, interval)


def shifted(x: Timex, n: int, unit: Granularity, *, week_start: int = 0) -> Timex:
    """X moved by n units (negative: back), at the finer of X's and the unit's granularity.

    A unit finer than X counts from X.start when going back and from X.end when going forward: six months before
    2003 is July 2002, six months after it June 2004.
    """
    if unit.days >= x.granularity.days and x.granularity is not Granularity.WEEK:
        return Timex(interval=x.known.shift(n, unit), granularity=x.granularity)
    origin = _start(x) if n < 0 else _end(x)
    finer = min(unit, x.granularity, key=lambda granularity: granularity.days)
    return Timex(interval=unit_of(shift_day(origin, n, unit), finer, week_start=week_start), granularity=finer)


def adjoining(x: Timex, n: int, unit: Granularity) -> Timex:
    """The |n| units that adjoin X, before it for a negative n: the five years before 2010 are 2005–2009."""
    if n < 0:
        start = _start(x)
        interval = TimeInterval(shift_day(start, n, unit), start - 1)
    else:
        end = _end(x) + 1
        interval = TimeInterval(end, shift_day(end, n, unit) - 1)
    return Timex(interval=interval, granularity=min(unit, x.granularity, key=lambda g: g.days))


def span_of_units(x: Timex, n: int, unit: Granularity) -> Timex:
    """The |n| units whose last is X for a negative n, whose first is X otherwise."""
    if n < 0:
        end = _end(x)
        interval = TimeInterval(shift_day(end + 1, n, unit), end)
    else:
        start = _start(x)
        interval = TimeInterval(start, shift_day(start, n, unit) - 1)
    return Timex(interval=interval, granularity=min(unit, x.granularity, key=lambda g: g.days))


def within(x: Timex, n: int, unit: Granularity) -> Timex:
    """(X.start − n)/(X.end + n)."""
    interval = TimeInterval(x.known.shift(-n, unit).start, x.known.shift(n, unit).end)
    return Timex(interval=interval, granularity=min(unit, x.granularity, key=lambda g: g.days))


def _start(x: Timex) -> int:
    if x.point is not None:
        return x.point
    start = (x.whole or x.known).start
    assert start is not None
    return start


def _end(x: Timex) -> int:
    if x.point is not None:
        return x.point
    end = (x.whole or x.known).end
    assert end is not None
    return end
