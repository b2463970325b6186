"""LlamaIndex's postprocessor and retriever, over its own in-memory index."""

from collections.abc import Callable
from copy import deepcopy
from datetime import date
from typing import Any

import pytest

pytest.importorskip("llama_index.core", reason="needs qtie[llama-index]")

from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

from qtie.errors import ConfigError
from qtie.integrations.llama_index import TemporalPostprocessor, TemporalRetriever
from qtie.reranker import TemporalReranker

Embed = Callable[[str], list[float]]
QUERY = "who leads the ministry in 2016"


class WordEmbedding(BaseEmbedding):
    embed: Any

    def _get_text_embedding(self, text: str) -> list[float]:
        return self.embed(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


def _index(notes: list[tuple[str, dict[str, Any]]], embed: Embed) -> VectorStoreIndex:
    hidden = [key for _, metadata in notes for key in metadata]
    nodes = [
        TextNode(
            id_=metadata["id"], text=text, metadata=metadata,
            excluded_embed_metadata_keys=hidden, excluded_llm_metadata_keys=["id"],
        )
        for text, metadata in notes
    ]  # fmt: skip
    return VectorStoreIndex(nodes, embed_model=WordEmbedding(embed=embed))


@pytest.fixture
def index(notes: list[tuple[str, dict[str, Any]]], embed: Embed) -> VectorStoreIndex:
    return _index(notes, embed)


@pytest.fixture
def found(index: VectorStoreIndex) -> list[NodeWithScore]:
    nodes: list[NodeWithScore] = index.as_retriever(similarity_top_k=4).retrieve("who leads the ministry")
    assert nodes[0].node_id == "elke"
    return nodes


def _ids(nodes: list[NodeWithScore]) -> list[str]:
    return [node.node_id for node in nodes]


def test_postprocessor_reranks_copies(found: list[NodeWithScore]) -> None:
    before = deepcopy(found)
    best = TemporalPostprocessor(k=2).postprocess_nodes(found, query_str=QUERY)
    assert _ids(best) == ["jonas", "nobody"]
    assert best[0].get_score(raise_error=True) > best[1].get_score(raise_error=True)
    assert best[0].metadata["temporal"]["cues"] == ["in 2016"]
    assert found == before
    assert all("temporal" not in node.metadata for node in found)
    assert TemporalPostprocessor().class_name() == "TemporalPostprocessor"


def test_models_do_not_see_the_reasons(found: list[NodeWithScore]) -> None:
    best = TemporalPostprocessor(k=1).postprocess_nodes(found, query_str=QUERY)[0].node
    assert best.get_content(MetadataMode.LLM) == "date: 2016-03-14\n\nJonas Weber leads the large ministry"
    assert best.get_content(MetadataMode.EMBED) == "Jonas Weber leads the large ministry"


def test_no_score_is_not_a_score_of_zero(found: list[NodeWithScore]) -> None:
    unscored = [NodeWithScore(node=node.node) for node in found]
    best = TemporalPostprocessor().postprocess_nodes(unscored, query_str=QUERY)
    assert _ids(best)[0] == "jonas"
    assert all(node.score for node in best)
    same = TemporalPostprocessor().postprocess_nodes(unscored, query_str="who leads the ministry")
    assert [node.score for node in same] == [None] * 4
    partly = [found[0], *unscored[1:]]
    reordered = TemporalPostprocessor().postprocess_nodes(partly, query_str=QUERY)
    assert [(node.node_id, node.score) for node in reordered] == [(node.node_id, node.score) for node in best]


@pytest.mark.parametrize("query", ["who leads the ministry", "error 2013 in room 2099"])
def test_atemporal_queries_change_nothing(found: list[NodeWithScore], query: str) -> None:
    same = TemporalPostprocessor().postprocess_nodes(found[::-1], query_str=query)
    assert [(node.node_id, node.score) for node in same] == [(node.node_id, node.score) for node in found[::-1]]


def test_every_form_of_a_time(in_2019: dict[str, Any], embed: Embed) -> None:
    notes = [("Budget passed", {"id": "wrong", "date": "2016-05-09"}), ("Budget passed", {"id": "right", **in_2019})]
    retriever = TemporalRetriever(_index(notes, embed).as_retriever(similarity_top_k=2))
    assert _ids(retriever.retrieve("budget in 2019"))[0] == "right"


def test_retriever_wraps_another_one(index: VectorStoreIndex, found: list[NodeWithScore]) -> None:
    clock = iter([date(2017, 1, 1), date(2020, 1, 1)])
    postprocessor = TemporalPostprocessor(k=1, reference_date=lambda: next(clock))
    retriever = TemporalRetriever(index.as_retriever(similarity_top_k=4), postprocessor)
    assert _ids(retriever.retrieve("who led the ministry last year")) == ["jonas"]
    assert _ids(retriever.retrieve("who led the ministry last year")) == ["elke"]
    stored = index.as_retriever(similarity_top_k=4).retrieve("who leads the ministry")
    assert [node.metadata for node in stored] == [node.metadata for node in found]


def test_query_engine(index: VectorStoreIndex) -> None:
    postprocessor, retriever = TemporalPostprocessor(k=1), index.as_retriever(similarity_top_k=4)
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM(), node_postprocessors=[postprocessor])
    answer = engine.query(QUERY)
    assert _ids(answer.source_nodes) == ["jonas"]
    assert "Jonas Weber" in str(answer)
    assert "S_temp" not in str(answer)
    assert "temporal" not in str(answer)


def test_async_twins_give_the_same_and_do_not_block(
    index: VectorStoreIndex,
    found: list[NodeWithScore],
    slow: TemporalReranker,
    heartbeat: Callable[..., tuple[Any, int]],
) -> None:
    postprocessor = TemporalPostprocessor(reranker=slow)
    nodes, n_beats = heartbeat(lambda: postprocessor.apostprocess_nodes(found, query_str=QUERY))
    assert nodes == postprocessor.postprocess_nodes(found, query_str=QUERY)
    assert n_beats >= 10
    retriever = TemporalRetriever(index.as_retriever(similarity_top_k=4), postprocessor)
    nodes, n_beats = heartbeat(lambda: retriever.aretrieve(QUERY))
    assert _ids(nodes) == _ids(retriever.retrieve(QUERY))
    assert n_beats >= 10


def test_a_missing_query_is_an_error(found: list[NodeWithScore]) -> None:
    with pytest.raises(ConfigError, match="needs the query"):
        TemporalPostprocessor().postprocess_nodes(found)
