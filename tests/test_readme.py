"""The README's examples, run: Python as doctests, shell lines with their output."""

import json
import re

import pytest
from documentation import ROOT, run_python_examples, run_shell_example, shell_examples

from qtie.cli import main

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_python_examples() -> None:
    assert run_python_examples(README) > 3


@pytest.mark.parametrize("block", shell_examples(README), ids=lambda block: block.splitlines()[0])
def test_shell_examples(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run_shell_example(block, monkeypatch)


def test_figures_are_those_of_the_run() -> None:
    record = json.loads((ROOT / "benchmarks" / "results" / "nobel_prize.json").read_text(encoding="utf-8"))
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
        assert target.startswith("http") or (ROOT / target).exists(), target
