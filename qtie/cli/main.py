"""The command `qtie`, and where each of its subcommands lives."""

import click

from qtie.cli.ask import ask
from qtie.cli.batch import batch
from qtie.cli.console import Commands
from qtie.cli.evaluation import demo, evaluate, inspect
from qtie.cli.experiments import bench, tune
from qtie.cli.extractors import data, tie
from qtie.cli.search import intent, rerank, run, search
from qtie.cli.service import mcp, serve
from qtie.cli.store import add, delete, index, reindex, stats
from qtie.cli.tkg import tkg
from qtie.cli.train import train

__all__ = ["main"]


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="qtie")
def main() -> None:
    """Search that knows when: reads the time a query asks for, and ranks by topic and time together."""


for _command in (
    *(intent, rerank, search, ask, run, index, add, delete, stats, reindex, batch, tkg),
    *(evaluate, inspect, demo, bench, tune, data, train, tie, serve, mcp),
):
    main.add_command(_command)
