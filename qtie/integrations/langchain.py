"""LangChain: a document compressor that re-ranks by time, and a retriever over any vector store.

Needs `langchain-core` alone. The example is `examples/langchain_rag.py`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from qtie.errors import require
from qtie.integrations.candidates import Place, ReferenceDate, places, reference_day
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.reranker import TemporalReranker as Reranker

require("langchain_core", extra="langchain")

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun, Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field

__all__ = ["TemporalReranker", "TemporalRetriever"]

_SCORE = "relevance_score"  # where LangChain's re-rankers leave theirs
_ARBITRARY = ConfigDict(arbitrary_types_allowed=True)
_Found = tuple[Document, float | None]


class TemporalReranker(BaseDocumentCompressor):
    """Re-ranks documents by topic and time; runs last, on the `relevance_score` of a re-ranker before it.

    Documents come back as copies, with the new score in `metadata["relevance_score"]` and the reasons in
    `metadata["temporal"]`. Where they carry no score they count as sorted, best first.

    Example:
        >>> notes = [Document("Budget passed", metadata={"date": day}) for day in ("2016-05-09", "2019-05-12")]
        >>> [note.metadata["date"] for note in TemporalReranker().compress_documents(notes, "budget in 2019")]
        ['2019-05-12', '2016-05-09']
    """

    model_config = _ARBITRARY

    reranker: Reranker = Field(default_factory=Reranker)
    """How topic and time are joined."""
    reference_date: ReferenceDate = None
    """The day of asking, or what gives it, such as `date.today`."""
    k: int | None = None
    """How many documents to return; None for all."""

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Copies of the documents, best first.

        Raises:
            ConfigError: k is not positive.
            DocumentError: a score that is not a finite number.
        """
        scores = [document.metadata.get(_SCORE) for document in documents]
        ranked = places(
            self.reranker, query, documents,
            record=_record, scores=scores, reference_date=self.reference_date, k=self.k,
        )  # fmt: skip
        return [_copy(place) for place in ranked]

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """`compress_documents` in a thread."""
        return await asyncio.to_thread(self.compress_documents, documents, query, callbacks)

    def as_runnable(self) -> Runnable[Mapping[str, Any], list[Document]]:
        """A runnable from `{"query": …, "documents": […]}` to documents, for LangChain's expression language."""

        def rerank(asked: Mapping[str, Any]) -> list[Document]:
            return self.compress_documents(asked["documents"], asked["query"])

        async def rerank_in_thread(asked: Mapping[str, Any]) -> list[Document]:
            return await self.acompress_documents(asked["documents"], asked["query"])

        return RunnableLambda(rerank, afunc=rerank_in_thread, name="TemporalReranker")


class TemporalRetriever(BaseRetriever):
    """Searches a vector store for the query without its words about time, and re-ranks what it finds by both.

    Takes the store's relevance scores, which retrievers drop; of a store that has none, the order counts.
    `invoke` and `ainvoke` take `k`, `reference_date` and `interval` as well, for one query.
    """

    model_config = _ARBITRARY

    vectorstore: VectorStore
    reranker: Reranker = Field(default_factory=Reranker)
    """How topic and time are joined."""
    reference_date: ReferenceDate = None
    """The day of asking, or what gives it, such as `date.today`."""
    k: int = 4
    """How many documents to return."""
    fetch_k: int = 50
    """How many the store is asked for: what it does not find, no re-ranking brings back."""
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Passed to the store's search, such as its own filter."""

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        reference_date: date | None = None,
        interval: TimeInterval | None = None,
    ) -> list[Document]:
        k = self.k if k is None else k
        intent, asked = self._intent(query, reference_date), self._asked(k)
        found: Sequence[_Found]
        try:
            found = self.vectorstore.similarity_search_with_relevance_scores(intent.semantic_query or query, **asked)
        except NotImplementedError:
            unscored = self.vectorstore.similarity_search(intent.semantic_query or query, **asked)
            found = [(document, None) for document in unscored]
        return self._reranked(found, intent, k, interval)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        reference_date: date | None = None,
        interval: TimeInterval | None = None,
    ) -> list[Document]:
        k = self.k if k is None else k
        intent, asked = await asyncio.to_thread(self._intent, query, reference_date), self._asked(k)
        found: Sequence[_Found]
        try:
            found = await self.vectorstore.asimilarity_search_with_relevance_scores(
                intent.semantic_query or query, **asked
            )
        except NotImplementedError:
            unscored = await self.vectorstore.asimilarity_search(intent.semantic_query or query, **asked)
            found = [(document, None) for document in unscored]
        return await asyncio.to_thread(self._reranked, found, intent, k, interval)

    def _intent(self, query: str, reference_date: date | None) -> TemporalIntent:
        day = reference_date or reference_day(self.reference_date)
        return self.reranker.extractor.extract(query, reference_date=day)

    def _asked(self, k: int) -> dict[str, Any]:
        return {**self.search_kwargs, "k": max(k, self.fetch_k)}

    def _reranked(
        self, found: Sequence[_Found], intent: TemporalIntent, k: int, interval: TimeInterval | None
    ) -> list[Document]:
        ranked = places(
            self.reranker, intent.query, [document for document, _ in found],
            record=_record, scores=[score for _, score in found], normalization="cosine",
            intent=intent, interval=interval, k=k,
        )  # fmt: skip
        return [_copy(place) for place in ranked]


def _record(document: Document) -> dict[str, Any]:
    return {"text": document.page_content, "metadata": document.metadata}


def _copy(place: Place[Document]) -> Document:
    """The document with its new score and the reasons; only the copy's metadata has them."""
    score = {} if place.score is None else {_SCORE: place.score}
    return place.item.model_copy(update={"metadata": {**place.item.metadata, **score, "temporal": place.temporal}})
