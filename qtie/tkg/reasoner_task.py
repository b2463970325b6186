"""What a language model is tuned for to answer from facts: `qtie train tkg-reasoner`, on TimeR4's recipe."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qtie.corpus import read_records
from qtie.errors import DocumentError, LlmError
from qtie.evaluation.answers import hits_at_k
from qtie.llm.chat import ChatModel, ChatOptions
from qtie.tkg.fact import Fact
from qtie.tkg.pipeline import TkgPipeline
from qtie.tkg.reasoner import checked_answers, reasoning_prompt

__all__ = ["ReasonerItem", "ReasonerTask", "read_reasoner_items", "split_items"]

_OPTIONS = ChatOptions(max_tokens=48, stop=("\n",))
_MAX_ANSWERS = 5


@dataclass(frozen=True, slots=True)
class ReasonerItem:
    """A question with the facts that were found for it, and its answers."""

    question: str
    facts: tuple[Fact, ...]
    answers: tuple[str, ...]


def read_reasoner_items(source: Path | str, pipeline: TkgPipeline, *, seed: int = 0) -> Iterator[ReasonerItem]:
    """The questions of JSON lines with `question` and `answers`, and the facts that a pipeline finds for each.

    Questions whose facts hold none of their answers are passed over; of the answers those are kept that a fact holds,
    five at most. Facts are shuffled, so that the first is not always the answer.

    Raises:
        DocumentError: the file cannot be read, or a line lacks one of the two.
    """
    chance = random.Random(seed)
    for where, record in read_records(source):
        question, answers = record.get("question"), record.get("answers")
        if not isinstance(question, str) or not isinstance(answers, list):
            raise DocumentError(f"{where}: expected a text 'question' and a list 'answers'")
        facts = [ranked.fact for ranked in pipeline.ask(question).facts]
        held, _ = checked_answers("; ".join(map(str, answers)), facts)
        if held:
            yield ReasonerItem(question, tuple(chance.sample(facts, len(facts))), held[:_MAX_ANSWERS])


def split_items(items: Sequence[ReasonerItem], *, seed: int = 0) -> tuple[list[ReasonerItem], list[ReasonerItem]]:
    """Four fifths to train on, and a fifth that is held out."""
    shuffled = random.Random(seed).sample(items, len(items))
    n_held_out = len(items) // 5
    return shuffled[n_held_out:], shuffled[:n_held_out]


class ReasonerTask:
    """To answer a question from its facts."""

    def texts(self, items: Sequence[ReasonerItem]) -> list[tuple[str, str]]:
        """The prompts as they are asked, and the answers."""
        return [(reasoning_prompt(item.question, item.facts), "; ".join(item.answers)) for item in items]

    def check(self, chat: ChatModel, items: Sequence[ReasonerItem]) -> tuple[list[dict[str, Any]], dict[str, float]]:
        """The answers; the shares whose first is right, as said and after the check, and that were refused wholly."""
        prompts = [prompt for prompt, _ in self.texts(items)]
        rows: list[dict[str, Any]] = []
        for item, said in zip(items, chat.complete_many(prompts, _OPTIONS), strict=True):
            text = "" if isinstance(said, LlmError) else said.strip()
            answers, refused = checked_answers(text, item.facts)
            rows.append(
                {
                    "question": item.question,
                    "gold": list(item.answers),
                    "said": text,
                    "refused": list(refused),
                    "said_right": hits_at_k([text.split(";")[0].strip()], item.answers),
                    "right": hits_at_k(answers, item.answers),
                    "nothing_left": float(not answers),
                }
            )
        names = ("said_right", "right", "nothing_left")
        return rows, {name: sum(row[name] for row in rows) / max(1, len(rows)) for name in names}

    def card(self, report: dict[str, Any]) -> str:
        """The adapter's model card."""
        names = ("said_right", "right", "nothing_left")
        rows = [
            f"| {row['step']} | " + " | ".join(f"{100 * row[name]:.1f}" for name in names) + " |"
            for row in report["accuracy"]
        ]
        return f"""# LoRA adapter: answers from facts

Answers the prompt of `qtie.tkg.reasoner`, a question with dated facts, with the answers that the facts hold.

- base: `{report["base"]["name"]}`, SHA-256 {report["base"]["sha256"] or "not known: from the hub"}
- trained on {report["n_train"]} questions by `qtie train tkg-reasoner`
- data: SHA-256 {report["data"]} of training and held-out questions
- recipe: {json.dumps(report["recipe"])}

First answers to {report["n_held_out"]} held-out questions, in %:

| step | right as said | right after the check | nothing left |
| ---: | ---: | ---: | ---: |
{chr(10).join(rows)}
"""
