"""The engine: from a checked request to a ranking; every face of the service asks it."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Protocol

from qtie.errors import QtieError, ServiceError
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.ranking import Ranking
from qtie.reranker import TemporalReranker, tightened
from qtie.service.candidates import candidates
from qtie.service.requests import HowToRank, IntentRequest, RerankRequest, SearchRequest, TextsRequest
from qtie.service.telemetry import span

__all__ = ["Engine", "Searcher", "Source", "sample_source"]

_REMEMBERED = 1024
"""Intents: a page asks the same query again with every move of a slider."""


class Searcher(Protocol):
    """What searches documents: a corpus in memory, or a store."""

    reranker: TemporalReranker

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        reference_date: date | None = None,
        intent: TemporalIntent | None = None,
        interval: TimeInterval | None = None,
    ) -> Ranking:
        """As `TemporalSearcher.search`."""
        ...


@dataclass(frozen=True)
class Source:
    """The documents that /search looks through."""

    kind: str
    """sample, corpus or store."""
    name: str
    n_documents: int
    searcher: Searcher
    examples: tuple[str, ...] = ()
    """Queries to begin with."""
    reference_date: date | None = None
    """The day that the examples are asked on."""


class Engine:
    """Ranks what requests ask for, with what the service was started with where they say nothing.

    Args:
        reranker: as `qtie.toml` and the options describe it.
        source: what is searched.
        today: gives the day of asking, for requests that state none.
    """

    def __init__(self, reranker: TemporalReranker, *, source: Source | None = None, today: Callable[[], date]) -> None:
        self.reranker, self.source, self.today = reranker, source, today
        self._read = lru_cache(maxsize=_REMEMBERED)(self._extract)

    def warm_up(self) -> None:
        """Load what reads queries, so that the first request does not wait for it."""
        self._read("reports in 2019", self.today())

    def intent(self, request: IntentRequest) -> TemporalIntent:
        """What time the query asks for; a ranking's request may bring it along, or leave time out.

        Raises:
            ServiceError: the extractor gives no answer.
        """
        day = request.reference_date or self.today()
        if not isinstance(request, HowToRank):
            return self._read(request.query, day)
        if request.ignore_time:
            return TemporalIntent(query=request.query, reference_date=day)
        intent: TemporalIntent = request.intent or self._read(request.query, day)
        return intent if request.interval is None else tightened(intent, request.interval)

    def rerank(
        self, request: RerankRequest | TextsRequest, *, scores: Sequence[float] | None = None
    ) -> tuple[Ranking, list[str]]:
        """All of the request's documents ranked, their doc_ids being positions, and warnings.

        Args:
            scores: those of an upstream re-ranker.

        Raises:
            ServiceError: a document that cannot be read; names the field.
        """
        found = candidates(request, config=self.reranker.config, scores=scores)
        reranker = _told(self.reranker, request, normalization=request.normalization)
        with span("qtie.rerank", n_documents=len(found.documents)):
            intent = self.intent(request)
            ranking = reranker.rank(
                request.query, found.documents, scores=found.scores, reference_date=intent.reference_date, intent=intent
            )
        return ranking, found.warnings

    def search(self, request: SearchRequest) -> Ranking:
        """The best of the service's own documents.

        Raises:
            ServiceError: it has none, or they cannot be searched so.
        """
        if self.source is None:
            raise ServiceError("the service was started without documents to search", status=404)
        if request.missing == "estimate" and self.source.searcher.reranker.missing != "estimate":
            said = "times are estimated when a corpus is read: start the service with --missing estimate"
            raise ServiceError(said, status=422, path="missing")
        searcher = self.source.searcher
        reranker = _told(searcher.reranker, request)
        if reranker is not searcher.reranker:
            searcher = copy(searcher)
            searcher.reranker = reranker
        with span("qtie.rerank", n_documents=self.source.n_documents):
            intent = self.intent(request)
            return searcher.search(request.query, k=request.k, reference_date=intent.reference_date, intent=intent)

    def _extract(self, query: str, day: date) -> TemporalIntent:
        with span("qtie.intent"):
            try:
                return self.reranker.extractor.extract(query, reference_date=day)
            except QtieError as error:
                raise ServiceError(f"the query cannot be read: {error}", status=502) from error


def _told(reranker: TemporalReranker, request: HowToRank, **more: Any) -> TemporalReranker:
    """The reranker itself, or a copy that does as the request says."""
    said = {name: getattr(request, name) for name in ("temporal_weight", "mode", "missing")} | more
    chosen = {name: value for name, value in said.items() if value is not None}
    if chosen:
        reranker = copy(reranker)
        vars(reranker).update(chosen)
    return reranker


def sample_source(reranker: TemporalReranker) -> Source:
    """The sample corpus that comes with qtie."""
    from qtie.evaluation.datasets import load_sample
    from qtie.retrieval.bm25 import Bm25Retriever
    from qtie.retrieval.search import TemporalSearcher

    sample = load_sample()
    searcher = TemporalSearcher(sample.documents, Bm25Retriever(sample.documents), reranker=reranker)
    days = {query.reference_date for query in sample.queries}
    return Source(
        kind="sample",
        name="sample corpus",
        n_documents=len(sample.documents),
        searcher=searcher,
        examples=tuple(query.text for query in sample.queries[:12]),
        reference_date=max(day for day in days if day is not None),
    )
