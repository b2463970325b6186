"""The data sets by name, for the experiment suite and the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from qtie.errors import EvaluationError
from qtie.evaluation.datasets.beir import load_sample
from qtie.evaluation.datasets.checksums import check_checksums, fingerprint
from qtie.evaluation.datasets.chronicling import load_chronicling_america
from qtie.evaluation.datasets.multitq import load_multitq
from qtie.evaluation.datasets.nobel import load_nobel, load_nobel_complex
from qtie.evaluation.datasets.record import Dataset
from qtie.evaluation.datasets.situatedqa import load_situatedqa
from qtie.evaluation.datasets.tdbench import load_tdbench
from qtie.evaluation.datasets.temprageval import load_temprageval, load_temprageval_draft
from qtie.evaluation.datasets.tempreason import load_tempreason
from qtie.evaluation.datasets.timeqa import load_timeqa
from qtie.evaluation.datasets.timequestions import load_timequestions

__all__ = ["DATASETS", "Source", "dataset_fingerprint", "load_dataset"]


class Source(NamedTuple):
    """Where a data set lies, and how it is read."""

    folders: tuple[str, ...]
    """The folders that it is read from, below the data folder."""
    load: Callable[[Path, Path | None], Dataset]
    """From the data folder and, where the queries are rewritten, the file of frames."""


DATASETS: dict[str, Source] = {
    "sample": Source((), lambda data, _: load_sample()),
    "nobel": Source(("nobel_prize",), lambda data, _: load_nobel(data / "nobel_prize")),
    "nobel-complex": Source(
        ("nobel_prize",),
        lambda data, frames: load_nobel_complex(data / "nobel_prize", frames=frames or data / "nobel_frames.jsonl"),
    ),
    "tdbench": Source(("tdbench",), lambda data, _: load_tdbench(data / "tdbench")),
    "timeqa": Source(("timeqa",), lambda data, _: load_timeqa(data / "timeqa")),
    "tempreason": Source(("tempreason",), lambda data, _: load_tempreason(data / "tempreason")),
    "situatedqa": Source(("situatedqa",), lambda data, _: load_situatedqa(data / "situatedqa")),
    "temprageval-draft": Source(
        ("temprageval_draft", "timeqa"),
        lambda data, _: load_temprageval_draft(data / "temprageval_draft", timeqa=data / "timeqa"),
    ),
    "temprageval": Source(("temprageval",), lambda data, _: load_temprageval(data / "temprageval")),
    "timequestions": Source(("timequestions",), lambda data, _: load_timequestions(data / "timequestions")),
    "multitq": Source(("multitq",), lambda data, _: load_multitq(data / "multitq")),
    "chroniclingamericaqa": Source(
        ("chroniclingamericaqa",), lambda data, _: load_chronicling_america(data / "chroniclingamericaqa")
    ),
}
"""The data sets by name; temprageval and chroniclingamericaqa need files that the user brings."""


def load_dataset(name: str, data_dir: str | Path, *, frames: str | Path | None = None) -> Dataset:
    """The data set of that name, from the folder that holds all of them.

    Args:
        name: one of `DATASETS`.
        data_dir: has a folder for each data set, in our layout or in that of its public repository.
        frames: the file that nobel-complex is made from; by default `nobel_frames.jsonl` in `data_dir`.

    Raises:
        EvaluationError: there is no such data set, its folder is missing, or a file in it is faulty or, by the
            folder's `checksums.json`, no longer what it was.

    Example:
        >>> load_dataset("sample", ".").name
        'sample'
    """
    root, source = Path(data_dir), _source(name)
    for folder in source.folders:
        if not (root / folder).is_dir():
            raise EvaluationError(f"{name}: no folder {root / folder}; name the data folder that holds it")
        check_checksums(root / folder)
    return source.load(root, None if frames is None else Path(frames))


def dataset_fingerprint(name: str, data_dir: str | Path) -> dict[str, str]:
    """The SHA-256 of each file in the folders that the data set is read from, by `folder/file`; for records of runs.

    Raises:
        EvaluationError: there is no such data set, or a file cannot be read.
    """
    folders = _source(name).folders
    return {
        f"{folder}/{file}": digest
        for folder in folders
        for file, digest in fingerprint(Path(data_dir) / folder).items()
    }


def _source(name: str) -> Source:
    if name not in DATASETS:
        raise EvaluationError(f"unknown data set {name!r}; one of {', '.join(DATASETS)}")
    return DATASETS[name]
