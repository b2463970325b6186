"""Documents and their times."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite, nan
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np

from qtie.config import Config
from qtie.document_time import DocumentTime, parse_bounds, parse_time
from qtie.errors import DocumentError, IntervalError, QtieWarning

__all__ = [
    "Document",
    "DocumentTime",
    "TimeProblem",
    "field_at",
    "inherit_times",
    "read_times",
    "record_fields",
    "time_fields",
]

_DEFAULT = Config()

VALIDITY_KEYS = (
    (("valid_from",), ("valid_to", "valid_until", "valid_through")),
    (("effective_from", "effective_date"), ("effective_to", "effective_until", "expires_at", "expiry_date")),
    (("start_date",), ("end_date",)),
)
"""Keys of a validity's bounds; the first pair that states one wins, and an absent bound leaves its side open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text with its times by facet: `timestamp`, `validity`, `event`, `focus_time`, `published`, `born`, `died`, …

    A facet that is absent is unknown; one facet may have several times.

    Example:
        >>> statute = Document.from_record({"_id": "a", "text": "The act", "metadata": {"valid_from": "1998"}})
        >>> str(statute.times["validity"][0].interval)
        '1998-01-01/..'
    """

    doc_id: str
    text: str
    title: str = ""
    times: Mapping[str, tuple[DocumentTime, ...]] = field(default_factory=dict)
    score: float | None = None
    """The retriever's score, if it gave one."""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_record(
        cls,
        record: Mapping[str, Any],
        *,
        config: Config = _DEFAULT,
        doc_id: str | None = None,
        parent: "Document | None" = None,
    ) -> "Document":
        """The document that a mapping describes; the mapping is left as it is.

        Keys: `_id`, `doc_id` or `id`; `text` or `contents`; optional `title`, `score`, `metadata`, and `times` (facet
        to one time or a list of them). Any other key counts as metadata. Times are found by `config.documents` and
        in `valid_from`, `valid_to` and their like; one that cannot be read warns and counts as missing.

        Args:
            record: as a line of a corpus holds it.
            config: its time keys, facet keys and time zone are used.
            doc_id: for a record that names none.
            parent: the document that this one is a chunk of; it gives the facets that the chunk has not.

        Raises:
            DocumentError: text or id is missing, or a field has the wrong type; names the field.

        Example:
            >>> record = {"doc_id": "b", "text": "Launch", "event_date": "20 July 1969", "created_at": "2024-01-02"}
            >>> document = Document.from_record(record)
            >>> {facet: str(times[0].interval) for facet, times in document.times.items()}
            {'timestamp': '1969-07-20/1969-07-20', 'event': '1969-07-20/1969-07-20'}
        """
        times, problems = read_times(record, config=config)
        for key in dict.fromkeys(problem.key for problem in problems):
            warnings.warn(  # no value in the text: Python then shows one warning per key, not one per document
                f"{key!r} holds values that cannot be read as times; they count as missing (qtie inspect shows them)",
                QtieWarning,
                stacklevel=2,
            )
        document = cls(
            doc_id=_doc_id(record, doc_id),
            text=_text(record, ("text", "contents"), default=None),
            title=_text(record, ("title",), default=""),
            times=times,
            score=_score(record.get("score")),
            metadata=record_fields(record),
        )
        return document if parent is None else inherit_times(document, parent)

    @classmethod
    def from_text(cls, text: str, doc_id: str, *, timestamp: object = None, config: Config = _DEFAULT) -> "Document":
        """A document of nothing but a text, and its timestamp in any form that `parse_time` reads.

        Example:
            >>> str(Document.from_text("The tower opened.", "0", timestamp="1889-05").times["timestamp"][0].interval)
            '1889-05-01/1889-05-31'
        """
        return cls.from_record({"_id": doc_id, "text": text, "times": {"timestamp": timestamp}}, config=config)

    def with_times(self, times: Mapping[str, Iterable[DocumentTime]]) -> "Document":
        """A copy with those facets in place of its own; its other facets stay, and a facet given no time goes."""
        merged = {**self.times, **{facet: tuple(given) for facet, given in times.items()}}
        return replace(self, times={facet: given for facet, given in merged.items() if given})


def inherit_times(chunk: Document, parent: Document) -> Document:
    """A copy of the chunk with its parent's times for every facet that it has none of itself.

    Example:
        >>> parent = Document.from_text("whole", "p", timestamp=2019)
        >>> str(inherit_times(Document.from_text("part", "p#1"), parent).times["timestamp"][0].interval)
        '2019-01-01/2019-12-31'
    """
    return replace(chunk, times={**parent.times, **chunk.times})


class TimeProblem(NamedTuple):
    """A stored value that is no time."""

    key: str
    value: object
    reason: str


_Times = tuple[DocumentTime, ...]
_OWN_KEYS = frozenset(("_id", "doc_id", "id", "text", "contents", "title", "score", "metadata", "times"))


