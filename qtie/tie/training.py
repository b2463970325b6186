"""Training the shipped extractor: `qtie train tie`. Seeded, resumable, stops early, writes one ONNX file and a report.

Files in a data folder: `train.jsonl`, `dev.jsonl`, and any others named in `also_train` and `also_dev`; one query a
line with its `intervals` and `preference` and, where known, its program (`steps`). Where it is not, the likeliest
program that gives these intervals is taken, by the model that is there already.
"""

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from qtie.errors import ConfigError, require
from qtie.processor import has_bf16
from qtie.tie.accuracy import is_right, platt_scaling
from qtie.tie.dataset.breadth import broadened, varied
from qtie.tie.decoding import HEADS, Calibration
from qtie.tie.encoder import WEIGHTS, TieModel
from qtie.tie.examples import IGNORED, Batch, Example, batches_of, make_examples, read_rows, with_program
from qtie.tie.export import export, restored
from qtie.tie.model import ModelExtractor, Reading
from qtie.tie.network import NetworkSize, TieNetwork
from qtie.whole_file import write_whole

__all__ = ["FINE_TUNING", "Recipe", "train"]

torch = require("torch", extra="train")
Row = dict[str, Any]
_SIZES = [len(HEADS[name]) for name in ("operator", "role", "target", "negated", "tag")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How the network is trained; the defaults gave the file that ships."""

    n_layers: int = 6
    n_frequent_pieces: int = 20_000
    """Pieces kept although no training query has them: the most frequent ones of the base's vocabulary."""
    n_broadened: int = 150_000
    """Rows that `dataset.breadth` adds."""
    own_share: float = 0.15
    """Share of all rows that those of `also_train` make up, taken again and again with their years moved."""
    n_steps: int = 7000
    batch_size: int = 48
    learning_rate: float = 2e-4
    dropout: float = 0.1
    piece_dropout: float = 0.1
    """Share of the pieces outside time phrases that are replaced by "unknown"."""
    steps_between_checks: int = 1000
    n_dev_rows: int = 3000
    """Of each development file, the first ones."""
    margin: float = 1.0
    """How much likelier, in log-odds, a time or a preference must be than none to be chosen."""
    patience: int = 6
    """Checks without a gain on the development rows after which training stops."""
    seed: int = 0


FINE_TUNING = Recipe(n_broadened=20_000, n_steps=600, learning_rate=1e-4, steps_between_checks=200, own_share=0.4)
"""For going on from a trained file with queries of one's own."""


def train(
    data: Path,
    out: Path,
    *,
    base: Path | None = None,
    start: Path | None = None,
    recipe: Recipe | None = None,
    also_train: Sequence[Path] = (),
    also_dev: Sequence[Path] = (),
    progress: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),  # noqa: T201
    bar: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> dict[str, Any]:
    """Train on `data`/train.jsonl, choose and calibrate on dev, write `out`/tie-en.onnx and `out`/report.json.

    A run that was stopped goes on from `out`/checkpoint.pt. The same data, recipe and number of threads give the
    same network.

    Args:
        base: folder of the BERT to start from, with `model.safetensors` and `tokenizer.json`.
        start: a file that an earlier run wrote, such as the one that ships, to start from instead.
        recipe: by default `Recipe()`; from `start`, `FINE_TUNING`.
        also_train: further training files, such as a user's own queries.
        also_dev: further development files.
        progress: takes a line at each check.
        bar: passes the steps on, and may show how far they are.

    Returns:
        The report.

    Raises:
        ConfigError: neither `base` nor `start` is given, or the file or folder is not such.
    """
    if base is None and start is None:
        raise ConfigError("training starts from a BERT's folder (base) or a trained file (start): neither is given")
    recipe = recipe or (FINE_TUNING if start else Recipe())
    torch.manual_seed(recipe.seed)
    out.mkdir(parents=True, exist_ok=True)
    rows = {path.name: list(read_rows(path))[: recipe.n_dev_rows] for path in (data / "dev.jsonl", *also_dev)}
    queries, n_unlabelled = _training_rows(data / "train.jsonl", also_train, recipe, ModelExtractor(start or WEIGHTS))
    network, tokenizer = _untrained(queries, base, start, recipe)
    examples, n_left_out = make_examples(queries, tokenizer)
    progress(f"{len(examples)} examples, {n_left_out} left out, {n_unlabelled} without a program")

    def check() -> dict[str, float]:
        extractor = ModelExtractor(_torch_model(network, tokenizer))
        return {name: _share_right(extractor, rows_) for name, rows_ in rows.items()}

    history = _fit(_Run(network, recipe, out / "checkpoint.pt"), examples, check, progress=progress, bar=bar)
    fitted = replace(_torch_model(network, tokenizer), calibration=Calibration(margin=recipe.margin))
    calibration = _calibrated(fitted, [row for rows_ in rows.values() for row in rows_])
    files = (data / "train.jsonl", data / "dev.jsonl", *also_train, *also_dev, *([start] if start else []))
    about = {"recipe": asdict(recipe), "data": {path.name: _sha256(path) for path in files}}
    path = export(network, out / "tie-en.onnx", tokenizer=tokenizer, calibration=calibration, about=about)
    shipped = ModelExtractor(path)
    shares = {name: _share_right(shipped, rows_) for name, rows_ in rows.items()}
    report = {
        **about,
        "file": {"sha256": _sha256(path), "bytes": path.stat().st_size},
        "examples": len(examples),
        "left_out": n_left_out + n_unlabelled,
        "calibration": asdict(calibration),
        "both_bounds_exact": shares,
        "history": history,
    }
    (out / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    progress(f"exact after quantisation: {shares}")
    return report


def _training_rows(path: Path, also: Sequence[Path], recipe: Recipe, labeller: ModelExtractor) -> tuple[list[Row], int]:
    """All rows with their programs, and how many were left out for want of one."""
    given = [with_program(row, labeller) for row in read_rows(path)]
    own = [with_program(row, labeller) for file in also for row in read_rows(file)]
    rows, mine = ([row for row in some if row is not None] for some in (given, own))
    n_unlabelled = len(given) + len(own) - len(rows) - len(mine)
    rows += broadened(rows, seed=recipe.seed, n=recipe.n_broadened)
    if mine:
        n = max(len(mine), round(len(rows) * recipe.own_share / (1 - recipe.own_share)))
        rows += varied(mine, seed=recipe.seed, n=n)
    return rows, n_unlabelled


def _untrained(rows: Sequence[Row], base: Path | None, start: Path | None, recipe: Recipe) -> tuple[TieNetwork, str]:
    """The network before training, and its tokenizer as JSON."""
    if start is not None:
        return restored(start, dropout=recipe.dropout)
    assert base is not None
    tokenizer, kept = _pruned(base, rows, recipe.n_frequent_pieces)
    network = TieNetwork(NetworkSize(len(kept), n_layers=recipe.n_layers), dropout=recipe.dropout)
    network.load_bert(require("safetensors.torch", extra="train").load_file(base / "model.safetensors"), kept)
    return network, tokenizer


def _share_right(extractor: ModelExtractor, rows: Sequence[Row]) -> float:
    return sum(right for _, right in _read(extractor, rows)) / max(1, len(rows))


def _read(extractor: ModelExtractor, rows: Sequence[Row]) -> Iterator[tuple[Reading, bool]]:
    days = [date.fromisoformat(row["reference_date"]) if row.get("reference_date") else None for row in rows]
    readings = extractor.explain_batch([row["query"] for row in rows], reference_dates=days)
    for reading, row in zip(readings, rows, strict=True):
        yield reading, is_right(reading.intent, row)


def _pruned(base: Path, rows: Sequence[Row], n_frequent: int) -> tuple[str, list[int]]:
    """The base's tokenizer with fewer pieces, as JSON, and the old number of each piece kept.

    Kept are the special and the most frequent ones (a BERT's vocabulary is in order of frequency), those of one or
    two characters, and those of the training queries.
    """
    record = json.loads((base / "tokenizer.json").read_text(encoding="utf-8"))
    record.update(padding=None, truncation=None)
    vocabulary: dict[str, int] = record["model"]["vocab"]
    tokenizer = require("tokenizers", extra="train").Tokenizer.from_str(json.dumps(record))
    used = {piece for row in rows for piece in tokenizer.encode(row["query"]).ids}
    kept = [
        number
        for piece, number in sorted(vocabulary.items(), key=lambda item: item[1])
        if not piece.startswith("[unused")
        and (number < n_frequent or number in used or len(piece.removeprefix("##")) <= 2)
    ]
    names = {number: piece for piece, number in vocabulary.items()}
    places = {names[number]: place for place, number in enumerate(kept)}
    record["model"]["vocab"] = places
    for token in record["added_tokens"]:
        token["id"] = places[token["content"]]
    for token in record["post_processor"].get("special_tokens", {}).values():
        token["ids"] = [places[name] for name in token["tokens"]]
    return json.dumps(record, ensure_ascii=False), kept


def _torch_model(network: Any, tokenizer: str) -> TieModel:
    def run(ids: Any, kinds: Any) -> Any:
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_bf16()):
            return network(torch.from_numpy(ids), torch.from_numpy(kinds)).float().numpy()

    network.eval()
    return TieModel(run, require("tokenizers", extra="train").Tokenizer.from_str(tokenizer))


def _fit(
    run: "_Run",
    examples: list[Example],
    check: Callable[[], dict[str, float]],
    *,
    progress: Callable[[str], None],
    bar: Callable[[Iterable[int]], Iterable[int]],
) -> list[dict[str, Any]]:
    """Trains the run's network in place; it ends with the weights that were best on the development rows."""
    recipe, began, losses = run.recipe, time.monotonic(), []
    batches = batches_of(
        examples, recipe.batch_size, piece_dropout=recipe.piece_dropout, seed=recipe.seed, skip=run.step
    )
    for _ in bar(range(run.step, recipe.n_steps)):
        if _stalled(run.history, recipe.patience):
            break
        losses.append(run.learn(next(batches)))
        if run.step % recipe.steps_between_checks == 0 or run.step == recipe.n_steps:
            shares = check()
            score = sum(shares.values()) / len(shares)
            run.history.append({"step": run.step, "loss": float(np.mean(losses)), "right": shares, "score": score})
            progress(f"step {run.step}/{recipe.n_steps} {time.monotonic() - began:.0f} s {run.history[-1]}")
            losses = []
            if score > run.best["score"]:
                run.best = {"score": score, "state": {k: v.clone() for k, v in run.network.state_dict().items()}}
            run.save()
    run.network.load_state_dict(run.best["state"])
    return run.history


class _Run:
    """A training run as it stands after `step` steps, kept in a file so that it can go on."""

    def __init__(self, network: Any, recipe: Recipe, checkpoint: Path) -> None:
        self.network, self.recipe, self._checkpoint = network, recipe, checkpoint
        self.step = 0
        self.history: list[dict[str, Any]] = []
        self.best: dict[str, Any] = {"score": -1.0, "state": None}
        network.pieces.weight.requires_grad_(False)  # so that words not seen in training keep their meaning
        heads = {id(parameter) for parameter in network.heads.parameters()}
        body = [p for p in network.parameters() if p.requires_grad and id(p) not in heads]
        self._optimizer = torch.optim.AdamW(
            [{"params": body}, {"params": network.heads.parameters(), "lr": 3 * recipe.learning_rate}],
            lr=recipe.learning_rate,
            weight_decay=0.01,
            fused=True,
        )
        pace = torch.optim.lr_scheduler.LambdaLR(self._optimizer, lambda step: _pace(step, recipe.n_steps))
        self._scheduler = pace
        if checkpoint.exists():
            self._restore()

    def _restore(self) -> None:
        saved = torch.load(self._checkpoint, weights_only=True)
        if saved["recipe"] != asdict(self.recipe):
            raise ConfigError(f"{self._checkpoint}: of another recipe; remove it or choose another folder")
        for part, name in self._parts():
            part.load_state_dict(saved[name])
        torch.set_rng_state(saved["random"])
        self.step, self.history, self.best = saved["step"], saved["history"], saved["best"]

    def save(self) -> None:
        """Write the checkpoint; a process that is killed meanwhile leaves the one before."""
        state = {name: part.state_dict() for part, name in self._parts()}
        own = {"step": self.step, "history": self.history, "best": self.best, "random": torch.get_rng_state()}
        saved = state | own | {"recipe": asdict(self.recipe)}
        write_whole(self._checkpoint, lambda file: torch.save(saved, file))

    def _parts(self) -> list[tuple[Any, str]]:
        return [(self.network, "network"), (self._optimizer, "optimizer"), (self._scheduler, "scheduler")]

    def learn(self, batch: Batch) -> float:
        """One step on a batch; its loss."""
        ids, kinds, labels, preference = map(torch.from_numpy, batch)
        self.network.train()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_bf16()):
            logits = self.network(ids, kinds)
        loss = _loss(logits.float(), labels, preference)
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self._optimizer.step()
        self._scheduler.step()
        self.step += 1
        return float(loss.item())


