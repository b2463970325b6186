"""Files of queries: one a line, as JSON or plain."""

from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, get_args

from qtie.corpus import OnError
from qtie.errors import EvaluationError, QtieError
from qtie.evaluation.datasets.files import json_lines, json_object, parsed_lines, text_lines
from qtie.evaluation.datasets.record import Query
from qtie.intent import Preference
from qtie.interval import TimeInterval

__all__ = ["query_fields", "read_labelled_lines", "read_queries", "read_query_lines"]

_QUERY_KEYS = ("_id", "query_id", "text", "query", "metadata")


def read_queries(path: str | Path) -> Iterator[Query]:
    """The queries in JSON lines: `_id` or `query_id`, `text` or `query`, optionally `metadata`.

    Other fields count as metadata, which may hold a `reference_date`. Reads standard input for `-`.

    Raises:
        EvaluationError: the file cannot be read, is empty or has a bad line; the message names line and field.
    """
    seen: dict[str, str] = {}
    for where, record in json_lines(path):
        query_id = record.get("_id", record.get("query_id"))
        text = record.get("text", record.get("query"))
        if query_id is None or query_id == "":
            raise EvaluationError(f"{where}: no _id (or query_id)")
        if not isinstance(query_id, str | int) or isinstance(query_id, bool):
            raise EvaluationError(f"{where}: _id must be a text or a whole number, not {query_id!r}")
        if str(query_id) in seen:
            raise EvaluationError(f"{where}: _id {str(query_id)!r} stands already in {seen[str(query_id)]}")
        seen[str(query_id)] = where
        if not isinstance(text, str):
            raise EvaluationError(f"{where}: no text (or query)")
        metadata = record.get("metadata") or {}
        if not isinstance(metadata, dict):
            raise EvaluationError(f"{where}: metadata must be an object")
        metadata |= {key: value for key, value in record.items() if key not in _QUERY_KEYS}
        reference_date = _reference_date(metadata, where)
        yield Query(query_id=str(query_id), text=text, reference_date=reference_date, metadata=metadata)
    if not seen:
        raise EvaluationError(f"{path}: no queries in it")


def read_query_lines(
    path: str | Path, *, on_error: OnError | None = None
) -> Iterator[tuple[dict[str, Any], date | None]]:
    """Queries one a line, plain or as JSON with `query`, optionally `reference_date`, and any other keys.

    Gives each line's fields, and its reference date if it has one; blank lines are passed over.

    Args:
        path: of the file; `-` is standard input.
        on_error: is handed the faulty lines, which are then passed over; by default they are errors.

    Raises:
        EvaluationError: as `read_queries`.
    """
    return parsed_lines(path, query_fields, on_error=on_error)


def query_fields(line: str, where: str) -> tuple[dict[str, Any], date | None]:
    """One line's fields and reference date, as `read_query_lines` gives them.

    Raises:
        EvaluationError: the line is faulty; the message begins with `where`.

    Example:
        >>> query_fields('{"query": "who won", "reference_date": "2019-05-01"}', "line 1")[1]
        datetime.date(2019, 5, 1)
    """
    fields = json_object(line, where) if line.lstrip().startswith("{") else {"query": line.strip()}
    if not isinstance(fields.get("query"), str):
        raise EvaluationError(f"{where}: field 'query': expected a text")
    return fields, _reference_date(fields, where)


def read_labelled_lines(path: str | Path) -> Iterator[tuple[dict[str, Any], date | None]]:
    """Queries with the time they ask for, in JSON lines, as `read_query_lines` gives them.

    Besides `query`, each line has `intervals`, a list of EDTF texts that is empty where the query asks for none, and
    may have `preference` (latest, earliest or null), `hull` (true: only the intervals' hull counts) and `kind`. The
    intervals come back as days: `2019` as `2019-01-01/2019-12-31`.

    Raises:
        EvaluationError: as `read_queries`, and where a label is missing or unreadable.
    """
    n_lines = 0
    for where, line in text_lines(path):
        fields = json_object(line, where)
        if not isinstance(fields.get("query"), str):
            raise EvaluationError(f"{where}: field 'query': expected a text")
        fields["intervals"] = _intervals(fields, where)
        if (preference := fields.get("preference")) not in (None, *get_args(Preference)):
            choices = ", ".join(get_args(Preference))
            raise EvaluationError(f"{where}: field 'preference': one of {choices} or null, not {preference!r}")
        if not isinstance(fields.get("hull", False), bool):
            raise EvaluationError(f"{where}: field 'hull': true or false, not {fields['hull']!r}")
        yield fields, _reference_date(fields, where)
        n_lines += 1
    if not n_lines:
        raise EvaluationError(f"{path}: no queries in it")


def _intervals(fields: Mapping[str, Any], where: str) -> list[str]:
    given = fields.get("intervals")
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise EvaluationError(f"{where}: field 'intervals': expected a list of texts, [] where no time is asked for")
    try:
        return [str(TimeInterval.parse(text)) for text in given]
    except QtieError as error:
        raise EvaluationError(f"{where}: field 'intervals': {error}") from None


def _reference_date(fields: Mapping[str, Any], where: str) -> date | None:
    day = fields.get("reference_date")
    try:
        return None if day is None else date.fromisoformat(day)
    except (TypeError, ValueError):
        raise EvaluationError(f"{where}: reference_date must be YYYY-MM-DD, not {day!r}") from None
