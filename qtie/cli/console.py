"""What every command shares: one-line errors, JSON lines, and progress where someone watches."""

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import TextIOWrapper
from typing import Any, NoReturn, TypeVar

import click

from qtie.errors import ConfigError, QtieError, QtieWarning

__all__ = ["Commands", "parsed", "progress", "say", "write", "write_json"]

Item = TypeVar("Item")
_CONTROLS = dict.fromkeys({*range(32), *range(127, 160)} - {ord("\n")}, "\N{REPLACEMENT CHARACTER}")


class Commands(click.Group):
    """Commands whose errors are one line on stderr and exit status 2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click's, but a wrong usage is one line."""
        is_bare = not args  # click empties the list
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if is_bare:  # click's way of showing the help
                raise
            _fail(ctx, error)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it raises becomes one line and an exit status."""
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        try:
            if sys.stdout is None:
                raise ConfigError("standard output is closed")
            with warnings.catch_warnings():
                warnings.filterwarnings("default", category=QtieWarning)
                warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
                super().invoke(ctx)
            sys.stdout.flush()
        except (QtieError, click.ClickException) as error:
            _fail(ctx, error)
        except KeyboardInterrupt:
            ctx.exit(130)
        except OSError as error:  # of stdout: what is read and written by name raises a QtieError
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what waits in its buffer goes nowhere
            if isinstance(error, BrokenPipeError):  # the reader of our output has left
                ctx.exit(0)
            _fail(ctx, error)
        except (RecursionError, MemoryError):
            _fail(ctx, ConfigError("the input is nested too deeply or too large"))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which they are defined."""
        return list(self.commands)


def _fail(ctx: click.Context, error: Exception) -> NoReturn:
    message = error.format_message() if isinstance(error, click.ClickException) else str(error)
    if isinstance(error, click.UsageError):
        message = f"{message.rstrip('.')}; see {(error.ctx or ctx).command_path} --help"
    say(message)
    ctx.exit(2)


def say(text: str) -> None:
    """One line on stderr that no terminal takes for a command; the middle of a long one is left out."""
    line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))
    click.echo("qtie: " + (line if len(line) <= 600 else f"{line[:300]} … {line[-300:]}"), err=True)


def parsed(parse: Callable[[Any], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """A callback for an option or argument that `parse` reads; its errors name that one."""

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        try:
            return None if value is None else parse(value)
        except QtieError as error:
            raise click.BadParameter(str(error), ctx, param) from error

    return callback


def write_json(record: Mapping[str, Any]) -> None:
    """The record as one JSON line on stdout."""
    click.echo(json.dumps(record, ensure_ascii=False))


def write(records: Iterable[Mapping[str, Any]], text: Callable[[], str], *, as_json: bool) -> None:
    """The records as JSON lines, or the text without the characters that a terminal would take for commands."""
    if not as_json:
        click.echo(text().translate(_CONTROLS))
        return
    for record in records:
        write_json(record)


def progress(items: Iterable[Item], *, label: str, total: int | None = None) -> Iterator[Item]:
    """The items, with a progress bar on stderr where that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, length=total, label=label, file=sys.stderr, show_pos=total is None) as shown:
        yield from shown
