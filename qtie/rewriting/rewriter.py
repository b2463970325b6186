"""What every rewriter does: put the days of the events that a question names in their place, or say why not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from qtie.errors import ConfigError
from qtie.interval import TimeInterval
from qtie.rewriting.wording import Edit, edited, edits_of, original_span

__all__ = ["ResolvedEvent", "Rewrite", "Rewriter", "RewriterChain", "Source"]

Source = Literal["lexicon", "facts", "documents", "model"]
"""Where an event's days come from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedEvent:
    """An event that a question names, and its days (both ends included, a side open where it still goes on).

    Raises:
        ConfigError: a confidence outside [0, 1], or an unknown source.
    """

    text: str
    """The question's words for it, without the word that says before, during or after."""
    span: tuple[int, int]
    """The characters of the question that these words are: first, and one after the last."""
    label: str
    """What it is called where its days were found: a name of the lexicon, a fact, a document's title and id."""
    interval: TimeInterval
    source: Source
    confidence: float = 1.0
    """In [0, 1]."""

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise ConfigError(f"confidence must be from 0 to 1, not {self.confidence!r}")
        if self.source not in get_args(Source):
            raise ConfigError(f"source must be one of {', '.join(get_args(Source))}, not {self.source!r}")

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record."""
        return {
            "text": self.text,
            "span": list(self.span),
            "label": self.label,
            "interval": self.interval.to_dict(),
            "source": self.source,
            "confidence": self.confidence,
        }

    def __str__(self) -> str:
        return f'"{self.text}" → {self.interval} ({self.source}: {self.label})'


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """A question with the days of its events in their place; the question itself where none is resolved.

    Example:
        >>> war = ResolvedEvent(
        ...     text="the war", span=(20, 27), label="The war", interval=TimeInterval.years(1914, 1918), source="facts"
        ... )
        >>> Rewrite.of("who was king during the war", [war]).rewritten
        'who was king from 1914 to 1918'
    """

    question: str
    rewritten: str
    events: tuple[ResolvedEvent, ...] = ()
    """What was put in, in the order of the question; their spans are disjoint."""
    candidates: tuple[ResolvedEvent, ...] = ()
    """What the words may mean where they fit several events: all are listed, and none is put in."""
    reason: str = ""
    """Why an event that the question may name is not put in; empty where there is none."""
    edits: tuple[Edit, ...] = ()
    """Which characters were replaced, and by what."""

    @classmethod
    def of(
        cls,
        question: str,
        events: Sequence[ResolvedEvent],
        *,
        candidates: Sequence[ResolvedEvent] = (),
        reason: str = "",
    ) -> "Rewrite":
        """The question with these events' days; an event that cannot be worded ("after" what goes on) is left out."""
        ordered = sorted(events, key=lambda event: event.span)
        edits, refused = edits_of(question, [(event.span, event.interval) for event in ordered])
        kept = tuple(event for event in ordered if event.span not in refused)
        reasons = [reason] if reason else []
        reasons += [f"{event.label}: {refused[event.span]}" for event in ordered if event.span in refused]
        return cls(
            question=question,
            rewritten=edited(question, edits),
            events=kept,
            candidates=tuple(candidates),
            reason="; ".join(reasons),
            edits=edits,
        )

    def lines(self) -> list[str]:
        """For people: each event with its days, and what is not resolved and why."""
        lines = [f"event: {event}" for event in self.events]
        lines += [f"not resolved: {self.reason}"] if self.reason else []
        return lines + [f"  it may be: {event}" for event in self.candidates]

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record."""
        return {
            "question": self.question,
            "rewritten": self.rewritten,
            "events": [event.to_dict() for event in self.events],
            "candidates": [event.to_dict() for event in self.candidates],
            "reason": self.reason,
        }


@runtime_checkable
class Rewriter(Protocol):
    """Finds the events that a question names, and their days."""

    def rewrite(self, question: str, *, reference_date: date | None = None) -> Rewrite:
        """The question with its events' days in their place; itself, with a reason, where it is not sure.

        Args:
            reference_date: the day of asking.
        """
        ...


class RewriterChain:
    """Several rewriters, the surest first: each adds the events whose words none before it has resolved.

    Where one before finds a word to fit several events, a later one may still know which is meant.

    Example:
        >>> RewriterChain([]).rewrite("who won").rewritten
        'who won'
    """

    def __init__(self, rewriters: Sequence[Rewriter]) -> None:
        self.rewriters = tuple(rewriters)

    def rewrite(self, question: str, *, reference_date: date | None = None) -> Rewrite:
        """The question with all events that any of them resolves.

        Each is given the question as those before it have left it, so that nobody is asked about a resolved event.
        """
        so_far = Rewrite.of(question, [])
        candidates: list[ResolvedEvent] = []
        reasons: list[str] = []
        reasons_of_last: list[str] = []  # what is left by all
        for rewriter in self.rewriters:
            found = rewriter.rewrite(so_far.rewritten, reference_date=reference_date)
            candidates += [_in_question(event, so_far) for event in found.candidates]
            reasons_of_last = [found.reason] if found.reason else []
            reasons += reasons_of_last
            added = [_in_question(event, so_far) for event in found.events]
            events = [*so_far.events, *(event for event in added if not _touches(event, so_far.events))]
            so_far = Rewrite.of(question, events)
        still_open = [event for event in candidates if not _touches(event, so_far.events)]
        said = reasons if still_open or not so_far.events else reasons_of_last
        return replace(so_far, candidates=tuple(still_open), reason="; ".join(said))


def _in_question(event: ResolvedEvent, so_far: Rewrite) -> ResolvedEvent:
    """An event found in a rewritten question, with its words in the question."""
    span = original_span(event.span, so_far.edits)
    return replace(event, span=span, text=so_far.question[slice(*span)])


def _touches(event: ResolvedEvent, others: Sequence[ResolvedEvent]) -> bool:
    return any(event.span[0] < other.span[1] and other.span[0] < event.span[1] for other in others)
