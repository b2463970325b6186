"""Runs and qrels as TREC and BEIR write them."""

import gzip
import math
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from secrets import token_hex

import numpy as np

from qtie.errors import EvaluationError

__all__ = ["Qrels", "Run", "check_ids", "check_writable", "read_qrels", "read_run", "write_qrels", "write_run"]

Qrels = Mapping[str, Mapping[str, int]]
"""Relevance by query_id and doc_id."""
Run = Mapping[str, Mapping[str, float]]
"""Scores by query_id and doc_id, the best document first."""


def read_qrels(path: str | Path) -> dict[str, dict[str, int]]:
    """The judgements in a TREC file (`query_id 0 doc_id relevance`) or a BEIR one (three columns and a header).

    Reads standard input for `-`, and gzip for names that end in `.gz`.

    Raises:
        EvaluationError: the file cannot be read, is empty, or has a bad line; the message names it.
    """
    qrels: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        is_beir = len(line.split("\t")) == 3
        fields = line.split("\t") if is_beir else line.split()
        if is_beir and number == 1 and not _is_int(fields[2]):
            continue  # its header
        if not is_beir and len(fields) != 4:
            found = f"found {len(fields)} between blanks"
            raise EvaluationError(f"{path}, line {number}: expected 4 columns (TREC) or 3 between tabs (BEIR), {found}")
        query_id, doc_id, relevance = fields[0].strip(), fields[-2].strip(), fields[-1].strip()
        if not _is_int(relevance):
            raise EvaluationError(f"{path}, line {number}: relevance must be a whole number, not {relevance!r}")
        judged = qrels.setdefault(query_id, {})
        if doc_id in judged:
            raise EvaluationError(f"{path}, line {number}: {doc_id!r} is judged twice for query {query_id!r}")
        judged[doc_id] = int(relevance)
    if not qrels:
        raise EvaluationError(f"{path}: no judgements")
    return qrels


def read_run(path: str | Path) -> dict[str, dict[str, float]]:
    """The scores in a TREC run (`query_id Q0 doc_id rank score tag`), each query's best document first.

    Documents are ordered by score; the rank column is not read, as trec_eval does not either. Equal scores keep the
    file's order. Reads standard input for `-`, and gzip for names that end in `.gz`.

    Raises:
        EvaluationError: the file cannot be read, is empty, or has a bad line; the message names it.
    """
    run: dict[str, dict[str, float]] = {}
    for number, line in _lines(path):
        fields = line.split()
        if len(fields) != 6:
            raise EvaluationError(f"{path}, line {number}: expected 6 columns, found {len(fields)}")
        query_id, doc_id = fields[0], fields[2]
        scores = run.setdefault(query_id, {})
        if doc_id in scores:
            raise EvaluationError(f"{path}, line {number}: {doc_id!r} is ranked twice for query {query_id!r}")
        scores[doc_id] = _score(fields[4], f"{path}, line {number}")
    if not run:
        raise EvaluationError(f"{path}: no rankings")
    return {query_id: _ordered(scores) for query_id, scores in run.items()}


def write_run(run: Run, path: str | Path, *, tag: str = "qtie") -> None:
    """Writes a TREC run, whole or not at all; `-` is standard output.

    Scores are written in the 32 bits that trec_eval reads, each strictly below the one before it, so that every tool
    sees the same order. Equal scores keep the order of the mapping.

    Raises:
        EvaluationError: an id has white space, a score is no finite number, or the file cannot be written.
    """
    tag = _id(tag, "tag")
    lines = []
    for query_id, scores in run.items():
        ordered = _ordered(scores)
        written = _strictly_decreasing([_score(score, f"query {query_id!r}") for score in ordered.values()])
        for rank, (doc_id, score) in enumerate(zip(ordered, written, strict=True), start=1):
            lines.append(f"{_id(query_id, 'query_id')} Q0 {_id(doc_id, 'doc_id')} {rank} {score} {tag}\n")
    _write(path, lines)


