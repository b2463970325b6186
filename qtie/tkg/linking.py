"""Which entities of a graph a question names.

A label is matched by its words, in any order: "Citizen (Nigeria)" is named by "a citizen of Nigeria" and by "Nigerian
citizens", "Foreign Affairs (France)" by "France's foreign ministry". Names of countries and their adjectives count as
one word (`demonyms.json`), and kinds of actors have other names (`actors.json`). Where no label fits exactly, those
that hold all the words said are likelier the fewer words they have more ("the Danish ministry", "Obama").
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from math import log
from typing import NamedTuple

__all__ = ["EntityLinker", "Mention", "Token", "tokens_of"]

_MAX_WINDOW = 12
_MAX_ENTITIES = 6
_ALIAS_SCORE = 0.9
_PARTIAL_SCORE = 0.4
_JOINING = frozenset(("a", "an", "and", "at", "for", "from", "in", "of", "on", "the", "to", "with"))
"""Words that may stand within a name, and are not compared."""
_POSSESSING = frozenset(("a", "an", "from", "in", "of", "the"))
"""Those of them that may stand in a description without standing in the label."""
_ABBREVIATIONS = frozenset(("US", "UN", "EU", "UK", "USA", "UAE", "USSR", "DRC", "MP"))
"""Words that name something in capitals only."""
_IRREGULAR = {"men": "man", "women": "woman", "children": "child", "policemen": "policeman", "gunmen": "gunman"}
_SPELLINGS = {"defence": "defense", "ministery": "ministry", "labour": "labor", "organisation": "organization"}
_NEVER = frozenset(
    (
        *(
            "who",
            "whom",
            "whose",
            "what",
            "which",
            "when",
            "where",
            "why",
            "how",
            "do",
            "did",
            "doe",
            "is",
            "wa",
            "were",
        ),
        *("be", "been", "has", "have", "had", "first", "last", "start", "end", "time", "point", "date", "day", "month"),
        *(
            "year",
            "he",
            "she",
            "it",
            "they",
            "his",
            "her",
            "their",
            "that",
            "this",
            "by",
            "as",
            "not",
            "or",
            "no",
            "one",
        ),
    )
)
"""Words that name nothing, however some label may look."""
_ASKING = re.compile(r"(?i)\b(?:what|which)\s+(?:[a-z]+\s+)?$")
_TITLES = frozenset(
    (
        *("chancellor", "chief", "deputy", "emir", "envoy", "ex-president", "foreign", "former", "general", "king"),
        *("leader", "minister", "mr", "mrs", "ms", "new", "opposition", "pope", "premier", "president", "presidential"),
        *("prime", "prince", "princess", "queen", "secretary", "senator", "spokesman", "sultan", "vice", "candidate"),
    )
)
_WORD = re.compile(r"(?:[A-Za-z]\.){2,}|[^\W_]+(?:[’'][^\W_]+)*", re.UNICODE)


class Token(NamedTuple):
    """A word of a text: its canonical form, where it stands, and as it was written."""

    word: str
    """Lower case, without accents, possessive and plural endings; a country for its name or adjective."""
    span: tuple[int, int]
    raw: str


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question that name an entity, and which of the graph's it may be, the likeliest first."""

    text: str
    span: tuple[int, int]
    entities: tuple[tuple[int, float], ...]
    """Indices of entities with how well their labels fit, in (0, 1]."""


def tokens_of(text: str) -> list[Token]:
    """The words of a text in canonical form; the names and adjectives of countries become one token.

    Example:
        >>> [token.word for token in tokens_of("South Korean citizens of the U.K.")]
        ['@South Korea', 'citizen', 'of', 'the', '@United Kingdom']
    """
    plain = [Token(_canonical(match[0]), match.span(), match[0]) for match in _WORD.finditer(text)]
    forms = _country_forms()
    joined: list[Token] = []
    at = 0
    while at < len(plain):
        words = tuple(token.word for token in plain[at : at + 4])
        n_words = next((n for n in range(len(words), 0, -1) if words[:n] in forms), 0)
        if n_words == 0:
            joined.append(plain[at])
        else:
            span = (plain[at].span[0], plain[at + n_words - 1].span[1])
            joined.append(Token(forms[words[:n_words]], span, text[slice(*span)]))
        at += max(1, n_words)
    return joined


