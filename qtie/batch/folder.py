"""The folder that a run writes: a file for each shard, and books of what is finished, so that it can be taken up again.

`manifest.json` says what was asked of which input, `shards.jsonl` which shards are finished, with the digests of what
was read and written; a shard's file is there, whole, before its line is. When all are finished the lines move into the
manifest, so that the same task on the same input leaves the same bytes behind, however often it was interrupted.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from hashlib import blake2b, file_digest
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
    output: str
    """The digest of its output's file."""


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
        self.n_written = 0
        """Shards whose output this run has written."""

    @classmethod
    @contextmanager
    def opened(cls, path: Path, task: Task, files: Sequence[Path], *, shard_rows: int) -> Iterator["OutputFolder"]:
        """The folder, new or as an earlier run of the same task left it; locked until it is closed.

        A finished run must have been on the same input. One that failed may go on with an input that was corrected
        and with another `on_error`; where it finished no shard, with any task.

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
        skipped, place = json.loads(result.schema.metadata[SKIPPED]), self.file_of(shard.number)
        with _writing(self.path):
            _write_table(place, result)
            done = Finished(
                shard=shard.number, digest=shard.digest, n_rows=len(result), n_skipped=len(skipped),
                output=_digest(place),
            )  # fmt: skip
            if skipped:
                _write_lines(self._skipped_of(shard.number), skipped)
            with (self.path / _LOG).open("a", encoding="utf-8") as log:
                log.write(json.dumps(asdict(done)) + "\n")
        self.finished[shard.number] = done
        self.n_written += 1
        return done

    def forget(self, shard: int) -> None:
        """Take back that a shard is finished: its input is another one now."""
        del self.finished[shard]

    def complete(self, *, skipped: Sequence[Mapping[str, str]] = ()) -> None:
        """Close the books: all that was skipped in one file, with what was `skipped` last, and the manifest complete.

        Raises:
            BatchError: they cannot be written.
        """
        numbers = sorted(self.finished)
        parts = [self._skipped_of(number) for number in numbers if self.finished[number].n_skipped]
        with _writing(self.path):
            if parts or skipped:
                lines = [json.loads(line) for path in parts for line in path.read_text("utf-8").split("\n") if line]
                _write_lines(self.path / _SKIPPED_FILE, [*lines, *skipped])
            shards = [asdict(self.finished[number]) for number in numbers]
            self._write_manifest({**self._manifest, "shards": shards, "n_skipped_later": len(skipped)})
            self._tidy()
        self.is_complete, self.n_skipped_later = True, len(skipped)

    def remove_parts(self) -> None:
        """Remove the shards' files; the books stay."""
        with _writing(self.path):
            for number in self.finished:
                self.file_of(number).unlink(missing_ok=True)

    def _skipped_of(self, shard: int) -> Path:
        return self.path / f"skipped-{shard:06}.jsonl"

    def _tidy(self) -> None:
        """Remove what a whole run needs no more: books of single shards, and shards that a corrected input has not."""
        own = {self.file_of(number) for number in self.finished}
        parts = [path for path in self.path.glob("part-*") if path not in own]
        for path in (*self.path.glob("skipped-*.jsonl"), *parts, self.path / _LOG):
            path.unlink(missing_ok=True)

    def _take_up(self) -> None:
        path = self.path / _MANIFEST
        if not path.is_file():
            if other := sorted(item.name for item in self.path.iterdir() if item.name[0] != "."):
                raise BatchError(f"{self.path}: holds {other[0]!r}, which no run wrote; give a new folder")
            self._write_manifest(self._manifest)
            return
        written = _read_manifest(path)
        self.is_complete = "shards" in written
        self.n_skipped_later = written.get("n_skipped_later", 0)
        finished = _finished(written["shards"] if self.is_complete else self._log(), self.path)
        now = json.loads(json.dumps(self._manifest))
        if not self.is_complete:  # each shard's digest tells whether its input is another one
            now |= {"input": written.get("input"), "task": {**now["task"], "on_error": written["task"].get("on_error")}}
        if (self.is_complete or finished) and (change := _first_change(written, now)):
            raise BatchError(
                f"{self.path}: was begun otherwise: {change}; go on as before, give a new folder, or delete this one"
            )
        self.finished = finished
        if not (self.is_complete and now["task"]["kind"] == "index"):  # the rows of a whole index are in the store
            self._check_outputs()

    def _check_outputs(self) -> None:
        """Forget the shards whose output is not there as it was written, so that they are read again."""
        was_complete, finished = self.is_complete, self.finished
        is_kept = {number: _digest(self.file_of(number)) == done.output for number, done in finished.items()}
        skipping = {number for number, done in finished.items() if done.n_skipped}
        lacks_skipped = was_complete and skipping and not (self.path / _SKIPPED_FILE).is_file()
        if was_complete and all(is_kept.values()) and not lacks_skipped:
            self._tidy()
            return
        # what a whole run skipped stands in one file, which cannot be mended by parts
        if was_complete or self._manifest["task"]["on_error"] == "stop":
            is_kept |= dict.fromkeys(skipping, False)
        self.finished = {number: done for number, done in finished.items() if is_kept[number]}
        self.is_complete, self.n_skipped_later = False, 0
        _write_lines(self.path / _LOG, [asdict(done) for done in self.finished.values()])
        self._write_manifest(self._manifest)
        if was_complete:
            (self.path / _SKIPPED_FILE).unlink(missing_ok=True)

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


def _finished(rows: Sequence[Mapping[str, Any]], path: Path) -> dict[int, Finished]:
    try:
        return {row["shard"]: Finished(**row) for row in rows}
    except (KeyError, TypeError) as error:
        raise BatchError(f"{path}: its books are those of another version; give a new folder") from error


def _digest(path: Path) -> str:
    """Of what stands in a file; "" where there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()


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


def _write_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    write_whole(path, lambda file: file.write(text.encode()))


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BatchError(f"{path}: cannot be written: {error.strerror or error}") from error
