"""The documents of a store that may rank high: the best by words and by meaning, inside the asked time and anywhere."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qtie.errors import require
from qtie.retrieval.retriever import Scores

__all__ = ["Candidates", "Topic", "as_matrix", "find_candidates", "take_rows"]

Rows = NDArray[np.int64]
_N_LEAST = 50
"""Enough for one of them to share no word with the query: it has the lowest score of all."""


@dataclass(frozen=True, kw_only=True)
class Topic:
    """What is searched for, apart from time."""

    text: str
    vector: NDArray[np.float32] | None = None
    """Of length 1, shape (n_dimensions,); None searches by words alone."""
    dense_weight: float = 0.0
    """In [0, 1]: the share of the vectors; 1 leaves the words out."""


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Rows with their semantic scores, and what is known of all the others."""

    rows: Rows
    """Shape (n,): LanceDB's row ids, ascending."""
    semantic: Scores
    """Shape (n,): BM25, the cosine, or both mixed, in [0, 1]."""
    columns: Any
    """What was asked for of each row (`pyarrow.Table`), in the same order."""
    rest_inside: float
    """What the semantic score of no other row inside the asked time exceeds."""
    rest_outside: float
    """What that of no other row exceeds."""
    n_inside: int
    """How many were found inside the asked time."""
    n_documents: int
    """How many the store has."""


def find_candidates(
    table: Any, topic: Topic, where: str | None, *, n: int, columns: Sequence[str], executor: Executor, fill: bool
) -> Candidates:
    r"""The n best rows by words and the n best by vectors, both inside the asked time and anywhere.

    Words and vectors are mixed as `qtie.retrieval.hybrid.HybridRetriever` does, with b BM25 and c the cosine:

    .. math:: S = (1 - w) \frac{b}{\max b} + w \frac{c - \min c}{\max c - \min c}

    The best anywhere are needed even where the asked time holds enough: they are the scale of the scores, and a
    document beside the time may beat a poor one inside it. The least similar ones are the other end of that scale.

    Args:
        table: a snapshot of the store.
        topic: what is searched for.
        where: the asked time as a predicate; None for any.
        n: how many of each kind.
        columns: what to read of each.
        executor: runs the searches beside each other.
        fill: whether to add n rows inside the asked time and n others, that share no word with the query.
    """
    kinds = ["words"] if topic.vector is None else ["words", "vector"] if topic.dense_weight < 1 else ["vector"]
    anywhere = {kind: executor.submit(_SEARCHES[kind], table, topic, None, n) for kind in kinds}
    inside = {kind: executor.submit(_SEARCHES[kind], table, topic, where, n) for kind in kinds} if where else anywhere
    least = None if topic.vector is None else executor.submit(_least_similar, table, topic.vector)
    found = {kind: _Found(inside[kind].result(), anywhere[kind].result()) for kind in kinds}
    others = [_any_rows(table, condition, n) for condition in dict.fromkeys((where, None))] if fill else []
    others += [least.result()] if least else []
    rows = np.unique(np.concatenate([*(best.rows for pair in found.values() for best in pair), *others]))
    n_inside = len(np.unique(np.concatenate([pair.inside.rows for pair in found.values()])))
    if topic.vector is None:
        taken = take_rows(table, rows, columns)
        semantic, rests = found["words"].scores_of(rows), found["words"].rests
    else:
        taken = take_rows(table, rows, [*columns, "vector"])
        cosines = as_matrix(taken["vector"]) @ topic.vector
        semantic, rests = _mixed(table, topic, rows, found, cosines)
    return Candidates(
        rows=rows,
        semantic=semantic,
        columns=taken,
        rest_inside=rests[0],
        rest_outside=rests[1],
        n_inside=n_inside,
        n_documents=table.count_rows(),
    )


def take_rows(table: Any, rows: Rows, columns: Sequence[str]) -> Any:
    """Those columns of those rows (`pyarrow.Table`), in their order."""
    return table.take_row_ids(rows.tolist()).select(list(columns)).to_arrow()


class _Best(NamedTuple):
    """The best rows by one score, higher is better."""

    rows: Rows
    scores: Scores
    rest: float
    """What no other row exceeds."""


