"""What a reranker returns: documents in their new order, each with the two scores and the time that put it there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, overload

from qtie.display.html import framed, timeline_html
from qtie.display.timeline import TimelineBar, timeline
from qtie.document import Document, DocumentTime
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval

__all__ = ["RankedDocument", "Ranking"]

_N_SHOWN = 20
_HEAD = ("Rank", "Moved", "Document", "Time", "Relation", "S_sem", "S_temp", "Score")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedDocument:
    """A document at its place, and why it is there."""

    rank: int
    """From 1."""
    document: Document
    score: float
    """What the ranking is sorted by; higher is better."""
    semantic_score: float
    """S_sem, in (0, 1]; for an atemporal query the retriever's score as it was."""
    temporal_score: float
    """S_temp, in (0, 1]; 1 for an atemporal query."""
    time: TimeInterval | None
    """The document's time that was compared (days, both ends included); None where it has none."""
    relation: str
    """Allen relation of `time` to the asked interval, or "unknown"."""
    rank_before: int
    """Its rank by the retriever."""

    @property
    def doc_id(self) -> str:
        """The document's id."""
        return self.document.doc_id

    @property
    def stated_time(self) -> DocumentTime | None:
        """The document's time that `time` is, with where it was read and how surely.

        None where it has none, and where `time` was read from the text for this query alone.
        """
        times = (stated for given in self.document.times.values() for stated in given if stated.interval == self.time)
        return max(times, key=lambda stated: stated.confidence, default=None)

    @property
    def read_from(self) -> str:
        """The metadata key that `time` stands under, or "text" and its confidence, below 1; empty where unknown."""
        stated = self.stated_time
        if stated is None:
            return "" if self.time is None else "text"
        return stated.source if stated.confidence == 1 else f"{stated.source} {stated.confidence:.2f}".strip()

    @property
    def label(self) -> str:
        """Its title, or how its text begins."""
        return self.document.title or self.document.text[:80]

    def to_dict(self) -> dict[str, Any]:
        """The record that `qtie rerank --json` writes."""
        return {
            "rank": self.rank,
            "doc_id": self.doc_id,
            "score": self.score,
            "semantic_score": self.semantic_score,
            "temporal_score": self.temporal_score,
            "time": None if self.time is None else str(self.time),
        }

    def reasons(self) -> dict[str, Any]:
        """What `qtie rerank --json --explain` adds to the record."""
        stated = self.stated_time
        source = ("text" if self.time else None) if stated is None else stated.source or None
        return {
            "rank_before": self.rank_before,
            "relation": self.relation,
            "time_source": source,
            "time_confidence": None if stated is None else stated.confidence,
        }