def record_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record's metadata and its further keys at top level in one mapping; the top level wins.

    Raises:
        DocumentError: the record or its `metadata` is no mapping.
    """
    if not isinstance(record, Mapping):
        raise DocumentError(f"expected an object, got {_kind(record)}")
    metadata = record.get("metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise DocumentError(f"field 'metadata': expected an object, got {_kind(metadata)}")
    return {**(metadata or {}), **{key: value for key, value in record.items() if key not in _OWN_KEYS}}


def field_at(fields: Mapping[str, Any], key: str) -> object:
    """The value of a key in any letter case, or where its dots lead; None where there is none.

    Args:
        fields: its names in lower case.
        key: in any case.

    Example:
        >>> field_at({"meta": {"pubDate": "2019"}}, "meta.pubdate")
        '2019'
    """
    key = key.lower()
    if key in fields or "." not in key:
        return fields.get(key)
    outer, _, inner = key.partition(".")
    nested = fields.get(outer)
    return field_at(_lower_keys(nested), inner) if isinstance(nested, Mapping) else None


def time_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """`record_fields` with names in lower case, where `metadata.date` leads to the same value as `date`.

    Raises:
        DocumentError: the record or its `metadata` is no mapping.
    """
    fields = _lower_keys(record_fields(record))
    return {"metadata": record.get("metadata"), **fields}


def _lower_keys(fields: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name).lower(): value for name, value in fields.items()}


def read_times(
    record: Mapping[str, Any], *, config: Config = _DEFAULT
) -> tuple[dict[str, tuple[DocumentTime, ...]], list[TimeProblem]]:
    """The record's times by facet, days with both ends included, and the values that could not be read.

    Raises:
        DocumentError: `metadata` or `times` is no mapping.
    """
    fields = time_fields(record)
    given = record.get("times") or {}
    if not isinstance(given, Mapping):
        raise DocumentError(f"field 'times': expected an object of facets, got {_kind(given)}")
    reader = _Reader(fields, config)
    times = {"timestamp": reader.first(config.documents.time_keys), "validity": reader.validity()}
    for facet, keys in config.documents.facet_keys.items():
        times[facet] = times.get(facet) or reader.first(keys, lasting=facet == "validity")
    for facet, value in given.items():
        explicit = reader.read(f"times.{facet}", value, lasting=facet == "validity")
        times[str(facet)] = explicit or times.get(str(facet), ())
    return {facet: found for facet, found in times.items() if found}, reader.problems


class _Reader:
    """Reads the times of one record and notes what is none."""

    def __init__(self, fields: Mapping[str, Any], config: Config) -> None:
        self.fields = fields
        self.options = config.intent
        self.problems: list[TimeProblem] = []
        self.times: dict[tuple[str, bool], _Times] = {}

    def first(self, keys: Iterable[str], *, lasting: bool = False) -> _Times:
        """The times under the first key that has any; a key that several facets share is read once."""
        for key in keys:
            value = field_at(self.fields, key)
            if value is None:
                continue
            if (key, lasting) not in self.times:
                self.times[key, lasting] = self.read(key, value, lasting=lasting)
            if self.times[key, lasting]:
                return self.times[key, lasting]
        return ()

    def read(self, key: str, value: object, *, lasting: bool = False) -> _Times:
        """The times of one value or of a list of them."""
        values = value if isinstance(value, list | tuple) else (value,)
        times = [self._time(key, item, lasting=lasting) for item in values]
        return tuple(time for time in times if time is not None)

    def _time(self, key: str, value: object, *, lasting: bool) -> DocumentTime | None:
        try:
            time = parse_time(value, options=self.options, source=key)
            if time is not None and lasting and not time.lasting:
                return parse_bounds(value, value, options=self.options, source=key)
            return time
        except IntervalError as error:
            self.problems.append(TimeProblem(key, value, str(error)))
            return None

    def validity(self) -> _Times:
        """The interval between the first pair of bounds; a bound that cannot be read voids its pair."""
        for start_keys, end_keys in VALIDITY_KEYS:
            start_key, start = self._first_present(start_keys)
            end_key, end = self._first_present(end_keys)
            if start is None and end is None:
                continue
            try:
                source = "/".join(key for key in (start_key, end_key) if key)
                time = parse_bounds(start, end, options=self.options, source=source)
            except IntervalError as error:
                self.problems.append(TimeProblem(source, {"start": start, "end": end}, str(error)))
                continue
            if time is not None:
                return (time,)
        return ()

    def _first_present(self, keys: Iterable[str]) -> tuple[str, object]:
        found = ((key, field_at(self.fields, key)) for key in keys)
        return next(((key, value) for key, value in found if value is not None), ("", None))


def _doc_id(record: Mapping[str, Any], default: str | None) -> str:
    value = next((record[key] for key in ("_id", "doc_id", "id") if record.get(key) is not None), default)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        problem = "missing" if value is None else f"expected a non-empty string, got {_kind(value)}"
        raise DocumentError(f"field '_id': {problem}")
    return value


def _text(record: Mapping[str, Any], keys: tuple[str, ...], *, default: str | None) -> str:
    value = next((record[key] for key in keys if record.get(key) is not None), default)
    if not isinstance(value, str):
        problem = "missing" if value is None else f"expected a string, got {_kind(value)}"
        raise DocumentError(f"field {keys[0]!r}: {problem}")
    return value


def _score(value: Any) -> float | None:
    if value is None:
        return None
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        score = float(value) if is_number else nan
    except OverflowError:
        score = inf
    if not isfinite(score):
        raise DocumentError(f"field 'score': expected a finite number, got {_kind(value)}")
    return score


def _kind(value: object) -> str:
    return "an empty string" if value == "" else f"{type(value).__name__} {short_repr(value)}"
