"""The documents of a store that may rank high: the best by words and by meaning, inside the asked time and anywhere."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qtie.errors import require
from qtie.retrieval.retriever import Scores

__all__ = ["Candidates", "Topic", "as_matrix", "find_candidates", "take_rows"]

Rows = NDArray[np.int64]
_N_PROBES = 64
"""Of the vector index's parts, of about 4,000 vectors each, those that are looked into: all of some 250,000 vectors."""
_N_LEAST = 20
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


async def find_candidates(
    table: Any, topic: Topic, where: str | None, *, n: int, columns: Sequence[str], fill: bool
) -> Candidates:
    r"""The n best rows by words and the n best by vectors, both inside the asked time and anywhere.

    Words and vectors are mixed as `qtie.retrieval.hybrid.HybridRetriever` does, with b BM25 and c the cosine:

    .. math:: S = (1 - w) \frac{b}{\max b} + w \frac{c - \min c}{\max c - \min c}

    The best anywhere are needed even where the asked time holds enough: they are the scale of the scores, and a
    document beside the time may beat a poor one inside it. The least similar ones are the other end of that scale.

    Args:
        table: a snapshot of the store (`lancedb.AsyncTable`), where the searches run beside each other.
        topic: what is searched for.
        where: the asked time as a predicate; None for any.
        n: how many of each kind.
        columns: what to read of each.
        fill: whether to add n rows inside the asked time and n others, that share no word with the query.
    """
    kinds = ["words"] if topic.vector is None else ["words", "vector"] if topic.dense_weight < 1 else ["vector"]
    conditions = list(dict.fromkeys((where, None)))
    lists, others = await asyncio.gather(
        asyncio.gather(*(_found(_SEARCHES[kind], table, topic, conditions, n) for kind in kinds)),
        asyncio.gather(*_others(table, topic, conditions, n if fill else 0)),
    )
    found = dict(zip(kinds, lists, strict=True))
    rows = np.unique(np.concatenate([*(best.rows for pair in lists for best in pair), *others]))
    taken, words, n_documents = await asyncio.gather(
        take_rows(table, rows, columns if topic.vector is None else [*columns, "vector"]),
        _all_words(table, topic, rows, found.get("words")),
        table.count_rows(),
    )
    semantic, rests = _semantic(topic, found, rows=rows, words=words, taken=taken)
    return Candidates(
        rows=rows,
        semantic=semantic,
        columns=taken,
        rest_inside=rests[0],
        rest_outside=rests[1],
        n_inside=len(np.unique(np.concatenate([pair.inside.rows for pair in lists]))),
        n_documents=n_documents,
    )


async def take_rows(table: Any, rows: Rows, columns: Sequence[str]) -> Any:
    """Those columns of those rows (`pyarrow.Table`), in their order."""
    return await table.take_row_ids(rows.tolist()).select(list(columns)).to_arrow()


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


def _semantic(
    topic: Topic, found: Mapping[str, _Found], *, rows: Rows, words: Scores, taken: Any
) -> tuple[Scores, tuple[float, ...]]:
    """The rows' scores, and what no other row exceeds, inside the asked time and outside."""
    if topic.vector is None:
        return words, found["words"].rests
    cosines = np.clip(as_matrix(taken["vector"]) @ topic.vector, -1.0, 1.0).astype(np.float64)
    margin = max(_largest_error(best, rows, cosines) for best in found["vector"])
    dense_rests = tuple(rest + margin for rest in found["vector"].rests)
    if "words" not in found:
        return cosines, dense_rests
    w, top = topic.dense_weight, max(float(words.max(initial=0.0)), 1e-9)
    lowest, highest = cosines.min(initial=1.0), cosines.max(initial=-1.0)

    def mixed(words: Any, cosines: Any) -> Any:
        scaled = np.clip((cosines - lowest) / max(highest - lowest, 1e-9), 0.0, 1.0)
        return w * scaled + (1 - w) * words / top

    rests = zip(found["words"].rests, dense_rests, strict=True)
    return mixed(words, cosines), tuple(float(mixed(*rest)) for rest in rests)


