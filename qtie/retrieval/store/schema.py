"""The table of a store: one row a document, all of the document in it, and its times as columns of days.

Times are int64 days from 1970-01-01, both ends included. Of each target in `FIELDS` there are

- `<name>_start`, `<name>_end`: the hull of the document's times, NULL where a side is open or unknown;
- `<name>_known`: whether there is a time;
- `<name>_wide_start`, `<name>_wide_end`: the hull again, only of those that are open or longer than `WIDE_DAYS`, with
  ±`OPEN` for an open side. Hulls that are not wide begin at most `WIDE_DAYS` before any day in them, so that an index
  on `<name>_start` finds them between two bounds; the few wide ones have an index of their own.

`dated` tells whether the metadata has a time of any kind.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.document import Document
from qtie.errors import DocumentError, StoreError, require
from qtie.focus_time import focus_time
from qtie.intent import IntentOptions
from qtie.retrieval.filters.fields import OPEN, Hulls, TimeFields, time_hulls
from qtie.retrieval.retriever import retrieval_text
from qtie.retrieval.store.times import times_from_json, times_to_json
from qtie.time_columns import TimeColumns

__all__ = [
    "DOCUMENT_COLUMNS",
    "FIELDS",
    "TABLE",
    "VERSION",
    "WIDE_DAYS",
    "arrow_schema",
    "as_matrix",
    "checked_vectors",
    "read_properties",
    "to_arrow",
    "to_documents",
    "with_read_facets",
    "with_times",
]

TABLE = "documents"
DOCUMENT_COLUMNS = ("doc_id", "content", "title_length", "score", "metadata", "times")
"""What `to_documents` reads."""
VERSION = 1
"""Of the table; a store of another version is refused."""
WIDE_DAYS = 366
FIELDS: Mapping[str, TimeFields] = {
    "any": TimeFields(),
    "born": TimeFields.named("born"),
    "died": TimeFields.named("died"),
    "published": TimeFields.named("published"),
}
"""The targets that have columns; those that a document's metadata lacks are read from its text, `any` never is."""
_ReadTimes = Callable[[Document], Document]
_DEFAULT = IntentOptions()


def arrow_schema(*, n_dimensions: int | None = None, encoder: str = "", encoder_name: str = "") -> Any:
    """The table's schema (`pyarrow.Schema`), which carries version and encoder.

    Args:
        n_dimensions: of the vectors; None for a table without.
        encoder: the fingerprint of what makes them.
        encoder_name: what `load_encoder` knows it by.
    """
    pa = require("pyarrow", extra="store")
    columns = {"doc_id": pa.string(), "content": pa.string(), "title_length": pa.int32(), "score": pa.float64()}
    columns |= {"metadata": pa.string(), "times": pa.string(), "text_times": pa.string(), "dated": pa.bool_()}
    for names in FIELDS.values():
        start, end, known, wide_start, wide_end = _columns_of(names)
        columns |= {start: pa.int64(), end: pa.int64(), known: pa.bool_(), wide_start: pa.int64(), wide_end: pa.int64()}
    if n_dimensions is not None:
        columns["vector"] = pa.list_(pa.float32(), n_dimensions)
    properties = {"qtie.version": str(VERSION), "qtie.encoder": encoder, "qtie.encoder_name": encoder_name}
    return pa.schema([*columns.items()], metadata=properties)


def read_properties(schema: Any, *, where: str) -> dict[str, str]:
    """What `arrow_schema` wrote beside the columns: `encoder` and `encoder_name`, "" where there is none.

    Raises:
        StoreError: the table is none of ours, or of another version.
    """
    written = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
    version = written.get("qtie.version")
    if version is None:
        raise StoreError(f"{where}: a table that qtie did not write, or a damaged one; give a new folder")
    if version != str(VERSION):
        raise StoreError(f"{where}: its schema is of version {version}, this qtie writes {VERSION}; index it again")
    return {name: written.get(f"qtie.{name}", "") for name in ("encoder", "encoder_name")}


def to_arrow(
    documents: Sequence[Document], vectors: NDArray[np.float32] | None = None, *, options: IntentOptions = _DEFAULT
) -> Any:
    """The documents as rows (`pyarrow.Table`), their texts read for times.

    Args:
        documents: n_docs of them.
        vectors: shape (n_docs, n_dimensions), for a table that has them.
        options: how 3/4/2010 is read in the texts.

    Raises:
        DocumentError: a document cannot be stored; names it and the field.
    """
    pa = require("pyarrow", extra="store")
    for document in documents:
        _check_text(document)
    columns: dict[str, Any] = {
        "doc_id": [document.doc_id for document in documents],
        "content": [retrieval_text(document) for document in documents],
        "title_length": [len(document.title) for document in documents],
        "score": [document.score for document in documents],
        "metadata": [_metadata_json(document) for document in documents],
        **_time_columns(documents, options),
    }
    schema = arrow_schema(n_dimensions=None if vectors is None else vectors.shape[1])
    if vectors is not None:
        flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).ravel())
        columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
    return pa.table(columns, schema=schema.remove_metadata())


