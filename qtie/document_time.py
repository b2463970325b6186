"""A document's time, and how it is read from what users store.

Read are: dates and datetimes of Python, NumPy and pandas; ISO 8601 of any precision; EDTF; epoch seconds to
nanoseconds and years as numbers or digits; numeric and written dates; RFC 2822; and bounds as `{"start": …, "end": …}`.
A zoned time becomes the calendar day of the configured zone; a time without a zone is already in it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import floor
from reprlib import repr as short_repr
from typing import NamedTuple

import numpy as np

from qtie.config import zone
from qtie.errors import ConfigError, IntervalError
from qtie.intent import IntentOptions
from qtie.interval import Granularity, TimeInterval, day_number, unit_of

__all__ = ["DocumentTime", "TimeReading", "orders_of", "parse_bounds", "parse_time", "read_time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTime:
    """One time of a document: a point somewhere within `interval` (days, both ends included), or all of it.

    Example:
        >>> award = DocumentTime(interval=TimeInterval.year(1911))
        >>> term = DocumentTime(interval=TimeInterval.parse("1997-05-02/2007-06-27"), lasting=True)
        >>> str(award.start), str(term.start)
        ('1911-01-01/1911-12-31', '1997-05-02/1997-05-02')
    """

    interval: TimeInterval
    """Every day that it may hold; a coarse date such as 2019 is its whole year."""
    lasting: bool = False
    """True: it holds throughout the interval (validity); False: on some day of it (a date, possibly coarse)."""
    start_unit: Granularity = Granularity.DAY
    """The unit in which the start of a lasting time was given."""
    end_unit: Granularity = Granularity.DAY
    """The unit in which the end of a lasting time was given."""
    confidence: float = 1.0
    """In [0, 1]; below 1 for times read from the text."""
    source: str = ""
    """The metadata key it came from, or "text"."""

    @property
    def start(self) -> TimeInterval | None:
        """The days on which it may have started; None where that side is open."""
        if not self.lasting:
            return self.interval
        return None if self.interval.start is None else unit_of(self.interval.start, self.start_unit)

    @property
    def end(self) -> TimeInterval | None:
        """The days on which it may have ended; None where that side is open (it still holds)."""
        if not self.lasting:
            return self.interval
        return None if self.interval.end is None else unit_of(self.interval.end, self.end_unit)


class TimeReading(NamedTuple):
    """A stored value as it was read; `time` is None where the value says that there is none."""

    format: str
    """Its form, such as "year", "day", "datetime", "epoch seconds", "interval"; "missing" where there is none."""
    time: DocumentTime | None


_DEFAULT = IntentOptions()
_MISSING = frozenset(
    (
        *("", "null", "none", "nil", "na", "n/a", "nan", "nat", "-", "--", "?", "unknown", "undated", "n.d."),
        *("undefined", "0000-00-00", "0000-00-00 00:00:00"),  # MySQL's zero dates
        *("true", "false"),  # `published: true` says whether, not when
    )
)
_OPEN_START = frozenset(("..", "-infinity"))
_OPEN_END = frozenset(("..", "infinity", "present", "now", "ongoing", "current", "today"))
_FIRST_DATE, _LAST_DATE = day_number(1, 1, 1), day_number(9999, 12, 31)  # how databases write "open"


def parse_time(value: object, *, options: IntentOptions = _DEFAULT, source: str = "") -> DocumentTime | None:
    """The time that a stored value denotes, days with both ends included; None where it is empty, null, NaN or a bool.

    Numbers are read by magnitude: 100 to 9,999 and -9,999 to -1 are years; 201903, 20190305 and 20190305100000
    calendar dates; others epoch seconds below 10^11, milliseconds below 10^14, microseconds below 10^17, nanoseconds
    below 10^20.
    Two dates around a slash, or `{"start": …, "end": …}`, are lasting; a side may be open.

    Raises:
        IntervalError: the value is no time.

    Example:
        >>> [str(parse_time(value).interval) for value in ("2019", 1551780000000, "2019-03-05T23:30:00-05:00")]
        ['2019-01-01/2019-12-31', '2019-03-05/2019-03-05', '2019-03-06/2019-03-06']
        >>> parse_time("2003/..").lasting, parse_time("n/a")
        (True, None)
    """
    return read_time(value, options=options, source=source).time


def read_time(value: object, *, options: IntentOptions = _DEFAULT, source: str = "") -> TimeReading:
    """As `parse_time`, with the form that the value was in.

    Raises:
        IntervalError: the value is no time.

    Example:
        >>> read_time("3 May 2010").format
        'written date'
    """
    if isinstance(value, DocumentTime):
        return TimeReading("DocumentTime", value)
    if isinstance(value, TimeInterval):
        lasting = value.start is None or value.end is None
        return TimeReading("TimeInterval", DocumentTime(interval=value, lasting=lasting, source=source))
    if isinstance(value, Mapping):
        start, end = _mapping_bounds(value)
        return TimeReading("interval", parse_bounds(start, end, options=options, source=source))
    if _is_missing(value):
        return TimeReading("missing", None)
    if isinstance(value, str) and (text := _iso_order(value, options)).count("/") == 1:
        first, _, last = text.partition("/")
        return TimeReading("interval", parse_bounds(first, last, options=options, source=source))
    format, interval = _read_point(value, options)
    return TimeReading(format, DocumentTime(interval=interval, source=source))


def parse_bounds(
    start: object, end: object, *, options: IntentOptions = _DEFAULT, source: str = ""
) -> DocumentTime | None:
    """The lasting time from one stored value to another, both included; None where both are missing.

    A missing bound leaves its side open, as do `..`, an end "present" or "ongoing", and the dates 0001-01-01 and
    9999-12-31 that databases use for it. Each side keeps the unit that it was given in.

    Raises:
        IntervalError: a bound is no date, or the end lies before the start.

    Example:
        >>> office = parse_bounds("1997-05", "2007-06-27")
        >>> str(office.start), str(office.end)
        ('1997-05-01/1997-05-31', '2007-06-27/2007-06-27')
        >>> str(parse_bounds("2019", None).interval)
        '2019-01-01/..'
    """
    first = _bound(start, _OPEN_START, options)
    last = _bound(end, _OPEN_END, options)
    if first is not None and first.end is not None and first.end <= _FIRST_DATE:
        first = None
    if last is not None and last.end is not None and last.end >= _LAST_DATE:
        last = None
    if first is None and last is None:
        return None
    return DocumentTime(
        interval=TimeInterval(None if first is None else first.start, None if last is None else last.end),
        lasting=True,
        start_unit=Granularity.DAY if first is None else _unit(first, first.start),
        end_unit=Granularity.DAY if last is None else _unit(last, last.end),
        source=source,
    )


def _bound(value: object, open_words: frozenset[str], options: IntentOptions) -> TimeInterval | None:
    if isinstance(value, str) and value.strip().lower() in open_words:
        return None
    time = None if isinstance(value, Mapping) else parse_time(value, options=options)
    if isinstance(value, Mapping) or (time is not None and time.lasting):
        raise IntervalError(f"expected one date as a bound, got {short_repr(value)}")
    return None if time is None else time.interval


def _unit(interval: TimeInterval, day: int | None) -> Granularity:
    """The calendar unit that the interval is, else the largest that holds its first or last day and fits in it."""
    fitting = [unit for unit in Granularity if day is not None and interval.hull(unit_of(day, unit)) == interval]
    return fitting[-1] if fitting else Granularity.DAY


_START_NAMES = ("start", "gte", "from", "valid_from")
_END_NAMES = ("end", "lte", "to", "valid_to")


def _mapping_bounds(value: Mapping[object, object]) -> tuple[object, object]:
    for start, end in zip(_START_NAMES, _END_NAMES, strict=True):
        if value and value.keys() <= {start, end}:
            return value.get(start), value.get(end)
    raise IntervalError(f'expected {{"start": …, "end": …}}, got {short_repr(value)}')


def _is_missing(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _MISSING
    if isinstance(value, np.datetime64):
        return bool(np.isnat(value))
    if isinstance(value, float | np.floating | datetime):
        return bool(value != value)  # NaN, pandas' NaT
    return value is None or isinstance(value, bool | np.bool_)


def _read_point(value: object, options: IntentOptions) -> tuple[str, TimeInterval]:
    try:
        if isinstance(value, datetime):
            return "datetime", _local_day(value, options)
        if isinstance(value, date):
            return "day", TimeInterval.from_dates(value, value)
        if isinstance(value, int | np.integer):
            return _read_number(int(value), options)
        if isinstance(value, float | np.floating):
            return _read_number(float(value), options)
        if isinstance(value, np.datetime64):
            value = str(value)  # keeps its unit: 2019, 2019-03, …
        if isinstance(value, str):
            return _read_text(_iso_order(value, options), options)
    except (ConfigError, IntervalError):  # they say enough; an unknown zone is not the value's fault
        raise
    except (OverflowError, ValueError) as error:
        raise IntervalError(f"not a time: {short_repr(value)} ({error})") from error
    raise IntervalError(f"not a time: {short_repr(value)}")


def _local_day(moment: datetime, options: IntentOptions) -> TimeInterval:
    local = moment if moment.utcoffset() is None else moment.astimezone(zone(options.time_zone))
    return TimeInterval.from_dates(local.date(), local.date())


_COMPACT = re.compile(r"([12]\d{3})(0[1-9]|1[0-2])(?:(0[1-9]|[12]\d|3[01])(?:([01]\d|2[0-3])[0-5]\d[0-5]\d)?)?")
_EPOCHS = (  # the unit, what its numbers lie below, how many make a second
    ("seconds", 10**11, 1),
    ("milliseconds", 10**14, 10**3),
    ("microseconds", 10**17, 10**6),
    ("nanoseconds", 10**20, 10**9),
)


def _read_number(number: int | float, options: IntentOptions) -> tuple[str, TimeInterval]:
    if abs(number) >= 10**20:  # infinity too
        raise ValueError("too large")
    whole = floor(number)
    if whole == number and (-10_000 < whole < 0 or 100 <= whole < 10_000):
        return "year", TimeInterval.year(whole)
    if abs(number) < 10_000:
        raise ValueError("neither a year of three or four digits nor an epoch time")
    if whole == number and (match := _COMPACT.fullmatch(str(whole))):
        year, month, day = int(match[1]), int(match[2]), match[3]
        return "compact date", TimeInterval.day(year, month, int(day)) if day else TimeInterval.month(year, month)
    name, per_second = next((name, per_second) for name, limit, per_second in _EPOCHS if abs(number) < limit)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=whole // per_second)
    return f"epoch {name}", _local_day(moment, options)


_NUMERIC_DATE = re.compile(
    r"(?:(?P<year>\d{4})(?P<a>[/.-])(?P<month>\d\d?)(?P=a)(?P<day>\d\d?)"
    r"|(?P<first>\d\d?)(?P<b>[/.-])(?P<second>\d\d?)(?P=b)(?P<last_year>\d{4}))(?P<rest>[T ].*?)??(?:\s*[AaPp][Mm])?"
)
_MONTH_YEAR = re.compile(r"(0?[1-9]|1[0-2])[/.-](\d{4})")
_ZONE_NAME = re.compile(r"\[[\w/+-]+\]$")


def _iso_order(value: str, options: IntentOptions) -> str:
    """The text with a leading numeric date, such as 3/15/2023, 2019.3.5 or 03/2019, as YYYY-MM-DD or YYYY-MM."""
    text = _ZONE_NAME.sub("", value.strip())
    match = _NUMERIC_DATE.fullmatch(text) if len(text) <= 100 else None
    if match is None:
        month_year = _MONTH_YEAR.fullmatch(text)
        return f"{month_year[2]}-{int(month_year[1]):02}" if month_year else text
    year, month, day = match["year"], match["month"], match["day"]
    if year is None:
        year, month, day = match["last_year"], match["first"], match["second"]
        if int(month) > 12 or (options.date_order == "dmy" and int(day) <= 12):
            month, day = day, month
    return f"{year}-{int(month):02}-{int(day):02}{match['rest'] or ''}"


def orders_of(value: object) -> tuple[str, ...]:
    """The settings of `date_order` under which a stored date in numbers is one; none where it is not of that form.

    Example:
        >>> orders_of("03/04/2019"), orders_of("25/12/2019"), orders_of("2019-03-04")
        (('mdy', 'dmy'), ('dmy',), ())
    """
    match = _NUMERIC_DATE.fullmatch(value.strip()) if isinstance(value, str) and len(value) <= 100 else None
    if match is None or match["first"] is None:
        return ()
    first, second = int(match["first"]), int(match["second"])
    orders = {"mdy": first <= 12 and second <= 31, "dmy": second <= 12 and first <= 31}
    return tuple(order for order, fits in orders.items() if fits) if first != second else ()


_NUMBER = re.compile(r"(?!-?\d{4}$)-?[0-9]{1,24}(?:\.[0-9]{1,24})?")
_UNKNOWN_PART = re.compile(r"([+-]?\d{4}(?:-(?!00)\d\d)?)(?:-00)+(?:[T ].*)?")  # 2019-00-00 in MySQL and Wikidata
_CLOCK = re.compile(r"(?P<day>[+-]?\d{4}[\dW-]*)[T ](?P<clock>\d\d.*)")
_PLAIN = re.compile(r"-?\d{4}(-(?:0\d|1[0-2])(-\d\d)?)?")  # months to 12: 2019-21 is spring in EDTF
_MAIL_DATE = re.compile(r"(?:[A-Za-z]{3,9},?\s+)?(?:\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{4}|[A-Za-z]{3}\s+\d{1,2})\s+\d\d:.*")


def _read_text(text: str, options: IntentOptions) -> tuple[str, TimeInterval]:
    if len(text) > 100:
        raise ValueError("too long")
    if _NUMBER.fullmatch(text):
        return _read_number(float(text) if "." in text else int(text), options)
    if match := _UNKNOWN_PART.fullmatch(text):
        text = match[1]
    if match := _CLOCK.fullmatch(text):
        if match["day"].startswith("-"):  # before year 1, where datetime does not reach
            return "datetime", TimeInterval.parse(match["day"])
        clock = match["clock"].upper().removesuffix(" UTC").removesuffix(" GMT").replace(" ", "")
        utc = "+00:00" if text.upper().endswith((" UTC", " GMT")) else ""
        return "datetime", _local_day(datetime.fromisoformat(f"{match['day'].lstrip('+')}T{clock}{utc}"), options)
    if _MAIL_DATE.fullmatch(text):
        from email.utils import parsedate_to_datetime  # brings sockets along: too slow to load before it is needed

        return "RFC 2822", _local_day(parsedate_to_datetime(text), options)
    if written := _read_written(text):
        return "written date", written
    interval = TimeInterval.parse(text)
    match = _PLAIN.fullmatch(text)
    return "EDTF" if match is None else "day" if match[2] else "month" if match[1] else "year", interval


_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[,.]?\s+)?"
_WRITTEN = [
    re.compile(_WEEKDAY + pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?[\s,.-]+(?P<month>[a-z]{3,9})[\s,.-]+(?P<year>\d{4})",
        r"(?P<month>[a-z]{3,9})[\s.]+(?P<day>\d{1,2})(?:st|nd|rd|th)?[\s,]+(?P<year>\d{4})",
        r"(?P<month>[a-z]{3,9})[\s,.-]+(?P<year>\d{4})(?P<day>)",
    )
]


def _read_written(text: str) -> TimeInterval | None:
    match = next((match for pattern in _WRITTEN if (match := pattern.fullmatch(text))), None)
    if match is None:
        return None
    name = match["month"].lower().replace("sept", "sep") if len(match["month"]) == 4 else match["month"].lower()
    month = next((number for number, full in enumerate(_MONTHS, 1) if full.startswith(name)), None)
    if month is None:
        return None
    year = int(match["year"])
    return TimeInterval.day(year, month, int(match["day"])) if match["day"] else TimeInterval.month(year, month)
