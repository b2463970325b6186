"""What every retriever does: score all documents of its corpus for a query."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from qtie.document import Document

__all__ = ["Retriever", "Scores", "reads_time", "retrieval_text"]

Scores = NDArray[np.float64]


@runtime_checkable
class Retriever(Protocol):
    """Scores every document of a corpus, so that nothing is lost before time is looked at."""

    @property
    def normalization(self) -> str:
        """The normalization in `qtie.normalization.NORMALIZATIONS` that its scores want."""
        ...

    def scores(self, query: str) -> Scores:
        """Shape (n_docs,), in the order of the corpus; higher is better."""
        ...

    def batch_scores(self, queries: Sequence[str]) -> Scores:
        """Shape (n_queries, n_docs): row by row what `scores` gives, but faster."""
        ...


def reads_time(scorer: object) -> bool:
    """Whether a retriever or encoder reads the query's words about time itself, so that they must be left in the query.

    Temporal ones say so by an attribute of this name; without it, one scores the topic alone.
    """
    return bool(getattr(scorer, "reads_time", False))


def retrieval_text(document: Document) -> str:
    """The text that is matched with the query: title and body."""
    return f"{document.title}\n{document.text}" if document.title else document.text
