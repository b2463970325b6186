"""An encoder of two towers, one for queries and one for documents, with a router that may choose between them.

TsContriever's variant that trains the query tower alone: the documents' vectors stay those of the plain encoder, so an
index that is there already can be used, and queries without a time can be sent to the plain tower.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qtie.errors import ConfigError
from qtie.retrieval.bert import read_safetensors
from qtie.retrieval.encoders import Encoder

__all__ = ["Router", "TwoTowerEncoder"]

Embeddings = NDArray[np.float32]
_TENSORS = ("hidden.weight", "hidden.bias", "out.weight", "out.bias")


class Router:
    """A perceptron with one hidden layer of 128 that tells queries which ask for no time from their plain embedding.

    Args:
        weights: by name: `hidden.weight` (128, n_dimensions), `hidden.bias` (128,), `out.weight` (1, 128), `out.bias`.

    Raises:
        ConfigError: a tensor is missing.
    """

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        if missing := [name for name in _TENSORS if name not in weights]:
            raise ConfigError(f"a router's file has no tensor {missing[0]!r}")
        self._weights = {name: np.asarray(weights[name], dtype=np.float32) for name in _TENSORS}

    @classmethod
    def load(cls, path: Path) -> "Router":
        """The router in a safetensors file.

        Raises:
            ConfigError: it is not one.
        """
        return cls(read_safetensors(path))

    def is_plain(self, embeddings: Embeddings) -> NDArray[np.bool_]:
        """Shape (n_queries,): whether the plain tower should encode the query, which is where the output is > 0.5.

        Args:
            embeddings: of the plain tower, shape (n_queries, n_dimensions).
        """
        weights = self._weights
        hidden = np.maximum(embeddings @ weights["hidden.weight"].T + weights["hidden.bias"], 0)
        logits = hidden @ weights["out.weight"].T + weights["out.bias"]
        plain: NDArray[np.bool_] = logits[:, 0] > 0  # the sigmoid's 0.5
        return plain


class TwoTowerEncoder:
    """Queries by one encoder, documents by another; both of the same space.

    Args:
        queries: the trained tower.
        documents: the plain one.
        router: sends queries that ask for no time to the plain tower.
    """

    reads_time = True

    def __init__(self, queries: Encoder, documents: Encoder, *, router: Router | None = None) -> None:
        self._queries, self._documents, self._router = queries, documents, router
        routed = "routed" if router else "all"
        self.fingerprint = f"{routed} queries by {queries.fingerprint}, documents by {documents.fingerprint}"

    def encode_queries(self, texts: Sequence[str]) -> Embeddings:
        """Shape (n_texts, n_dimensions), each row of length 1."""
        timed = self._queries.encode_queries(texts)
        if self._router is None:
            return timed
        plain = self._documents.encode_queries(texts)
        return np.where(self._router.is_plain(plain)[:, None], plain, timed)

    def encode_documents(self, texts: Sequence[str]) -> Embeddings:
        """Shape (n_texts, n_dimensions), each row of length 1."""
        return self._documents.encode_documents(texts)
