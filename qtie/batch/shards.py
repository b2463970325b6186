"""Files of queries or documents cut into shards: consecutive lines or rows of one file, each an Arrow table."""

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from qtie.errors import BatchError, require

__all__ = ["FIRST", "LINE", "SOURCE", "Shard", "input_files", "is_lines", "place_of", "read_shards"]

LINE = "line"
"""The column of a table of lines, as bytes; a table without it holds the rows of a Parquet file."""
SOURCE, FIRST = b"source", b"first"
"""Metadata of a shard's schema: its file's name, and the number of its first line or row, from 1."""
_MAX_BYTES = 1 << 25
_LINES, _ROWS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"), (".parquet",)
_PLAIN = (".txt", ".txt.gz")
"""Lines as well, of queries; in a folder they may be notes, so they are read only where the file itself is named."""


@dataclass(frozen=True, slots=True)
class Shard:
    """What one call of a `Stage` reads."""

    number: int
    """From 0, in the order of the input."""
    table: Any
    """A `pyarrow.Table` whose schema's metadata say where its rows stand."""
    digest: str
    """Of what stands in it."""


def input_files(source: Path) -> list[Path]:
    """The file itself, or a folder's JSON lines and Parquet files by name.

    Raises:
        BatchError: there is none, or one of another kind.
    """
    if not source.exists():
        raise BatchError(f"{source}: No such file or directory")
    kinds = (*_LINES, *_ROWS)
    if source.is_dir():
        found = sorted(path for path in source.iterdir() if path.is_file() and path.name.lower().endswith(kinds))
        if not found:
            raise BatchError(f"{source}: no {', '.join(kinds)} file in it")
        return found
    if not source.name.lower().endswith((*kinds, *_PLAIN)):
        raise BatchError(f"{source}: unknown kind of file; expected {', '.join(kinds)} or a folder of them")
    return [source]


def read_shards(files: Iterable[Path], *, n_rows: int) -> Iterator[Shard]:
    """The files' shards in order: `n_rows` lines or rows each, fewer at a file's end or where lines are very long.

    Raises:
        BatchError: a file cannot be read; names it.
    """
    number = 0
    for path in files:
        first = 1
        try:
            for table, digest in _rows(path, n_rows) if path.suffix.lower() in _ROWS else _lines(path, n_rows):
                place = {SOURCE: str(path).encode(), FIRST: str(first).encode()}
                yield Shard(number, table.replace_schema_metadata(place), digest)
                number, first = number + 1, first + len(table)
        except (OSError, EOFError, ValueError) as error:  # Arrow's errors are ValueErrors and OSErrors
            raise BatchError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def is_lines(table: Any) -> bool:
    """Whether a table holds lines, and not the rows of a Parquet file."""
    return [(field.name, str(field.type)) for field in table.schema] == [(LINE, "large_binary")]


def place_of(shard: Shard) -> str:
    """Where a shard's rows stand, for messages."""
    place = shard.table.schema.metadata
    unit = "lines" if is_lines(shard.table) else "rows"
    first = int(place[FIRST])
    return f"{place[SOURCE].decode()}, {unit} {first} to {first + len(shard.table) - 1}"


def _lines(path: Path, n_rows: int) -> Iterator[tuple[Any, str]]:
    arrow = require("pyarrow", extra="store")
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        for lines in _blocks(file, n_rows):
            yield arrow.table({LINE: arrow.array(lines, arrow.large_binary())}), _digest(lines)


def _blocks(lines: Iterable[bytes], n_rows: int) -> Iterator[list[bytes]]:
    block: list[bytes] = []
    n_bytes = 0
    for line in lines:
        block.append(line)
        n_bytes += len(line)
        if len(block) == n_rows or n_bytes >= _MAX_BYTES:
            yield block
            block, n_bytes = [], 0
    if block:
        yield block


def _rows(path: Path, n_rows: int) -> Iterator[tuple[Any, str]]:
    arrow, parquet = require("pyarrow", extra="store"), require("pyarrow.parquet", extra="store")
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=n_rows):
            table = arrow.Table.from_batches([batch])
            sink = arrow.BufferOutputStream()
            with arrow.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
            yield table, _digest([sink.getvalue()])


def _digest(parts: Iterable[Any]) -> str:
    found = blake2b(digest_size=16)
    for part in parts:
        found.update(part)
    return found.hexdigest()
