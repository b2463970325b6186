"""What all adapters share: a framework's documents as candidates, and their new places with the reasons."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import date
from typing import Any, Generic, TypeVar

from qtie.config import Config
from qtie.document import Document
from qtie.errors import DocumentError
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.ranking import RankedDocument
from qtie.reranker import TemporalReranker

__all__ = ["Place", "ReferenceDate", "places", "reference_day"]

ReferenceDate = date | Callable[[], date] | None
"""The day of asking, or what gives it: `date.today`, for an adapter that outlives the day it was made on."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Place(Generic[Item]):
    """Where one of the caller's objects stands now, and why; the object itself is as it was."""

    item: Item
    score: float | None
    """Higher is better; for an atemporal query the score it came with, or None."""
    temporal: dict[str, Any]
    """The reasons as JSON-ready values, for the framework's metadata."""


def places(
    reranker: TemporalReranker,
    query: str,
    items: Sequence[Item],
    *,
    record: Callable[[Item], Mapping[str, Any]],
    scores: Sequence[float | None] | None = None,
    normalization: str | None = None,
    reference_date: ReferenceDate = None,
    intent: TemporalIntent | None = None,
    interval: TimeInterval | None = None,
    k: int | None = None,
) -> list[Place[Item]]:
    """The caller's objects in the order of their topic and time, best first; equal ones keep their order.

    Args:
        reranker: how topic and time are joined.
        query: as the user asked it.
        items: the framework's documents, which are not changed.
        record: the text and metadata of one, as `Document.from_record` takes them.
        scores: one an item, higher is better; unless every item has one, the items count as sorted, best first.
        normalization: what the scores are, for a reranker that would otherwise guess it ("auto").
        reference_date: the day of asking, or what gives it.
        intent: the query's, where it is known already.
        interval: days that the caller asks for; what the query says can only tighten it.
        k: how many to return; by default all.

    Raises:
        ConfigError: k is not positive.
        DocumentError: a document that cannot be read, or a score that is not finite.

    Example:
        >>> notes = [("Budget passed", 2016), ("Budget passed", 2019)]
        >>> as_record = lambda note: {"text": note[0], "metadata": {"year": note[1]}}
        >>> best = places(TemporalReranker(), "budget in 2019", notes, record=as_record, k=1)[0]
        >>> best.item, best.temporal["rank_before"], best.temporal["cues"]
        (('Budget passed', 2019), 2, ['in 2019'])
    """
    width = len(str(len(items)))  # ids that sort as the items stand, so that equal scores keep their order
    documents = [
        _document(record(item), f"{position:0{width}}", reranker.config) for position, item in enumerate(items)
    ]
    if normalization and reranker.normalization == "auto":
        reranker = copy(reranker)
        reranker.normalization = normalization
    came_with = [None] * len(items) if scores is None else list(scores)
    given = [score for score in came_with if score is not None]
    ranking = reranker.rank(
        query, documents, scores=given if len(given) == len(items) else None,
        reference_date=reference_day(reference_date), intent=intent, interval=interval, k=k,
    )  # fmt: skip
    return [
        Place(
            item=items[int(ranked.doc_id)],
            score=ranked.score if ranking.intent.is_temporal else came_with[int(ranked.doc_id)],
            temporal=_reasons(ranked, ranking.intent),
        )
        for ranked in ranking
    ]


def reference_day(reference_date: ReferenceDate) -> date | None:
    """The day itself.

    Example:
        >>> reference_day(lambda: date(2025, 6, 15))
        datetime.date(2025, 6, 15)
    """
    return reference_date() if callable(reference_date) else reference_date


def _document(record: Mapping[str, Any], position: str, config: Config) -> Document:
    try:
        return Document.from_record({**record, "_id": position}, config=config)
    except DocumentError as error:
        raise DocumentError(f"document {int(position)}: {error}") from error


def _reasons(ranked: RankedDocument, intent: TemporalIntent) -> dict[str, Any]:
    """What moved one document: the asked intervals and their words; its time, relation and scores; its ranks."""
    return {
        "intervals": [str(interval) for interval in intent.intervals],
        "cues": [intent.query[start:end] for start, end in intent.spans],
        "time": None if ranked.time is None else str(ranked.time),
        "relation": str(ranked.relation),
        "semantic_score": ranked.semantic_score,
        "temporal_score": ranked.temporal_score,
        "rank": ranked.rank,
        "rank_before": ranked.rank_before,
    }
