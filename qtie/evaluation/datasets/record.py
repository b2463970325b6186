"""What every data set is read into: documents, judged queries and their judgements in one record."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from statistics import fmean
from typing import Any

from qtie.document import Document
from qtie.errors import EvaluationError
from qtie.evaluation.trec import Qrels
from qtie.interval import TimeInterval
from qtie.text_times import with_estimated_time

__all__ = ["Dataset", "Query", "describe", "with_text_times"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query, the day it is asked, and what its data set says of it; no system reads more than text and day."""

    query_id: str
    text: str
    reference_date: date | None = None
    subset: str | None = None
    """"simple" or "complex", as `qtie.evaluation.datasets.expressions` tells them apart; None where not known."""
    expression: str | None = None
    """The kind of its time expression: in, before, after, since, until, by, as of, between, from-to, early, …, none."""
    interval: TimeInterval | None = None
    """The days that it asks for, the hull of alternatives, where the data tells; no extractor had a part in it."""
    atemporal: bool = False
    """Whether the data says that it asks for no time."""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Documents, judged queries, and their judgements.

    Raises:
        EvaluationError: ids are not unique, nothing is judged, or a judgement names an unknown id.
    """

    name: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    qrels: Qrels
    candidates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The documents to rank by query_id; a query that is absent ranks them all."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What a reader of results must know: how documents and judgements were made, what was left out."""

    def __post_init__(self) -> None:
        doc_ids = _unique([document.doc_id for document in self.documents], f"{self.name}: doc_id")
        query_ids = _unique([query.query_id for query in self.queries], f"{self.name}: query_id")
        if not any(self.qrels.values()):
            raise EvaluationError(f"{self.name}: no judgements")
        for query_id, judged in self.qrels.items():
            if query_id not in query_ids:
                raise EvaluationError(f"{self.name}: the qrels judge query {query_id!r}, which is not there")
            for doc_id in [*judged, *self.candidates.get(query_id, ())]:
                if doc_id not in doc_ids:
                    raise EvaluationError(f"{self.name}: query {query_id!r} names {doc_id!r}, not in the corpus")


def with_text_times(dataset: Dataset) -> Dataset:
    """The data set with times read from the text of each document that has none; takes about 0.2 ms a paragraph."""
    return replace(dataset, documents=tuple(map(with_estimated_time, dataset.documents)))


def describe(dataset: Dataset) -> dict[str, Any]:
    """Counts of a data set, as papers print them of theirs.

    Returns:
        `documents`, `queries`, `relevant_per_query` (mean over judged queries of the documents with relevance above
        0), `candidates_per_query` (mean; None where all documents are ranked), `dated_share` (in [0, 1], of documents
        with any time), `interval_share` and `atemporal_share` (in [0, 1], of queries), `subsets` and `expressions`
        (queries by label, the most frequent first), and `metadata`.

    Example:
        >>> from qtie.evaluation.datasets import load_sample
        >>> counts = describe(load_sample())
        >>> counts["documents"] >= 200, counts["dated_share"] > 0.9
        (True, True)
    """
    queries, candidates = dataset.queries, dataset.candidates.values()
    return {
        "documents": len(dataset.documents),
        "queries": len(queries),
        "relevant_per_query": fmean(sum(r > 0 for r in judged.values()) for judged in dataset.qrels.values()),
        "candidates_per_query": fmean(map(len, candidates)) if candidates else None,
        "dated_share": fmean(bool(document.times) for document in dataset.documents),
        "interval_share": fmean(query.interval is not None for query in queries),
        "atemporal_share": fmean(query.atemporal for query in queries),
        "subsets": dict(Counter(query.subset or "unknown" for query in queries).most_common()),
        "expressions": dict(Counter(query.expression or "unknown" for query in queries).most_common()),
        "metadata": dict(dataset.metadata),
    }


def _unique(ids: list[str], name: str) -> set[str]:
    known: set[str] = set()
    for each in ids:
        if each in known:
            raise EvaluationError(f"{name} {each!r} stands there twice")
        known.add(each)
    return known
