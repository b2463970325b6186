"""Rows of numbers kept on disk by text, so that what is computed for a text is computed once."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qtie.errors import EvaluationError

__all__ = ["KeptRows"]

_SECONDS = 300.0
"""How long one process waits for another's writing."""
_TEXTS_PER_STATEMENT = 500


class KeptRows:
    """Rows of float32 by text in one file, which several processes may read and write at the same time.

    Args:
        path: the file; made where it is missing.
        n_columns: of every row.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     rows = KeptRows(Path(folder) / "rows.sqlite", n_columns=2)
        ...     rows.write({"a": np.array([1, 2])})
        ...     rows.read(["a", "b"])
        {'a': array([1., 2.], dtype=float32)}
    """

    def __init__(self, path: Path, *, n_columns: int) -> None:
        self._path = path
        self._n_columns = n_columns

    def read(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The rows of those texts that have one.

        Raises:
            EvaluationError: the file cannot be read, or holds rows of another length.
        """
        keys = {_key(text): text for text in texts}
        found = {}
        with self._connection() as connection:
            for part in _parts(list(keys)):
                marks = ",".join("?" * len(part))
                for key, blob in connection.execute(f"select key, row from rows where key in ({marks})", part):
                    found[keys[key]] = self._row(blob)
        return found

    def write(self, rows: Mapping[str, NDArray[np.generic]]) -> None:
        """Keeps the rows, all or none.

        Raises:
            EvaluationError: the file cannot be written to.
        """
        values = [(_key(text), np.asarray(row, dtype="<f4").tobytes()) for text, row in rows.items()]
        with self._connection() as connection, connection:
            connection.executemany("insert or replace into rows values (?, ?)", values)

    def _row(self, blob: bytes) -> NDArray[np.float32]:
        if len(blob) != 4 * self._n_columns:
            raise EvaluationError(f"{self._path}: damaged; delete it")
        return np.frombuffer(blob, dtype="<f4")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_SECONDS)) as connection:
                connection.execute("create table if not exists rows (key blob primary key, row blob)")
                yield connection
        except (OSError, sqlite3.Error) as error:
            raise EvaluationError(f"{self._path}: scores cannot be kept here: {error}; delete it") from error


def _key(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _parts(keys: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(keys), _TEXTS_PER_STATEMENT):
        yield keys[start : start + _TEXTS_PER_STATEMENT]
