"""Event phrases: the words of a question that name an event in the place of a date, found without knowing the event.

"What did the company say after the merger?" asks for what follows "the merger". A phrase begins after a word such as
after, before, since, during or when, and ends where its clause does. It must be definite, as events are: it has an
article, a possessive or a name, or it is a clause with a verb. Phrases that hold a date are left to the extractors.
"""

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

from qtie.tie.values import find_timexes

__all__ = ["Direction", "EventPhrase", "find_event_phrases"]

Direction = Literal["before", "after", "since", "by", "until", "in"]


@dataclass(frozen=True, slots=True)
class EventPhrase:
    """The words that name an event: `question[span[0]:span[1]]`, and how the asked time stands to it."""

    text: str
    span: tuple[int, int]
    """The characters of the question: first, and one after the last; without the direction word."""
    direction: Direction
    """before, after, since, by, until; "in" for during, when, while, at the time of."""

    @property
    def is_dependent(self) -> bool:
        """Whether the rest of the question says whose event it is: "her resignation", "becoming president".

        Example:
            >>> [phrase.is_dependent for phrase in find_event_phrases("after the merger, before her resignation")]
            [False, True]
        """
        return bool(_DEPENDENT.search(self.text))


_WORDS: dict[Direction, str] = {
    "before": r"before|prior to|ahead of|leading up to|in the run[- ]?up to|on the eve of",
    "after": r"after|following|in the wake of|in the aftermath of|subsequent to",
    "since": r"(?:ever )?since",
    "by": r"by the time(?: of| that| when)?",
    "until": r"until|till|up until",
    "in": r"during|throughout|amid(?:st)?|in the course of|while|whilst|when"
    r"|(?:at|in|around) the (?:time|days?|month|years?|period|era|moment|course) (?:of|when|that)",
}
_BEGINS = rf"(?<![\w'’-])(?:{'|'.join(_WORDS.values())})\s+"
_OPENING = re.compile(
    r"(?i)(?<![\w'’-])(?:" + "|".join(rf"(?P<{name}>{words})" for name, words in _WORDS.items()) + r")\s+"
)
_AUXILIARY = r"(?:did|does|do|was|were|is|are|has|have|had|will|would|can|could|should)"
_ENDS = re.compile(
    rf"(?i)\s*[?!;]|[,:]\s|\s[–—-]\s|\.\s*$|\s+(?:who|whom|which|what|where|how|why)(?:'s)?\s+(?!(?:had|has)\b)"
    rf"|\s+(?:and|but|or)\s+(?:before|after|since|until|during|when)\s"
    rf"|(?<=\w)\s+(?={_BEGINS})"
)
_QUESTION_WHEN = re.compile(rf"(?i)(?:and\s+)?(?:exactly\s+)?{_AUXILIARY}\b")
_FILLERS = re.compile(
    r"(?i)(?:all|that|this|these|those|then|now|today|long|it|you|me|us|them|him|her|which|whom|school|work|lunch|dinner"
    r"|breakfast|bed|hours|dark|midnight|noon|birth|death|eating|use|due|necessary|needed|possible|available|ready|the"
    r"|the (?:fact|rain|break|jump|hours|party's over|day|night|week|weekend|end|meantime|process|first time))$"
)
_DEFINITE = re.compile(r"(?i)(?:the|his|her|their|its|our|my|your)\s+\w")
_NAMED = re.compile(r"[A-Z][\w'’.-]+")
_DEPENDENT = re.compile(r"(?i)\b(?:he|she|it|they|his|her|hers|its|their|him|them)\b|^(?!the )[a-z]{2,}ing\b")
_CLAUSE = re.compile(
    r"(?i)\w+\s+(?:was|were|is|are|had|has|became|\w{3,}ed|won|left|took|made|came|fell|began|went|met|lost|gave|said|told"
    r"|sent|held|broke|rose|shot|got|ran|paid|built|bought|sold|struck|sank)\b"
)


def find_event_phrases(question: str, *, reference_date: date | None = None) -> list[EventPhrase]:
    """The event phrases of a question, in order.

    Args:
        question: what follows the first 2,000 characters is not looked at.
        reference_date: the day of asking, for dates such as "last year".

    Example:
        >>> [(phrase.direction, phrase.text) for phrase in find_event_phrases("What did it say after the merger?")]
        [('after', 'the merger')]
        >>> find_event_phrases("After the Danish ministry, who first visited Iraq?")[0].text
        'the Danish ministry'
        >>> find_event_phrases("when was the merger"), find_event_phrases("who led it after 2014")
        ([], [])
    """
    text = question[:2000]
    dates = [(found.start, found.end) for found in find_timexes(text, reference_date=reference_date)]
    phrases: list[EventPhrase] = []
    at = 0
    while opening := _OPENING.search(text, at):
        at = opening.end()
        start, end = _extent(text, opening.end())
        words = text[start:end]
        if _is_event(words, opening) and not any(first < end and start < last for first, last in dates):
            phrases.append(EventPhrase(words, (start, end), _direction(opening)))
            at = end
    return phrases


def _direction(opening: re.Match[str]) -> Direction:
    return next(name for name in _WORDS if opening[name])


def _extent(text: str, start: int) -> tuple[int, int]:
    """From where the phrase starts to where its clause ends."""
    match = _ENDS.search(text, start)
    end = match.start() if match else len(text.rstrip(" .?!"))
    if start and re.match(rf"(?i)\W*{_BEGINS}", text):
        end = _before_inversion(text, start, end)
    return start, max(start, start + len(text[start:end].rstrip()))


def _before_inversion(text: str, start: int, end: int) -> int:
    """The end of an opening phrase without a comma: "after the merger did the company …"."""
    if text[end : end + 1] == ",":
        return end
    match = re.search(r"(?i)\s+(?:did|does|do|will|would|can|could)\s+(?=the|a|an|any|[A-Z])", text[start:end])
    return start + match.start() if match else end


def _is_event(words: str, opening: re.Match[str]) -> bool:
    """Whether the words after a direction word name one event, rather than a habit, a pronoun or nothing."""
    opener = opening[0].lower().strip()
    if not re.search(r"\w{2}", words) or _FILLERS.match(words):
        return False
    if opener == "when" and _QUESTION_WHEN.match(words):
        return False
    return bool(_DEFINITE.match(words) or _NAMED.search(words) or (_CLAUSE.match(words) and opener != "while"))
