"""A question taken apart: what it asks for, its main clause, and the event that it refers to in the place of a date.

"After the Danish ministry, who first visited Iraq?" asks for the entity ("who") that is first in time ("first") among
those of the clause "who visited Iraq", after the event "the Danish ministry".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from qtie.interval import Granularity
from qtie.tkg.asking import UNITS, Kind, Order, Span, blanked, order_of, order_spans, read_asked, side_asked
from qtie.tkg.fact import Side

__all__ = ["EventReference", "TkgQuestion", "read_question"]

Direction = Literal["before", "after", "same"]

_DIRECTIONS: dict[Direction, str] = {
    "before": r"""(?:until|till|up\s+to)\s+(?:the\s+(?:day|month|year|moment)\s+|just\s+|right\s+)*before|before
        |prior\s+to|ahead\s+of|preceding|(?:earlier|sooner)\s+than|previous\s+to|in\s+the\s+run-up\s+to|leading\s+up\s+to
        |until|till|up\s+to""",
    "after": r"""after|following|subsequent\s+to|later\s+than|in\s+the\s+wake\s+of|in\s+the\s+aftermath\s+of|once
        |as\s+soon\s+as|since""",
    "same": r"""(?:(?:on|in|during|within)\s+)?(?:the|that|this)\s+(?:very\s+)?(?:exact\s+|exactly\s+)?same\s+
        (?:calendar\s+)?(?P<same_unit>day|date|month|year)
        (?:\s+(?:as|that|when|in\s+which|on\s+which|of|with))?(?:\s+(?:that|when))?
        |(?:on|in|during)\s+the\s+(?:very\s+)?(?P<unit>day|date|month|year)
        \s+(?:that|when|of|in\s+which|on\s+which|(?=X))(?!\s*\d)
        |at\s+the\s+(?:same\s+)?time\s+(?:of|as|when|that)|when|while|during""",
}
_OPENING = re.compile(
    r"""(?ix)(?<![\w'’-])(?:(?:right|just|immediately|directly|shortly|soon|straight|sometime|any\s?time|only|not\s+long
    |long)\s+)?(?:"""
    + "|".join(rf"(?P<{name}>{words})" for name, words in _DIRECTIONS.items())
    + r")(?![\w-])"
)
_ASKING_WHEN = re.compile(r"(?i)\s+(?:exactly\s+)?(?:did|was|were|is|has|had|does|do|will|would)\b")
_QUESTION_WORD = r"(?:who|whom|whose|which|what|when|did|name|list|tell|give)"
_FRONT_END = re.compile(
    rf"(?i),\s*(?=(?:[a-z]+\s+){{0,5}}{_QUESTION_WORD}\b)|\s+(?=(?:(?:by|to|with|from|about|against|on|in)\s+)?(?:who|whom|whose|which|what)\b\s)"
)
_BACK_END = re.compile(
    r"(?i),\s|[?!;]|\s+(?=(?:who|whom|which|when)\b)|\s+among\s+(?:all\s+)?(?:those|the\s+ones)(?=\s+(?:that|who|whom)\b)"
)
_INVERTED = re.compile(r"(?i),\s|\s+(?=(?:did|was|were|had|has|does|when|that|which)\b)")
_THAT = re.compile(
    r"""(?ix)\b(?:(?P<before>(?:before|prior\s+to|until|preceding)\s+(?:that|this|then|it)|beforehand|earlier)
    | (?P<after>(?:after|following|since)\s+(?:that|this|then|it)|afterwards?|later|thereafter|subsequently)
    | (?P<same>(?:on|in|during)\s+(?:that|the)\s+(?:very\s+|same\s+)*(?P<unit>day|date|month|year)|then
      |at\s+that\s+time))
    (?=\s*[?.!,]|\s*$|\s+[a-z])"""
)
_NAMED_UNIT = re.compile(
    r"(?i)^\s*(?:it was\s+)?(?:the|in the|on the)\s+(?P<unit>day|date|month|year)\s+"
    r"(?:that\s+saw|of|when|that|in which|on which)\s"
)
_OTHERS = re.compile(r"(?i)^\s*(?:apart from|besides|other than|aside from|in addition to)\s+(?=X)")
_COMPARED = re.compile(
    r"(?i),?\s*(?:but\s+)?(?:at\s+an?\s+|on\s+an?\s+|in\s+an?\s+)?(?P<way>earlier|later)\s+(?:date|day|month|year|time)s?|\b(?P<bare>earlier|later)\b(?!\s+than)"
)
_SHARES = re.compile(r"(?i)\bshare[sd]?\s+with\s+(?=(?:the\s+|an?\s+)?X)")
_SUCCESSION = re.compile(
    r"""(?ix)\b(?:(?P<after>succeeded|replaced|followed|took\s+over\s+from)\s+(?:the\s+)?(?P<predecessor>X+)
    | preceded\s+(?:the\s+)?(?P<a>X+)
    | (?:succeeded|replaced|followed)\s+by\s+(?:the\s+)?(?P<b>X+)
    | did\s+(?:the\s+)?(?P<c>X+)\s+(?:succeed|replace|follow|take\s+over\s+from)) (?=\s+as\b)"""
)
_SHARED_UNIT = re.compile(
    r"(?i)\s+the\s+(?:same\s+)?(?P<unit>day|date|month|year)\s+(?:in|on)\s+which\s+(?:they|it|he|she)\b"
)
_JOIN = re.compile(r"(?i),?\s+(?:and|as well as|along with|together with|alongside)\s+(?:also\s+)?(?:did\s+)?")
_HAPPENING = re.compile(
    r"(?i)\s+(?:both\s+)?(?:happen(?:ed)?|occur(?:red)?|t(?:ake|ook)\s+place|coincided?|fall|fell|come\s+about|c[ao]me|go\s+on)"
    r"(?:\s+together|\s+in\s*)?\s*$"
)


@dataclass(frozen=True, slots=True)
class EventReference:
    """The words that name an event in the place of a date, and how the asked time stands to it."""

    direction: Direction
    """before or after it, or the same unit of the calendar."""
    unit: Granularity | None
    """Of "same"; None: the days of the event."""
    span: Span
    """The words of the event: first character, and one after the last."""
    whole: Span
    """The same with the words that say how the time stands to it."""
    order: Order | None = None
    """Which of several such events is meant, where the words say it."""
    is_joint: bool = False
    """Whether the unit is asked for that this event and that of the main clause share; each may be of several dates."""
    further: tuple[Span, ...] = ()
    """More words that say how the time stands to it."""
    nearest: Order | None = None
    """Which of those before or after it is asked for, where the words for it say so: "succeeded"."""


@dataclass(frozen=True, slots=True)
class TkgQuestion:
    """A question, taken apart."""

    text: str
    asks: Kind
    unit: Granularity | None
    """Of the date asked for; None: as exact as the facts know it."""
    order: Order | None
    asked: Span | None
    """The words that stand for what is asked."""
    event: EventReference | None
    side: Side | None
    """Whether the main clause says that something started or ended; None: that it was so."""
    removed: tuple[Span, ...]
    """What does not belong to the main clause: the event, dates, and words of order."""


def read_question(
    text: str,
    *,
    named: Sequence[Span] = (),
    dates: Sequence[Span] = (),
    with_event: bool = True,
    is_of_graph: bool = True,
) -> TkgQuestion:
    """Take a question apart.

    Args:
        text: the question.
        named: characters that name entities: words within them say nothing else.
        dates: characters that state dates.
        with_event: whether it may refer to an event.
        is_of_graph: whether its main clause names an entity too; False: it may be asked of something else.

    Example:
        >>> question = read_question("After the Danish ministry, who first visited Iraq?", named=[(10, 25), (45, 49)])
        >>> question.asks, question.order, question.text[slice(*question.event.span)]
        ('entity', 'first', 'the Danish ministry')
    """
    hidden = text
    for start, end in named:
        hidden = hidden[:start] + "X" * (end - start) + hidden[end:]
    references = list(_references(hidden, named, dates)) if with_event else []
    event = next((each for each in references if not is_of_graph or _leaves_a_name(each, named)), None)
    asked = read_asked(blanked(hidden, [event.whole] if event else []))
    if asked.kind == "date" and event is None and with_event:
        event = _second_event(hidden, named)
    removed = [*dates, *([event.whole, *event.further] if event else [])]
    order = order_of(blanked(hidden, removed)) or (
        order_of(_lead(hidden, event, dates)) if not event or event.order is None else None
    )
    order = order or (event.nearest if event else None)
    removed += order_spans(blanked(hidden, removed))
    if asked.span and asked.kind in ("date", "times", "other"):
        removed.append(asked.span)
    return TkgQuestion(
        text=text,
        asks=asked.kind,
        unit=asked.unit,
        order=order,
        asked=asked.span,
        event=event,
        side=side_asked(blanked(hidden, removed)),
        removed=tuple(sorted(removed)),
    )


def _lead(hidden: str, event: EventReference | None, dates: Sequence[Span]) -> str:
    """The words that lead to the event and the dates, which may say "right before"."""
    spans = [*dates, *([(event.whole[0], event.span[0])] if event else [])]
    return " ".join(hidden[max(0, start - 12) : end] for start, end in spans)


def _leaves_a_name(event: EventReference, named: Sequence[Span]) -> bool:
    return any(not (event.whole[0] <= span[0] and span[1] <= event.whole[1]) for span in named)


def _references(hidden: str, named: Sequence[Span], dates: Sequence[Span]) -> Iterator[EventReference]:
    """What may be the event, the surest reading first."""
    readings = (_first_sentence(hidden, named), _compared(hidden, named), _shared(hidden, named))
    yield from filter(None, (*readings, _succession(hidden)))
    asked = read_asked(hidden)
    for opening in _OPENING.finditer(hidden):
        if asked.span and asked.span[0] <= opening.start() < asked.span[1]:
            continue
        if opening[0].lower() == "when" and _ASKING_WHEN.match(hidden, opening.end()):
            continue
        reference = _clause_after(hidden, opening, named, dates)
        if reference is not None:
            yield reference


def _clause_after(
    hidden: str, opening: re.Match[str], named: Sequence[Span], dates: Sequence[Span]
) -> EventReference | None:
    """The clause after a direction, if it names an entity and the direction does not belong to a date."""
    start, end = opening.end(), _end(hidden, opening)
    is_date = any(span[0] <= opening.start() and opening.end() <= span[1] + 1 for span in dates)
    if is_date or not any(start <= span[0] and span[1] <= end for span in named):
        return None
    name = opening["same_unit"] or opening["unit"]
    span = _trimmed(hidden, start, end)
    return EventReference(
        direction=next(each for each in _DIRECTIONS if opening[each]),
        unit=UNITS[name.lower()] if name else None,
        span=span,
        whole=(_with_came(hidden, opening.start()), end),
        order=order_of(blanked(hidden, dates)[slice(*span)]),
    )


def _end(hidden: str, opening: re.Match[str]) -> int:
    """Where the clause after an opening ends: at a comma or question word if it stands in front, else with the text."""
    is_front = not re.search(rf"(?i)\b{_QUESTION_WORD}\b", hidden[: opening.start()])
    asked = read_asked(hidden)
    if asked.kind == "date" and asked.span and 0 <= opening.start() - asked.span[1] <= 2:
        ends = _INVERTED
    else:
        ends = _FRONT_END if is_front else _BACK_END
    match = ends.search(hidden, opening.end())
    if match is None and is_front:
        match = re.compile(r",\s").search(hidden, opening.end())
    if match is None:
        return len(hidden)
    return match.end() if match[0].startswith(",") or "among" in match[0] else match.start()


def _with_came(hidden: str, start: int) -> int:
    """`start`, moved before the verb of "came after"."""
    verb = re.search(r"(?i)\b(?:came|comes|come)\s+$", hidden[:start])
    return verb.start() if verb else start


def _trimmed(hidden: str, start: int, end: int) -> Span:
    words = re.sub(r"(?i)\s+among\s+(?:all\s+)?(?:those|the\s+ones)$", "", hidden[start:end])
    return start + len(words) - len(words.lstrip(" ,:")), start + len(words.rstrip(" ,.;:?!"))


def _first_sentence(hidden: str, named: Sequence[Span]) -> EventReference | None:
    """An event told in a sentence of its own: "X praised Y. Who visited Z before that?"."""
    stop = re.search(r"[.:;]\s+(?=[A-Za-z])", hidden)
    that = _THAT.search(hidden, stop.end()) if stop else None
    if stop is None or that is None or not any(span[1] <= stop.start() for span in named):
        return None
    unit = _NAMED_UNIT.match(hidden)
    name = that["unit"] or (unit["unit"] if unit and that["same"] else None)
    start = unit.end() if unit else 0
    return EventReference(
        direction="before" if that["before"] else "after" if that["after"] else "same",
        unit=UNITS[name.lower()] if name else None,
        span=_trimmed(hidden, start, stop.start()),
        whole=(0, stop.end()),
        order=order_of(hidden[start : stop.start()]),
        further=(that.span(),),
    )


def _compared(hidden: str, named: Sequence[Span]) -> EventReference | None:
    """One who did the same earlier or later: "apart from X, who else visited Y at an earlier date"."""
    others = _OTHERS.match(hidden)
    way = _COMPARED.search(hidden, others.end()) if others else None
    if others is None or way is None:
        return None
    first = next((span for span in named if span[0] >= others.end()), None)
    if first is None:
        return None
    end = re.compile(r"\s*,?\s*").match(hidden, first[1])
    direction: Direction = "before" if (way["way"] or way["bare"]).lower() == "earlier" else "after"
    return EventReference(direction, None, first, (0, end.end() if end else first[1]), further=(way.span(),))


def _shared(hidden: str, named: Sequence[Span]) -> EventReference | None:
    """One who did the same in the same unit: "who shares with X the year in which they visited Y"."""
    shares = _SHARES.search(hidden)
    first = next((span for span in named if shares and span[0] >= shares.end()), None)
    unit = _SHARED_UNIT.match(hidden, first[1]) if first else None
    if shares is None or first is None or unit is None:
        return None
    return EventReference("same", UNITS[unit["unit"].lower()], first, (shares.start(), unit.end()))


def _succession(hidden: str) -> EventReference | None:
    """One who did the same right before or after: "who succeeded X as mayor of Y"."""
    found = _SUCCESSION.search(hidden)
    if found is None:
        return None
    name = next(name for name in ("predecessor", "a", "b", "c") if found[name])
    if found["after"]:
        return EventReference("after", None, found.span(name), found.span(), nearest="first")
    return EventReference("before", None, found.span(name), found.span(), nearest="last")


def _second_event(hidden: str, named: Sequence[Span]) -> EventReference | None:
    """The second of two events whose common day, month or year is asked for: "both X's visit to Y and Z's arrest"."""
    joins = []
    for join in _JOIN.finditer(hidden):
        n_before = sum(span[1] <= join.start() for span in named)
        if 0 < n_before < len(named) and len(named) >= 3:
            joins.append((abs(2 * n_before - len(named)), join.start(), join.end()))
    if not joins:
        return None
    _, start, end = min(joins)
    stop = read_asked(hidden).span
    until = stop[0] if stop and stop[0] > end else len(hidden)
    words = _HAPPENING.sub("", hidden[end:until].rstrip(" ?.!"))
    return EventReference("same", None, (end, end + len(words.rstrip(" ,"))), (start, until), is_joint=True)
