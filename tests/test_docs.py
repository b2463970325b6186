"""The documentation: its examples run, its figures are those of the runs, and nothing is left out."""

import json
import re
from pathlib import Path

import pytest
import yaml
from documentation import ROOT, run_python_examples, run_shell_example, shell_examples

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
SHELL = [(path, block) for path in PAGES for block in shell_examples(path)]


@pytest.mark.parametrize(
    "path", [path for path in PAGES if ">>> " in path.read_text(encoding="utf-8")], ids=lambda p: p.stem
)
def test_python_examples(path: Path) -> None:
    assert run_python_examples(path)


@pytest.mark.parametrize(
    ("path", "block"), SHELL, ids=[f"{path.stem}: {block.splitlines()[0]}" for path, block in SHELL]
)
def test_shell_examples(path: Path, block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run_shell_example(block, monkeypatch)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (path.parent / target).exists(), target


def test_every_page_is_in_the_navigation() -> None:
    listed = re.findall(
        r"[\w/-]+\.md", json.dumps(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    )
    assert sorted(listed) == sorted(str(path.relative_to(DOCS)) for path in PAGES)


def test_every_module_is_in_the_reference() -> None:
    reference = "\n".join(path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md"))
    named = set(re.findall(r"^::: qtie\.(\w+)", reference, re.MULTILINE))
    public = {
        path.relative_to(ROOT / "qtie").parts[0].removesuffix(".py")
        for path in (ROOT / "qtie").rglob("*.py")
        if "__all__" in path.read_text(encoding="utf-8")
    }
    no_interface = {"__init__", "bare_years", "cli", "demo", "processor", "stated_dates", "whole_file"}
    assert public - named <= no_interface


def test_figures_of_the_weight_are_those_of_the_run() -> None:
    record = json.loads((ROOT / "benchmarks" / "results" / "tune_defaults.json").read_text(encoding="utf-8"))
    page = (DOCS / "fusion.md").read_text(encoding="utf-8")
    for name, dataset in (("sample corpus", "sample"), ("TimeQA", "timeqa")):
        row = re.search(rf"^\| {name} \| (.*) \|$", page, re.MULTILINE)
        assert row
        swept = [
            result
            for result in record["results"][dataset]
            if result["moved"] == "temporal_weight" and result["normalization"] == "bm25"
        ]
        assert [float(cell) for cell in row[1].split("|")] == [round(result["nDCG@10"], 1) for result in swept]