def _pace(step: int, n_steps: int) -> float:
    """The learning rate's share: up over the first twentieth, then down to zero in a line."""
    warm = max(1, n_steps // 20)
    return min((step + 1) / warm, max(0.0, (n_steps - step) / (n_steps - warm)))


def _stalled(history: list[dict[str, Any]], patience: int) -> bool:
    scores = [check["score"] for check in history]
    return len(scores) > patience and max(scores[-patience:]) <= max(scores[:-patience])


def _loss(logits: Any, labels: Any, preference: Any) -> Any:
    """The sum of the decisions' cross-entropies, each a mean over where it is asked for."""
    parts = torch.split(logits, [*_SIZES, len(HEADS["preference"])], dim=-1)
    entropy = torch.nn.functional.cross_entropy
    loss = entropy(parts[-1][:, 0], preference)
    for at, part in enumerate(parts[:-1]):
        if (labels[..., at] != IGNORED).any():
            loss = loss + entropy(part.flatten(0, 1), labels[..., at].flatten(), ignore_index=IGNORED)
    return loss


def _calibrated(model: TieModel, rows: Sequence[Row]) -> Calibration:
    """The model's calibration with slope and offset fitted to the development rows."""
    read = [(reading.program.log_odds, right) for reading, right in _read(ModelExtractor(model), rows)]
    slope, offset = platt_scaling(read)
    return replace(model.calibration, slope=round(slope, 4), offset=round(offset, 4))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
