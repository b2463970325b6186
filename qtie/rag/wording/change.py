"""Changes: what a sentence says to have been before ("from 120 to 135 euros") and from then on."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from qtie.rag.wording.sentences import Span

__all__ = ["CHANGING", "Change", "asks_before", "changes"]

CHANGING = (
    r"(?:rais|ris|increas|grow|climb|jump|fall|drop|declin|cut|lower|reduc|shrink|chang|switch|mov|relocat|transfer"
    r"|convert|renam|shift|adjust|pass|hand|extend|expand|shorten)"
    r"(?:s|es|e|ed|d|ing|ting|ped)?|rose|grew|fell|shrank|went|goes|up|down"
)
_END = (
    r"(?=\s*(?:[;:()]|,(?!\d)|\.(?!\d)|$|\s(?:in|on|at|since|with|for|after|because|and|as|from|by|this|last|next)\b))"
)
_PATTERNS = (
    re.compile(
        rf"\b(?:{CHANGING})\b[^;:]*?\bfrom (?:the )?(?P<old>[^;:()]{{1,40}}?)"
        rf" (?:to|into) (?P<new>[^;:()]{{1,60}}?){_END}",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:replac|exchang|swap|substitut)(?:es?|ed|d|s|ing|ped|ping)\b(?! by| with)[^;:]*?"
        rf"(?P<old>\S[^;:()]{{0,40}}?) (?:by|with|for) (?P<new>[^;:()]{{1,60}}?){_END}",
        re.IGNORECASE,
    ),
)
_BEFORE = re.compile(
    r"\b(?:before|previous(?:ly)?|former(?:ly)?|earlier|originally|used to|until)\b|\bfrom\W*$"
    r"|^\W*from (?:which|what|where)\b",
    re.IGNORECASE,
)


class Change(NamedTuple):
    """What was, and what is from then on."""

    old: Span
    new: Span


def changes(text: str, sentence: Span) -> Iterator[Change]:
    """The changes that a sentence tells of; "open from 9 to 5" is none.

    Example:
        >>> text = "The fare rose from 120 to 135 euros in 2019."
        >>> [(text[slice(*old)], text[slice(*new)]) for old, new in changes(text, Span(0, len(text)))]
        [('120', '135 euros')]
    """
    for pattern in _PATTERNS:
        for match in pattern.finditer(text, *sentence):
            yield Change(Span(*match.span("old")), Span(*match.span("new")))


def asks_before(question: str) -> bool:
    """Whether a question asks for what was before a change: "before the reform", "where did it move from".

    Example:
        >>> asks_before("Where did they move from?"), asks_before("Where did they move to?")
        (True, False)
    """
    return _BEFORE.search(question) is not None
