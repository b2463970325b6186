"""How a query states its time: the kind of the expression, simple or complex, and the interval where it is plain.

The labels break results down. They are read by the words alone, by nothing that the extractors under test use to find a
time, so that a query which an extractor misreads does not change its group.

The criterion is ours, since published work tells the two subsets apart by examples ("in 2017" against "three years
prior to 2020") and states no rule:

- **simple**: exactly one explicit absolute expression, of one unit (a day, a month, a year) or of two bounds, under
  one plain word: in, on, during, before, after, since, from, until, by, as of, between … and, from … to;
- **complex**: everything else that bears on time: offsets ("three years before 1923"), parts and other derived units
  ("late 1990s", "end of 2005", "1920s"), "around", several constraints, order ("the last"), words that only a clock
  or world knowledge resolves ("ago", "current", "after the war").
"""

import re
from typing import NamedTuple

from qtie.document_time import parse_time
from qtie.errors import IntervalError
from qtie.interval import TimeInterval
from qtie.tie.operators import OPERATORS, between
from qtie.tie.timex import Timex

__all__ = ["StatedTime", "stated_time"]


class StatedTime(NamedTuple):
    """What the words of a query say of its time."""

    expression: str
    """in, before, after, since, until, by, as of, between, from-to; early, mid, late, part, decade, offset, around;
    several; ordinal, relative, implicit; none."""
    subset: str | None
    """"simple" or "complex"; None where the words bear on no time."""
    interval: TimeInterval | None
    """The days, both ends included, of a simple expression: "before 2019" is ../2018-12-31."""


_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_NUMERIC = r"\d{4}-\d\d?(?:-\d\d?)?|\d\d?[/-]\d\d?[/-]\d{4}"
_WRITTEN = rf"(?:(?:{_DAY}(?: of)? )?{_MONTH},? (?:{_DAY},? )?)?[12]\d{{3}}"
_DATE = rf"(?:{_NUMERIC}|{_WRITTEN})(?![\ds'’]|-\d)"
_SAID = r"(?:(?:the )?(?:year|years|date|period|month of) )?"
_FIRST, _LAST, _ONE = rf"{_SAID}(?P<first>{_DATE})", rf"{_SAID}(?P<last>{_DATE})", rf"{_SAID}(?P<one>{_DATE})"

_EXPRESSIONS = {
    "between": rf"\bbetween {_FIRST},? and {_LAST}",
    "from-to": rf"(?:\bfrom |\bin |\bof )?{_FIRST},? ?(?:to|until|till|through|–|-) ?{_LAST}",
    "offset": rf"\b(?:day|week|month|quarter|year|decade)s? (?:before|after|prior to|preceding|following|earlier than|"
    rf"later than|since|from|until) (?:the )?{_SAID}{_DATE}",
    "early": r"\bearly[ -](?:in )?(?:the )?(?:\w+ )?[12]\d{3}s?",
    "mid": r"\bmid(?:dle)?[ -](?:of )?(?:the )?(?:\w+ )?[12]\d{3}s?",
    "late": r"\blate[ -](?:in )?(?:the )?(?:\w+ )?[12]\d{3}s?",
    "part": rf"\b(?:start|beginning|end|close|half|quarter|third|week|spring|summer|autumn|fall|winter) of "
    rf"{_SAID}{_DATE}|\b(?:spring|summer|autumn|winter) [12]\d{{3}}\b",
    "decade": r"\b(?:[12]\d)?\d0['’]?s\b|\b\w+(?:st|nd|rd|th) century",
    "around": rf"\b(?:around|about|circa|approximately) {_ONE}",
    "as of": rf"\bas of {_ONE}",
    "before": rf"\b(?:before|prior to|earlier than) {_ONE}",
    "after": rf"\b(?:after |later than |post[- ]){_ONE}",
    "since": rf"\b(?:since|from|(?:start|beginn)ing (?:in|on|with)) {_ONE}",
    "until": rf"\b(?:until|till|up to) {_ONE}",
    "by": rf"\bby {_ONE}",
    "in": rf"\b(?:in|on|during|at|within|throughout) {_ONE}",
}
_PATTERNS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _EXPRESSIONS.items()}
_BARE = re.compile(rf"(?<![\w-]){_ONE}", re.IGNORECASE)
_CUES = {
    "relative": r"\b(?:ago|(?:last|this|next|previous|past) (?:day|week|month|year|decade|century|night)s?|now|today"
    r"|current(?:ly)?|nowadays|recently|yesterday)\b",
    "implicit": r"\b(?:before|after|prior to|following|(?<!^)when|while|during|since|until|by the time|at the time"
    r"|the same (?:day|month|year))\b",
    "ordinal": r"\b(?:first|last|latest|earliest|newest|oldest|most recent(?:ly)?)\b",
}


def stated_time(text: str) -> StatedTime:
    """The kind of a query's time expression, the subset that it falls into, and a simple one's interval.

    Example:
        >>> stated_time("Who led the ministry before Mar 1811?")
        StatedTime(expression='before', subset='simple', interval=TimeInterval(start=None, end=-58016))
        >>> [stated_time(text)[:2] for text in ("three years before 1923", "who won after the war", "capital of Peru")]
        [('offset', 'complex'), ('implicit', 'complex'), ('none', None)]
    """
    found = _found(text)
    if len(found) > 1:
        return StatedTime("several", "complex", None)
    if found:
        (kind, match), *_ = found
        interval = _interval(kind, match)
        return StatedTime(kind, "complex" if interval is None else "simple", interval)
    cue = next((kind for kind, pattern in _CUES.items() if re.search(pattern, text, re.IGNORECASE)), None)
    return StatedTime(cue or "none", cue and "complex", None)


def _found(text: str) -> list[tuple[str, re.Match[str]]]:
    """The expressions in a text, each character used once, by the first kind that fits; a bare date if no other."""
    found: list[tuple[str, re.Match[str]]] = []
    for kind, pattern in [*_PATTERNS.items(), ("in", _BARE)]:
        if pattern is _BARE and found:
            break
        for match in pattern.finditer(text):
            if all(match.end() <= other.start() or other.end() <= match.start() for _, other in found):
                found.append((kind, match))
    return found


def _interval(kind: str, match: re.Match[str]) -> TimeInterval | None:
    """The days of a plain expression; None for a derived one, and where a date is none (30 February)."""
    dates = {name: text for name, text in match.groupdict().items() if text}
    try:
        if "first" in dates:
            return between(_timex(dates["first"]), _timex(dates["last"])).interval
        return OPERATORS[kind](_timex(dates["one"])).interval if kind in OPERATORS and dates else None
    except IntervalError:
        return None


def _timex(date: str) -> Timex:
    time = parse_time(date)
    if time is None:
        raise IntervalError(f"not a date: {date!r}")
    return Timex(interval=time.interval, granularity=time.interval.granularity)
