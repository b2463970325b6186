"""Names that a question has and the passages have not: what is said of others then is no answer."""

import re
from calendar import day_name, month_name
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from qtie.rag.wording.roles import is_role
from qtie.rag.wording.words import content_words, stem_sets
from qtie.rewriting.event_phrases import find_event_phrases

__all__ = ["AskedNames"]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_JOINT = re.compile(r" (?:(?:of|the|de|von|van|da|di|la|le|el|al|du|do|dos|&) ){0,2}|[-.’'] ?|\. ")
_NUMBER_AFTER = re.compile(r" \d+(?:\.\d+)*(?![\w/-])")
_VERSION = re.compile(r"\b(?:version|release|v)[ .]?(\d+(?:\.\d+)*)(?![\w/-])", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)*")
_CALENDAR = frozenset(name.lower() for name in (*month_name, *day_name))
_LINKS = frozenset({"of", "the", "de", "von", "van", "da", "di", "la", "le", "el", "al", "du", "do", "dos"})
_PLACE = re.compile(r"(?:y|a|e|o|ia|land|i)?")
_OF_PLACE = re.compile(r"(?:v?ia|ea|i|e)?(?:n|an|ns|ans|ese|ish|ic|er|ers|i|is|s|es|d|de|ds)?")
_OF_PEOPLE = re.compile(r"(?:ish|isch|ois|ese)$")
_SAME = (
    frozenset({"uk", "britain", "british", "kingdom", "england", "english"}),
    frozenset({"us", "usa", "america", "american", "states"}),
    frozenset({"netherland", "holland", "dutch"}),
    *stem_sets(
        "France French",
        "Wales Welsh",
        "Denmark Danish Dane",
        "Ireland Irish",
        "Greece Greek",
        "Switzerland Swiss",
        "Flanders Flemish",
    ),
)
"""Stems for one country that no ending explains."""


class AskedNames(NamedTuple):
    """The names of a question, by whether any passage has them.

    Example:
        >>> names = AskedNames.of("Who is the mayor of Lyon?", ["Claire Morel is mayor of Ulm."])
        >>> names.all_missing, names.note
        (True, 'no passage names Lyon')
    """

    there: tuple[str, ...]
    missing: tuple[str, ...]
    by_text: tuple[bool, ...] = ()
    """For each text whether it may answer. All may, unless the question has names and a role that some text has
    ("mayor of Lyon"): then those that have one of the names and one of the question's other words; and what only tells
    of the event that dates the answer ("mayor during the flood") may not, where another text tells more."""

    @classmethod
    def of(cls, question: str, texts: Sequence[str]) -> "AskedNames":
        """The names of the question, and which of them the texts have.

        One is there where a text has its last word or most of its words, in any inflection: a surname for the whole
        name, the adjective for a country, initials for what they stand for. Without texts nothing is missing.
        """
        said = [_Words.of(text) for text in texts]
        phrases = [phrase.text for phrase in find_event_phrases(question)] if texts else []
        for phrase in phrases:  # what dates the answer, not what it is about
            question = question.replace(phrase, " ")
        asked = set(content_words(question))
        is_about = [not phrases or bool(asked & words.stems) for words in said]
        if not any(is_about):
            is_about = [True] * len(texts)
        names = [] if question == question.lower() else list(map(_known(said), _names(question)))
        versions = {f"version {n}": [words.have_number(n) for words in said] for n in _VERSION.findall(question)}
        if not texts or (question == question.lower() and not versions):
            return cls((), (), tuple(is_about) if phrases else ())
        found = {name: [words.have(name) for words in said] for name in names}
        tells = _telling(question, found, said)
        numbered = [row for name, row in found.items() if _parted(name)[1] and any(row)]
        numbered += versions.values()
        by_text = tuple(
            is_about[at]
            and all(row[at] for row in numbered)
            and (tells is None or not found or (tells[at] and any(row[at] for row in found.values())))
            for at in range(len(texts))
        )
        rows = {**found, **versions}
        there = tuple(name for name, is_in in rows.items() if any(is_in))
        return cls(there, tuple(name for name in rows if name not in there), by_text)

    @property
    def all_missing(self) -> bool:
        """Whether the question has names, and the passages none of them."""
        return bool(self.missing) and not self.there

    @property
    def none_answers(self) -> bool:
        """Whether the passages have names of the question, but none that has one may answer."""
        return bool(self.there) and not any(self.by_text)

    @property
    def note(self) -> str:
        """What is to be said of it; empty where no name is missing."""
        if self.none_answers and not self.missing:
            return f"no passage that answers names {' or '.join(self.there)}"
        return f"no passage names {' or '.join(self.missing)}" if self.missing else ""


def _known(said: Sequence["_Words"]) -> Callable[[str], str]:
    """Leaves the number out of a name where it is no version and no text has it: it may be written otherwise."""

    def known(name: str) -> str:
        plain, number = _parted(name)
        return name if "." in number or any(number in words.numbers for words in said) else plain

    return known


