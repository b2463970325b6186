"""How the files of a data set are read: JSON lines, JSON and CSV, plain or gzipped, each record with its place."""

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from qtie.corpus import OnError, SkippedRecord, read_lines
from qtie.errors import DocumentError, EvaluationError, QtieError

__all__ = [
    "csv_records", "field_errors", "first_file", "json_lines", "json_object", "json_records", "parsed_lines",
    "text_lines",
]  # fmt: skip

Parsed = TypeVar("Parsed")


def text_lines(path: str | Path, *, on_error: OnError | None = None) -> Iterator[tuple[str, str]]:
    """Each line that is not blank with the file and line it stands in.

    Args:
        path: of the file; `-` is standard input.
        on_error: is handed the lines that are no UTF-8, which are then passed over; by default they are errors.

    Raises:
        EvaluationError: the file cannot be read.
    """
    try:
        for where, line in read_lines(path, on_error=on_error):
            if line.strip():
                yield where, line.rstrip("\r\n")
    except DocumentError as error:
        raise EvaluationError(f"cannot be read: {error}") from None


def parsed_lines(
    path: str | Path, parse: Callable[[str, str], Parsed], *, on_error: OnError | None = None
) -> Iterator[Parsed]:
    """What `parse(line, where)` makes of each line that is not blank.

    Args:
        path: of the file; `-` is standard input.
        parse: raises an EvaluationError for a faulty line.
        on_error: is handed those, which are then passed over; by default they are errors.

    Raises:
        EvaluationError: the file cannot be read, or a line is faulty.
    """
    for where, line in text_lines(path, on_error=on_error):
        try:
            parsed = parse(line, where)
        except EvaluationError as error:
            if on_error is None:
                raise
            on_error(SkippedRecord(str(error), line))
            continue
        yield parsed


def json_lines(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object of a JSON lines file with its place.

    Raises:
        EvaluationError: the file cannot be read, or a line is no JSON object.
    """
    for where, line in text_lines(path):
        yield where, json_object(line, where)


def json_object(line: str, where: str) -> dict[str, Any]:
    """The object that a line holds.

    Raises:
        EvaluationError: it holds none, or one with NaN or half a character in it.
    """
    record = _json(line, where)
    if not isinstance(record, dict):
        raise EvaluationError(f"{where}: expected a JSON object")
    return record


def json_records(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object of a file that is one JSON list, or JSON lines, with its place.

    Raises:
        EvaluationError: the file cannot be read, or is neither.
    """
    lines = list(text_lines(path))
    if not lines or not lines[0][1].lstrip().startswith("["):
        for where, line in lines:
            yield where, json_object(line, where)
        return
    for number, record in enumerate(_json("\n".join(line for _, line in lines), str(path)), start=1):
        if not isinstance(record, dict):
            raise EvaluationError(f"{path}, record {number}: expected a JSON object")
        yield f"{path}, record {number}", record


def csv_records(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each row of a CSV file by the names in its first line, with its place.

    Raises:
        EvaluationError: the file cannot be read.
    """
    lines = (f"{line}\n" for _, line in text_lines(path))
    try:
        for number, record in enumerate(csv.DictReader(lines, strict=True), start=1):
            yield f"{path}, record {number}", record
    except csv.Error as error:
        raise EvaluationError(f"{path}: not CSV: {error}") from None


def first_file(folder: Path, *names: str) -> Path | None:
    """The first of these files that the folder has, plain or with `.gz` behind its name; None where it has none."""
    return next((path for name in names for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


@contextmanager
def field_errors(where: str) -> Iterator[None]:
    """Turns what is wrong with a record's fields into an EvaluationError that begins with the record's place."""
    try:
        yield
    except KeyError as error:
        raise EvaluationError(f"{where}: no field {error}") from None
    except QtieError as error:
        raise EvaluationError(f"{where}: {error}") from None
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise EvaluationError(f"{where}: a field is malformed: {error}") from None


def _json(text: str, where: str) -> Any:
    try:
        record = json.loads(text)
        json.dumps(record, ensure_ascii=False, allow_nan=False).encode()  # half a surrogate pair, NaN
    except (ValueError, RecursionError) as error:
        raise EvaluationError(f"{where}: not JSON: {error}") from None
    return record
