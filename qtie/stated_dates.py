"""Dates written out in a document's text, fast: plain forms by one pattern, the rest by the value reader.

A query is read word by word by the grammar; a corpus of a million documents is not. Here only what carries a year, a
century or an era is looked at, and a number counts as a year only where the words around it use it as one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from qtie.document_time import parse_time
from qtie.errors import IntervalError
from qtie.intent import IntentOptions
from qtie.interval import Granularity, TimeInterval
from qtie.tie.cascade import MASK, Context, Skeleton, run_stage
from qtie.tie.en.lexicon import MONTH_NAME
from qtie.tie.en.masks import MASKS
from qtie.tie.values import find_timexes

__all__ = ["CONNECTOR", "StatedDate", "stated_dates"]


@dataclass(frozen=True, slots=True)
class StatedDate:
    """A date or range of a text: its characters (first, and one after the last) and its days, both ends included."""

    start: int
    end: int
    interval: TimeInterval
    start_unit: Granularity
    end_unit: Granularity
    form: str
    """plain (a date in full), year, or vague (circa, part of a decade, century, season …)."""
    range: str = ""
    """What joins the two ends of a range: dash, to, and; empty for one date."""
    listed: bool = False
    """Joined to the date before it by "and", "or" or a comma."""


_DASH = "[-\u2010-\u2015\u2212]"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"[12]\d{3}"
_YEAR_END = r"(?!\w|[.,:]\d|[/-](?!present|now|date|today)[^\W\d])"
_MONTH = rf"{MONTH_NAME}\b\.?"
_PART = r"(?:(?:early|mid|late)(?:[ -]to[ -](?:mid|late))?[ -](?:in )?(?:the )?)"
_NTH = r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\w{3,6}teenth|twent\w+(?:-first)?)"
_ERA = r"(?:bce?|b\.c\.(?:e\.)?)"
_JOIN = rf" ?(?:{_DASH}|to|and|or|&|,) ?"

_FORMS = {
    "iso": rf"{_YEAR}(?P<sep>[-/.])(?:0?[1-9]|1[0-2])(?P=sep)(?:3[01]|[012]?\d)(?![\d-])",
    "numeric": rf"\d\d?(?P<sep2>[/.-])\d\d?(?P=sep2){_YEAR}(?!\d)|\d\d?/\d\d?/\d\d(?![\d/])",
    "dmy": rf"{_DAY}(?: of)?[ ,.-]{{0,3}}{_MONTH}[ ,.-]{{1,3}}{_YEAR}{_YEAR_END}",
    "mdy": rf"{_MONTH} {_DAY}(?: ?, ?| ){_YEAR}{_YEAR_END}",
    "my": rf"{_MONTH}[ ,-]{{1,2}}{_YEAR}{_YEAR_END}",
    "mslashy": rf"(?:0?[1-9]|1[0-2])/{_YEAR}(?![\d/])",
    "days": rf"(?:{_DAY}{_JOIN})+{_DAY}(?: of)? {_MONTH}[ ,]{{1,2}}{_YEAR}{_YEAR_END}"
    rf"|{_MONTH} {_DAY}(?:{_JOIN}{_DAY})+ ?,? {_YEAR}{_YEAR_END}"
    rf"|{_DAY} day of {_MONTH},? {_YEAR}{_YEAR_END}",
    "vague": rf"{_PART}?(?:(?:the )?(?:spring|summer|autumn|fall|winter)(?: of)?,?|{_MONTH}(?: of)?) {_YEAR}(?:[-\u2013/]\d\d)?{_YEAR_END}"
    rf"|{_PART}{_YEAR}{_YEAR_END}"
    rf"|(?:the )?(?:q[1-4]|h[12]|(?:first|second|third|fourth|last) (?:quarter|half))(?: of|,)? ?{_YEAR}{_YEAR_END}"
    rf"|(?:the )?(?:end|start|beginning|middle) of (?:{_MONTH} )?{_YEAR}{_YEAR_END}"
    rf"|(?:fy|fiscal(?: year)?) ?{_YEAR}{_YEAR_END}"
    rf"|{_PART}?(?:the )?[12]\d\d0'?s\b"
    rf"|{_PART}?(?:the )?{_NTH}[ -]century(?: {_ERA}\b)?"
    rf"|(?:\bc\.|\bca?\b\.?|circa|around|about|approximately|~) ?(?:{_YEAR}|\d{{3}}){_YEAR_END}(?! ?{_ERA}\b)"
    rf"|(?:(?:c\.|circa|around|about) ?)?\d{{1,4}} ?{_ERA}(?!\w)|(?:a\.d\.|ad) ?\d{{1,4}}\b|\d{{1,4}} (?:ce|a\.d\.|ad)(?!\w)",
    "iso_month": rf"{_YEAR}-(?:0[1-9]|1[0-2])(?![\d-])",
    "years": rf"{_YEAR}[-\u2013/]\d\d(?![\d/-])",
    "year": rf"{_YEAR}{_YEAR_END}",
    "yearless": rf"(?:{_DAY}(?: of)? {_MONTH}|{_MONTH} {_DAY}|{_MONTH})(?= ?(?:{_DASH}|to|and|or|&|,|through|until|till) ?(?:{_DAY} )?{MONTH_NAME})",
}
_PATTERN = re.compile(
    r"(?<!\w)(?<!\d[.,:/])(?<![$€£#¥])(?<![^\W\d][-_/.])(?=[\dabcdefhjlmnoqstw~])(?:"
    + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _FORMS.items())
    + ")"
)
_ANCHOR = re.compile(rf"\d{{3}}|century|\d ?{_ERA}\b|\d/\d\d?/\d\d|\b(?:ad|a\.d\.) ?\d|\d (?:ad|ce|a\.d\.)\b")
_TO = re.compile(rf"[ \u00a0]*(?:(?P<dash>{_DASH})|(?P<to>to|through|thru|until|till))[ \u00a0]*(?:the )?")
_AND = re.compile(r" ?(?:,|and|or|&|, and|, or) ?(?:in )?")
_OPEN = re.compile(
    rf"[ \u00a0]*(?:(?:{_DASH}|to|until|through|till)[ \u00a0]*(?:the )?(?:present|now|date|today|current|ongoing)\b(?: day)?"
    rf"|{_DASH} ?(?=\)))"
)
CONNECTOR = re.compile(r"(?:\b(?:from|between|the|of|on|in)[ \u00a0]+)+$")


class _Unit(NamedTuple):
    start: int
    end: int
    form: str
    values: "tuple[tuple[TimeInterval, Granularity], ...]"


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
    for unit, following in zip(units, [*units[1:], None], strict=True):
        group.append(unit)
        if following is None or not _joined(lowered[unit.end : following.start]):
            if group[-1].form != "yearless" and _is_time(lowered, group, n_title):
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
        begin = max(at, line, anchor.start() - 48)
        while begin > at and text[begin - 1].isalnum():
            begin -= 1
        while (match := _PATTERN.search(text, begin)) and match.start() <= anchor.start():
            form = match.lastgroup or ""
            begin = at = match.end()
            if form == "yearless":
                yield _Unit(*match.span(), form, ())
            elif values := _values(match[0], form, options):
                yield _Unit(*match.span(), form, values)
            if at > anchor.start():
                break


_PLAIN = ("iso", "numeric", "dmy", "mdy", "my", "mslashy", "iso_month", "year")


@lru_cache(maxsize=16_384)
def _values(words: str, form: str, options: IntentOptions) -> tuple[tuple[TimeInterval, Granularity], ...]:
    """The intervals of an expression, each with its unit; empty where the calendar has no such day."""
    if form in _PLAIN:
        try:
            time = parse_time(re.sub(r" ?, ?", ", ", words).rstrip("."), options=options)
        except IntervalError:
            time = None
        if time is not None and not time.lasting:
            return ((time.interval, time.interval.granularity),)
    found = find_timexes(words, options=options)
    return tuple((f.timex.interval, f.timex.granularity) for f in found if f.timex.interval is not None)


def _joined(gap: str) -> bool:
    return len(gap) <= 12 and bool(_TO.fullmatch(gap) or _AND.fullmatch(gap))


def _joined_dates(text: str, group: list[_Unit], options: IntentOptions) -> Iterator[StatedDate]:
    """The dates of expressions that "to", a dash, "and" or a comma join, one for each range or list item."""
    group = _with_years(text, group, options)
    between = text[: group[0].start].rstrip().endswith(("between", "between the"))
    at = 0
    while at < len(group):
        unit, listed = group[at], at > 0
        for interval, granularity in unit.values[:-1]:
            yield _date(unit, interval, granularity, listed=listed)
            listed = True
        (interval, granularity), end, joint = unit.values[-1], unit.end, ""
        end_unit = granularity
        if at + 1 < len(group):
            gap = text[unit.end : group[at + 1].start]
            match = _TO.fullmatch(gap)
            joint = "dash" if match and match["dash"] else "to" if match else "and" if between and "and" in gap else ""
        if joint:
            at += 1
            (last, end_unit), end = group[at].values[0], group[at].end
            interval = _from_to(interval, last)
        elif match := _OPEN.match(text, end):
            interval, end, joint = TimeInterval(interval.start, None), match.end(), "dash"
        date = _date(unit, interval, granularity, listed=listed)
        yield replace(date, end=end, end_unit=end_unit, range=joint or date.range)
        between = False
        at += 1


def _with_years(text: str, group: list[_Unit], options: IntentOptions) -> list[_Unit]:
    """The group, where what was said without a year ("28 February to 3 March 2005") has taken the year that follows."""
    if all(unit.form != "yearless" for unit in group):
        return group
    known = list(group)
    for at in reversed(range(len(group) - 1)):
        if group[at].form == "yearless":
            (following, _), *_ = known[at + 1].values
            words = text[group[at].start : group[at].end].rstrip(".")
            for year in (str(following)[:4], str(int(str(following)[:4]) - 1)):
                values = _values(f"{words} {year}", "dmy", options)
                if values and values[0][0].start <= following.start:  # type: ignore[operator]
                    break
            known[at] = group[at]._replace(values=values or known[at + 1].values)
    return known


def _from_to(first: TimeInterval, last: TimeInterval) -> TimeInterval:
    if first.start is not None and last.end is not None and first.start > last.end:
        return TimeInterval(last.start, first.end)
    return TimeInterval(first.start, last.end)


def _date(unit: _Unit, interval: TimeInterval, granularity: Granularity, *, listed: bool) -> StatedDate:
    form = "year" if unit.form == "year" else "vague" if unit.form == "vague" else "plain"
    is_range = unit.form in ("days", "years") and interval.granularity is not granularity
    return StatedDate(
        unit.start, unit.end, interval, granularity, granularity, form, "dash" if is_range else "", listed
    )


_NUMBER_LABEL = re.compile(
    r"(?:\b(?:nos?|nr|number(?:s|ed)?|item|items|articles?|art|line|lines|room|lot|lots|pages?|pp?|vol|volume|model|code|codes|version"
    r"|order|route|ref|section|extension|ext|size|sizes|plot|road|flat|unit|box|case|form|plant|building|page|error|track|channel"
    r"|bus|flight|rows?|plates?|figures?|fig|table|id|n|isbn|serial|patent)\b\.?|[=<>#×x*+])[ ]*(?:\.|:)? *$"
)
_BEFORE_YEAR = re.compile(
    r"(?:\b(?:in|since|until|till|from|during|by|before|after|between|circa|through|throughout|of|year|season|vintage|early|mid|late"
    r"|spring|summer|autumn|winter|founded|established|est|built|opened|closed|completed|created|released|published|launched|born|died"
    r"|b|d|copyright|copr|made|issued|dated|awarded|class of|estd|ed|edition|revised|harvest(?:ed)?|bottled|produced|season|to)\b\.?"
    r"|©|\(c\))[ ,:]*(?:the |the year |year )?$"
)
_AFTER_YEAR = re.compile(
    r" *(?:$|[.,;:!?)\]\n\"'—–|]|-|(?:and|or|to|he|she|it|they|we|i|the|an?|by|at|in|on|with|for|when|where|which|who|as|was|were|is"
    r"|his|her|their|its|this|that|until|but|after|before|from|of|onwards?|because|while|following|under|has|had|edition|season)\b)"
)
_LINE_START = re.compile(r"(?:^|\n)[ \t*•|>-]*$")
_LINE_END = re.compile(r"[ \t.*|,;)]*(?:\n|$)")


def _is_time(text: str, group: list[_Unit], n_title: int) -> bool:
    """Whether the words around an expression use its numbers as a time: a date in full is one, a bare year may be."""
    forms = {unit.form for unit in group}
    if not forms & {"year", "iso_month", "years"}:
        return True
    start, end = group[0].start, group[-1].end
    before, after = text[max(0, start - 40) : start], text[end : end + 40]
    if _NUMBER_LABEL.search(before):
        return False
    if forms - {"year", "iso_month", "years"}:
        return True
    if _OPEN.match(text, end):
        return True
    certain = _BEFORE_YEAR.search(before)
    if certain and _AFTER_YEAR.match(after):
        return True
    in_title = end <= n_title
    if not (certain or in_title or _stands_alone(text, start, end, n_units=len(group))):
        return False
    words = before[-28:].rpartition("\n")[2]
    skeleton = Skeleton(words + text[start:end] + after[:24].partition("\n")[0], Context(None, IntentOptions()))
    run_stage(skeleton, MASKS, once=True)
    origins = zip(skeleton.text, skeleton.origins, strict=True)
    return not any(first <= len(words) < last for char, (first, last) in origins if char == MASK)


def _stands_alone(text: str, start: int, end: int, *, n_units: int) -> bool:
    """In brackets, or set off at the start or end of a line: "(1998)", "2015: Gold medal", "Essay Prize, 2021"."""
    before, after = text[max(0, start - 60) : start], text[end : end + 12]
    if before.endswith("(") and after.startswith((")", ",", ";")):
        return True
    if _LINE_START.search(before):
        return bool(re.match(rf"[ \t]*(?:[:|,\n\t]|$|{_DASH}[ \t]|  )", after)) or n_units > 1
    set_off = before.rstrip(" ").endswith((",", ":", "|", "\t", "\u2013", "\u2014", "·")) or before.endswith("  ")
    return set_off and bool(_LINE_END.match(after) or (n_units > 1 and after[:1] in ".,;)"))
