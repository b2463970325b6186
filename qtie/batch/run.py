"""A whole run: the input's shards through workers into a folder, taken up where an earlier run ended."""

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from qtie.batch.cluster import RayCrew, connected, n_places
from qtie.batch.crew import Crew, results
from qtie.batch.folder import OutputFolder
from qtie.batch.indexing import write_store
from qtie.batch.processes import LocalCrew, n_cores
from qtie.batch.shards import Shard, input_files, place_of, read_shards
from qtie.batch.stage import WARNED, Task
from qtie.errors import BatchError, ConfigError, QtieWarning
from qtie.retrieval.store.store import check_place

__all__ = ["RUNNERS", "Report", "Runner", "run_batch"]

Runner = Literal["local", "ray"]
RUNNERS: tuple[Runner, ...] = ("local", "ray")
_SHARD_ROWS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run wrote, earlier ones that it took up included."""

    n_rows: int
    n_skipped: int
    n_shards: int
    n_shards_before: int
    """Of those, how many were finished when the run began."""


def run_batch(
    task: Task, source: Path, output: Path, *, runner: Runner = "local", address: str | None = None,
    n_workers: int | None = None, shard_rows: int = _SHARD_ROWS, progress: Callable[[Report], None] | None = None,
) -> Report:  # fmt: skip
    """Do the task to every row of a file or folder, in the order of the input: the same bytes whichever runner does it.

    Args:
        source: JSON lines or Parquet, or a folder of such files.
        output: a folder of shards; for an index, the store.
        runner: processes of this machine, or actors of a Ray cluster.
        address: of the cluster, such as "auto"; None: one on this machine, for this run.
        n_workers: by default as many as there are cores; on a cluster one less than it has CPUs.
        shard_rows: lines or rows that a worker reads at a time.
        progress: is told after each shard.

    Raises:
        BatchError: the input cannot be read, the output is of another task or input, or workers keep dying.
        QtieError: a row is faulty and the task says to stop; names file and line.
    """
    if address is not None and runner != "ray":
        raise ConfigError("an address goes with the runner ray")
    files = input_files(source)
    is_index = task.kind == "index"
    if is_index:
        check_place(str(output))
    books = output / "parts" if is_index else output
    with (
        OutputFolder.opened(books, task, files, shard_rows=shard_rows) as folder,
        _crew(runner, task, address, n_workers) as (crew, n_at_once, ray),
    ):
        if is_index and folder.is_complete and not (output / "documents.lance").exists():
            raise BatchError(f"{output}: was finished, but its store is gone; give a new folder")
        warned = set[str]()
        for shard, result in results(crew, _unfinished(folder, files, shard_rows), n_workers=n_at_once):
            folder.keep(shard, result)
            warned |= _warn(set(json.loads(result.schema.metadata[WARNED])) - warned)
            if progress:
                progress(_report(folder))
        if not folder.is_complete:
            folder.complete(skipped=write_store(output, folder, task, ray=ray) if is_index else ())
        if is_index:  # their rows are in the store
            folder.remove_parts()
        return _report(folder)


@contextmanager
def _crew(runner: Runner, task: Task, address: str | None, n_workers: int | None) -> Iterator[tuple[Crew, int, Any]]:
    """The workers, how many of them, and Ray where it runs them."""
    if runner == "local":
        yield LocalCrew(task), n_workers or n_cores(), None
        return
    with connected(address, n_workers=n_workers) as ray:
        yield RayCrew(ray, task), n_places(ray, n_workers), ray


def _unfinished(folder: OutputFolder, files: Sequence[Path], shard_rows: int) -> Iterator[Shard]:
    """The shards that are still to be read, and those that are others than before; of a finished run, all are as then.

    Raises:
        BatchError: one of a finished run has changed.
    """
    n_shards = 0
    for shard in read_shards(files, n_rows=shard_rows):
        n_shards += 1
        done = folder.finished.get(shard.number)
        if done is None:
            yield shard
        elif done.digest != shard.digest:
            if folder.is_complete:
                raise BatchError(
                    f"{folder.path}: {place_of(shard)} have changed since they were read; give a new folder"
                )
            folder.forget(shard.number)
            yield shard
    if not n_shards:
        raise BatchError(f"{', '.join(map(str, files))}: nothing in it")
    for number in [number for number in folder.finished if number >= n_shards]:
        folder.forget(number)


def _warn(messages: set[str]) -> set[str]:
    for message in sorted(messages):
        warnings.warn(message, QtieWarning, stacklevel=2)
    return messages


def _report(folder: OutputFolder) -> Report:
    done = folder.finished.values()
    return Report(
        n_rows=sum(one.n_rows for one in done) - folder.n_skipped_later,
        n_skipped=sum(one.n_skipped for one in done) + folder.n_skipped_later,
        n_shards=len(done),
        n_shards_before=len(done) - folder.n_written,
    )
