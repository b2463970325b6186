"""The one training loop for encoders: anchors, positives and negatives. Seeded, and it goes on after a stop.

Whatever is trained here (temporal retrievers, encoders of facts) differs in its triples alone.
"""

import hashlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from qtie.errors import ConfigError
from qtie.retrieval.temporal.date_fusion import date_fusion
from qtie.retrieval.temporal.losses import LOSSES
from qtie.retrieval.temporal.network import SentenceNetwork, Tensor, torch_module
from qtie.whole_file import write_whole

__all__ = ["ContrastiveRecipe", "DatedText", "Towers", "Triple", "train_contrastive", "triples_digest"]

Report = Callable[[str], None]


class DatedText(NamedTuple):
    """A text, with its date as words where a date embedding is joined with it."""

    text: str
    date: str = ""


@dataclass(frozen=True, slots=True)
class Triple:
    """What should be near and what far: one positive and some of the negatives are drawn each time."""

    anchor: DatedText
    positives: tuple[DatedText, ...]
    """At least one."""
    negatives: tuple[DatedText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastiveRecipe:
    """How an encoder is trained; the values were not tuned.

    Raises:
        ConfigError: a value out of its range.
    """

    n_steps: int = 300
    batch_size: int = 16
    n_negatives: int = 5
    """Of each anchor's own; those of the others serve too, with the in-batch loss."""
    learning_rate: float = 3e-5
    """Up over the first tenth of the steps, then down to zero in a line."""
    temperature: float = 0.05
    n_tokens: int = 128
    """Texts are cut there."""
    n_layers: int | None = None
    """How many of the upper layers are trained, the rest standing still: less time and memory; None: all of it."""
    loss: str = "in_batch"
    """One of `LOSSES`."""
    n_held_out: int = 64
    """Triples that are left out of training, at most a tenth, to see how it goes."""
    steps_between_checks: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("n_steps", "batch_size", "n_tokens", "n_layers", "steps_between_checks"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise ConfigError(f"{name} must be 1 or more, not {getattr(self, name)!r}")
        for name in ("n_negatives", "n_held_out"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} must be 0 or more, not {getattr(self, name)!r}")
        if self.learning_rate <= 0 or self.temperature <= 0:
            raise ConfigError("learning_rate and temperature must be above 0")
        if self.loss not in LOSSES:
            raise ConfigError(f"unknown loss {self.loss!r}; one of {', '.join(LOSSES)}")


@dataclass(frozen=True, slots=True)
class Towers:
    """The networks that are trained or stand by: one for both sides, or one for each."""

    queries: SentenceNetwork
    documents: SentenceNetwork
    fusion: str = ""
    """How dates are joined, one of `DATE_FUSIONS`; "" where texts have none."""
    anchors_are_queries: bool = True
    documents_stay: bool = False
    """Whether only the queries' tower is trained."""

    def cosines(self, anchors: Sequence[DatedText], others: Sequence[DatedText]) -> Tensor:
        """Shape (n_anchors, n_others)."""
        of_anchors, of_others = (
            (self.queries, self.documents) if self.anchors_are_queries else (self.documents, self.queries)
        )
        return self._vectors(of_anchors, anchors) @ self._vectors(of_others, others).T

    def trained(self) -> list[Any]:
        """The modules whose parameters change."""
        networks = [self.queries] if self.documents_stay else [self.queries, self.documents]
        return list({id(network): network.module for network in networks}.values())

    def _vectors(self, network: SentenceNetwork, texts: Sequence[DatedText]) -> Tensor:
        torch = torch_module()
        with torch.set_grad_enabled(torch.is_grad_enabled() and any(network.module is each for each in self.trained())):
            vectors = network.embed([text.text for text in texts])
            if not self.fusion:
                return vectors
            fusion = date_fusion(self.fusion)
            distinct = sorted({text.date for text in texts} - {""})
            dates = torch.full((len(distinct) + 1, vectors.shape[1]), fusion.no_date)
            if distinct:
                dates = torch.cat((network.embed(distinct), dates[:1]))
            places = {date: place for place, date in enumerate(distinct)}
            rows = [places.get(text.date, len(distinct)) for text in texts]
            return torch.nn.functional.normalize(fusion.join(vectors, dates[rows], torch), dim=-1)


def train_contrastive(
    triples: Sequence[Triple],
    towers: Towers,
    *,
    recipe: ContrastiveRecipe,
    checkpoint: Path,
    progress: Report = lambda line: print(line, file=sys.stderr, flush=True),  # noqa: T201
) -> list[dict[str, float]]:
    """Train the towers in place; a run that was stopped goes on from the checkpoint.

    The same triples, recipe, base and number of threads give the same parameters.

    Args:
        progress: takes a line at each check.

    Returns:
        A record for each check: `step`, from 0; the mean `loss` since the one before; and `first`, the share of
        held-out anchors whose positive is nearer than all else in its batch.

    Raises:
        ConfigError: there are too few triples, or the checkpoint is of another run.
    """
    order = list(range(len(triples)))
    Random(recipe.seed).shuffle(order)
    n_held_out = min(recipe.n_held_out, len(triples) // 10)
    held_out, rest = ([triples[place] for place in part] for part in (order[:n_held_out], order[n_held_out:]))
    if len(rest) < 2:
        raise ConfigError(f"training needs at least 2 questions that can be used, not {len(rest)}")
    torch_module().manual_seed(recipe.seed)
    run = _Run(towers, recipe, checkpoint, f"{recipe} {triples_digest(triples)}")
    began, losses = time.monotonic(), []
    if not run.step:
        run.history.append({"step": 0, "first": run.share_first(held_out)})
    while run.step < recipe.n_steps:
        losses.append(run.learn(_batch(rest, recipe, run.step)))
        if run.step % recipe.steps_between_checks == 0 or run.step == recipe.n_steps:
            first = run.share_first(held_out)
            run.history.append({"step": run.step, "loss": round(sum(losses) / len(losses), 4), "first": first})
            losses = []
            run.save()
            progress(f"{time.monotonic() - began:.0f} s {run.history[-1]}")
    return run.history


class _Batch(NamedTuple):
    anchors: list[DatedText]
    others: list[DatedText]
    """The anchors' positives in their order, then their negatives."""
    owners: list[int]
    known: list[frozenset[str]]
    """For each anchor the texts that are its positives."""


def _batch(triples: Sequence[Triple], recipe: ContrastiveRecipe, step: int) -> _Batch:
    """The triples of a step; each pass over all of them is in an order of its own."""
    size = min(recipe.batch_size, len(triples))
    per_pass = len(triples) // size
    order = list(range(len(triples)))
    Random(f"{recipe.seed} {step // per_pass}").shuffle(order)
    start = size * (step % per_pass)
    return _drawn([triples[place] for place in order[start : start + size]], recipe, Random(f"{recipe.seed}/{step}"))


def _drawn(triples: Sequence[Triple], recipe: ContrastiveRecipe, random: Random) -> _Batch:
    positives = [random.choice(triple.positives) for triple in triples]
    negatives: list[DatedText] = []
    owners = list(range(len(triples)))
    for place, triple in enumerate(triples):
        chosen = random.sample(triple.negatives, min(recipe.n_negatives, len(triple.negatives)))
        negatives += chosen
        owners += [place] * len(chosen)
    known = [frozenset(positive.text for positive in triple.positives) for triple in triples]
    return _Batch([triple.anchor for triple in triples], positives + negatives, owners, known)


@dataclass(eq=False)
class _Run:
    """A training run as it stands after `step` steps, kept in a file so that it can go on."""

    towers: Towers
    recipe: ContrastiveRecipe
    checkpoint: Path
    digest: str
    step: int = 0
    history: list[dict[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        torch = torch_module()
        self._modules = torch.nn.ModuleList(self.towers.trained())
        trained = [each for each in self._modules.parameters() if each.requires_grad]
        self._optimizer = torch.optim.AdamW(trained, lr=self.recipe.learning_rate, weight_decay=0.01)
        self._scheduler = torch.optim.lr_scheduler.LambdaLR(self._optimizer, self._pace)
        if self.checkpoint.exists():
            self._restore(torch)

    def learn(self, batch: _Batch) -> float:
        """One step on a batch; its loss."""
        torch = torch_module()
        self._modules.train()
        loss = LOSSES[self.recipe.loss](
            self.towers.cosines(batch.anchors, batch.others), torch.tensor(batch.owners), _left_out(batch, torch),
            self.recipe.temperature,
        )  # fmt: skip
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._modules.parameters(), 1.0)
        self._optimizer.step()
        self._scheduler.step()
        self.step += 1
        return float(loss.item())

    def share_first(self, triples: Sequence[Triple]) -> float:
        """The share of anchors whose positive is nearer than all else in a batch; the batches are always the same."""
        torch, n_first = torch_module(), 0
        self._modules.eval()
        with torch.no_grad():
            for start in range(0, len(triples), self.recipe.batch_size):
                batch = _drawn(triples[start : start + self.recipe.batch_size], self.recipe, Random(start))
                cosines = self.towers.cosines(batch.anchors, batch.others)
                nearest = cosines.masked_fill(_left_out(batch, torch), -2).argmax(dim=1)
                n_first += int((nearest == torch.arange(len(nearest))).sum())
        return round(n_first / max(1, len(triples)), 4)

    def save(self) -> None:
        """Write the checkpoint; a process that is killed meanwhile leaves the one before.

        Raises:
            ConfigError: it cannot be written.
        """
        torch = torch_module()
        state = {name: part.state_dict() for name, part in self._parts().items()}
        own = {"digest": self.digest, "step": self.step, "history": self.history, "random": torch.get_rng_state()}
        try:
            write_whole(self.checkpoint, lambda file: torch.save(state | own, file))
        except (OSError, RuntimeError) as error:  # torch's own error where the disk is full
            raise ConfigError(f"{self.checkpoint}: cannot be written: {error}") from error

    def _restore(self, torch: Any) -> None:
        try:
            saved = torch.load(self.checkpoint, weights_only=True)
            digest = saved["digest"]
        except Exception as error:  # its errors share no base
            raise ConfigError(f"{self.checkpoint}: not a checkpoint: {error}; remove it") from error
        if digest != self.digest:
            raise ConfigError(f"{self.checkpoint}: of another recipe or other data; remove it or name another folder")
        for name, part in self._parts().items():
            part.load_state_dict(saved[name])
        torch.set_rng_state(saved["random"])
        self.step, self.history = saved["step"], saved["history"]

    def _parts(self) -> dict[str, Any]:
        return {"modules": self._modules, "optimizer": self._optimizer, "scheduler": self._scheduler}

    def _pace(self, step: int) -> float:
        n_steps = self.recipe.n_steps
        warm = max(1, n_steps // 10)
        return min((step + 1) / warm, max(0.0, (n_steps - step) / max(1, n_steps - warm)))


def _left_out(batch: _Batch, torch: Any) -> Tensor:
    """Pairs of an anchor with another one's text that is a positive of its own, shape (n_anchors, n_others)."""
    return torch.tensor(
        [
            [other.text in known and place != row for place, other in enumerate(batch.others)]
            for row, known in enumerate(batch.known)
        ]
    )


def triples_digest(triples: Sequence[Triple]) -> str:
    """Names the training data: 64 hexadecimal digits.

    Example:
        >>> triples_digest([Triple(DatedText("who"), (DatedText("ann"),))])[:8]
        '25c0402a'
    """
    digest = hashlib.sha256()
    for triple in triples:
        digest.update(repr(triple).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
