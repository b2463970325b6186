"""Temporal intent extraction: grammar, shipped model and ensemble side by side, and five public date parsers.

Sets, none of them used in training or tuning:
- blind, blind 2, blind 3: `data/intent_test*.jsonl`, queries written from the specification alone and never looked at;
- synthetic: the generator's test split, three quarters of whose wordings are in no other split;
- unseen families: its queries with a wording that is in no other split; unseen kinds: its numbers and words that are
  no time, of kinds that are in no other split;
- TDBench: `basic_*` questions without reversed bounds that state what their SQL uses, in the retrieval reading.

Both bounds exact: the intervals are the gold ones, to the day. False times: queries that ask for no time and were given
one. Figures in % with 95 % intervals (Wilson, 1927). ECE: 15 bins of equal size, of the event "both bounds exact".
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from other_parsers import CONVERSIONS
from report import REPOSITORY, parser, print_table, write_record

from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.tie.accuracy import Share, asks_for_none, calibration_error
from qtie.tie.dataset.negatives import kinds
from qtie.tie.dataset.wording import families, operators
from qtie.tie.encoder import WEIGHTS
from qtie.tie.ensemble import Decision, EnsembleExtractor
from qtie.tie.grammar import GrammarExtractor
from qtie.tie.labels import label_from_sql, unstated_years
from qtie.tie.model import ModelExtractor

Row = dict[str, Any]
TABLE_END = "2025-05-10"
"""The day on which TDBench's tables end."""


class Answer(NamedTuple):
    """What a system says of a query: intervals as EDTF, preference, how sure it is, and the operators it names."""

    intervals: list[str]
    hull: str | None
    is_temporal: bool
    preference: str | None = None
    confidence: float | None = None
    operators: tuple[str, ...] = ()


def main() -> None:
    arguments = _arguments()
    sets = _sets(arguments)
    systems = _systems(arguments)
    answers = {name: {key: answer(rows) for key, rows in sets.items()} for name, answer in systems.items()}
    _add_unseen(sets, answers)
    table = [_row(name, sets, by_set) for name, by_set in answers.items()]
    print_table(table, title="Exact intervals and false times, %")
    by_kind = _by_kind(sets, answers)
    print_table(by_kind, title="By kind, synthetic: both bounds exact, %")
    f1 = _operator_f1(arguments.model, sets.get("synthetic", []))
    print_table(
        [{"operator": operator, "F1": value} for operator, value in f1.items()], title="Model, synthetic: F1, %"
    )
    decided = _decided(arguments.model, sets)
    print_table(decided, title="Ensemble: who decided, and how often that was right")
    speed = [_speed(name, sets["blind"]) for name in ("grammar", "model", "ensemble")]
    print_table(speed, title="Speed, one thread; batches on two cores; memory in MB")
    print("\n".join(f"{name}: {how}" for name, how in CONVERSIONS.items()))
    record = {
        "table": table,
        "by kind": by_kind,
        "operator F1": f1,
        "decided": decided,
        "speed": speed,
        "conversions": CONVERSIONS,
        "sizes": {key: len(rows) for key, rows in sets.items()},
    }
    data = [
        *sorted((REPOSITORY / "benchmarks/data").glob("intent_test*.jsonl")),
        arguments.synthetic / "test.jsonl",
        arguments.data_dir / "tdbench" / "items.jsonl",
        arguments.model,
    ]
    write_record("tie_accuracy", record, arguments, data=[path for path in data if path.exists()])


def _arguments() -> argparse.Namespace:
    arguments = parser(__doc__ or "")
    arguments.add_argument(
        "--synthetic", type=Path, default=REPOSITORY / ".cache" / "tie_data", help="folder of `qtie data build`"
    )
    arguments.add_argument("--model", type=Path, default=WEIGHTS)
    arguments.add_argument("--parsers-python", help="the Python in whose environment the other parsers are installed")
    return arguments.parse_args()


def _sets(arguments: argparse.Namespace) -> dict[str, list[Row]]:
    files = {name: REPOSITORY / f"benchmarks/data/intent_test{nth}.jsonl" for name, nth in _BLIND.items()}
    sets = {name: _rows(path) for name, path in files.items() if path.exists()}
    if (arguments.synthetic / "test.jsonl").exists():
        sets["synthetic"] = _rows(arguments.synthetic / "test.jsonl")
    if (arguments.data_dir / "tdbench" / "items.jsonl").exists():
        sets["TDBench"] = _tdbench(arguments.data_dir / "tdbench" / "items.jsonl")
    return sets


_BLIND = {"blind": "", "blind 2": "2", "blind 3": "3"}


