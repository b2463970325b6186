"""Single queries with their rankings side by side and the reasons, for the report's reader."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np

from qtie.baselines.ranker import Question
from qtie.evaluation.datasets import Query
from qtie.evaluation.grid.bench import Bench
from qtie.evaluation.grid.cell import Cell, Outcome
from qtie.evaluation.grid.run import Setting, Survey
from qtie.normalization import normalize, on_topic
from qtie.temporal_relevance import compared_times, temporal_scores

__all__ = ["N_QUERIES", "chosen_rows", "query_records"]

N_QUERIES = 60
"""How many queries of a data set and retriever are shown at most."""

_SHOWN = 10
_TEXT_LENGTH = 200


def chosen_rows(before: Outcome, after: Outcome, *, seed: int = 0) -> list[int]:
    """The rows of at most `N_QUERIES` queries, in order: equally many right or wrong before × after, where there are.

    Args:
        before: one ranker's outcome.
        after: another's, of the same queries.
        seed: draws among the queries of a kind.
    """
    kinds = 2 * (before.measures["P@1"] > 0) + (after.measures["P@1"] > 0)
    waiting = [np.flatnonzero(kinds == kind).tolist() for kind in range(4)]
    for rows in waiting:
        Random(seed).shuffle(rows)
    chosen: list[int] = []
    while len(chosen) < N_QUERIES and any(waiting):
        chosen += [rows.pop() for rows in waiting if rows]
    return sorted(chosen[:N_QUERIES])


def query_records(
    setting: Setting, survey: Survey, cells: Sequence[Cell], outcomes: Sequence[Outcome], rows: Sequence[int]
) -> list[dict[str, Any]]:
    """A record for each of the chosen rows: query, intent, measures, and each ranker's best documents with reasons.

    Semantic and temporal scores are those of the library's own reading, whichever ranker is shown.

    Args:
        setting: where the data is.
        survey: has the queries' intents.
        cells: one a ranker, of the same data set, retriever and queries.
        outcomes: what the cells gave.
        rows: rows of the outcomes.
    """
    bench = setting.bench(cells[0].dataset, survey.by_query)
    return list(_records(bench, cells, outcomes, rows))


def _records(
    bench: Bench, cells: Sequence[Cell], outcomes: Sequence[Outcome], rows: Sequence[int]
) -> Iterator[dict[str, Any]]:
    for row in rows:
        query = bench.dataset.queries[outcomes[0].queries[row]]
        (question,) = bench.questions(cells[0], [query])
        relevant = {doc_id for doc_id, relevance in bench.dataset.qrels[query.query_id].items() if relevance > 0}
        explain = _Explained(bench, query, question, relevant, retriever=cells[0].retriever)
        yield {
            "query_id": query.query_id,
            "text": query.text,
            "reference_date": query.reference_date and query.reference_date.isoformat(),
            "subset": query.subset,
            "expression": query.expression,
            "gold_interval": query.interval and str(query.interval),
            "intent": question.intent.to_dict(),
            "relevant": sorted(relevant),
            "measures": {
                cell.ranker: {name: float(values[row]) for name, values in outcome.measures.items()}
                for cell, outcome in zip(cells, outcomes, strict=True)
            },
            "rankings": {
                cell.ranker: explain.ranking(outcome.top[row], outcome.scores[row])
                for cell, outcome in zip(cells, outcomes, strict=True)
            },
        }


class _Explained:
    """A question's documents with the reasons for their places."""

    def __init__(self, bench: Bench, query: Query, question: Question, relevant: set[str], *, retriever: str) -> None:
        part = bench.part(query)
        self._documents = part.pool.documents
        self._row_of = {int(position): row for row, position in enumerate(part.positions)}
        self._intent = question.intent
        self._relevant = relevant
        self._columns = part.pool.columns_for(question.intent, reference_date=question.reference_date)
        semantic = bench.semantic(retriever)
        stripped_text = question.text if semantic.reads_time else part.pool.semantic_query(question.intent)
        stripped, asked = (
            scores[part.positions].astype(np.float64) for scores in semantic.of([stripped_text, question.text])
        )
        self._semantic = normalize(stripped, semantic.normalization)
        self._temporal = temporal_scores(
            question.intent, self._columns, reference_date=question.reference_date, on_topic=on_topic(self._semantic)
        )
        self._rank_before = np.empty(len(asked), dtype=np.intp)
        self._rank_before[part.pool.order(asked, asked)] = np.arange(1, len(asked) + 1)

    def ranking(self, top: Any, scores: Any) -> list[dict[str, Any]]:
        rows = np.array([self._row_of[int(position)] for position in top[:_SHOWN] if position >= 0], dtype=np.intp)
        compared = compared_times(self._intent, self._columns, rows)
        return [
            {
                "rank": rank,
                "doc_id": self._documents[row].doc_id,
                "title": self._documents[row].title,
                "text": " ".join(self._documents[row].text.split())[:_TEXT_LENGTH],
                "time": time.time and str(time.time),
                "relation": time.relation,
                "semantic_score": round(float(self._semantic[row]), 4),
                "temporal_score": round(float(self._temporal[row]), 4),
                "score": round(float(score), 4),
                "rank_before": int(self._rank_before[row]),
                "relevant": self._documents[row].doc_id in self._relevant,
            }
            for rank, (row, time, score) in enumerate(zip(rows, compared, scores[: len(rows)], strict=True), start=1)
        ]
