"""Proxy mode: the scores of the user's own re-ranker, asked over HTTP in its dialect."""

import math
from collections.abc import Sequence
from typing import Any

import httpx

from qtie.errors import ServiceError
from qtie.service.options import Upstream

__all__ = ["UpstreamClient"]


class UpstreamClient:
    """Asks one re-ranker for the scores of texts; keeps its connections until `aclose`."""

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        headers = {"Authorization": f"Bearer {upstream.token}"} if upstream.token else {}
        self._client = httpx.AsyncClient(headers=headers, timeout=upstream.timeout_seconds)

    async def scores(self, query: str, texts: Sequence[str], *, model: str | None = None) -> list[float]:
        """One score a text, higher is better.

        Args:
            query: as the user asked it.
            texts: in the request's order.
            model: the client's choice, where the service was told none.

        Raises:
            ServiceError: the re-ranker cannot be reached (502), is too slow (504) or answers something else (502).
        """
        if not texts:
            return []
        try:
            response = await self._client.post(self.upstream.url, json=self._body(query, texts, model))
        except httpx.TimeoutException:
            raise ServiceError("the upstream re-ranker gave no answer in time", status=504) from None
        except httpx.HTTPError as error:
            said = f"the upstream re-ranker cannot be reached: {type(error).__name__}"
            raise ServiceError(said, status=502) from None
        if response.status_code != 200:
            raise ServiceError(f"the upstream re-ranker answered HTTP {response.status_code}", status=502)
        try:
            return _scores(response.json(), len(texts))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ServiceError("the upstream re-ranker's answer has not one score a document", status=502) from None

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _body(self, query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
        if self.upstream.dialect == "tei":
            return {"query": query, "texts": texts}
        body = {"query": query, "documents": texts, "top_n": len(texts), "return_documents": False}
        model = self.upstream.model or model
        return {**body, "model": model} if model else body


def _scores(answer: Any, n_texts: int) -> list[float]:
    """The scores in the texts' order.

    Example:
        >>> _scores({"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]}, 2)
        [0.2, 0.9]
    """
    rows = answer if isinstance(answer, list) else answer["results"]
    found = {row["index"]: float(row["score"] if "score" in row else row["relevance_score"]) for row in rows}
    if found.keys() != set(range(n_texts)) or not all(map(math.isfinite, found.values())):
        raise ValueError("not one finite score a text")
    return [found[position] for position in range(n_texts)]
