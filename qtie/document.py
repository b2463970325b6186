"""Documents and their times."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from qtie.interval import Granularity, TimeInterval, unit_of

__all__ = ["Document", "DocumentTime"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTime:
    """One time of a document: a point somewhere within `interval` (days, both ends included), or all of it.

    Example:
        >>> award = DocumentTime(interval=TimeInterval.year(1911))
        >>> term = DocumentTime(interval=TimeInterval.parse("1997-05-02/2007-06-27"), lasting=True)
        >>> str(award.start), str(term.start)
        ('1911-01-01/1911-12-31', '1997-05-02/1997-05-02')
    """

    interval: TimeInterval
    """Every day that it may hold; a coarse date such as 2019 is its whole year."""
    lasting: bool = False
    """True: it holds throughout the interval (validity); False: on some day of it (a date, possibly coarse)."""
    start_unit: Granularity = Granularity.DAY
    """The unit in which the start of a lasting time was given."""
    end_unit: Granularity = Granularity.DAY
    """The unit in which the end of a lasting time was given."""
    confidence: float = 1.0
    """In [0, 1]; below 1 for times read from the text."""
    source: str = ""
    """The metadata key it came from, or "text"."""

    @property
    def start(self) -> TimeInterval | None:
        """The days on which it may have started; None where that side is open."""
        if not self.lasting:
            return self.interval
        return None if self.interval.start is None else unit_of(self.interval.start, self.start_unit)

    @property
    def end(self) -> TimeInterval | None:
        """The days on which it may have ended; None where that side is open (it still holds)."""
        if not self.lasting:
            return self.interval
        return None if self.interval.end is None else unit_of(self.interval.end, self.end_unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text with its times by facet: `timestamp`, `validity`, `event`, `focus_time`, `published`, `born`, `died`, …

    A facet that is absent is unknown; one facet may have several times.
    """

    doc_id: str
    text: str
    title: str = ""
    times: Mapping[str, tuple[DocumentTime, ...]] = field(default_factory=dict)
    score: float | None = None
    """The retriever's score, if it gave one."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