def _add_unseen(sets: dict[str, list[Row]], answers: dict[str, dict[str, list[Answer]]]) -> None:
    """The synthetic queries with unseen wordings, and those of unseen kinds, as sets of their own."""
    own = {family.name for operator in operators() for family in families(operator) if family.split == "test"}
    only = {f"no time: {kind.name}" for kind in kinds() if kind.split == "test"}
    rows = sets.get("synthetic", [])
    places = {
        "unseen families": [at for at, row in enumerate(rows) if own & set(row["family"].split(" + "))],
        "unseen kinds": [at for at, row in enumerate(rows) if row["kind"] in only],
    }
    for name, chosen in places.items():
        sets[name] = [rows[at] for at in chosen]
        for by_set in answers.values():
            by_set[name] = [by_set["synthetic"][at] for at in chosen]


def _tdbench(path: Path) -> list[Row]:
    """Each question that states the years its SQL uses, with the hull that the SQL asks for."""
    rows = []
    for item in _rows(path):
        if not item["qtype"].startswith("basic_"):
            continue
        label = label_from_sql(item["sql"])
        if label.day_pair is None or label.is_contradictory:
            continue
        for question in item["questions"]:
            if not unstated_years(item["sql"], question):
                gold = {"intervals": [str(label.day_pair)], "hull": True, "preference": label.preference}
                rows.append({"query": question, "reference_date": TABLE_END, "kind": item["op"]} | gold)
    return rows


def _rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _systems(arguments: argparse.Namespace) -> dict[str, Callable[[list[Row]], list[Answer]]]:
    grammar, model = GrammarExtractor(), ModelExtractor(arguments.model)
    ensemble = EnsembleExtractor(model)

    def by_grammar(rows: list[Row]) -> list[Answer]:
        return [_answer(grammar.extract(row["query"], reference_date=_day(row))) for row in rows]

    def by_model(rows: list[Row]) -> list[Answer]:
        readings = model.explain_batch([row["query"] for row in rows], reference_dates=[*map(_day, rows)])
        return [_answer(reading.intent, reading.confidence) for reading in readings]

    def by_ensemble(rows: list[Row]) -> list[Answer]:
        decisions = ensemble.decide_batch([row["query"] for row in rows], reference_dates=[*map(_day, rows)])
        return [_answer(decision.intent, decision.confidence) for decision in decisions]

    systems = {"grammar": by_grammar, "model": by_model, "ensemble": by_ensemble}
    if arguments.parsers_python:
        systems |= {name: _other(arguments.parsers_python, name) for name in CONVERSIONS}
    return systems


def _other(python: str, name: str) -> Callable[[list[Row]], list[Answer]]:
    def answer(rows: list[Row]) -> list[Answer]:
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        command = [python, str(Path(__file__).with_name("other_parsers.py")), name]
        output = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout
        found = [json.loads(line) for line in output.splitlines()]
        return [Answer(one, one[0] if len(one) == 1 else None, bool(one)) for one in found]

    return answer


def _day(row: Row) -> date | None:
    return date.fromisoformat(row["reference_date"]) if row.get("reference_date") else None


def _answer(intent: TemporalIntent, confidence: float | None = None) -> Answer:
    return Answer(
        [str(interval) for interval in intent.intervals],
        None if intent.interval is None else str(intent.interval),
        intent.is_temporal,
        intent.preference,
        confidence,
        tuple(sorted(c.operator for c in intent.constraints)),
    )


def _is_exact(answer: Answer, row: Row) -> bool:
    expected = row["intervals"]
    if row.get("preference") == "latest" and not expected:
        expected = [f"../{row['reference_date']}"]
    return ([answer.hull] if row.get("hull") and answer.hull else answer.intervals) == expected


def _is_near(answer: Answer, row: Row) -> bool:
    """Whether each bound is at most a day from the gold one: SQL's strict comparisons say what English does not."""
    if answer.hull is None:
        return False
    found, gold = TimeInterval.parse(answer.hull), TimeInterval.parse(row["intervals"][0])
    pairs = ((found.start, gold.start), (found.end, gold.end))
    return all(a == b or (a is not None and b is not None and abs(a - b) <= 1) for a, b in pairs)


def _row(name: str, sets: dict[str, list[Row]], by_set: dict[str, list[Answer]]) -> dict[str, object]:
    row: dict[str, object] = {"system": name}
    judged: list[tuple[float | None, bool]] = []
    for key, rows in sets.items():
        pairs = list(zip(by_set[key], rows, strict=True))
        if not key.startswith("unseen"):  # which are among the synthetic ones
            judged += [(answer.confidence, _is_exact(answer, gold)) for answer, gold in pairs]
        asked = [_is_exact(answer, gold) for answer, gold in pairs if not asks_for_none(gold)]
        false = [answer.is_temporal for answer, gold in pairs if asks_for_none(gold)]
        if key == "TDBench":
            row["TDBench: both bounds within a day"] = str(Share.of([_is_near(answer, gold) for answer, gold in pairs]))
        row |= {f"{key}: both bounds": str(Share.of(asked))} if asked else {}
        row |= {f"{key}: false times": str(Share.of(false))} if false else {}
        if any(gold.get("preference") for gold in rows) and name in ("grammar", "model", "ensemble"):
            row[f"{key}: preference"] = str(Share.of([a.preference == g.get("preference") for a, g in pairs]))
    if judged and judged[0][0] is not None:
        row["ECE"] = round(100 * calibration_error([(c or 0.0, right) for c, right in judged]), 2)
        row["n for ECE"] = len(judged)
    return row


