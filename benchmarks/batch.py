"""Many rows at once: rows a second on all cores, Ray beside processes of this machine, a killed worker, growth.

Queries: those of the development files over and over (of one query nothing is kept for the next), for Ray each time
with another word. Documents: the sample corpus's texts over and over under ids and dates of their own, 97 characters
each on average.

Speeds are counted from the first finished shard to the last, without the start of the workers, which stands in
`start s`. `CPU ms a row` is what all processes used, start included: on a machine that others use too it says more
than the clock.

    python benchmarks/batch.py speed       # intents by grammar and by default, times of documents
    python benchmarks/batch.py growth      # times of 1,000 to 1,000,000 documents, and memory
    python benchmarks/batch.py ray         # 1,000,000 queries by Ray, and a store
    python benchmarks/batch.py killed      # one of two workers killed in the middle
"""

import itertools
import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from report import REPOSITORY, parser, print_table, write_record

from qtie.batch.run import Report, Runner, run_batch
from qtie.batch.stage import Task
from qtie.evaluation.datasets import load_sample

FIRST_DAY = date(2000, 1, 1)
DEV_FILES = sorted((REPOSITORY / "benchmarks" / "data").glob("intent_dev*.jsonl"))
GRAMMAR = Task(kind="intents", extractor="grammar", reference_date=FIRST_DAY)
TIMES = Task(kind="times")
N_KILLED = 40_000


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("parts", nargs="*", choices=[*PARTS, []], help="which to measure (default: all)")
    arguments.add_argument("--most", type=int, default=1_000_000, help="documents of the largest corpus")
    arguments.add_argument("--workers", type=int, default=2)
    given = arguments.parse_args()
    results = _kept(given.out / "batch.json")
    with TemporaryDirectory() as folder:
        for part in given.parts or PARTS:
            rows = PARTS[part](Path(folder), given)
            print_table(rows, title=part)
            results[part] = {"processes that wanted a core": os.getloadavg()[0], "rows": rows}
    write_record("batch", results, given, data=DEV_FILES)


def _kept(path: Path) -> dict[str, Any]:
    """What earlier runs of other parts found."""
    return dict(json.loads(path.read_text("utf-8"))["results"]) if path.is_file() else {}


def speed(folder: Path, given: Any) -> list[dict[str, Any]]:
    queries, documents = _queries(folder, 40_000, distinct=False), _documents(folder, 50_000, given.seed)
    ensemble = Task(kind="intents", reference_date=FIRST_DAY)
    return [
        {"what": "intents, grammar"} | _measured(GRAMMAR, queries, folder, given, shard_rows=2000),
        {"what": "intents, default (ensemble)"} | _measured(ensemble, queries, folder, given, shard_rows=2000),
        {"what": "times of documents"} | _measured(TIMES, documents, folder, given, shard_rows=2000),
    ]


def growth(folder: Path, given: Any) -> list[dict[str, Any]]:
    sizes = [n for n in (1_000, 10_000, 100_000, 1_000_000) if n <= given.most]
    return [
        {"documents": n} | _measured(TIMES, _documents(folder, n, given.seed), folder, given) | {"MiB": _own_memory()}
        for n in sizes
    ]


def by_ray(folder: Path, given: Any) -> list[dict[str, Any]]:
    """Intents by processes and by actors, of which only those have to do all; and a store made both ways.

    Each run is in a process of its own: Ray forks, which LanceDB's threads may not survive.
    """
    few, most, documents = given.most // 5, given.most, given.most // 50
    runs: list[tuple[Task, Path, Runner]] = [
        (GRAMMAR, _queries(folder, few), "local"), (GRAMMAR, _queries(folder, most), "ray"),
        (Task(kind="index"), _documents(folder, documents, given.seed), "local"),
        (Task(kind="index"), _documents(folder, documents, given.seed), "ray"),
    ]  # fmt: skip
    rows = []
    for task, source, runner in runs:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as alone:
            shard_rows = 10_000 if task.kind == "intents" else 2000
            run = alone.submit(_measured, task, source, folder, given, runner=runner, shard_rows=shard_rows)
            row = {"what": task.kind, "runner": runner} | run.result()
            if runner == "ray":
                del row["CPU ms a row"]  # its workers are no children of this process
            rows.append(row)
    return rows


