"""The last step of an index: the shards' rows become one store, in one commit, and are indexed."""

import json
import pickle
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from qtie.batch.folder import OutputFolder
from qtie.batch.stage import Task
from qtie.errors import BatchError, require
from qtie.retrieval.encoders import load_encoder
from qtie.retrieval.store import Store
from qtie.retrieval.store.schema import TABLE, to_documents
from qtie.retrieval.store.store import errors_of
from qtie.retrieval.store.writing import update_indices

__all__ = ["write_store"]

_PARTS_PER_TASK = 20


def write_store(path: Path, folder: OutputFolder, task: Task, *, ray: Any = None) -> list[dict[str, str]]:
    """Make the store at `path` of the folder's shards.

    The rows are added in one commit: a run that is killed leaves all of them in the store or none, and the next one
    goes on from there. Where a document has a parent, all times are read again, so that it inherits from it.

    Args:
        ray: the module, connected to a cluster that then writes the rows (by lance-ray); None: this process does.

    Returns:
        The documents whose id stands in an earlier row, which are left out.

    Raises:
        BatchError: such a document, where the task says to stop.
        StoreError: the store cannot be written, or holds something else.
    """
    parts = [folder.file_of(number) for number in sorted(folder.finished)]
    repeated = _repeated(parts)
    left_out = [_row(part, at) for part, rows in repeated.items() for at in rows]
    if left_out and task.on_error == "stop":
        raise BatchError(f"{path}: document {left_out[0]['_id']!r} stands twice in the input")
    encoder = None if task.encoder is None else load_encoder(task.encoder)
    store = Store.open_or_create(path, encoder=encoder, encoder_name=task.encoder or "")
    table, n_docs = store.snapshot(), sum(done.n_rows for done in folder.finished.values()) - len(left_out)
    with errors_of(str(path)):
        n_there = table.count_rows()
        if n_there not in (0, n_docs) or (n_there and folder.n_written):
            raise BatchError(f"{path}: holds {n_there} documents of something else; give a new folder")
        if not n_there and n_docs:
            if ray is None or left_out:
                table.add(_batches(parts, repeated))
            else:
                _add_by_ray(ray, path, parts)
        update_indices(store.snapshot())
    if _has_chunks(parts):
        store.reindex_times(config=task.config)
    return [
        {"reason": f"document {row['_id']!r} stands already in the input", "line": json.dumps(row, ensure_ascii=False)}
        for row in left_out
    ]


def _repeated(parts: Sequence[Path]) -> dict[Path, list[int]]:
    """The rows of each part whose id stands in a row before them.

    Only the ids' hashes, 8 bytes each, are held in memory, and those ids that share one.
    """
    hashes = [np.fromiter(map(hash, ids), np.int64, len(ids)) for _, ids in _column(parts, "doc_id")]
    values, counts = np.unique(np.concatenate([*hashes, np.empty(0, np.int64)]), return_counts=True)
    suspects, seen, repeated = values[counts > 1], set[str](), dict[Path, list[int]]()
    if not len(suspects):
        return {}
    for (part, ids), its_hashes in zip(_column(parts, "doc_id"), hashes, strict=True):
        for at in np.flatnonzero(np.isin(its_hashes, suspects)).tolist():
            if ids[at] in seen:
                repeated.setdefault(part, []).append(at)
            seen.add(ids[at])
    return repeated


def _has_chunks(parts: Sequence[Path]) -> bool:
    return any('"parent_id"' in metadata for _, column in _column(parts, "metadata") for metadata in column)


def _column(parts: Sequence[Path], name: str) -> Iterator[tuple[Path, list[str]]]:
    parquet = require("pyarrow.parquet", extra="store")
    for part in parts:
        yield part, parquet.read_table(part, columns=[name])[name].to_pylist()


def _row(part: Path, at: int) -> dict[str, Any]:
    """A document as a corpus holds it."""
    rows = require("pyarrow.parquet", extra="store").read_table(part)
    (document,) = to_documents(rows.slice(at, 1))
    return {"_id": document.doc_id, "title": document.title, "text": document.text, "metadata": document.metadata}


def _batches(parts: Sequence[Path], left_out: Mapping[Path, Sequence[int]]) -> Any:
    """The parts' rows as a `pyarrow.RecordBatchReader`, one part in memory at a time."""
    arrow, parquet = require("pyarrow", extra="store"), require("pyarrow.parquet", extra="store")

    def batches() -> Iterator[Any]:
        for part in parts:
            rows = parquet.read_table(part)
            if part in left_out:
                rows = rows.take(np.setdiff1d(np.arange(len(rows)), left_out[part]))
            yield from rows.to_batches()

    return arrow.RecordBatchReader.from_batches(parquet.read_schema(parts[0]), batches())


def _add_by_ray(ray: Any, path: Path, parts: Sequence[Path]) -> None:
    """Fragments written by the cluster's machines, which all see the folder, and committed together.

    They are plain tasks: a data set of Ray Data asks for more memory than a small cluster has.
    """
    lance, uri = require("lance", extra="ray"), str((path / f"{TABLE}.lance").absolute())
    version = lance.dataset(uri).version
    write = ray.remote(num_cpus=1)(_write_fragments)
    places = [str(part.absolute()) for part in parts]
    tasks = [write.remote(uri, places[at : at + _PARTS_PER_TASK]) for at in range(0, len(places), _PARTS_PER_TASK)]
    fragments = [pickle.loads(fragment) for written in ray.get(tasks) for fragment in written]
    lance.LanceDataset.commit(uri, lance.LanceOperation.Append(fragments), read_version=version)


def _write_fragments(uri: str, parts: Sequence[str]) -> list[bytes]:
    arrow, parquet = require("pyarrow", extra="store"), require("pyarrow.parquet", extra="store")
    writer = require("lance_ray", extra="ray").LanceFragmentWriter(uri, use_legacy_format=None)
    rows = arrow.concat_tables([parquet.read_table(part) for part in parts])
    return list(writer(rows)["fragment"].to_pylist())
