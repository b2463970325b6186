"""Embeddings from any endpoint that speaks OpenAI's protocol: vLLM, Ollama, TEI, a hosted model."""

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.errors import ConfigError, LlmError, require
from qtie.llm.openai import check_url, failure_of
from qtie.retrieval.prefixes import Prefix, prefix_for, prefixes

__all__ = ["KEY_VARIABLE", "EndpointEncoder", "encoder_at"]

KEY_VARIABLE = "QTIE_ENCODER_KEY"
"""The environment variable with the key for encoders that are named by a URL."""
_TEXTS_PER_REQUEST = 64


class EndpointEncoder:
    """A model behind an OpenAI-compatible `/embeddings`; its vectors are brought to length 1.

    Requests that meet status 408, 409, 429 or 5xx, a timeout or a lost connection are sent again after growing waits.

    Args:
        model: its name at the endpoint.
        base_url: http or https; most end in /v1.
        api_key: None for servers that want none; it stands in no message or `repr`.
        prefix: what the model wants before texts.
        timeout_seconds: the longest that one request takes.
        n_retries: how often a request is sent again.

    Raises:
        ConfigError: an argument that makes no sense.
        MissingExtraError: the `openai` package is missing.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | None = None,
        prefix: Prefix = "none",
        timeout_seconds: float = 60.0,
        n_retries: int = 6,
    ) -> None:
        check_url(base_url)
        if not model:
            raise ConfigError("name the endpoint's model, as in http://localhost:8000/v1#nomic-embed-text")
        if api_key is not None and not re.fullmatch("[!-~]+", api_key):
            raise ConfigError("the API key is empty or has characters that no key has, such as a line break")
        self.model, self.base_url = model, base_url.rstrip("/")
        self._query_prefix, self._document_prefix = prefixes(prefix)
        self._openai = require("openai", extra="llm")
        self._client = self._openai.OpenAI(
            base_url=self.base_url, api_key=api_key or "none", timeout=timeout_seconds, max_retries=n_retries
        )
        self.fingerprint = f"{type(self).__name__} {prefix} {model}"

    def __repr__(self) -> str:
        return f"EndpointEncoder({self.model!r}, base_url={self.base_url!r})"

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (n_texts, n_dimensions), each row of length 1.

        Raises:
            LlmError: the endpoint gives no vectors; says why, without the texts.
        """
        return self._encode([self._query_prefix + text for text in texts])

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `encode_queries`, with what the model wants before documents."""
        return self._encode([self._document_prefix + text for text in texts])

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        if not texts:
            return self._encode(["-"])[:0]  # no rows, but as many dimensions as ever
        batches = [texts[at : at + _TEXTS_PER_REQUEST] for at in range(0, len(texts), _TEXTS_PER_REQUEST)]
        vectors = np.concatenate([self._request(batch) for batch in batches])
        return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)

    def _request(self, texts: list[str]) -> NDArray[np.float32]:
        body = {"model": self.model, "input": [text or " " for text in texts], "encoding_format": "float"}
        try:
            return self._vectors(self._client.post("/embeddings", cast_to=object, body=body), len(texts))
        except (ValueError, self._openai.OpenAIError) as error:
            raise failure_of(error, self._openai, where=self.base_url) from None  # the cause holds texts and key

    def _vectors(self, answer: Any, n_texts: int) -> NDArray[np.float32]:
        """The vectors in the order of the texts, which an answer need not keep."""
        malformed = LlmError(f"{self.base_url}: not an answer with {n_texts} embeddings", reason="malformed answer")
        try:
            rows = {int(row["index"]): row["embedding"] for row in answer["data"]}
            vectors = np.array([rows[at] for at in range(n_texts)], dtype=np.float32)
        except (LookupError, TypeError, ValueError):
            raise malformed from None
        if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
            raise malformed
        return vectors


def encoder_at(name: str, *, prefix: Prefix | None = None) -> EndpointEncoder:
    """The encoder that a URL and a model's name after `#` stand for; its key is read from `KEY_VARIABLE`.

    Raises:
        ConfigError: no such URL, or no model in it.

    Example:
        >>> encoder_at("http://localhost:11434/v1#nomic-embed-text")
        EndpointEncoder('nomic-embed-text', base_url='http://localhost:11434/v1')
    """
    base_url, _, model = name.partition("#")
    chosen = prefix_for(model) if prefix is None else prefix
    return EndpointEncoder(model, base_url=base_url, api_key=os.environ.get(KEY_VARIABLE), prefix=chosen)
