"""Dates written out in a document's text, fast: plain forms by one pattern, the rest by the value reader.

A query is read word by word by the grammar; a corpus of a million documents is not. Here only what carries a year, a
century or an era is looked at.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from qtie.bare_years import follows_label, used_as_year
from qtie.document_time import parse_time
from qtie.errors import IntervalError
from qtie.intent import IntentOptions
from qtie.interval import TimeInterval, civil_date, day_number
from qtie.tie.en.lexicon import MONTH_NAME, MONTHS
from qtie.tie.values import find_timexes

__all__ = ["StatedDate", "stated_dates"]


@dataclass(frozen=True, slots=True)
class StatedDate:
    """A date or range of a text: its characters (first, and one after the last) and its days, both ends included."""

    start: int
    end: int
    first: TimeInterval
    """The date, or the date that a range starts with."""
    last: TimeInterval | None
    """The date that a range ends with, None where it is open ("– present"); of one date the date itself."""
    form: str
    """How it is written, such as dmy, iso, year, or vague (circa, part of a decade, century, season …)."""
    range: str = ""
    """What joins the two ends of a range: dash, to, and; empty for one date."""
    listed: bool = False
    """Joined to the date before it by "and", "or" or a comma."""

    @property
    def interval(self) -> TimeInterval:
        """All its days."""
        return TimeInterval(self.first.start, None if self.last is None else self.last.end)


_DASH = "(?:--|[-\u2010-\u2015\u2212])"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"[12]\d{3}"
_YEAR_END = r"(?!\w|[.,:]\d|[/-](?!present|now|date|today)[^\W\d])"
_MONTH = rf"{MONTH_NAME}\b\.?"
_PART = r"(?:(?:early|mid|late)(?:[ -]to[ -](?:mid|late))?[ -](?:in )?(?:the )?)"
_NTH = (
    r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\w{3,6}teenth"
    r"|twent\w+(?:-first)?)"
)
_ERA = r"(?:bce?|b\.c\.(?:e\.)?)"
_JOIN_DAYS = rf" ?(?:{_DASH}|to|and|or|&|,) ?"
_JOINED_LATER = rf"(?= ?(?:{_DASH}|to|and|or|&|,|through|until|till) ?(?:{_DAY} )?{MONTH_NAME})"
_Y = _YEAR + _YEAR_END
_DIGIT_FORMS = {
    "iso": rf"{_YEAR}(?P<sep>[-/.])(?:0?[1-9]|1[0-2])(?P=sep)(?:3[01]|[012]?\d)(?![\d-])",
    "numeric": rf"\d\d?(?P<sep2> / |[/.-])\d\d?(?P=sep2){_YEAR}(?!\d)|\d\d?/\d\d?/\d\d(?![\d/])",
    "dmy": rf"{_DAY}(?: day)?(?: of)?[ ,.-]{{0,3}}{_MONTH}[ ,.-]{{1,3}}{_Y}",
    "mslashy": rf"(?:0?[1-9]|1[0-2])/{_YEAR}(?![\d/])",
    "days": rf"(?:{_DAY}{_JOIN_DAYS})+{_DAY}(?: of)? {_MONTH}[ ,]{{1,2}}{_Y}",
    "vague": rf"[12]\d\d0'?s\b|{_NTH}[ -]century(?: {_ERA}\b)?|(?:{_DAY} {_MONTH} )?\d{{1,4}} ?{_ERA}(?!\w)"
    r"|\d{1,4} (?:ce|a\.d\.|ad)(?!\w)",
    "vague_s": rf"{_YEAR}[-\u2013/](?:\d\d)?\d\d (?:season|(?:school|academic|tax|fiscal|financial) year)",
    "isomonth": rf"{_YEAR}-(?:0[1-9]|1[0-2])(?![\d-])",
    "years": rf"{_YEAR}[-\u2013/]\d\d(?![\d/-])",
    "year": _Y,
    "yearless": rf"{_DAY}(?: of)? {_MONTH}{_JOINED_LATER}",
}
_MONTH_FORMS = {
    "mdy": rf"{_MONTH} {_DAY}(?: ?, ?| ){_Y}",
    "my": rf"{_MONTH}[ ,-]{{1,2}}{_Y}",
    "days_m": rf"{_MONTH} {_DAY}(?:{_JOIN_DAYS}{_DAY})+ ?,? {_Y}",
    "vague_m": rf"{_MONTH} of {_Y}|{_MONTH} \d{{1,4}} ?{_ERA}(?!\w)",
    "yearless_m": rf"{_MONTH}(?: {_DAY})?{_JOINED_LATER}",
}
_WORD_FORMS = {
    "vague_w": rf"(?:{_PART}(?:the )?|the )?(?:"
    rf"(?:spring|summer|autumn|fall|winter)(?: of)?,? {_YEAR}(?:[-\u2013/]\d\d)?{_YEAR_END}"
    rf"|[12]\d\d0'?s\b|{_NTH}[ -]century(?: {_ERA}\b)?"
    rf"|(?:q[1-4]|h[12]|(?:first|second|third|fourth|last) (?:quarter|half))(?: of|,)? ?{_Y}"
    rf"|(?:end|start|beginning|middle) of (?:{_MONTH} )?{_Y})"
    rf"|{_PART}(?:{_MONTH} )?{_Y}|(?:fy|fiscal(?: year)?) ?{_Y}"
    rf"|(?:c\.|ca?\b\.?|circa|around|about|approximately|~) ?(?:{_YEAR}|\d{{3}}){_YEAR_END}(?! ?{_ERA}\b)"
    rf"|(?:c\.|circa|around|about) ?\d{{1,4}} ?{_ERA}(?!\w)|(?:a\.d\.|ad) ?\d{{1,4}}\b"
}
_WORD_START = (
    r"early|mid|late|the |spring|summer|autumn|fall|winter|[qh][1-4]|first|second|third|fourth|fifth|sixth|seventh"
    r"|eighth|ninth|tenth|\w{3,6}teenth|twent|last |[12]\d\d0|fy|fisc|ca?\b|circa|around|about|approx|~|a\.?d\b"
)


def _any_of(forms: dict[str, str]) -> str:
    return "(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in forms.items()) + ")"


_PATTERN = re.compile(
    r"(?<!\w)(?=[\dabcdefhjlmnoqstw~])(?<![\d)][.,:/])(?<![$€£#¥])(?<![^\W\d][-_/.])"
    rf"(?:(?=\d){_any_of(_DIGIT_FORMS)}|(?=[jfmasond][aepuco][nbrylgptvc]){_any_of(_MONTH_FORMS)}"
    rf"|(?={_WORD_START}){_any_of(_WORD_FORMS)})"
)
_ANCHOR = re.compile(  # every expression has one; opens with a set of characters, which `re` searches for fast
    r"[\dc](?:(?<=\d)(?:\d\d| ?(?:b\.?c|ad\b|ce\b|a\.d\.)|/\d\d?/\d\d|(?<=ad \d)|(?<=a\.d\. \d))|entury)"
)
_TO = re.compile(rf"[ \u00a0]*(?:(?P<dash>{_DASH})|(?P<to>to|through|thru|until|till))[ \u00a0]*(?:the )?")
_AND = re.compile(r" ?(?:,|and|or|&|, and|, or) ?(?:in )?")
_OPEN = re.compile(
    rf"[ \u00a0]*(?:(?:{_DASH}|to|until|through|till)[ \u00a0]*(?:the )?(?:present|now|date|today|current|ongoing)\b"
    rf"(?: day)?|onwards?\b|{_DASH} ?(?=\)))"
)


class _Unit(NamedTuple):
    start: int
    end: int
    form: str
    values: tuple[TimeInterval, ...]


def stated_dates(text: str, *, n_title: int = 0, options: IntentOptions | None = None) -> list[StatedDate]:
    """The dates and ranges that a text states in full, in order; a number that is no year is left out.

    Args:
        text: of any length; case does not matter.
        n_title: the first characters that are a title, where a year needs no preposition.
        options: how 3/4/2010 is read.

    Example:
        >>> dates = stated_dates("Held 28 February to 3 March 2005 in room 2004, then in 2007 and 2009.")
        >>> [str(date.interval) for date in dates]
        ['2005-02-28/2005-03-03', '2007-01-01/2007-12-31', '2009-01-01/2009-12-31']
    """
    options = options or IntentOptions()
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    units = list(_units(lowered, options))
    dates: list[StatedDate] = []
    group: list[_Unit] = []
    for at, unit in enumerate(units, start=1):
        group.append(unit)
        if at == len(units) or not _joined(lowered[unit.end : units[at].start]):
            if group[0].form == "year" and _NUMBER_DASH.search(lowered[: group[0].start][-3:]):
                del group[0]  # the end of a range whose start is no year: pages 987–1996
            if group and group[-1].form != "yearless" and _is_time(lowered, group, n_title):
                dates.extend(_joined_dates(lowered, group, options))
            group = []
    return dates


def _units(text: str, options: IntentOptions) -> Iterator[_Unit]:
    """Each expression with its values; searched for near what every one of them has, so that most text is skipped."""
    at = 0
    for anchor in _ANCHOR.finditer(text):
        if anchor.start() < at:
            continue
        line = text.rfind("\n", at, anchor.start()) + 1
        begin = earliest = max(at, line, anchor.start() - 40)
        while begin > max(at, earliest - 40) and text[begin - 1].isalnum():  # to the start of a word, however long
            begin -= 1
        while (match := _PATTERN.search(text, begin, anchor.start() + 80)) and match.start() <= anchor.start():
            form = (match.lastgroup or "").partition("_")[0]
            begin = at = match.end()
            if form == "yearless":
                yield _Unit(*match.span(), form, ())
            elif values := _values(match[0], form, options):
                yield _Unit(*match.span(), form, values)
            if at > anchor.start():
                break


_MONTH_WORD, _DIGITS = re.compile(MONTH_NAME), re.compile(r"\d+")
_BETWEEN_DAYS = re.compile(rf"\d(?:st|nd|rd|th)? ?(?:{_DASH}|to) ?\d")


@lru_cache(maxsize=16_384)
def _values(words: str, form: str, options: IntentOptions) -> tuple[TimeInterval, ...]:
    """The intervals of an expression; none where the calendar has no such day."""
    try:
        if form == "year":
            return (TimeInterval.year(int(words)),)
        if form in ("dmy", "mdy", "my", "days"):
            return _written(words)
        if form in ("iso", "numeric", "mslashy", "isomonth"):
            time = parse_time(words.replace(" ", ""), options=options)
            return () if time is None or time.lasting else (time.interval,)
        found = find_timexes(words, options=options)
    except IntervalError:
        return ()
    return tuple(f.timex.interval for f in found if f.timex.interval is not None)


def _written(words: str) -> tuple[TimeInterval, ...]:
    """A month's name and a year, with a day, several or the first and last of a range between or before them."""
    name = _MONTH_WORD.search(words)
    *days, year = map(int, _DIGITS.findall(words))
    month = MONTHS[name[0]] if name else 0
    if not days:
        return (TimeInterval.month(year, month),)
    if len(days) == 2 and _BETWEEN_DAYS.search(words):
        return (TimeInterval(day_number(year, month, days[0]), day_number(year, month, days[1])),)
    return tuple(TimeInterval.day(year, month, day) for day in days)


