"""Facts that hold at a time, and the files that hold them."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from qtie.corpus import read_lines, read_records
from qtie.document import Document
from qtie.document_time import DocumentTime, parse_bounds, parse_time
from qtie.errors import DocumentError, IntervalError, QtieWarning
from qtie.interval import Granularity, TimeInterval, civil_date, unit_of

__all__ = ["Fact", "Side", "bound_unit", "read_facts", "side_of", "written_date"]

Side = Literal["start", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Subject, predicate and object, true on the days of `interval`, both ends included; None: no one says when.

    Example:
        >>> visit = Fact(subject="Foreign Affairs (Denmark)", predicate="Make a visit", object="Iraq",
        ...              interval=TimeInterval.parse("2006-02-23"), fact_id="f1")
        >>> visit.verbalized
        'Foreign Affairs (Denmark) Make a visit Iraq in 2006-02-23'
        >>> str(visit.document.times["timestamp"][0].interval)
        '2006-02-23/2006-02-23'
    """

    subject: str
    predicate: str
    object: str
    interval: TimeInterval | None = None
    fact_id: str
    lasting: bool = False
    """True: it holds throughout the interval; False: on some day of it, such as an event of that month."""

    @property
    def statement(self) -> str:
        """Subject, predicate and object, without the time."""
        return f"{self.subject} {self.predicate} {self.object}"

    @property
    def verbalized(self) -> str:
        """The fact as a sentence: "s p o in t", "s p o from t1 to t2", or without a time."""
        if self.interval is None:
            return self.statement
        if not self.lasting:
            return f"{self.statement} in {written_date(self.interval)}"
        start, end = _written_bounds(self.interval)
        return self.statement + (f" from {start}" if start else "") + (f" to {end}" if end else "")

    @property
    def document(self) -> Document:
        """The fact as a document; its time is a timestamp, or a validity where it lasts."""
        time = None if self.interval is None else DocumentTime(interval=self.interval, lasting=self.lasting)
        facet = "validity" if self.lasting else "timestamp"
        return Document(doc_id=self.fact_id, text=self.statement, times={facet: (time,)} if time else {})

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record; dates are EDTF."""
        return {
            "id": self.fact_id,
            "subject": self.subject,
            "predicate": self.predicate,
            "object": self.object,
            "time": self.interval and (str(self.interval) if self.lasting else written_date(self.interval)),
        }


def written_date(interval: TimeInterval, unit: Granularity | None = None) -> str:
    """The ISO date of the day, month or year that an interval is; of the `unit` that holds its start, if one is given.

    Example:
        >>> written_date(TimeInterval.month(2012, 5)), written_date(TimeInterval.day(2012, 5, 13), Granularity.YEAR)
        ('2012-05', '2012')
    """
    if interval.start is None or (unit is None and interval.end is None):
        return str(interval)
    year, month, day = civil_date(interval.start)
    unit = unit or interval.granularity
    texts = {
        Granularity.YEAR: f"{year:04}",
        Granularity.MONTH: f"{year:04}-{month:02}",
        Granularity.DAY: f"{year:04}-{month:02}-{day:02}",
    }
    return texts.get(unit) or str(interval)


def bound_unit(interval: TimeInterval) -> Granularity:
    """The largest of year, month and day that both bounds of an interval can be given in; an open side fits all."""
    for unit in (Granularity.YEAR, Granularity.MONTH):
        starts = interval.start is None or unit_of(interval.start, unit).start == interval.start
        if starts and (interval.end is None or unit_of(interval.end, unit).end == interval.end):
            return unit
    return Granularity.DAY


def side_of(interval: TimeInterval, side: Side) -> TimeInterval | None:
    """The day, month or year in which an interval starts or ends, in its `bound_unit`; None where that side is open.

    Example:
        >>> str(side_of(TimeInterval.parse("2001-07-01/2004-12-31"), "start"))
        '2001-07-01/2001-07-31'
    """
    day = interval.start if side == "start" else interval.end
    return None if day is None else unit_of(day, bound_unit(interval))


def _written_bounds(interval: TimeInterval) -> tuple[str, str]:
    """The bounds in their unit; empty where a side is open."""
    unit = bound_unit(interval)
    days = (interval.start, interval.end)
    start, end = ("" if day is None else written_date(TimeInterval(day, day), unit) for day in days)
    return start, end


_NAMES: Mapping[str, tuple[str, ...]] = {
    "subject": ("subject", "head", "subj", "s"),
    "predicate": ("predicate", "relation", "rel", "p"),
    "object": ("object", "tail", "obj", "o"),
    "start": ("start", "date", "time", "start_date", "valid_from", "timestamp"),
    "end": ("end", "end_date", "valid_to"),
    "id": ("id", "_id", "fact_id"),
}
"""What the columns of a table and the keys of a record may be called."""
_PLAIN_COLUMNS = ("subject", "predicate", "object", "start", "end")


class _Row(NamedTuple):
    where: str
    fields: Mapping[str, object]
    number: int


def read_facts(source: Path | str) -> Iterator[Fact]:
    """The facts of a TSV file (subject, relation, object, start, end) or of JSON lines, either also gzipped.

    `-` is JSON lines from stdin. A first line of names such as `head relation tail date` orders the columns, and
    unknown ones are passed over; without it they stand in the order above.

    A row that stops before the end is a fact of one date, whatever the header names; where its field or key for the end
    is there and blank (`null`), the fact holds since its start: it still goes on. What begins and ends on one date has
    it in both. A fact without a time is kept undated, and so is, with a warning, one whose time cannot be read or ends
    before it starts.

    Raises:
        DocumentError: the source cannot be read or holds no fact, or one lacks a part or repeats an id; names the line.
    """
    is_table = Path(source).name.removesuffix(".gz").endswith((".tsv", ".txt", ".tab"))
    first_place: dict[str, str] = {}
    unread: list[str] = []
    for row in _table_rows(source) if is_table else _json_rows(source):
        fact = _fact(row, unread)
        if fact.fact_id in first_place:
            raise DocumentError(f"{row.where}: id {fact.fact_id!r} stands already in {first_place[fact.fact_id]}")
        first_place[fact.fact_id] = row.where
        yield fact
    if not first_place:
        raise DocumentError(f"{source}: no facts in it")
    if unread:
        more = f" ({len(unread)} such facts)" if len(unread) > 1 else ""
        warnings.warn(f"{unread[0]}; the fact counts as undated{more}", QtieWarning, stacklevel=2)


def _table_rows(source: Path | str) -> Iterator[_Row]:
    columns: Sequence[str] = _PLAIN_COLUMNS
    for number, (where, line) in enumerate(read_lines(source)):
        cells = [cell.strip() for cell in line.rstrip("\r\n").split("\t")]
        if number == 0 and (named := _header(cells)):
            columns = named
        elif any(cells):
            if len(cells) > len(columns):
                raise DocumentError(f"{where}: {len(cells)} columns, expected {' '.join(columns)}")
            yield _Row(where, dict(zip(columns, cells, strict=False)), number)


def _header(cells: Sequence[str]) -> list[str]:
    """The fields that a line of column names stands for, unknown ones under their own name; empty if it is a fact."""
    names = [_field(cell) for cell in cells]
    return names if {"subject", "predicate", "object"} <= set(names) else []


def _field(name: str) -> str:
    return next((field for field, names in _NAMES.items() if name.lower() in names), name)


def _json_rows(source: Path | str) -> Iterator[_Row]:
    for number, (where, record) in enumerate(read_records(source), start=1):
        yield _Row(where, {_field(name): value for name, value in record.items()}, number)


def _fact(row: _Row, unread: list[str]) -> Fact:
    for name in ("subject", "predicate", "object"):
        value = row.fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise DocumentError(f"{row.where}: field {name!r}: expected a text, got {value!r}")
    time = _time(row, unread)
    return Fact(
        subject=str(row.fields["subject"]),
        predicate=str(row.fields["predicate"]),
        object=str(row.fields["object"]),
        interval=None if time is None else time.interval,
        lasting=bool(time and time.lasting),
        fact_id=str(row.fields.get("id") or f"f{row.number}"),
    )


def _time(row: _Row, unread: list[str]) -> DocumentTime | None:
    start, end = row.fields.get("start"), row.fields.get("end")
    try:
        if end in (None, ""):
            stated = parse_time(start)
            if "end" not in row.fields or stated is None or stated.lasting:
                return stated
        return parse_bounds(start, end)  # a missing side is open
    except IntervalError as error:
        unread.append(f"{row.where}: {error}")
        return None
