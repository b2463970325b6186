"""Time as intervals of days: parsing, printing and calendar arithmetic.

Days are integers counted from 1970-01-01 (day 0) in the proleptic Gregorian calendar, so that years
before 1 and arrays of millions of documents work alike; `datetime.date` stops at year 1.
"""

import re
from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import lru_cache

from qtie.errors import IntervalError

__all__ = [
    "Granularity",
    "TimeInterval",
    "civil_date",
    "day_number",
    "merge_intervals",
    "shift_day",
    "subtract_intervals",
    "temporal_distance_days",
    "unit_of",
]

_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


class Granularity(Enum):
    """The unit an expression is given in; its value is the unit's typical length in days."""

    DAY = 1.0
    WEEKEND = 2.0
    WEEK = 7.0
    MONTH = 30.436875
    QUARTER = 91.310625
    SEASON = 91.3107
    HALF = 182.62125
    YEAR = 365.2425
    DECADE = 3652.425
    CENTURY = 36524.25
    MILLENNIUM = 365242.5

    @property
    def days(self) -> float:
        """The unit's typical length in days."""
        return self.value

    @property
    def months(self) -> int:
        """The unit's length in months, 0 for units that are counted in days."""
        return _MONTHS.get(self, 0)

    def __str__(self) -> str:
        return self.name.lower()

    @classmethod
    def parse(cls, name: str) -> "Granularity":
        """The granularity of that name.

        Raises:
            IntervalError: there is none.
        """
        try:
            return cls[name.upper()]
        except KeyError:
            raise IntervalError(f"unknown granularity {name!r}; one of {', '.join(map(str, cls))}") from None


_MONTHS = {
    Granularity.MONTH: 1,
    Granularity.QUARTER: 3,
    Granularity.SEASON: 3,
    Granularity.HALF: 6,
    Granularity.YEAR: 12,
    Granularity.DECADE: 120,
    Granularity.CENTURY: 1200,
    Granularity.MILLENNIUM: 12000,
}


def day_number(year: int, month: int = 1, day: int = 1) -> int:
    """The day's number counted from 1970-01-01; any year, 0 and negative ones included.

    Raises:
        IntervalError: the calendar has no such day.

    Example:
        >>> day_number(1970), day_number(2000, 2, 29), day_number(-44, 3, 15)
        (0, 11016, -735525)
    """
    if not 1 <= month <= 12:
        raise IntervalError(f"no such month: {month}")
    if not 1 <= day <= _days_in_month(year, month):
        raise IntervalError(f"no such day: {year}-{month:02}-{day:02}")
    return _day_number(year, month, day)


def _day_number(year: int, month: int, day: int) -> int:
    # The Gregorian calendar repeats every 400 years = 146,097 days: move into datetime's range and back.
    cycles = (year - 2000) // 400
    return date(year - 400 * cycles, month, day).toordinal() - _EPOCH_ORDINAL + 146_097 * cycles


def civil_date(day: int) -> tuple[int, int, int]:
    """Year, month and day of a day number; the inverse of `day_number`.

    Example:
        >>> civil_date(11016)
        (2000, 2, 29)
    """
    cycles = (day - 10_957) // 146_097  # 10,957 is 2000-01-01
    moved = date.fromordinal(day - 146_097 * cycles + _EPOCH_ORDINAL)
    return moved.year + 400 * cycles, moved.month, moved.day


