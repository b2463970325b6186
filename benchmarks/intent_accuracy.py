"""What the extractor reads, on labelled queries that were written from the intent specification alone.

An interval counts as right where all alternatives are exact to the day, or are a second reading that the label calls
fair. `intent_dev` to `intent_dev3` served to mend the grammar and to train the model, `intent_dev4` to choose and
calibrate; the cases of the `intent_test` sets were never looked at.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from nobel_rewrites import Rewrite, load_frames, read_lines, rewritten
from report import REPOSITORY, parser, print_table, write_record

from qtie.intent import IntentExtractor
from qtie.tie.extractors import EXTRACTORS, make_extractor

SETS = ("intent_dev", "intent_dev2", "intent_dev3", "intent_dev4", "intent_test", "intent_test2", "intent_test3")


def main() -> None:
    arguments = parser(__doc__ or "").parse_args()
    paths = [REPOSITORY / "benchmarks" / "data" / f"{name}.jsonl" for name in SETS]
    files = [path for path in paths if path.exists()]
    rewrites = _rewrites(arguments.data_dir / "nobel_prize", arguments.seed)
    rows = [row for name in EXTRACTORS for path in files for row in _scored(name, make_extractor(name), path)]
    rows += [_rewrites_row(name, make_extractor(name), rewrites) for name in EXTRACTORS]
    print_table(rows, title="Queries read rightly, in %, with 95 % intervals (Wilson)")
    write_record("intent_accuracy", {"accuracy": rows}, arguments, data=files)


def _scored(name: str, extractor: IntentExtractor, path: Path) -> list[dict[str, Any]]:
    """One row for each kind of query in a file."""
    right: dict[str, list[bool]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        right["asks for a time" if record["intervals"] else "asks for none"].append(_is_right(extractor, record))
    return [
        {"extractor": name, "set": path.stem, "queries": kind, "n": len(values)}
        | dict(
            zip(
                ("right %", "low", "high"),
                (100 * sum(values) / len(values), *wilson(sum(values), len(values))),
                strict=True,
            )
        )
        for kind, values in sorted(right.items())
    ]


def _rewrites(folder: Path, seed: int) -> list[Rewrite]:
    """The Nobel benchmark's queries in other words that keep their interval."""
    return rewritten(
        read_lines(folder / "queries.jsonl"), read_lines(folder / "query_analysis.jsonl"), load_frames(), seed
    )


def _rewrites_row(name: str, extractor: IntentExtractor, rewrites: list[Rewrite]) -> dict[str, Any]:
    n_right = sum(extractor.extract(rewrite.text).interval == rewrite.interval for rewrite in rewrites)
    low, high = wilson(n_right, len(rewrites))
    shares = {"right %": 100 * n_right / len(rewrites), "low": low, "high": high}
    return {"extractor": name, "set": "nobel_frames", "queries": "rewrites", "n": len(rewrites)} | shares


def _is_right(extractor: IntentExtractor, record: Mapping[str, Any]) -> bool:
    intent = extractor.extract(record["query"], reference_date=date.fromisoformat(record["reference_date"]))
    read = [str(interval) for interval in intent.intervals] if intent.is_temporal else []
    if record.get("hull") and intent.interval is not None:
        read = [str(intent.interval)]
    if read != record["intervals"] and read not in record.get("fair", []):
        return False
    return not read or intent.preference == record["preference"]


def wilson(n_right: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share, in %: Wilson (1927)."""
    z = 1.959964
    share = n_right / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    return 100 * (centre - half), 100 * (centre + half)


if __name__ == "__main__":
    main()
