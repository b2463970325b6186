"""BM25 and dense retrieval mixed, and the table of retrievers."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from qtie.document import Document
from qtie.errors import ConfigError
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.dense import DenseRetriever
from qtie.retrieval.encoders import Encoder
from qtie.retrieval.retriever import Retriever, Scores
from qtie.retrieval.temporal.tempretriever import TempRetriever
from qtie.retrieval.temporal.time_aware import TimeAwareRetriever

__all__ = ["DENSE_WEIGHT", "RETRIEVERS", "HybridRetriever", "make_retriever"]

DENSE_WEIGHT = 0.7
"""The dense score's share; fixed on the sample corpus and TimeQA (`benchmarks/dense_weight.py` prints the sweep)."""


class HybridRetriever:
    r"""The convex combination of BM25 and cosine, each moved to [0, 1] over the whole corpus.

    .. math:: S = (1 - w) \frac{S_\text{BM25}}{\max S_\text{BM25}} + w \frac{c - \min c}{\max c - \min c}

    Bruch et al. (2023), "An Analysis of Fusion Functions for Hybrid Retrieval".

    Args:
        documents: the corpus.
        encoder: makes vectors of length 1.
        dense_weight: w, in [0, 1]; 0 is BM25, 1 the dense order.
        cache_folder: where the corpus's embeddings are kept; found again by encoder and content.

    Raises:
        ConfigError: a weight outside [0, 1], or a cache that cannot be used.
    """

    normalization = "corpus"

    def __init__(
        self,
        documents: Sequence[Document],
        encoder: Encoder,
        *,
        dense_weight: float = DENSE_WEIGHT,
        cache_folder: Path | None = None,
    ) -> None:
        if not 0 <= dense_weight <= 1:
            raise ConfigError(f"dense_weight must lie in [0, 1], not {dense_weight}")
        self.dense_weight = dense_weight
        self._bm25 = Bm25Retriever(documents)
        self._dense = DenseRetriever(documents, encoder, cache_folder=cache_folder)
        self.reads_time = self._dense.reads_time

    def scores(self, query: str) -> Scores:
        """Shape (n_docs,), in [0, 1]."""
        scores: Scores = self.batch_scores([query])[0]
        return scores

    def batch_scores(self, queries: Sequence[str]) -> Scores:
        """Shape (n_queries, n_docs), in [0, 1]."""
        lexical, dense = self._bm25.batch_scores(queries), self._dense.batch_scores(queries)
        if not lexical.size:
            return lexical
        lexical = _unit_scaled(lexical, np.zeros((len(queries), 1)))
        dense = _unit_scaled(dense, dense.min(axis=1, keepdims=True))
        return (1 - self.dense_weight) * lexical + self.dense_weight * dense


def _unit_scaled(scores: Scores, low: Scores) -> Scores:
    """Each row from its `low` to its highest score, moved to [0, 1]; zeros where they are equal."""
    span = scores.max(axis=1, keepdims=True) - low
    scaled: Scores = np.divide(scores - low, span, out=np.zeros_like(scores), where=span > 0)
    return scaled


def make_retriever(
    name: str,
    documents: Sequence[Document],
    *,
    encoder: Encoder | None = None,
    dense_weight: float = DENSE_WEIGHT,
    cache_folder: Path | None = None,
) -> Retriever:
    """The retriever of that name over `documents`.

    Args:
        name: one of `RETRIEVERS`.
        documents: the corpus.
        encoder: what all but BM25 need.
        dense_weight: the dense score's share in the hybrid.
        cache_folder: where the corpus's embeddings are kept.

    Raises:
        ConfigError: no such retriever, or it needs an encoder.
    """
    if name not in RETRIEVERS:
        raise ConfigError(f"unknown retriever {name!r}; one of {', '.join(RETRIEVERS)}")
    return RETRIEVERS[name](documents, encoder, dense_weight, cache_folder)


def _bm25(documents: Sequence[Document], *_: object) -> Retriever:
    return Bm25Retriever(documents)


def _dense(documents: Sequence[Document], encoder: Encoder | None, _: float, cache_folder: Path | None) -> Retriever:
    return DenseRetriever(documents, _required(encoder, "dense"), cache_folder=cache_folder)


def _hybrid(
    documents: Sequence[Document], encoder: Encoder | None, dense_weight: float, cache_folder: Path | None
) -> Retriever:
    required = _required(encoder, "hybrid")
    return HybridRetriever(documents, required, dense_weight=dense_weight, cache_folder=cache_folder)


def _tempretriever(documents: Sequence[Document], encoder: Encoder | None, _: float, cache: Path | None) -> Retriever:
    return TempRetriever(documents, _required(encoder, "tempretriever"), cache_folder=cache)


def _time_aware(documents: Sequence[Document], encoder: Encoder | None, _: float, cache: Path | None) -> Retriever:
    return TimeAwareRetriever(documents, _required(encoder, "time-aware"), cache_folder=cache)


def _required(encoder: Encoder | None, name: str) -> Encoder:
    if encoder is None:
        raise ConfigError(f"the {name} retriever needs an encoder, such as minilm")
    return encoder


RETRIEVERS: dict[str, Callable[[Sequence[Document], Encoder | None, float, Path | None], Retriever]] = {
    "bm25": _bm25,
    "dense": _dense,
    "hybrid": _hybrid,
    "tempretriever": _tempretriever,
    "tscontriever": _time_aware,
    "tsm": _time_aware,
}
"""The retrievers by name; `make_retriever` makes them."""
