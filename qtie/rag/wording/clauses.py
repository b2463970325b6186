"""Clauses: where they end, and how many ends part two places of a sentence."""

import re
from collections.abc import Iterable, Sequence

from qtie.rag.wording.sentences import Span
from qtie.stated_dates import StatedDate

__all__ = ["clause_ends", "clauses_between"]

_CLAUSE_END = re.compile(
    r"[;()]|[,:](?!\d)|\s[-–—]+\s|\b(?:and|but|then|while|before|after|when|until|who|which|that)\b"
)


def clause_ends(text: str, sentence: Span, dates: Sequence[StatedDate]) -> list[int]:
    """Where the clauses of a sentence end; commas in dates and numbers, and brackets that open with a date, end none.

    Example:
        >>> text = "It opened in May, grew and shut."
        >>> clause_ends(text, Span(0, len(text)), [])
        [16, 23]
    """
    found = list(_CLAUSE_END.finditer(text, *sentence))
    opening = {
        match.start()
        for match in found
        for date in dates
        if not text[match.end() : date.start].strip() and match[0] == "("
    }
    return [
        match.start()
        for match in found
        if match.start() not in opening and not any(date.start <= match.start() < date.end for date in dates)
    ]


def clauses_between(ends: Iterable[int], one: Span, other: Span) -> int:
    """How many ends of clauses stand between the starts of two spans.

    Example:
        >>> clauses_between([16, 23], Span(3, 9), Span(27, 31))
        2
    """
    first, last = sorted((one.start, other.start))
    return sum(first < end <= last for end in ends)