def write_qrels(qrels: Qrels, path: str | Path) -> None:
    """Writes judgements as TREC does (four columns), whole or not at all; `-` is standard output.

    Raises:
        EvaluationError: an id has white space, or the file cannot be written.
    """
    lines = [
        f"{_id(query_id, 'query_id')} 0 {_id(doc_id, 'doc_id')} {relevance}\n"
        for query_id, judged in qrels.items()
        for doc_id, relevance in judged.items()
    ]
    _write(path, lines)


def check_ids(ids: Iterable[str], name: str) -> None:
    """Refuses ids that a TREC file cannot hold, before the work on them.

    Raises:
        EvaluationError: an id is empty, or has white space or a NUL byte.
    """
    for each in ids:
        _id(each, name)


def check_writable(path: str | Path) -> None:
    """Refuses a path that cannot be written to, before the work on what is to be written.

    Raises:
        EvaluationError: its folder is missing or closed to us, or it is a folder itself.
    """
    if str(path) == "-":
        return
    try:
        target, temporary = _places(path)
        place = target if target == temporary else target.parent
        reason = "is a folder" if target.is_dir() else "" if place.exists() else f"no folder {place}"
        reason = reason or ("" if os.access(place, os.W_OK) else "permission denied")
    except (OSError, ValueError) as error:
        reason = _reason(error)
    if reason:
        raise EvaluationError(f"{path}: cannot be written: {reason}")


def _ordered(scores: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def _strictly_decreasing(scores: list[float]) -> list[str]:
    written: list[str] = []
    last = np.float32(np.inf)
    for score in np.clip(np.array(scores), -1e38, 1e38).astype(np.float32):
        if score >= last:  # by the smallest step that is no denormal number
            score = last - max(np.spacing(np.abs(last)), np.float32(1e-30))
        written.append(f"{score:.9g}")
        last = score
    return written


def _score(value: str | float, where: str) -> float:
    try:
        score = float(value)
    except ValueError:
        raise EvaluationError(f"{where}: score must be a number, not {value!r}") from None
    if not math.isfinite(score):
        raise EvaluationError(f"{where}: score must be finite, not {value}")
    return score


def _id(text: str, name: str) -> str:
    if text.split() != [text] or "\0" in text:
        raise EvaluationError(f"{name} must be one word in a TREC file, not {text!r}")
    return text


def _is_int(text: str) -> bool:
    return re.fullmatch(r"\s*-?\d{1,9}\s*", text) is not None  # more would not fit into trec_eval's 32 bits


def _lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The file's lines with their numbers, blank ones left out."""
    try:
        if str(path) == "-":
            if sys.stdin is None:
                raise OSError("standard input is closed")
            text = sys.stdin.read()
        elif str(path).endswith(".gz"):
            text = gzip.decompress(Path(path).read_bytes()).decode("utf-8-sig")
        else:
            text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise EvaluationError(f"{path}: cannot be read: {_reason(error)}") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if "\0" in line:  # trec_eval would end an id there
            raise EvaluationError(f"{path}, line {number}: holds a NUL byte")
        if line.strip():
            yield number, line.rstrip("\r")


def _write(path: str | Path, lines: list[str]) -> None:
    if str(path) == "-":
        sys.stdout.writelines(lines)
        return
    try:
        target, temporary = _places(path)
        try:
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
            if temporary != target:
                temporary.replace(target)
        finally:
            if temporary != target:
                temporary.unlink(missing_ok=True)
    except (OSError, ValueError) as error:  # ValueError: half a surrogate pair
        raise EvaluationError(f"{path}: cannot be written: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """What is wrong, without the path that the system's errors repeat."""
    return str(getattr(error, "strerror", None) or error)


def _places(path: str | Path) -> tuple[Path, Path]:
    """The file to write, and what to write before it takes that one's place; a pipe or /dev/null is never replaced."""
    target = Path(os.path.realpath(path))
    if not str(path) or (target.exists() and not target.is_file()):
        return target, target
    return target, target.with_name(f".{token_hex(8)}.tmp")
