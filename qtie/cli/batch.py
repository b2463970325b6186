"""The commands over millions of rows: `qtie batch intents`, `times`, `index`."""

from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import click

from qtie.cli.console import say, write
from qtie.cli.options import config_option, date_of, json_option, load_config, make_reader, reading_options

__all__ = ["batch"]

_PATH = click.Path(path_type=Path)


def _running(command: Any) -> Any:
    """The options that all of these commands share."""
    for option in (
        json_option,
        click.option(
            "--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True,
            help="What a faulty row does: end the run, or be counted and written to skipped.jsonl.",
        ),
        click.option(
            "--shard-rows", type=click.IntRange(min=1), default=10_000, show_default=True,
            help="Rows that a worker reads at a time.",
        ),
        click.option(
            "--workers", type=click.IntRange(min=1), help="How many.  [default: all cores; with ray all CPUs but one]"
        ),
        click.option("--address", help='Of a Ray cluster, such as "auto".  [default: one on this machine]'),
        click.option(
            "--runner", type=click.Choice(["local", "ray"]), default="local", show_default=True,
            help="Processes of this machine, or actors of a Ray cluster.",
        ),
        click.argument("output", type=_PATH),
        click.argument("source", metavar="INPUT", type=_PATH),
    ):  # fmt: skip
        command = option(command)
    return command


@click.group()
def batch() -> None:
    """Millions of rows, on all cores or on a Ray cluster; an interrupted run is taken up by the same command."""


@batch.command()
@_running
@reading_options
def intents(source: Path, output: Path, reference_date: date | None, **options: Any) -> None:
    """The intents of INPUT's queries (JSON lines, Parquet or a folder of them) as JSON lines in the folder OUTPUT."""
    from qtie.batch.folder import reference_date_of

    running = {name: options.pop(name) for name in _RUNNING}
    config, _ = make_reader(**options)
    begun = reference_date_of(output)  # the day of a run that is taken up, where it was begun without one
    day = reference_date or (date_of(begun) if begun else date.today())
    _run("intents", source, output, running, config=config, extractor=options["extractor"], reference_date=day)


@batch.command()
@_running
@config_option
def times(source: Path, output: Path, config_path: str | None, **running: Any) -> None:
    """The times of INPUT's documents, from metadata and text, as JSON lines in the folder OUTPUT."""
    _run("times", source, output, running, config=load_config(config_path))


@batch.command()
@_running
@config_option
@click.option("--encoder", help="Makes vectors as well: minilm, a folder or a model's name.")
def index(source: Path, output: Path, config_path: str | None, encoder: str | None, **running: Any) -> None:
    """A store at OUTPUT, for `qtie search --store`, of INPUT's documents."""
    config = load_config(config_path)
    _run("index", source, output, running, config=config, encoder=encoder or config.retrieval.encoder)


_RUNNING = ("runner", "address", "workers", "shard_rows", "on_error", "as_json")


def _run(kind: Any, source: Path, output: Path, running: dict[str, Any], **asked: Any) -> None:
    from qtie.batch.run import run_batch
    from qtie.batch.stage import Task

    report = run_batch(
        Task(kind=kind, on_error=running["on_error"], **asked), source, output, runner=running["runner"],
        address=running["address"], n_workers=running["workers"], shard_rows=running["shard_rows"],
    )  # fmt: skip
    done = f"{report.n_rows} rows in {report.n_shards} shards"
    before = f", {report.n_shards_before} of them finished before" if report.n_shards_before else ""
    write([asdict(report)], lambda: f"{output}: {done}{before}", as_json=running["as_json"])
    if report.n_skipped:
        books = output / "parts" if kind == "index" else output
        say(f"{report.n_skipped} skipped: {books / 'skipped.jsonl'}")
