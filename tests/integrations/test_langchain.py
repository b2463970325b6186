"""LangChain's compressor, retriever and runnable, on its own in-memory store."""

from collections.abc import Callable
from copy import deepcopy
from datetime import date
from typing import Any

import pytest

pytest.importorskip("langchain_core", reason="needs qtie[langchain]")
pytest.importorskip("langchain_tests", reason="needs langchain-tests")

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableParallel, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests

from qtie.errors import ConfigError
from qtie.integrations.langchain import TemporalReranker, TemporalRetriever
from qtie.interval import TimeInterval
from qtie.reranker import TemporalReranker as Reranker

Notes = list[tuple[str, dict[str, Any]]]
QUERY = "who leads the ministry in 2016"


class WordEmbeddings(Embeddings):
    def __init__(self, embed: Callable[[str], list[float]]) -> None:
        self.embed = embed

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed(text)


class ScoredStore(InMemoryVectorStore):
    """The in-memory store, with the cosine as its relevance score."""

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda cosine: max(0.0, min(1.0, cosine))


def _store(kind: type[InMemoryVectorStore], notes: Notes, embed: Callable[[str], list[float]]) -> InMemoryVectorStore:
    store = kind(WordEmbeddings(embed))
    store.add_documents([Document(text, metadata=metadata, id=metadata["id"]) for text, metadata in notes])
    return store


@pytest.fixture(params=[InMemoryVectorStore, ScoredStore], ids=["without scores", "with scores"])
def store(request: pytest.FixtureRequest, notes: Notes, embed: Callable[[str], list[float]]) -> InMemoryVectorStore:
    return _store(request.param, notes, embed)


def _ids(documents: list[Document]) -> list[str | None]:
    return [document.id for document in documents]


def test_compressor_reranks_copies(store: InMemoryVectorStore) -> None:
    found = store.similarity_search("who leads the ministry", k=4)
    assert _ids(found)[0] != "jonas"
    before = deepcopy((found, store.store))
    best = TemporalReranker(k=2).compress_documents(found, QUERY)
    assert _ids(best)[0] == "jonas"
    assert len(best) == 2
    assert (found, store.store) == before
    assert best[0].metadata["relevance_score"] > best[1].metadata["relevance_score"]
    assert best[0].metadata["temporal"]["cues"] == ["in 2016"]
    assert best[0].metadata["date"] == "2016-03-14"


def test_compressor_takes_the_scores_of_a_reranker_before_it(notes: Notes) -> None:
    scored = [Document(notes[1][0], metadata={**notes[1][1], "relevance_score": score}) for score in (0.1, 0.9)]
    best = TemporalReranker().compress_documents(scored, QUERY)
    assert [note.metadata["temporal"]["rank_before"] for note in best] == [1, 2]
    assert best[0].metadata["temporal"]["semantic_score"] == 1.0
    assert [note.metadata["relevance_score"] for note in scored] == [0.1, 0.9]


@pytest.mark.parametrize("query", ["who leads the ministry", "who leads room 2099 with Windows 2000"])
def test_compressor_leaves_atemporal_queries_alone(store: InMemoryVectorStore, query: str) -> None:
    found = store.similarity_search(query, k=4)
    same = TemporalReranker().compress_documents(found, query)
    assert _ids(same) == _ids(found)
    assert not any("relevance_score" in document.metadata for document in same)
    unsorted = [found[0].model_copy(update={"metadata": {"relevance_score": score}}) for score in (0.25, 0.75)]
    same = TemporalReranker().compress_documents(unsorted, query)
    assert [document.metadata["relevance_score"] for document in same] == [0.25, 0.75]


def test_every_form_of_a_time(in_2019: dict[str, Any], embed: Callable[[str], list[float]]) -> None:
    notes = [("Budget passed", {"id": "wrong", "date": "2016-05-09"}), ("Budget passed", {"id": "right", **in_2019})]
    store = _store(InMemoryVectorStore, notes, embed)
    assert _ids(TemporalRetriever(vectorstore=store).invoke("budget in 2019"))[0] == "right"


