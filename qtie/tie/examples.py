"""Training examples: a query and its program as the arrays the network learns from."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.errors import IntentParseError, require
from qtie.intent import TemporalIntent
from qtie.tie.accuracy import is_right
from qtie.tie.decoding import HEADS, Encoded, Program, likely_programs
from qtie.tie.encoder import encode, padded
from qtie.tie.model import ModelExtractor
from qtie.tie.program import Candidate, candidates

__all__ = ["IGNORED", "Batch", "Example", "batches_of", "make_examples", "read_rows", "with_program"]

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


def with_program(
    row: dict[str, Any],
    labeller: ModelExtractor,
    *,
    says: Callable[[TemporalIntent, dict[str, Any]], bool] = is_right,
) -> dict[str, Any] | None:
    """The row with the program that its `intervals` and `preference` were most likely written for.

    A row without either, such as `{"query": "room 2010", "intervals": []}`, has an empty one; one that has `steps`
    already stays as it is.

    Args:
        labeller: whose likeliest program with these intervals is taken.
        says: whether an intent is what the row means; by default, whether it has the row's intervals and preference.

    Returns:
        None where no program that the labeller can think of gives them.

    Example:
        >>> row = {"query": "mayors before 2010", "intervals": ["../2009-12-31"]}
        >>> [(step["operator"], step["phrase"]) for step in with_program(row, ModelExtractor())["steps"]]
        [('before', [7, 18])]
    """
    if "steps" in row:
        return row
    if not row.get("intervals") and not row.get("preference"):
        return row | {"steps": []}
    day = date.fromisoformat(row["reference_date"]) if row.get("reference_date") else None
    reading = labeller.explain(row["query"], reference_date=day)
    model = labeller.model
    for program in likely_programs(reading.encoded, reading.logits, model.calibration):
        for variant in _with_row_targets(program, row):
            if says(labeller.carried_out(row["query"], day, reading.encoded, variant), row):
                return row | _as_labels(reading.encoded, variant)
    return None


def _with_row_targets(program: Program, row: dict[str, Any]) -> Iterator[Program]:
    """The program on the row's one target, where it names one; then with other steps negated."""
    target = row.get("target", "any")
    used = [at for at, step in enumerate(program.steps) if step.operator not in ("none", "operand")]
    for flips in sorted(product((False, True), repeat=min(len(used), 3)), key=sum):
        steps = list(program.steps)
        for at, flip in zip(used, flips, strict=False):
            steps[at] = replace(steps[at], negated=steps[at].negated != flip)
        if target in HEADS["target"]:
            steps = [replace(step, target=target) if at in used else step for at, step in enumerate(steps)]
        yield replace(program, steps=tuple(steps))


def _as_labels(encoded: Encoded, program: Program) -> dict[str, Any]:
    steps = [
        {"span": [c.start, c.end], "operator": s.operator, "role": s.role, "target": s.target, "negated": s.negated,
         "phrase": list(s.phrase or (c.start, c.end))}
        for c, s in zip(encoded.found, program.steps, strict=True)
        if s.operator != "none"
    ]  # fmt: skip
    return {"steps": steps, "preference_span": program.preference_span and list(program.preference_span)}


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


Batch = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Pieces and kinds (n_queries, n_pieces), labels (n_queries, n_pieces, 5), preferences (n_queries,)."""
_UNKNOWN = 1
"""The place of "[UNK]": pruning keeps the special pieces of a BERT, [PAD] [UNK] [CLS] [SEP] [MASK], in front."""


def batches_of(
    examples: Sequence[Example], size: int, *, piece_dropout: float, seed: int, skip: int = 0
) -> Iterator[Batch]:
    """Endless batches of `size` examples of like length, in an order that the seed decides.

    Args:
        piece_dropout: the mean share of the pieces outside time phrases that become "unknown".
        skip: batches that an earlier part of the run has had.
    """
    order, noise = Random(seed), np.random.default_rng(seed)
    n_made = 0
    while True:
        places = list(range(len(examples)))
        order.shuffle(places)
        batches = []
        for start in range(0, len(places), 50 * size):
            alike = sorted(places[start : start + 50 * size], key=lambda at: len(examples[at].ids))
            batches += [alike[at : at + size] for at in range(0, len(alike), size)]
        order.shuffle(batches)
        for batch in batches:
            arrays = _arrays([examples[at] for at in batch], piece_dropout, noise)
            n_made += 1
            if n_made > skip:
                yield arrays


def _arrays(batch: list[Example], piece_dropout: float, noise: np.random.Generator) -> Batch:
    ids, kinds = padded([example.ids for example in batch]), padded([example.kinds for example in batch])
    labels = np.full((*ids.shape, 5), IGNORED, dtype=np.int64)
    for at, example in enumerate(batch):
        labels[at, : len(example.ids)] = example.labels
    plain = (kinds == 0) & (labels[..., 4] == 0) & (ids > 3)
    plain[:, 0] = False
    ids[plain & (noise.random(ids.shape) < piece_dropout * noise.random((len(ids), 1)) * 2)] = _UNKNOWN
    return ids, kinds, labels, np.array([example.preference for example in batch])
