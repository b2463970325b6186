"""Search in a store: the asked time goes into the index, and the ranking is the one that all documents would give."""

import time
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import replace
from datetime import date

from qtie.defaults import DATED_SHARE
from qtie.errors import ConfigError, StoreError
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.ranking import Ranking
from qtie.reranker import TemporalReranker, tightened
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.hybrid import DENSE_WEIGHT, HybridRetriever
from qtie.retrieval.retriever import reads_time
from qtie.retrieval.search import unmatched
from qtie.retrieval.store.candidates import Topic, find_candidates
from qtie.retrieval.store.predicate import asked_filter
from qtie.retrieval.store.schema import checked_vectors
from qtie.retrieval.store.scored import ScoredCandidates, read_columns, scored_candidates
from qtie.retrieval.store.snapshot import Snapshot
from qtie.retrieval.store.store import Store, errors_of, waited_for

__all__ = ["StoreSearcher"]

_REFRESH_SECONDS = 1.0
_GROWTH, _N_GROWTHS = 2, 6
_TIME_AWARE = ("tscontriever", "tsm")
_RETRIEVERS = ("bm25", "dense", "hybrid", *_TIME_AWARE)


class StoreSearcher:
    """Searches a store by topic and time, as `TemporalSearcher` searches a corpus in memory.

    The asked time, widened by a unit on both sides, is a predicate that an index answers; candidates are the best
    inside it and the best anywhere, by BM25 and, where the store has vectors, by cosine. All are scored as if they were
    the whole store. More are fetched until no other document can rank among the first k: then the ranking is the one
    that scoring every document would give. That holds for the kernel `graded` with product of experts or weighted sum
    and without approximate vector search; elsewhere, or after seven rounds, the best of the candidates are returned.

    A document that was written within the last second may be missing. One searcher serves many threads; asked often, it
    keeps ids, times and vectors in memory, as `Snapshot` says.

    Args:
        store: what to search.
        reranker: how the two scores are joined; with normalization "auto" it takes the one that the scores want.
        retriever: "bm25", "dense" or "hybrid"; by default hybrid where the store has vectors. "tscontriever" and "tsm"
            are dense, with an encoder that reads the query's words about time itself.
        dense_weight: the dense score's share in the hybrid, in [0, 1].
        n_candidates: how many of each kind the first round fetches.

    Raises:
        ConfigError: no such retriever, a weight outside [0, 1], or n_candidates is not positive.
        StoreError: dense or hybrid retrieval from a store without vectors.
    """

    def __init__(
        self,
        store: Store,
        *,
        reranker: TemporalReranker | None = None,
        retriever: str | None = None,
        dense_weight: float = DENSE_WEIGHT,
        n_candidates: int = 150,
    ) -> None:
        retriever = retriever or ("bm25" if store.n_dimensions is None else "hybrid")
        if retriever not in _RETRIEVERS:
            raise ConfigError(f"a store's retriever must be one of {', '.join(_RETRIEVERS)}, not {retriever!r}")
        if retriever != "bm25" and store.n_dimensions is None:
            raise StoreError(f"{store.uri}: has no vectors for {retriever} retrieval; index it with an encoder")
        if not 0 <= dense_weight <= 1:
            raise ConfigError(f"dense_weight must lie in [0, 1], not {dense_weight}")
        if n_candidates < 1:
            raise ConfigError(f"n_candidates must be at least 1, not {n_candidates}")
        self.store = store
        self.reranker = copy(reranker or TemporalReranker())
        if self.reranker.normalization == "auto":
            self.reranker.normalization = (Bm25Retriever if retriever == "bm25" else HybridRetriever).normalization
        self._encoder = None if retriever == "bm25" else store.encoder
        self._whole_query = retriever in _TIME_AWARE or reads_time(self._encoder)
        self._dense_weight = dense_weight if retriever == "hybrid" else 1.0
        self._n_candidates = n_candidates
        self._view = self._snapshot()
        self._looked_at = time.monotonic()

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        reference_date: date | None = None,
        intent: TemporalIntent | None = None,
        interval: TimeInterval | None = None,
    ) -> Ranking:
        """The k best documents with their reasons; each one's rank before is that among the candidates.

        A query that asks for no time gets the order and scores of BM25 or of the mixture; equal scores are ordered by
        doc_id. Where fewer than k documents share a word with the query, the rest are ranked by time alone.

        Args:
            query: as the user asked it.
            k: how many documents to return.
            reference_date: the day of asking, what "last year" counts from.
            intent: the query's, where it is known already.
            interval: days that the caller asks for; what the query says can only tighten it.

        Raises:
            ConfigError: k is not positive.
            StoreError: the store cannot be read.
        """
        if k < 1:
            raise ConfigError(f"k must be at least 1, not {k}")
        intent = intent or self.reranker.extractor.extract(query, reference_date=reference_date)
        intent = intent if interval is None else tightened(intent, interval)
        view = self._current()
        with errors_of(self.store.uri):
            found = self._found(view, intent, k, reference_date)
            best = view.documents(found.candidates.rows[found.order[:k]])
        matches = found.candidates.semantic.any()
        if not intent.is_temporal:
            scores = found.candidates.semantic[found.order[:k]].tolist()
            ranking = self.reranker.rank(query, best, scores=scores, intent=intent)
            return ranking if matches else unmatched(ranking)
        ranking = self.reranker.ranking(
            intent, found.documents, found.candidates.semantic, found.columns,
            normalization=self.reranker.normalization, tie_break=found.id_ranks, reference_date=reference_date, k=k,
            fused=found.scores,
        )  # fmt: skip
        ranked = [replace(place, document=document) for place, document in zip(ranking.ranked, best, strict=True)]
        ranking = replace(ranking, ranked=tuple(ranked), notes=(*found.notes(k), *ranking.notes))
        return ranking if matches else unmatched(ranking)

    def run(
        self,
        queries: Mapping[str, str],
        *,
        k: int = 100,
        reference_dates: Mapping[str, date | None] | None = None,
        intents: Mapping[str, TemporalIntent] | None = None,
    ) -> Iterator[tuple[str, dict[str, float]]]:
        """The scores of the k best documents for each of many queries, best first; `dict(…)` of it is a run.

        Args:
            queries: text by query_id.
            k: how many documents a query gets.
            reference_dates: the day of asking by query_id.
            intents: the queries' intents, where they are known already; a query that is absent is read.

        Raises:
            ConfigError: k is not positive.
            StoreError: the store cannot be read.
        """
        if k < 1:
            raise ConfigError(f"k must be at least 1, not {k}")
        view = self._current()
        for query_id, text in queries.items():
            day = (reference_dates or {}).get(query_id)
            intent = (intents or {}).get(query_id) or self.reranker.extractor.extract(text, reference_date=day)
            with errors_of(self.store.uri):
                found = self._found(view, intent, k, day)
            yield query_id, {found.documents[at].doc_id: float(found.fused[at]) for at in found.order[:k].tolist()}

    def _snapshot(self) -> Snapshot:
        n_dimensions = 0 if self._encoder is None else self.store.n_dimensions or 0
        return Snapshot(self.store.async_snapshot(), n_dimensions=n_dimensions)

    def _current(self) -> Snapshot:
        """The store as it was at most a second ago."""
        if time.monotonic() - self._looked_at > _REFRESH_SECONDS:
            view = self._snapshot()
            if view.version != self._view.version:
                self._view = view
            self._looked_at = time.monotonic()
        return self._view

    def _found(self, view: Snapshot, intent: TemporalIntent, k: int, reference_date: date | None) -> ScoredCandidates:
        """The candidates, fetched until no other document can be among the first k."""
        topic, n = self._topic(view, intent), max(self._n_candidates, k)
        wanted = asked_filter(intent, missing=self.reranker.missing, reference_date=reference_date)
        columns = read_columns(intent, self.reranker, reference_date=reference_date)

        def scored(n: int, *, fill: bool) -> ScoredCandidates:
            candidates = waited_for(find_candidates(view, topic, wanted, n=n, columns=columns, fill=fill))
            return scored_candidates(candidates, intent, self.reranker, wanted=wanted, reference_date=reference_date)

        most, fill = n * _GROWTH**_N_GROWTHS, False
        while not (found := scored(n, fill=fill)).is_settled(k):
            by_words = topic.vector is None
            is_all = by_words and found.candidates.rest_outside <= 0  # no other document shares a word
            if (is_all and (fill or not intent.is_temporal)) or (not is_all and n >= most):
                break
            n = n if is_all else n * _GROWTH
            fill = by_words and intent.is_temporal and found.candidates.rest_inside <= 0
        return found

    def _topic(self, view: Snapshot, intent: TemporalIntent) -> Topic:
        is_topic_alone = not self._whole_query and view.dated_share >= DATED_SHARE
        text = intent.semantic_query if is_topic_alone else intent.query
        if self._encoder is None:
            return Topic(text=text)
        made = self._encoder.encode_queries([text])
        vector = checked_vectors(made, n_texts=1, n_dimensions=self.store.n_dimensions or 0)[0]
        return Topic(text=text, vector=vector, dense_weight=self._dense_weight)
