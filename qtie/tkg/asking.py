"""What a question asks for: an entity, a date of some unit, a number, yes or no; and whether the first or the last."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from qtie.interval import Granularity
from qtie.tkg.fact import Side

__all__ = [
    "UNITS",
    "Asked",
    "Kind",
    "Order",
    "Span",
    "blanked",
    "order_of",
    "order_spans",
    "read_asked",
    "side_asked",
    "without_asked_date",
]

Kind = Literal["entity", "date", "count", "times", "yes_no", "other"]
"""An entity, a date, how many entities, how many times, whether it is so, or what facts do not hold ("how long")."""
Order = Literal["first", "last"]
Span = tuple[int, int]
UNITS = {"day": Granularity.DAY, "date": Granularity.DAY, "month": Granularity.MONTH, "year": Granularity.YEAR}
"""The units of the calendar that are asked for, by their word."""

_TELL = (
    r"(?:please\s+)?(?:can|could|would\s+you\s+)?(?:name|list|give|state|identify|find(?:\s+out)?|tell|say|show|provide|specify"
    r"|determine|do you know|what about)(?:\s+(?:me|us))?"
)
_VERB = (
    r"(?:did|was|is|were|does|do|has|had|have|to|that|who|would|will|by"
    r"|(?!aid\b)[a-z]+(?:ed|ew|ook|ade|id|et|old|ave|ame|ought)|(?:b|l|m|s|sp|w)ent|cut|hit|shot|won)\b"
)
_KIND = r"(?!(?:did|was|is|were|does|do|has|had|have)\b)[a-z]+"
_ENTITY = re.compile(
    rf"""(?ix)
    \b(?:who|whom|whose)\b
    | \b(?:which|what)(?:\s+{_KIND}){{0,3}}?
      (?=\s+{_VERB})
    | \b(?:which|what)(?:\s+{_KIND})?
    | ^\s*{_TELL}\s+(?:all\s+)?(?:the\s+)?(?:(?:first|last)\s+)?{_KIND}(?=\s+(?:who|whom|that|which|to)\b|\s+X)
    """
)
_HOW = (
    r"(?:exact|exactly|calendar|particular|specific|precise|very|first|last|earliest|latest|later|earlier|final|next"
    r"|previous|other|single)"
)
_DATE = re.compile(
    rf"""(?ix)
    \bwhen\b(?=\s+(?:exactly\s+)?(?:in\s+.{{1,30}}?)?(?:did|was|were|is|has|had|does|do|will|would|the)\b)
    | \b(?:(?:on|in|during|by|from|since)\s+)?(?:which|what)\s+(?:{_HOW}\s+)*(?P<a>day|date|month|year|time)s?\b
    | \bwhat\s+(?:was|is|were)\s+(?:the\s+)?(?:{_HOW}\s+)*(?P<b>day|date|month|year|time)s?\b
    | ^\s*(?:{_TELL}\s+)?(?:(?:the|every|each|all|any)\s+)+(?:{_HOW}\s+)*(?P<c>day|date|month|year|time)s?\b
    | \b(?:what|when)\s+(?:was|is|were)\s+(?:the\s+)?(?:start\s+time|end\s+time|point\s+in\s+time)
      (?:\s+and\s+end\s+time)?\b
    | \bin\s+the\s+same\s+(?P<d>day|month|year)\s*[;:,.?]\s*(?:which|what)\b.*
    | \bhow\s+(?:early|late|recently|long\s+ago)\b
    """
)
_COUNT = re.compile(
    rf"(?i)\b(?:how\s+many|(?:what|which)\s+(?:is\s+the\s+|was\s+the\s+)?number\s+of)"
    rf"(?:\s+{_KIND}){{0,3}}?(?:\s+(?P<noun>{_KIND}))(?=\s+(?:{_VERB}|are|of)|\s+X|[?,]|\s*$)"
)
_TIMES = re.compile(r"(?i)\b(?:how\s+often|(?:on\s+)?how\s+many(?:\s+different)?\s+(?:times|occasions))\b")
_YES_NO = re.compile(
    r"(?i)(?:^|[,.;]\s+)\s*(?:did|was|were|is|are|has|have|had|does|do)\s+(?!(?:you|it|there)\b)"
    r"(?!.*\b(?:who|whom|whose|which|what|where|why|how|or)\b)(?!.*\bwhen\W*$)"
)
_QUESTION_WORD = re.compile(r"(?i)\b(?:who|whom|whose|which|what|when|where|why|how)\b")
_ANYONE = re.compile(rf"(?i)\b(?:any|some)(?:one|body|\s+{_KIND})\b")
_UNHELD = re.compile(
    r"(?i)\bhow\s+(?:long(?!\s+ago)|old|much|far|did|was|were|is|are|does|do|has|have|had)\b|^\s*why\b"
    r"|\b(?:for\s+)?how\s+many\s+(?:(?:calendar|whole|full)\s+)?(?:minutes|hours|days|weeks|months|years|decades)\b"
)
"""Durations, manners and reasons."""
_COMPARING = frozenset(("earlier", "later"))
_RELATIVE = re.compile(r"(?i)\s+(?:when|that|in which|on which|during which)(?=\s)")
_ANY_ENTITY = re.compile(r"(?i)\b(?:who|whom|whose)\b")
_ORDER = re.compile(
    r"""(?ix)
    \b(?:(?P<first>(?:for\s+)?(?:the\s+)?(?:very\s+)?first(?:\s+time)?|earliest|initial|initially|originally|firstly
      |soonest|next)
    | (?P<last>(?:for\s+)?(?:the\s+)?(?:very\s+)?(?:last|final)(?:\s+time)?|latest|lastly|most\s+recent(?:ly)?
      |finally))\b
    (?!\s+(?:day|week|month|year|decade|century|half|quarter)s?\s+of\b)
    (?!\s+(?:week|decade|century|half|quarter)\b)
    """
)
_NEAREST = re.compile(
    r"(?i)\b(?:right|just|immediately|directly|straight)\s+(?:(?P<last>before|prior to|ahead of|preceding)"
    r"|(?P<first>after|following|subsequent to))\b"
)


_SIDES: dict[Side, re.Pattern[str]] = {
    "start": re.compile(
        r"(?i)\b(?:join(?:s|ed)?|enter(?:s|ed)?|bec[ao]mes?|t(?:ake|akes|ook)\s+office|acceded?|marry|marries)\b"
        r"|^(?!.*\b(?:is|are|was|were|be|been|being)\b).*\bmarried\b"
    ),
    "end": re.compile(r"(?i)\b(?:leaves?|left|quit|resign(?:s|ed)?|retire[sd]?|step(?:s|ped)?\s+down|divorced?)\b"),
}
"""Verbs of which what lasts is the outcome, or which end it."""


class Asked(NamedTuple):
    """What is asked for, and the words that say so."""

    kind: Kind
    unit: Granularity | None
    """Of a date; None: as exact as it is known."""
    span: Span | None
    """The words that stand for it."""


def read_asked(text: str) -> Asked:
    """What a text asks for, whose names are hidden behind capital X's.

    Example:
        >>> read_asked("In which year did XXX visit XXXX?").unit, read_asked("Tell me the day when XXX left").kind
        (<Granularity.YEAR: 365.2425>, 'date')
        >>> read_asked("How many times did XXX visit XXXX?").kind, read_asked("Did XXX visit XXXX?").kind
        ('times', 'yes_no')
    """
    if (told := _told(text)) is not None:
        return told
    date = _DATE.search(text)
    if date and date["c"] and _ANY_ENTITY.search(text):  # "the year that saw X: who …"
        date = None
    if date is None:
        entity = _ENTITY.search(text)
        return Asked("entity", None, entity.span() if entity else None)
    name = next((name for name in (date["a"], date["b"], date["c"], date["d"]) if name), "")
    relative = None if date["d"] else _RELATIVE.match(text, date.end())
    return Asked("date", UNITS.get(name.lower()), (date.start(), relative.end() if relative else date.end()))


def _told(text: str) -> Asked | None:
    """A number, yes or no, or what facts do not hold, where the text asks for one."""
    kinds: dict[Kind, re.Pattern[str]] = {"other": _UNHELD, "times": _TIMES, "count": _COUNT}
    word = _QUESTION_WORD.search(text)
    for kind, pattern in kinds.items():
        match = pattern.search(text)
        if match and word and word.start() < match.end() and word.end() > match.start():
            return Asked(kind, None, match.span())
    said = _YES_NO.search(text)
    if said is None or (word is not None and word.start() < said.start()):
        return None
    anyone = _ANYONE.search(text)
    return Asked("yes_no", None, anyone.span() if anyone else None)


def side_asked(text: str) -> Side | None:
    """Whether the verb says that something lasting started or ended, rather than that it was so.

    Example:
        >>> side_asked("Who joined X in 2010?"), side_asked("Who was a member of X in 2010?")
        ('start', None)
    """
    return next((side for side, verbs in _SIDES.items() if verbs.search(text)), None)


def order_of(text: str) -> Order | None:
    """Whether the words ask for the first or the last; "right before" asks for the last before.

    Example:
        >>> order_of("who was the last to visit"), order_of("right after May 2010"), order_of("the last day of May")
        ('last', 'first', None)
    """
    match = _ORDER.search(text) or _NEAREST.search(text)
    return None if match is None else "first" if match["first"] else "last"


def order_spans(text: str) -> list[Span]:
    """The words that say first or last."""
    return [match.span() for match in _ORDER.finditer(text)]


def without_asked_date(text: str) -> str:
    """The text with spaces for the words that ask for a date, but "later" and "earlier": what is left may state one.

    Example:
        >>> without_asked_date("On which later day than May 2015 did they meet?").split()
        ['later', 'than', 'May', '2015', 'did', 'they', 'meet?']
    """
    asked = read_asked(text)
    if asked.kind != "date" or asked.span is None:
        return text
    start, end = asked.span
    words = re.sub(
        r"\w+", lambda word: word[0] if word[0].lower() in _COMPARING else " " * len(word[0]), text[start:end]
    )
    return text[:start] + words + text[end:]


def blanked(text: str, spans: Sequence[Span]) -> str:
    """The text with spaces in the place of some characters."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
