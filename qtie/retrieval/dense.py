"""Dense retrieval: the cosine of query and document embeddings."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qtie.document import Document
from qtie.errors import ConfigError
from qtie.retrieval.encoders import Encoder
from qtie.retrieval.retriever import Scores, reads_time, retrieval_text
from qtie.whole_file import write_whole

__all__ = ["DenseRetriever", "cached_embeddings"]


class DenseRetriever:
    """Exact cosine search over the embeddings of title and text.

    Args:
        documents: the corpus.
        encoder: makes vectors of length 1.
        cache_folder: where the corpus's embeddings are kept; found again by encoder and content.

    Raises:
        ConfigError: the cache cannot be read or written.
    """

    normalization = "corpus"
    """Not "cosine", which is for a list of near candidates: here the least similar document of a corpus is a floor."""
    reads_time = False
    """True also where the encoder reads the query's words about time itself."""

    def __init__(self, documents: Sequence[Document], encoder: Encoder, *, cache_folder: Path | None = None) -> None:
        self._encoder = encoder
        self.reads_time = self.reads_time or reads_time(encoder)
        texts = [retrieval_text(document) for document in documents]
        self._embeddings = cached_embeddings(texts, encoder, cache_folder)

    def scores(self, query: str) -> Scores:
        """Shape (n_docs,), in [-1, 1]."""
        scores: Scores = self.batch_scores([query])[0]
        return scores

    def batch_scores(self, queries: Sequence[str]) -> Scores:
        """Shape (n_queries, n_docs), in [-1, 1]."""
        if not queries or not len(self._embeddings):
            return np.zeros((len(queries), len(self._embeddings)))
        cosines = self._encoder.encode_queries(queries) @ self._embeddings.T
        return np.asarray(np.clip(cosines, -1, 1), dtype=np.float64)


def cached_embeddings(texts: Sequence[str], encoder: Encoder, folder: Path | None) -> NDArray[np.float32]:
    """The embeddings of documents' texts, shape (n_texts, n_dimensions), kept in the folder by encoder and content.

    Raises:
        ConfigError: the folder cannot be read or written.
    """
    if folder is None or not texts:
        return encoder.encode_documents(texts)
    digest = hashlib.sha256(encoder.fingerprint.encode())
    for text in texts:
        digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    path = folder / f"{digest.hexdigest()[:32]}.npy"
    try:
        if path.exists():
            embeddings = np.load(path)
            if embeddings.ndim == 2 and len(embeddings) == len(texts):
                return np.asarray(embeddings, dtype=np.float32)
            raise ValueError(f"shape {embeddings.shape} for {len(texts)} texts")
    except (OSError, ValueError, EOFError) as error:
        raise ConfigError(f"{path}: damaged cache of embeddings ({error}); delete it") from error
    embeddings = encoder.encode_documents(texts)
    try:
        write_whole(path, lambda file: np.save(file, embeddings))
    except OSError as error:
        raise ConfigError(f"{folder}: cannot keep embeddings here: {error}") from error
    return embeddings
