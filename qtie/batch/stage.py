"""A stage: what a worker does to each shard, made once in every worker, whichever runner started it."""

import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from qtie.batch.shards import FIRST, LINE, SOURCE, is_lines
from qtie.config import Config
from qtie.corpus import SkippedRecord, parse_record
from qtie.document import Document
from qtie.document_time import DocumentTime
from qtie.errors import BatchError, ConfigError, QtieError, QtieWarning, require
from qtie.evaluation.datasets import query_fields
from qtie.retrieval.encoders import load_encoder
from qtie.retrieval.retriever import retrieval_text
from qtie.rewriting.rewriters import resolving
from qtie.text_times import with_estimated_time
from qtie.tie.extractors import extract_all, make_extractor

__all__ = ["KINDS", "SKIPPED", "WARNED", "Kind", "Stage", "Task"]

Kind = Literal["intents", "times", "index"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SKIPPED, WARNED = b"skipped", b"warned"
"""Metadata of a result's schema, as JSON: the rows passed over, each with reason and text; the warnings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is done to every row; the same task on the same input writes the same bytes.

    Raises:
        ConfigError: an unknown kind or policy.
    """

    kind: Kind
    config: Config = field(default_factory=Config)
    extractor: str | None = None
    """What reads the queries; None: the default one."""
    reference_date: date | None = None
    """For queries that carry none."""
    encoder: str | None = None
    """What makes the vectors of an index; None: it has none."""
    on_error: Literal["stop", "skip"] = "stop"
    """Whether a faulty row ends the run or is passed over, counted and written out."""

    def __post_init__(self) -> None:
        for name, choices in (("kind", KINDS), ("on_error", ("stop", "skip"))):
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record of everything that the output depends on."""
        record: dict[str, Any] = json.loads(json.dumps(asdict(self), default=str))
        return record


class _Reader(Protocol):
    def parse(self, row: bytes | dict[str, Any], where: str) -> Any:
        """What a line or a Parquet row holds; a QtieError where it is faulty, None where it is blank."""

    def table(self, items: list[Any]) -> Any:
        """The result of all of a shard's items, one row each."""


class Stage:
    """Reads one Arrow table of rows and gives another of results, in the same order.

    Its own runners call it, and so can Ray Data: `dataset.map_batches(Stage, fn_constructor_args=[task],
    batch_format="pyarrow")` over rows as a Parquet file holds them. Faulty rows that are passed over stand in the
    result's schema metadata.

    Args:
        task: what to do; loads the models it needs.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self._reader = _READERS[task.kind](task)

    def __call__(self, table: Any) -> Any:
        """The results of a `pyarrow.Table` with a column `line` (bytes), or with the columns of a Parquet file.

        Raises:
            QtieError: a row is faulty and the task says to stop; names file and line.
        """
        items, skipped = [], []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default", QtieWarning)
            for where, row in _placed_rows(table):
                try:
                    item = self._reader.parse(row, where)
                except QtieError as error:
                    if self.task.on_error == "stop":
                        raise
                    skipped.append(SkippedRecord(str(error), _as_text(row))._asdict())
                    continue
                if item is not None:
                    items.append(item)
            result = self._reader.table(items)
        warned = sorted({str(one.message) for one in caught if issubclass(one.category, QtieWarning)})
        notes = {SKIPPED: json.dumps(skipped, ensure_ascii=False), WARNED: json.dumps(warned)}
        return result.replace_schema_metadata({**(result.schema.metadata or {}), **notes})


def _placed_rows(table: Any) -> Iterator[tuple[str, bytes | dict[str, Any]]]:
    """Each row with its place, for messages."""
    metadata = table.schema.metadata or {}
    source, first = metadata.get(SOURCE, b"input").decode(), int(metadata.get(FIRST, b"1"))
    if is_lines(table):
        for number, line in enumerate(table[LINE].to_pylist(), first):
            yield f"{source}, line {number}", line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        return
    for number, row in enumerate(table.to_pylist(), first):
        yield f"{source}, row {number}", {name: value for name, value in row.items() if value is not None}


def _as_text(row: bytes | dict[str, Any]) -> str:
    if isinstance(row, bytes):
        return row.decode("utf-8", "replace").rstrip("\r\n")
    return json.dumps(row, ensure_ascii=False, default=str)


def _fields(row: bytes | dict[str, Any], where: str) -> dict[str, Any] | None:
    if isinstance(row, dict):
        return row
    return parse_record(row, where) if row.strip() else None


def _lines_table(lines: list[str]) -> Any:
    arrow = require("pyarrow", extra="store")
    return arrow.table({LINE: arrow.array(lines, arrow.large_string())})


class _Intents:
    """Queries to the records that `qtie intent` writes."""

    def __init__(self, task: Task) -> None:
        self._task = task
        extractor = make_extractor(task.extractor, task.config.intent, llm=task.config.llm)
        self._extractor = resolving(extractor, task.config)

    def parse(self, row: bytes | dict[str, Any], where: str) -> tuple[dict[str, Any], date | None] | None:
        if isinstance(row, dict):
            return query_fields(json.dumps(row, ensure_ascii=False, default=str), where)
        try:
            line = row.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise BatchError(f"{where}: not UTF-8 at byte {error.start + 1}") from error
        return query_fields(line, where) if line.strip() else None

    def table(self, items: list[tuple[dict[str, Any], date | None]]) -> Any:
        asked = [(fields["query"], day or self._task.reference_date) for fields, day in items]
        once = list(dict.fromkeys(asked))  # logs of queries repeat themselves
        intents = extract_all(self._extractor, [query for query, _ in once], reference_dates=[day for _, day in once])
        read = dict(zip(once, intents, strict=True))
        records = ({**fields, **read[key].to_dict()} for (fields, _), key in zip(items, asked, strict=True))
        return _lines_table([json.dumps(record, ensure_ascii=False) for record in records])


class _Times:
    """Documents to their times by facet, from metadata and text."""

    def __init__(self, task: Task) -> None:
        from qtie.focus_time import with_focus_times

        self._config, self._read = task.config, with_focus_times

    def parse(self, row: bytes | dict[str, Any], where: str) -> Document | None:
        return _document(row, where, self._config)

    def table(self, items: list[Document]) -> Any:
        documents = [self._read(document, options=self._config.intent) for document in items]
        return _lines_table([json.dumps(_times_record(document), ensure_ascii=False) for document in documents])


def _document(row: bytes | dict[str, Any], where: str, config: Config) -> Document | None:
    fields = _fields(row, where)
    if fields is None:
        return None
    try:
        return Document.from_record(fields, config=config)
    except QtieError as error:
        raise type(error)(f"{where}: {error}") from error


def _times_record(document: Document) -> dict[str, Any]:
    times = {facet: [_time_record(time) for time in found] for facet, found in document.times.items()}
    return {"_id": document.doc_id, "times": times}


def _time_record(time: DocumentTime) -> dict[str, Any]:
    return {
        **time.interval.to_dict(),
        "lasting": time.lasting,
        "confidence": time.confidence,
        "source": time.source,
    }


class _Index:
    """Documents to the rows of a store, which is put together when all are there."""

    def __init__(self, task: Task) -> None:
        self._config, self._encoder_name = task.config, task.encoder
        self._encoder = None if task.encoder is None else load_encoder(task.encoder)
        self._n_dimensions = 0 if self._encoder is None else self._encoder.encode_queries([""]).shape[1]

    def parse(self, row: bytes | dict[str, Any], where: str) -> Document | None:
        document = _document(row, where, self._config)
        if document is None:
            return None
        if self._config.documents.missing != "estimate":
            return document
        return with_estimated_time(document, options=self._config.intent)

    def table(self, items: list[Document]) -> Any:
        from qtie.retrieval.store.schema import to_arrow

        return to_arrow(items, self._vectors(items), options=self._config.intent)

    def _vectors(self, items: list[Document]) -> NDArray[np.float32] | None:
        from qtie.retrieval.store.schema import checked_vectors

        if self._encoder is None:
            return None
        if not items:  # of nothing, some encoders make no matrix
            return np.empty((0, self._n_dimensions), dtype=np.float32)
        made = self._encoder.encode_documents([retrieval_text(document) for document in items])
        try:
            return checked_vectors(made, n_texts=len(items), n_dimensions=self._n_dimensions)
        except ValueError as error:
            raise BatchError(f"{self._encoder_name}: {error}") from error


_READERS: dict[Kind, Callable[[Task], _Reader]] = {"intents": _Intents, "times": _Times, "index": _Index}