def _joined(gap: str) -> bool:
    return len(gap) <= 12 and bool(_TO.fullmatch(gap) or _AND.fullmatch(gap))


def _joined_dates(text: str, group: list[_Unit], options: IntentOptions) -> Iterator[StatedDate]:
    """The dates of expressions that "to", a dash, "and" or a comma join, one for each range or list item."""
    group = _with_years(text, group, options)
    between = text[max(0, group[0].start - 12) : group[0].start].rstrip().endswith("between")
    at = 0
    while at < len(group):
        unit, listed = group[at], at > 0
        for interval in unit.values[:-1]:
            yield StatedDate(unit.start, unit.end, interval, interval, unit.form, listed=listed)
            listed = True
        first, last, end, joint = unit.values[-1], unit.values[-1], unit.end, ""
        gap = text[end : group[at + 1].start] if at + 1 < len(group) else ""
        match = _TO.fullmatch(gap)
        if match or (between and "and" in gap):
            at += 1
            joint = "and" if match is None else "dash" if match["dash"] else "to"
            last, end = group[at].values[0], group[at].end
            if first.start is not None and last.end is not None and first.start > last.end:
                first, last = last, first
        elif match := _OPEN.match(text, end):
            yield StatedDate(unit.start, match.end(), first, None, unit.form, "dash", listed)
        if joint or not match:
            is_days = unit.form in ("days", "years") and len(unit.values) == 1
            yield StatedDate(unit.start, end, first, last, unit.form, joint or ("dash" if is_days else ""), listed)
        between = False
        at += 1