def _canonical(raw: str) -> str:
    bare = re.sub(r"[’']s?$", "", raw)
    letters = bare.replace(".", "") if re.fullmatch(r"(?:[A-Za-z]\.)+", bare) else bare
    plural = letters[:-1] if letters.endswith("s") else letters
    if letters in _ABBREVIATIONS or plural in _ABBREVIATIONS:
        return f"={letters if letters in _ABBREVIATIONS else plural}"
    word = unicodedata.normalize("NFKD", letters).casefold().replace("’", "'")
    return _singular("".join(each for each in word if not unicodedata.combining(each)))


def _singular(word: str) -> str:
    word = _SPELLINGS.get(word, word)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@cache
def _country_forms() -> dict[tuple[str, ...], str]:
    """The canonical words of each name and adjective of a country, and the token that stands for it."""
    table: Mapping[str, list[str]] = json.loads((files("qtie.tkg") / "demonyms.json").read_text(encoding="utf-8"))
    forms = {}
    for country, adjectives in table.items():
        first, _, last = country.rpartition(" ")
        further = [f"{first} {each}" for each in table.get(last, [])] if first else []
        for form in (country, *adjectives, *further):
            forms[tuple(_canonical(match[0]) for match in _WORD.finditer(form))] = f"@{country}"
    return forms


@cache
def _actors() -> dict[str, list[str]]:
    """Other names of a kind of actor, by its label in lower case."""
    table: Mapping[str, list[str]] = json.loads((files("qtie.tkg") / "actors.json").read_text(encoding="utf-8"))
    return {label.casefold(): names for label, names in table.items()}


def _key(words: Iterable[str]) -> frozenset[str]:
    return frozenset(words) - _JOINING