def checked_vectors(vectors: NDArray[np.floating[Any]], *, n_texts: int, n_dimensions: int) -> NDArray[np.float32]:
    """An encoder's answer as a table's vectors, shape (n_texts, n_dimensions).

    Raises:
        ValueError: its shape is another one, as after another model was put behind an endpoint's name, or a value is
            no finite number.

    Example:
        >>> checked_vectors(np.ones((1, 3)), n_texts=1, n_dimensions=2)
        Traceback (most recent call last):
        ...
        ValueError: the encoder made vectors of shape (1, 3), not (1, 2); give the encoder that the store was made with
    """
    checked = np.asarray(vectors, dtype=np.float32)
    if checked.shape != (n_texts, n_dimensions):
        expected = f"{checked.shape}, not {(n_texts, n_dimensions)}"
        raise ValueError(f"the encoder made vectors of shape {expected}; give the encoder that the store was made with")
    if not np.isfinite(checked).all():
        raise ValueError("the encoder made a vector with values that are no finite numbers")
    return checked


def as_matrix(vectors: Any) -> NDArray[np.float32]:
    """A column of vectors (`pyarrow.ChunkedArray`) as an array, shape (n, n_dimensions)."""
    flat = vectors.combine_chunks().flatten().to_numpy()
    matrix: NDArray[np.float32] = flat.reshape(len(vectors), vectors.type.list_size)
    return matrix


def to_documents(rows: Any) -> list[Document]:
    """The documents of rows (`pyarrow.Table`), as they were stored."""
    return [_document(row) for row in rows.to_pylist()]


def with_times(rows: Any, read: _ReadTimes, *, options: IntentOptions) -> Any:
    """The rows' id and times alone, read anew: what an update that leaves text and vectors alone writes."""
    pa = require("pyarrow", extra="store")
    documents = [read(document) for document in to_documents(rows)]
    columns = {"doc_id": [document.doc_id for document in documents], **_time_columns(documents, options)}
    schema = arrow_schema()
    return pa.table(columns, schema=pa.schema([schema.field(name) for name in columns]))


def with_read_facets(document: Document, read: Mapping[str, Any], facets: frozenset[str]) -> Document:
    """As `qtie.text_times.with_text_facets`, with the times that were read from the text when it was stored."""
    found = {**read, "focus_time": read["event"]} if "event" in read else read
    lacking = {facet: found[facet] for facet in facets - document.times.keys() if facet in found}
    return document.with_times(lacking) if lacking else document


def _columns_of(names: TimeFields) -> tuple[str, str, str, str, str]:
    stem = names.start.removesuffix("_start")
    return names.start, names.end, f"{stem}_known", f"{stem}_wide_start", f"{stem}_wide_end"


def _time_columns(documents: Sequence[Document], options: IntentOptions) -> dict[str, Any]:
    pa = require("pyarrow", extra="store")
    read = [focus_time(document.text, title=document.title, options=options) for document in documents]
    named = frozenset(FIELDS) - {"any"}
    filled = [with_read_facets(*pair, named) for pair in zip(documents, read, strict=True)]
    own, with_text = TimeColumns.from_documents(documents), TimeColumns.from_documents(filled)
    columns: dict[str, Any] = {
        "times": [times_to_json(document.times) for document in documents],
        "text_times": [times_to_json(times) for times in read],
        "dated": [bool(document.times) for document in documents],
    }
    for target, names in FIELDS.items():
        hulls = time_hulls(own if target == "any" else with_text, target, min_confidence=0.0)
        is_wide = hulls.known & (hulls.end - hulls.start > WIDE_DAYS)
        columns |= dict(zip(_columns_of(names), _hull_columns(pa, hulls, is_wide), strict=True))
    return columns


def _hull_columns(pa: Any, hulls: Hulls, is_wide: NDArray[np.bool_]) -> tuple[Any, ...]:
    return (
        pa.array(hulls.start, mask=hulls.start == -OPEN),
        pa.array(hulls.end, mask=hulls.end == OPEN),
        pa.array(hulls.known),
        pa.array(hulls.start, mask=~is_wide),
        pa.array(hulls.end, mask=~is_wide),
    )


def _document(row: Mapping[str, Any]) -> Document:
    content, n = row["content"], row["title_length"]
    return Document(
        doc_id=row["doc_id"],
        text=content[n + 1 :] if n else content,
        title=content[:n],
        times=times_from_json(row["times"]),
        score=row["score"],
        metadata=json.loads(row["metadata"], object_hook=_dated),
    )


def _check_text(document: Document) -> None:
    for name, text in (("_id", document.doc_id), ("title", document.title), ("text", document.text)):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise DocumentError(f"document {document.doc_id!r}: field {name!r}: not Unicode text") from None


def _metadata_json(document: Document) -> str:
    try:
        return json.dumps(dict(document.metadata), ensure_ascii=False, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise DocumentError(f"document {document.doc_id!r}: field 'metadata': {error}") from error


_DATE_TYPES: dict[str, type[date]] = {"datetime": datetime, "date": date}


def _plain(value: Any) -> Any:
    for name, kind in _DATE_TYPES.items():
        if isinstance(value, kind):
            return {f"${name}": value.isoformat()}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"cannot store a {type(value).__name__}")


def _dated(value: dict[str, Any]) -> Any:
    if len(value) == 1:
        key, text = next(iter(value.items()))
        if key[:1] == "$" and key[1:] in _DATE_TYPES and isinstance(text, str):
            return _DATE_TYPES[key[1:]].fromisoformat(text)
    return value
