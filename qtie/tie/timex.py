"""Time expressions: the days that a phrase such as "late nineties" or "Christmas 2019" denotes.

Only values stand here; what a preposition does to them is in `operators`.
"""

from dataclasses import dataclass, replace
from typing import Literal

from qtie.interval import Granularity, TimeInterval, civil_date, day_number, shift_day, unit_of

__all__ = ["Timex", "century", "decade", "easter", "in_year", "latest_by", "nth_weekday", "part_of", "widened"]

_DAY, _WEEK, _MONTH, _YEAR = Granularity.DAY, Granularity.WEEK, Granularity.MONTH, Granularity.YEAR
_DECADE, _CENTURY, _MILLENNIUM = Granularity.DECADE, Granularity.CENTURY, Granularity.MILLENNIUM


@dataclass(frozen=True, slots=True, kw_only=True)
class Timex:
    """What a time expression denotes, in days with both ends included.

    `interval` is None when a time is meant but its date is not known: "that year", "last week" with no reference date.
    """

    interval: TimeInterval | None
    granularity: Granularity
    readings: tuple[TimeInterval, ...] = ()
    """Further fair readings, in order."""
    template: TimeInterval | None = None
    """Where no year was said: the same days in the year 2000, so that a year can still be given."""
    point: int | None = None
    """The exact day of "three months ago", which "since" and "before" count from."""
    edge: Literal["start", "end"] | None = None
    """"the start of X", "the end of X": which edge of `whole` a bound means."""
    whole: TimeInterval | None = None
    """X of "the end of X"."""
    recurring: bool = False
    """A weekday, of which "every Monday in May" has many."""

    @property
    def known(self) -> TimeInterval:
        """The interval, which must be resolved."""
        assert self.interval is not None
        return self.interval


def decade(year: int) -> Timex:
    """The ten years from `year` on: the 1990s are 1990–1999."""
    return Timex(interval=TimeInterval.years(year, year + 9), granularity=_DECADE)


def century(n: int) -> Timex:
    """The n-th century of our era, or before it for a negative n.

    Example:
        >>> str(century(19).interval), str(century(-5).interval)
        ('1801-01-01/1900-12-31', '-0499-01-01/-0400-12-31')
    """
    first = 100 * (n - 1) + 1 if n > 0 else 100 * n + 1
    return Timex(interval=TimeInterval.years(first, first + 99), granularity=_CENTURY)


def in_year(timex: Timex, year: int) -> Timex:
    """A yearless expression in that year; the day stays within its month.

    Raises:
        IntervalError: that year has no such day (29 February).

    Example:
        >>> may = Timex(interval=None, granularity=Granularity.MONTH, template=TimeInterval.month(2000, 5))
        >>> str(in_year(may, 1940).interval)
        '1940-05-01/1940-05-31'
    """
    assert timex.template is not None
    assert timex.template.start is not None
    _, month, day = civil_date(timex.template.start)
    day_number(year, month, day)
    moved = timex.template.shift(year - 2000, _YEAR)
    return replace(timex, interval=moved, template=None, readings=())


def latest_by(timex: Timex, reference: int) -> TimeInterval:
    """A yearless expression in the latest year in which it has begun by the day `reference`."""
    assert timex.template is not None
    assert timex.template.start is not None
    _, month, day = civil_date(timex.template.start)
    year = civil_date(reference)[0]
    while not (_exists(year, month, day) and day_number(year, month, day) <= reference):
        year -= 1
    return in_year(timex, year).known


def _exists(year: int, month: int, day: int) -> bool:
    return (month, day) != (2, 29) or unit_of(day_number(year, 2, 1), _MONTH).n_days == 29


_PARTS: dict[Granularity, dict[str, tuple[int, int]]] = {
    # units counted from the interval's start, first and last included
    _DECADE: {"early": (0, 2), "mid": (3, 6), "late": (7, 9)},  # years
    _YEAR: {"early": (0, 3), "mid": (4, 7), "late": (8, 11)},  # months
    _MONTH: {"early": (0, 9), "mid": (10, 19), "late": (20, 30)},  # days
    _CENTURY: {"early": (0, 32), "mid": (33, 65), "late": (66, 99)},  # years
}
_PART_UNIT = {_DECADE: _YEAR, _YEAR: _MONTH, _MONTH: _DAY, _CENTURY: _YEAR}


def part_of(timex: Timex, part: str, to_part: str | None = None) -> Timex:
    """The early, mid or late part of a month, year, decade or century; of other units the third of their days.

    `to_part` joins two: "mid-to-late 2010" is `part_of(x, "mid", "late")`.

    Example:
        >>> str(part_of(decade(1990), "late").interval)
        '1997-01-01/1999-12-31'
    """
    whole = timex.known
    assert whole.start is not None
    assert whole.end is not None
    parts = _PARTS.get(timex.granularity)
    if parts is not None:
        unit = _PART_UNIT[timex.granularity]
        first, last = parts[part][0], parts[to_part or part][1]
        start, end = shift_day(whole.start, first, unit), shift_day(whole.start, last + 1, unit) - 1
    else:
        n_days = whole.end - whole.start + 1
        thirds = {"early": 0, "mid": 1, "late": 2}
        first, last = thirds[part], thirds[to_part or part] + 1
        start, end = whole.start + n_days * first // 3, whole.start + n_days * last // 3 - 1
        unit = _DAY
    return Timex(interval=TimeInterval(start, max(start, min(end, whole.end))), granularity=unit)


_WIDTH = {_DAY: (7, _DAY), _DECADE: (2, _YEAR), _CENTURY: (10, _YEAR)}


def widened(timex: Timex) -> Timex:
    """ "circa X": a day ±7 days, a decade ±2 years, a century ±10 years, any other unit ±1 of it."""
    n, unit = _WIDTH.get(timex.granularity, (1, timex.granularity))
    interval = timex.known
    return replace(
        timex, interval=TimeInterval(interval.shift(-n, unit).start, interval.shift(n, unit).end), readings=()
    )


def easter(year: int) -> int:
    """The day number of Easter Sunday, Gregorian (Meeus, Jones and Butcher's algorithm).

    Example:
        >>> civil_date(easter(2024))
        (2024, 3, 31)
    """
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    weekday = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * weekday) // 451
    month, day = divmod(h + weekday - 7 * m + 114, 31)
    return day_number(year, month, day + 1)


def nth_weekday(year: int, month: int, weekday: int, n: int) -> int:
    """The n-th such weekday of a month (0 is Monday), the last one for n = -1.

    Example:
        >>> civil_date(nth_weekday(2023, 11, 3, 4))  # the fourth Thursday
        (2023, 11, 23)
    """
    first = day_number(year, month)
    first += (weekday - (first + 3)) % 7
    if n > 0:
        return first + 7 * (n - 1)
    last = TimeInterval.month(year, month).end
    assert last is not None
    return last - (last + 3 - weekday) % 7
