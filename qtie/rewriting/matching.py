"""Where a lexicon's events stand in a question: names, their first and last days, and events that point at others.

"the end of World War II" is its last day. "the US president when the euro was introduced" and "the first World Cup
after the moon landing" lead from one event to another; such references may stand in each other twice.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from qtie.interval import TimeInterval
from qtie.rewriting.events import LexiconEvent
from qtie.rewriting.names import Key, Part, Token, name_key, phrasings, tenure_keys

__all__ = ["EventIndex", "Match", "Meaning"]

_MAX_DEPTH = 2
_EDGES: dict[str, Part] = {
    **dict.fromkeys(("end", "close", "conclusion", "finish"), "end"),
    **dict.fromkeys(("beginning", "start", "outbreak", "onset"), "start"),
}  # fmt: skip
_HAPPENINGS: dict[Part, tuple[str, ...]] = {
    "end": ("ended", "had ended", "was over", "finished", "concluded", "came to end", "ends", "is over", "closed"),
    "start": ("began", "had begun", "started", "broke out", "opened", "begins", "starts", "got under way", "erupted"),
    "whole": ("took place", "was held", "were held", "happened", "occurred", "was signed", "was fought", "was going on",
              "was on", "was under way", "raged", "was raging", "era", "period", "years", "was in office", "reigned",
              "was in power", "held office", "governed", "was ratified", "was adopted", "was passed"),
}  # fmt: skip
_SUFFIXES: dict[Key, Part] = {name_key(words): part for part, listed in _HAPPENINGS.items() for words in listed}
_TERMS = (
    *("term", "terms", "presidency", "premiership", "chancellorship", "papacy", "pontificate", "reign", "rule"),
    *("tenure", "administration", "government"),
)
_DURING = tuple(
    name_key(who + when)
    for who in ("", "in office ", "who was in office ", "who reigned ")
    for when in ("when", "during", "at time of", "on day of", "at")
)
_FIRST_AFTER = tuple(map(name_key, ("after", "since", "following", "held after", "to follow")))
_LAST_BEFORE = tuple(map(name_key, ("before", "prior to", "preceding", "held before")))


@dataclass(frozen=True, slots=True)
class Meaning:
    """One event that words may mean, and its days."""

    label: str
    interval: TimeInterval


class _Kin(NamedTuple):
    """One of a kind, and whether it is someone's term of office."""

    meaning: Meaning
    is_term: bool


@dataclass(frozen=True, slots=True)
class Match:
    """The tokens from `first` to before `last`, and what they mean; several meanings where they are ambiguous."""

    first: int
    last: int
    meanings: tuple[Meaning, ...]
    part: Part = "whole"
    chained: bool = False

    def of_part(self, part: Part) -> "Match":
        """The same with the events' first or last days only."""
        if part == "whole":
            return self
        cut = [(each.label, part_of(each.interval, part)) for each in self.meanings]
        kept = tuple(Meaning(label, interval) for label, interval in cut if interval is not None)
        return Match(self.first, self.last, kept, part, self.chained)


