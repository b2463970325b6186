"""TDBench after training on it: what the paper's labels allow, and what the retrieval reading does.

The shipped model goes on learning from the questions of 80 % of TDBench's subjects and reads those of the others. Two
networks, one for each label of METHODS' two: the retrieval reading (day pairs), and the paper's month pairs, which
contradict their wording: "in 1975" has one side or two by a column that English does not name. An error on a month
pair counts as such a contradiction where the same words, names and numbers left out, have another shape of label
elsewhere in the set. The weights are not shipped: TDBench states no licence.

Needs `pip install "qtie[train]"`; about twenty minutes on one core.
"""

import argparse
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from report import parser, print_table, write_record

from qtie.intent import TemporalIntent
from qtie.tie.accuracy import Share, is_right
from qtie.tie.encoder import WEIGHTS
from qtie.tie.examples import with_program
from qtie.tie.labels import label_from_sql, unstated_years
from qtie.tie.model import ModelExtractor

Row = dict[str, Any]
TABLE_END = "2025-05-10"
"""The day on which TDBench's tables end."""
_SUBJECT = re.compile(r"""\b(?:Country|Organization_name|Name) = (['"])(.*?)\1""")
_NAMES = re.compile(r"(?:[A-Z][\w.'-]*)(?: (?:of|the|and|de|[A-Z][\w.'-]*))*|\d+")
_TEST_SHARE = 0.2


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--steps", type=int, default=600)
    given = arguments.parse_args()
    path = given.data_dir / "tdbench" / "items.jsonl"
    rows = _rows(path)
    table = [
        _trained(rows, given, "retrieval reading (day pairs)", is_right),
        _trained(rows, given, "paper's month pairs", _has_month_pair),
    ]
    print_table(table, title="TDBench, questions of subjects not trained on: both bounds exact, %")
    write_record("tdbench_recipe", {"table": table}, given, data=[path, WEIGHTS])


def _rows(path: Path) -> list[Row]:
    """The questions that state what their SQL uses, with both labels and the subject."""
    rows = []
    for item in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        label = label_from_sql(item["sql"]) if item["qtype"].startswith("basic_") else None
        subject = _SUBJECT.search(item["sql"])
        if label is None or label.day_pair is None or label.is_contradictory or subject is None:
            continue
        gold = {"intervals": [str(label.day_pair)], "hull": True, "preference": None, "month_pair": label.month_pair}
        for question in item["questions"]:
            if not unstated_years(item["sql"], question):
                about = {"query": question, "reference_date": TABLE_END, "kind": item["op"], "subject": subject[2]}
                rows.append(about | gold)
    return rows


def _has_month_pair(intent: TemporalIntent, row: Row) -> bool:
    return intent.month_pair() == tuple(row["month_pair"])


def _test_subjects(rows: list[Row]) -> set[str]:
    """A fifth of the subjects, by the hash of their names."""
    subjects = sorted({row["subject"] for row in rows}, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return set(subjects[: round(_TEST_SHARE * len(subjects))])


def _trained(
    rows: list[Row], given: argparse.Namespace, name: str, says: Callable[[TemporalIntent, Row], bool]
) -> dict[str, object]:
    """Trains on the subjects for training and reads the questions of the others."""
    from qtie.tie.training import FINE_TUNING, train

    shipped = ModelExtractor()
    held_back = _test_subjects(rows)
    seen = [row for row in rows if row["subject"] not in held_back]
    labelled = [with_program(row, shipped, says=says) for row in seen]
    known = [row for row in labelled if row is not None]
    # one check, at the end: no row is kept back to choose by
    recipe = replace(
        FINE_TUNING, n_steps=given.steps, steps_between_checks=given.steps, n_broadened=0, seed=given.seed, margin=0.0
    )
    with TemporaryDirectory() as folder:
        data = Path(folder)
        for file, given_rows in (("train.jsonl", known), ("dev.jsonl", known[-100:])):
            lines = "".join(json.dumps(row) + "\n" for row in given_rows)
            (data / file).write_text(lines, encoding="utf-8")
        train(data, data / "out", start=WEIGHTS, recipe=recipe)
        trained = ModelExtractor(data / "out" / "tie-en.onnx")
        trained.model  # noqa: B018  # read before the folder goes
    test = [row for row in rows if row["subject"] in held_back]
    before, after = _right(shipped, test, says), _right(trained, test, says)
    contradicted = _contradicted(rows)
    wrong = [row for row, right in zip(test, after, strict=True) if not right]
    return {
        "label": name,
        "subjects trained on / read": f"{len({r['subject'] for r in seen})} / {len(held_back)}",
        "questions trained on": len(known),
        "without a program": len(seen) - len(known),
        "shipped": str(Share.of(before)),
        "trained": str(Share.of(after)),
        "errors": len(wrong),
        "errors whose words have another shape of label elsewhere": sum(_words(row) in contradicted for row in wrong),
    }


def _right(extractor: ModelExtractor, rows: list[Row], says: Callable[[TemporalIntent, Row], bool]) -> list[bool]:
    days = [date.fromisoformat(TABLE_END)] * len(rows)
    intents = extractor.extract_batch([row["query"] for row in rows], reference_dates=days)
    return [says(intent, row) for intent, row in zip(intents, rows, strict=True)]


def _words(row: Row) -> str:
    """The question without its names and numbers."""
    return _NAMES.sub("_", row["query"][:1].lower() + row["query"][1:])


def _contradicted(rows: list[Row]) -> set[str]:
    """The wordings that have month pairs of several shapes: start only, end only, both."""
    shapes: dict[str, set[tuple[bool, bool]]] = defaultdict(set)
    for row in rows:
        start, end = row["month_pair"]
        shapes[_words(row)].add((start is None, end is None))
    return {words for words, found in shapes.items() if len(found) > 1}


if __name__ == "__main__":
    main()
