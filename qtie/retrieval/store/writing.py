"""Writing the table of a store: batches of documents, indices, and times that are read again."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qtie.config import Config
from qtie.document import Document, field_at, inherit_times, read_times, time_fields
from qtie.errors import require
from qtie.intent import IntentOptions
from qtie.retrieval.bm25 import stop_words
from qtie.retrieval.encoders import Encoder
from qtie.retrieval.retriever import retrieval_text
from qtie.retrieval.store.schema import DOCUMENT_COLUMNS, FIELDS, checked_vectors, to_arrow, to_documents, with_times
from qtie.text_times import with_estimated_time

__all__ = ["Written", "add_documents", "create_indices", "reread_times", "update_indices"]

_DOCS_PER_BATCH, _CHARACTERS_PER_BATCH = 20_000, 32_000_000
_LEAST_VECTORS = 2_000
"""Below, all vectors are compared with the query."""
_KEPT = timedelta(hours=1)
"""How long what a change replaced is kept for the readers that have it open."""


class Written(NamedTuple):
    """How many documents a write brought."""

    n_new: int
    n_updated: int


def add_documents(
    table: Any, documents: Iterable[Document], encoder: Encoder | None, *, options: IntentOptions
) -> Written:
    """Write the documents in batches, in place of those of the same ids; `options` say how 3/4/2010 is read in them."""
    n_new = n_updated = 0
    written: set[str] | None = set() if table.count_rows() == 0 else None  # known while nothing else is there
    for batch in _batches(documents):
        rows = to_arrow(batch, None if encoder is None else _vectors(table, batch, encoder), options=options)
        doc_ids = {document.doc_id for document in batch}
        if written is not None and written.isdisjoint(doc_ids):
            table.add(rows)
            written |= doc_ids
            n_new += len(batch)
            continue
        merge = table.merge_insert("doc_id").when_matched_update_all().when_not_matched_insert_all()
        result = merge.execute(rows)
        n_new, n_updated = n_new + result.num_inserted_rows, n_updated + result.num_updated_rows
    return Written(n_new, n_updated)


def _vectors(table: Any, documents: Sequence[Document], encoder: Encoder) -> NDArray[np.float32]:
    made = encoder.encode_documents([retrieval_text(document) for document in documents])
    n_dimensions = table.schema.field("vector").type.list_size
    return checked_vectors(made, n_texts=len(documents), n_dimensions=n_dimensions)


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Lists of documents whose ids differ, none too large to hold in memory."""
    batch: dict[str, Document] = {}
    n_characters = 0
    for document in documents:
        batch[document.doc_id] = document
        n_characters += len(document.text)
        if len(batch) >= _DOCS_PER_BATCH or n_characters >= _CHARACTERS_PER_BATCH:
            yield list(batch.values())
            batch, n_characters = {}, 0
    if batch:
        yield list(batch.values())


def create_indices(table: Any) -> None:
    """The indices on words, ids and times, over what the table holds; in place of those that are there."""
    index = require("lancedb.index", extra="store")
    table.create_index("content", config=index.FTS(custom_stop_words=stop_words()), replace=True)
    table.create_index("doc_id", config=index.BTree(), replace=True)
    for names in FIELDS.values():
        stem = names.start.removesuffix("start")
        for column in (names.start, f"{stem}wide_start", f"{stem}wide_end"):
            table.create_index(column, config=index.BTree(), replace=True)
    for column in ("time_known", "dated"):
        table.create_index(column, config=index.Bitmap(), replace=True)


def update_indices(table: Any) -> None:
    """Bring the indices up to what was written: from scratch after the first large load, which gives the best ones."""
    n_docs = table.count_rows()
    if not n_docs:
        return
    has_grown = table.index_stats("content_idx").num_unindexed_rows > n_docs / 2
    if has_grown:
        create_indices(table)
    has_vectors, indexed = "vector" in table.schema.names, [found.name for found in table.list_indices()]
    if has_vectors and n_docs >= _LEAST_VECTORS and (has_grown or "vector_idx" not in indexed):
        table.create_index("vector", config=_vector_index(table.schema.field("vector").type.list_size))
    table.optimize(cleanup_older_than=_KEPT)


def _vector_index(n_dimensions: int) -> Any:
    """Four bits a dimension (RaBitQ, Gao and Long 2024) find the rows, whose own vectors then give the cosines."""
    index = require("lancedb.index", extra="store")
    if n_dimensions % 8:  # which LanceDB does not quantize
        return index.IvfFlat(distance_type="dot")
    return index.IvfRq(distance_type="dot", num_bits=4)


def reread_times(table: Any, config: Config, *, lookup: Callable[[Sequence[str]], list[Document]]) -> int:
    """Read the times of all documents again; `lookup` gives documents by id, for those that have a parent."""
    n_docs = 0
    for batch in table.search().select(list(DOCUMENT_COLUMNS)).limit(None).to_batches(batch_size=_DOCS_PER_BATCH):
        rows = require("pyarrow", extra="store").Table.from_batches([batch])
        parents = {document.doc_id: document for document in lookup(_parent_ids(rows))}

        def read(document: Document, parents: dict[str, Document] = parents) -> Document:
            parent = parents.get(str(document.metadata.get("parent_id")))
            return _reread(document, config, parent)

        table.merge_insert("doc_id").when_matched_update_all().execute(with_times(rows, read, options=config.intent))
        n_docs += rows.num_rows
    return n_docs


def _parent_ids(rows: Any) -> list[str]:
    found = (document.metadata.get("parent_id") for document in to_documents(rows))
    return [str(parent_id) for parent_id in dict.fromkeys(found) if parent_id is not None]


def _reread(document: Document, config: Config, parent: Document | None) -> Document:
    """The document with the times that `config` finds in its metadata, and in its parent's."""
    stated = [time_fields({"metadata": own.metadata}) for own in (document, parent) if own is not None]
    given = {
        facet: tuple(time for time in times if not _stands_in(stated, time.source))
        for facet, times in document.times.items()
    }
    found, _ = read_times({"metadata": document.metadata}, config=config)
    read = replace(document, times=found)
    if parent is not None:
        read = inherit_times(read, _reread(parent, config, None))
    read = replace(read, times={**{facet: times for facet, times in given.items() if times}, **read.times})
    if config.documents.missing != "estimate":
        return read
    return with_estimated_time(read, options=config.intent)


def _stands_in(stated: Sequence[Mapping[str, Any]], source: str) -> bool:
    """Whether a time of that source was read from the metadata, or from the text."""
    return source == "text" or any(field_at(fields, key) is not None for key in source.split("/") for fields in stated)
