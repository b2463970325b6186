"""Who should decide where grammar and model differ: the sweep behind `EnsembleRule`, on development files only.

For each way in which the two readings may stand to each other: how many queries are read rightly when the model
decides from a confidence on, and else the grammar; and slope and offset of the confidence in the model's readings.
`intent_dev4`, `intent_dev_fresh` and the sample corpus (judged by the hull) have natural queries, the generator's dev
split mostly rare wordings.
"""

import json
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from report import REPOSITORY, parser, print_table, write_record

from qtie.evaluation.datasets import load_sample
from qtie.tie.accuracy import Share, is_exact, is_right, platt_scaling
from qtie.tie.encoder import WEIGHTS
from qtie.tie.ensemble import CASES, Case, EnsembleRule, case_of
from qtie.tie.grammar import GrammarExtractor
from qtie.tie.model import ModelExtractor

Row = dict[str, Any]
NATURAL = ("intent_dev4", "intent_dev_fresh")
BOUNDS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 1.01)


class Judged(NamedTuple):
    """How both read a query."""

    case: Case
    log_odds: float
    confidence: float
    model_right: bool
    grammar_right: bool


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--synthetic", type=Path, default=REPOSITORY / ".cache" / "tie_data")
    given = arguments.parse_args()
    files = [REPOSITORY / "benchmarks" / "data" / f"{name}.jsonl" for name in NATURAL]
    generated = given.synthetic / "dev.jsonl"
    natural = [one for rows in (*map(_rows, files), _sample_rows()) for one in _judged(rows)]
    sets = {"natural": natural, "generated": _judged(_rows(generated)[:3000])}
    alone = [
        {"reads": name, **{key: str(Share.of(getattr(one, f"{name}_right") for one in of)) for key, of in sets.items()}}
        for name in ("grammar", "model")
    ]
    sweep = [
        {"case": case, "model decides from": bound, **{key: _share(of, case, bound) for key, of in sets.items()}}
        for case in CASES[1:]
        for bound in BOUNDS
    ]
    fitted = [_confidences(case, [one for of in sets.values() for one in of if one.case == case]) for case in CASES]
    together = {key: str(Share.of(_is_right(one, EnsembleRule()) for one in of)) for key, of in sets.items()}
    alone.append({"reads": "ensemble, by its rule", **together})
    print_table(alone, title="Each alone: right, %")
    print_table(sweep, title="The model decides unless it is less sure than that: right, % of all queries")
    print_table(
        fitted, title="How sure the readings are: slope and offset of the model's log-odds, the grammar's share"
    )
    record = {"alone": alone, "sweep": sweep, "confidences": fitted}
    write_record("ensemble_rule", record, given, data=[*files, generated, WEIGHTS])


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _sample_rows() -> list[Row]:
    return [
        {"query": q.text, "reference_date": str(q.reference_date), "intervals": [str(q.interval)] if q.interval else []}
        | {"hull": True}
        for q in load_sample().queries
    ]


def _is_right(one: Judged, rule: EnsembleRule) -> bool:
    return one.model_right if one.confidence >= rule.model_decides_from[one.case] else one.grammar_right


def _judged(rows: list[Row]) -> list[Judged]:
    days = [date.fromisoformat(row["reference_date"]) for row in rows]
    grammar, made = GrammarExtractor(), []
    readings = ModelExtractor().explain_batch([row["query"] for row in rows], reference_dates=days)
    for reading, row, day in zip(readings, rows, days, strict=True):
        other = grammar.extract(row["query"], reference_date=day)
        right = is_exact if row.get("hull") else is_right  # the sample corpus states no preferences
        case, odds = case_of(reading.intent, other), reading.program.log_odds
        made.append(Judged(case, odds, reading.confidence, right(reading.intent, row), right(other, row)))
    return made


def _share(judged: list[Judged], case: Case, bound: float) -> float:
    """In %, of all queries; in the other cases the model decides."""
    right = [one.grammar_right if one.case == case and one.confidence < bound else one.model_right for one in judged]
    return 100 * sum(right) / len(right)


def _confidences(case: Case, judged: list[Judged]) -> dict[str, object]:
    slope, offset = platt_scaling((one.log_odds, one.model_right) for one in judged)
    grammar = (sum(one.grammar_right for one in judged) + 1) / (len(judged) + 2)
    return {"case": case, "n": len(judged), "slope": slope, "offset": offset, "grammar right": grammar}


if __name__ == "__main__":
    main()
