"""When an event was: the fact that its words fit, or all that they may fit, none of them chosen."""

from dataclasses import dataclass

import numpy as np

from qtie.interval import TimeInterval
from qtie.rewriting.rewriter import ResolvedEvent
from qtie.tkg.asking import Order
from qtie.tkg.matching import Match, Sought, match_facts
from qtie.tkg.store import FactStore, Ids

__all__ = ["EventWords", "Grounding", "ground_event"]

_LEAST_SCORE = 0.02
"""How well a fact must fit to be the event at all."""
_MARGIN = 0.5
"""A fact of another date that fits this well beside the best makes the event ambiguous."""
_MAX_CANDIDATES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWords:
    """An event's words in a question, and what is known of its time."""

    text: str
    span: tuple[int, int]
    order: Order | None = None
    """Which of several such events is meant."""
    within: TimeInterval | None = None
    """The days that it lies in, where the words say so."""
    may_repeat: bool = False
    """Whether any of several such events may be meant."""


@dataclass(frozen=True, slots=True)
class Grounding:
    """The event, or why there is none."""

    event: ResolvedEvent | None = None
    alternatives: tuple[ResolvedEvent, ...] = ()
    """All that may be meant, where the question allows for several."""
    candidates: tuple[ResolvedEvent, ...] = ()
    """What the words fit equally, in the order of time."""
    reason: str = ""
    facts: tuple[int, ...] = ()
    """Places of the facts that date the event, and the event that it refers to."""
    participants: frozenset[int] = frozenset()
    """Entities that the question compares with others, and that are no answers."""
    doubt: str = ""
    """Why the fact that dates the event is hardly the one meant; empty where it may be."""


def ground_event(store: FactStore, sought: Sought, words: EventWords) -> Grounding:
    """The one date on which the facts that fit best happened; abstains where they are of several dates.

    Args:
        store: the facts.
        sought: what the event's words say of its fact.
        words: the event's words, and which of several or in what days it is.
    """
    match = _within(store, match_facts(store, sought), words.within)
    if not len(match.facts) or match.scores.max() < _LEAST_SCORE:
        return Grounding(reason=f'no fact tells of "{words.text}"')
    best = match.scores.max()
    fitting = match.facts[match.scores >= _MARGIN * best]
    if words.order is not None:
        fitting = _ordered(store, match.facts[match.scores >= 0.999 * best], words.order)
    facts = _one_a_date(store, fitting)
    events = [_event(store, fact, words, match) for fact in facts]
    if len(events) == 1:
        return Grounding(event=events[0], facts=(facts[0],), doubt=sought.reading(store, facts[0]).doubt)
    if words.may_repeat:
        return Grounding(alternatives=tuple(events), facts=tuple(facts))
    listed = tuple(sorted(events, key=lambda event: _start(event.interval))[:_MAX_CANDIDATES])
    return Grounding(candidates=listed, reason=f'"{words.text}" fits facts of {len(events)} dates')


def _within(store: FactStore, match: Match, days: TimeInterval | None) -> Match:
    """The dated facts, in those days where some are given."""
    kept = ~np.isnan(store.start[match.facts])
    if days is not None and days.start is not None:
        kept &= store.end[match.facts] >= days.start
    if days is not None and days.end is not None:
        kept &= store.start[match.facts] <= days.end
    return Match(match.facts[kept], match.scores[kept], match.answers_object[kept])


def _ordered(store: FactStore, facts: Ids, order: Order) -> Ids:
    """The first or last of the facts, with those of the same date."""
    days = store.start[facts] if order == "first" else -store.end[facts]
    return np.asarray(facts[days == days.min()], dtype=np.intp)


def _one_a_date(store: FactStore, facts: Ids) -> list[int]:
    dates: dict[tuple[float, float], int] = {}
    for fact in facts.tolist():
        dates.setdefault((float(store.start[fact]), float(store.end[fact])), fact)
    return list(dates.values())


def _event(store: FactStore, fact: int, words: EventWords, match: Match) -> ResolvedEvent:
    interval = store.interval(fact)
    assert interval is not None  # the undated are left out
    share = float(match.scores[np.searchsorted(match.facts, fact)])
    return ResolvedEvent(
        text=words.text,
        span=words.span,
        label=store.fact(fact).verbalized,
        interval=interval,
        source="facts",
        confidence=round(min(1.0, share), 3),
    )


def _start(interval: TimeInterval) -> float:
    return -np.inf if interval.start is None else float(interval.start)
