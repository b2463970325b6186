"""The built wheel, installed into an empty environment, runs the README's first example."""

import re
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_wheel_runs_the_readme(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (wheel,) = tmp_path.glob("qtie-*.whl")
    venv.create(tmp_path / "env", with_pip=True)
    binaries = tmp_path / "env" / "bin"
    subprocess.run(
        [str(binaries / "pip"), "install", "--quiet", str(wheel)], check=True, capture_output=True, text=True
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert first
    source = "\n".join(line[4:] for line in first[1].splitlines() if line.startswith((">>> ", "... ")))
    shown = subprocess.run(
        [str(binaries / "python"), "-W", "error", "-c", source],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    ).stdout
    expected = "\n".join(line for line in first[1].splitlines() if not line.startswith((">>>", "...")))
    assert shown.split() == expected.split()
    demo = subprocess.run([str(binaries / "qtie"), "demo"], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert "First document right" in demo.stdout
