"""Each script in `examples/` prints what it says that it prints."""

import ast
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_prints_what_it_says(script: Path, tmp_path: Path) -> None:
    tree = ast.parse(script.read_text(encoding="utf-8"))
    imported = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    imported += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    missing = {name.split(".")[0] for name in imported if not find_spec(name.split(".")[0])}
    if missing:
        pytest.skip(f"needs {', '.join(sorted(missing))}")
    _, _, expected = (ast.get_docstring(tree) or "").partition("It prints:\n")
    environment = {**os.environ, "HAYSTACK_TELEMETRY_ENABLED": "False"}
    run = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == dedent(expected).strip()


def test_every_adapter_has_an_example_and_is_documented() -> None:
    used = "\n".join(script.read_text(encoding="utf-8") for script in SCRIPTS)
    documented = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
    for adapter in (ROOT / "qtie" / "integrations").glob("*.py"):
        if adapter.stem not in ("__init__", "candidates"):
            assert f"qtie.integrations.{adapter.stem} import" in used, adapter.stem
            assert f"(../qtie/integrations/{adapter.name})" in documented, adapter.stem
    for target in re.findall(r"\]\(([^)#]+)\)", documented):
        assert (ROOT / "docs" / target).exists(), target
