"""A request's documents as candidates: their texts, scores and times, checked, in the order of their scores."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from qtie.config import Config
from qtie.document import Document, read_times
from qtie.document_time import DocumentTime, parse_bounds, parse_time
from qtie.errors import IntervalError, QtieError, ServiceError
from qtie.intent import IntentOptions
from qtie.service.requests import RerankRequest, TextsRequest

__all__ = ["Candidates", "candidates", "texts_of"]

_DECLARED = frozenset(("text", "title", "score", "timestamp", "valid_from", "valid_to", "id", "_id", "doc_id"))
_REMEMBERED = 20_000
"""Timestamps: the days and documents of one service recur."""


class Candidates(NamedTuple):
    """Documents whose ids are their positions in the request, zero-padded, best score first."""

    documents: list[Document]
    scores: list[float] | None
    """One a document; None: they came sorted, best first."""
    warnings: list[str]
    """Metadata that could not be read as times."""


def texts_of(request: RerankRequest | TextsRequest) -> list[str]:
    """The texts, in the request's order."""
    if isinstance(request, TextsRequest):
        return request.texts
    return [item if isinstance(item, str) else item["text"] for item in request.documents]


def candidates(
    request: RerankRequest | TextsRequest, *, config: Config, scores: Sequence[float] | None = None
) -> Candidates:
    """The candidates of a request.

    Args:
        config: where metadata keeps its times.
        scores: those of an upstream re-ranker, which go before the request's.

    Raises:
        ServiceError: a declared time that is none, or scores of some documents only; names the field.
    """
    items: Sequence[Any] = request.texts if isinstance(request, TextsRequest) else request.documents
    given = scores if scores is not None else request.scores
    given = given if given is not None else _own_scores(items)
    timestamps = request.timestamps or [None] * len(items)
    reader, width = _Reader(config, Counter()), len(str(len(items)))
    documents = [
        reader.document(position, item, stamp, f"{position:0{width}}")
        for position, (item, stamp) in enumerate(zip(items, timestamps, strict=True))
    ]
    warnings = [
        f"{key!r} of {n} documents cannot be read as a time, and counts as missing"
        for key, n in reader.problems.items()
    ]
    if given is None:
        return Candidates(documents, None, warnings)
    order = sorted(range(len(given)), key=lambda position: -given[position])
    return Candidates([documents[p] for p in order], [given[p] for p in order], warnings)


def _own_scores(items: Sequence[Any]) -> list[float] | None:
    own = [None if isinstance(item, str) else item.get("score") for item in items]
    scores = [score for score in own if score is not None]
    if scores and len(scores) < len(own):
        path = f"documents[{own.index(None)}].score"
        raise ServiceError("missing, while other documents have one", status=422, path=path)
    return scores or None


class _Reader(NamedTuple):
    """Reads one request's documents."""

    config: Config
    problems: Counter[str]
    """How many documents have a metadata key that holds no time."""

    def document(self, position: int, item: Any, stamp: Any, doc_id: str) -> Document:
        """A document with the times that the client declares, and those of its metadata for the facets it does not."""
        if isinstance(item, str):
            item = {"text": item}
        declared = {
            "timestamp": self._timestamp(position, item, stamp),
            "validity": self._validity(position, item),
        }
        times: dict[str, tuple[DocumentTime, ...]] = {
            facet: (time,) for facet, time in declared.items() if time is not None
        }
        if not item.keys() <= _DECLARED:
            rest = {key: value for key, value in item.items() if key not in _DECLARED}
            times = {**self._others(position, rest), **times}
        return Document(doc_id=doc_id, text=item["text"], title=item.get("title") or "", times=times)

    def _timestamp(self, position: int, item: Mapping[str, Any], stamp: Any) -> DocumentTime | None:
        value, path = stamp, f"timestamps[{position}]"
        if value is None:
            value, path = item.get("timestamp"), f"documents[{position}].timestamp"
        if value is None:
            return None
        try:
            if isinstance(value, str):
                return _time(value, self.config.intent)
            return parse_time(value, options=self.config.intent, source="timestamp")
        except IntervalError as error:
            raise ServiceError(str(error), status=422, path=path) from None

    def _validity(self, position: int, item: Mapping[str, Any]) -> DocumentTime | None:
        start, end = item.get("valid_from"), item.get("valid_to")
        if start is None and end is None:
            return None
        try:
            return parse_bounds(start, end, options=self.config.intent, source="valid_from/valid_to")
        except IntervalError as error:
            side = "valid_to" if start is None else "valid_from"
            raise ServiceError(str(error), status=422, path=f"documents[{position}].{side}") from None

    def _others(self, position: int, item: Mapping[str, Any]) -> dict[str, tuple[DocumentTime, ...]]:
        """The times of metadata and of named facets; a facet that a client names must be a time."""
        try:
            times, problems = read_times(item, config=self.config)
        except QtieError as error:
            raise ServiceError(str(error), status=422, path=f"documents[{position}]") from None
        for problem in problems:
            if problem.key.startswith("times."):
                raise ServiceError(problem.reason, status=422, path=f"documents[{position}].{problem.key}")
        self.problems.update({problem.key for problem in problems})
        return times


@lru_cache(maxsize=_REMEMBERED)
def _time(text: str, options: IntentOptions) -> DocumentTime | None:
    return parse_time(text, options=options, source="timestamp")
