"""Runs the examples of a Markdown file: Python as doctests, shell lines with their output."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from qtie.cli import main

ROOT = Path(__file__).parents[1]


def shell_examples(path: Path) -> list[str]:
    """The blocks of `$ qtie …` and what it prints."""
    blocks = re.findall(r"```console\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    return [block for block in blocks if block.startswith("$ qtie")]


def run_python_examples(path: Path) -> int:
    """How many `>>>` lines were run; each must print what it says."""
    result = doctest.testfile(str(path), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
    return result.attempted


def run_shell_example(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command must print what it says, as far as a line "…", or nothing in particular where it says nothing."""
    monkeypatch.chdir(ROOT)
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block, re.MULTILINE):
        result = CliRunner().invoke(main, shlex.split(command)[1:])
        assert result.exit_code == 0, result.output
        shown = [line.rstrip() for line in output.splitlines() if line.strip()]
        given = [line.rstrip() for line in result.stdout.splitlines() if line.strip()]
        if shown and shown[-1] == "…":
            given = given[: len(shown) - 1]
            shown = shown[:-1]
        assert given == shown
