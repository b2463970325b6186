"""Documents' times as NumPy columns, so that a million of them are compared with an interval in one pass."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qtie.allen import Days
from qtie.document import Document, DocumentTime
from qtie.interval import TimeInterval

__all__ = ["FAR_DAYS", "TimeColumns", "Times"]

FAR_DAYS = 1e15
"""A day beyond every day, and still exact in float64: where an open end or start stands as a point."""

_ANY = ("timestamp", "focus_time", "validity", "event")
_FUTURE = ("focus_time", "validity", "event")


@dataclass(frozen=True, eq=False, kw_only=True)
class Times:
    """Times of one kind as columns (days, both ends included), in the order of their documents.

    All arrays have shape (n_times,). A document may have none, one or several times; one that has none is unknown.
    Open sides of lasting times are -inf and inf; those of points are -FAR_DAYS and FAR_DAYS.

    Example:
        >>> years = Times.from_intervals([TimeInterval.year(2018), TimeInterval.year(2019)])
        >>> years.start, years.single
        (array([17532., 17897.]), True)
    """

    n_docs: int
    doc: NDArray[np.intp]
    """Which document has the time: its index, ascending."""
    start: Days
    """First day on which it may hold."""
    end: Days
    """Last day on which it may hold."""
    latest_start: Days
    """The latest day on which it may have started: the last of its starting unit."""
    earliest_end: Days
    """The earliest day on which it may have ended: the first of its ending unit."""
    lasting: NDArray[np.bool_]
    """Whether it holds throughout, rather than on some one day of it."""
    confidence: Days
    """In [0, 1]."""

    @classmethod
    def from_rows(cls, rows: "list[tuple[int, DocumentTime]]", *, n_docs: int) -> "Times":
        """The columns of pairs of a document's index, ascending, and one of its times."""
        numbers = np.array([_numbers(time) for _, time in rows], dtype=np.float64).reshape(-1, 6).T
        start, end, latest_start, earliest_end, lasting, confidence = map(np.ascontiguousarray, numbers)
        return cls(
            n_docs=n_docs,
            doc=np.array([index for index, _ in rows], dtype=np.intp),
            start=start,
            end=end,
            latest_start=latest_start,
            earliest_end=earliest_end,
            lasting=lasting.astype(np.bool_),
            confidence=confidence,
        )

    @classmethod
    def from_intervals(cls, intervals: Iterable[TimeInterval], *, lasting: bool = False) -> "Times":
        """One certain time for each document."""
        times = [DocumentTime(interval=interval, lasting=lasting) for interval in intervals]
        return cls.from_rows(list(enumerate(times)), n_docs=len(times))

    def take(self, chosen: NDArray[np.generic]) -> "Times":
        """The times that an index or mask array chooses; document indices must stay ascending."""
        return _concatenated([self], chosen)

    def bound(self, side: str) -> "Times":
        """The days on which each time started (`side` "start") or ended ("end"), as points.

        An open start lies before every day, an open end after every day.
        """
        low, high = (self.start, self.latest_start) if side == "start" else (self.earliest_end, self.end)
        low, high = np.clip(low, -FAR_DAYS, FAR_DAYS), np.clip(high, -FAR_DAYS, FAR_DAYS)
        return Times(
            n_docs=self.n_docs,
            doc=self.doc,
            start=low,
            end=high,
            latest_start=high,
            earliest_end=low,
            lasting=np.zeros(len(low), dtype=np.bool_),
            confidence=self.confidence,
        )

    @cached_property
    def single(self) -> bool:
        """Whether every document has exactly one time."""
        return len(self.doc) == self.n_docs and bool((self.doc == np.arange(self.n_docs)).all())

    @cached_property
    def certain(self) -> bool:
        """Whether every time has confidence 1."""
        return bool((self.confidence == 1.0).all())

    @cached_property
    def firsts(self) -> NDArray[np.intp]:
        """Where each dated document's times begin."""
        return np.flatnonzero(np.diff(self.doc, prepend=-1))

    @cached_property
    def dated(self) -> NDArray[np.intp]:
        """The indices of the documents that have such a time."""
        return self.doc[self.firsts]

    @cached_property
    def trust(self) -> NDArray[np.float64]:
        """The highest confidence among each dated document's times."""
        return np.maximum.reduceat(self.confidence, self.firsts)

    @cached_property
    def n_days(self) -> Days | None:
        """Of how many days it is one: the length of a point, 1 of a lasting time; None: all are 1."""
        coarse = ~self.lasting & (self.end > self.start)
        return np.where(coarse, self.end - self.start + 1, 1.0) if coarse.any() else None

    @cached_property
    def half_length(self) -> Days:
        """Days from a point's nearest possible day to its expected one; 0 for lasting times, whose bounds are known."""
        return np.where(self.lasting, 0.0, np.minimum((self.end - self.start) / 2, FAR_DAYS))

    @cached_property
    def extent(self) -> tuple[float, float]:
        """The first and last day that any of them names; (0, 0) where none does."""
        days = np.concatenate([self.start, self.end])
        named = days[np.abs(days) < FAR_DAYS]
        return (float(named.min()), float(named.max())) if len(named) else (0.0, 0.0)