@dataclass(frozen=True)
class Ranking(Sequence[RankedDocument]):
    """Ranked documents, best first; prints as a table, and `explain()` says why each stands where it does.

    In a notebook it shows itself: the query with its words about time marked, a timeline, and the first 20 documents.
    """

    ranked: tuple[RankedDocument, ...]
    intent: TemporalIntent
    method: str = ""
    """How the two scores became one."""
    notes: tuple[str, ...] = ()
    """What happened to documents that have no time or lie outside the asked one."""

    def __len__(self) -> int:
        return len(self.ranked)

    def __iter__(self) -> Iterator[RankedDocument]:
        return iter(self.ranked)

    @overload
    def __getitem__(self, index: int) -> RankedDocument: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[RankedDocument, ...]: ...

    def __getitem__(self, index: int | slice) -> RankedDocument | tuple[RankedDocument, ...]:
        return self.ranked[index]

    def __str__(self) -> str:
        head = ("rank", "moved", "document", "time", "S_sem", "S_temp", "score")
        return _table(head, [_cells(ranked, timed=self.intent.is_temporal) for ranked in self.ranked])

    def explain(self) -> str:
        """What was asked and read from which words, then each document's time, relation, scores and move."""
        lines = [self.intent.highlight()]
        if not self.intent.is_temporal:
            return "\n".join([*lines, self.intent.explain(), str(self)])
        asked = ", ".join(map(str, self.intent.intervals)) or "no interval"
        lines += [f"asked: {asked}", self.intent.explain(), self.method, *self.notes]
        head = ("rank", "before", "document", "time", "from", "relation", "S_sem", "S_temp", "score")
        rows = []
        for ranked in self.ranked:
            rank, _, document, time, *scores = _cells(ranked)
            rows.append((rank, str(ranked.rank_before), document, time, ranked.read_from, ranked.relation, *scores))
        return "\n".join([line for line in lines if line] + [_table(head, rows)])

    def timeline(self, *, k: int | None = None) -> dict[str, Any]:
        """What is asked and the first k documents, by default all, as `qtie.display.timeline.timeline` has them."""
        intent = self.intent
        asked = None if intent.reference_date is None else intent.reference_date.isoformat()
        return timeline(intent.intervals, [_bar(ranked) for ranked in self.ranked[:k]], reference_date=asked)

    def _repr_html_(self) -> str:
        """The table is plain HTML and stands alone where scripts do not run; the same ranking gives the same HTML."""
        rows = "".join(_html_row(ranked, timed=self.intent.is_temporal) for ranked in self.ranked[:_N_SHOWN])
        head = "".join(f"<th>{name}</th>" for name in _HEAD)
        n_omitted = len(self) - _N_SHOWN
        return framed(
            self.intent.to_html(self.method, *self.notes),
            timeline_html(self.timeline(k=_N_SHOWN)),
            f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody>\n</table>\n",
            f"<p>{n_omitted:,} more documents are not shown.</p>\n" if n_omitted > 0 else "",
        )

    def to_dicts(self, *, explain: bool = False) -> list[dict[str, Any]]:
        """One record a document: rank, doc_id, score, semantic_score, temporal_score, time (EDTF or None).

        Args:
            explain: with `rank_before`, `relation`, `time_source` (a metadata key or "text"; None where unknown) and
                `time_confidence`, in [0, 1].
        """
        if not explain:
            return [ranked.to_dict() for ranked in self.ranked]
        return [ranked.to_dict() | ranked.reasons() for ranked in self.ranked]


def _bar(ranked: RankedDocument) -> TimelineBar:
    return TimelineBar(
        doc_id=ranked.doc_id,
        label=ranked.label,
        time=ranked.time,
        temporal_score=ranked.temporal_score,
        rank=ranked.rank,
        relation=ranked.relation,
    )


def _html_row(ranked: RankedDocument, *, timed: bool) -> str:
    rank, arrow, _, time, *scores = _cells(ranked, timed=timed)
    label = f"<b>{escape(ranked.doc_id)}</b> {escape(ranked.document.title or ranked.document.text[:160])}"
    cells = (rank, arrow, label, time, escape(ranked.relation), *scores)
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def _cells(ranked: RankedDocument, *, timed: bool = True) -> tuple[str, ...]:
    moved = ranked.rank_before - ranked.rank
    arrow = f"↑{moved}" if moved > 0 else f"↓{-moved}" if moved < 0 else "="
    title = f"{ranked.doc_id} {ranked.document.title or ranked.document.text[:60]}".strip()
    days = "unknown" if ranked.time is None else "/".join(dict.fromkeys(str(ranked.time).split("/")))  # one day once
    semantic, score = f"{ranked.semantic_score:.3f}", f"{ranked.score:.3f}"
    scores = (semantic, f"{ranked.temporal_score:.3f}" if timed else "–", score)
    return (str(ranked.rank), arrow, _shortened(title), days, *scores)


def _shortened(text: str, width: int = 40) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Aligned columns; numbers to the right, words to the left."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    words = ("document", "time", "from", "relation", "moved")
    lines = []
    for row in [head, *rows]:
        cells = (
            cell.ljust(width) if name in words else cell.rjust(width)
            for cell, width, name in zip(row, widths, head, strict=True)
        )
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
