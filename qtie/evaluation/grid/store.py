"""What is finished stays on disk: outcomes of cells by key, each file whole or not at all."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

import qtie
from qtie.errors import EvaluationError
from qtie.evaluation.grid.cell import Outcome
from qtie.whole_file import write_whole

__all__ = ["OutcomeStore", "source_digest"]

_MEASURE = "measure "
_SOURCES = ("*.py", "*.toml", "*.jsonl")
_PRESENTING = (
    *("cli", "display", "experiments", "integrations", "report", "service"),
    *("plots.py", "significance.py", "tables.py", "tuning.py"),
)
"""Folders and files whose code computes no outcome."""


class OutcomeStore:
    """Outcomes in a folder, one file a cell."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __contains__(self, key: str) -> bool:
        return self._path(key).is_file()

    def read(self, key: str) -> Outcome:
        """The outcome kept under that key.

        Raises:
            EvaluationError: there is none, or its file is damaged.
        """
        path = self._path(key)
        try:
            with np.load(path) as arrays:
                measures = {
                    name.removeprefix(_MEASURE): arrays[name] for name in arrays.files if name.startswith(_MEASURE)
                }
                return Outcome(queries=arrays["queries"], measures=measures, top=arrays["top"], scores=arrays["scores"])
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise EvaluationError(f"{path}: damaged result: {error}; delete it") from error

    def write(self, key: str, outcome: Outcome) -> None:
        """Keep the outcome under that key.

        Raises:
            EvaluationError: the folder cannot be written to.
        """
        arrays: dict[str, Any] = {_MEASURE + name: values for name, values in outcome.measures.items()}
        arrays |= {"queries": outcome.queries, "top": outcome.top, "scores": outcome.scores}
        try:
            write_whole(self._path(key), lambda file: np.savez(file, **arrays))
        except OSError as error:
            raise EvaluationError(f"{self._folder}: results cannot be kept here: {error}") from error

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.npz"


@cache
def source_digest(*paths: str) -> str:
    """The hash of those files and folders of the library's sources; by default of all that outcomes depend on.

    Example:
        >>> source_digest("retrieval/bm25.py") == source_digest("retrieval/bm25.py") != source_digest("tie/")
        True
    """
    root = Path(qtie.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(file for pattern in _SOURCES for file in root.rglob(pattern)):
        parts = path.relative_to(root).parts
        if "/".join(parts).startswith(paths) if paths else not set(parts) & set(_PRESENTING):
            digest.update(f"{'/'.join(parts)}\0".encode() + path.read_bytes())
    return digest.hexdigest()
