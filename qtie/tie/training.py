"""Training the shipped extractor: `qtie train tie`. Seeded, resumable, stops early, writes one ONNX file and a report.

Files in a data folder: `train.jsonl`, `dev.jsonl`, and any others named in `also_dev`; one query a line with its
program (`steps`, `preference`) and `intervals`.
"""

import hashlib
import json
import math
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from qtie.errors import ConfigError, require
from qtie.tie.accuracy import is_exact
from qtie.tie.dataset.breadth import broadened
from qtie.tie.decoding import HEADS, Calibration
from qtie.tie.examples import IGNORED, Example, make_examples, read_rows
from qtie.tie.export import export
from qtie.tie.model import ModelExtractor, Reading, TieModel, padded
from qtie.tie.network import NetworkSize, TieNetwork

__all__ = ["Recipe", "train"]

torch = require("torch", extra="train")
Row = dict[str, Any]
_UNKNOWN = 1
"""The place of "[UNK]": `_pruned` keeps the special pieces of a BERT, [PAD] [UNK] [CLS] [SEP] [MASK], in front."""
_SIZES = [len(HEADS[name]) for name in ("operator", "role", "target", "negated", "tag")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How the network is trained; the defaults gave the file that ships."""

    n_layers: int = 3
    n_frequent_pieces: int = 20_000
    """Pieces kept although no training query has them: the most frequent ones of the base's vocabulary."""
    n_broadened: int = 120_000
    """Rows that `dataset.breadth` adds."""
    n_steps: int = 6000
    batch_size: int = 48
    learning_rate: float = 4e-4
    dropout: float = 0.1
    piece_dropout: float = 0.1
    """Share of the pieces outside time phrases that are replaced by "unknown"."""
    steps_between_checks: int = 1000
    margin: float = 1.0
    """How much likelier, in log-odds, a time or a preference must be than none to be chosen."""
    patience: int = 6
    """Checks without a gain on the development rows after which training stops."""
    seed: int = 0


def train(
    data: Path,
    out: Path,
    *,
    base: Path,
    recipe: Recipe | None = None,
    also_train: Sequence[Path] = (),
    also_dev: Sequence[Path] = (),
    progress: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),  # noqa: T201
) -> dict[str, Any]:
    """Train on `data`/train.jsonl, choose and calibrate on dev, write `out`/tie-en.onnx and `out`/report.json.

    A run that was stopped goes on from `out`/checkpoint.pt. The same data, recipe and number of threads give the
    same network.

    Args:
        base: folder of the BERT to start from, with `model.safetensors` and `tokenizer.json`.
        also_train: further training files in the same format, such as a user's own queries.
        also_dev: further development files.

    Returns:
        The report.
    """
    recipe = recipe or Recipe()
    torch.manual_seed(recipe.seed)
    out.mkdir(parents=True, exist_ok=True)
    rows = {path.name: list(read_rows(path)) for path in (data / "dev.jsonl", *also_dev)}
    queries = [row for path in (data / "train.jsonl", *also_train) for row in read_rows(path)]
    queries += broadened(queries, seed=recipe.seed, n=recipe.n_broadened)
    tokenizer, kept = _pruned(base, queries, recipe.n_frequent_pieces)
    examples, n_left_out = make_examples(queries, tokenizer)
    progress(f"{len(examples)} examples, {n_left_out} left out, {len(kept)} word pieces")
    network = TieNetwork(NetworkSize(len(kept), n_layers=recipe.n_layers), dropout=recipe.dropout)
    network.load_bert(require("safetensors.torch", extra="train").load_file(base / "model.safetensors"), kept)

    def check() -> dict[str, float]:
        extractor = ModelExtractor(_torch_model(network, tokenizer))
        return {name: _share_right(extractor, rows_) for name, rows_ in rows.items()}

    history = _fit(_Run(network, recipe, out / "checkpoint.pt"), examples, check, progress)
    fitted = replace(_torch_model(network, tokenizer), calibration=Calibration(margin=recipe.margin))
    calibration = _calibrated(fitted, [row for rows_ in rows.values() for row in rows_])
    files = (data / "train.jsonl", data / "dev.jsonl", *also_train, *also_dev)
    about = {"recipe": asdict(recipe), "data": {path.name: _sha256(path) for path in files}}
    path = export(network, out / "tie-en.onnx", tokenizer=tokenizer, calibration=calibration, about=about)
    shipped = ModelExtractor(path)
    shares = {name: _share_right(shipped, rows_) for name, rows_ in rows.items()}
    report = {
        **about,
        "file": {"sha256": _sha256(path), "bytes": path.stat().st_size},
        "examples": len(examples),
        "left_out": n_left_out,
        "calibration": asdict(calibration),
        "both_bounds_exact": shares,
        "history": history,
    }
    (out / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    progress(f"exact after quantisation: {shares}")
    return report


def _share_right(extractor: ModelExtractor, rows: Sequence[Row]) -> float:
    return sum(right for _, right in _read(extractor, rows)) / max(1, len(rows))


def _read(extractor: ModelExtractor, rows: Sequence[Row]) -> Iterator[tuple[Reading, bool]]:
    days = [date.fromisoformat(row["reference_date"]) if row.get("reference_date") else None for row in rows]
    readings = extractor.explain_batch([row["query"] for row in rows], reference_dates=days)
    for reading, row in zip(readings, rows, strict=True):
        yield reading, is_exact(reading.intent, row) and reading.intent.preference == row.get("preference")


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
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=_has_bf16()):
            return network(torch.from_numpy(ids), torch.from_numpy(kinds)).float().numpy()

    network.eval()
    return TieModel(run, require("tokenizers", extra="train").Tokenizer.from_str(tokenizer))