def _by_kind(sets: dict[str, list[Row]], answers: dict[str, dict[str, list[Answer]]]) -> list[dict[str, object]]:
    """Of the kinds with at least 30 queries; the numbers beside a time are left out of its kind."""
    rows = sets.get("synthetic", [])
    kind_of = [row["kind"].split(" beside ")[0] for row in rows]
    made = []
    for kind, n in Counter(kind_of).most_common():
        if n < 30:
            break
        line: dict[str, object] = {"kind": kind, "n": n}
        for name in ("grammar", "model", "ensemble"):
            triples = zip(answers[name]["synthetic"], rows, kind_of, strict=True)
            line[name] = 100 * statistics.mean(_is_exact(answer, row) for answer, row, of in triples if of == kind)
        made.append(line)
    return made


def _operator_f1(path: Path, rows: list[Row]) -> dict[str, float]:
    """F1 of each operator over the candidates of all queries, and their unweighted mean."""
    counts: Counter[tuple[str, str]] = Counter()
    readings = ModelExtractor(path).explain_batch([r["query"] for r in rows], reference_dates=[*map(_day, rows)])
    for reading, row in zip(readings, rows, strict=True):
        gold = {tuple(step["span"]): step["operator"] for step in row["steps"]}
        for candidate, step in zip(reading.encoded.found, reading.program.steps, strict=True):
            counts[gold.get((candidate.start, candidate.end), "none"), step.operator] += 1
    f1 = {}
    for operator in sorted({gold for gold, _ in counts} - {"none"}):
        n_right = counts[operator, operator]
        n_said = sum(n for (_, said), n in counts.items() if said == operator)
        n_gold = sum(n for (gold, _), n in counts.items() if gold == operator)
        f1[operator] = 100 * 2 * n_right / max(1, n_said + n_gold)
    return ({"macro": statistics.mean(f1.values())} if f1 else {}) | f1


def _decided(path: Path, sets: dict[str, list[Row]]) -> list[dict[str, object]]:
    ensemble = EnsembleExtractor(ModelExtractor(path))
    made = []
    for key, rows in sets.items():
        decisions = [*ensemble.decide_batch([r["query"] for r in rows], reference_dates=[*map(_day, rows)])]
        groups: dict[tuple[str, str], list[tuple[Decision, Row]]] = {}
        for decision, row in zip(decisions, rows, strict=True):
            groups.setdefault((decision.case, decision.decided_by), []).append((decision, row))
        for (case, by), pairs in sorted(groups.items()):
            right = [_is_exact(_answer(decision.intent), row) for decision, row in pairs]
            share = round(100 * len(pairs) / len(rows), 2)
            made.append({"set": key, "case": case, "decided by": by, "share %": share, "exact": str(Share.of(right))})
    return made


_TIMED = """
import json, resource, sys, time
from datetime import date
from pathlib import Path
import numpy
from qtie.tie.grammar import GrammarExtractor
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
rows = json.load(sys.stdin)
queries = [row["query"] for row in rows]
days = [date.fromisoformat(row["reference_date"]) if row.get("reference_date") else None for row in rows]
GrammarExtractor().extract("in 2010")
before = resident()
from qtie.tie.model import ModelExtractor
from qtie.tie.ensemble import EnsembleExtractor
extractor = {"grammar": GrammarExtractor, "model": ModelExtractor, "ensemble": EnsembleExtractor}[sys.argv[1]]()
extractor.extract("won in 2010")
seconds = []
for query, day in zip(queries, days):
    start = time.perf_counter()
    extractor.extract(query, reference_date=day)
    seconds.append(time.perf_counter() - start)
seconds.sort()
one = resident() - before
rate = None
if sys.argv[1] != "grammar":
    best = 1e9
    for _ in range(3):
        start = time.perf_counter()
        for at in range(0, len(queries), 256):
            extractor.extract_batch(queries[at:at+256], reference_dates=days[at:at+256])
        best = min(best, time.perf_counter() - start)
    rate = len(queries) / best
print(json.dumps({"p50 ms": 1000 * seconds[len(seconds) // 2], "p95 ms": 1000 * seconds[len(seconds) * 95 // 100],
    "queries/s in batches of 256": rate or "-", "memory, one query": one, "memory, batches": resident() - before}))
"""


def _speed(name: str, rows: list[Row]) -> dict[str, object]:
    """In a fresh process, on the blind queries."""
    asked = json.dumps([{"query": row["query"], "reference_date": row.get("reference_date")} for row in rows])
    command = [sys.executable, "-c", _TIMED, name]
    output = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    return {"system": name, "queries": len(rows)} | json.loads(output)


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"{time.perf_counter() - started:.0f} s")
