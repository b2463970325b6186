"""The folder that a run writes: a file for each shard, and books of what is finished, so that it can be taken up again.

`manifest.json` says what was asked of which input, `shards.jsonl` which shards are finished; a shard's file is there,
whole, before its line is. When all are finished the lines move into the manifest, so that the same task on the same
input leaves the same bytes behind, however often it was interrupted.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from qtie.batch.shards import LINE, Shard
from qtie.batch.stage import SKIPPED, Task
from qtie.errors import BatchError, StoreError, require
from qtie.retrieval.store.lock import writer_lock
from qtie.whole_file import write_whole

__all__ = ["Finished", "OutputFolder", "reference_date_of"]

_MANIFEST, _LOG, _SKIPPED_FILE = "manifest.json", "shards.jsonl", "skipped.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A shard whose output is written."""

    shard: int
    digest: str
    """Of its input."""
    n_rows: int
    """Of its output."""
    n_skipped: int


class OutputFolder:
    """A run's output, open to one run at a time.

    Args:
        path: the folder.
        manifest: what is asked of which input, JSON-ready.
    """

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        self.path = path
        self._manifest = manifest
        self.finished: dict[int, Finished] = {}
        """By the shard's number."""
        self.is_complete = False
        """Whether all of it is written."""
        self.n_skipped_later = 0
        """Rows that were passed over when all shards had been read."""

    @classmethod
    @contextmanager
    def opened(cls, path: Path, task: Task, files: Sequence[Path], *, shard_rows: int) -> Iterator["OutputFolder"]:
        """The folder, new or as an earlier run of the same task on the same input left it; locked until it is closed.

        Raises:
            BatchError: it holds something else, or the output of another task or input, and names the difference;
                another run writes into it.
        """
        folder = cls(path, _manifest(task, files, shard_rows))
        with _writing(path):
            path.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            try:
                stack.enter_context(writer_lock(str(path), wait_seconds=0))
            except StoreError:
                raise BatchError(f"{path}: another run writes into it") from None
            with _writing(path):
                folder._take_up()
            yield folder

    def file_of(self, shard: int) -> Path:
        """Where a shard's output stands."""
        suffix = "parquet" if self._manifest["task"]["kind"] == "index" else "jsonl"
        return self.path / f"part-{shard:06}.{suffix}"

    def keep(self, shard: Shard, result: Any) -> Finished:
        """Write a shard's output, whole, and then that it is finished.

        Raises:
            BatchError: it cannot be written.
        """
        skipped = json.loads(result.schema.metadata[SKIPPED])
        done = Finished(shard=shard.number, digest=shard.digest, n_rows=len(result), n_skipped=len(skipped))
        with _writing(self.path):
            _write_table(self.file_of(shard.number), result)
            if skipped:
                _write_lines(self._skipped_of(shard.number), skipped)
            with (self.path / _LOG).open("a", encoding="utf-8") as log:
                log.write(json.dumps(asdict(done)) + "\n")
        self.finished[shard.number] = done
        return done

    def complete(self, *, skipped: Sequence[Mapping[str, str]] = ()) -> None:
        """Close the books: all that was skipped in one file, with what was `skipped` last, and the manifest complete.

        Raises:
            BatchError: they cannot be written.
        """
        numbers = sorted(self.finished)
        parts = [path for number in numbers if (path := self._skipped_of(number)).is_file()]
        with _writing(self.path):
            if parts or skipped:
                lines = [json.loads(line) for path in parts for line in path.read_text("utf-8").split("\n") if line]
                _write_lines(self.path / _SKIPPED_FILE, [*lines, *skipped])
            shards = [asdict(self.finished[number]) for number in numbers]
            self._write_manifest({**self._manifest, "shards": shards, "n_skipped_later": len(skipped)})
            for path in (*parts, self.path / _LOG):
                path.unlink(missing_ok=True)
        self.is_complete, self.n_skipped_later = True, len(skipped)

    def remove_parts(self) -> None:
        """Remove the shards' files; the books stay."""
        with _writing(self.path):
            for number in self.finished:
                self.file_of(number).unlink(missing_ok=True)

    def _skipped_of(self, shard: int) -> Path:
        return self.path / f"skipped-{shard:06}.jsonl"

    def _take_up(self) -> None:
        path = self.path / _MANIFEST
        if not path.is_file():
            if other := sorted(item.name for item in self.path.iterdir() if item.name[0] != "."):
                raise BatchError(f"{self.path}: holds {other[0]!r}, which no run wrote; give a new folder")
            self._write_manifest(self._manifest)
            return
        written = _read_manifest(path)
        if change := _first_change(written, json.loads(json.dumps(self._manifest))):
            raise BatchError(f"{self.path}: was begun otherwise: {change}; go on as before, or give a new folder")
        self.is_complete = "shards" in written
        self.n_skipped_later = written.get("n_skipped_later", 0)
        rows = written["shards"] if self.is_complete else self._log()
        finished = {row["shard"]: Finished(**row) for row in rows}
        if self.is_complete and self._manifest["task"]["kind"] == "index":  # their rows are in the store
            self.finished = finished
            return
        self.finished = {shard: done for shard, done in finished.items() if self.file_of(shard).is_file()}
        self.is_complete = self.is_complete and len(self.finished) == len(finished)  # whose file is gone is read again

    def _log(self) -> list[dict[str, Any]]:
        """The finished shards; a last line that was cut off by the death of its writer is removed."""
        path = self.path / _LOG
        lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
        whole = [line for line in lines if line.endswith(b"\n")]
        if whole != lines:
            write_whole(path, lambda file: file.writelines(whole))
        return [json.loads(line) for line in whole]

    def _write_manifest(self, manifest: Mapping[str, Any]) -> None:
        text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
        write_whole(self.path / _MANIFEST, lambda file: file.write(text.encode()))


