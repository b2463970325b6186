"""Answers read from ranked facts: the entity in the asked slot, or the date at the asked granularity."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.rewriting.rewriter import Rewrite
from qtie.tkg.asking import Kind
from qtie.tkg.fact import Fact, bound_unit, written_date
from qtie.tkg.linking import Mention
from qtie.tkg.predicate import PredicateReading
from qtie.tkg.question import TkgQuestion

__all__ = ["RankedFact", "TkgAnswer", "answers_of"]


_END = re.compile(
    r"(?i)\b(?:until when|end(?:s|ed)?|stop(?:s|ped)?|finish(?:es|ed)?|leave|left|quit|cease[sd]?|expire[sd]?"
    r"|resign(?:ed)?|retire[sd]?|last until|dissolved?|divorced?)\b"
)
"""Words that ask for the end of what lasts."""
_START = re.compile(
    r"(?i)\b(?:since when|start(?:s|ed)?|beg[iau]n(?:s|ning)?|bec[ao]me|becoming|(?:join|enter)(?:s|ed)?"
    r"|t(?:ake|ook) office|assumed?|marr(?:y|ied)|found(?:ed)?|sign(?:ed)? (?:for|with))\b"
)
"""Words that ask for its start."""
_KINDS: dict[Kind, str] = {
    "entity": "entity",
    "date": "date",
    "count": "number",
    "times": "number of times",
    "yes_no": "yes or no",
    "other": "what facts do not hold",
}
_AS_GOOD = 0.05
"""Scores that are this near are as good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedFact:
    """A fact that was found, with its scores."""

    fact: Fact
    score: float
    """What the facts are sorted by, unless the first or last is asked for."""
    semantic_score: float
    """In (0, 1], time aside."""
    supports: Literal["subject", "object", "event"]
    """Which of its sides is an answer where an entity is asked for; "event": it dates the event of the question."""

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record."""
        scores = {"score": self.score, "semantic_score": self.semantic_score}
        return {**self.fact.to_dict(), **scores, "supports": self.supports}


@dataclass(frozen=True, slots=True, kw_only=True)
class TkgAnswer:
    """The answers to a question, best first, and every stage that led to them."""

    question: TkgQuestion
    mentions: tuple[Mention, ...]
    predicate: PredicateReading
    """The words for a predicate, and which the best fact has."""
    rewrite: Rewrite
    intent: TemporalIntent
    """The asked time, the event's included."""
    found: tuple[RankedFact, ...]
    """The facts that fit best before time was looked at."""
    facts: tuple[RankedFact, ...]
    answers: tuple[str, ...]
    """Labels of entities, or dates in ISO 8601, of all these facts; or a number, "yes" or "no"."""
    reason: str
    """Why the question could not be understood wholly; empty where it was."""
    notes: tuple[str, ...] = ()
    """What the answers rest on that the question does not say."""

    @property
    def best_answers(self) -> tuple[str, ...]:
        """Those of the facts that fit as well as the first, and are of its date where first or last is asked for."""
        if self.question.asks not in ("entity", "date"):
            return self.answers
        return answers_of(_as_good_as_first(self.facts, same_date=self.question.order is not None), self.question)

    @property
    def abstained(self) -> bool:
        """Whether an event was left out, or there is no answer."""
        return bool(self.reason) or not self.answers

    def to_dict(self) -> dict[str, Any]:
        """The record that `qtie tkg ask` writes."""
        return {
            "question": self.question.text,
            "asks": self.question.asks,
            "answers": list(self.answers),
            "best_answers": list(self.best_answers),
            "facts": [ranked.to_dict() for ranked in self.facts],
            "rewritten": self.rewrite.rewritten,
            "events": [event.to_dict() for event in self.rewrite.events],
            "candidates": [event.to_dict() for event in self.rewrite.candidates],
            "predicate": self.predicate.to_dict(),
            "interval": self.intent.interval and self.intent.interval.to_dict(),
            "abstained": self.abstained,
            "reason": self.reason,
            "notes": list(self.notes),
        }

    def explain(self) -> str:
        """Every stage, a line each."""
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        question = self.question
        unit = f" ({question.unit})" if question.unit else ""
        lines = [f"question: {question.text}"]
        lines.append(f"asks for: {_KINDS[question.asks]}{unit}" + (f", the {question.order}" if question.order else ""))
        lines += [f"entity: {mention.text}" for mention in self.mentions]
        lines.append(f"predicate: {self.predicate}")
        lines += [f"event: {event}" for event in self.rewrite.events]
        lines += [f"event may be: {event}" for event in self.rewrite.candidates]
        lines.append(f"rewritten: {self.rewrite.rewritten}")
        lines.append(f"asked time: {' or '.join(map(str, self.intent.intervals)) or 'any'}")
        ranked = [each for each in self.facts if each.supports != "event"]
        lines += ["facts before time:", *_fact_lines(self.found), "facts by time:", *_fact_lines(ranked)]
        lines += [f"note: {note}" for note in (self.reason, *self.notes) if note]
        best = "; ".join(self.best_answers)
        nearest = f"none; nearest: {best}" if best else "none"
        lines.append(f"answer: {nearest if self.abstained else best}")
        return lines


def answers_of(facts: Sequence[RankedFact], question: TkgQuestion) -> tuple[str, ...]:
    """The answers that the facts give, in their order, each once.

    A date is written at the asked granularity, or as exactly as its fact knows it; undated facts give none.
    """
    answers: dict[str, None] = {}
    for ranked in facts:
        fact = ranked.fact
        if ranked.supports == "event":
            continue
        if question.asks == "entity":
            answers[fact.object if ranked.supports == "object" else fact.subject] = None
        elif question.asks == "date":
            answers.update(dict.fromkeys(_dates(fact, question)))
    return tuple(answers)


def _dates(fact: Fact, question: TkgQuestion) -> list[str]:
    """The date of a fact; of what lasts the first or last as the question asks, or both."""
    if fact.interval is None:
        return []
    if not fact.lasting:
        known = fact.interval.granularity
        unit = question.unit if question.unit is None or question.unit.days > known.days else known
        return [written_date(fact.interval, unit)]
    ends = [day for day in (fact.interval.start, fact.interval.end) if day is not None]
    if _END.search(question.text):
        ends = ends[-1:] if fact.interval.end is not None else []
    elif _START.search(question.text):
        ends = ends[:1] if fact.interval.start is not None else []
    unit = question.unit or bound_unit(fact.interval)
    return [written_date(TimeInterval(day, day), unit) for day in ends]


def _as_good_as_first(facts: Sequence[RankedFact], *, same_date: bool) -> list[RankedFact]:
    if not facts:
        return []
    first = facts[0]
    return [
        each
        for each in facts
        if each.score >= first.score - _AS_GOOD and (not same_date or each.fact.interval == first.fact.interval)
    ]


def _fact_lines(facts: Sequence[RankedFact]) -> list[str]:
    return [f"  {ranked.score:7.3f}  {ranked.fact.verbalized}" for ranked in facts]
