"""TempRetriever: a date embedding joined with the text's, for queries and documents.

Abdallah et al. (2025), "TempRetriever: Fusion-based Temporal Dense Passage Retrieval for Time-Sensitive Questions",
arXiv 2502.21024.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qtie.document import Document
from qtie.intent import IntentExtractor
from qtie.retrieval.dense import cached_embeddings
from qtie.retrieval.encoders import Encoder
from qtie.retrieval.retriever import Scores, retrieval_text
from qtie.retrieval.temporal.date_fusion import date_fusion
from qtie.retrieval.temporal.date_texts import date_text, document_interval
from qtie.tie.grammar import GrammarExtractor

__all__ = ["DatedEncoder", "TempRetriever"]

Embeddings = NDArray[np.float32]


class DatedEncoder:
    """An encoder of texts that also embeds their dates, written as words, and joins the two vectors.

    Text and date share one encoder (assumed: the paper's released description leaves this open). By itself it encodes
    texts as the encoder within does, without a date.

    Args:
        encoder: makes vectors of length 1.
        fusion: one of `DATE_FUSIONS`.

    Raises:
        ConfigError: no such fusion.
    """

    reads_time = True

    def __init__(self, encoder: Encoder, fusion: str = "concatenation") -> None:
        self._encoder = encoder
        self._fusion = date_fusion(fusion)
        self.fingerprint = f"{fusion} of dates with {encoder.fingerprint}"

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Shape (n_texts, n_dimensions), each row of length 1."""
        return self._encoder.encode_queries(texts)

    def encode_documents(self, texts: Sequence[str]) -> Embeddings:
        """Shape (n_texts, n_dimensions), each row of length 1."""
        return self._encoder.encode_documents(texts)

    def joined(self, texts: Embeddings, dates: Sequence[str], *, are_queries: bool) -> Embeddings:
        """Text vectors joined with those of their dates, each row of length 1.

        Args:
            texts: shape (n_texts, n_dimensions), each row of length 1.
            dates: n_texts of them, as `date_text` writes them; "" for no date.
            are_queries: whether they are those of queries, which some encoders mark.
        """
        distinct = sorted(set(dates) - {""})
        encoded = (self.encode_queries if are_queries else self.encode_documents)(distinct)
        vectors = np.full_like(texts, self._fusion.no_date)
        places = {date: place for place, date in enumerate(distinct)}
        dated = np.array([bool(date) for date in dates], dtype=np.bool_)
        vectors[dated] = encoded[[places[date] for date in dates if date]]
        joined = self._fusion.join(texts, vectors, np)
        norms = np.linalg.norm(joined, axis=1, keepdims=True)
        return np.asarray(joined / np.maximum(norms, 1e-12), dtype=np.float32)


class TempRetriever:
    """Exact cosine search over vectors of text and date.

    A query's date is the interval that it asks for, a document's the hull of its times; where it has none, of those
    that its text tells. Without a date the text stands alone; so it does for a time that counts from the day of asking
    ("last year"), which a retriever is not told.

    Args:
        documents: the corpus.
        encoder: a `DatedEncoder`, such as a folder that `qtie train retriever` wrote; any other one is used with
            concatenation, untrained.
        extractor: reads the date of queries; by default the grammar.
        cache_folder: where the corpus's text embeddings are kept; found again by encoder and content.

    Raises:
        ConfigError: the cache cannot be read or written.
    """

    normalization = "corpus"
    reads_time = True

    def __init__(
        self,
        documents: Sequence[Document],
        encoder: Encoder,
        *,
        extractor: IntentExtractor | None = None,
        cache_folder: Path | None = None,
    ) -> None:
        self._encoder = encoder if isinstance(encoder, DatedEncoder) else DatedEncoder(encoder)
        self._extractor = extractor or GrammarExtractor()
        texts = cached_embeddings([retrieval_text(document) for document in documents], self._encoder, cache_folder)
        dates = [date_text(document_interval(document)) for document in documents]
        self._embeddings = self._encoder.joined(texts, dates, are_queries=False)

    def scores(self, query: str) -> Scores:
        """Shape (n_docs,), in [-1, 1]."""
        scores: Scores = self.batch_scores([query])[0]
        return scores

    def batch_scores(self, queries: Sequence[str]) -> Scores:
        """Shape (n_queries, n_docs), in [-1, 1]."""
        if not queries or not len(self._embeddings):
            return np.zeros((len(queries), len(self._embeddings)))
        dates = [date_text(self._extractor.extract(query).interval) for query in queries]
        asked = self._encoder.joined(self._encoder.encode_queries(queries), dates, are_queries=True)
        return np.asarray(np.clip(asked @ self._embeddings.T, -1, 1), dtype=np.float64)
