"""Who followed whom: asked for a successor, the one who went before is no answer; and of dated passages the next is."""

import re
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from qtie.interval import TimeInterval
from qtie.rag.wording.roles import is_role
from qtie.rag.wording.sentences import Span
from qtie.rag.wording.words import content_words

__all__ = ["Neighbour", "is_predecessor", "is_told_neighbour", "neighbours"]

_ASKS_SUCCESSOR = re.compile(
    r"\bwho (?:then |later )?(?:succeeded|replaced|followed|took over from)\b|\bsuccessor (?:of|to)\b", re.IGNORECASE
)
_FOLLOWS = re.compile(
    r"\b(?:succe(?:eds?|eded|eding)|replac(?:es?|ed|ing)|follow(?:s|ed|ing)|t(?:akes?|ook|aking) over from)\b"
    r"(?P<by> by\b)?",
    re.IGNORECASE,
)
_FARTHEST = 40
"""Characters between the verb and the one who was succeeded."""


_NEIGHBOUR = re.compile(
    r"\W*(?i:who)\b.*?\b(?P<side>before|after|precede[sd]?|succeed(?:s|ed)?|replace[sd]?|follow(?:s|ed)?"
    r"|took over from) (?P<name>(?:[^\W\d_a-zß-öø-ÿ][\w'’.-]*(?: (?:de|van|von|da|di|del) | |(?=\W|$)))+)"
)
_WORD = re.compile(r"[^\W_]+")
_EARLIER = re.compile(r"before|precede")


class Neighbour(NamedTuple):
    """Whose neighbour a question asks for, and on which side."""

    name: str
    is_earlier: bool

    @classmethod
    def of(cls, question: str) -> "Neighbour | None":
        """Read from "before Ida Klein", "succeeded Ida Klein", …; None where it asks for no such one.

        Example:
            >>> Neighbour.of("Who was mayor before Ida Klein?")
            Neighbour(name='Ida Klein', is_earlier=True)
        """
        match = _NEIGHBOUR.match(question)
        return cls(match["name"].strip(), _EARLIER.match(match["side"]) is not None) if match else None


def neighbours(question: str, texts: Sequence[str], times: Sequence[TimeInterval | None]) -> tuple[int, ...] | None:
    """The positions of texts that can name who came next before or after the one whom a question names.

    Those are of the times next to that of the text which has the name and a role that the question asks for; none may
    be left. None where the question asks for no such thing, or no text with a time has that name.

    Example:
        >>> texts = ["Ida Klein became mayor.", "Paul Roth became mayor.", "Mirela Anton became mayor."]
        >>> times = [TimeInterval.year(year) for year in (2011, 2003, 1995)]
        >>> neighbours("Who was mayor before Ida Klein?", texts, times)
        (1,)
    """
    asked = Neighbour.of(question)
    if asked is None:
        return None
    names = set(content_words(asked.name))
    role = {stem for word in _WORD.findall(question) if is_role(word) for stem in content_words(word)} - names
    words = [set(content_words(text)) for text in texts]
    starts = {
        at: -inf if time.start is None else float(time.start)
        for at, time in enumerate(times)
        if time is not None and role & words[at]
    }
    named = [start for at, start in starts.items() if names <= words[at]]
    if not named:
        return None
    is_earlier = asked.is_earlier
    others = {at: start for at, start in starts.items() if not names <= words[at]}
    beyond = [start for start in others.values() if (start < min(named) if is_earlier else start > max(named))]
    nearest = (max if is_earlier else min)(beyond, default=None)
    return tuple(at for at, start in others.items() if start == nearest)


def is_predecessor(question: str, text: str, sentence: Span, name: Span) -> bool:
    """Whether a question asks who succeeded someone, and its sentence says that the one named was succeeded.

    Example:
        >>> text = "Ulm names Ada Novak chief, succeeding Jonas Weber."
        >>> names = [Span(text.index(name), text.index(name) + len(name)) for name in ("Ada Novak", "Jonas Weber")]
        >>> [is_predecessor("Who succeeded Elke Brandt?", text, Span(0, len(text)), name) for name in names]
        [False, True]
    """
    return _ASKS_SUCCESSOR.search(question) is not None and _is_followed(text, sentence, name)


def is_told_neighbour(question: str, text: str, sentence: Span, name: Span) -> bool:
    """Whether a sentence says, by such a verb, that the one named came on the asked side of another.

    Example:
        >>> text = "Ada Novak follows Jonas Weber."
        >>> names = [Span(text.index(name), text.index(name) + len(name)) for name in ("Ada Novak", "Jonas Weber")]
        >>> [is_told_neighbour("Who was mayor before Ada Novak?", text, Span(0, len(text)), name) for name in names]
        [False, True]
    """
    asked = Neighbour.of(question)
    if asked is None or asked.name not in text or _FOLLOWS.search(text, *sentence) is None:
        return False
    return _is_followed(text, sentence, name) == asked.is_earlier


def _is_followed(text: str, sentence: Span, name: Span) -> bool:
    """Whether a sentence says that another followed the one named."""
    for verb in _FOLLOWS.finditer(text, *sentence):
        is_after = name.start >= verb.end()
        is_object = is_after != bool(verb["by"])
        if is_object and name.gap(Span(*verb.span())) < _FARTHEST:
            return True
    return False