class _Found(NamedTuple):
    """The best rows inside the asked time, and anywhere."""

    inside: _Best
    anywhere: _Best

    @property
    def rests(self) -> tuple[float, float]:
        """What no other row exceeds, inside the asked time and outside of it."""
        return min(self.inside.rest, self.anywhere.rest), self.anywhere.rest

    def scores_of(self, rows: Rows, default: float = 0.0) -> Scores:
        """The scores of ascending `rows`, the default for those that are in neither list."""
        scores = np.full(len(rows), default)
        for best in self:
            scores[np.searchsorted(rows, best.rows)] = best.scores
        return scores


def _mixed(
    table: Any, topic: Topic, rows: Rows, found: dict[str, _Found], cosines: NDArray[np.float32]
) -> tuple[Scores, tuple[float, float]]:
    """The rows' mixed scores, and what no other row exceeds, inside the asked time and outside."""
    w, dense = topic.dense_weight, found["vector"]
    if "words" not in found:
        return np.clip(cosines, -1, 1).astype(np.float64), dense.rests
    lowest, highest = float(cosines.min(initial=1.0)), float(cosines.max(initial=-1.0))

    def scaled(values: Any) -> Any:
        return np.clip((values - lowest) / max(highest - lowest, 1e-9), 0.0, 1.0)

    words = found["words"]
    top = max(float(words.anywhere.scores.max(initial=0.0)), 1e-9)
    semantic = w * scaled(cosines).astype(np.float64) + (1 - w) * _all_words(table, topic, rows, words) / top
    inside, outside = (
        w * float(scaled(rest)) + (1 - w) * more / top for rest, more in zip(dense.rests, words.rests, strict=True)
    )
    return semantic, (inside, outside)


def _all_words(table: Any, topic: Topic, rows: Rows, words: _Found) -> Scores:
    """BM25 of all the rows, also of those that only their vectors found."""
    scores = words.scores_of(rows, default=np.nan)
    unknown = rows[np.isnan(scores)]
    scores[np.isnan(scores)] = 0.0
    if len(unknown) and words.anywhere.rest > 0:
        best = _by_words(table, topic, f"_rowid IN ({', '.join(map(str, unknown.tolist()))})", len(unknown))
        scores[np.searchsorted(rows, best.rows)] = best.scores
    return scores


def _by_words(table: Any, topic: Topic, where: str | None, n: int) -> _Best:
    match = require("lancedb.query", extra="store").MatchQuery(topic.text, "content")
    found = _found(table.search(match, query_type="fts").select(["_rowid", "_score"]), where, n)
    return _best(found["_rowid"], found["_score"].to_numpy(), n=n, lowest=0.0)


def _by_vector(table: Any, topic: Topic, where: str | None, n: int) -> _Best:
    found = _nearest(table, topic.vector, where, n)
    return _best(found["_rowid"], 1.0 - found["_distance"].to_numpy(), n=n, lowest=-1.0)


def _least_similar(table: Any, vector: NDArray[np.float32]) -> Rows:
    return np.asarray(_nearest(table, -vector, None, _N_LEAST)["_rowid"].to_numpy(), dtype=np.int64)


def _nearest(table: Any, vector: Any, where: str | None, n: int) -> Any:
    search = table.search(vector, vector_column_name="vector").distance_type("dot")
    return _found(search.select(["_rowid", "_distance"]), where, n)


def _best(rows: Any, scores: Any, *, n: int, lowest: float) -> _Best:
    rest = float(scores[-1]) if len(scores) >= n else lowest
    return _Best(rows.to_numpy().astype(np.int64), scores.astype(np.float64), rest)


_SEARCHES = {"words": _by_words, "vector": _by_vector}


def _any_rows(table: Any, where: str | None, n: int) -> Rows:
    found = _found(table.search().select(["_rowid"]), where, n)
    return np.asarray(found["_rowid"].to_numpy(), dtype=np.int64)


def _found(search: Any, where: str | None, n: int) -> Any:
    return (search.where(where) if where else search).limit(n).to_arrow()


def as_matrix(column: Any) -> NDArray[np.float32]:
    """A column of vectors as an array, shape (n, n_dimensions)."""
    chunks = column.combine_chunks()
    matrix: NDArray[np.float32] = chunks.flatten().to_numpy().reshape(len(column), column.type.list_size)
    return matrix
