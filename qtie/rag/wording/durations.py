"""How long: durations that a sentence states, and those that follow from the days of an interval."""

import re
from collections.abc import Iterator

from qtie.errors import IntervalError
from qtie.interval import Granularity, TimeInterval, civil_date, shift_day
from qtie.rag.wording.sentences import Span

__all__ = ["how_long", "quantities"]

_COUNT = (
    r"\d[\d.,]*|(?<=for )an?|(?<=after )an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|\w+teen|twenty|thirty|forty|fifty|sixty"
)
_UNITS = r"(?:second|minute|hour|night|day|week|month|term|season|year|decade)s?"
_LENGTHS = r"(?:km|m|cm|mm|miles?|feet|foot|ft|yards?|inch(?:es)?|pages?|(?:kilo|centi|milli)?met(?:re|er)s?)"
_QUANTITY = re.compile(rf"\b(?:{_COUNT})(?: and a half)?[ -](?:{_UNITS}|{_LENGTHS})\b", re.IGNORECASE)


def quantities(text: str) -> Iterator[Span]:
    """The durations and lengths that a text states.

    Example:
        >>> text = "After nine years the bridge of 320 metres was shut for 4 days."
        >>> [text[slice(*span)] for span in quantities(text)]
        ['nine years', '320 metres', '4 days']
    """
    return (Span(*match.span()) for match in _QUANTITY.finditer(text))


def how_long(first: TimeInterval, last: TimeInterval) -> str:
    """From the first date to the last, both included: exact between two days, else about.

    An end on the day of the year on which it began is that of handing over, and counts once.

    Raises:
        IntervalError: a date is open.

    Example:
        >>> pairs = [("2015-03-01", "2018-02-28"), ("2010-05-11", "2016-07-13"), ("1946", "1955")]
        >>> pairs += [("2019-05", "2019-08")]
        >>> [how_long(TimeInterval.parse(first), TimeInterval.parse(last)) for first, last in pairs]
        ['3 years', '6 years, 2 months, 3 days', 'about 9 years', 'about 3 months']
    """
    if first.start is None or last.start is None or first.end is None or last.end is None:
        raise IntervalError("the length of an open interval is not known")
    coarse = max(first.n_days or 0, last.n_days or 0)
    (year, month, _), (last_year, last_month, _) = civil_date(first.start), civil_date(last.start)
    n_months = 12 * (last_year - year) + last_month - month
    if coarse > Granularity.MONTH.days + 1:
        return f"about {_counted(last_year - year, 'year')}" if last_year > year else "less than a year"
    if coarse > 1:
        return f"about {_in_months(n_months)}" if n_months else "less than a month"
    return _exactly(first.start, last.start)


def _exactly(first: int, last: int) -> str:
    """The months and days from one day to another, both included."""
    is_handed_over = first < last and civil_date(first)[1:] == civil_date(last)[1:]
    stop = last if is_handed_over else last + 1
    n_months = next(
        n for n in range(int((stop - first) / 28) + 1, -1, -1) if shift_day(first, n, Granularity.MONTH) <= stop
    )
    n_days = stop - shift_day(first, n_months, Granularity.MONTH)
    return ", ".join(part for part in (n_months and _in_months(n_months), n_days and _counted(n_days, "day")) if part)


def _in_months(n_months: int) -> str:
    years, months = divmod(n_months, 12)
    return ", ".join(part for part in (years and _counted(years, "year"), months and _counted(months, "month")) if part)


def _counted(n: int, unit: str) -> str:
    return f"{n} {unit}" if n == 1 else f"{n} {unit}s"
