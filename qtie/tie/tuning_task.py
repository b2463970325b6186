"""What a language model is tuned for: to answer with a query's time, or another task of the same shape."""

import json
import random
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any, Protocol, TypeVar

from qtie.llm.chat import ChatModel
from qtie.tie.answers import answered, shares_right
from qtie.tie.labelled import LabelledQuery
from qtie.tie.prompt import Unit, answer_text, intent_prompt

__all__ = ["IntentTask", "TuningTask"]

Item = TypeVar("Item", contravariant=True)


class TuningTask(Protocol[Item]):
    """What a model is tuned for: items as texts, its answers judged, and the card of the adapter."""

    def texts(self, items: Sequence[Item]) -> list[tuple[str, str]]:
        """The prompt of each item, and the answer to it."""
        ...

    def check(self, chat: ChatModel, items: Sequence[Item]) -> tuple[list[dict[str, Any]], dict[str, float]]:
        """The answers to the items as records, and the shares of right ones."""
        ...

    def card(self, report: dict[str, Any]) -> str:
        """The adapter's model card."""
        ...


class IntentTask:
    """To answer with the time that a query asks for."""

    def __init__(self, *, granularity: Unit, dated: float, seed: int) -> None:
        self.granularity, self.dated, self.seed = granularity, dated, seed

    def texts(self, items: Sequence[LabelledQuery]) -> list[tuple[str, str]]:
        """The prompts as they are asked, some of them with a day of asking, and the answers."""
        chance = random.Random(self.seed)
        texts = []
        for query in items:
            day = query.reference_date
            if day is None and chance.random() < self.dated:
                day = date(2020, 1, 1) + timedelta(days=chance.randrange(3650))
            asked = intent_prompt(query.query, granularity=self.granularity, reference_date=day)
            texts.append((asked, answer_text(query.bounds)))
        return texts

    def check(self, chat: ChatModel, items: Sequence[LabelledQuery]) -> tuple[list[dict[str, Any]], dict[str, float]]:
        """The answers, and the shares that are right strictly read and repaired."""
        rows = answered(chat, items, granularity=self.granularity)
        return [asdict(row) for row in rows], shares_right(rows)

    def card(self, report: dict[str, Any]) -> str:
        """The adapter's model card."""
        recipe, accuracy = report["recipe"], report["accuracy"]
        named = {"epochs": "n_epochs", **{name: name for name in ("granularity", "loss", "dated", "seed")}}
        options = " ".join(f"--{option} {recipe[name]}" for option, name in named.items())
        names = [name for name in accuracy[-1] if name != "step"]
        table = [
            f"| {row['step']} | " + " | ".join(f"{100 * row[name]:.1f}" for name in names) + " |" for row in accuracy
        ]
        return f"""# LoRA adapter: the time a query asks for

Answers the prompt of `qtie.tie.prompt` with a query's first and last {recipe["granularity"]}:
`qtie intent --extractor transformers --model BASE --adapter FOLDER --granularity {recipe["granularity"]} "…"`.

- base: `{report["base"]["name"]}`, SHA-256 {report["base"]["sha256"] or "not known: from the hub"}
- trained on {report["n_train"]} queries by `qtie train lora DATA OUT --base {report["base"]["name"]} {options}`
- data: SHA-256 {report["data"]} of training and held-out queries
- recipe: {json.dumps(recipe)}
- versions: {", ".join(f"{name} {version}" for name, version in report["versions"].items())}

Right answers to {report["n_held_out"]} held-out queries of other subjects, in %:

| step | {" | ".join(names)} |
| {" | ".join(["---:"] * (1 + len(names)))} |
{chr(10).join(table)}
"""
