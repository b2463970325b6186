"""Where a store keeps the times of its documents, and what stands there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from qtie.config import zone
from qtie.document import Document
from qtie.errors import ConfigError
from qtie.interval import civil_date, day_number
from qtie.time_columns import FAR_DAYS, TimeColumns

__all__ = ["DEFAULT_FIELDS", "OPEN", "Hulls", "StoredAs", "TimeFields", "Value", "stored_times", "time_hulls"]

StoredAs = Literal["days", "seconds", "milliseconds", "date", "datetime", "daterange", "tstzrange"]
Value = int | date | datetime

OPEN = 2**53 - 1
"""What stands for an open end (negative: an open start) in a store without NULL; exact in JSON and float64."""

_RANGES = ("daterange", "tstzrange")
_PER_DAY = {"days": 1, "seconds": 86_400, "milliseconds": 86_400_000}
_LAST_DAY = 2**31 - 1  # beyond every day that an interval may have, and still a 32-bit integer
_DATES = (day_number(1, 1, 2), day_number(9999, 12, 30))  # a day from the ends, so that every zone has them


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFields:
    """The fields with the first and last day that a document's time may hold, both included.

    A missing `start` or `end` is an open side; a document that has neither has no time.

    Raises:
        ConfigError: an unknown `stored_as`, an empty name, or a range in two fields.

    Example:
        >>> TimeFields().end, TimeFields.named("born").start, TimeFields.at("published_at").end
        ('time_end', 'born_start', 'published_at')
    """

    start: str = "time_start"
    end: str = "time_end"
    known: str | None = "time_known"
    """A boolean: whether the document has a time. None where the store keeps none."""
    stored_as: StoredAs = "days"
    """Epoch days, seconds or milliseconds as integers; dates; datetimes; or one field with a range of either."""
    time_zone: str = "UTC"
    """The IANA zone in which a day begins, where moments are stored."""

    def __post_init__(self) -> None:
        if self.stored_as not in get_args(StoredAs):
            choices = ", ".join(get_args(StoredAs))
            raise ConfigError(f"stored_as must be one of {choices}, not {self.stored_as!r}")
        for name in (self.start, self.end, self.known):
            if name is not None and (not name or "\0" in name):
                raise ConfigError(f"not the name of a field: {name!r}")
        if self.is_range and self.start != self.end:
            raise ConfigError(f"a {self.stored_as} is one field, not two: {self.start!r} and {self.end!r}")
        zone(self.time_zone)

    @classmethod
    def named(cls, name: str, *, stored_as: StoredAs = "days") -> "TimeFields":
        """The three fields `<name>_start`, `<name>_end` and `<name>_known`."""
        return cls(start=f"{name}_start", end=f"{name}_end", known=f"{name}_known", stored_as=stored_as)

    @classmethod
    def at(cls, field: str, *, stored_as: StoredAs = "datetime", known: str | None = None) -> "TimeFields":
        """One field that is first and last day at once: a point in time, or a range."""
        return cls(start=field, end=field, known=known, stored_as=stored_as)

    @property
    def is_range(self) -> bool:
        """Whether one field holds both sides."""
        return self.stored_as in _RANGES

    @property
    def day_value(self) -> int:
        """How much a stored number grows in a day; 1 where no number is stored."""
        return _PER_DAY.get(self.stored_as, 1)

    def least(self, day: int | None) -> Value | None:
        """The first moment of `day`, as it is stored; None where the day lies before all that can be stored.

        A day beyond all that can be stored becomes the last one, so that a bound from below never excludes too much.
        """
        first, last = self._limits()
        return None if day is None or day < first else self._value(min(day, last))

    def most(self, day: int | None) -> Value | None:
        """As `least` in a mirror: None beyond all that can be stored, the first moment before it."""
        first, last = self._limits()
        return None if day is None or day > last else self._value(max(day, first))

    def _limits(self) -> tuple[int, int]:
        if self.stored_as not in _PER_DAY:
            return _DATES
        last = _LAST_DAY if self.stored_as == "days" else OPEN // self.day_value
        return -last, last

    def _value(self, day: int) -> Value:
        if self.stored_as == "days":
            return day
        if not _DATES[0] <= day <= _DATES[1]:
            return day * self.day_value
        if self.stored_as in ("date", "daterange"):
            return date(*civil_date(day))
        moment = datetime(*civil_date(day), tzinfo=zone(self.time_zone)).astimezone(UTC)
        return moment if self.stored_as in ("datetime", "tstzrange") else self._number(moment)

    def _number(self, moment: datetime) -> int:
        return round(moment.timestamp()) * self.day_value // _PER_DAY["seconds"]


DEFAULT_FIELDS: Mapping[str, TimeFields] = {"any": TimeFields()}
"""By target of a constraint (`TimeColumns.times_for` names them): every document's times as one pair of days."""


