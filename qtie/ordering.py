"""How documents are ordered by scores: the best first, equal ones by semantic score, then by doc_id.

Of a large corpus the few best are wanted, so that nothing more is sorted than them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qtie.document import Document

__all__ = ["best_first", "id_ranks", "places"]

Scores = NDArray[np.float64]
_GROUP = 32


def id_ranks(documents: Sequence[Document]) -> NDArray[np.intp]:
    """Shape (n_docs,): each document's place by doc_id, which orders equal scores.

    Example:
        >>> id_ranks([Document(doc_id=name, text="") for name in ("b", "a", "c")])
        array([1, 0, 2])
    """
    by_id = sorted(range(len(documents)), key=lambda index: documents[index].doc_id)
    ranks = np.empty(len(documents), dtype=np.intp)
    ranks[by_id] = np.arange(len(documents))
    return ranks


def best_first(
    scores: Scores, semantic: Scores, tie_break: NDArray[np.intp], *, k: int | None = None
) -> NDArray[np.intp]:
    """Shape (≤ k,): the indices of the k best documents, best first; those that score -inf are not ranked at all.

    Args:
        scores: shape (n_docs,), higher is better.
        semantic: shape (n_docs,), as the retriever gave them; orders equal scores.
        tie_break: shape (n_docs,), orders what is equal in both, lower first.
        k: how many at most; by default all.

    Example:
        >>> best_first(np.array([1.0, 1.0, 2.0, -np.inf]), np.zeros(4), np.array([1, 0, 2, 3]), k=2)
        array([2, 1])
    """
    near = np.flatnonzero((scores >= _exceeded(scores, k)) & (scores > -np.inf))
    return near[np.lexsort((tie_break[near], -semantic[near], -scores[near]))][:k]


def _exceeded(scores: Scores, k: int | None) -> float:
    """What at least k scores reach, and few others: the k-th highest of the maxima of groups.

    In one pass, while `np.partition` is slow where many scores are equal, as those of BM25 are.
    """
    n_groups = len(scores) // _GROUP
    if k is None or k > n_groups:
        return -np.inf
    maxima = scores[: n_groups * _GROUP].reshape(_GROUP, n_groups).max(axis=0)
    return float(np.sort(maxima)[-k])


def places(chosen: NDArray[np.intp], scores: Scores, tie_break: NDArray[np.intp]) -> NDArray[np.intp]:
    """Shape (n_chosen,): from 1, where the chosen documents stand among all by their scores, equal ones by `tie_break`.

    Args:
        chosen: their indices.
        scores: shape (n_docs,), higher is better.
        tie_break: shape (n_docs,), lower first.

    Example:
        >>> places(np.array([0, 2]), np.array([0.5, 0.9, 0.5]), np.array([1, 0, 2]))
        array([2, 3])
    """
    if len(chosen) ** 2 > len(scores):
        place = np.empty(len(scores), dtype=np.intp)
        place[np.lexsort((tie_break, -scores))] = np.arange(1, len(scores) + 1)
        return place[chosen]
    n_before = [
        np.count_nonzero(scores > scores[at]) + np.count_nonzero(tie_break[scores == scores[at]] < tie_break[at])
        for at in chosen
    ]
    return np.array(n_before, dtype=np.intp) + 1
