"""The built wheel, installed into an empty environment, runs the README's first example."""

import re
import sys
import venv
from pathlib import Path

from commands import output_of

ROOT = Path(__file__).parents[1]


def test_wheel_runs_the_readme(tmp_path: Path) -> None:
    output_of(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("qtie-*.whl")
    venv.create(tmp_path / "env", with_pip=True)
    binaries = tmp_path / "env" / "bin"
    output_of(binaries / "pip", "install", "--quiet", "--no-cache-dir", "--retries", "10", wheel)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert first
    source = "\n".join(line[4:] for line in first[1].splitlines() if line.startswith((">>> ", "... ")))
    shown = output_of(binaries / "python", "-W", "error", "-c", source, cwd=tmp_path)
    expected = "\n".join(line for line in first[1].splitlines() if not line.startswith((">>>", "...")))
    assert shown.split() == expected.split()
    assert "First document right" in output_of(binaries / "qtie", "demo", cwd=tmp_path)
