"""Tuning a language model to answer with a query's time: `qtie train lora`. Seeded, resumable, with accuracy by step.

The recipe of Q-TIE (arXiv 2609.23880): LoRA of rank 8, AdamW at 2e-4, four epochs of batches of 16, causal loss over
prompt, answer and end-of-sequence token. Where the paper is silent, `LoraRecipe` says what is assumed.
"""

import hashlib
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from os.path import commonprefix
from pathlib import Path
from typing import Any, Literal

from qtie.errors import ConfigError, require
from qtie.llm.transformers import CausalLm, TransformersChat, quiet
from qtie.processor import has_bf16
from qtie.tie.prompt import Unit
from qtie.tie.tuning_task import IntentTask, TuningTask
from qtie.whole_file import write_whole

__all__ = ["LoraRecipe", "train_lora"]

torch = require("torch", extra="transformers")
_IGNORED = -1
"""The label of tokens that the loss leaves out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoraRecipe:
    """How an adapter is trained; the defaults are the paper's, the assumed values are named.

    Raises:
        ConfigError: a value out of its range.
    """

    rank: int = 8
    alpha: int = 16
    n_epochs: int = 4
    learning_rate: float = 2e-4
    """At the first step; it falls to zero in a line (assumed: the default of `transformers`)."""
    batch_size: int = 16
    loss: Literal["full", "response"] = "full"
    """Over which tokens: prompt and answer, or the answer alone; the end-of-sequence token belongs to it."""
    granularity: Unit = "month"
    n_train: int = 1840
    """At most that many training queries: 80 % of the paper's 2,300."""
    n_held_out: int = 300
    """At most that many of the held-out queries are answered at a check."""
    dated: float = 0.0
    """Share of the training prompts that name a day of asking, as `qtie intent` does; 0 as the paper."""
    checks: tuple[int, ...] = (50, 100, 200, 300)
    """Steps after which the held-out queries are answered and the adapter is kept; the last step is always one."""
    steps_between_saves: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("rank", "alpha", "n_epochs", "batch_size", "n_train", "n_held_out", "steps_between_saves"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be 1 or more, not {getattr(self, name)!r}")
        if self.loss not in ("full", "response"):
            raise ConfigError(f"loss must be full or response, not {self.loss!r}")
        if not 0 <= self.dated <= 1:
            raise ConfigError(f"dated must be from 0 to 1, not {self.dated!r}")


def train_lora(
    split: tuple[Sequence[Any], Sequence[Any]],
    out: Path,
    *,
    base: str | Path,
    recipe: LoraRecipe | None = None,
    task: TuningTask[Any] | None = None,
    progress: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),  # noqa: T201
) -> dict[str, Any]:
    """Train an adapter on the first items of `split`, check it on the second, and write it to `out`.

    Beside the adapter stand `report.json`, its card `README.md`, and for each check `step-N/` with the adapter as it
    was and `predictions.jsonl`, one answer a line. A run that was stopped goes on from `out`/checkpoint.pt.

    Args:
        split: training and held-out items; of the `IntentTask` queries, as `split_by_subject` gives them.
        task: what is learned; by default the `IntentTask`.
        base: folder, GGUF file or hub name of the model.

    Returns:
        The report.

    Raises:
        ConfigError: the base cannot be loaded, or `out` holds a run with another recipe, base or data.
    """
    recipe = recipe or LoraRecipe()
    task = task or IntentTask(granularity=recipe.granularity, dated=recipe.dated, seed=recipe.seed)
    train, held_out = list(split[0])[: recipe.n_train], list(split[1])[: recipe.n_held_out]
    torch.manual_seed(recipe.seed)
    plain = CausalLm.load(base)
    about = {
        "base": {"name": str(base), "sha256": _base_digest(Path(base))},
        "data": _digest([asdict(query) for query in (*train, *held_out)]),
        "recipe": json.loads(json.dumps(asdict(recipe))),
        "n_train": len(train),
        "n_held_out": len(held_out),
    }
    run = _Run(CausalLm(_adapted(plain.network, recipe), plain.tokenizer), recipe, out, about, task)
    batches = list(_batches(_encoded(task.texts(train), plain.tokenizer), recipe))
    for step, batch in enumerate(batches[run.step :], start=run.step + 1):
        loss = run.learn(batch, share_left=1 - (step - 1) / len(batches))
        progress(f"step {step}/{len(batches)} loss {loss:.3f}")
        is_check = step in recipe.checks or step == len(batches)
        if is_check:
            progress(f"step {step}/{len(batches)} {run.check(held_out)}")
        if is_check or step % recipe.steps_between_saves == 0:
            run.save()
    return run.finish()