def _days_in_month(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def shift_day(day: int, n: int, unit: Granularity) -> int:
    """`day` moved by `n` units; months and longer keep the day of the month, clamped to the month's end.

    Example:
        >>> civil_date(shift_day(day_number(2024, 1, 31), 1, Granularity.MONTH))
        (2024, 2, 29)
        >>> civil_date(shift_day(day_number(2024, 2, 29), -1, Granularity.YEAR))
        (2023, 2, 28)
    """
    if not unit.months:
        return day + n * (7 if unit in (Granularity.WEEK, Granularity.WEEKEND) else 1)
    year, month, day_of_month = civil_date(day)
    year, month = divmod(12 * year + month - 1 + n * unit.months, 12)
    return _day_number(year, month + 1, min(day_of_month, _days_in_month(year, month + 1)))


@lru_cache(maxsize=4096)  # asked twice for every term of office or law
def unit_of(day: int, unit: Granularity, *, week_start: int = 0) -> "TimeInterval":
    """The calendar unit that holds `day`; weeks start on `week_start` (0 is Monday).

    Decades are 1990–1999, centuries 1901–2000, millennia 1001–2000; a season is December to February and
    so on; a weekend is the Saturday and Sunday of the week that holds the day.

    Example:
        >>> str(unit_of(day_number(2024, 2, 29), Granularity.QUARTER))
        '2024-01-01/2024-03-31'
    """
    if unit is Granularity.DAY:
        return TimeInterval(day, day)
    if unit is Granularity.WEEK:
        start = day - (day + 3 - week_start) % 7  # day 0 was a Thursday
        return TimeInterval(start, start + 6)
    if unit is Granularity.WEEKEND:
        saturday = day - (day + 3) % 7 + 5
        return TimeInterval(saturday, saturday + 1)
    year, month, _ = civil_date(day)
    count = 12 * year + month - 1  # months since January of year 0
    origin = {Granularity.SEASON: 11, Granularity.CENTURY: 12, Granularity.MILLENNIUM: 12}.get(unit, 0)
    first = (count - origin) // unit.months * unit.months + origin
    return TimeInterval(_month_start(first), _month_start(first + unit.months) - 1)


def _month_start(count: int) -> int:
    return _day_number(count // 12, count % 12 + 1, 1)


@dataclass(frozen=True, slots=True)
class TimeInterval:
    """The days from `start` to `end`, both included; None leaves that side open.

    Days are numbers as `day_number` gives them. Printed as EDTF: `2019-01-01/2019-12-31`, `../2018-12-31`.

    Raises:
        IntervalError: `start` lies after `end`.

    Example:
        >>> TimeInterval.year(2019).overlaps(TimeInterval.parse("2019-12-31/.."))
        True
    """

    start: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.start > self.end:
            raise IntervalError(f"interval ends before it starts: {_print(self.start)}/{_print(self.end)}")

    @classmethod
    def day(cls, year: int, month: int, day: int) -> "TimeInterval":
        """That one day."""
        number = day_number(year, month, day)
        return cls(number, number)

    @classmethod
    def month(cls, year: int, month: int) -> "TimeInterval":
        """That whole month."""
        return unit_of(day_number(year, month), Granularity.MONTH)

    @classmethod
    def year(cls, year: int) -> "TimeInterval":
        """That whole year; year 0 is 1 BC."""
        return cls(_day_number(year, 1, 1), _day_number(year, 12, 31))

    @classmethod
    def years(cls, first: int, last: int) -> "TimeInterval":
        """From the first day of year `first` to the last day of year `last`."""
        return cls(_day_number(first, 1, 1), _day_number(last, 12, 31))

    @classmethod
    def from_dates(cls, start: date | None, end: date | None) -> "TimeInterval":
        """From one `datetime.date` to another, both included; None leaves that side open."""
        return cls(
            None if start is None else start.toordinal() - _EPOCH_ORDINAL,
            None if end is None else end.toordinal() - _EPOCH_ORDINAL,
        )

    @classmethod
    def parse(cls, text: str) -> "TimeInterval":
        """The interval that an ISO 8601 or EDTF text denotes.

        Reads years, months, days, ISO weeks, ordinal days, `199X`, EDTF seasons and quarters (21–24, 33–36), years
        before 1 (`-0499`) and beyond 9999 (`Y12345`, `+12345`), and two of these or `..` around a slash.

        Raises:
            IntervalError: the text is none of these, or ends before it starts.

        Example:
            >>> str(TimeInterval.parse("199X")), str(TimeInterval.parse("../2019-02"))
            ('1990-01-01/1999-12-31', '../2019-02-28')
        """
        stripped = text.strip()
        first, slash, last = stripped.partition("/")
        if not slash:
            return _parse_unit(stripped)
        start = None if first.strip() in ("", "..") else _parse_unit(first.strip()).start
        end = None if last.strip() in ("", "..") else _parse_unit(last.strip()).end
        if start is None and end is None and stripped != "../..":
            raise IntervalError(f"not a date or interval: {text!r}")
        return cls(start, end)

    def __str__(self) -> str:
        return f"{_print(self.start)}/{_print(self.end)}"

    def to_dict(self) -> dict[str, str | None]:
        """`{"start": "YYYY-MM-DD" or None, "end": …}`, as the command line and the service write it."""
        return {
            "start": None if self.start is None else _print(self.start),
            "end": None if self.end is None else _print(self.end),
        }

    @property
    def n_days(self) -> float:
        """How many days it holds; infinite when a side is open."""
        return float("inf") if self.start is None or self.end is None else self.end - self.start + 1

    @property
    def granularity(self) -> Granularity:
        """The calendar unit that it is, or the largest one not longer than it; a year where a side is open."""
        if self.start is None or self.end is None:
            return Granularity.YEAR
        units = [unit for unit in Granularity if unit not in _RARE]
        exact = [unit for unit in units if unit_of(self.start, unit) == self]
        return exact[-1] if exact else [unit for unit in units if unit.days <= self.n_days * 1.02][-1]

    def overlaps(self, other: "TimeInterval") -> bool:
        """Whether the two share a day."""
        return self.intersection(other) is not None

    def intersection(self, other: "TimeInterval") -> "TimeInterval | None":
        """The days in both, or None where there are none."""
        start = max((s for s in (self.start, other.start) if s is not None), default=None)
        end = min((e for e in (self.end, other.end) if e is not None), default=None)
        return None if start is not None and end is not None and start > end else TimeInterval(start, end)

    def hull(self, other: "TimeInterval") -> "TimeInterval":
        """The smallest interval that holds both."""
        start = None if self.start is None or other.start is None else min(self.start, other.start)
        end = None if self.end is None or other.end is None else max(self.end, other.end)
        return TimeInterval(start, end)

    def complement(self) -> "tuple[TimeInterval, ...]":
        """What lies before and after it: none, one or two intervals."""
        before = () if self.start is None else (TimeInterval(None, self.start - 1),)
        after = () if self.end is None else (TimeInterval(self.end + 1, None),)
        return before + after

    def shift(self, n: int, unit: Granularity) -> "TimeInterval":
        """Both ends moved by `n` units; an interval of whole months stays one of whole months.

        Example:
            >>> str(TimeInterval.month(2023, 2).shift(1, Granularity.YEAR))
            '2024-02-01/2024-02-29'
        """
        start = None if self.start is None else shift_day(self.start, n, unit)
        if self.end is None:
            return TimeInterval(start, None)
        whole_months = civil_date(self.end + 1)[2] == 1 and (self.start is None or civil_date(self.start)[2] == 1)
        end = shift_day(self.end + 1, n, unit) - 1 if whole_months else shift_day(self.end, n, unit)
        return TimeInterval(start, end)


_RARE = (Granularity.WEEKEND, Granularity.SEASON)


def temporal_distance_days(a: TimeInterval, b: TimeInterval) -> int:
    """Days between two intervals, 0 where they share one; neighbours are 1 apart.

    Example:
        >>> temporal_distance_days(TimeInterval.year(2019), TimeInterval.day(2020, 1, 2))
        2
    """
    gaps = [s - e for s, e in ((a.start, b.end), (b.start, a.end)) if s is not None and e is not None]
    return max([0, *gaps])


def merge_intervals(intervals: "list[TimeInterval]") -> list[TimeInterval]:
    """Their union as disjoint intervals in order; those that overlap or adjoin become one."""
    merged: list[TimeInterval] = []
    for interval in sorted(intervals, key=lambda i: float("-inf") if i.start is None else i.start):
        last = merged[-1] if merged else None
        if last and (last.end is None or interval.start is None or interval.start <= last.end + 1):
            merged[-1] = last.hull(interval)
        else:
            merged.append(interval)
    return merged


def subtract_intervals(intervals: list[TimeInterval], removed: list[TimeInterval]) -> list[TimeInterval]:
    """The days of `intervals` that are in none of `removed`, as disjoint intervals in order."""
    for hole in removed:
        pieces = [i.intersection(side) for i in intervals for side in hole.complement()]
        intervals = [piece for piece in pieces if piece is not None]
    return merge_intervals(intervals)


def _print(day: int | None) -> str:
    if day is None:
        return ".."
    year, month, day_of_month = civil_date(day)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04}-{month:02}-{day_of_month:02}"


_UNIT = re.compile(
    r"(?P<year>\d{4}|[+-]\d{4,9}|Y-?\d{5,9})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?|-W(?P<week>\d\d)(?:-(?P<weekday>[1-7]))?"
    r"|-(?P<ordinal>\d{3}))?"
)
_MASKED_YEAR = re.compile(r"(-?)(\d{1,3})(X{1,3})", re.IGNORECASE)


def _parse_unit(text: str) -> TimeInterval:
    bare = text.rstrip("?~%")
    if (masked := _MASKED_YEAR.fullmatch(bare)) and len(masked[2] + masked[3]) == 4:
        sign, known, unknown = masked.groups()
        low, high = (int(sign + known + digit * len(unknown)) for digit in ("0", "9"))
        return TimeInterval.years(min(low, high), max(low, high))
    match = _UNIT.fullmatch(bare)
    if match is None:
        raise IntervalError(f"not a date or interval: {text!r}; expected such as 2019, 2019-03-05 or 2019/..")
    year = int(match["year"].removeprefix("Y"))
    if abs(year) > 5_000_000:
        raise IntervalError(f"year out of range: {text!r}")
    if match["week"]:
        return _iso_week(year, int(match["week"]), match["weekday"], text)
    if match["ordinal"]:
        day = day_number(year) + int(match["ordinal"]) - 1
        if not TimeInterval.year(year).overlaps(TimeInterval(day, day)):
            raise IntervalError(f"no such day: {text!r}")
        return TimeInterval(day, day)
    if match["month"] is None:
        return TimeInterval.year(year)
    month = int(match["month"])
    if match["day"]:
        return TimeInterval.day(year, month, int(match["day"]))
    if 21 <= month <= 24:  # EDTF seasons: spring, summer, autumn, winter
        return unit_of(day_number(year, 3 * (month - 20)), Granularity.SEASON)
    if 33 <= month <= 36:  # EDTF quarters
        return unit_of(day_number(year, 3 * (month - 33) + 1), Granularity.QUARTER)
    return TimeInterval.month(year, month)


def _iso_week(year: int, week: int, weekday: str | None, text: str) -> TimeInterval:
    monday = unit_of(day_number(year, 1, 4), Granularity.WEEK).start
    assert monday is not None
    start = monday + 7 * (week - 1)
    if not 1 <= week <= 53 or civil_date(start + 3)[0] != year:
        raise IntervalError(f"no such week: {text!r}")
    if weekday:
        return TimeInterval(start + int(weekday) - 1, start + int(weekday) - 1)
    return TimeInterval(start, start + 6)
