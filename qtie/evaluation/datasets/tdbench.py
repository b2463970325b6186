"""TDBench: questions over tables, generated from temporal SQL, as retrieval of the rows that answer them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qtie.document import Document
from qtie.document_time import parse_bounds
from qtie.errors import EvaluationError, IntervalError
from qtie.evaluation.datasets.expressions import stated_time
from qtie.evaluation.datasets.files import field_errors, json_lines
from qtie.evaluation.datasets.record import Dataset, Query
from qtie.tie.labels import label_from_sql

__all__ = ["load_tdbench"]


def load_tdbench(folder: str | Path) -> Dataset:
    """TDBench's questions over one table, as retrieval of its rows: a row is a document with a validity interval.

    Questions are those of one table that have an answer; the rows of the same subject are the candidates. Bounds are
    as precise as the source: a bare year is that whole year. A query's `interval` is the SQL's retrieval reading
    (`SqlLabel.day_pair`), its `expression` the SQL's Allen relation.

    As `ssoy0701/tdbench_public` (2025) has them: `rows.jsonl` and `items.jsonl`.

    Raises:
        EvaluationError: a file is missing or has a bad line.
    """
    root = Path(folder)
    documents = tuple(_row(record, where) for where, record in json_lines(root / "rows.jsonl"))
    queries, qrels, candidates = [], {}, {}
    for where, item in json_lines(root / "items.jsonl"):
        with field_errors(where):
            if not item["qtype"].startswith("basic_") or not item["relevant_rows"]:
                continue
            for query in _queries(item):
                queries.append(query)
                qrels[query.query_id] = dict.fromkeys(item["relevant_rows"], 1)
                candidates[query.query_id] = tuple(item["same_subject_rows"])
    metadata = {"candidates": "the rows of the same subject", "expression": "the SQL's Allen relation"}
    return Dataset(
        name="tdbench",
        documents=documents,
        queries=tuple(queries),
        qrels=qrels,
        candidates=candidates,
        metadata=metadata,
    )


def _queries(item: Mapping[str, Any]) -> list[Query]:
    interval = label_from_sql(item["sql"]).day_pair
    return [
        Query(
            query_id=f"{item['id']}#{number}",
            text=question,
            subset=stated_time(question).subset or "complex",
            expression=item["op"],
            interval=interval,
            metadata={"op": item["op"], "sql": item["sql"]},
        )
        for number, question in enumerate(item["questions"])
    ]


def _row(record: Mapping[str, Any], where: str) -> Document:
    try:
        text = "; ".join(f"{name}: {value}" for name, value in record["fields"].items())
        validity = parse_bounds(record["start"], record["end"], source="start, end")
        times = {} if validity is None else {"validity": (validity,)}
        return Document(doc_id=record["id"], text=text, times=times, metadata=record["fields"])
    except (KeyError, AttributeError, IntervalError) as error:
        raise EvaluationError(f"{where}: not a row with id, start, end and fields: {error}") from None
