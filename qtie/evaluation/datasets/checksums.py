"""Whether the files of a data set are still what they were: SHA-256 of each, kept in `checksums.json` beside them."""

import hashlib
import json
from pathlib import Path

from qtie.errors import EvaluationError
from qtie.evaluation.datasets.files import json_object, text_lines

__all__ = ["check_checksums", "fingerprint", "record_checksums"]

_NAME = "checksums.json"


def fingerprint(folder: str | Path) -> dict[str, str]:
    """The SHA-256 of each file below a folder, by its path within it, in order; `checksums.json` left out.

    Raises:
        EvaluationError: the folder is missing, or a file cannot be read.
    """
    root = Path(folder)
    if not root.is_dir():
        raise EvaluationError(f"{root}: no such folder")
    try:
        return {
            path.relative_to(root).as_posix(): _sha256(path)
            for path in sorted(root.rglob("*"))
            if path.is_file() and path != root / _NAME
        }
    except OSError as error:
        raise EvaluationError(f"{error.filename}: cannot be read: {error.strerror}") from None


def record_checksums(folder: str | Path) -> dict[str, str]:
    """Writes `checksums.json` into the folder of a download, so that every later load checks the files against it.

    Raises:
        EvaluationError: there is one already and the files differ from it, or it cannot be written.
    """
    root = Path(folder)
    check_checksums(root)
    found = fingerprint(root)
    temporary = root / f".{_NAME}.tmp"
    try:
        temporary.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.replace(root / _NAME)
    except OSError as error:
        raise EvaluationError(f"{root / _NAME}: cannot be written: {error.strerror}") from None
    return found


def check_checksums(folder: str | Path) -> None:
    """Passes where the folder has no `checksums.json`, or its files are what that one says.

    Raises:
        EvaluationError: a file that was recorded is missing or has changed.
    """
    path = Path(folder) / _NAME
    if not path.is_file():
        return
    recorded = json_object("\n".join(line for _, line in text_lines(path)), str(path))
    found = fingerprint(folder)
    for name, digest in recorded.items():
        if found.get(name) != digest:
            state = "has changed since its checksum was recorded" if name in found else "is missing"
            raise EvaluationError(f"{Path(folder) / name}: {state}; delete {_NAME} there if that is meant")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
