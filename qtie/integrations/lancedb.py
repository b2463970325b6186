"""LanceDB: a reranker for vector, full-text and hybrid searches.

Needs `lancedb`. The example is `examples/lancedb_hybrid.py`.
"""

from collections.abc import Mapping
from typing import Any

from qtie.errors import DocumentError, require
from qtie.integrations.candidates import ReferenceDate, places
from qtie.reranker import TemporalReranker as Reranker

require("lancedb", extra="lancedb")

import pyarrow as pa
from lancedb.rerankers import Reranker as LanceReranker
from lancedb.rerankers import RRFReranker

__all__ = ["TemporalReranker"]

_SCORE = "_relevance_score"
_TEXTS, _NUMBER = pa.list_(pa.string()), pa.float64()
_REASONS = pa.struct(
    {
        "intervals": _TEXTS, "cues": _TEXTS, "time": pa.string(), "relation": pa.string(), "semantic_score": _NUMBER,
        "temporal_score": _NUMBER, "rank": pa.int64(), "rank_before": pa.int64(),
    }
)  # fmt: skip


class TemporalReranker(LanceReranker):
    """Re-ranks what a table finds by topic and time; its columns are the documents' metadata.

    Adds `_relevance_score`, and the reasons in `_temporal`. The topic's score is that of the reranker before it;
    without one, reciprocal rank fusion for hybrid searches, BM25 for full-text, and the order for vectors, since
    LanceDB does not say which distance it gives. A reranker sees no more rows than the search's `limit`.

    Args:
        reranker: how topic and time are joined.
        first: another reranker of LanceDB, which runs before.
        column: the column that holds the text.
        reference_date: the day of asking, or what gives it, such as `date.today`.
        k: how many rows to return; None for all.
        return_score: "relevance", or "all" to keep `_score` and `_distance`.

    Example:
        >>> notes = pa.table({"text": ["Budget passed"] * 2, "date": ["2016-05-09", "2019-05-12"]})
        >>> TemporalReranker().rerank_vector("budget in 2019", notes)["date"].to_pylist()
        ['2019-05-12', '2016-05-09']
    """

    def __init__(
        self,
        reranker: Reranker | None = None,
        *,
        first: LanceReranker | None = None,
        column: str = "text",
        reference_date: ReferenceDate = None,
        k: int | None = None,
        return_score: str = "relevance",
    ) -> None:
        super().__init__(return_score)
        self.reranker, self.first, self.column = reranker or Reranker(), first, column
        self.reference_date, self.k = reference_date, k

    def rerank_hybrid(self, query: str, vector_results: pa.Table, fts_results: pa.Table) -> pa.Table:
        """The rows of both searches, best first."""
        if self.first is not None:
            return self._reranked(query, self.first.rerank_hybrid(query, vector_results, fts_results), _SCORE)
        found = RRFReranker(return_score=self.score).rerank_hybrid(query, vector_results, fts_results)
        return self._reranked(query, found, _SCORE, normalization="rrf")

    def rerank_vector(self, query: str, vector_results: pa.Table) -> pa.Table:
        """The rows of a vector search, best first."""
        if self.first is not None:
            return self._reranked(query, self.first.rerank_vector(query, vector_results), _SCORE)
        return self._reranked(query, vector_results, None)

    def rerank_fts(self, query: str, fts_results: pa.Table) -> pa.Table:
        """The rows of a full-text search, best first."""
        if self.first is not None:
            return self._reranked(query, self.first.rerank_fts(query, fts_results), _SCORE)
        return self._reranked(query, fts_results, "_score", normalization="bm25")

    def _reranked(
        self, query: str, found: pa.Table, score: str | None, *, normalization: str | None = None
    ) -> pa.Table:
        """The rows of `found`, best first, by the scores in that column or by their order."""
        if self.column not in found.column_names:
            raise DocumentError(f"no column {self.column!r}; one of {', '.join(found.column_names)}")
        flat = [field.name for field in found.schema if not _is_vector(field.type)]
        rows = list(enumerate(found.select(flat).to_pylist()))
        ranked = places(
            self.reranker, query, rows,
            record=self._record, scores=None if score is None else found[score].to_pylist(),
            normalization=normalization, reference_date=self.reference_date, k=self.k,
        )  # fmt: skip
        scores = [place.temporal["semantic_score"] if place.score is None else place.score for place in ranked]
        best = found.take(pa.array([place.item[0] for place in ranked], pa.int64()))
        best = best.drop_columns([name for name in (_SCORE, "_temporal") if name in best.column_names])
        best = best.append_column(_SCORE, pa.array(scores, pa.float32()))
        best = best.append_column("_temporal", pa.array([place.temporal for place in ranked], _REASONS))
        return self._keep_relevance_score(best)

    def _record(self, numbered: tuple[int, dict[str, Any]]) -> dict[str, Any]:
        _, row = numbered
        nested = row.get("metadata")
        return {"text": row[self.column] or "", "metadata": {**(nested if isinstance(nested, Mapping) else {}), **row}}


def _is_vector(type: pa.DataType) -> bool:
    is_list = pa.types.is_list(type) or pa.types.is_large_list(type) or pa.types.is_fixed_size_list(type)
    return bool(is_list and pa.types.is_floating(type.value_type))
