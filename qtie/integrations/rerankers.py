"""`rerankers`: qtie as one more ranker of that library, on its own or after another one.

Needs `rerankers` alone. The example is `examples/rerankers_chain.py`.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from qtie.errors import DocumentError, require
from qtie.integrations.candidates import ReferenceDate, places
from qtie.reranker import TemporalReranker

require("rerankers", extra="rerankers")

from rerankers import Document
from rerankers.models.ranker import BaseRanker
from rerankers.results import RankedResults, Result

__all__ = ["TemporalRanker"]


class TemporalRanker(BaseRanker):
    """Ranks texts or documents by time, together with the scores of another ranker if one is given.

    Results hold copies of the documents, with the reasons in `metadata["temporal"]`.

    Args:
        first: scores the documents by topic; without it they count as sorted, best first.
        reranker: how topic and time are joined; by default with times read from texts that state none in metadata.
        reference_date: the day of asking, or what gives it, such as `date.today`.

    Example:
        >>> notes = ["Budget of 9 May 2016 passed.", "Budget of 12 May 2019 passed."]
        >>> TemporalRanker().rank("budget in 2019", notes).top_k(1)[0].text
        'Budget of 12 May 2019 passed.'
    """

    def __init__(
        self,
        first: BaseRanker | None = None,
        *,
        reranker: TemporalReranker | None = None,
        reference_date: ReferenceDate = None,
    ) -> None:
        self.first, self.reference_date = first, reference_date
        self.reranker = reranker or TemporalReranker(missing="estimate")

    def rank(
        self,
        query: str,
        docs: str | Document | Sequence[str | Document],
        doc_ids: Sequence[str | int] | None = None,
        metadata: Sequence[dict[str, Any]] | None = None,
    ) -> RankedResults:
        """The documents, best first.

        Args:
            query: as the user asked it.
            docs: texts, or documents of the library.
            doc_ids: one a document; by default its own, else its position from 0.
            metadata: one mapping a document, with its times; by default its own.

        Raises:
            DocumentError: ids or metadata of another length, or a score that is not a finite number.
        """
        documents = _documents(docs, doc_ids, metadata)
        found: list[Any] = self._scored(query, documents) if documents else []
        ranked = places(
            self.reranker, query, [document for document, _ in found],
            record=_record, scores=[score for _, score in found], reference_date=self.reference_date,
        )  # fmt: skip
        results = [
            Result(_copy(place.item, {**place.item.metadata, "temporal": place.temporal}), place.score, rank)
            for rank, place in enumerate(ranked, start=1)
        ]
        return RankedResults(results, query, has_scores=all(result.score is not None for result in results))

    async def rank_async(
        self,
        query: str,
        docs: str | Document | Sequence[str | Document],
        doc_ids: Sequence[str | int] | None = None,
        metadata: Sequence[dict[str, Any]] | None = None,
    ) -> RankedResults:
        """`rank` in a thread."""
        return await asyncio.to_thread(self.rank, query, docs, doc_ids, metadata)

    def score(self, query: str, doc: str) -> float:
        """The score of one text; without a first ranker, how well its time fits, in (0, 1]: 1 if none is asked."""
        result = self.rank(query, doc)[0]
        return float(result.metadata["temporal"]["temporal_score"] if self.first is None else result.score)

    def _scored(self, query: str, documents: list[Document]) -> list[tuple[Document, float | None]]:
        if self.first is None:
            return [(document, None) for document in documents]
        return [(result.document, result.score) for result in self.first.rank(query, documents)]


def _documents(
    docs: str | Document | Sequence[str | Document],
    doc_ids: Sequence[str | int] | None,
    metadata: Sequence[dict[str, Any]] | None,
) -> list[Document]:
    """New documents: neither we nor the first ranker may change the caller's."""
    given = [docs] if isinstance(docs, str | Document) else list(docs)
    for name, values in (("doc_ids", doc_ids), ("metadata", metadata)):
        if values is not None and len(values) != len(given):
            raise DocumentError(f"{len(given)} documents, but {len(values)} {name}")
    documents = []
    for position, doc in enumerate(given):
        document = Document(doc) if isinstance(doc, str) else doc
        copy = _copy(document, {**document.metadata, **(metadata[position] if metadata else {})})
        if doc_ids is not None or copy.doc_id is None:
            copy.doc_id = position if doc_ids is None else doc_ids[position]
        documents.append(copy)
    return documents


def _record(document: Document) -> dict[str, Any]:
    return {"text": document.text or "", "metadata": document.metadata}


def _copy(document: Document, metadata: dict[str, Any]) -> Document:
    return Document(
        document.text, document.doc_id, metadata, document.document_type, document.image_path, document.base64
    )
