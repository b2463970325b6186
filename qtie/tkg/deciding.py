"""Counts, and yes or no, where the facts decide them exactly; else why they do not.

Counted are the facts of one predicate, surely the asked one, that hold every entity named, in the asked time. One such
fact is a yes. A no is said only of what lasts more than a day: where the facts tell when it was so, and none of it is
in the asked time. That no fact tells of something decides nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.tkg.matching import Match, Sought
from qtie.tkg.question import TkgQuestion
from qtie.tkg.relations import stem
from qtie.tkg.store import FactStore

__all__ = ["Decision", "decide"]

_FITTING = 0.8
"""How well a fact must fit, beside one with every entity named in its role."""
_COUNTED = re.compile(r"(?i)^.*?\b(?:many|number\s+of)\s+")
_GENERAL = re.compile(
    r"(?i)^(?:(?:different|distinct|separate|other)\s+)*(?:people|persons?|entities|entity|ones?|things?|actors?)$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A number, yes or no, with the facts that decide it."""

    answer: str = ""
    """Empty: undecided."""
    rows: tuple[int, ...] = ()
    """Of the match: the facts that bear it out, in the order of time."""
    reason: str = ""
    """Why it is undecided."""
    note: str = ""
    """What the answer rests on that no fact tells."""


def decide(store: FactStore, match: Match, *, sought: Sought, question: TkgQuestion, asked: TemporalIntent) -> Decision:
    """What the facts of a match decide of a question for a number, or for yes or no.

    Args:
        store: the facts.
        match: those with a named entity, and how well they fit.
        sought: what the question says of them.
        question: what is asked.
        asked: the time that they must be of.
    """
    rows = _fitting_rows(store, match, sought)
    if reason := _obstacle(store, match, rows, sought=sought, question=question):
        return Decision(reason=reason)
    if any(constraint.negated for constraint in asked.constraints):
        return Decision(reason="a time that is left out is not decided")
    held = {row: _is_in(store, int(match.facts[row]), asked.intervals) for row in rows}
    inside = [row for row in rows if held[row]]
    if question.asks == "yes_no":
        return _yes_or_no(store, match, held)
    if None in held.values():
        return Decision(reason="some facts are not dated exactly enough to be counted", rows=tuple(inside))
    if not inside:
        return Decision(reason="no fact that fits is of the asked time")
    return _count(store, match, inside, question=question, sought=sought)


def _fitting_rows(store: FactStore, match: Match, sought: Sought) -> list[int]:
    """The facts of the likeliest predicate that hold every entity named, in the order of time."""
    named = [mention.entities[0][1] for mention in sought.mentions if mention.entities]
    rows = np.flatnonzero(match.scores >= _FITTING * prod(named))
    if not len(rows):
        return []
    predicates = store.triples[match.facts[rows], 1]
    rows = rows[predicates == predicates[np.argmax(match.scores[rows])]]
    return sorted(rows.tolist(), key=lambda row: float(np.nan_to_num(store.start[match.facts[row]], nan=np.inf)))


def _obstacle(store: FactStore, match: Match, rows: Sequence[int], *, sought: Sought, question: TkgQuestion) -> str:
    """Why nothing can be decided, whatever the time; empty where it can."""
    if question.order is not None:
        return "whether it is the first or last is not decided"
    if not rows:
        return "no fact tells of it"
    reading = sought.reading(store, int(match.facts[rows[0]]))
    if not reading.is_sure:
        return reading.doubt or f'"{reading.words}" may mean another predicate than "{reading.read}"'
    if not reading.is_said:
        return "the question names no predicate"
    for mention in sought.mentions:
        entities = {entity for entity, _ in mention.entities}
        meant = {int(each) for row in rows for each in store.triples[match.facts[row], [0, 2]]} & entities
        if len(meant) > 1:
            return f'"{mention.text}" may be {" or ".join(sorted(store.entities[each] for each in meant))}'
    return ""


def _is_in(store: FactStore, fact: int, asked: Sequence[TimeInterval]) -> bool | None:
    """Whether a fact is of the asked time; None where its date is too coarse, or missing, to say."""
    if not asked:
        return True
    interval = store.interval(fact)
    if interval is None:
        return None
    if not any(interval.overlaps(each) for each in asked):
        return False
    is_whole = any(interval.intersection(each) == interval for each in asked)
    return True if is_whole or store.lasting[fact] else None


def _yes_or_no(store: FactStore, match: Match, held: dict[int, bool | None]) -> Decision:
    inside = tuple(row for row, is_in in held.items() if is_in)
    if inside:
        return Decision(answer="yes", rows=inside)
    if None in held.values():
        return Decision(reason="the facts are not dated exactly enough to say")
    facts = match.facts[list(held)]
    if all(store.lasting[facts] & (store.start[facts] < store.end[facts])):
        return Decision(answer="no", rows=tuple(held), note="the facts tell of it at other times alone")
    return Decision(reason="no fact that fits is of the asked time, which does not mean that it was not so")


def _count(store: FactStore, match: Match, rows: Sequence[int], *, question: TkgQuestion, sought: Sought) -> Decision:
    facts = match.facts[list(rows)]
    if question.asks == "times":
        dates = set(zip(store.start[facts].tolist(), store.end[facts].tolist(), strict=True))
        return Decision(answer=str(len(dates)), rows=tuple(rows))
    slots = np.where(match.answers_object[list(rows)], store.triples[facts, 2], store.triples[facts, 0])
    noun = _COUNTED.sub("", question.text[slice(*question.asked)]) if question.asked else ""
    predicate = sought.reading(store, int(facts[0]))
    is_told = bool(_GENERAL.match(noun)) or _last_stem(noun) in _stems(f"{predicate.words} {predicate.read}")
    note = "" if is_told else f"counted are all that the facts name; they do not say which are {noun}"
    return Decision(answer=str(len(set(slots.tolist()))), rows=tuple(rows), note=note)


def _stems(words: str) -> list[str]:
    return [stem(word) for word in re.findall(r"[a-z]+", words.lower())]


def _last_stem(noun: str) -> str:
    return (_stems(noun) or [""])[-1]