def killed(folder: Path, given: Any) -> list[dict[str, Any]]:
    documents = _documents(folder, N_KILLED, given.seed)
    outputs = {}
    for name, n_killed in (("undisturbed", 0), ("one of two killed", 1)):
        victims: list[int] = []

        def kill(report: Report, n_killed: int = n_killed, victims: list[int] = victims) -> None:
            if report.n_shards >= 10 and len(victims) < n_killed:
                victims.append(multiprocessing.active_children()[0].pid or 0)
                os.kill(victims[-1], signal.SIGKILL)

        out = folder / f"killed {n_killed}"
        run_batch(TIMES, documents, out, n_workers=2, shard_rows=N_KILLED // 20, progress=kill)
        outputs[name] = {path.name: path.read_bytes() for path in out.iterdir() if path.name[0] != "."}
        assert len(victims) == n_killed
    same = outputs["undisturbed"] == outputs["one of two killed"]
    return [{"documents": N_KILLED, "files": len(outputs["undisturbed"]), "equal byte for byte": same}]


PARTS: dict[str, Callable[[Path, Any], list[dict[str, Any]]]] = {
    "speed": speed, "growth": growth, "ray": by_ray, "killed": killed
}  # fmt: skip


def _measured(
    task: Task, source: Path, folder: Path, given: Any, *, runner: Runner = "local", shard_rows: int = 10_000
) -> dict[str, Any]:
    ends: list[tuple[float, int]] = []
    cpu: list[float] = []

    def note(report: Report) -> None:
        ends.append((time.perf_counter(), report.n_rows))
        cpu.append(_cpu_seconds())

    with TemporaryDirectory(dir=folder) as out:
        start, cpu_start = time.perf_counter(), _cpu_seconds()
        report = run_batch(
            task, source, Path(out) / "out", runner=runner, n_workers=given.workers, shard_rows=shard_rows,
            progress=note,
        )  # fmt: skip
        seconds = time.perf_counter() - start
    (first, n_first), (last, n_last) = ends[0], ends[-1]
    return {
        "rows": report.n_rows,
        "rows/s": (n_last - n_first) / (last - first) if len(ends) > 1 else report.n_rows / seconds,
        "start s": first - start,
        "all s": seconds,
        "CPU ms a row": 1000 * (cpu[-1] - cpu_start) / n_last,
    }


def _cpu_seconds() -> float:
    """What this process and all that it started have used."""
    ticks = os.sysconf("SC_CLK_TCK")
    times, parents = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        pid = int(path.parent.name)
        parents[pid] = int(fields[1])
        times[pid] = sum(map(int, fields[11:15])) / ticks
    mine = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return sum(times.get(pid, 0) for pid in mine)


def _own_memory() -> float:
    """The most that this process, which reads and writes the shards, has held, in MiB."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def _queries(folder: Path, n: int, *, distinct: bool = True) -> Path:
    """The development queries again and again, n in all; with a further word each time, if no two are to be equal."""
    path = folder / f"queries{n}.jsonl"
    once = list(dict.fromkeys(json.loads(line)["query"] for file in DEV_FILES for line in _lines(file)))
    further = (f"{query} {_word(turn)}" if distinct else query for turn in itertools.count() for query in once)
    again = itertools.chain(once, further)
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps({"query": query}) + "\n" for query in itertools.islice(again, n))
    return path


def _word(number: int) -> str:
    """Consonants that no rule knows."""
    return "q" + "".join("bcdfghjkpt"[int(digit)] for digit in str(number))


def _documents(folder: Path, n: int, seed: int) -> Path:
    path = folder / f"documents{n}.jsonl"
    rng, texts = random.Random(seed), [document.text for document in load_sample().documents]
    with path.open("w", encoding="utf-8") as out:
        for at in range(n):
            day = FIRST_DAY + timedelta(days=rng.randrange(9000))
            record = {"_id": f"d{at}", "text": texts[at % len(texts)], "metadata": {"date": str(day)}}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    return path


def _lines(path: Path) -> Iterator[str]:
    return iter(path.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    main()