def _numbers(time: DocumentTime) -> tuple[float, float, float, float, bool, float]:
    far = np.inf if time.lasting else FAR_DAYS
    start = -far if time.interval.start is None else float(time.interval.start)
    end = far if time.interval.end is None else float(time.interval.end)
    if not time.lasting:
        return start, end, end, start, False, time.confidence
    latest_start = -np.inf if time.start is None or time.start.end is None else float(min(time.start.end, end))
    earliest_end = np.inf if time.end is None or time.end.start is None else float(max(time.end.start, start))
    return start, end, latest_start, earliest_end, True, time.confidence


def _concatenated(parts: list[Times], chosen: NDArray[np.generic] | None = None) -> Times:
    doc = np.concatenate([part.doc for part in parts])
    order = np.argsort(doc, kind="stable") if chosen is None else chosen
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])[order]
        for name in ("start", "end", "latest_start", "earliest_end", "lasting", "confidence")
    }
    return Times(n_docs=parts[0].n_docs, doc=doc[order], **columns)


@dataclass(frozen=True, eq=False)
class TimeColumns:
    """All times of a list of documents, as columns by facet; build them once and score many queries.

    Example:
        >>> time = DocumentTime(interval=TimeInterval.year(2019))
        >>> document = Document(doc_id="1", text="", times={"timestamp": (time,)})
        >>> columns = TimeColumns.from_documents([document, Document(doc_id="2", text="")])
        >>> columns.times_for("any").dated
        array([0])
    """

    n_docs: int
    facets: Mapping[str, Times]

    def __post_init__(self) -> None:
        object.__setattr__(self, "_cache", {})

    @classmethod
    def from_documents(cls, documents: Iterable[Document]) -> "TimeColumns":
        """The times of `documents`; scores computed from them are in the documents' order."""
        rows: dict[str, list[tuple[int, DocumentTime]]] = defaultdict(list)
        n_docs = 0
        for index, document in enumerate(documents):
            n_docs = index + 1
            for facet, times in document.times.items():
                rows[facet].extend((index, time) for time in times)
        return cls(n_docs, {facet: Times.from_rows(pairs, n_docs=n_docs) for facet, pairs in rows.items()})

    def times_for(self, target: str) -> Times:
        """The times that a constraint on `target` is compared with.

        - `any`: timestamp, focus time, validity and event; `published` where there is no timestamp.
        - `start`, `end`: the bounds of the validity; where a document has none, its `any` times, as points.
        - `held`: the validity, or else the `any` times; what Allen relations are asked of.
        - `future`: focus time, validity and event, which alone can speak of days after the reference date.
        - `published`: that facet, or else the timestamp.
        - any other name: that facet.
        """
        cache: dict[str, Times] = self.__dict__["_cache"]
        if target not in cache:
            cache[target] = self._assemble(target)
        return cache[target]

    def _assemble(self, target: str) -> Times:
        if target == "any":
            return self._joined([*_ANY], extra=self._lacking("published", "timestamp"))
        if target == "held":
            any_times, validity = self.times_for("any"), self._facet("validity")
            return _concatenated([validity, any_times.take(~np.isin(any_times.doc, validity.doc))])
        if target in ("start", "end"):
            return self.times_for("held").bound(target)
        if target == "future":
            return self._joined([*_FUTURE])
        if target == "published":
            return self._joined(["published"], extra=self._lacking("timestamp", "published"))
        return self._facet(target)

    def _facet(self, facet: str) -> Times:
        return self.facets.get(facet) or Times.from_rows([], n_docs=self.n_docs)

    def _lacking(self, facet: str, other: str) -> Times:
        """The times of `facet` of the documents that have none of `other`."""
        times = self._facet(facet)
        return times.take(~np.isin(times.doc, self._facet(other).doc))

    def _joined(self, facets: list[str], *, extra: Times | None = None) -> Times:
        parts = [self.facets[facet] for facet in facets if facet in self.facets]
        parts += [extra] if extra is not None and len(extra.doc) else []
        if len(parts) == 1:
            return parts[0]
        return _concatenated(parts) if parts else Times.from_rows([], n_docs=self.n_docs)
