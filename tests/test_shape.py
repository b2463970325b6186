"""The shape of the code: imports point one way, and importing qtie is light."""

import ast
import json
import re
import sys
from pathlib import Path

import pytest
from commands import output_of

import qtie

ROOT = Path(qtie.__file__).parent
LAYERS = [
    "errors", "whole_file", "processor", "llm", "interval", "allen", "display", "intent", "tie", "defaults", "config",
    "document_time", "document", "ordering", "file_date", "corpus",
    "inspection", "bare_years", "stated_dates", "facets", "focus_time", "time_columns", "kernels", "relation_kernel",
    "temporal_relevance", "normalization", "fusion", "ranking", "text_times", "rewriting", "reranker", "retrieval",
    "baselines", "evaluation", "tkg", "batch", "rag", "integrations", "service", "demo", "cli",
]  # fmt: skip
WITHIN_TIE = [
    "timex", "operators", "grams", "cascade", "en", "values", "prompt", "semantic_query", "grammar", "program",
    "labels", "labelled", "answers", "decoding", "encoder", "model", "ensemble", "llm_extractor", "extractors",
    "accuracy", "examples", "network", "batched", "export", "dataset", "training", "tuning_task", "lora",
]  # fmt: skip
MODULES = sorted(ROOT.rglob("*.py"))


def _imported(path: Path) -> set[str]:
    """The qtie modules that a file imports, as dotted names below qtie."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "qtie":
            below = node.module.removeprefix("qtie").lstrip(".")
            names |= {below} if below else {alias.name for alias in node.names}
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_up(path: Path) -> None:
    own = path.relative_to(ROOT).with_suffix("").parts
    if own == ("__init__",):
        return
    for name in _imported(path):
        other = name.split(".")
        if other[0] == own[0] == "tie":
            if len(other) > 1 and len(own) > 1 and other[1] != own[1]:
                assert WITHIN_TIE.index(other[1]) < WITHIN_TIE.index(own[1]), name
        elif other[0] != own[0]:
            assert LAYERS.index(other[0]) < LAYERS.index(own[0]), name


def test_every_module_has_its_place() -> None:
    top = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in MODULES} - {"__init__"}
    assert top == set(LAYERS)


def test_importing_qtie_loads_numpy_and_nothing_else() -> None:
    code = (
        "import sys, json; before = set(sys.modules); import qtie;"
        "loaded = {name.split('.')[0] for name in set(sys.modules) - before};"
        "print(json.dumps(sorted(loaded - set(sys.stdlib_module_names))))"
    )
    output = output_of(sys.executable, "-c", code)
    assert {name for name in json.loads(output) if not name.startswith("_")} == {"numpy", "qtie"}


def test_public_names_are_there_and_documented() -> None:
    readme = (ROOT.parent / "README.md").read_text(encoding="utf-8")
    for name in qtie.__all__:
        assert getattr(qtie, name).__doc__, name
        assert re.search(rf"\b{name}\b", readme), f"{name} is not in the README"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_print_and_no_hidden_clock(path: Path) -> None:
    if path.parent.name == "cli":
        return
    source = path.read_text(encoding="utf-8")
    assert not re.search(r"^\s*print\(", source, re.MULTILINE)
    assert not re.search(r"date\.today\(|datetime\.now\(|time\.time\(", source)


def test_no_rule_knows_a_benchmark() -> None:
    for path in [*MODULES, *ROOT.rglob("*.toml"), *ROOT.glob("tie/en/*.jsonl")]:
        names_data = "evaluation" in path.parts or path.name in ("labels.py", "experiments.py")
        if not names_data:  # those read benchmarks, and rank nothing
            assert not re.search(r"nobel|tdbench|laureate", path.read_text(encoding="utf-8"), re.IGNORECASE), path
