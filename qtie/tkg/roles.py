"""Who did it and to whom it was done: the roles of the entities in a clause, from the order of its words.

A clause is active ("X praised Y"), passive ("Y was praised by X"), a question with an auxiliary ("whom did X praise"),
or nominal ("X's praise of Y", "the arrest of Y by X"). Verbs such as "receive" have the one it was done to in front.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

__all__ = ["ASKED", "Clause", "Place", "Role", "is_two_way", "roles"]

Role = Literal["subject", "object"]
ASKED = -1
"""Stands for the asked one among the indices of mentions."""

_BE = frozenset(("am", "are", "be", "been", "being", "get", "gets", "getting", "got", "gotten", "is", "was", "were"))
_DO = frozenset(("can", "could", "did", "do", "does", "had", "has", "have", "may", "might", "should", "will", "would"))
_SKIPPED = frozenset(
    (
        *("a", "again", "all", "also", "an", "ever", "finally", "first", "initially", "just", "last", "most", "newly"),
        *("not", "once", "recently", "the", "then", "very"),
    )
)
"""Words that may stand between a form of "be" and its participle."""
_IRREGULAR = frozenset(
    (
        *(
            "beaten",
            "blown",
            "bought",
            "brought",
            "built",
            "caught",
            "chosen",
            "cut",
            "dealt",
            "drawn",
            "driven",
            "fed",
        ),
        *("felt", "forgiven", "fought", "found", "given", "gone", "granted", "greeted", "heard", "held", "hit", "hurt"),
        *("kept", "killed", "known", "led", "left", "let", "lost", "made", "met", "overthrown", "paid", "put", "read"),
        *(
            "run",
            "said",
            "seen",
            "sent",
            "set",
            "shot",
            "shown",
            "shut",
            "slain",
            "slung",
            "spoken",
            "stolen",
            "struck",
        ),
        *("sued", "sworn", "taken", "taught", "thrown", "told", "torn", "undertaken", "won"),
    )
)
"""Participles that do not end in -ed, or are short."""
_NOT_PASSIVE = frozenset(
    (
        *(
            "concerned",
            "delighted",
            "determined",
            "disappointed",
            "disposed",
            "engaged",
            "excited",
            "hundred",
            "inclined",
        ),
        *("indeed", "interested", "involved", "need", "pleased", "prepared", "red", "worried"),
    )
)
"""Words that look like participles after "be" and are none, or are active in meaning."""
_SUFFERING = re.compile(
    r"\b(?:receiv(?:ed?|es|ing)(?!\s+(?:as|at|in|with)\b)|suffer(?:s|ed|ing)?|fac(?:es?|ed|ing)|drew|draws?|drawn|drawing|underwent|undergo(?:es|ing|ne)?"
    r"|endur(?:es?|ed|ing)|earn(?:s|ed|ing)?|attract(?:s|ed|ing)?|incur(?:s|red|ring)?|sustain(?:s|ed|ing)?"
    r"|experienc(?:es?|ed|ing)|benefit(?:s|ed|ting)?|enjoy(?:s|ed|ing)?|c[ao]me under|fell victim|fall victim"
    r"|g[eo]ts?\s+(?:an?|some)|ha[ds]\s+(?:its|their|his|her|an?)\s+(?:[a-z-]+\s+){1,3}?[a-z]+ed\s+by"
    r"|targets? of|recipients? of|victims? of|subject(?:ed)? to|subject of|objects? of|receiving end|beneficiary of)\b"
)
_MUTUAL = re.compile(r"\b(?:spouse|sibling|partner|married|twinned|border|diplomatic relation|relative)\b|\w received$")
_RELATIVES = frozenset(("day", "that", "time", "when", "where", "which", "who", "whom"))
_WITH_OBJECT = frozenset(("received", "receive", "receives", "receiving", "faced", "face", "faces", "got", "attracted"))
"""Verbs that, with a person as their object, are as active as any."""
_AGENT = frozenset(("by",))
_TARGETS = frozenset(("against", "at", "for", "in", "into", "on", "over", "to", "toward", "towards", "with"))
_BEFORE_NAMES = _TARGETS | {"a", "about", "an", "and", "between", "by", "from", "of", "the", "upon"}
"""Words that lead to a name, rather than nouns that a clause about it follows."""


def is_two_way(predicate: str) -> bool:
    """Whether words do not tell a predicate's roles: it is of both alike, or named for the one to whom it is done.

    Example:
        >>> [is_two_way(label) for label in ("spouse", "award received", "Praise or endorse")]
        [True, True, False]
    """
    return bool(_MUTUAL.search(predicate.lower()))


class Place(NamedTuple):
    """A named or asked one in a clause: which mention it is, or `ASKED`, and its characters."""

    of: int
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause's text and those who take part in it, in order."""

    text: str
    places: tuple[Place, ...]