def _with_years(text: str, group: list[_Unit], options: IntentOptions) -> list[_Unit]:
    """The group, where what was said without a year ("28 February to 3 March 2005") has taken the year that follows."""
    if all(unit.form != "yearless" for unit in group):
        return group
    known = list(group)
    for at in reversed(range(len(group) - 1)):
        if group[at].form == "yearless":
            following, words = known[at + 1].values[0], text[group[at].start : group[at].end].rstrip(".")
            last_year = civil_date(following.start or 0)[0]
            in_years = [_values(f"{words} {year}", "dmy", options) for year in (last_year, last_year - 1)]
            fitting = [values for values in in_years if values and (values[0].start or 0) <= (following.start or 0)]
            known[at] = group[at]._replace(values=fitting[0] if fitting else (following,))
    return known


_NUMBER_DASH = re.compile(rf"(?<=\d){_DASH}$")
_BARE = frozenset(("year", "isomonth", "years"))


def _is_time(text: str, group: list[_Unit], n_title: int) -> bool:
    """Whether the words around an expression use its numbers as a time: a date in full is one, a bare year may be."""
    forms = {unit.form for unit in group}
    if forms.isdisjoint(_BARE):
        return True
    start, end = group[0].start, group[-1].end
    if follows_label(text, start):
        return False
    if not forms <= _BARE or _OPEN.match(text, end):
        return True
    in_title = end <= n_title and forms == {"year"}
    return used_as_year(text, start, end, in_title=in_title, n_units=len(group))
