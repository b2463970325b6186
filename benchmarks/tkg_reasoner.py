"""A small language model that answers from the facts that were found: zero-shot, and tuned as TimeR4 tunes its own.

    python benchmarks/tkg_reasoner.py build/tkg_reasoner --base FOLDER [--steps 40] [--questions 60]

The model is tuned by what `qtie train tkg-reasoner` calls, on questions made from the MultiTQ facts
(`tkg_questions.py --split train`: seen relations, wordings of its own), and answers made test questions, whose wordings
and half of whose relations it has not seen; of these only such that a fact found holds an answer, for the pipeline that
finds the facts without a model is in the table too. The facts of a prompt are in random order.

`right as said`: the first thing it says is an answer. `right after the check`: the first of what stands in the facts.
`nothing left`: nothing of it does. A run that was stopped goes on.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from report import parser, print_table, write_record
from tkg import GRAPH, is_looked_at
from tkg_questions import make_questions
from tkg_questions import read_facts as read_rows

from qtie.evaluation.answers import hits_at_k
from qtie.llm.transformers import TransformersChat
from qtie.retrieval.encoders import load_encoder
from qtie.tie.extractors import make_extractor
from qtie.tie.lora import LoraRecipe, train_lora
from qtie.tkg.fact import read_facts
from qtie.tkg.pipeline import TkgOptions, TkgPipeline
from qtie.tkg.reasoner_task import ReasonerItem, ReasonerTask, read_reasoner_items
from qtie.tkg.store import FactStore

MEASURES = {"said_right": "right as said", "right": "right after the check", "nothing_left": "nothing left"}


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("folder", type=Path, help="of the store, the questions and the adapter")
    arguments.add_argument("--base", type=Path, required=True, help="the language model: a folder or GGUF file")
    arguments.add_argument("--steps", type=int, default=40, help="of tuning")
    arguments.add_argument("--batch", type=int, default=8, help="questions a step")
    arguments.add_argument("--questions", type=int, default=60, help="how many are answered")
    arguments.add_argument("--facts", type=int, default=10, help="in a prompt")
    options = arguments.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    pipeline = TkgPipeline.load(stored(options), make_extractor(), options=TkgOptions(n_facts=options.facts))
    train = items(pipeline, options, split="train", n=options.steps * options.batch)
    asked = items(pipeline, options, split="test", n=options.questions)
    rows = [pipeline_row(pipeline, asked)]
    for template in (False, True):
        chat = TransformersChat(options.base, template=template, batch_size=8)
        rows.append(timed_row(f"zero-shot, {'chat template' if template else 'plain prompt'}", chat, asked))
        print(rows[-1], flush=True)
    recipe = LoraRecipe(
        n_epochs=1, batch_size=options.batch, loss="response", n_train=len(train), n_held_out=len(asked),
        checks=(), seed=options.seed,
    )  # fmt: skip
    started = time.perf_counter()
    report = train_lora(
        (train, asked), options.folder / "adapter", base=options.base, recipe=recipe, task=ReasonerTask()
    )
    seconds = round(time.perf_counter() - started)
    rows += [row(f"tuned, {each['step']} steps", each) for each in report["accuracy"]]
    print_table(rows, title=f"first answers to {len(asked)} questions, in %; tuned and checked in {seconds} s")
    kept = ("base", "recipe", "losses", "n_train", "n_held_out", "adapter", "versions")
    results = {"table": rows, "training": {name: report[name] for name in kept}, "seconds of training": seconds}
    results["training"]["base"]["name"] = options.base.name
    write_record("tkg_reasoner", results, options, data=[options.data_dir / GRAPH])


def stored(options: argparse.Namespace) -> Path:
    """The folder of the store, which is made once."""
    folder: Path = options.folder / "store"
    if not (folder / "store.json").exists():
        store = FactStore.of(read_facts(options.data_dir / GRAPH))
        store.with_index("fks", load_encoder("minilm"), encoder_name="minilm").save(folder)
    return folder


def items(pipeline: TkgPipeline, options: argparse.Namespace, *, split: str, n: int) -> list[ReasonerItem]:
    """The first `n` questions of a split that a fact found answers; made are half as many more."""
    made = make_questions(read_rows(options.data_dir / GRAPH), n + n // 2, seed=options.seed, split=split)
    records = [record for record in made if split == "train" or not is_looked_at(record)]
    path = options.folder / f"{split}.jsonl"
    lines = (json.dumps({name: record[name] for name in ("question", "answers")}) + "\n" for record in records)
    path.write_text("".join(lines), encoding="utf-8")
    return list(read_reasoner_items(path, pipeline, seed=options.seed))[:n]


def pipeline_row(pipeline: TkgPipeline, asked: Sequence[ReasonerItem]) -> dict[str, Any]:
    """The pipeline's own answers to the same questions."""
    started = time.perf_counter()
    right = sum(hits_at_k(pipeline.ask(item.question).answers, item.answers) for item in asked) / max(1, len(asked))
    shares = {"said_right": right, "right": right, "nothing_left": 0.0}
    return row("none: the pipeline alone", shares, seconds=time.perf_counter() - started, n=len(asked))


def timed_row(name: str, chat: TransformersChat, asked: Sequence[ReasonerItem]) -> dict[str, Any]:
    chat.lm  # noqa: B018  loaded before the clock starts
    started = time.perf_counter()
    _, shares = ReasonerTask().check(chat, asked)
    return row(name, shares, seconds=time.perf_counter() - started, n=len(asked))


def row(name: str, shares: dict[str, float], *, seconds: float | None = None, n: int = 1) -> dict[str, Any]:
    values = {title: round(100 * shares[measure], 1) for measure, title in MEASURES.items()}
    return {"reader": name, **values, "seconds a question": "" if seconds is None else round(seconds / max(1, n), 2)}


if __name__ == "__main__":
    main()
