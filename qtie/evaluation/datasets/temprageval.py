"""TempRAGEval: questions with changed times, as retrieval of the sentences that are evidence for their answers.

Zhang et al. (2024), "MRAG: A Modular Retrieval Framework for Time-Sensitive Question Answering"; `siyue-zhang/MRAG`.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from qtie.corpus import read_corpus
from qtie.document import Document
from qtie.errors import EvaluationError
from qtie.evaluation.datasets.expressions import stated_time
from qtie.evaluation.datasets.files import csv_records, field_errors, first_file, json_records
from qtie.evaluation.datasets.naming import words_of
from qtie.evaluation.datasets.record import Dataset, Query
from qtie.evaluation.datasets.timeqa import timeqa_paragraphs

__all__ = ["load_temprageval", "load_temprageval_draft"]

_UNDATED = frozenset((None, "", "none", "None"))


def load_temprageval_draft(folder: str | Path, *, timeqa: str | Path) -> Dataset:
    """The authors' early draft (134 items), NOT the released benchmark: results on it must say so.

    Documents are its evidence sentences and, as a pool, all paragraphs of TimeQA; a paragraph that says an evidence
    sentence is relevant too. Items without a time specifier are left out, as the authors do.

    Args:
        folder: has `items.jsonl`.
        timeqa: the folder of TimeQA's `human_corpus.jsonl`.

    Raises:
        EvaluationError: a file is missing or has a bad line.
    """
    path = first_file(Path(folder), "items.jsonl") or Path(folder) / "items.jsonl"
    metadata = {"status": "early draft of 134 items, not the released benchmark", "pool": "TimeQA's paragraphs"}
    return _dataset("temprageval-draft", json_records(path), timeqa_paragraphs(timeqa), metadata)


def load_temprageval(folder: str | Path) -> Dataset:
    """The released benchmark, from `TempRAGEval.json`, `.jsonl` or `.csv` and passages that the user gives.

    The release could not be seen when this was written. Assumed are the draft's fields, or `time_relation` for the
    specifier and `gold_evidence_1`, `gold_evidence_2` for the evidence; the tests hold records of that form.

    Args:
        folder: has the file and, as a pool, `corpus.jsonl` with the passages of a Wikipedia dump; without it the
            evidence sentences alone are the documents, and `metadata` says so.

    Raises:
        EvaluationError: a file is missing or has a bad line.
        DocumentError: the passages have a bad line.
    """
    root = Path(folder)
    path = first_file(root, "TempRAGEval.json", "TempRAGEval.jsonl", "TempRAGEval.csv")
    if path is None:
        raise EvaluationError(f"{root}: no file TempRAGEval.json, TempRAGEval.jsonl or TempRAGEval.csv")
    passages = first_file(root, "corpus.jsonl")
    pool = () if passages is None else tuple(read_corpus(passages))
    records = csv_records(path) if ".csv" in path.suffixes else json_records(path)
    return _dataset("temprageval", records, pool, {"pool": "the user's passages" if pool else "none: evidence alone"})


def _dataset(
    name: str,
    records: Iterable[tuple[str, dict[str, Any]]],
    pool: tuple[Document, ...],
    metadata: Mapping[str, Any],
) -> Dataset:
    items: list[tuple[Query, tuple[str, ...]]] = []
    for where, record in records:
        with field_errors(where):
            if _specifier(record) not in _UNDATED:
                items.append((_query(record), _evidence(record)))
    sentences = dict.fromkeys(sentence for _, evidence in items for sentence in evidence)
    said_by = _paragraphs_saying(sentences, pool)
    ids = {sentence: f"evidence{number}" for number, sentence in enumerate(sentences)}
    documents = tuple(Document(doc_id=doc_id, text=sentence) for sentence, doc_id in ids.items())
    qrels = {
        query.query_id: {doc_id: 1 for sentence in evidence for doc_id in (ids[sentence], *said_by[sentence])}
        for query, evidence in items
        if evidence
    }
    queries = tuple(query for query, evidence in items if evidence)
    return Dataset(name=name, documents=documents + pool, queries=queries, qrels=qrels, metadata=dict(metadata))


def _specifier(record: Mapping[str, Any]) -> str | None:
    specifier: str | None = record["time_specifier" if "time_specifier" in record else "time_relation"]
    return specifier


def _evidence(record: Mapping[str, Any]) -> tuple[str, ...]:
    evidence = record.get("gold_evidence")
    if evidence is None:
        evidence = [record["gold_evidence_1"], record.get("gold_evidence_2")]
    return tuple(dict.fromkeys(sentence for sentence in evidence if sentence))


def _query(record: Mapping[str, Any]) -> Query:
    stated = stated_time(record["question"])
    return Query(
        query_id=str(record["id"]),
        text=record["question"],
        subset=stated.subset or "complex",  # each has a time, whatever its words
        expression=_specifier(record),
        interval=stated.interval,
        metadata={key: record[key] for key in ("source", "exact_time", "date_type", "answers") if key in record},
    )


def _paragraphs_saying(sentences: Iterable[str], pool: tuple[Document, ...]) -> dict[str, list[str]]:
    """The paragraphs that hold each sentence, whatever their blanks and marks; a sentence has at least five words."""
    texts = [(paragraph.doc_id, f" {' '.join(words_of(paragraph.text))} ") for paragraph in pool]
    wanted = {sentence: words_of(sentence) for sentence in sentences}
    return {
        sentence: [doc_id for doc_id, text in texts if len(words) >= 5 and f" {' '.join(words)} " in text]
        for sentence, words in wanted.items()
    }
