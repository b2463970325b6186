"""A timeline: the asked intervals as bands, documents as bars; `timeline.js` draws it, styled by `timeline.css`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from qtie.interval import Granularity, TimeInterval, unit_of

__all__ = ["TimelineBar", "is_coarse", "timeline"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineBar:
    """A document on the timeline."""

    doc_id: str
    label: str
    """What stands at its left, such as a title; the component shortens what is too long."""
    time: TimeInterval | None
    """Days, both ends included; None where it has no time."""
    temporal_score: float
    """S_temp, in (0, 1]: the bar's colour."""
    rank: int
    """From 1."""
    relation: str = "unknown"
    """Allen relation of `time` to the asked interval, or "unknown"."""

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record, its time as EDTF."""
        return {
            "doc_id": self.doc_id,
            "label": self.label,
            "time": None if self.time is None else str(self.time),
            "granularity": None if self.time is None else str(_granularity(self.time)),
            "coarse": self.time is not None and is_coarse(self.time),
            "temporal_score": self.temporal_score,
            "rank": self.rank,
            "relation": self.relation,
        }


def timeline(
    intervals: Sequence[TimeInterval], bars: Sequence[TimelineBar], *, reference_date: str | None = None
) -> dict[str, Any]:
    """What `qtieTimeline(element, data, options)` draws: `intervals`, `documents`, `reference_date`, all JSON-ready.

    Args:
        intervals: what the query asks for; none where it is atemporal.
        bars: the documents, in the order of the rows.
        reference_date: the day of asking, as `YYYY-MM-DD`.

    Example:
        >>> bar = TimelineBar(doc_id="a", label="Budget", time=TimeInterval.year(2019), temporal_score=0.5, rank=1)
        >>> data = timeline([TimeInterval.parse("2015/..")], [bar])
        >>> data["intervals"], data["documents"][0]["time"], data["documents"][0]["granularity"]
        (['2015-01-01/..'], '2019-01-01/2019-12-31', 'year')
    """
    return {
        "intervals": [str(interval) for interval in intervals],
        "reference_date": reference_date,
        "documents": [bar.to_dict() for bar in bars],
    }


def is_coarse(time: TimeInterval) -> bool:
    """Whether it is a whole calendar unit longer than a day, such as a date known to the year.

    Example:
        >>> is_coarse(TimeInterval.month(2019, 2)), is_coarse(TimeInterval.parse("1997-05-02/2007-06-27"))
        (True, False)
    """
    if time.start is None or time.end is None:
        return False
    granularity = _granularity(time)
    return granularity is not Granularity.DAY and unit_of(time.start, granularity) == time


@lru_cache(maxsize=10_000)
def _granularity(time: TimeInterval) -> Granularity:
    """The time's granularity; reports draw the same documents again and again."""
    return time.granularity
