"""Data sets for retrieval: documents, queries and judgements in one record, from folders as BEIR lays them out."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any

from qtie.config import Config
from qtie.corpus import read_corpus, read_lines
from qtie.document import Document
from qtie.document_time import parse_bounds
from qtie.errors import DocumentError, EvaluationError, IntervalError
from qtie.evaluation.trec import Qrels, read_qrels

__all__ = ["Dataset", "Query", "load_beir", "load_sample", "load_tdbench", "read_queries", "read_query_lines"]

_DEFAULT = Config()


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query, the day it is asked, and whatever else is known of it."""

    query_id: str
    text: str
    reference_date: date | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Documents, judged queries, and their judgements.

    Raises:
        EvaluationError: ids are not unique, or a judgement names an unknown one.
    """

    name: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    qrels: Qrels
    candidates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The documents to rank by query_id; a query that is absent ranks them all."""

    def __post_init__(self) -> None:
        doc_ids = _unique([document.doc_id for document in self.documents], f"{self.name}: doc_id")
        query_ids = _unique([query.query_id for query in self.queries], f"{self.name}: query_id")
        for query_id, judged in self.qrels.items():
            if query_id not in query_ids:
                raise EvaluationError(f"{self.name}: the qrels judge query {query_id!r}, which is not there")
            for doc_id in [*judged, *self.candidates.get(query_id, ())]:
                if doc_id not in doc_ids:
                    raise EvaluationError(f"{self.name}: query {query_id!r} names {doc_id!r}, not in the corpus")


def load_beir(folder: str | Path, *, split: str = "test", config: Config = _DEFAULT) -> Dataset:
    """A BEIR folder: `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv`; queries without judgements are left out.

    Thakur et al. (2021), "BEIR: A Heterogenous Benchmark for Zero-shot Evaluation of Information Retrieval Models".

    Raises:
        EvaluationError: a file is missing or has a bad line.
        DocumentError: the corpus has a bad line.
    """
    root = Path(folder)
    for name in ("corpus.jsonl", "queries.jsonl", f"qrels/{split}.tsv"):
        if not (root / name).is_file():
            raise EvaluationError(f"{root}: no file {name}; a BEIR folder has corpus.jsonl, queries.jsonl and qrels/")
    qrels = read_qrels(root / "qrels" / f"{split}.tsv")
    queries = [query for query in read_queries(root / "queries.jsonl") if query.query_id in qrels]
    documents = tuple(read_corpus(root / "corpus.jsonl", config=config))
    return Dataset(name=root.resolve().name, documents=documents, queries=tuple(queries), qrels=qrels)


def load_sample() -> Dataset:
    """The sample corpus that is shipped with qtie."""
    return load_beir(Path(str(files("qtie") / "sample")))


def load_tdbench(folder: str | Path) -> Dataset:
    """TDBench's questions over one table, as retrieval of its rows: a row is a document with a validity interval.

    Questions are those of one table that have an answer; the rows of the same subject are the candidates. Bounds are
    as precise as the source: a bare year is that whole year.

    As `ssoy0701/tdbench_public` (2025) has them: `rows.jsonl` and `items.jsonl`.

    Raises:
        EvaluationError: a file is missing or has a bad line.
    """
    root = Path(folder)
    documents = tuple(_row(record, where) for where, record in _json_lines(root / "rows.jsonl"))
    queries, qrels, candidates = [], {}, {}
    for where, item in _json_lines(root / "items.jsonl"):
        try:
            if not item["qtype"].startswith("basic_") or not item["relevant_rows"]:
                continue
            for number, question in enumerate(item["questions"]):
                query_id = f"{item['id']}#{number}"
                queries.append(Query(query_id=query_id, text=question, metadata={"op": item["op"], "sql": item["sql"]}))
                qrels[query_id] = dict.fromkeys(item["relevant_rows"], 1)
                candidates[query_id] = tuple(item["same_subject_rows"])
        except KeyError as error:
            raise EvaluationError(f"{where}: no field {error}") from None
    return Dataset(name="tdbench", documents=documents, queries=tuple(queries), qrels=qrels, candidates=candidates)


def read_queries(path: str | Path) -> Iterator[Query]:
    """The queries in JSON lines: `_id` or `query_id`, `text` or `query`, optionally `metadata`.

    Other fields count as metadata, which may hold a `reference_date`. Reads standard input for `-`.

    Raises:
        EvaluationError: the file cannot be read, is empty or has a bad line; the message names line and field.
    """
    seen: dict[str, str] = {}
    for where, record in _json_lines(path):
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


def read_query_lines(path: str | Path) -> Iterator[tuple[dict[str, Any], date | None]]:
    """Queries one a line, plain or as JSON with `query`, optionally `reference_date`, and any other keys.

    Gives each line's fields, and its reference date if it has one; blank lines are passed over.

    Raises:
        EvaluationError: as `read_queries`.
    """
    try:
        for where, line in read_lines(path):
            if line.strip():
                fields = _json_object(line, where) if line.lstrip().startswith("{") else {"query": line.strip()}
                if not isinstance(fields.get("query"), str):
                    raise EvaluationError(f"{where}: field 'query': expected a text")
                yield fields, _reference_date(fields, where)
    except DocumentError as error:
        raise EvaluationError(f"cannot be read: {error}") from None


def _reference_date(fields: Mapping[str, Any], where: str) -> date | None:
    day = fields.get("reference_date")
    try:
        return None if day is None else date.fromisoformat(day)
    except (TypeError, ValueError):
        raise EvaluationError(f"{where}: reference_date must be YYYY-MM-DD, not {day!r}") from None


_QUERY_KEYS = ("_id", "query_id", "text", "query", "metadata")


def _row(record: Mapping[str, Any], where: str) -> Document:
    try:
        text = "; ".join(f"{name}: {value}" for name, value in record["fields"].items())
        validity = parse_bounds(record["start"], record["end"], source="start, end")
        times = {} if validity is None else {"validity": (validity,)}
        return Document(doc_id=record["id"], text=text, times=times, metadata=record["fields"])
    except (KeyError, AttributeError, IntervalError) as error:
        raise EvaluationError(f"{where}: not a row with id, start, end and fields: {error}") from None


def _json_lines(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object with the file and line it stands in, blank lines left out."""
    try:
        for where, line in read_lines(path):
            if line.strip():
                yield where, _json_object(line, where)
    except DocumentError as error:
        raise EvaluationError(f"cannot be read: {error}") from None


def _json_object(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
        json.dumps(record, ensure_ascii=False, allow_nan=False).encode()  # half a surrogate pair, NaN
    except (ValueError, RecursionError) as error:
        raise EvaluationError(f"{where}: not JSON: {error}") from None
    if not isinstance(record, dict):
        raise EvaluationError(f"{where}: expected a JSON object")
    return record


def _unique(ids: list[str], name: str) -> set[str]:
    known: set[str] = set()
    for each in ids:
        if each in known:
            raise EvaluationError(f"{name} {each!r} stands there twice")
        known.add(each)
    return known
