"""`qtie data build`: the train, dev and test splits of generated queries, and their data card."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from qtie.tie.dataset.generator import Dropped, draw_sample
from qtie.tie.dataset.wording import Split

__all__ = ["build", "samples"]

NEGATIVE_SHARE = 0.35
_SHARES: dict[Split, float] = {"train": 0.89, "dev": 0.03, "test": 0.08}


def samples(
    split: Split, n: int, seed: int, *, seen: set[str], drops: list[Dropped] | None = None
) -> Iterator[dict[str, Any]]:
    """`n` records of a split, none of whose queries is in `seen`, to which they are added; drops go to `drops`."""
    given = attempt = 0
    while given < n:
        negative = Random(f"{seed}/{split}/class {given}").random() < NEGATIVE_SHARE
        drawn = draw_sample(Random(f"{seed}/{split}/{attempt}"), split, negative=negative)
        attempt += 1
        if isinstance(drawn, Dropped):
            if drops is not None:
                drops.append(drawn)
            continue
        key = drawn.record["query"].lower()
        if key in seen:
            if drops is not None:
                drops.append(Dropped("seen before", drawn.record["kind"], key))
            continue
        seen.add(key)
        given += 1
        yield drawn.record


def build(out: Path, n: int = 200_000, seed: int = 0) -> dict[str, Any]:
    """Write train.jsonl, dev.jsonl, test.jsonl and card.json to `out`; returns the card.

    Args:
        out: a folder, made if it is not there.
        n: records of all splits together.
        seed: the same seed gives the same bytes.
    """
    out.mkdir(parents=True, exist_ok=True)
    card: dict[str, Any] = {"seed": seed, "n": n, "splits": {}}
    seen: set[str] = set()
    order: tuple[Split, ...] = ("test", "dev", "train")
    for split in order:  # what is only in test must not be taken by train
        drops: list[Dropped] = []
        path, counts = out / f"{split}.jsonl", _Counts()
        with path.open("w", encoding="utf-8") as file:
            for record in samples(split, round(n * _SHARES[split]), seed, seen=seen, drops=drops):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                counts.add(record)
        card["splits"][split] = {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            **counts.summary(),
            "drops": dict(Counter(drop.cause for drop in drops).most_common()),
            "drop_examples": [
                {"cause": d.cause, "words": d.words, "query": d.query} for d in drops if d.cause != "seen before"
            ][:60],
        }
    (out / "card.json").write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (out / "card.md").write_text(_as_text(card), encoding="utf-8")
    return card


def _as_text(card: dict[str, Any]) -> str:
    """The card as Markdown: one table of figures, one of counts for each grouping."""
    splits = card["splits"]
    lines = [
        "# Generated queries with the time they ask for",
        "",
        f"`qtie data build --n {card['n']} --seed {card['seed']}`. The label is the program a query was worded from.",
        "Wording families, carriers and kinds of negatives marked test or dev occur in no other split.",
    ]

    def table(title: str, rows: dict[str, dict[str, Any]]) -> None:
        lines.extend(["", f"| {title} | {' | '.join(splits)} |", "| --- |" + " ---: |" * len(splits)])
        lines.extend(
            f"| {name} | {' | '.join(str(row.get(split, 0)) for split in splits)} |" for name, row in rows.items()
        )

    figures = ("records", "share of negatives", "wording families", "carriers", "sha256")
    table("figure", {name: {split: splits[split][name] for split in splits} for name in figures})
    for group in (name for name in splits["test"] if name.startswith("by ") or name == "drops"):
        names = dict.fromkeys(name for split in splits for name in splits[split][group])
        rows = {name: {split: splits[split][group].get(name, 0) for split in splits} for name in names}
        table(group, rows)
    return "\n".join(lines) + "\n"


class _Counts:
    def __init__(self) -> None:
        self.n = self.n_negative = 0
        self.by: dict[str, Counter[str]] = {
            name: Counter()
            for name in ("relation", "operator", "role", "target", "preference", "kind", "negative kind")
        }
        self.families: set[str] = set()
        self.carriers: set[str] = set()

    def add(self, record: dict[str, Any]) -> None:
        self.n += 1
        kind = record["kind"]
        self.carriers.add(record["carrier"])
        if kind.startswith("no time: "):
            self.n_negative += 1
            self.by["negative kind"][kind.removeprefix("no time: ")] += 1
            return
        self.families.update(record["family"].split(" + "))
        self.by["kind"][kind.split(" beside ")[0]] += 1
        if kind.startswith("allen "):
            self.by["relation"][kind.split(" beside ")[0].removeprefix("allen ")] += 1
        if record["preference"]:
            self.by["preference"][record["preference"]] += 1
        for step in record["steps"]:
            self.by["operator"][step["operator"]] += 1
            self.by["target"][step["target"]] += 1
            if step["role"] != "none":
                self.by["role"][step["role"]] += 1

    def summary(self) -> dict[str, Any]:
        return {
            "records": self.n,
            "share of negatives": round(self.n_negative / max(1, self.n), 4),
            "wording families": len(self.families),
            "carriers": len(self.carriers),
            **{f"by {name}": dict(counter.most_common()) for name, counter in self.by.items()},
        }
