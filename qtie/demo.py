"""The demo: the sample corpus searched by topic alone and by topic and time, side by side."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from qtie.evaluation.datasets import load_sample
from qtie.intent import TemporalIntent
from qtie.ranking import Ranking
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.search import TemporalSearcher

__all__ = ["DemoReport", "run_demo"]

_SHOWN = ("q011", "q024", "q048")


@dataclass(frozen=True)
class DemoReport:
    """A few queries with their rankings before and after, and how often the first document was right."""

    shown: tuple[tuple[str, Ranking, Ranking], ...]
    n_queries: int
    n_right_before: int
    n_right_after: int

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready record."""
        return {
            "queries": [
                {"query": query, "before": before.to_dicts(), "after": after.to_dicts()}
                for query, before, after in self.shown
            ],
            "n_queries": self.n_queries,
            "n_right_before": self.n_right_before,
            "n_right_after": self.n_right_after,
        }

    def __str__(self) -> str:
        blocks = []
        for query, before, after in self.shown:
            asked = ", ".join(map(str, after.intent.intervals))
            blocks.append(f"{query}\n  asks for {asked}\n\nBM25 alone\n{before}\n\nwith qtie\n{after}\n")
        blocks.append(
            f"First document right, of {self.n_queries} queries about time: "
            f"BM25 {self.n_right_before}, with qtie {self.n_right_after}."
        )
        return "\n".join(blocks)


def run_demo(*, k: int = 3, reference_date: date | None = None) -> DemoReport:
    """Search the sample corpus with BM25, without and with time, as asked on that day, else on the queries' own.

    Example:
        >>> report = run_demo()
        >>> report.n_right_after > 2 * report.n_right_before
        True
    """
    sample = load_sample()
    searcher = TemporalSearcher(sample.documents, Bm25Retriever(sample.documents))
    right = {False: 0, True: 0}
    shown = []
    n_queries = 0
    for query in sample.queries:
        after = searcher.search(query.text, k=k, reference_date=reference_date or query.reference_date)
        if not after.intent.is_temporal:
            continue
        before = searcher.search(query.text, k=k, intent=TemporalIntent(query=query.text))
        n_queries += 1
        relevant = sample.qrels[query.query_id]
        for timed, ranking in ((False, before), (True, after)):
            right[timed] += relevant.get(ranking[0].doc_id, 0) > 0
        if query.query_id in _SHOWN:
            shown.append((query.text, before, after))
    return DemoReport(tuple(shown), n_queries, right[False], right[True])