def _adapted(network: Any, recipe: LoraRecipe) -> Any:
    """The network with an untrained adapter on all linear layers but the output (assumed), in full precision."""
    peft = require("peft", extra="transformers")
    config = peft.LoraConfig(r=recipe.rank, lora_alpha=recipe.alpha, target_modules="all-linear", task_type="CAUSAL_LM")
    with quiet(is_local=True):
        return peft.get_peft_model(network, config)


@dataclass(frozen=True, slots=True)
class _Example:
    ids: list[int]
    n_prompt: int
    """How many of them are the prompt's."""


def _encoded(texts: Sequence[tuple[str, str]], tokenizer: Any) -> list[_Example]:
    """The training texts as tokens: the prompt, the answer, the end of the sequence."""
    examples = []
    for asked, said in texts:
        prompt = tokenizer(asked)["input_ids"]
        answer = tokenizer(f" {said}", add_special_tokens=False)["input_ids"]
        examples.append(_Example([*prompt, *answer, tokenizer.eos_token_id], len(prompt)))
    return examples


def _batches(examples: Sequence[_Example], recipe: LoraRecipe) -> Iterator[list[_Example]]:
    """All batches of all epochs, in an order that the seed decides."""
    order = random.Random(recipe.seed)
    for _ in range(recipe.n_epochs):
        shuffled = order.sample(examples, len(examples))
        for start in range(0, len(shuffled), recipe.batch_size):
            yield shuffled[start : start + recipe.batch_size]


def _n_targets(example: _Example, *, response_only: bool) -> int:
    """Of how many of its tokens the loss is the mean."""
    return len(example.ids) - (example.n_prompt if response_only else 1)


def _summed_loss(network: Any, batch: Sequence[_Example], *, response_only: bool) -> Any:
    """The cross-entropy of the tokens of prompts and answers, or of the answers alone, summed.

    What all texts of the batch begin with, the instruction, goes through the network once and counts for each of them.
    """
    cache = require("transformers", extra="transformers").DynamicCache(config=network.config)
    n_shared = min(len(commonprefix([example.ids for example in batch])), *(example.n_prompt for example in batch))
    start = torch.tensor([batch[0].ids[:n_shared]], device=network.device)
    rest = [example.ids[n_shared:] for example in batch]
    n_widest = max(map(len, rest))
    ids = torch.tensor([each + [0] * (n_widest - len(each)) for each in rest], device=network.device)
    seen = [[1] * (n_shared + len(each)) + [0] * (n_widest - len(each)) for each in rest]
    mask = torch.tensor(seen, device=network.device)
    labels = ids.masked_fill(mask[:, n_shared:] == 0, _IGNORED)
    if response_only:
        for row, example in enumerate(batch):
            labels[row, : example.n_prompt - n_shared] = _IGNORED
    first = network(input_ids=start, cache=cache, use_cache=True).logits
    cache.batch_repeat_interleave(len(batch))
    after = network(input_ids=ids, attention_mask=mask, cache=cache, use_cache=True).logits
    loss = _summed(first[:, -1].expand(len(batch), -1), labels[:, 0]) + _summed(after[:, :-1], labels[:, 1:])
    return loss if response_only else loss + len(batch) * _summed(first[:, :-1], start[:, 1:])


def _summed(logits: Any, labels: Any) -> Any:
    counted = labels != _IGNORED
    return torch.nn.functional.cross_entropy(logits[counted].float(), labels[counted], reduction="sum")