def _largest_error(best: _Best, rows: Rows, cosines: Scores) -> float:
    """How far the index's estimates are from the cosines: so far may a row that it left out lie above the rest."""
    return float(np.abs(cosines[np.searchsorted(rows, best.rows)] - best.scores).max(initial=0.0))


async def _all_words(table: Any, topic: Topic, rows: Rows, found: _Found | None) -> Scores:
    """BM25 of all the rows, also of those that only their vectors found."""
    scores = np.full(len(rows), np.nan if found else 0.0)
    for best in found or ():
        scores[np.searchsorted(rows, best.rows)] = best.scores
    unknown = rows[np.isnan(scores)]
    scores[np.isnan(scores)] = 0.0
    if found and found.anywhere.rest > 0 and len(unknown):
        best = await _by_words(table, topic, f"_rowid IN ({', '.join(map(str, unknown.tolist()))})", len(unknown))
        scores[np.searchsorted(rows, best.rows)] = best.scores
    return scores


async def _found(search: Any, table: Any, topic: Topic, conditions: Sequence[str | None], n: int) -> _Found:
    best = await asyncio.gather(*(search(table, topic, condition, n) for condition in conditions))
    return _Found(best[0], best[-1])


def _others(table: Any, topic: Topic, conditions: Sequence[str | None], n: int) -> Iterator[Coroutine[Any, Any, Rows]]:
    """The least similar rows, and n of each condition that share no word with the query."""
    if topic.vector is not None:
        yield _least_similar(table, topic.vector)
    if n:
        yield from (_any_rows(table, condition, n) for condition in conditions)


async def _by_words(table: Any, topic: Topic, where: str | None, n: int) -> _Best:
    match = require("lancedb.query", extra="store").MatchQuery(topic.text, "content")
    found = await _rows(table.query().nearest_to_text(match).select(["_rowid", "_score"]), where, n)
    return _best(found["_rowid"], found["_score"].to_numpy(), n=n, lowest=0.0)


async def _by_vector(table: Any, topic: Topic, where: str | None, n: int) -> _Best:
    found = await _nearest(table, topic.vector, where, n)
    return _best(found["_rowid"], 1.0 - found["_distance"].to_numpy(), n=n, lowest=-1.0)


async def _least_similar(table: Any, vector: NDArray[np.float32]) -> Rows:
    return _row_ids(await _nearest(table, -vector, None, _N_LEAST))


async def _any_rows(table: Any, where: str | None, n: int) -> Rows:
    return _row_ids(await _rows(table.query().select(["_rowid"]), where, n))


async def _nearest(table: Any, vector: Any, where: str | None, n: int) -> Any:
    search = table.query().nearest_to(vector).column("vector").distance_type("dot").nprobes(_N_PROBES)
    return await _rows(search.select(["_rowid", "_distance"]), where, n)


async def _rows(search: Any, where: str | None, n: int) -> Any:
    return await (search.where(where) if where else search).limit(n).to_arrow()


def _best(rows: Any, scores: Any, *, n: int, lowest: float) -> _Best:
    rest = float(scores[-1]) if len(scores) >= n else lowest
    return _Best(rows.to_numpy().astype(np.int64), scores.astype(np.float64), rest)


def _row_ids(found: Any) -> Rows:
    return np.asarray(found["_rowid"].to_numpy(), dtype=np.int64)


_SEARCHES = {"words": _by_words, "vector": _by_vector}


def as_matrix(column: Any) -> NDArray[np.float32]:
    """A column of vectors as an array, shape (n, n_dimensions)."""
    chunks = column.combine_chunks()
    matrix: NDArray[np.float32] = chunks.flatten().to_numpy().reshape(len(column), column.type.list_size)
    return matrix
