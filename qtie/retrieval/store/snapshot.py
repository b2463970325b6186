"""A store as it was at one moment; what every search reads of it is kept in memory, once that is worth it."""

from asyncio import get_running_loop, run_coroutine_threadsafe
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import Future
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qtie.document import Document
from qtie.errors import require
from qtie.retrieval.filters.time_filter import TimeFilter
from qtie.retrieval.store.predicate import TIME_COLUMNS, passing
from qtie.retrieval.store.schema import DOCUMENT_COLUMNS, as_matrix, to_documents
from qtie.retrieval.store.store import waited_for

__all__ = ["Inside", "Rows", "Snapshot"]

Rows = NDArray[np.int64]
_MOST_BYTES = 2**28
"""Of ids and times, those of some two million documents; and again of vectors, 170,000 of 384 dimensions."""
_ROWS_AT_ONCE = 8192
_ROW_COST = 20
"""A row that is read alone takes as long as so many that are read in a row."""


class _Kept(NamedTuple):
    """Columns of all rows, in the order in which they were read."""

    rows: Rows
    """Shape (n,): LanceDB's row ids, ascending."""
    order: NDArray[np.intp]
    """Shape (n,): where each of them stands in the columns."""
    columns: Any
    """doc_id, times and, if they fit, vector (`pyarrow.Table`)."""
    times: Mapping[str, NDArray[np.float64]]
    """`TIME_COLUMNS`, NaN for NULL."""

    def places(self, rows: Rows) -> NDArray[np.intp]:
        """Where those rows stand in the columns."""
        return self.order[np.searchsorted(self.rows, rows)]


class Inside(NamedTuple):
    """The rows inside an asked time."""

    kept: _Kept
    passes: NDArray[np.bool_]
    """Shape (n,), in the order of the columns."""
    share: float
    """Of all rows, in [0, 1]."""

    def holds(self, rows: Rows) -> NDArray[np.bool_]:
        """Which of those rows are inside."""
        return self.passes[self.kept.places(rows)]


class Snapshot:
    """A store as it was at one moment.

    Ids, times and vectors are read row by row until that has cost as much as reading them whole; then they are kept in
    memory, ids and times up to 256 MiB, vectors up to as much again. So a store that is asked once, or that changes
    all the time, is never read whole; and what a search finds does not depend on what is kept.

    Args:
        table: the table as it was then (`lancedb.AsyncTable`).
        n_dimensions: of the vectors that searches read; 0 if they read none.
    """

    def __init__(self, table: Any, *, n_dimensions: int) -> None:
        self.table = table
        self.version: int = waited_for(table.version())
        self.n_documents: int = waited_for(table.count_rows())
        self._n_dimensions, self._n_read = n_dimensions, 0
        self._reading: Future[_Kept | None] | None = None

    @cached_property
    def dated_share(self) -> float:
        """As `Pool.dated_share`."""
        return float(waited_for(self.table.count_rows("dated = true")) / max(1, self.n_documents))

    def inside(self, wanted: TimeFilter | None) -> Inside | None:
        """The rows that `predicate` lets pass; None where it lets all, or its columns are not in memory."""
        kept = self._kept
        passes = None if kept is None else passing(wanted, kept.times)
        return None if kept is None or passes is None else Inside(kept, passes, float(passes.mean()))

    async def take(self, rows: Rows, columns: Sequence[str]) -> Any:
        """Those columns of those rows (`pyarrow.Table`), in their order."""
        found, kept = {}, self._kept
        if kept is not None:
            names = [name for name in columns if name in kept.columns.column_names]
            found = _by_name(kept.columns.select(names).take(kept.places(rows)))
        if others := [name for name in columns if name not in found]:
            self._begin_to_keep(len(rows))
            found |= _by_name(await self.table.take_row_ids(rows.tolist()).select(others).to_arrow())
        return require("pyarrow", extra="store").table({name: found[name] for name in columns})

    def documents(self, rows: Rows) -> list[Document]:
        """Those documents, whole, in that order."""
        order = np.argsort(rows)
        found = to_documents(waited_for(self.take(rows[order], DOCUMENT_COLUMNS)))
        return [found[at] for at in np.argsort(order)]

    @property
    def _kept(self) -> _Kept | None:
        """None as well where reading failed: what is broken is told by the search that reads it."""
        reading = self._reading
        return reading.result() if reading and reading.done() and not reading.exception() else None

    def _begin_to_keep(self, n_more: int) -> None:
        """Read the columns whole, beside the searches, once reading so many rows alone has cost as much."""
        self._n_read += n_more
        if self._reading is None and self._n_read * _ROW_COST > self.n_documents:
            self._reading = run_coroutine_threadsafe(self._whole(), get_running_loop())

    async def _whole(self) -> _Kept | None:
        """The columns of all rows; None where they are too large."""
        parts = []
        async for part in self._parts(["_rowid", "doc_id", "times", *TIME_COLUMNS]):
            parts.append(part)
            if parts[0].nbytes * self.n_documents > _MOST_BYTES * len(parts[0]):
                return None
        table = require("pyarrow", extra="store").concat_tables(parts).combine_chunks()
        times = {name: table[name].to_numpy().astype(np.float64) for name in TIME_COLUMNS}
        rows, columns = table["_rowid"].to_numpy().astype(np.int64), table.select(["doc_id", "times"])
        order = np.argsort(rows)
        kept = _Kept(rows[order], order, columns, times)
        if not 0 < 4 * self.n_documents * self._n_dimensions <= _MOST_BYTES:
            return kept
        return kept._replace(columns=columns.append_column("vector", await self._vectors(kept)))

    async def _vectors(self, kept: _Kept) -> Any:
        """The vectors as a column, copied part by part, so that they are in memory once."""
        pa, vectors = require("pyarrow", extra="store"), np.empty((self.n_documents, self._n_dimensions), np.float32)
        async for part in self._parts(["_rowid", "vector"]):
            vectors[kept.places(part["_rowid"].to_numpy())] = as_matrix(part["vector"])
        return pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), self._n_dimensions)

    async def _parts(self, columns: Sequence[str]) -> AsyncIterator[Any]:
        """Those columns of all rows (`pyarrow.Table`), some thousand rows at a time."""
        for first in range(0, self.n_documents, _ROWS_AT_ONCE):
            yield await self.table.query().select(columns).offset(first).limit(_ROWS_AT_ONCE).to_arrow()


def _by_name(table: Any) -> dict[str, Any]:
    return dict(zip(table.column_names, table.columns, strict=True))