class EventIndex:
    """Events by every wording of their names, and by what they are one of."""

    def __init__(self, events: Iterable[LexiconEvent]) -> None:
        self._named: dict[Key, dict[tuple[str, Part, TimeInterval], Meaning]] = {}
        self._kinds: dict[Key, list[_Kin]] = {}
        for event in events:
            for key in {name_key(phrasing): None for name in event.names for phrasing in phrasings(name)}:
                self._add(key, event, "whole")
            for key, part in tenure_keys(event.people, event.kinds):
                self._add(key, event, part)
            for kind in dict.fromkeys(map(name_key, event.kinds)):
                self._kinds.setdefault(kind, []).append(_Kin(Meaning(event.label, event.interval), bool(event.people)))
        self._longest = max(map(len, self._named), default=0)
        self._longest_kind = max(map(len, self._kinds), default=0)

    def overridden_by(self, own: "EventIndex") -> "EventIndex":
        """Both as one: a name means what `own` says, and the events of a label that `own` has are gone."""
        labels = {label for meanings in own._named.values() for label, *_ in meanings}
        both = EventIndex([])
        for key, meanings in self._named.items():
            if kept := {where: meaning for where, meaning in meanings.items() if where[0] not in labels}:
                both._named[key] = kept
        both._named |= own._named
        both._kinds = {key: [*own._kinds.get(key, ())] for key in {**self._kinds, **own._kinds}}
        for key, listed in self._kinds.items():
            both._kinds[key] += [kin for kin in listed if kin.meaning.label not in labels]
        both._longest = max(self._longest, own._longest)
        both._longest_kind = max(self._longest_kind, own._longest_kind)
        return both

    def _add(self, key: Key, event: LexiconEvent, part: Part) -> None:
        interval = part_of(event.interval, part)
        if interval is not None:
            self._named.setdefault(key, {})[event.label, part, interval] = Meaning(event.label, interval)

    def match(self, tokens: Sequence[Token], at: int, *, depth: int = _MAX_DEPTH) -> Match | None:
        """The longest words from token `at` on that mean an event, or None."""
        if at >= len(tokens):
            return None
        word = tokens[at].word
        if word in _EDGES and at + 1 < len(tokens) and tokens[at + 1].word == "of":
            inner = self.match(tokens, at + 2, depth=depth)
            return inner and Match(at, inner.last, inner.meanings, chained=inner.chained).of_part(_EDGES[word])
        found = [self._name(tokens, at), self._year_first(tokens, at, depth)]
        if depth > 0:
            found += [self._holder(tokens, at, depth), self._ordered(tokens, at, depth)]
        best = max((each for each in found if each and each.meanings), key=lambda each: each.last, default=None)
        return best and self._completed(tokens, best)

    def _name(self, tokens: Sequence[Token], at: int) -> Match | None:
        for n in range(min(self._longest, len(tokens) - at), 0, -1):
            meanings = self._named.get(tuple(token.word for token in tokens[at : at + n]))
            if meanings:
                opens = n > 1 and tokens[at].word in (
                    "under",
                    "between",
                )  # stay outside: they say how time stands to it
                return Match(at + opens, at + n, tuple(dict.fromkeys(meanings.values())))
        return None

    def _completed(self, tokens: Sequence[Token], match: Match) -> Match:
        """With the verb that says which part of the event is meant, and with its year."""
        for n in (3, 2, 1):
            part = _SUFFIXES.get(tuple(token.word for token in tokens[match.last : match.last + n]))
            if part is not None and match.last + n <= len(tokens):
                match = Match(match.first, match.last + n, match.meanings, match.part, match.chained).of_part(part)
                break
        rest = [token.word for token in tokens[match.last : match.last + 2]]
        if len(rest) == 2 and rest[0] in ("of", "in") and (year := _year(rest[1])):
            kept = _within(match.meanings, year)
            return Match(match.first, match.last + 2, kept, match.part, match.chained) if kept else match
        return match

    def _year_first(self, tokens: Sequence[Token], at: int, depth: int) -> Match | None:
        """ "the 1969 moon landing": the year must be the event's."""
        year = _year(tokens[at].word)
        inner = self.match(tokens, at + 1, depth=depth) if year else None
        if year is None or inner is None or not (kept := _within(inner.meanings, year)):
            return None
        return Match(at, inner.last, kept, inner.part, inner.chained)

    def _kind(self, tokens: Sequence[Token], at: int) -> tuple[int, list[_Kin]]:
        """How many tokens from `at` on say what something is one of, and those that it may be."""
        for n in range(min(self._longest_kind, len(tokens) - at), 0, -1):
            if listed := self._kinds.get(tuple(token.word for token in tokens[at : at + n])):
                return n, listed
        return 0, []

    def _holder(self, tokens: Sequence[Token], at: int, depth: int) -> Match | None:
        """ "(the term of) the US president when X": in whose term, or during which of a series, X was.

        A term must hold all of X: of some offices the lexicon has not every holder.
        """
        has_term = tokens[at].word in _TERMS and at + 1 < len(tokens) and tokens[at + 1].word == "of"
        start = at + 2 if has_term else at
        n, listed = self._kind(tokens, start) if start < len(tokens) else (0, [])
        inner = self._after_words(tokens, start + n, _DURING, depth) if n else None
        if inner is None or len(inner.meanings) != 1:
            return None
        event = inner.meanings[0]
        fitting = [kin for kin in listed if kin.meaning.interval.overlaps(event.interval)]
        holding = [kin for kin in fitting if not kin.is_term or _holds(kin.meaning.interval, event.interval)]
        found = holding if len(holding) == 1 else fitting if len(fitting) > 1 else []
        return Match(at, inner.last, _via([kin.meaning for kin in found], event), chained=True)

    def _ordered(self, tokens: Sequence[Token], at: int, depth: int) -> Match | None:
        """ "the first World Cup after X", "the last Olympics before X"; not of terms, whose lists have gaps."""
        is_first = tokens[at].word in ("1", "next")
        if not is_first and tokens[at].word not in ("last", "previous"):
            return None
        n, listed = self._kind(tokens, at + 1)
        inner = self._after_words(tokens, at + 1 + n, _FIRST_AFTER if is_first else _LAST_BEFORE, depth) if n else None
        if inner is None or len(inner.meanings) != 1:
            return None
        event = inner.meanings[0]
        series = [kin.meaning for kin in listed if not kin.is_term]
        found = _next(series, event.interval) if is_first else _previous(series, event.interval)
        return Match(at, inner.last, _via(found, event), chained=True)

    def _after_words(self, tokens: Sequence[Token], at: int, joins: Iterable[Key], depth: int) -> Match | None:
        """The event that follows one of the joining words at token `at`."""
        for join in sorted(joins, key=len, reverse=True):
            if tuple(token.word for token in tokens[at : at + len(join)]) == join:
                return self.match(tokens, at + len(join), depth=depth - 1)
        return None