def test_retriever_takes_scores_or_the_order(store: InMemoryVectorStore) -> None:
    before = deepcopy(store.store)
    best = TemporalRetriever(vectorstore=store, k=2).invoke(QUERY)
    assert _ids(best)[0] == "jonas"
    assert len(best) == 2
    assert store.store == before


def test_retriever_searches_without_the_words_about_time(notes: Notes, embed: Callable[[str], list[float]]) -> None:
    asked: list[tuple[str, int]] = []

    class Watched(ScoredStore):
        def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> Any:
            asked.append((query, k))
            return super().similarity_search_with_score(query, k, **kwargs)

    TemporalRetriever(vectorstore=_store(Watched, notes, embed), fetch_k=7).invoke(QUERY)
    TemporalRetriever(vectorstore=_store(Watched, notes, embed), fetch_k=7).invoke("apples", k=9)
    assert asked == [("who leads the ministry", 7), ("apples", 9)]


def test_retriever_gives_the_stores_own_scores_for_atemporal_queries(
    notes: Notes, embed: Callable[[str], list[float]]
) -> None:
    store = _store(ScoredStore, notes, embed)
    expected = store.similarity_search_with_relevance_scores("who leads the ministry", k=4)
    same = TemporalRetriever(vectorstore=store).invoke("who leads the ministry")
    assert [(note.id, note.metadata["relevance_score"]) for note in same] == [(note.id, s) for note, s in expected]


def test_one_query_may_bring_its_own_day_interval_and_k(store: InMemoryVectorStore) -> None:
    retriever = TemporalRetriever(vectorstore=store, reference_date=date(2020, 1, 1))
    assert _ids(retriever.invoke("who leads the ministry last year"))[0] == "elke"
    assert _ids(retriever.invoke("who leads the ministry last year", reference_date=date(2017, 1, 1)))[0] == "jonas"
    assert _ids(retriever.invoke("who leads the ministry", interval=TimeInterval.year(2016), k=1)) == ["jonas"]
    with pytest.raises(ConfigError, match="k must be at least 1"):
        retriever.invoke(QUERY, k=0)


def test_async_twins_give_the_same_and_do_not_block(
    store: InMemoryVectorStore, slow: Reranker, heartbeat: Callable[..., tuple[Any, int]]
) -> None:
    found = store.similarity_search(QUERY, k=4)
    compressor, retriever = TemporalReranker(reranker=slow), TemporalRetriever(vectorstore=store, reranker=slow)
    documents, n_beats = heartbeat(lambda: compressor.acompress_documents(found, QUERY))
    assert documents == compressor.compress_documents(found, QUERY)
    assert n_beats >= 10
    documents, n_beats = heartbeat(lambda: retriever.ainvoke(QUERY))
    assert documents == retriever.invoke(QUERY)
    assert n_beats >= 10


def test_runnable_in_a_chain(store: InMemoryVectorStore, heartbeat: Callable[..., tuple[Any, int]]) -> None:
    retriever = store.as_retriever(search_kwargs={"k": 4})
    chain = RunnableParallel(query=RunnablePassthrough(), documents=retriever) | TemporalReranker(k=1).as_runnable()
    assert _ids(chain.invoke(QUERY)) == ["jonas"]
    assert _ids(heartbeat(lambda: chain.ainvoke(QUERY))[0]) == ["jonas"]
    assert [_ids(documents) for documents in chain.batch([QUERY, "apples in 2016"])] == [["jonas"], ["apples"]]


class TestStandard(RetrieversIntegrationTests):
    """The suite that LangChain holds its own retrievers to."""

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return TemporalRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
        store.add_texts([f"note {year}" for year in range(2010, 2020)], [{"year": year} for year in range(2010, 2020)])
        return {"vectorstore": store}

    @property
    def retriever_query_example(self) -> str:
        return "notes since 2015"
