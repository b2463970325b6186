"""The README's examples, run: Python as doctests, shell lines with their output."""

import doctest
import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from qtie.cli import main

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
SHELL = [block for block in re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL) if block.startswith("$ qtie")]


def test_python_examples() -> None:
    result = doctest.testfile(str(README), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 3
    assert result.failed == 0


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.splitlines()[0])
def test_shell_examples(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(README.parent)
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block, re.MULTILINE):
        result = CliRunner().invoke(main, shlex.split(command)[1:])
        assert result.exit_code == 0, result.output
        shown = [line.rstrip() for line in output.splitlines() if line.strip()]
        given = [line.rstrip() for line in result.stdout.splitlines() if line.strip()]
        if shown and shown[-1] == "…":
            given = given[: len(shown) - 1]
            shown = shown[:-1]
        assert given == shown


def test_figures_are_those_of_the_run() -> None:
    record = json.loads((README.parent / "benchmarks" / "results" / "nobel_prize.json").read_text(encoding="utf-8"))
    overall = {row["system"]: row for row in record["results"]["overall"]}
    for name, retriever in (("BM25", "bm25"), ("MiniLM", "dense"), ("BM25 and MiniLM", "hybrid")):
        row = re.search(rf"^\| {name} \| (.*) \|$", TEXT, re.MULTILINE)
        assert row
        shown = [float(cell.strip("* ")) for cell in row[1].split("|")]
        alone, timed = overall[f"{retriever} alone"], overall[f"{retriever} + temporal"]
        assert shown == [round(run[m], 1) for m in ("P@1", "nDCG@10") for run in (alone, timed)]


def test_every_command_is_documented() -> None:
    for name in main.commands:
        assert re.search(rf"\bqtie {name}\b", TEXT), f"qtie {name} is not in the README"


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert target.startswith("http") or (README.parent / target).exists(), target