def part_of(interval: TimeInterval, part: Part) -> TimeInterval | None:
    """The interval, or its first or last day; None where that is open."""
    if part == "whole":
        return interval
    day = interval.start if part == "start" else interval.end
    return None if day is None else TimeInterval(day, day)


def _holds(term: TimeInterval, event: TimeInterval) -> bool:
    return term.intersection(event) == event


def _via(found: Sequence[Meaning], event: Meaning) -> tuple[Meaning, ...]:
    return tuple(Meaning(f"{each.label}, by way of {event.label}", each.interval) for each in dict.fromkeys(found))


def _next(meanings: Sequence[Meaning], event: TimeInterval) -> list[Meaning]:
    """Those that start first after the event's last day."""
    if event.end is None:
        return []
    later = [each for each in meanings if each.interval.start is not None and each.interval.start > event.end]
    first = min((each.interval.start or 0 for each in later), default=None)
    return [each for each in later if each.interval.start == first]


def _previous(meanings: Sequence[Meaning], event: TimeInterval) -> list[Meaning]:
    """Those that end last before the event's first day."""
    if event.start is None:
        return []
    earlier = [each for each in meanings if each.interval.end is not None and each.interval.end < event.start]
    last = max((each.interval.end or 0 for each in earlier), default=None)
    return [each for each in earlier if each.interval.end == last]


def _year(word: str) -> TimeInterval | None:
    return TimeInterval.year(int(word)) if len(word) == 4 and word.isdigit() else None


def _within(meanings: Sequence[Meaning], year: TimeInterval) -> tuple[Meaning, ...]:
    return tuple(each for each in meanings if each.interval.overlaps(year))