def stored_times(
    documents: Iterable[Document],
    *,
    fields: Mapping[str, TimeFields] = DEFAULT_FIELDS,
    min_confidence: float = 0.25,
    nulls: bool = True,
) -> list[dict[str, Value | bool | None]]:
    """What to store with each document, so that the compiled filters find it: first and last day, and whether known.

    A document with several times gets the smallest interval that holds them all.

    Args:
        documents: n_docs of them.
        fields: by target; all must have two fields.
        min_confidence: in [0, 1]; a document none of whose times reaches it counts as undated, and is kept.
        nulls: False writes ±`OPEN` in place of None, for Chroma and whatever else has no NULL.

    Returns:
        One mapping from field to value for each document.

    Raises:
        ConfigError: a target has a single field, or no nulls and no numbers.

    Example:
        >>> law = Document.from_record({"_id": "a", "text": "The act", "valid_from": "1998"})
        >>> stored_times([law, Document(doc_id="b", text="")])
        [{'time_start': 10227, 'time_end': None, 'time_known': True},
         {'time_start': None, 'time_end': None, 'time_known': False}]
    """
    columns = TimeColumns.from_documents(documents)
    records: list[dict[str, Value | bool | None]] = [{} for _ in range(columns.n_docs)]
    for target, names in fields.items():
        if names.start == names.end:
            raise ConfigError(f"{names.start!r} is one field; first and last day of {target!r} need two")
        if not nulls and names.stored_as not in _PER_DAY:
            raise ConfigError(f"{names.stored_as} has no value for an open side; store numbers, or nulls")
        hulls = time_hulls(columns, target, min_confidence=min_confidence)
        for record, start, end, known in zip(records, *(column.tolist() for column in hulls), strict=True):
            low = names.least(None if start == -OPEN else start)
            high = names.most(None if end == OPEN else end)
            record[names.start] = -OPEN if low is None and not nulls else low
            record[names.end] = OPEN if high is None and not nulls else high
            if names.known is not None:
                record[names.known] = known
    return records


class Hulls(NamedTuple):
    """The smallest interval that holds all of a document's times, for each document: arrays of shape (n_docs,)."""

    start: NDArray[np.int64]
    """First day; -`OPEN` where it is open or unknown."""
    end: NDArray[np.int64]
    """Last day; `OPEN` where it is open or unknown."""
    known: NDArray[np.bool_]
    """Whether the document has a time."""


def time_hulls(columns: TimeColumns, target: str, *, min_confidence: float = 0.5) -> Hulls:
    """The hulls of the times that a constraint on `target` is compared with.

    Args:
        columns: the documents' times.
        target: as `TimeColumns.times_for` names it.
        min_confidence: in [0, 1]; a document none of whose times reaches it counts as undated.

    Example:
        >>> law = Document.from_record({"_id": "a", "text": "The act", "valid_from": "1998"})
        >>> time_hulls(TimeColumns.from_documents([law]), "any").start
        array([10227])
    """
    times = columns.times_for(target)
    starts, ends = np.full(columns.n_docs, -OPEN), np.full(columns.n_docs, OPEN)
    known = np.zeros(columns.n_docs, dtype=np.bool_)
    if len(times.doc):
        sure = np.maximum.reduceat(times.confidence, times.firsts) >= min_confidence
        dated = times.dated[sure]
        known[dated] = True
        first, last = np.minimum.reduceat(times.start, times.firsts), np.maximum.reduceat(times.end, times.firsts)
        starts[dated] = np.where(first <= -FAR_DAYS, -OPEN, np.clip(first, -FAR_DAYS, FAR_DAYS))[sure].astype(np.int64)
        ends[dated] = np.where(last >= FAR_DAYS, OPEN, np.clip(last, -FAR_DAYS, FAR_DAYS))[sure].astype(np.int64)
    return Hulls(starts, ends, known)
