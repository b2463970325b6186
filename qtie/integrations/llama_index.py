"""LlamaIndex: a node postprocessor that re-ranks by time, and a retriever that wraps another one with it.

Needs `llama-index-core` alone. The example is `examples/llama_index_query.py`.
"""

from collections.abc import Sequence
from typing import Any

from qtie.errors import ConfigError, require
from qtie.integrations.candidates import Place, ReferenceDate, places
from qtie.reranker import TemporalReranker

require("llama_index.core", extra="llama-index")

from llama_index.core.bridge.pydantic import Field
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle

__all__ = ["TemporalPostprocessor", "TemporalRetriever"]


class TemporalPostprocessor(BaseNodePostprocessor):
    """Re-ranks nodes by topic and time, on the scores that they carry; runs last.

    Nodes come back as copies with the new score and the reasons in `metadata["temporal"]`, which neither language
    models nor embeddings get to see. Unless every node has a score, they count as sorted, best first.
    The async twin works in a thread.

    Example:
        >>> from llama_index.core.schema import TextNode
        >>> notes = [TextNode(text="Budget passed", metadata={"date": day}) for day in ("2016-05-09", "2019-05-12")]
        >>> found = [NodeWithScore(node=note, score=0.8) for note in notes]
        >>> best = TemporalPostprocessor(k=1).postprocess_nodes(found, query_str="budget in 2019")
        >>> [node.metadata["date"] for node in best]
        ['2019-05-12']
    """

    reranker: TemporalReranker = Field(default_factory=TemporalReranker)
    """How topic and time are joined."""
    reference_date: ReferenceDate = None
    """The day of asking, or what gives it, such as `date.today`."""
    k: int | None = None
    """How many nodes to return; None for all."""

    @classmethod
    def class_name(cls) -> str:
        """The name that LlamaIndex knows it by."""
        return "TemporalPostprocessor"

    def _postprocess_nodes(
        self, nodes: Sequence[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            raise ConfigError("re-ranking by time needs the query: give query_str or query_bundle")
        ranked = places(
            self.reranker, query_bundle.query_str, nodes,
            record=_record, scores=[node.score for node in nodes], reference_date=self.reference_date, k=self.k,
        )  # fmt: skip
        return [_copy(place) for place in ranked]


class TemporalRetriever(BaseRetriever):
    """Another retriever, re-ranked by topic and time; let it find more than you need.

    Args:
        retriever: asked the query as it is.
        postprocessor: re-ranks what it finds, and keeps the best `k`.
    """

    def __init__(
        self, retriever: BaseRetriever, postprocessor: TemporalPostprocessor | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self._retriever = retriever
        self._postprocessor = postprocessor or TemporalPostprocessor()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._retriever.retrieve(query_bundle)
        return self._postprocessor.postprocess_nodes(found, query_bundle)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await self._retriever.aretrieve(query_bundle)
        return await self._postprocessor.apostprocess_nodes(found, query_bundle)


def _record(found: NodeWithScore) -> dict[str, Any]:
    return {"text": found.node.get_content(metadata_mode=MetadataMode.NONE), "metadata": found.node.metadata}


def _copy(place: Place[NodeWithScore]) -> NodeWithScore:
    """The node with its new score and the reasons, which are for people: models do not get to see them."""
    node = place.item.node
    hidden = {
        name: list(dict.fromkeys([*getattr(node, name), "temporal"]))
        for name in ("excluded_llm_metadata_keys", "excluded_embed_metadata_keys")
    }
    explained = node.model_copy(update={"metadata": {**node.metadata, "temporal": place.temporal}, **hidden})
    return place.item.model_copy(update={"node": explained, "score": place.score})
