"""The commands of those who build extractors: `qtie data build` and `qtie tie evaluate`; training is in train.py."""

import json
from pathlib import Path
from typing import Any

import click

from qtie.cli.console import say
from qtie.cli.options import extractor_options, make_reader
from qtie.tie.extractors import extract_all

__all__ = ["data", "tie"]

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
