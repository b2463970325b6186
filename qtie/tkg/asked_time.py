"""The time that a question asks for, once its event is dated: its dates, cut to what the event leaves of them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval, unit_of
from qtie.rewriting.rewriter import ResolvedEvent
from qtie.tkg.asking import Span
from qtie.tkg.question import EventReference, TkgQuestion

__all__ = ["asked_time", "is_of_now", "lacks_side", "lies_in", "moved", "moved_constraint", "on_day"]

_PRESENT = re.compile(
    r"(?i)^\W*(?:(?:who|what|(?:which|what|how\s+many)(?:\s+[a-z]+){1,3})\s*(?:is|are|['’]s)|is|are"
    r"|(?:whom?|what|which|how\s+many)\b(?:\s+[a-z]+){0,3}\s+(?:do|does))\b"
)


def asked_time(
    question: TkgQuestion,
    dates: Sequence[TemporalConstraint],
    *,
    events: Sequence[ResolvedEvent],
    intent: TemporalIntent,
) -> TemporalIntent:
    """The question's explicit dates, cut to what the event, or any of several, leaves of them."""
    reference = question.event
    own = [c for c in dates if reference is None or not lies_in(c.span, reference.whole)]
    stated = replace(intent, query=question.text, constraints=tuple(own), preference=None, preference_span=None)
    if reference is None:
        return stated
    cut: list[TemporalConstraint] = []
    for event in events:
        days = _relative(event.interval, reference, question.unit)
        if days is not None:
            pieces = [piece for given in stated.intervals if (piece := given.intersection(days)) is not None] or [days]
            cut += [_constraint(piece, event, reference, own) for piece in pieces]
    return replace(stated, constraints=tuple(cut)) if cut else stated


def _constraint(
    days: TimeInterval, event: ResolvedEvent, reference: EventReference, dates: Sequence[TemporalConstraint]
) -> TemporalConstraint:
    return TemporalConstraint(
        interval=days,
        operator=reference.direction,
        span=reference.whole,
        granularity=max([event.interval.granularity, *(c.granularity for c in dates)], key=lambda unit: unit.days),
        rule=f"facts: {event.label}",
    )


def _relative(event: TimeInterval, reference: EventReference, asked: Granularity | None) -> TimeInterval | None:
    """The days before the event, after it, or of the same unit (or else the asked); None where it has no such side."""
    unit = reference.unit or asked
    if reference.direction == "before":
        return None if event.start is None else TimeInterval(None, event.start - 1)
    if reference.direction == "after":
        return None if event.end is None else TimeInterval(event.end + 1, None)
    if event.start is None or event.end is None:
        return event
    return unit_of(event.start, unit).hull(unit_of(event.end, unit)) if unit else event


def lacks_side(event: TimeInterval, reference: EventReference) -> bool:
    """Whether nothing is before or after the event, as the question puts it: it goes on, or has no start."""
    return reference.direction != "same" and _relative(event, reference, None) is None


def is_of_now(question: TkgQuestion) -> bool:
    """Whether it asks what holds on the day of asking: "who is the mayor of X", with no other time."""
    is_plain = question.event is None and question.order is None and question.asks in ("entity", "yes_no", "count")
    return is_plain and bool(_PRESENT.match(question.text))


def on_day(asked: TemporalIntent, day: date) -> TemporalIntent:
    """The same, of what holds on that day."""
    now = TemporalConstraint(interval=TimeInterval.day(day.year, day.month, day.day), rule="present tense")
    return replace(asked, constraints=(now,))


def lies_in(span: Span, whole: Span) -> bool:
    """Whether characters lie within others."""
    return whole[0] <= span[0] and span[1] <= whole[1]


def moved(span: Span, whole: Span) -> Span:
    """Characters, counted from the first of a text that they lie in."""
    return span[0] - whole[0], span[1] - whole[0]


def moved_constraint(constraint: TemporalConstraint, whole: Span) -> TemporalConstraint:
    """A constraint with its characters counted so."""
    more = tuple(moved(span, whole) for span in constraint.more_spans)
    return replace(constraint, span=moved(constraint.span, whole), more_spans=more)
