"""How long the parts take: the grammar per query, temporal relevance with fusion per candidate list, and the import.

One core: nothing here starts threads. Times are of this machine: compare them with each other, not with another
machine's, and run nothing beside it.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date

import numpy as np
from report import REPOSITORY, parser, print_table, write_record

from qtie.evaluation.datasets import load_sample, load_tdbench
from qtie.interval import TimeInterval, day_number
from qtie.reranker import TemporalReranker
from qtie.time_columns import TimeColumns, Times

REFERENCE_DATE = date(2025, 6, 15)
CANDIDATE_COUNTS = (1_000, 1_000_000)
CANDIDATE_QUERIES = ("reports in 2016", "reports before 2010", "latest report since 2001", "reports in 2003 or 2012")
IMPORTED = """
import json, sys, time
before = set(sys.modules)
start = time.perf_counter()
import qtie
seconds = time.perf_counter() - start
loaded = {name.split(".")[0] for name in set(sys.modules) - before}
ours = set(sys.stdlib_module_names) | {"qtie"}
print(json.dumps({"seconds": seconds, "modules": sorted(m for m in loaded if m not in ours and m[0] != "_")}))
"""


def main() -> None:
    arguments = parser(__doc__ or "").parse_args()
    folder = arguments.data_dir / "tdbench"
    own = REPOSITORY / "benchmarks" / "data" / "intent_test2.jsonl"
    sources = {
        "search-like": [json.loads(line)["query"] for line in own.read_text(encoding="utf-8").splitlines()],
        "sample": [query.text for query in load_sample().queries],
        "TDBench, long": [query.text for query in load_tdbench(folder).queries],
    }
    intents = [{"of": name} | _intent_times(queries) for name, queries in sources.items()]
    candidates = [_candidate_times(n, arguments.seed) for n in CANDIDATE_COUNTS]
    imported = _import_time()
    print_table(intents, title="Reading the intent of a query, milliseconds")
    print_table(
        candidates, title="Temporal relevance and fusion of a candidate list, milliseconds (best of each query)"
    )
    print_table([imported], title="import qtie")
    record = {"intent": intents, "candidates": candidates, "import": imported}
    write_record("intent_speed", record, arguments, data=[folder / "items.jsonl", folder / "rows.jsonl", own])


def _intent_times(queries: list[str]) -> dict[str, object]:
    extractor = TemporalReranker().extractor
    for query in queries[:50]:
        extractor.extract(query, reference_date=REFERENCE_DATE)
    milliseconds = []
    for query in queries:
        start = time.perf_counter()
        extractor.extract(query, reference_date=REFERENCE_DATE)
        milliseconds.append(1000 * (time.perf_counter() - start))
    p95 = statistics.quantiles(milliseconds, n=20)[-1]
    return {"queries": len(queries), "median": statistics.median(milliseconds), "p95": p95, "max": max(milliseconds)}


def _candidate_times(n_docs: int, seed: int) -> dict[str, object]:
    random = np.random.default_rng(seed)
    first, last = day_number(1990), day_number(2025)
    starts = random.integers(first, last, n_docs)
    intervals = [TimeInterval(int(day), int(day)) for day in starts]
    columns = TimeColumns(n_docs, {"timestamp": Times.from_intervals(intervals)})
    semantic = random.random(n_docs)
    reranker = TemporalReranker(normalization="probability")
    row: dict[str, object] = {"candidates": n_docs}
    for query in CANDIDATE_QUERIES:
        intent = reranker.extractor.extract(query, reference_date=REFERENCE_DATE)
        row[query] = 1000 * _best_seconds(lambda intent=intent: reranker.fuse(intent, semantic, columns))  # type: ignore[misc]
    return row


def _best_seconds(work: Callable[[], object]) -> float:
    """The least of several repetitions, the first left out: what the work takes when nothing disturbs it."""
    work()
    seconds = []
    spent = 0.0
    while len(seconds) < 5 or (spent < 1 and len(seconds) < 500):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
        spent += seconds[-1]
    return min(seconds)


def _import_time() -> dict[str, object]:
    """In fresh processes: the median time, and the third-party modules that were loaded."""
    runs = [
        json.loads(subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, check=True, text=True).stdout)
        for _ in range(9)
    ]
    milliseconds = 1000 * statistics.median(run["seconds"] for run in runs)
    return {"milliseconds (median of 9)": milliseconds, "third-party modules": ", ".join(runs[0]["modules"]) or "none"}


if __name__ == "__main__":
    main()