class _Item(NamedTuple):
    word: str
    """In lower case; empty for a place."""
    place: int | None
    possessive: bool = False


def roles(clause: Clause) -> dict[int, Role]:
    """The likely role of each one in the clause, by index.

    Example:
        >>> text = "by whom was Iraq visited"
        >>> roles(Clause(text, (Place(ASKED, (3, 7)), Place(0, (12, 16)))))
        {-1: 'subject', 0: 'object'}
    """
    items = _items(clause)
    at = [n for n, item in enumerate(items) if item.place is not None]
    if not at:
        return {}
    found = _nominal(items, at) if _is_nominal(items, at) else _verbal(items, at)
    if _SUFFERING.search(_spoken(clause)):
        found = {index: _other(role) for index, role in found.items()}
        found.update(dict.fromkeys(_agents(items, at, ("from", "by")), "subject"))
    return found


def _items(clause: Clause) -> list[_Item]:
    items: list[_Item] = []
    at = 0
    for place in clause.places:
        items += [_Item(word, None) for word in _words(clause.text[at : place.span[0]])]
        after = clause.text[place.span[1] : place.span[1] + 2]
        own = clause.text[slice(*place.span)]
        is_possessive = bool(re.match(r"[’']s?\b|[’'](?=\s)|[’']$", after)) or own.endswith(("'s", "’s", "s'", "s’"))
        items.append(_Item("", place.of, is_possessive or own.lower() == "whose"))
        at = place.span[1]
    return items + [_Item(word, None) for word in _words(clause.text[at:])]


def _spoken(clause: Clause) -> str:
    """The clause in lower case, with a mark for each one named, so that "received X" is not "received a visit"."""
    text = clause.text.lower()
    for place in clause.places:
        if place.of != ASKED:
            text = text[: place.span[0]] + "=" * (place.span[1] - place.span[0]) + text[place.span[1] :]
    return re.sub(r"(\w+)(?=\s+(?:the\s+|an?\s+)?=)", lambda found: "" if found[0] in _WITH_OBJECT else found[0], text)


