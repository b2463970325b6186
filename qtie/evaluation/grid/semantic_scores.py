"""A retriever's scores of many query texts, kept on disk by content, so that no experiment waits for them twice."""

import hashlib
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qtie.document import Document
from qtie.errors import ConfigError, EvaluationError
from qtie.evaluation.grid.store import source_digest, write_whole
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.dense import DenseRetriever
from qtie.retrieval.encoders import Encoder, load_encoder
from qtie.retrieval.hybrid import HybridRetriever, make_retriever
from qtie.retrieval.retriever import Retriever, retrieval_text

__all__ = ["SHORT_NAMES", "SemanticScores", "retriever_parts"]

SHORT_NAMES = {"bm25": "bm25", "minilm": "dense:minilm", "hybrid": "hybrid:minilm"}
"""Retrievers that have a name of their own; any other is `dense:ENCODER` or `hybrid:ENCODER`."""

_NORMALIZATIONS = {
    "bm25": Bm25Retriever.normalization,
    "dense": DenseRetriever.normalization,
    "hybrid": HybridRetriever.normalization,
}
_TEXTS_PER_BATCH = 128
_CELLS_PER_BATCH = 4_000_000


def retriever_parts(name: str) -> tuple[str, str | None]:
    """The kind of retriever and its encoder that a name stands for.

    Raises:
        ConfigError: no such retriever.

    Example:
        >>> retriever_parts("minilm"), retriever_parts("hybrid:models/e5"), retriever_parts("bm25")
        (('dense', 'minilm'), ('hybrid', 'models/e5'), ('bm25', None))
    """
    kind, _, encoder = SHORT_NAMES.get(name, name).partition(":")
    if (kind, bool(encoder)) not in (("bm25", False), ("dense", True), ("hybrid", True)):
        raise ConfigError(
            f"unknown retriever {name!r}; one of {', '.join(SHORT_NAMES)}, or dense:ENCODER, hybrid:ENCODER"
        )
    return kind, encoder or None


@cache
def _remembering(name: str) -> "_RememberingEncoder":
    return _RememberingEncoder(load_encoder(name))


class _RememberingEncoder:
    """An encoder that encodes no query twice: the dense and the hybrid retriever ask for the same ones."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[str, NDArray[np.float32]] = {}
        self.fingerprint = encoder.fingerprint

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self._encoder.encode_queries(new), strict=True))
        return np.array([self._known[text] for text in texts], dtype=np.float32)

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._encoder.encode_documents(texts)


class SemanticScores:
    """What a retriever thinks of the topic of a corpus's documents, for any texts of queries.

    Args:
        name: a retriever, see `retriever_parts`.
        documents: the corpus.
        folder: where scores and embeddings are kept.
    """

    def __init__(self, name: str, documents: Sequence[Document], folder: Path) -> None:
        self.kind, self._encoder_name = retriever_parts(name)
        self._documents = documents
        self._folder = folder / "semantic"
        self._embeddings = folder / "embeddings"
        self._rows: dict[str, NDArray[np.float32]] = {}

    @cached_property
    def retriever(self) -> Retriever:
        """Made when first needed: where all scores are on disk, never."""
        return make_retriever(self.kind, self._documents, encoder=self._encoder, cache_folder=self._embeddings)

    @cached_property
    def _encoder(self) -> Encoder | None:
        return None if self._encoder_name is None else _remembering(self._encoder_name)

    @property
    def normalization(self) -> str:
        """The normalization that the scores want."""
        return _NORMALIZATIONS[self.kind]

    def of(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """For each text the scores of all documents, shape (n_docs,)."""
        missing = sorted({text for text in texts if text not in self._rows})
        if missing:
            self._rows.update(zip(missing, self._matrix(missing), strict=True))
        return [self._rows[text] for text in texts]

    def _matrix(self, texts: list[str]) -> NDArray[np.float32]:
        """Shape (n_texts, n_docs), as a view of the file that keeps it."""
        path = self._folder / f"{self._digest(texts)}.npy"
        try:
            if not path.exists():
                write_whole(path, lambda file: np.save(file, self._computed(texts)))
            matrix: NDArray[np.float32] = np.load(path, mmap_mode="r")
        except (OSError, ValueError) as error:
            raise EvaluationError(f"{path}: scores cannot be kept here: {error}; delete it") from error
        if matrix.shape != (len(texts), len(self._documents)):
            raise EvaluationError(f"{path}: damaged cache of scores; delete it")
        return matrix

    def _computed(self, texts: list[str]) -> NDArray[np.float32]:
        scores = np.empty((len(texts), len(self._documents)), dtype=np.float32)
        size = max(1, min(_TEXTS_PER_BATCH, _CELLS_PER_BATCH // max(1, len(self._documents))))
        for start in range(0, len(texts), size):
            scores[start : start + size] = self.retriever.batch_scores(texts[start : start + size])
        return scores

    def _digest(self, texts: list[str]) -> str:
        return hashlib.sha256("\0".join([self._corpus_digest, *texts]).encode("utf-8", "surrogatepass")).hexdigest()[
            :32
        ]

    @cached_property
    def _corpus_digest(self) -> str:
        model = self._encoder.fingerprint if self._encoder else ""
        digest = hashlib.sha256(f"{self.kind} {model} {source_digest('retrieval')}".encode())
        for document in self._documents:
            digest.update(hashlib.sha256(retrieval_text(document).encode("utf-8", "surrogatepass")).digest())
        return digest.hexdigest()
