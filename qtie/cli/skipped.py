"""Faulty lines: the command stops at the first, or passes them over, counts them and writes them to a file."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

import click

from qtie.cli.console import say
from qtie.corpus import OnError, SkippedRecord
from qtie.errors import ConfigError

__all__ = ["Skipped", "skipping", "skipping_options"]


def skipping_options(command: Any) -> Any:
    """Adds `--on-error` and `--skipped` to a command that reads lines."""
    for option in (
        click.option("--skipped", type=click.Path(), help="File for what is skipped.  [default: INPUT.skipped.jsonl]"),
        click.option(
            "--on-error",
            type=click.Choice(["stop", "skip"]),
            default="stop",
            show_default=True,
            help="What to do at a faulty line: stop there, or write it to a file and go on.",
        ),
    ):
        command = option(command)
    return command


class Skipped:
    """What is passed over, written to a file as it comes; there is no file where nothing is."""

    def __init__(self, path: Path, stack: ExitStack, *, skips: bool) -> None:
        self.path, self.n = path, 0
        self.on_error: OnError | None = self._write if skips else None
        """Takes what is faulty; None: that is an error."""
        self._stack = stack
        self._file: FileIO | None = None

    def _write(self, record: SkippedRecord) -> None:
        try:
            if self._file is None:
                self._file = self._stack.enter_context(self.path.open("wb", buffering=0))  # a full disk is told at once
            self._file.write((json.dumps(record._asdict(), ensure_ascii=False) + "\n").encode())
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be written: {error.strerror}") from error
        self.n += 1


@contextmanager
def skipping(source: str, *, on_error: str, skipped: str | None) -> Iterator[Skipped]:
    """Where the faulty lines of a source go, as the options of `skipping_options` say; how many is said at the end.

    Raises:
        ConfigError: that file is the source itself, or cannot be written.
    """
    place = Path(skipped or f"{'stdin' if source == '-' else Path(source).name}.skipped.jsonl")
    if place.exists() and _is_read_from(place, source):
        raise ConfigError(f"--skipped: {place} is the input itself")
    with ExitStack() as stack:
        passed_over = Skipped(place, stack, skips=on_error == "skip")
        yield passed_over
    if passed_over.n:
        say(f"{passed_over.n} skipped: {place}")


def _is_read_from(place: Path, source: str) -> bool:
    """Whether the source is that file; of stdin, whether it was redirected from it."""
    if source != "-":
        return Path(source).exists() and place.samefile(source)
    try:
        return os.path.samestat(place.stat(), os.fstat(sys.stdin.fileno()))
    except (OSError, ValueError):  # stdin is closed, or no file of the system
        return False
