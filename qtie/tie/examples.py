"""Training examples: a query and its program as the arrays the network learns from."""

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from qtie.errors import IntentParseError, require
from qtie.tie.decoding import HEADS, Encoded
from qtie.tie.model import encode
from qtie.tie.program import Candidate, candidates

__all__ = ["IGNORED", "Example", "make_examples", "read_rows"]

IGNORED = -100
"""The label of a decision that is not asked for."""
_PLACE = {name: {label: at for at, label in enumerate(labels)} for name, labels in HEADS.items()}


@dataclass(frozen=True, slots=True)
class Example:
    """A query as pieces and kinds, with a label for every decision."""

    ids: list[int]
    kinds: list[int]
    labels: list[list[int]]
    """For each piece: operator, role, target, negated, tag; IGNORED where nothing is decided."""
    preference: int


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a data file, one JSON object a line.

    Raises:
        IntentParseError: a line is not a JSON object with a query.
    """
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                row = json.loads(line)
                row["query"]
            except (ValueError, KeyError, TypeError) as error:
                raise IntentParseError(f"{path}:{number}: not a training row: {error!r}") from None
            yield row


def make_examples(rows: Iterable[dict[str, Any]], tokenizer: str, *, n_processes: int = 2) -> tuple[list[Example], int]:
    """The rows' examples in order, and how many rows gave none because a step's span is no candidate.

    Args:
        tokenizer: as JSON.
        n_processes: that find candidates; the result is the same for any number.
    """
    left = iter(rows)
    chunks = iter(lambda: list(islice(left, 2000)), [])
    with ProcessPoolExecutor(n_processes) as pool:
        made = [example for chunk in pool.map(partial(_examples, tokenizer), chunks) for example in chunk]
    examples = [example for example in made if example is not None]
    return examples, len(made) - len(examples)


def _examples(tokenizer_json: str, rows: list[dict[str, Any]]) -> list[Example | None]:
    tokenizer = require("tokenizers", extra="train").Tokenizer.from_str(tokenizer_json)
    return [_example(tokenizer, row) for row in rows]


def _example(tokenizer: Any, row: dict[str, Any]) -> Example | None:
    """The row's example; None where a step's span is no candidate, so that no program can say it."""
    day = date.fromisoformat(row["reference_date"]) if row.get("reference_date") else None
    found = candidates(row["query"], reference_date=day)
    steps = {tuple(step["span"]): step for step in row.get("steps", ())}
    if not set(steps) <= {(candidate.start, candidate.end) for candidate in found}:
        return None
    encoded = encode(tokenizer, row["query"], found)
    labels = [[IGNORED] * 5 for _ in encoded.ids]
    for candidate, first in zip(found, encoded.firsts, strict=True):
        if first:
            labels[first][:4] = _decisions(candidate, steps.get((candidate.start, candidate.end)))
    for at, tag in enumerate(_tags(encoded, row)):
        labels[at][4] = tag
    return Example(encoded.ids, encoded.kinds, labels, _PLACE["preference"][row.get("preference")])


def _decisions(candidate: Candidate, step: dict[str, Any] | None) -> list[int]:
    operator = "none" if step is None else step["operator"]
    role = "none" if step is None else step.get("role", "none")
    made = [_PLACE["operator"][operator], _PLACE["role"][role] if candidate.is_duration else IGNORED, IGNORED, IGNORED]
    if step is not None and operator not in ("none", "operand"):
        target = step.get("target", "any")
        made[2:] = [_PLACE["target"].get(target, 0), int(step.get("negated", False))]
    return made


def _tags(encoded: Encoded, row: dict[str, Any]) -> list[int]:
    phrases = [step.get("phrase") or step["span"] for step in row.get("steps", ()) if step["operator"] != "operand"]
    tags = [_PLACE["tag"]["outside"]] * len(encoded.ids)
    for phrase in _disjoint(phrases):
        inner = _within(encoded, phrase)
        for at in inner:
            tags[at] = _PLACE["tag"]["begin" if at == inner[0] else "inside"]
    if row.get("preference_span"):
        for at in _within(encoded, row["preference_span"]):
            tags[at] = _PLACE["tag"]["preference"]
    return tags


def _disjoint(phrases: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The phrases in order, overlapping ones merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted((int(start), int(end)) for start, end in phrases):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _within(encoded: Encoded, span: Sequence[int]) -> list[int]:
    return [at for at, (start, end) in enumerate(encoded.offsets) if end > span[0] and start < span[1] and end > start]
