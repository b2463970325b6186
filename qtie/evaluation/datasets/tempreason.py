"""TempReason, level 2: "who held … in June 1970?", as retrieval of the facts that hold then.

Tan, Ng and Bing (2023), "Towards Benchmarking and Improving the Temporal Reasoning Capability of Large Language
Models"; `DAMO-NLP-SG/TempReason`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from qtie.document import Document
from qtie.document_time import parse_bounds, parse_time
from qtie.errors import EvaluationError
from qtie.evaluation.datasets.expressions import stated_time
from qtie.evaluation.datasets.files import field_errors, first_file, json_records
from qtie.evaluation.datasets.record import Dataset, Query

__all__ = ["load_tempreason"]

_STILL_HOLDS = "2022-12"
"""The last month of the source, which its facts name as their end where they have none."""
_FACT = re.compile(r"(?P<statement>.+?) from (?P<start>\w+, \d{4}) to (?P<end>\w+, \d{4})\.?$")


def load_tempreason(folder: str | Path, *, split: str = "test") -> Dataset:
    """Facts as documents with a validity in months, and the questions that name a month.

    Relevant are the facts that hold in that month and name an answer; questions without one are left out. An end in
    December 2022 stands for "still holds", and is open here.

    Args:
        folder: `facts.jsonl` and `l2_queries.jsonl`, or the published `<split>_l2.json` (JSON lines with `id`,
            `question`, `date`, `text_answers.text` and `fact_context`, one fact a line).
        split: of the published files.

    Raises:
        EvaluationError: a file is missing or has a bad line.
    """
    root = Path(folder)
    facts, questions = first_file(root, "facts.jsonl"), first_file(root, "l2_queries.jsonl")
    if facts is None or questions is None:
        return _load_original(root, split)
    documents = []
    for where, record in json_records(facts):
        with field_errors(where):
            documents.append(_document(record["_id"], record["text"], record["start"], record["end"]))
    records = [(where, record, record.get("gold", ())) for where, record in json_records(questions)]
    return _dataset(documents, records)


def _document(doc_id: str, text: str, start: str, end: str) -> Document:
    last = parse_time(end)
    is_open = last is not None and str(last.interval).startswith(_STILL_HOLDS)
    validity = parse_bounds(start, None if is_open else end, source="start, end")
    return Document(doc_id=doc_id, text=text, times={"validity": (validity,)} if validity else {})


def _dataset(documents: list[Document], records: Iterable[tuple[str, Mapping[str, Any], Iterable[str]]]) -> Dataset:
    queries, qrels, n_questions = [], {}, 0
    for where, record, gold in records:
        n_questions += 1
        with field_errors(where):
            query = _query(record)
        judged = dict.fromkeys(gold, 1)
        if judged:
            queries.append(query)
            qrels[query.query_id] = judged
    if not n_questions:
        raise EvaluationError("tempreason: no questions")
    metadata = {"judgements": "facts that hold then and name an answer", "judged": len(queries) / n_questions}
    return Dataset(
        name="tempreason", documents=tuple(documents), queries=tuple(queries), qrels=qrels, metadata=metadata
    )


def _query(record: Mapping[str, Any]) -> Query:
    text = record.get("text", record.get("question"))
    month = parse_time(record["date"])
    if not isinstance(text, str) or month is None:
        raise EvaluationError("a question has text and date")
    return Query(
        query_id=str(record["_id"] if "_id" in record else record["id"]),
        text=text,
        subset=stated_time(text).subset,
        expression="in",
        interval=month.interval,
        metadata={"answers": _answers(record)},
    )


def _answers(record: Mapping[str, Any]) -> list[str]:
    answers = record["answers"] if "answers" in record else record["text_answers"]["text"]
    return [answers] if isinstance(answers, str) else list(answers)


def _load_original(root: Path, split: str) -> Dataset:
    path = first_file(root, f"{split}_l2.json", f"{split}_l2.jsonl")
    if path is None:
        raise EvaluationError(f"{root}: no facts.jsonl with l2_queries.jsonl, nor {split}_l2.json")
    documents: dict[str, Document] = {}
    records: list[tuple[str, Mapping[str, Any], list[str]]] = []
    for where, record in json_records(path):
        with field_errors(where):
            month, answers = parse_time(record["date"]), _answers(record)
            facts = [_fact(sentence, documents) for sentence in _sentences(record["fact_context"])]
            gold = [
                fact.doc_id
                for fact in facts
                if month
                and fact.times["validity"][0].interval.overlaps(month.interval)
                and any(answer in fact.text for answer in answers)
            ]
            records.append((where, record, gold))
    return _dataset(list(documents.values()), records)


def _sentences(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip())


def _fact(sentence: str, documents: dict[str, Document]) -> Document:
    match = _FACT.match(sentence)
    if match is None:
        raise EvaluationError("fact_context: a fact must end in 'from Jan, 2006 to Jan, 2015.'")
    if sentence not in documents:
        documents[sentence] = _document(f"fact{len(documents)}", sentence, match["start"], match["end"])
    return documents[sentence]
