"""Other words for what is asked: who won is told by "beat" and "lost to" too, how many people by "inhabitants"."""

import re
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from qtie.rag.wording.sentences import Span
from qtie.rag.wording.words import content_words, stem, stem_sets

__all__ = ["are_alike", "converse_role", "restated"]

_SUBJECT, _OBJECT = "subject", "object"


class _Telling(NamedTuple):
    """Stems of a question's verbs, of those that tell of the same, and where the latter have the asked one."""

    asked: frozenset[str]
    told: frozenset[str]
    place: str
    """subject, object, or the preposition before it."""


_TELLING = tuple(
    _Telling(frozenset(map(stem, asked.split())), frozenset(map(stem, told.split())), place)
    for asked, told, place in (
        ("win", "beat defeat overcome", _SUBJECT),
        ("win beat defeat", "lose", "to"),
        ("lose", "beat defeat overcome", _OBJECT),
        ("buy acquire purchase", "sell", "to"),
        ("buy", "acquire purchase", _SUBJECT),
        ("sell", "buy acquire purchase", "from"),
        ("get receive win", "award give", "to"),
        ("succeed replace", "precede", _OBJECT),
    )
)
_ALIKE = stem_sets(
    "people live inhabitant resident population",
    "people work employ employee staff workforce",
    "cost price charge fee fare",
    "seat hold room capacity",
)
"""Words that are said of the same number or amount."""
_WHO = re.compile(
    r"\W*(?:who|whom|which [^\W\d_]+|what [^\W\d_]+)(?: (?:did|has|have|had))? (?P<verb>[^\W\d_]+)", re.IGNORECASE
)
_VERB = re.compile(r"[^\W\d_]+")


def _asked_verb(question: str) -> str:
    match = _WHO.match(question)
    return stem(match["verb"]) if match else ""


def are_alike(word: str, stems: AbstractSet[str]) -> bool:
    """Whether a stem is said of the same number as any of others: people, inhabitants.

    Example:
        >>> are_alike("peopl", {"inhabitant"}), are_alike("peopl", {"household"})
        (True, False)
    """
    return any(word in row and not row.isdisjoint(stems) for row in _ALIKE)


def restated(question: str, stems: AbstractSet[str]) -> frozenset[str]:
    """The stems of a question that a text has in other words: people who live there as inhabitants, bought as sold to.

    Example:
        >>> question = "How many people live in Ulm?"
        >>> sorted(restated(question, {"ulm", "inhabitant"})), sorted(restated("Who bought the mill?", {"sell"}))
        (['liv', 'peopl'], ['buy'])
    """
    verb, asked = _asked_verb(question), set(content_words(question))
    found = {verb} if any(verb in row.asked and not row.told.isdisjoint(stems) for row in _TELLING) else set()
    for row in _ALIKE:
        if not row.isdisjoint(stems):
            found |= asked & row
    return frozenset(found)


def converse_role(question: str, text: str, sentence: Span, name: Span) -> bool | None:
    """Whether a sentence with a converse of the asked verb has the name where the asked one stands; None without one.

    Example:
        >>> text = "Ulm beat Graz 3-1 in the final."
        >>> names = [Span(text.index(name), text.index(name) + len(name)) for name in ("Ulm", "Graz")]
        >>> [converse_role("Who won the final?", text, Span(0, len(text)), name) for name in names]
        [True, False]
        >>> [converse_role("Who lost the final?", text, Span(0, len(text)), name) for name in names]
        [False, True]
    """
    asked = _asked_verb(question)
    for row in _TELLING:
        if asked not in row.asked:
            continue
        verbs = [word for word in _VERB.finditer(text, *sentence) if stem(word[0]) in row.told]
        if verbs:
            verb = min(verbs, key=lambda word: name.gap(Span(*word.span())))
            return _stands(text, verb, name, row.place)
    return None


def _stands(text: str, verb: re.Match[str], name: Span, place: str) -> bool:
    """Whether a name stands there beside a verb: before or after it, or after a preposition that follows it."""
    is_after = name.start >= verb.end()
    if place in (_SUBJECT, _OBJECT):
        return is_after == (place == _OBJECT)
    return (
        is_after
        and re.search(rf"\b{place}(?: the| an?)?(?: [\w-]+){{0,2}} $", text[verb.end() : name.start]) is not None
    )
