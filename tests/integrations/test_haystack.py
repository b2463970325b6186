"""Haystack's ranker in real pipelines over its own in-memory store, saved and restored."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

pytest.importorskip("haystack", reason="needs qtie[haystack]")

from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from qtie.errors import ConfigError
from qtie.integrations.haystack import TemporalRanker
from qtie.intent import TemporalIntent

Notes = list[tuple[str, dict[str, Any]]]
QUERY = "who leads the ministry in 2016"
CONFIG = '[ranking]\ntemporal_weight = 0.7\n\n[documents]\ntime_keys = ["date"]\nmissing = "penalize"\n'


def _store(notes: Notes) -> InMemoryDocumentStore:
    store = InMemoryDocumentStore()
    store.write_documents([Document(id=metadata["id"], content=text, meta=metadata) for text, metadata in notes])
    return store


@pytest.fixture
def store(notes: Notes) -> InMemoryDocumentStore:
    return _store(notes)


def _pipeline(store: InMemoryDocumentStore, ranker: TemporalRanker) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=50))
    pipeline.add_component("ranker", ranker)
    pipeline.connect("retriever.documents", "ranker.documents")
    return pipeline


def _asked(query: str, **options: Any) -> dict[str, Any]:
    return {"retriever": {"query": query}, "ranker": {"query": query, **options}}


def _ids(answer: dict[str, Any]) -> list[str]:
    return [document.id for document in answer["ranker"]["documents"]]


def test_ranker_in_a_pipeline(store: InMemoryDocumentStore) -> None:
    before = deepcopy(store.filter_documents())
    pipeline = _pipeline(store, TemporalRanker(top_k=2))
    best = pipeline.run(_asked(QUERY))["ranker"]["documents"]
    assert [document.id for document in best] == ["jonas", "nobody"]
    assert best[0].meta["temporal"]["cues"] == ["in 2016"]
    assert best[0].score > best[1].score
    assert store.filter_documents() == before
    assert len(_ids(pipeline.run(_asked(QUERY, top_k=1)))) == 1


def test_documents_are_copies(store: InMemoryDocumentStore) -> None:
    found = InMemoryBM25Retriever(store).run(QUERY)["documents"]
    before = deepcopy(found)
    TemporalRanker().run(QUERY, found)
    assert found == before


@pytest.mark.parametrize("query", ["who leads the ministry", "who leads room 2099"])
def test_atemporal_queries_change_nothing(store: InMemoryDocumentStore, query: str) -> None:
    found = InMemoryBM25Retriever(store).run(query)["documents"][::-1]
    same = TemporalRanker().run(query, found)["documents"]
    assert [(document.id, document.score) for document in same] == [(document.id, document.score) for document in found]
    unscored = [replace(document, score=None) for document in found]
    assert [document.score for document in TemporalRanker().run(query, unscored)["documents"]] == [None] * len(found)


def test_documents_without_scores_or_text(store: InMemoryDocumentStore) -> None:
    listed = store.filter_documents()
    assert all(document.score is None for document in listed)
    textless = Document(id="textless", meta={"date": "2016-06-01"})
    best = TemporalRanker().run(QUERY, [*listed, textless])["documents"]
    assert best[0].id == "jonas"
    assert [document.id for document in best if document.content is None] == ["textless"]


def test_every_form_of_a_time(in_2019: dict[str, Any]) -> None:
    notes = [("Budget passed", {"id": "wrong", "date": "2016-05-09"}), ("Budget passed", {"id": "right", **in_2019})]
    assert _ids(_pipeline(_store(notes), TemporalRanker()).run(_asked("budget in 2019")))[0] == "right"


def test_saved_and_restored(store: InMemoryDocumentStore) -> None:
    ranker = TemporalRanker(config=CONFIG, top_k=3)
    alone = TemporalRanker.from_dict(json.loads(json.dumps(ranker.to_dict())))
    assert alone.to_dict() == ranker.to_dict()
    text = _pipeline(store, ranker).dumps()
    restored = Pipeline.loads(text, allowed_modules=["qtie.integrations.haystack"])
    assert restored.dumps() == text
    found = InMemoryBM25Retriever(store).run("who leads the ministry")["documents"]
    again = restored.get_component("ranker").run(QUERY, found)
    assert again == ranker.run(QUERY, found)
    assert again != TemporalRanker(top_k=3).run(QUERY, found)


def test_the_day_of_asking_is_an_input(store: InMemoryDocumentStore) -> None:
    pipeline = _pipeline(store, TemporalRanker(top_k=1))
    for year, best in ((2017, "jonas"), (2020, "elke")):
        asked = _asked("who led the ministry last year", reference_date=date(year, 1, 1))
        assert _ids(pipeline.run(asked)) == [best]


def test_async_run_gives_the_same_and_does_not_block(
    store: InMemoryDocumentStore,
    slow: Any,
    heartbeat: Callable[..., tuple[Any, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Slow:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def extract(self, query: str, *, reference_date: date | None = None) -> TemporalIntent:
            intent: TemporalIntent = slow.extractor.extract(query, reference_date=reference_date)
            return intent

    monkeypatch.setattr("qtie.integrations.haystack.make_extractor", Slow)
    pipeline = _pipeline(store, TemporalRanker())
    answer, n_beats = heartbeat(lambda: pipeline.run_async(_asked(QUERY)))
    assert answer == _pipeline(store, TemporalRanker()).run(_asked(QUERY))
    assert n_beats >= 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"config": "[ranking]\nweight = 1"}, r"config: \[ranking\] unknown key 'weight'"),
        ({"config": "[ranking"}, "config: not TOML"),
        ({"extractor": "oracle"}, "unknown extractor 'oracle'"),
    ],
)
def test_bad_settings_are_one_error(options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TemporalRanker(**options)
    with pytest.raises(ConfigError, match="k must be at least 1"):
        TemporalRanker().run(QUERY, [], top_k=0)