def reference_date_of(path: Path) -> str | None:
    """The reference date of the run that wrote into a folder; None where there was none."""
    manifest = path / _MANIFEST
    return _read_manifest(manifest)["task"]["reference_date"] if manifest.is_file() else None


def _manifest(task: Task, files: Sequence[Path], shard_rows: int) -> dict[str, Any]:
    try:
        sizes = [{"name": path.name, "n_bytes": path.stat().st_size} for path in files]
    except OSError as error:
        raise BatchError(f"{error.filename}: cannot be read: {error.strerror}") from error
    return {"qtie": version("qtie"), "task": task.to_dict(), "shard_rows": shard_rows, "input": sizes}


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        _ = manifest["task"]["reference_date"]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise BatchError(f"{path}: not a manifest that qtie batch wrote: {error}") from error
    return manifest


def _first_change(before: Any, now: Any, name: str = "") -> str:
    """What differs first between two JSON values, by name; "" where nothing does. More in `before` is no difference."""
    if isinstance(before, dict) and isinstance(now, dict):
        changes = (_first_change(before.get(key), now[key], f"{name}.{key}" if name else key) for key in now)
        return next(filter(None, changes), "")
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = enumerate(zip(before, now, strict=True))
        return next(filter(None, (_first_change(*pair, f"{name}[{at}]") for at, pair in pairs)), "")
    return "" if before == now else f"{name} was {json.dumps(before)[:80]}, is {json.dumps(now)[:80]}"


def _write_table(path: Path, table: Any) -> None:
    if table.column_names == [LINE]:
        text = "".join(f"{line}\n" for line in table[LINE].to_pylist())
        write_whole(path, lambda file: file.write(text.encode()))
        return
    parquet = require("pyarrow.parquet", extra="store")
    write_whole(path, lambda file: parquet.write_table(table.replace_schema_metadata(None), file))


def _write_lines(path: Path, records: Sequence[Mapping[str, str]]) -> None:
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    write_whole(path, lambda file: file.write(text.encode()))


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BatchError(f"{path}: cannot be written: {error.strerror or error}") from error
