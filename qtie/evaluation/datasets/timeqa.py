"""TimeQA: questions over Wikipedia pages, as retrieval of the paragraphs that answer them.

Chen, Wang and Wang (2021), "A Dataset for Answering Time-Sensitive Questions"; `wenhuchen/Time-Sensitive-QA`.
No paragraph has a time of its own: it must be read from the text (`with_text_times`).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qtie.corpus import read_corpus
from qtie.document import Document
from qtie.errors import EvaluationError
from qtie.evaluation.datasets.expressions import stated_time
from qtie.evaluation.datasets.files import field_errors, first_file, json_records
from qtie.evaluation.datasets.queries import read_queries
from qtie.evaluation.datasets.record import Dataset, Query
from qtie.evaluation.trec import read_qrels

__all__ = ["load_timeqa", "timeqa_paragraphs"]

_NO_TIMES = {"times": "none given; to be read from the text"}


def load_timeqa(folder: str | Path, *, split: str = "test") -> Dataset:
    """The human-paraphrased questions, easy and hard, over the paragraphs of their pages.

    Questions without an answer are left out: what is judged relevant to them is the heading of the page.
    `metadata` keeps the level, and `fact_interval`: the days for which the easy wording states that the fact holds. A
    hard question asks for other days of the same fact; its `interval` is what it says itself, where that is plain.

    Args:
        folder: `human_corpus.jsonl`, `human_queries.jsonl` and `human_qrels.tsv`, or the repository's own
            `<split>.easy.json` and `<split>.hard.json` (records with `idx`, `question`, `targets` and `paragraphs`,
            each with `title` and `text`; a paragraph that says a target counts as relevant, the one page's others
            as not).
        split: of the repository's own files.

    Raises:
        EvaluationError: a file is missing or has a bad line.
        DocumentError: the corpus has a bad line.
    """
    root = Path(folder)
    if first_file(root, "human_corpus.jsonl") is None:
        return _load_original(root, split)
    qrels_file = first_file(root, "human_qrels.tsv") or root / "human_qrels.tsv"
    queries_file = first_file(root, "human_queries.jsonl") or root / "human_queries.jsonl"
    qrels = read_qrels(qrels_file)
    read = list(read_queries(queries_file))
    queries = tuple(
        _query(query.query_id, query.text, query.metadata)
        for query in read
        if query.query_id in qrels and any(query.metadata.get("answers", ()))
    )
    return Dataset(
        name="timeqa",
        documents=timeqa_paragraphs(root),
        queries=queries,
        qrels={query.query_id: qrels[query.query_id] for query in queries},
        metadata={**_NO_TIMES, "answerable": len(queries) / len(read)},
    )


def timeqa_paragraphs(folder: str | Path) -> tuple[Document, ...]:
    """The paragraphs of `human_corpus.jsonl` alone.

    Raises:
        EvaluationError: the file is missing.
        DocumentError: it has a bad line.
    """
    path = first_file(Path(folder), "human_corpus.jsonl")
    if path is None:
        raise EvaluationError(f"{folder}: no file human_corpus.jsonl")
    return tuple(read_corpus(path))


def _query(query_id: str, text: str, metadata: Mapping[str, Any]) -> Query:
    stated, fact = stated_time(text), stated_time(metadata.get("easy_text", "")).interval
    return Query(
        query_id=query_id,
        text=text,
        subset=stated.subset,
        expression=stated.expression,
        interval=stated.interval,
        metadata={**metadata, "fact_interval": fact and str(fact)},
    )


def _load_original(root: Path, split: str) -> Dataset:
    documents: dict[str, Document] = {}
    queries: list[Query] = []
    qrels: dict[str, dict[str, int]] = {}
    n_questions = 0
    for level in ("easy", "hard"):
        path = first_file(root, f"{split}.{level}.json", f"dataset/{split}.{level}.json")
        if path is None:
            raise EvaluationError(f"{root}: no file human_corpus.jsonl, nor {split}.{level}.json")
        for where, record in json_records(path):
            with field_errors(where):
                n_questions += 1
                page, query_id = record["idx"].split("#")[0], f"{level}-{record['idx']}"
                for number, paragraph in enumerate(record["paragraphs"]):
                    doc_id = f"{page}#{number}"
                    document = Document(doc_id=doc_id, title=paragraph["title"], text=paragraph["text"])
                    documents.setdefault(doc_id, document)
                    if any(target and target in paragraph["text"] for target in record["targets"]):
                        qrels.setdefault(query_id, {})[doc_id] = 1
                if query_id in qrels:
                    queries.append(_query(query_id, record["question"], {"level": level}))
    metadata = {**_NO_TIMES, "judgements": "paragraphs that say a target", "judged": len(queries) / n_questions}
    return Dataset(
        name="timeqa", documents=tuple(documents.values()), queries=tuple(queries), qrels=qrels, metadata=metadata
    )
