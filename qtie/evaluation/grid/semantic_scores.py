"""A retriever's scores of many query texts, kept on disk by content, so that no experiment waits for them twice."""

import hashlib
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qtie.document import Document
from qtie.errors import ConfigError
from qtie.evaluation.grid.kept_rows import KeptRows
from qtie.evaluation.grid.store import source_digest
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.dense import DenseRetriever
from qtie.retrieval.encoders import Encoder, load_encoder
from qtie.retrieval.hybrid import HybridRetriever, make_retriever
from qtie.retrieval.retriever import Retriever, retrieval_text
from qtie.retrieval.temporal.date_texts import date_text, document_interval
from qtie.retrieval.temporal.tempretriever import TempRetriever
from qtie.retrieval.temporal.time_aware import TimeAwareRetriever

__all__ = ["SHORT_NAMES", "SemanticScores", "retriever_parts"]

SHORT_NAMES = {"bm25": "bm25", "minilm": "dense:minilm", "hybrid": "hybrid:minilm"}
"""Retrievers that have a name of their own; any other is KIND:ENCODER, such as `dense:ENCODER` or `tsm:ENCODER`."""

_KINDS: dict[str, type[Retriever]] = {
    "bm25": Bm25Retriever,
    "dense": DenseRetriever,
    "hybrid": HybridRetriever,
    "tempretriever": TempRetriever,
    "tscontriever": TimeAwareRetriever,
    "tsm": TimeAwareRetriever,
}
_BM25_SOURCES = ("retrieval/bm25.py", "retrieval/retriever.py")
_DENSE_SOURCES = ("retrieval/dense.py", "retrieval/encoders.py", "retrieval/bert.py", "retrieval/retriever.py")
_TEMPORAL_SOURCES = ("tempretriever", "date_fusion", "date_texts")
_SOURCES = {
    "bm25": _BM25_SOURCES,
    "dense": _DENSE_SOURCES,
    "hybrid": (*_BM25_SOURCES, *_DENSE_SOURCES, "retrieval/hybrid.py"),
    "tempretriever": (*_DENSE_SOURCES, *(f"retrieval/temporal/{name}.py" for name in _TEMPORAL_SOURCES)),
    "tscontriever": (*_DENSE_SOURCES, "retrieval/temporal/towers.py"),
    "tsm": _DENSE_SOURCES,
}
"""The files that scores depend on."""
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
    if kind not in _KINDS or bool(encoder) != (kind != "bm25"):
        with_encoder = ", ".join(f"{kind}:ENCODER" for kind in _KINDS if kind != "bm25")
        raise ConfigError(f"unknown retriever {name!r}; one of {', '.join(SHORT_NAMES)}, or {with_encoder}")
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
        if self._encoder_name is None:
            return None
        return load_encoder(self._encoder_name) if self._reads_dates else _remembering(self._encoder_name)

    @property
    def _reads_dates(self) -> bool:
        """Whether the documents' times count, beside their texts."""
        return self.kind == "tempretriever"

    @property
    def reads_time(self) -> bool:
        """Whether the retriever is to be asked the whole query, whatever a ranker would take from it."""
        return bool(getattr(_KINDS[self.kind], "reads_time", False))

    @property
    def normalization(self) -> str:
        """The normalization that the scores want."""
        return str(_KINDS[self.kind].normalization)

    def of(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """For each text the scores of all documents, shape (n_docs,)."""
        if missing := sorted({text for text in texts if text not in self._rows}):
            self._rows.update(self._kept.read(missing))
            new = [text for text in missing if text not in self._rows]
            size = max(1, min(_TEXTS_PER_BATCH, _CELLS_PER_BATCH // max(1, len(self._documents))))
            for start in range(0, len(new), size):
                batch = new[start : start + size]
                scores = self.retriever.batch_scores(batch).astype(np.float32)
                rows = dict(zip(batch, scores, strict=True))
                self._kept.write(rows)
                self._rows.update(rows)
        return [self._rows[text] for text in texts]

    @cached_property
    def _kept(self) -> KeptRows:
        """Found again by retriever, model, code and content of the corpus."""
        model = self._encoder.fingerprint if self._encoder else ""
        digest = hashlib.sha256(f"{self.kind} {model} {source_digest(*_SOURCES[self.kind])}".encode())
        for document in self._documents:
            date = date_text(document_interval(document)) if self._reads_dates else ""
            text = retrieval_text(document) + date
            digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
        return KeptRows(self._folder / f"{digest.hexdigest()[:32]}.sqlite", n_columns=len(self._documents))