class _Run:
    """A training run as it stands after `step` steps, kept in a file so that it can go on."""

    def __init__(
        self, lm: CausalLm, recipe: LoraRecipe, out: Path, about: dict[str, Any], task: TuningTask[Any]
    ) -> None:
        self.lm, self.recipe, self.out, self.about, self.task = lm, recipe, out, about, task
        self.step = 0
        self.losses: list[float] = []
        self.accuracy: list[dict[str, Any]] = []
        self._parameters = [parameter for parameter in lm.network.parameters() if parameter.requires_grad]
        self._optimizer = torch.optim.AdamW(self._parameters, lr=recipe.learning_rate, weight_decay=0.0)
        out.mkdir(parents=True, exist_ok=True)
        if (out / "checkpoint.pt").exists():
            self._restore()

    def learn(self, batch: Sequence[_Example], *, share_left: float) -> float:
        """One step on a batch; its loss."""
        self.lm.network.train()
        for group in self._optimizer.param_groups:
            group["lr"] = self.recipe.learning_rate * share_left
        response_only = self.recipe.loss == "response"
        n_targets = sum(_n_targets(example, response_only=response_only) for example in batch)
        alike = sorted(batch, key=lambda example: len(example.ids))
        self._optimizer.zero_grad()
        loss = 0.0
        for part in (alike[: len(alike) // 2], alike[len(alike) // 2 :]):  # two parts need less padding and memory
            if part:
                with self._autocast():
                    of_part = _summed_loss(self.lm.network, part, response_only=response_only) / n_targets
                of_part.backward()
                loss += float(of_part.detach())
        torch.nn.utils.clip_grad_norm_(self._parameters, 1.0)
        self._optimizer.step()
        self.step += 1
        self.losses.append(loss)
        return loss

    def _autocast(self) -> Any:
        kind = self.lm.network.device.type
        return torch.autocast(kind, dtype=torch.bfloat16, enabled=kind == "cuda" or has_bf16())

    def check(self, held_out: Sequence[Any]) -> dict[str, Any]:
        """The shares of right answers; keeps the adapter and the answers."""
        self.lm.network.eval()
        with self._autocast():
            chat = TransformersChat(self.lm, template=False)
            rows, shares = self.task.check(chat, held_out)
        folder = self.out / f"step-{self.step}"
        self.lm.network.save_pretrained(folder, save_embedding_layers=False)
        lines = "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
        (folder / "predictions.jsonl").write_text(lines, encoding="utf-8")
        self.accuracy.append({"step": self.step, **shares})
        return self.accuracy[-1]

    def save(self) -> None:
        """Write the checkpoint, whole or not at all."""
        peft = require("peft", extra="transformers")
        state = {
            "about": self.about,
            "adapter": peft.get_peft_model_state_dict(self.lm.network),
            "optimizer": self._optimizer.state_dict(),
            "step": self.step,
            "losses": self.losses,
            "accuracy": self.accuracy,
        }
        write_whole(self.out / "checkpoint.pt", lambda file: torch.save(state, file))

    def _restore(self) -> None:
        path = self.out / "checkpoint.pt"
        try:
            saved = torch.load(path, map_location=self.lm.network.device, weights_only=True)
        except Exception as error:  # torch raises what its unpickler raises
            raise ConfigError(f"{path}: no checkpoint of a run; remove it or choose another folder: {error}") from error
        for key, value in self.about.items():
            if saved.get("about", {}).get(key) != value:
                raise ConfigError(f"{path}: of a run with another {key}; remove it or choose another folder")
        require("peft", extra="transformers").set_peft_model_state_dict(self.lm.network, saved["adapter"])
        self._optimizer.load_state_dict(saved["optimizer"])
        self.step, self.losses, self.accuracy = saved["step"], saved["losses"], saved["accuracy"]

    def finish(self) -> dict[str, Any]:
        """Write adapter, report and card; the report."""
        self.lm.network.save_pretrained(self.out, save_embedding_layers=False)
        weights = self.out / "adapter_model.safetensors"
        report = {
            **self.about,
            "versions": {
                name: require(name, extra="transformers").__version__ for name in ("torch", "transformers", "peft")
            },
            "adapter": {"sha256": hashlib.sha256(weights.read_bytes()).hexdigest(), "bytes": weights.stat().st_size},
            "accuracy": self.accuracy,
            "losses": [round(loss, 4) for loss in self.losses],
        }
        (self.out / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        (self.out / "README.md").write_text(self.task.card(report), encoding="utf-8")
        return report


def _digest(records: Sequence[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(records, default=str).encode()).hexdigest()


def _base_digest(base: Path) -> str | None:
    """Of the weights' files; None of a model named on the hub."""
    files = sorted(base.glob("*.safetensors")) if base.is_dir() else [base] if base.is_file() else []
    if not files:
        return None
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
