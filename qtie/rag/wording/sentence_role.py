"""What a name is in its sentence: who acts or what is acted upon, whose role one has, and where something is."""

import re
from dataclasses import dataclass

from qtie.rag.wording.answer_type import AnswerType
from qtie.rag.wording.spans import Span, is_numbered, is_role
from qtie.rag.wording.words import content_words, stem

__all__ = ["AskedSort", "is_object", "is_place"]

_ACTS = re.compile(r"\W*who (?:(?:first|last|then|later|also|currently) )?(?P<verb>[^\W\d_]+)\b", re.IGNORECASE)
_LISTED = "is was are were be has had have did does do will would can could shall should may might must else"
_AUXILIARY = frozenset(_LISTED.split())
_BY = re.compile(r" (?:[^\W\d_]+ )?by\b")
_VERB = re.compile(r"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bas )\b[^\W\d_]+", re.IGNORECASE)
_WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_ROLE_OF = re.compile(r"\b(?P<role>[^\W\d_]+) (?:of|at|for|in)(?: the)? $")
_ASKS_PLACE = re.compile(r"\W*(?:where\b|(?:in|at|to|from) (?:which|what)\b)", re.IGNORECASE)
_PLACED = re.compile(r"\b(?:in|at|near|to|into|from|outside)(?: the)? $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedSort:
    """What a question asks of a name: its sort, its number, and what the name is in its sentence."""

    question: str
    known: frozenset[str]
    """The question's content words."""
    counted: frozenset[str]
    """Those of them that ask for a thing by its number."""
    noun: str
    """The one of them that names the sort of thing; empty where none does."""
    sort: AnswerType

    @classmethod
    def of(cls, question: str, known: frozenset[str]) -> "AskedSort":
        """What that question asks of a name."""
        return cls(question, known, AnswerType.counted(question), AnswerType.noun(question), AnswerType.of(question))

    def fit(self, text: str, sentence: Span, name: Span) -> float:
        """From -1 for a name to which what is asked was done, to 1 for one of the asked kind, or after "in".

        Example:
            >>> text = "Ulm won the cup against Graz."
            >>> asked = AskedSort.of("Who won the cup?", frozenset({"win", "cup"}))
            >>> asked.fit(text, Span(0, len(text)), Span(24, 28))
            -1.0
        """
        words = text[slice(*name)]
        stems = set(content_words(words))
        if self.noun in stems and not stems <= self.known:
            return 1.0
        if is_numbered(words, self.known, self.counted) or is_place(self.question, text, name):
            return 1.0
        return -1.0 if is_object(self.question, text, sentence, name) else self.sort.fit(words)


def is_object(question: str, text: str, sentence: Span, name: Span) -> bool:
    """Whether a question asks who does something, and the sentence says that the one named has it done to it.

    In the active voice that is what follows the verb; in the passive ("won by") what stands before it; and of "mayor
    of Ulm" it is Ulm, where the mayor is asked for.

    Example:
        >>> text = "Ulm won the cup against Graz."
        >>> names = [Span(text.index(name), text.index(name) + len(name)) for name in ("Ulm", "Graz")]
        >>> [is_object("Who won the cup?", text, Span(0, len(text)), name) for name in names]
        [False, True]
    """
    asked = _ACTS.match(question)
    if _is_where_role_is(question, text, name):
        return True
    if asked is None or asked["verb"].lower() in _AUXILIARY:
        return False
    verbs = [word for word in _VERB.finditer(text, *sentence) if stem(word[0]) == stem(asked["verb"])]
    if not verbs:
        return False
    verb = min(verbs, key=lambda word: name.gap(Span(*word.span())))
    is_after = name.start >= verb.end()
    return is_after != bool(_BY.match(text, verb.end()))


def _is_where_role_is(question: str, text: str, name: Span) -> bool:
    """Whether a question asks who has a role, and a name says of what: "mayor of Ulm"."""
    role = _ROLE_OF.search(text, max(0, name.start - 40), name.start) if _WHO.search(question) else None
    return role is not None and is_role(role["role"]) and stem(role["role"]) in content_words(question)


def is_place(question: str, text: str, name: Span) -> bool:
    """Whether a question asks where, and a name stands after a word such as "in" or "at".

    Example:
        >>> text = "The office of Ulm Bank is in Graz."
        >>> names = [Span(text.index(name), text.index(name) + len(name)) for name in ("Ulm Bank", "Graz")]
        >>> [is_place("Where is the office?", text, name) for name in names]
        [False, True]
    """
    return bool(_ASKS_PLACE.match(question) and _PLACED.search(text, max(0, name.start - 12), name.start))
