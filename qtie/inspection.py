"""What a corpus's times look like: how many documents have one, under which keys, in which forms; what seems wrong."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from reprlib import repr as short_repr
from typing import Any

from qtie.config import Config
from qtie.document import VALIDITY_KEYS, field_at, read_times, time_fields
from qtie.document_time import DocumentTime, orders_of, parse_bounds, read_time
from qtie.errors import DocumentError, IntervalError
from qtie.interval import TimeInterval

__all__ = ["CorpusReport", "CorpusTally", "KeyReport", "SuspiciousValues", "inspect_corpus"]

_DEFAULT = Config()
_N_EXAMPLES = 3
_INGEST_KEYS = (
    "created_at",
    "updated_at",
    "modified_at",
    "indexed_at",
    "ingested_at",
    "last_modified",
    "created",
    "updated",
)
_DAY_PRECISE = ("day", "datetime", "compact date", "RFC 2822", "epoch seconds", "epoch milliseconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyReport:
    """The values under one metadata key."""

    key: str
    used: bool
    """Whether documents get a time from it; ingest times are used only when the configuration names them."""
    formats: Mapping[str, int]
    """Form ("year", "day", "epoch seconds", …, "unreadable", "missing") to number of values, most frequent first."""

    @property
    def n_values(self) -> int:
        """How many documents have the key."""
        return sum(self.formats.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspiciousValues:
    """Values under one key that seem wrong for one reason."""

    reason: str
    key: str
    n_values: int
    examples: tuple[str, ...]
    """The first few, each as `doc_id: value`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusReport:
    """What `inspect_corpus` found; printed as a small table."""

    n_documents: int
    n_dated: int
    """Documents with at least one time."""
    facets: Mapping[str, int]
    """Facet to number of documents that have it, most frequent first."""
    keys: tuple[KeyReport, ...]
    suspicious: tuple[SuspiciousValues, ...]

    @property
    def share_dated(self) -> float:
        """Share of the documents with at least one time, in [0, 1]."""
        return self.n_dated / self.n_documents if self.n_documents else 0.0

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record."""
        return {
            "n_documents": self.n_documents,
            "n_dated": self.n_dated,
            "share_dated": self.share_dated,
            "facets": dict(self.facets),
            "keys": [{"key": k.key, "used": k.used, "formats": dict(k.formats)} for k in self.keys],
            "suspicious": [
                {"reason": s.reason, "key": s.key, "n_values": s.n_values, "examples": list(s.examples)}
                for s in self.suspicious
            ],
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.n_documents} documents, {self.n_dated} dated ({self.share_dated:.1%})"
        rows = [(facet, str(n), f"{n / self.n_documents:.1%}") for facet, n in self.facets.items()]
        yield from _table(("facet", "documents", "share"), rows)
        keys = [(k.key, "yes" if k.used else "no", str(k.n_values), _counts(k.formats)) for k in self.keys]
        yield from _table(("key", "used", "values", "formats"), keys)
        found = [(s.reason, s.key, str(s.n_values), "; ".join(s.examples)) for s in self.suspicious]
        yield from _table(("suspicious", "key", "values", "examples"), found)


def inspect_corpus(
    records: Iterable[Mapping[str, Any]], *, config: Config = _DEFAULT, reference_date: date | None = None
) -> CorpusReport:
    """What the times of these records look like, read as `Document.from_record` reads them.

    Suspicious are: values that cannot be read; a validity that ends before it starts; 1970-01-01 and 0; dates after
    the reference date; epoch seconds beside milliseconds under one key; years under a key of mostly exact days; dates
    such as 03/04/2019, in metadata or text, of which `date_order` alone tells day and month; 25/03/2019 beside
    03/26/2019 under one key.

    Args:
        records: as lines of a corpus hold them.
        config: its time keys, facet keys and time zone are used.
        reference_date: the last day that is not in the future; None leaves that check out.

    Raises:
        DocumentError: a record whose `metadata` or `times` is no object; names document and field.

    Example:
        >>> records = [{"_id": "a", "text": "", "date": "2019-03-05"}, {"_id": "b", "text": "", "date": 0}]
        >>> print(inspect_corpus(records))
        2 documents, 1 dated (50.0%)
        <BLANKLINE>
        facet      documents  share
        timestamp  1          50.0%
        <BLANKLINE>
        key   used  values  formats
        date  yes   2       1 day, 1 unreadable
        <BLANKLINE>
        suspicious              key   values  examples
        1970-01-01 or 0         date  1       b: 0
    """
    tally = CorpusTally(config=config, reference_date=reference_date)
    for record in records:
        tally.add(record)
    return tally.report()


class CorpusTally:
    """What `inspect_corpus` counts, one record at a time.

    Args:
        config: its time keys, facet keys and time zone are used.
        reference_date: the last day that is not in the future; None leaves that check out.
    """

    def __init__(self, *, config: Config = _DEFAULT, reference_date: date | None = None) -> None:
        self.config = config
        self.today = None if reference_date is None else TimeInterval.from_dates(reference_date, reference_date).end
        self.bounds = tuple(chain.from_iterable(chain.from_iterable(VALIDITY_KEYS)))
        documents = config.documents
        self.used = dict.fromkeys((*documents.time_keys, *chain(*documents.facet_keys.values()), *self.bounds))
        self.n_documents = self.n_dated = 0
        self.facets: Counter[str] = Counter()
        self.formats: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.found: Counter[tuple[str, str]] = Counter()  # by reason, format or order of day and month, and key
        self.examples: defaultdict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, record: Mapping[str, Any]) -> None:
        """Counts one more record.

        Raises:
            DocumentError: its `metadata` or `times` is no object; names document and field.
        """
        self.n_documents += 1
        ids = (record[key] for key in ("_id", "doc_id", "id") if record.get(key) is not None)
        doc_id = f"{next(ids, f'#{self.n_documents}')!s:.80}"
        try:
            times, problems = read_times(record, config=self.config)
        except DocumentError as error:
            raise DocumentError(f"document {doc_id}: {error}") from error
        self.n_dated += bool(times)
        self.facets.update(times.keys())
        for problem in problems:
            if problem.reason.startswith(_REVERSED):
                self._note(_REVERSED, problem.key, f"{doc_id}: {short_repr(problem.value)}")
        fields = time_fields(record)
        values = {key: field_at(fields, key) for key in dict.fromkeys((*self.used, *_INGEST_KEYS))}
        values |= {f"times.{facet}": value for facet, value in (record.get("times") or {}).items()}
        for key, value in values.items():
            for item in value if isinstance(value, list | tuple) else (value,):
                if item is not None:
                    self._add_value(key, item, doc_id)
        for written in _IN_NUMBERS.finditer(str(record.get("text") or record.get("contents") or "")):
            self._note_order("text", written[0], doc_id)

    def _note_order(self, key: str, value: object, doc_id: str) -> None:
        """Note whether day or month comes first in a date in numbers, or either may."""
        if orders := orders_of(value):
            self._note(" or ".join(orders), key, f"{doc_id}: {short_repr(value)}")

    def _add_value(self, key: str, value: object, doc_id: str) -> None:
        example = f"{doc_id}: {short_repr(value)}"
        format, time, reason = self._read(key, value)
        self.formats[key][format] += 1
        if key in self.used or key.startswith("times."):
            self._note(format, key, example)
            self._note_order(key, value, doc_id)
            if reason:
                self._note(reason, key, example)
            elif self.today is not None and time is not None and not time.lasting and key not in self.bounds:
                start = time.interval.start
                if start is not None and start > self.today:
                    self._note(_FUTURE, key, example)

    def _read(self, key: str, value: object) -> tuple[str, DocumentTime | None, str]:
        """The value's form, its time, and what is wrong with it, if anything."""
        try:
            format, time = read_time(value, options=self.config.intent)
        except IntervalError as error:
            if key in self.bounds and _is_open(value):
                return "open", None, ""
            if str(error).startswith(_REVERSED):
                return "unreadable", None, ""  # noted with its document's problems
            return "unreadable", None, _EPOCH if str(value).strip() in ("0", "0.0") else _UNREADABLE
        return format, time, _EPOCH if time is not None and time.interval == TimeInterval(0, 0) else ""

    def _note(self, reason: str, key: str, example: str) -> None:
        self.found[reason, key] += 1
        if len(self.examples[reason, key]) < _N_EXAMPLES:
            self.examples[reason, key].append(example)

    def report(self) -> CorpusReport:
        """What has been found so far."""
        keys = [
            KeyReport(key=key, used=key in self.used or key.startswith("times."), formats=_by_count(formats))
            for key, formats in self.formats.items()
        ]
        return CorpusReport(
            n_documents=self.n_documents,
            n_dated=self.n_dated,
            facets=_by_count(self.facets),
            keys=tuple(sorted(keys, key=lambda report: (-report.n_values, report.key))),
            suspicious=tuple(sorted(self._suspicious(), key=lambda s: (-s.n_values, s.key, s.reason))),
        )

    def _suspicious(self) -> Iterator[SuspiciousValues]:
        for reason, key in self.found:
            if reason in (_EPOCH, _FUTURE, _UNREADABLE, _REVERSED):
                yield self._suspicion(reason, key, reason)
            if reason == _EITHER_ORDER:
                yield self._suspicion(self._order_read(key), key, reason)
            if reason == _FIRST_DAY and self.found[_FIRST_MONTH, key] and not self.found[_EITHER_ORDER, key]:
                rarer, usual = sorted((_FIRST_DAY, _FIRST_MONTH), key=lambda order: self.found[order, key])
                yield self._suspicion(f'fits only "{rarer}", beside {self.found[usual, key]} of "{usual}"', key, rarer)
        for key, formats in self.formats.items():
            epochs = [format for format, _ in formats.most_common() if format.startswith("epoch")]
            for rarer in epochs[1:]:
                yield self._suspicion(f"{rarer} beside {epochs[0]}", key, rarer)
            n_exact = sum(formats[format] for format in _DAY_PRECISE)
            if n_exact > formats["year"] > 0:
                yield self._suspicion("only a year, where most are exact days", key, "year")

    def _order_read(self, key: str) -> str:
        """By which setting dates that fit both orders were read, and which order others under the key show."""
        told = [
            f'{self.found[one, key]} beside them fit only "{one}"'
            for one in (_FIRST_MONTH, _FIRST_DAY)
            if self.found[one, key]
        ]
        return "; ".join([f'day or month first? read by date_order = "{self.config.intent.date_order}"', *told])

    def _suspicion(self, reason: str, key: str, counted: str) -> SuspiciousValues:
        examples = tuple(self.examples[counted, key])
        return SuspiciousValues(reason=reason, key=key, n_values=self.found[counted, key], examples=examples)


_EPOCH = "1970-01-01 or 0"
_FUTURE = "after the reference date"
_UNREADABLE = "cannot be read"
_FIRST_MONTH, _FIRST_DAY, _EITHER_ORDER = "mdy", "dmy", "mdy or dmy"
_IN_NUMBERS = re.compile(r"(?<![\w/.-])\d\d?([/.-])\d\d?\1\d{4}(?![\w/-]|\.\d)")
_REVERSED = "interval ends before it starts"  # as TimeInterval says it


def _is_open(value: object) -> bool:
    try:
        return parse_bounds(None, value) is None
    except IntervalError:
        return False


def _by_count(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in counts.items())


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if rows:
        yield ""
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        for row in (header, *rows):
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
