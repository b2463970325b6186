"""Days put into a question in the place of an event, so that any extractor reads what the event's direction word asks.

"before the war" asks for what lies before its first day, "after the war" for what follows its last: the word in front
of an event decides which of its days is written. Bounds follow the operators of `qtie.tie.operators`, but for one:
"between" two events means the days from the end of the first to the start of the second.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from qtie.interval import Granularity, TimeInterval, civil_date, unit_of

__all__ = [
    "Edit",
    "direction_before",
    "direction_words",
    "edited",
    "edits_of",
    "in_words",
    "is_coordinated",
    "original_span",
]

Span = tuple[int, int]
Side = Literal["whole", "start", "end"]


class Edit(NamedTuple):
    """Characters of the question, from `start` to before `end`, and the text that takes their place."""

    start: int
    end: int
    text: str
    interval: TimeInterval | None = None
    """All the days that these words ask for; None where the event only bounds them."""
    is_topic: bool = False
    """Whether the words are also what the question is about, and so stay in its semantic query."""


class _Direction(NamedTuple):
    start: int
    """Where its words begin in the question."""
    operator: str
    side: Side
    written: str
    """What is written before the day; nothing where the days bring their own preposition."""


_SIDES: dict[str, tuple[Side, str]] = {
    "before": (
        "start",
        r"before|prior to|ahead of|leading up to|in the run[- ]?up to|on the eve of|earlier than|preceding|pre",
    ),
    "after": ("end", r"after|following|in the wake of|in the aftermath of|subsequent to|later than|post"),
    "since": ("start", r"(?:ever )?since|during and after"),
    "by": ("end", r"by(?: the time(?: of| when| that)?)?"),
    "until": ("end", r"until|till|up (?:to|until)|before and during"),
    "as of": ("end", r"as of|as at"),
    "in": (
        "whole",
        r"(?:(?:at|in|around|of|from|during) )?the (?:times?|days|years|period|era|moment|course) (?:of|when|that)"
        r"|during|throughout|amids?t?|(?:in|over) the course of|while|whilst|when|under|in|at|on|of|from|between",
    ),
}
_ARTICLE = r"(?:(?<=pre)-|(?<=post)-|(?<!pre)(?<!post)\s+(?:the\s+|an?\s+)?)$"
_DIRECTED = re.compile(
    r"(?i)(?<![\w-])(?:" + "|".join(rf"(?P<{name.replace(' ', '_')}>{words})" for name, (_, words) in _SIDES.items())
    + ")" + _ARTICLE
)  # fmt: skip
_OPENING = re.compile(rf"(?i)(?<![\w-])(?P<opening>between|from){_ARTICLE}")
_JOIN = r"(?P<join>and|to|until|till|through|up to)"
_JOINED = re.compile(rf"(?i)\s+{_JOIN}\s+(?=\S)")
_SECOND = re.compile(rf"(?i)(?<![\w-])(?P<opening>between|from)\s[^,?;]{{1,80}}\s{_JOIN}(?={_ARTICLE})")
_ONWARDS = re.compile(r"(?i)\s+(?:on(?:wards?)?|forwards?)(?![\w-])(?!\s+(?:the|an?|\d))")
_UNIT_OF = re.compile(
    r"(?i)(?<![\w-])(?:(?P<in>in|during|on)\s+)?(?:the\s+)?(?:same\s+)?(?P<unit>day|week|month|year|decade|century)"
    rf"\s+(?:of|when|that|in which|as){_ARTICLE}"
)
_WITHIN = re.compile(
    r"(?i)(?<![\w-])within\s+(?:\w+\s+){0,3}(?:days?|weeks?|months?|years?|decades?)\s+of(?P<at>\s+(?:the\s+|an?\s+)?)$"
)
_COORDINATION = re.compile(r"(?i)(?:\s*,)?(?:\s*(?:and|or|&))?(?P<at>\s+(?:the\s+|an?\s+)?)")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def direction_before(question: str, start: int) -> str | None:
    """How the asked time stands to the event whose words begin at `start`.

    Returns:
        before, after, since, by, until, as of or in; None where no word says that the event stands for a time.

    Example:
        >>> direction_before("prices prior to the war", 20), direction_before("a poem about the war", 17)
        ('before', None)
    """
    before = question[:start]
    if _UNIT_OF.search(before) or _WITHIN.search(before):
        return "in"
    direction = _direction(before)
    return direction and direction.operator


def direction_words(question: str, start: int) -> str:
    """The words that `direction_before` reads, in lower case; empty where there are none, and in "the year of".

    Example:
        >>> direction_words("prices Prior to the war", 20)
        'prior to'
    """
    before = question[:start]
    match = None if _UNIT_OF.search(before) or _WITHIN.search(before) else _DIRECTED.search(before)
    return match[match.lastgroup or 0].lower() if match else ""


def edits_of(question: str, events: Sequence[tuple[Span, TimeInterval]]) -> tuple[tuple[Edit, ...], dict[Span, str]]:
    """What to replace in the question, and why some events are left out, by their span.

    Args:
        events: the characters of each event's words, in order, and its days.
    """
    edits: list[Edit] = []
    refused: dict[Span, str] = {}
    at = 0
    while at < len(events):
        pair = _pair_edit(question, events[at : at + 2])
        edit = pair or _coordinated(question, edits, *events[at]) or _edit(question, *events[at])
        if edit is None:
            refused[events[at][0]] = "it has no day that could be counted from"
        elif edits and edit.start < edits[-1].end:
            refused[events[at][0]] = "its words belong to another event"
        else:
            edits.append(edit)
        at += 2 if pair else 1
    return tuple(edits), refused


def edited(question: str, edits: Sequence[Edit]) -> str:
    """The question after the edits, which are disjoint and in order."""
    text, at = "", 0
    for edit in edits:
        text += question[at : edit.start] + edit.text
        at = edit.end
    return text + question[at:]


def original_span(span: Span, edits: Sequence[Edit]) -> Span:
    """The characters of the question that a span of the edited question came from; an edit counts as one piece.

    Example:
        >>> edits = [Edit(4, 25, "in 1969")]  # "won in the year of Apollo 11 by", "won in 1969 by"
        >>> original_span((4, 11), edits), original_span((12, 14), edits)
        ((4, 25), (26, 28))
    """
    return _original(span[0], edits, is_end=False), _original(span[1], edits, is_end=True)


def _original(position: int, edits: Sequence[Edit], *, is_end: bool) -> int:
    moved = 0
    for edit in edits:
        first = edit.start + moved
        last = first + len(edit.text)
        if position < first or (is_end and position == first):
            break
        if position < last or (is_end and position == last):
            return edit.end if is_end else edit.start
        moved += len(edit.text) - (edit.end - edit.start)
    return position - moved


def in_words(interval: TimeInterval, side: Side = "whole") -> str | None:
    """An interval as English that extractors read, or its first or last unit; None where that side is open.

    Example:
        >>> in_words(TimeInterval.parse("2018-02-09/2018-02-25"))
        'from 9 February 2018 to 25 February 2018'
        >>> in_words(TimeInterval.year(-43)), in_words(TimeInterval.years(1914, 1918), "end")
        ('in 44 BC', '1918')
    """
    first, last = interval.start, interval.end
    if side != "whole":
        day = first if side == "start" else last
        return None if day is None else _edge_words(interval, day)
    if first is None or last is None:
        day = last if first is None else first
        return None if day is None else f"{'until' if first is None else 'since'} {_edge_words(interval, day)}"
    start, end = (_edge_words(interval, day) for day in (first, last))
    if start == end:
        return f"{'on' if first == last else 'in'} {start}"
    return f"from {start} to {end}"


def _edge_words(interval: TimeInterval, day: int) -> str:
    """The year, month or day at an edge: the largest unit that the interval is made of."""
    year, month, day_of_month = civil_date(day)
    era = f"{1 - year} BC" if year < 1 else f"AD {year}" if year < 1000 else str(year)
    if _made_of(interval, Granularity.YEAR):
        return era
    in_month = f"{_MONTHS[month - 1]} {era}"
    return in_month if _made_of(interval, Granularity.MONTH) else f"{day_of_month} {in_month}"


def _made_of(interval: TimeInterval, unit: Granularity) -> bool:
    if interval.start is None or interval.end is None:
        return False
    return unit_of(interval.start, unit).start == interval.start and unit_of(interval.end, unit).end == interval.end


def _direction(before: str) -> _Direction | None:
    """The direction that the text before an event ends with."""
    if second := _SECOND.search(before):
        side: Side = "start" if second["opening"].lower() == "between" else "end"
        return _Direction(second.start("join"), "in", side, second["join"])
    match = _DIRECTED.search(before)
    if match is None:
        return None
    operator = str(match.lastgroup).replace("_", " ")
    side = _SIDES[operator][0]
    return _Direction(match.start(), operator, side, "" if side == "whole" else operator)


def _edit(question: str, span: Span, interval: TimeInterval) -> Edit | None:
    start, end = span
    before, after = question[:start], question[end:]
    if within := _WITHIN.search(before):
        words = in_words(interval, "start")
        return Edit(within.start("at") + 1, end, words) if words and words == in_words(interval, "end") else None
    if unit := _UNIT_OF.search(before):
        return _unit_edit(question, unit, end, interval)
    direction = _direction(before)
    if direction is None:
        return _topical_edit(question, span, interval)
    opening = _OPENING.search(before)
    if opening and opening["opening"].lower() == "from" and (onwards := _ONWARDS.match(after)):
        direction, end = direction._replace(side="start", written="since"), end + onwards.end()
    elif opening and _JOINED.match(after):
        side: Side = "end" if opening["opening"].lower() == "between" else "start"
        direction = direction._replace(side=side, written=opening["opening"])
    return _written(direction, end, interval)


def is_coordinated(question: str, other: int, start: int) -> bool:
    """Whether an event that starts there is joined by "and", "or" or a comma to one that ended at `other`."""
    return bool(_COORDINATION.fullmatch(question, other, start)) and question[other:start].strip(" ") != ""


def _coordinated(question: str, edits: Sequence[Edit], span: Span, interval: TimeInterval) -> Edit | None:
    """The second of "during X and Y"."""
    if not edits or edits[-1].interval is None or not is_coordinated(question, edits[-1].end, span[0]):
        return None
    joined = _COORDINATION.fullmatch(question, edits[-1].end, span[0])
    words = in_words(interval)
    return Edit(joined.start("at") + 1, span[1], words, interval) if words and joined else None


def _written(direction: _Direction, end: int, interval: TimeInterval) -> Edit | None:
    """The direction and the days in the place of direction and event; None where the days are not known."""
    words = in_words(interval, direction.side)
    if words is None and direction.operator == "after":  # it still goes on: after it began
        words = in_words(interval, "start")
    if words is None:
        return None
    asked = interval if direction.side == "whole" else None
    return Edit(direction.start, end, f"{direction.written} {words}".lstrip(), asked)


def _unit_edit(question: str, unit: re.Match[str], end: int, interval: TimeInterval) -> Edit | None:
    """ "the year of the moon landing": the calendar units that the event touches."""
    if interval.start is None or interval.end is None:
        return None
    granularity = Granularity.parse(unit["unit"])
    whole = unit_of(interval.start, granularity).hull(unit_of(interval.end, granularity))
    inner = None if unit["in"] else _direction(question[: unit.start()].rstrip() + " ")
    return _written(inner or _Direction(unit.start(), "in", "whole", ""), end, whole)


def _topical_edit(question: str, span: Span, interval: TimeInterval) -> Edit | None:
    """An event without a direction word keeps its words, but for a year among them, and has its days beside it."""
    words = in_words(interval)
    kept = " ".join(re.sub(r"(?<!\d)[12]\d{3}(?!\d)", " ", question[slice(*span)]).split())
    return Edit(*span, f"{kept} {words}", interval, is_topic=True) if words else None


def _pair_edit(question: str, events: Sequence[tuple[Span, TimeInterval]]) -> Edit | None:
    """ "between X and Y" of two events that are out of order or overlap; others are worded one by one."""
    if len(events) < 2:
        return None
    ((start, end), first), ((other_start, other_end), last) = events
    opening = _OPENING.search(question[:start])
    joined = re.fullmatch(rf"(?i)\s+{_JOIN}\s+(?:the\s+|an?\s+)?", question[end:other_start])
    if opening is None or joined is None or opening["opening"].lower() == "from":
        return None
    if None in (first.start, first.end, last.start, last.end) or (first.end or 0) <= (last.start or 0):
        return None
    apart = (last.end or 0) <= (first.start or 0)
    bounds = TimeInterval(last.end, first.start) if apart else first.hull(last)
    return Edit(opening.start(), other_end, in_words(bounds) or "")
