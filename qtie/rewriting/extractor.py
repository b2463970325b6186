"""Any extractor, asked after the events in a question have become days."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from qtie.intent import IntentExtractor, TemporalConstraint, TemporalIntent
from qtie.rewriting.rewriter import ResolvedEvent, Rewrite, Rewriter
from qtie.rewriting.wording import original_span
from qtie.tie.extractors import extract_all
from qtie.tie.semantic_query import semantic_query

__all__ = ["EventIntent", "EventResolvingExtractor"]


class EventIntent(NamedTuple):
    """An intent and the rewriting behind it."""

    intent: TemporalIntent
    rewrite: Rewrite


class EventResolvingExtractor:
    """Reads a question after its events have become days; an `IntentExtractor`.

    The intent speaks of the question as it was asked: a constraint's span is the event's words with the word that says
    before, during or after; its rule names the event. A question whose events stay unresolved gets exactly the
    intent of the extractor alone, but for a constraint without a date where its words fit several events.

    Example:
        >>> from qtie.rewriting.lexicon import LexiconRewriter
        >>> from qtie.tie.grammar import GrammarExtractor
        >>> extractor = EventResolvingExtractor(GrammarExtractor(), LexiconRewriter())
        >>> intent = extractor.extract("who was president during the 23rd Winter Olympics")
        >>> print(intent.highlight(), "→", intent.interval)
        who was president [during the 23rd Winter Olympics] → 2018-02-09/2018-02-25
    """

    def __init__(self, extractor: IntentExtractor, rewriter: Rewriter) -> None:
        self.extractor = extractor
        self.rewriter = rewriter

    @property
    def name(self) -> str:
        """The extractor's name."""
        return str(getattr(self.extractor, "name", "extractor"))

    def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
        """The time that the query asks for, its events included."""
        return self.resolve(query, reference_date=reference_date).intent

    def resolve(self, query: str, *, reference_date: date | None = None) -> EventIntent:
        """The time that the query asks for, and which events were resolved or why not."""
        return self.resolve_batch([query], reference_dates=[reference_date])[0]

    def extract_batch(
        self, queries: Sequence[str], *, reference_dates: Sequence[date | None] | None = None
    ) -> list[TemporalIntent]:
        """The intents of many queries, in order; read together where the extractor can."""
        return [found.intent for found in self.resolve_batch(queries, reference_dates=reference_dates)]

    def resolve_batch(
        self, queries: Sequence[str], *, reference_dates: Sequence[date | None] | None = None
    ) -> list[EventIntent]:
        """As `resolve`, for many queries."""
        days: Sequence[date | None] = [None] * len(queries) if reference_dates is None else reference_dates
        rewrites = [self.rewriter.rewrite(query, reference_date=day) for query, day in zip(queries, days, strict=True)]
        intents = extract_all(self.extractor, [rewrite.rewritten for rewrite in rewrites], reference_dates=days)
        return [EventIntent(_of_question(*pair), pair[1]) for pair in zip(intents, rewrites, strict=True)]


def _of_question(intent: TemporalIntent, rewrite: Rewrite) -> TemporalIntent:
    """The intent of the rewritten question as one of the question."""
    if rewrite.edits:
        constraints = tuple(dict.fromkeys(_moved(constraint, rewrite) for constraint in intent.constraints))
        preference_span = intent.preference_span and original_span(intent.preference_span, rewrite.edits)
        removed = [span for c in constraints if c.resolved for span in (c.span, *c.more_spans)]
        removed += [preference_span] if preference_span else []
        topics = {edit[:2] for edit in rewrite.edits if edit.is_topic}
        removed = [span for span in removed if span[0] < span[1] and span not in topics]
        intent = replace(
            intent,
            query=rewrite.question,
            constraints=constraints,
            preference_span=preference_span,
            semantic_query=semantic_query(rewrite.question, removed) if removed else rewrite.question,
        )
    unread = [event for event in rewrite.candidates if not _covered(event.span, intent.spans)]
    return replace(intent, constraints=(*intent.constraints, *_ambiguous(unread))) if unread else intent


def _moved(constraint: TemporalConstraint, rewrite: Rewrite) -> TemporalConstraint:
    """A constraint with its characters in the question, and with the event that it came from."""
    span = original_span(constraint.span, rewrite.edits)
    moved = replace(
        constraint,
        span=span,
        more_spans=tuple(original_span(each, rewrite.edits) for each in constraint.more_spans),
    )
    events = [event for event in rewrite.events if _covered(event.span, [span])]
    if not events:
        return moved
    asked = next((edit.interval for edit in rewrite.edits if edit.interval and edit[:2] == span), None)
    if asked is not None:  # exactly the event's days, whatever the extractor made of their words
        moved = replace(moved, interval=asked, raw=asked, operator="in", readings=())
    return replace(
        moved,
        rule="; ".join(f"{event.source}: {event.label}" for event in events),
        confidence=min([moved.confidence, *(event.confidence for event in events)]),
        granularity=max(
            [moved.granularity, *(event.interval.granularity for event in events if event.interval.end is not None)],
            key=lambda granularity: granularity.days,
        ),
    )


def _ambiguous(candidates: Sequence[ResolvedEvent]) -> list[TemporalConstraint]:
    """For words that fit several events, a constraint without a date whose readings are the events' days."""
    spans = sorted({event.span for event in candidates})
    listed = {span: [event for event in candidates if event.span == span] for span in spans}
    return [
        TemporalConstraint(
            interval=None,
            span=span,
            readings=tuple(event.interval for event in events),
            rule=f"{events[0].source}: {' or '.join(event.label for event in events)}",
        )
        for span, events in listed.items()
    ]


def _covered(span: tuple[int, int], spans: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in spans)
