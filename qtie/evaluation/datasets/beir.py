"""Folders as BEIR lays them out, the shipped sample corpus among them."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from qtie.config import Config
from qtie.corpus import read_corpus
from qtie.errors import EvaluationError
from qtie.evaluation.datasets.queries import read_queries
from qtie.evaluation.datasets.record import Dataset, Query
from qtie.evaluation.trec import read_qrels
from qtie.interval import TimeInterval

__all__ = ["load_beir", "load_sample"]

_DEFAULT = Config()
_PLAIN = frozenset(
    ("in", "on", "during", "before", "after", "since", "until", "by", "as of", "as at", "between", "from-to")
)
"""The sample's operators that count as simple."""


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
    dataset = load_beir(Path(str(files("qtie") / "sample")))
    return replace(dataset, queries=tuple(map(_labelled, dataset.queries)))


def _labelled(query: Query) -> Query:
    """The query with the labels that the sample's metadata states."""
    stated = query.metadata.get("interval")  # alternatives stand as "A or B"; the hull is what intents give too
    alternatives = [TimeInterval.parse(each) for each in stated.split(" or ")] if stated else []
    operator = query.metadata.get("operator")
    atemporal = not alternatives and "preference" not in query.metadata
    return replace(
        query,
        subset=None if atemporal else "simple" if operator in _PLAIN else "complex",
        expression=operator or "none",
        interval=alternatives[0].hull(alternatives[-1]) if alternatives else None,
        atemporal=atemporal,
    )
