"""Measures of many rankings at once, as arrays; equal to those of ir_measures."""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qtie.errors import EvaluationError
from qtie.evaluation.trec import Qrels

__all__ = ["MEASURES", "Judgements"]

Floats = NDArray[np.float64]

MEASURES = ("P@1", "P@5", "R@1", "R@5", "nDCG@1", "nDCG@5", "nDCG@10", "RR")
"""What every cell measures."""


class Judgements:
    """The relevance of documents to queries, both by position.

    Args:
        qrels: by query_id and doc_id.
        query_ids: the queries, in the order of the rankings' rows.
        doc_ids: the corpus; rankings hold positions in it.

    Example:
        >>> judged = Judgements({"q": {"a": 1, "b": 0}}, ["q"], ["a", "b"])
        >>> {name: values.tolist() for name, values in judged.measures(np.array([[1, 0]]), ["P@1", "RR"]).items()}
        {'P@1': [0.0], 'RR': [0.5]}
    """

    def __init__(self, qrels: Qrels, query_ids: Sequence[str], doc_ids: Sequence[str]) -> None:
        positions = {doc_id: position for position, doc_id in enumerate(doc_ids)}
        self._n_docs = len(doc_ids)
        pairs = [
            (row * self._n_docs + positions[doc_id], relevance)
            for row, query_id in enumerate(query_ids)
            for doc_id, relevance in qrels.get(query_id, {}).items()
            if relevance > 0
        ]
        pairs.sort()
        self._keys = np.array([key for key, _ in pairs], dtype=np.int64)
        self._relevances = np.array([relevance for _, relevance in pairs], dtype=np.float64)
        self.n_relevant = np.bincount(self._keys // max(1, self._n_docs), minlength=len(query_ids))
        self._ideal = self._ideal_gains(len(query_ids))

    def gains(self, top: NDArray[np.integer]) -> Floats:
        """The relevance of ranked documents, 0 where not judged.

        Args:
            top: shape (n_queries, depth): positions of documents, -1 where nothing is ranked.

        Returns:
            Shape (n_queries, depth).
        """
        keys = np.arange(len(top))[:, None] * self._n_docs + top
        if not len(self._keys):
            return np.zeros(top.shape)
        found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where((self._keys[found] == keys) & (top >= 0), self._relevances[found], 0.0)

    def measures(self, top: NDArray[np.integer], names: Sequence[str] = MEASURES) -> dict[str, Floats]:
        """Each measure of each ranking; a query without relevant documents counts 0.

        Args:
            top: shape (n_queries, depth): positions of documents, best first; -1 where nothing is ranked.
            names: `P@k`, `R@k`, `nDCG@k`, or `RR`, which looks at all of `top`.

        Returns:
            By name, shape (n_queries,), in [0, 1].

        Raises:
            EvaluationError: another name.
        """
        gains = self.gains(top)
        found = {}
        for name in names:
            match = _NAME.fullmatch(name)
            if match is None:
                raise EvaluationError(f"unknown measure {name!r}; P@k, R@k, nDCG@k or RR")
            kind, cutoff = match[1] or "RR", match[2] or top.shape[1]
            found[name] = _FORMULAS[kind](self, gains, int(cutoff))
        return found

    def _ideal_gains(self, n_queries: int) -> Floats:
        """Shape (n_queries, most relevant documents of a query): each query's gains, highest first."""
        ideal = np.zeros((n_queries, max(1, int(self.n_relevant.max(initial=0)))))
        rows = self._keys // max(1, self._n_docs)
        order = np.lexsort((-self._relevances, rows))
        places = np.arange(len(rows)) - np.searchsorted(rows, rows)
        ideal[rows, places] = self._relevances[order]
        return ideal

    def _precision(self, gains: Floats, k: int) -> Floats:
        precision: Floats = (gains[:, :k] > 0).sum(axis=1) / k
        return precision

    def _recall(self, gains: Floats, k: int) -> Floats:
        recall: Floats = (gains[:, :k] > 0).sum(axis=1) / np.maximum(self.n_relevant, 1)
        return recall

    def _ndcg(self, gains: Floats, k: int) -> Floats:
        ideal = _dcg(self._ideal[:, :k])
        ndcg: Floats = np.divide(_dcg(gains[:, :k]), ideal, out=np.zeros(len(gains)), where=ideal > 0)
        return ndcg

    def _reciprocal_rank(self, gains: Floats, k: int) -> Floats:
        relevant = gains[:, :k] > 0
        return np.where(relevant.any(axis=1), 1 / (1 + relevant.argmax(axis=1)), 0.0)


def _dcg(gains: Floats) -> Floats:
    r"""Σ gain / log₂(rank + 1), of each row; Järvelin & Kekäläinen (2002), as trec_eval computes it."""
    discounted: Floats = gains @ (1 / np.log2(np.arange(2, gains.shape[1] + 2)))
    return discounted


_NAME = re.compile(r"RR|(P|R|nDCG)@([1-9]\d{0,8})")
_FORMULAS: Mapping[str, Callable[[Judgements, Floats, int], Floats]] = {
    "P": Judgements._precision,
    "R": Judgements._recall,
    "nDCG": Judgements._ndcg,
    "RR": Judgements._reciprocal_rank,
}