def _has_bf16() -> bool:
    """Whether the processor multiplies in bfloat16; where it does not, autocast is slower than full precision."""
    cpuinfo = Path("/proc/cpuinfo")
    return cpuinfo.exists() and "avx512_bf16" in cpuinfo.read_text(encoding="utf-8")


def _fit(
    run: "_Run", examples: list[Example], check: Callable[[], dict[str, float]], progress: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Trains the run's network in place; it ends with the weights that were best on the development rows."""
    recipe, began, losses = run.recipe, time.monotonic(), []
    batches = _batches(examples, recipe, skip=run.step)
    while run.step < recipe.n_steps and not _stalled(run.history, recipe.patience):
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
        saved = torch.load(self._checkpoint, weights_only=False)
        if saved["recipe"] != asdict(self.recipe):
            raise ConfigError(f"{self._checkpoint}: of another recipe; remove it or choose another folder")
        for part, name in self._parts():
            part.load_state_dict(saved[name])
        torch.set_rng_state(saved["random"])
        self.step, self.history, self.best = saved["step"], saved["history"], saved["best"]

    def save(self) -> None:
        """Write the checkpoint."""
        state = {name: part.state_dict() for part, name in self._parts()}
        own = {"step": self.step, "history": self.history, "best": self.best, "random": torch.get_rng_state()}
        torch.save(state | own | {"recipe": asdict(self.recipe)}, self._checkpoint)

    def _parts(self) -> list[tuple[Any, str]]:
        return [(self.network, "network"), (self._optimizer, "optimizer"), (self._scheduler, "scheduler")]

    def learn(self, batch: tuple[Any, ...]) -> float:
        """One step on a batch; its loss."""
        ids, kinds, labels, preference = batch
        self.network.train()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=_has_bf16()):
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


def _batches(examples: list[Example], recipe: Recipe, *, skip: int) -> Iterator[tuple[Any, ...]]:
    """Endless batches of examples of like length, in an order that the seed decides."""
    order = random.Random(recipe.seed)
    noise = np.random.default_rng(recipe.seed)
    n_made = 0
    while True:
        places = list(range(len(examples)))
        order.shuffle(places)
        block = 50 * recipe.batch_size
        batches = []
        for start in range(0, len(places), block):
            alike = sorted(places[start : start + block], key=lambda at: len(examples[at].ids))
            batches += [alike[at : at + recipe.batch_size] for at in range(0, len(alike), recipe.batch_size)]
        order.shuffle(batches)
        for batch in batches:
            arrays = _arrays([examples[at] for at in batch], recipe.piece_dropout, noise)
            n_made += 1
            if n_made > skip:
                yield arrays


def _arrays(batch: list[Example], piece_dropout: float, noise: Any) -> tuple[Any, ...]:
    ids, kinds = padded([example.ids for example in batch]), padded([example.kinds for example in batch])
    labels = np.full((*ids.shape, len(_SIZES)), IGNORED, dtype=np.int64)
    for at, example in enumerate(batch):
        labels[at, : len(example.ids)] = example.labels
    plain = (kinds == 0) & (labels[..., 4] == 0) & (ids > 3)
    plain[:, 0] = False
    ids[plain & (noise.random(ids.shape) < piece_dropout * noise.random((len(ids), 1)) * 2)] = _UNKNOWN
    preference = np.array([example.preference for example in batch])
    return tuple(map(torch.from_numpy, (ids, kinds, labels, preference)))


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
    """The model's margin with slope and offset by logistic regression on the development rows (Newton's method)."""
    plain = model.calibration
    read = [(r.program.log_probability, right) for r, right in _read(ModelExtractor(model), rows)]
    probabilities = np.clip(np.exp([p for p, _ in read]), 1e-9, 1 - 1e-9)
    features = np.stack([np.log(probabilities / (1 - probabilities)), np.ones(len(read))], axis=1)
    right = np.array([float(r) for _, r in read])
    weights = np.array([1.0, 0.0])
    for _ in range(100):
        predicted = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        gradient = features.T @ (right - predicted) - 1e-3 * weights
        hessian = (features * (predicted * (1 - predicted))[:, None]).T @ features + 1e-3 * np.eye(2)
        change = np.linalg.solve(hessian, gradient)
        weights = weights + change / max(1.0, float(np.abs(change).max()))
    slope, offset = map(float, weights)
    if not (math.isfinite(slope) and math.isfinite(offset)):
        return plain
    return replace(plain, slope=round(slope, 4), offset=round(offset, 4))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