def _words(text: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[^\W_]+(?:-[^\W_]+)*", re.sub(r"^[’']s\b", " ", text))]


def _other(role: Role) -> Role:
    return "object" if role == "subject" else "subject"


def _is_participle(word: str) -> bool:
    return word not in _NOT_PASSIVE and (word in _IRREGULAR or (len(word) > 3 and word.endswith("ed")))


def _is_passive(items: Sequence[_Item]) -> bool:
    """Whether a form of "be" is followed by a participle, with nothing but adverbs and names between them."""
    for n, item in enumerate(items):
        if item.word in _BE:
            rest = (each.word for each in items[n + 1 :] if each.place is None)
            following = next((word for word in rest if word not in _SKIPPED and not word.endswith("ly")), "")
            if _is_participle(following):
                return True
    return False


def _verbal(items: Sequence[_Item], at: Sequence[int]) -> dict[int, Role]:
    subject = _syntactic_subject(items, at)
    passive = _is_passive(items)
    found: dict[int, Role] = {}
    for n in at:
        index = items[n].place
        assert index is not None
        found[index] = "subject" if (n == subject) != passive else "object"
    if passive:
        found.update(dict.fromkeys(_agents(items, at, _AGENT), "subject"))
        if not _agents(items, at, _AGENT) and len(at) > 1 and items[-1].word == "by":  # "who was X praised by"
            found[next(p for n in at if n != subject and (p := items[n].place) is not None)] = "subject"
        elif not _agents(items, at, _AGENT):
            found = _without_agent(items, at, subject)
    return found


def _without_agent(items: Sequence[_Item], at: Sequence[int], subject: int) -> dict[int, Role]:
    """A passive that names no agent: the others are what it was done with ("was engaged with X")."""
    return {index: "object" if n == subject else "subject" for n in at if (index := items[n].place) is not None}


def _agents(items: Sequence[_Item], at: Sequence[int], prepositions: Sequence[str] | frozenset[str]) -> list[int]:
    agents = []
    for n in at:
        index = items[n].place
        if index is not None and _preposition(items, n) in prepositions:
            agents.append(index)
    return agents


def _preposition(items: Sequence[_Item], n: int) -> str:
    """The word before a place, articles and nouns of kind ("which country", "the leader") aside."""
    before = n - 1
    while before >= 0 and items[before].word in ("the", "a", "an", "which", "what"):
        before -= 1
    return items[before].word if before >= 0 else ""


def _is_asked(item: _Item) -> bool:
    return item.place == ASKED and not item.possessive


def _syntactic_subject(items: Sequence[_Item], at: Sequence[int]) -> int:
    """Where the one that the verb agrees with stands."""
    for n, item in enumerate(items[:-1]):
        auxiliary = item.word in _DO or (item.word in _BE and any(items[m].place is not None for m in range(n)))
        following = n + 1 + (items[n + 1].word in ("the", "a", "an"))
        if auxiliary and following < len(items) and items[following].place not in (None, ASKED):
            return following
    for n in at:
        before = n - 1 - (n > 0 and items[n - 1].word in ("the", "a", "an"))
        led = before >= 0 and (items[before].word in _RELATIVES or _is_asked(items[before]))
        if led and items[n].place != ASKED and n + 1 < len(items) and items[n + 1].place is None:
            return n  # "tell me whom X visited"
    for n in at[1:]:
        after = items[n + 1].word if n + 1 < len(items) else ""
        noun = items[n - 1].word
        if _is_participle(after) and noun and not (noun in _BEFORE_NAMES or noun in _BE or _is_participle(noun)):
            return n  # "the last person X visited"
    direct = [n for n in at if _preposition(items, n) not in ("by", "with", "to", "from", "of", "against", "on", "for")]
    return direct[0] if direct else at[0]


def _is_nominal(items: Sequence[_Item], at: Sequence[int]) -> bool:
    """Whether the clause is a noun with its complements: "X's visit to Y", "the arrest of Y by X"."""
    if any(item.word in _DO or item.word in _BE for item in items):
        return False
    first = at[0]
    if items[first].place == ASKED:
        return False
    return items[first].possessive or _preposition(items, first) in _TARGETS | {"between", "by", "from", "of"}


def _nominal(items: Sequence[_Item], at: Sequence[int]) -> dict[int, Role]:
    by_place = {n: _preposition(items, n) for n in at}
    has_agent = any(word in ("by", "from") for word in by_place.values())
    has_target = any(word in _TARGETS for word in by_place.values())
    found: dict[int, Role] = {}
    for n in at:
        index = items[n].place
        assert index is not None
        if by_place[n] in ("by", "from"):
            found[index] = "subject"
        elif items[n].possessive:
            found[index] = "object" if has_agent else "subject"
        elif by_place[n] == "between":
            found[index] = "subject"
        elif by_place[n] == "of":
            possessive = any(items[m].possessive for m in at)
            found[index] = "subject" if has_target and not has_agent and not possessive else "object"
        else:
            found[index] = "object"
    return found
