"""The documents of a store that may rank high: the best by words and by meaning, inside the asked time and anywhere."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qtie.errors import require
from qtie.retrieval.filters.time_filter import TimeFilter
from qtie.retrieval.retriever import Scores
from qtie.retrieval.store.predicate import predicate
from qtie.retrieval.store.schema import as_matrix
from qtie.retrieval.store.snapshot import Inside, Rows, Snapshot

__all__ = ["Candidates", "Topic", "find_candidates"]

_N_PROBES = 64
"""Of the vector index's parts, of about 4,000 vectors each, those that are looked into: all of some 250,000 vectors."""
_WORDS_DEPTH, _VECTORS_DEPTH = 30, 10
"""Up to so many times the rows that are asked for, a search anywhere costs less than another one inside the time."""
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
    snapshot: Snapshot, topic: Topic, wanted: TimeFilter | None, *, n: int, columns: Sequence[str], fill: bool
) -> Candidates:
    r"""The n best rows by words and the n best by vectors, both inside the asked time and anywhere.

    Words and vectors are mixed as `qtie.retrieval.hybrid.HybridRetriever` does, with b BM25 and c the cosine:

    .. math:: S = (1 - w) \frac{b}{\max b} + w \frac{c - \min c}{\max c - \min c}

    The best anywhere are needed even where the asked time holds enough: they are the scale of the scores, and a
    document beside the time may beat a poor one inside it. The least similar ones are the other end of that scale.

    Args:
        snapshot: what is searched; the searches run beside each other.
        topic: what is searched for.
        wanted: the asked time; None for any.
        n: how many of each kind.
        columns: what to read of each.
        fill: whether to add n rows inside the asked time and n others, that share no word with the query.
    """
    asked = _Asked(snapshot.table, topic, predicate(wanted), snapshot.inside(wanted))
    searches = {}
    if topic.vector is None or topic.dense_weight < 1:
        # A deep search also tells BM25 of most rows that only their vectors find.
        depth = asked.depth(n, _WORDS_DEPTH) if topic.vector is None else _WORDS_DEPTH * n
        searches["words"] = _found(_by_words, asked, n, depth=depth)
    if topic.vector is not None:
        searches["vector"] = _found(_by_vector, asked, n, depth=asked.depth(n, _VECTORS_DEPTH))
    lists, others = await asyncio.gather(
        asyncio.gather(*searches.values()), asyncio.gather(*_others(asked, n if fill else 0))
    )
    found = dict(zip(searches, lists, strict=True))
    rows = np.unique(np.concatenate([*(best.rows for pair in lists for best in pair.shown), *others]))
    taken, words = await asyncio.gather(
        snapshot.take(rows, columns if topic.vector is None else [*columns, "vector"]),
        _all_words(asked, rows, found.get("words")),
    )
    semantic, rests = _semantic(topic, found, rows=rows, words=words, taken=taken)
    return Candidates(
        rows=rows,
        semantic=semantic,
        columns=taken,
        rest_inside=rests[0],
        rest_outside=rests[1],
        n_inside=len(np.unique(np.concatenate([pair.inside.rows for pair in lists]))),
        n_documents=snapshot.n_documents,
    )


class _Asked(NamedTuple):
    """Topic and time, and the table that is asked for them."""

    table: Any
    topic: Topic
    where: str | None
    """The asked time as a predicate; None for any."""
    inside: Inside | None
    """The rows inside it, where they are known in memory."""

    @property
    def share(self) -> float:
        """Of all rows, those that are known to be inside the asked time."""
        return 1.0 if self.where is None else 0.0 if self.inside is None else self.inside.share

    def depth(self, n: int, most: int) -> int:
        """How many rows anywhere hold n inside, on average; n where they would be more than `most` times as many."""
        return int(n / self.share) + 1 if self.share * most >= 1 else n


class _Best(NamedTuple):
    """The best rows by one score, higher is better, best first."""

    rows: Rows
    scores: Scores
    rest: float
    """What no other row exceeds."""

    def first(self, n: int, inside: Inside | None = None) -> "_Best":
        """The n best of them, or of those inside."""
        chosen = slice(None) if inside is None else inside.holds(self.rows)
        rows, scores = self.rows[chosen][:n], self.scores[chosen][:n]
        return _Best(rows, scores, float(scores[-1]) if len(rows) == n else self.rest)


class _Found(NamedTuple):
    """The best rows inside the asked time and anywhere, and all that the search anywhere brought."""

    inside: _Best
    anywhere: _Best
    deep: _Best

    @property
    def shown(self) -> tuple[_Best, _Best]:
        """Those that are candidates."""
        return self.inside, self.anywhere

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
    # Row by row: how a matrix product rounds a row depends on the rows beside it.
    cosines = np.clip(np.einsum("ij,j->i", as_matrix(taken["vector"]), topic.vector), -1.0, 1.0).astype(np.float64)
    margin = max(_largest_error(best, rows, cosines) for best in found["vector"].shown)
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


async def _all_words(asked: _Asked, rows: Rows, found: _Found | None) -> Scores:
    """BM25 of all the rows, also of those that only their vectors found."""
    if found is None:
        return np.zeros(len(rows))
    known = {**_by_row(found.deep), **_by_row(found.inside)}
    unknown = [row for row in rows.tolist() if row not in known]
    if unknown and found.deep.rest > 0:
        where = f"_rowid IN ({', '.join(map(str, unknown))})"
        known |= _by_row(await _by_words(asked.table, asked.topic, where, len(unknown)))
    return np.array([known.get(row, 0.0) for row in rows.tolist()])


def _by_row(best: _Best) -> dict[int, float]:
    return dict(zip(best.rows.tolist(), best.scores.tolist(), strict=True))


async def _found(search: Any, asked: _Asked, n: int, *, depth: int) -> _Found:
    """Found by one search, if it is known to bring enough that is inside the asked time, else by two."""
    deep = await search(asked.table, asked.topic, None, depth)
    inside = deep.first(n, asked.inside)
    is_known = asked.where is None or asked.inside is not None
    is_all = len(deep.rows) < depth
    if not (is_known and (is_all or len(inside.rows) > n / 2)):
        inside = await search(asked.table, asked.topic, asked.where, n)
    return _Found(inside, deep.first(n), deep)


def _others(asked: _Asked, n: int) -> Iterator[Coroutine[Any, Any, Rows]]:
    """The least similar rows, and n inside the asked time and n anywhere that share no word with the query."""
    table = asked.table
    if asked.topic.vector is not None:
        yield _least_similar(table, asked.topic.vector)
    if n:
        yield from (_any_rows(table, where, n) for where in dict.fromkeys((asked.where, None)))


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