def _telling(question: str, names: Iterable[str], said: Sequence["_Words"]) -> list[bool] | None:
    """For each text whether it has any of the question's words besides names; None where none has a role of them."""
    others = set(content_words(question)).difference(stem for name in names for stem in content_words(name))
    roles = others.intersection(
        stem for word in _WORD.findall(question) if is_role(word) for stem in content_words(word)
    )
    if not any(roles & words.stems for words in said):
        return None
    return [bool(others & words.stems) for words in said]


def _names(question: str) -> Iterator[str]:
    """The names in a question: words with a capital in a row, roles and the first word of a sentence left out."""
    run: list[re.Match[str]] = []
    words = list(_WORD.finditer(question))
    for at, word in enumerate(words):
        is_name = word[0][0].isupper() and (bool(content_words(word[0])) or word[0].lower() in _CALENDAR)
        is_name = is_name and (word[0].lower() not in _CALENDAR or _stands_beside_name(question, words, at))
        is_name = is_name and at > 0 and not _begins(question, words[at - 1], word)
        is_next = is_name and run and _JOINT.fullmatch(question[run[-1].end() : word.start()])
        if not is_next and (is_name or word[0] not in _LINKS):
            yield from _name(question, run)
            run = []
        if is_name:
            run.append(word)
    yield from _name(question, run)


def _stands_beside_name(question: str, words: Sequence[re.Match[str]], at: int) -> bool:
    """Whether a word such as April is part of a name: another word with a capital stands before or after it."""
    beside = [words[other] for other in (at - 1, at + 1) if 0 < other < len(words)]
    return any(
        word[0][0].isupper()
        and question[min(word.end(), words[at].end()) : max(word.start(), words[at].start())] == " "
        for word in beside
    )


def _begins(question: str, before: re.Match[str], word: re.Match[str]) -> bool:
    """Whether a word begins a sentence; a point after an initial or a short title ends none."""
    between = question[before.end() : word.start()].rstrip()
    return between.endswith(("?", "!", ":")) or (between.endswith(".") and len(before[0]) > 3)


def _name(question: str, run: Sequence[re.Match[str]]) -> Iterator[str]:
    """The name that words in a row make, with the number after it; none where they end as a role does."""
    if run and not is_role(run[-1][0]):
        number = _NUMBER_AFTER.match(question, run[-1].end())
        yield re.sub(r"['’]s?$", "", question[run[0].start() : run[-1].end()]) + (number[0] if number else "")


def _parted(name: str) -> tuple[str, str]:
    """A name without its number, and the number."""
    number = _NUMBER_AFTER.search(name)
    return (name[: number.start()], number[0].strip()) if number else (name, "")


class _Words(NamedTuple):
    """The words of a text, as names are looked up in them."""

    stems: frozenset[str]
    initials: str
    """Of all its words with a capital, in a row."""
    numbers: frozenset[str]
    text: str

    @classmethod
    def of(cls, text: str) -> "_Words":
        capitals = [word for word in _WORD.findall(text) if word[0].isupper()]
        initials = "".join(word[0].lower() for word in capitals)
        return cls(frozenset(content_words(text)), initials, frozenset(_NUMBER.findall(text)), text)

    def have(self, name: str) -> bool:
        """Whether they have that name, in any inflection, and its number: Tern 2 is Tern 2.1 too, but no Tern 3."""
        plain, number = _parted(name)
        return (not number or self.have_number(number)) and self._have_plain(plain)

    def have_number(self, number: str) -> bool:
        """Whether they have that number or, of a version, one of its parts: 2 is 2.1 too."""
        return any(each == number or each.startswith(f"{number}.") for each in self.numbers)

    def _have_plain(self, name: str) -> bool:
        words = content_words(name)
        if len(words) > 2 and not self._have_word(words[0]) and self._have_other(name):
            return False
        words = [word for word in words if len(word) > 3] or words
        found = [self._have_word(word) for word in words]
        if not words or found[-1] or sum(found) > len(found) / 2:
            return True
        letters = "".join(part[0].lower() for part in name.split() if part[0].isupper())
        is_short = len(words) == 1 and name.isupper() and len(name) > 1
        return (is_short and name.lower() in self.initials) or any(
            letters[at:] in self.stems for at in range(len(letters) - 1)
        )

    def _have_other(self, name: str) -> bool:
        """Whether another word with a capital stands in the place of the first: "Kyoto College of Art", "Osaka …"."""
        rest = name.partition(" ")[2]
        return re.search(rf"[^\W\d_a-zß-öø-ÿ][\w-]+ {re.escape(rest)}(?!\w)", self.text) is not None

    def _have_word(self, word: str) -> bool:
        return word in self.stems or any(_is_same(word, other) for other in self.stems)


def _is_same(name: str, word: str) -> bool:
    """Whether a word is an inflection of a name or the adjective of a place: Berlin, Berliner; France, French."""
    if any(name in same and word in same for same in _SAME):
        return True
    if name[:2] != word[:2]:
        return False
    common = next((at for at, (a, b) in enumerate(zip(name, word, strict=False)) if a != b), min(len(name), len(word)))
    if common >= 3 and _OF_PEOPLE.search(word):
        return True
    rests = [(name[common:], word[common:]), (word[common:], name[common:])]
    return common >= 3 and any(_PLACE.fullmatch(place) and _OF_PLACE.fullmatch(other) for place, other in rests)
