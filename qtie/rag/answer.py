"""What a pipeline returns: an answer with citations, their dates, and how it was found."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.rag.asked_time import tells_of
from qtie.rag.passage import Asked, Passage, shown_interval
from qtie.rag.reader import Reading
from qtie.rewriting.rewriter import Source

__all__ = ["Answer", "Citation", "Step", "citations"]


_OF_EVENT = re.compile(rf"(?:{'|'.join(get_args(Source))}): ")
"""How the rule of a constraint begins that stands for a named event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A document that an answer rests on, with its time."""

    doc_id: str
    title: str
    time: TimeInterval | None
    """The document's time that was compared (days, both ends included); None where it has none."""
    inside: bool | None
    """Whether that time, or one that the quote states, meets the time asked for; None where that is unknown, or none is
    asked for."""
    quote: str = ""
    """The words that say so, where they are known."""

    def to_dict(self) -> dict[str, Any]:
        """The record in `citations` of what `qtie ask --json` writes."""
        return {
            "doc_id": self.doc_id,
            "title": self.title,
            "time": None if self.time is None else str(self.time),
            "inside": self.inside,
            "quote": self.quote,
        }

    def __str__(self) -> str:
        time = "undated" if self.time is None else shown_interval(self.time)
        outside = ", outside the asked time" if self.inside is False else ""
        quote = f": {self.quote}" if self.quote else f": {self.title}" if self.title else ""
        return f"[{self.doc_id}, {time}{outside}]{quote}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One round of retrieving and reading: with which scope of time, what was read, and what was found of it."""

    action: str
    """ask; or how the scope was revised: as of, event, split, widen."""
    intervals: tuple[TimeInterval, ...]
    """The scope; none where no time was asked for."""
    doc_ids: tuple[str, ...]
    """What was read, best first."""
    answer: str | None
    verdict: str
    """Why the answer was taken, or what was missing."""

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record."""
        return {
            "action": self.action,
            "intervals": [str(interval) for interval in self.intervals],
            "doc_ids": list(self.doc_ids),
            "answer": self.answer,
            "verdict": self.verdict,
        }

    def __str__(self) -> str:
        scope = " or ".join(map(str, self.intervals)) or "any time"
        return f"{self.action}: {scope}; read {', '.join(self.doc_ids) or 'nothing'}; {self.answer!r}: {self.verdict}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a question, or why there is none."""

    question: str
    answer: str | None
    """None where nothing answers; `notes` then say what is missing."""
    citations: tuple[Citation, ...] = ()
    intent: TemporalIntent
    """The time that the question asks for."""
    pipeline: str
    reader: str
    notes: tuple[str, ...] = ()
    """What a user must know of it: nothing dated in the asked time, several times for one fact, …"""
    steps: tuple[Step, ...] = ()
    """Every round, in order."""
    n_tokens_read: int = 0
    """Of a language model's prompts, all rounds together, as estimated."""
    n_tokens_written: int = 0

    @property
    def outside(self) -> bool:
        """Whether it cites passages, and all that have a time lie outside the asked one."""
        dated = [citation.inside for citation in self.citations if citation.inside is not None]
        return bool(dated) and not any(dated)

    def to_dict(self) -> dict[str, Any]:
        """The record that `qtie ask --json` writes."""
        return {
            "question": self.question,
            "answer": self.answer,
            "citations": [citation.to_dict() for citation in self.citations],
            "interval": self.intent.interval and self.intent.interval.to_dict(),
            "intervals": [str(interval) for interval in self.intent.intervals],
            "pipeline": self.pipeline,
            "reader": self.reader,
            "outside": self.outside,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [self.answer if self.answer is not None else "no answer"]
        lines += [f"  {citation}" for citation in self.citations]
        return "\n".join([*lines, *(f"  ({note})" for note in self.notes)])

    def explain(self) -> str:
        """The answer, what time was asked for and from which words, what dated a named event, and every round."""
        events = [f"dated by {each.rule}" for each in self.intent.constraints if _OF_EVENT.match(each.rule)]
        return "\n".join([str(self), self.intent.highlight(), self.intent.explain(), *events, *map(str, self.steps)])


def citations(reading: Reading, passages: Sequence[Passage], asked: Asked) -> tuple[Citation, ...]:
    """What a reading rests on, best first; a passage that is not there is no citation.

    Words of a passage of another time that state the asked one lie inside it: "455 million in 2018", written in 2019.
    """
    found = [(passages[quote.passage], quote.text) for quote in reading.quotes if 0 <= quote.passage < len(passages)]
    return tuple(
        Citation(
            doc_id=passage.document.doc_id,
            title=passage.document.title,
            time=passage.time,
            inside=passage.inside or tells_of(text, asked, passage.time) or passage.inside,
            quote=" ".join(text.split()),
        )
        for passage, text in found
    )