class EntityLinker:
    """Finds the entities of a graph in questions.

    Args:
        labels: of the entities, in the order of their indices.
        n_facts: in how many facts each stands; the commoner comes first where labels fit alike.

    Example:
        >>> linker = EntityLinker(["Citizen (Nigeria)", "Nigeria", "Barack Obama"])
        >>> [(mention.text, mention.entities) for mention in linker.link("Which Nigerian citizens did Obama praise?")]
        [('Nigerian citizens', ((0, 1.0),)), ('Obama', ((2, 0.5),))]
    """

    def __init__(self, labels: Sequence[str], n_facts: Sequence[int] | None = None) -> None:
        self.labels = labels
        self._n_facts = n_facts if n_facts is not None else [1] * len(labels)
        self._exact: dict[frozenset[str], list[int]] = defaultdict(list)
        self._alias: dict[frozenset[str], list[int]] = defaultdict(list)
        self._by_word: dict[str, set[int]] = defaultdict(set)
        self._words: list[frozenset[str]] = []
        for entity, label in enumerate(labels):
            key = _key(token.word for token in tokens_of(label))
            self._words.append(key)
            self._exact[key].append(entity)
            for word in key:
                self._by_word[word].add(entity)
            for other in _other_names(label):
                alias = _key(token.word for token in tokens_of(other))
                if entity not in self._alias[alias]:
                    self._alias[alias].append(entity)
                for word in alias - key:
                    self._by_word[word].add(entity)

    def link(self, question: str, *, masked: Sequence[tuple[int, int]] = ()) -> list[Mention]:
        """The mentions of a question in order, disjoint; none within the `masked` characters.

        Where windows overlap, the one that names the most words wins.
        """
        tokens = [token for token in tokens_of(question) if not any(_touch(token.span, mask) for mask in masked)]
        found = sorted(self._windows(question, tokens), key=lambda window: (-window.value, window.mention.span))
        chosen: list[Mention] = []
        for window in found:
            if not any(_touch(window.mention.span, other.span) for other in chosen):
                chosen.append(window.mention)
        chosen.sort(key=lambda mention: mention.span)
        proper = [mention for mention in chosen if not self._is_common(mention)]
        kept = proper or chosen
        return [each for each, after in zip_longest(kept, kept[1:]) if not _is_title(question, each, after)]

    def _is_common(self, mention: Mention) -> bool:
        """Whether it is a common noun, which names a kind rather than one of it: "team", "politician"."""
        is_plain = mention.text.islower() and mention.text.isalpha()
        return is_plain and all(self.labels[entity].islower() for entity, _ in mention.entities)

    def _windows(self, question: str, tokens: list[Token]) -> "Iterator[_Window]":
        for first, token in enumerate(tokens):
            if token.word in _JOINING:
                continue
            for last in range(first, min(len(tokens), first + _MAX_WINDOW)):
                if tokens[last].word in _JOINING:
                    continue
                if any(tokens[last].word == earlier.word for earlier in tokens[first:last]):
                    break  # a second entity begins
                window = tokens[first : last + 1]
                span = (token.span[0], _closed(question, token.span[0], tokens[last].span[1]))
                is_kind = len(window) == 1 and token.raw.islower() and _ASKING.search(question[: token.span[0]])
                entities = [] if is_kind else self._entities(window, question[slice(*span)])
                if entities:
                    n_words = len({each.word for each in window} - _JOINING)
                    mention = Mention(question[slice(*span)], span, tuple(entities))
                    yield _Window(n_words * entities[0][1] + 0.01 * n_words, mention)

    def _entities(self, window: Sequence[Token], text: str) -> list[tuple[int, float]]:
        """The entities that a window may name; those by their own label before those by another name."""
        key = _key(token.word for token in window)
        if key <= _NEVER:
            return []
        broken = bool(re.search(r"[,;:?!\"“”]|(?<!s)[’'](?!s\b|\w)", text))
        joining = {token.word for token in window} & _JOINING - _POSSESSING
        exact = [entity for entity in self._exact.get(key, ()) if self._agrees(entity, joining, broken=broken)]
        if exact:
            return self._ranked((entity, 1.0) for entity in exact)
        if broken or joining - {"and"}:
            return []
        alias = self._alias.get(key, ())
        return self._ranked((entity, _ALIAS_SCORE) for entity in alias) if alias else self._partial(window, key)

    def _agrees(self, entity: int, joining: frozenset[str] | set[str], *, broken: bool) -> bool:
        """Whether a label with the words of a window has its commas and its words such as "to" as well."""
        label = self.labels[entity]
        return (not broken or "," in label) and joining <= {token.word for token in tokens_of(label)}

    def _partial(self, window: Sequence[Token], key: frozenset[str]) -> list[tuple[int, float]]:
        """Entities whose labels have all the words of the window and more; a lone word must be written as a name."""
        named = [token for token in window if token.raw[0].isupper() or token.word.startswith("@")]
        if not named or (len(key) == 1 and (window[0].span[0] == 0 or window[0].word[0] in "@=")):
            return []
        postings = [self._by_word.get(word, set()) for word in key]
        entities = set.intersection(*postings) if postings else set()
        if not entities or len(entities) > (_MAX_ENTITIES if len(key) == 1 else 200):
            return []
        shares = ((entity, len(key) / max(len(key) + 1, len(self._words[entity]))) for entity in entities)
        return self._ranked((entity, _PARTIAL_SCORE * (1 + share**2)) for entity, share in shares)

    def _ranked(self, scored: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
        common = [(entity, score, log(1 + self._n_facts[entity])) for entity, score in scored]
        common.sort(key=lambda each: (-round(each[1], 2), -each[2], each[0]))
        return [(entity, round(score, 3)) for entity, score, _ in common[:_MAX_ENTITIES]]


def _is_title(question: str, mention: Mention, after: Mention | None) -> bool:
    """Whether a country belongs to the title of the person named next: "Chinese President Xi Jinping"."""
    if after is None:
        return False
    between = _canonical_words(question[mention.span[1] : after.span[0]])
    return bool(between) and len(between) <= 3 and all(word in _TITLES for word in between)


def _canonical_words(text: str) -> list[str]:
    return [token.word for token in tokens_of(text)]


class _Window(NamedTuple):
    value: float
    mention: Mention


def _other_names(label: str) -> Iterator[str]:
    """Further names of an actor such as "Cabinet / Council of Ministers (France)": each kind with the place."""
    head, _, place = label.partition("(")
    place = place.rstrip(") ")
    parts = [part.strip() for part in re.split(r"/| - ", head) if part.strip()]
    for name in (*(parts if len(parts) > 1 else ()), *_actors().get(head.strip().casefold(), ())):
        yield f"{name} {place}".strip()


def _closed(text: str, start: int, end: int) -> int:
    """`end`, moved behind the bracket that closes one of the span."""
    return end + 1 if text.count("(", start, end) > text.count(")", start, end) and text[end : end + 1] == ")" else end


def _touch(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]
