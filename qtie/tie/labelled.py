"""Queries with the bounds that a language model is to answer: read from a file, split by subject."""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from qtie.errors import EvaluationError, IntentParseError
from qtie.tie.labels import label_from_sql
from qtie.tie.prompt import Bounds, Unit, answer_text, parse_answer

__all__ = ["LabelledQuery", "read_labelled_queries", "split_by_subject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuery:
    """A query and its label; queries of one subject may paraphrase each other."""

    query_id: str
    query: str
    subject: str
    bounds: Bounds
    reference_date: date | None = None


def read_labelled_queries(path: Path, *, granularity: Unit = "month") -> list[LabelledQuery]:
    """The queries of a JSON lines file, each line one of

    - `query`, `start` and `end` (`YYYY-MM` or `YYYY-MM-DD` by the granularity, or null), and optionally `subject`
      (without it, the query) and `reference_date`;
    - `id`, `sql` and `questions`, as `qtie.tie.labels` reads them, by the month with its `month_pair`, by the day with
      its `day_pair`. Left out are lines without an `op`, and those whose conditions contradict themselves.

    Raises:
        EvaluationError: the file cannot be read, has a bad line or no query; the message names line and field.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: cannot be read: {error}") from None
    found: list[LabelledQuery] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            found += _queries(line, f"{path}:{number}", granularity)
    if not found:
        raise EvaluationError(f"{path}: no labelled queries in it")
    return found


def _queries(line: str, where: str, granularity: Unit) -> list[LabelledQuery]:
    try:
        record = json.loads(line)
        if not all(isinstance(text, str) for text in record.get("questions", [record.get("query", "")])):
            raise TypeError("a query is not a text")
        return list(_of_sql(record, granularity) if "sql" in record else _of_bounds(record, where, granularity))
    except KeyError as error:
        raise EvaluationError(f"{where}: no field {error}") from None
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise EvaluationError(f"{where}: not a labelled query: {error}") from None


def _of_bounds(record: dict[str, Any], where: str, granularity: Unit) -> Iterator[LabelledQuery]:
    yield LabelledQuery(
        query_id=str(record.get("query_id", where)),
        query=record["query"],
        subject=str(record.get("subject", record["query"])),
        bounds=parse_answer(answer_text((record["start"], record["end"])), granularity),
        reference_date=date.fromisoformat(record["reference_date"]) if record.get("reference_date") else None,
    )


_FIRST_CONDITION = re.compile(r"\s+and\s+(?:date\()?(?:Start|End)\b.*", re.IGNORECASE | re.DOTALL)


def _of_sql(record: dict[str, Any], granularity: Unit) -> Iterator[LabelledQuery]:
    if not record["op"]:
        return
    label = label_from_sql(record["sql"])
    if label.is_contradictory or label.day_pair is None:
        return
    if granularity == "month":
        bounds = label.month_pair
    else:
        days = label.day_pair.to_dict()
        bounds = days["start"], days["end"]
    try:
        parse_answer(answer_text(bounds), granularity)
    except IntentParseError:  # "started before the later, ended after the earlier day": no answer could say it
        return
    subject = _FIRST_CONDITION.sub("", record["sql"]).lower()
    for number, question in enumerate(record["questions"]):
        yield LabelledQuery(query_id=f"{record['id']}#{number}", query=question, subject=subject, bounds=bounds)


def split_by_subject(
    queries: Sequence[LabelledQuery], *, share: float = 0.2, seed: int = 0
) -> tuple[list[LabelledQuery], list[LabelledQuery]]:
    """Training and held-out queries, both in an order that the seed decides; no subject is in both.

    Args:
        share: of the queries, that are held out at least, in (0, 1).

    Raises:
        EvaluationError: there are fewer than two subjects.
    """
    subjects = sorted({query.subject for query in queries})
    if len(subjects) < 2:
        raise EvaluationError("a split by subject needs two subjects or more")
    order = random.Random(seed)
    order.shuffle(subjects)
    shuffled = order.sample(list(queries), len(queries))
    held_out: set[str] = set()
    n_held_out = 0
    for subject in subjects[:-1]:
        if n_held_out >= share * len(queries):
            break
        held_out.add(subject)
        n_held_out += sum(query.subject == subject for query in queries)
    return (
        [query for query in shuffled if query.subject not in held_out],
        [query for query in shuffled if query.subject in held_out],
    )
