"""Running a command as a user would: when it fails, the test shows what the command said."""

import subprocess
from pathlib import Path


def output_of(*command: str | Path, cwd: Path | None = None, timeout: float = 600) -> str:
    """What `command` prints; fails with both its streams unless its status is 0."""
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, timeout=timeout, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout
