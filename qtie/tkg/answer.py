"""Answers read from ranked facts: the entity in the asked slot, or the date at the asked granularity."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.rewriting.rewriter import Rewrite
from qtie.tkg.fact import Fact, bound_unit, written_date
from qtie.tkg.linking import Mention
from qtie.tkg.question import TkgQuestion

__all__ = ["RankedFact", "TkgAnswer", "answers_of"]


_END = re.compile(
    r"(?i)\b(?:until when|end(?:s|ed)?|stop(?:s|ped)?|finish(?:es|ed)?|leave|left|quit|cease[sd]?|expire[sd]?"
    r"|resign(?:ed)?|retire[sd]?|last until|dissolved?|divorced?)\b"
)
"""Words that ask for the end of what lasts."""
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
    predicate_words: str
    rewrite: Rewrite
    intent: TemporalIntent
    """The asked time, the event's included."""
    found: tuple[RankedFact, ...]
    """The facts that fit best before time was looked at."""
    facts: tuple[RankedFact, ...]
    answers: tuple[str, ...]
    """Labels of entities, or dates in ISO 8601, of all these facts."""
    reason: str
    """Why the question could not be understood wholly; empty where it was."""

    @property
    def best_answers(self) -> tuple[str, ...]:
        """Those of the facts that fit as well as the first, and are of its date where first or last is asked for."""
        return answers_of(_as_good_as_first(self.facts, same_date=self.question.order is not None), self.question)

    @property
    def abstained(self) -> bool:
        """Whether an event was left out, or there is no answer."""
        return bool(self.reason) or not self.answers

    def to_dict(self) -> dict[str, Any]:
        """The record that `qtie tkg ask` writes."""
        return {
            "question": self.question.text,
            "answers": list(self.answers),
            "best_answers": list(self.best_answers),
            "facts": [ranked.to_dict() for ranked in self.facts],
            "rewritten": self.rewrite.rewritten,
            "events": [event.to_dict() for event in self.rewrite.events],
            "candidates": [event.to_dict() for event in self.rewrite.candidates],
            "interval": self.intent.interval and self.intent.interval.to_dict(),
            "abstained": self.abstained,
            "reason": self.reason,
        }

    def explain(self) -> str:
        """Every stage, a line each."""
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        question = self.question
        unit = f" ({question.unit})" if question.unit else ""
        lines = [f"question: {question.text}"]
        lines.append(f"asks for: {question.asks}{unit}" + (f", the {question.order}" if question.order else ""))
        lines += [f"entity: {mention.text}" for mention in self.mentions]
        lines.append(f"predicate: {self.predicate_words or 'any'}")
        lines += [f"event: {event}" for event in self.rewrite.events]
        lines += [f"event may be: {event}" for event in self.rewrite.candidates]
        lines.append(f"rewritten: {self.rewrite.rewritten}")
        lines.append(f"asked time: {' or '.join(map(str, self.intent.intervals)) or 'any'}")
        ranked = [each for each in self.facts if each.supports != "event"]
        lines += ["facts before time:", *_fact_lines(self.found), "facts by time:", *_fact_lines(ranked)]
        lines += [f"note: {self.reason}"] if self.reason else []
        lines.append(f"answer: {'; '.join(self.best_answers) or 'none'}")
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
        else:
            answers.update(dict.fromkeys(_dates(fact, question)))
    return tuple(answers)


def _dates(fact: Fact, question: TkgQuestion) -> list[str]:
    """The date of a fact; of one that lasts its first date and its last, in the order that the question asks for."""
    if fact.interval is None:
        return []
    if not fact.lasting:
        known = fact.interval.granularity
        unit = question.unit if question.unit is None or question.unit.days > known.days else known
        return [written_date(fact.interval, unit)]
    ends = [day for day in (fact.interval.start, fact.interval.end) if day is not None]
    if _END.search(question.text):
        ends.reverse()
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
