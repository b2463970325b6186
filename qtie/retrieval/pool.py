"""Documents that are scored together, and how scores order them."""

from collections.abc import Sequence
from datetime import date
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qtie.defaults import DATED_SHARE
from qtie.document import Document
from qtie.intent import IntentOptions, TemporalIntent
from qtie.ordering import best_first, id_ranks
from qtie.retrieval.retriever import Scores
from qtie.text_times import asked_facets, with_text_facets
from qtie.time_columns import TimeColumns

__all__ = ["Pool"]

_DEFAULT = IntentOptions()


class Pool:
    """Documents that are scored together, with their times as columns; made once for a corpus.

    Args:
        documents: n of them; all arrays of scores are in their order.
        whole_query: whether the retriever is asked the query with its words about time in any case.

    Example:
        >>> pool = Pool([Document(doc_id=name, text="") for name in ("b", "a", "c")])
        >>> pool.order(np.array([1.0, 1.0, 2.0]), np.array([0.5, 0.5, 0.1]))
        array([2, 1, 0])
    """

    def __init__(self, documents: Sequence[Document], *, whole_query: bool = False) -> None:
        self.documents = tuple(documents)
        self._whole_query = whole_query
        self.id_ranks = id_ranks(self.documents)
        self._columns: dict[tuple[frozenset[str], IntentOptions], TimeColumns] = {}

    @property
    def columns(self) -> TimeColumns:
        """The times that the documents have by themselves."""
        return self._columns_with(frozenset(), _DEFAULT)

    @cached_property
    def dated_share(self) -> float:
        """The share of documents that have a time, in [0, 1]."""
        return sum(bool(document.times) for document in self.documents) / max(1, len(self.documents))

    def semantic_query(self, intent: TemporalIntent) -> str:
        """The text that retrievers are asked: the query without its words about time, or all of it.

        Where documents have times, those decide, and the words would only match by chance. Where many have none, the
        years in their texts are what dates them.
        """
        if self._whole_query:
            return intent.query
        return intent.semantic_query if self.dated_share >= DATED_SHARE else intent.query

    def columns_for(self, intent: TemporalIntent, *, reference_date: date | None = None) -> TimeColumns:
        """The times that the intent is compared with.

        Facets that it names and documents lack are read from the texts once, when first asked for.
        """
        facets = asked_facets(intent, reference_date=reference_date)
        return self._columns_with(facets, intent.options if facets else _DEFAULT)

    def order(self, scores: Scores, semantic: Scores, *, k: int | None = None) -> NDArray[np.intp]:
        """Shape (≤ k,): the indices of the k best documents, best first; equal ones by semantic score, then by doc_id.

        Args:
            scores: shape (n,), higher is better; -inf is not ranked at all.
            semantic: shape (n,), as the retriever gave them.
            k: how many; by default all.
        """
        return best_first(scores, semantic, self.id_ranks, k=k)

    def _columns_with(self, facets: frozenset[str], options: IntentOptions) -> TimeColumns:
        if (facets, options) not in self._columns:
            documents = [with_text_facets(document, facets, options=options) for document in self.documents]
            self._columns[facets, options] = TimeColumns.from_documents(documents)
        return self._columns[facets, options]
