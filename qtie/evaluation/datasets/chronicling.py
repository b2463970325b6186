"""ChroniclingAmericaQA: questions over American newspapers from 1800 to 1920, as retrieval of their passages.

Piryani, Mozafari and Jatowt (2024), "ChroniclingAmericaQA: A Large-scale Question Answering Dataset based on Historical
American Newspaper Pages"; `DataScienceUIBK/ChroniclingAmericaQA`.
"""

from pathlib import Path

from qtie.document import Document
from qtie.document_time import parse_time
from qtie.errors import EvaluationError
from qtie.evaluation.datasets.expressions import stated_time
from qtie.evaluation.datasets.files import field_errors, first_file, json_records
from qtie.evaluation.datasets.record import Dataset, Query

__all__ = ["load_chronicling_america"]


def load_chronicling_america(folder: str | Path, *, split: str = "test") -> Dataset:
    """Passages as documents, dated by their newspaper, each relevant to the questions asked of it.

    The set could not be had when this was written. Assumed is `<split>.json` (a list or JSON lines) with `query_id`,
    `question`, `answer`, `para_id`, `context` and `publication_date`, as its paper and repository describe it; the
    tests hold records of that form.

    Raises:
        EvaluationError: the file is missing or has a bad record.
    """
    root = Path(folder)
    path = first_file(root, f"{split}.json", f"{split}.jsonl")
    if path is None:
        raise EvaluationError(f"{root}: no file {split}.json or {split}.jsonl")
    documents: dict[str, Document] = {}
    queries, qrels = [], {}
    for where, record in json_records(path):
        with field_errors(where):
            doc_id, text = str(record["para_id"]), record["question"]
            if doc_id not in documents:
                published = parse_time(record["publication_date"], source="publication_date")
                times = {} if published is None else {"timestamp": (published,)}
                documents[doc_id] = Document(doc_id=doc_id, text=record["context"], times=times)
            stated = stated_time(text)
            query = Query(
                query_id=str(record["query_id"]),
                text=text,
                subset=stated.subset,
                expression=stated.expression,
                interval=stated.interval,
                metadata={"answers": [record["answer"]]},
            )
            queries.append(query)
            qrels[query.query_id] = {doc_id: 1}
    return Dataset(
        name="chroniclingamericaqa", documents=tuple(documents.values()), queries=tuple(queries), qrels=qrels
    )
