"""What rankings over HTTP say: the library's own, with the extensions, at every mistake's own path."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs qtie[serve]")

from starlette.testclient import TestClient

from qtie.service.engine import Engine

SECRET = "the private words of a client"
QUERY = "reports in 2019"
DOCUMENTS: list[dict[str, Any]] = [
    {"text": "a", "timestamp": "2017-03-01", "score": 0.9},
    {"text": "b", "timestamp": "2019-05-12", "score": 0.8},
    {"text": "c", "score": 0.7},
    {"text": "d", "valid_from": "2018-11", "valid_to": "2020", "score": 0.6},
]


def rerank(client: TestClient, **body: Any) -> Any:
    reply = client.post("/v2/rerank", json={"query": QUERY, "documents": DOCUMENTS, **body})
    assert reply.status_code == 200, reply.text
    return reply.json()


def order(reply: Any) -> list[int]:
    return [result["index"] for result in reply["results"]]


def test_it_is_the_library_s_ranking(client: TestClient, engine: Engine) -> None:
    reply = rerank(client)
    ranking = engine.reranker.rank(QUERY, DOCUMENTS)
    assert order(reply) == [int(ranked.doc_id) for ranked in ranking]
    for result, ranked in zip(reply["results"], ranking, strict=True):
        assert result["relevance_score"] == pytest.approx(ranked.score, rel=1e-12)
        temporal = result["temporal"]
        assert temporal["temporal_score"] == pytest.approx(ranked.temporal_score)
        assert temporal["time"] == (None if ranked.time is None else str(ranked.time))
        assert (temporal["rank"], temporal["rank_before"]) == (ranked.rank, ranked.rank_before)
    assert reply["meta"]["intent"]["cues"] == ["in 2019"]
    assert reply["meta"]["notes"] == ["1 without a time: neutral"]


def test_a_query_without_time_leaves_order_and_scores_as_they_were(client: TestClient) -> None:
    for query in ("room 2099", "error 2013", "drivers for Windows 2000"):
        reply = rerank(client, query=query)
        assert order(reply) == [0, 1, 2, 3]
        assert [result["relevance_score"] for result in reply["results"]] == [0.9, 0.8, 0.7, 0.6]
        assert not reply["meta"]["intent"]["is_temporal"]


def test_unsorted_documents_come_back_best_first(client: TestClient) -> None:
    reply = rerank(client, query="room 2099", documents=["x", "y", "z"], scores=[0.1, 0.9, 0.1], top_n=2)
    assert order(reply) == [1, 0]


@pytest.mark.parametrize(
    "stored",
    [
        {"timestamp": "2019"}, {"timestamp": 2019}, {"timestamp": 1557619200}, {"timestamp": 1557619200000},
        {"timestamp": "2019-05-12T08:00:00+02:00"}, {"timestamp": {"start": "2019-02", "end": "2019-03"}},
        {"valid_from": "2019-01-01", "valid_to": "2019-12-31"}, {"times": {"event": "2019-05"}},
        {"metadata": {"published_at": "2019-05-12"}}, {"date": "12 May 2019"},
    ],
)  # fmt: skip
def test_every_form_of_a_time(client: TestClient, stored: dict[str, Any]) -> None:
    documents = [{"text": "a", "timestamp": "1990"}, {"text": "b", **stored}]
    assert order(rerank(client, documents=documents)) == [1, 0]


def test_timestamps_beside_the_documents(client: TestClient) -> None:
    reply = rerank(client, documents=["a", "b", "c"], timestamps=[None, "2019-05-12", 2001], scores=[3, 2, 1])
    assert order(reply)[0] == 1


def test_metadata_that_holds_no_time_counts_as_missing_and_is_said(client: TestClient) -> None:
    reply = rerank(client, documents=[{"text": "a", "metadata": {"date": "soon"}}, {"text": "b", "date": "later"}])
    assert reply["meta"]["warnings"] == ["'date' of 2 documents cannot be read as a time, and counts as missing"]
    assert [result["temporal"]["time"] for result in reply["results"]] == [None, None]


def test_what_a_ranking_may_be_told(client: TestClient) -> None:
    assert order(rerank(client, ignore_time=True)) == [0, 1, 2, 3]
    assert order(rerank(client, temporal_weight=0.0)) == [0, 1, 2, 3]
    assert set(order(rerank(client, mode="strict"))) == {1, 2, 3}
    assert set(order(rerank(client, missing="drop"))) == {0, 1, 3}
    assert order(rerank(client, top_n=1)) == [1]
    assert rerank(client, query="reports", interval="2017")["results"][0]["index"] == 0
    texts = ["Budget of 9 May 2016 passed.", "Budget of 12 May 2019 passed."]
    assert order(rerank(client, documents=texts, missing="estimate")) == [1, 0]
    assert "asked: 2019-01-01/2019-12-31" in rerank(client, explain=True)["meta"]["explanation"]
    assert "normalization probability" in rerank(client, normalization="probability")["meta"]["method"]


def test_the_day_of_asking_is_said_and_may_be_given(client: TestClient) -> None:
    assert rerank(client, query="last year")["meta"]["intent"]["intervals"] == ["2024-01-01/2024-12-31"]
    told = rerank(client, query="last year", reference_date="2020-02-01")
    assert told["meta"]["intent"]["intervals"] == ["2019-01-01/2019-12-31"]
    assert told["meta"]["intent"]["reference_date"] == "2020-02-01"


def test_an_intent_may_be_brought_along(client: TestClient) -> None:
    read = client.post("/intent", json={"query": "reports in 2017"}).json()
    kept = {key: read[key] for key in ("query", "constraints")}
    assert order(rerank(client, intent=kept))[0] == 0
    assert order(rerank(client, intent=read))[0] == 0


def test_no_documents_no_results(client: TestClient) -> None:
    assert rerank(client, documents=[])["results"] == []
    assert rerank(client, documents=[], query="anything")["results"] == []


def test_intent(client: TestClient) -> None:
    reply = client.post("/intent", json={"query": "champions since 2003 except 2005"}).json()
    assert reply["intervals"] == ["2003-01-01/2004-12-31", "2006-01-01/.."]
    assert reply["cues"] == ["since 2003", "except 2005"]
    assert [reply["query"][start:end] for start, end in reply["spans"]] == reply["cues"]


def test_search(client: TestClient, engine: Engine) -> None:
    body = {"query": "Python release as of June 2020", "k": 2, "reference_date": "2025-06-15"}
    reply = client.post("/search", json=body).json()
    assert engine.source is not None
    expected = engine.source.searcher.search(body["query"], k=2, reference_date=engine.today())  # type: ignore[arg-type]
    assert [result["doc_id"] for result in reply["results"]] == [ranked.doc_id for ranked in expected]
    untimed = client.post("/search", json={**body, "ignore_time": True}).json()
    assert not untimed["meta"]["intent"]["is_temporal"]
    refused = client.post("/search", json={**body, "missing": "estimate"})
    assert (refused.status_code, refused.json()["path"]) == (422, "missing")


def test_a_service_without_documents_says_so(engine: Engine) -> None:
    from qtie.service.app import create_app

    bare = Engine(engine.reranker, today=engine.today)
    with TestClient(create_app(bare)) as client:
        assert client.post("/search", json={"query": "x"}).status_code == 404
        assert client.get("/info").json()["corpus"] is None


MISTAKES: dict[str, tuple[dict[str, Any], int, str | None]] = {
    "no query": ({"query": None}, 422, "query"),
    "documents are no list": ({"documents": "a"}, 422, "documents"),
    "a document without text": ({"documents": ["a", {"title": "b"}]}, 422, "documents[1].text"),
    "a text that is a number": ({"documents": [{"text": 3}]}, 422, "documents[0].text"),
    "a document that is a number": ({"documents": ["a", "b", 7]}, 422, "documents[2]"),
    "some without a score": ({"documents": [{"text": "a", "score": 1}, "b"]}, 422, "documents[1].score"),
    "a score that is a text": ({"documents": [{"text": "a", "score": "1"}]}, 422, "documents[0].score"),
    "too few scores": ({"scores": [1.0]}, 422, "scores"),
    "too many timestamps": ({"timestamps": ["2019"] * 5}, 422, "timestamps"),
    "no such day": ({"timestamps": ["2019", "2019-02-30", None, None]}, 422, "timestamps[1]"),
    "a document's bad day": ({"documents": [{"text": "a", "timestamp": "soon"}]}, 422, "documents[0].timestamp"),
    "a list as a day": ({"documents": [{"text": "a", "timestamp": [1]}]}, 422, "documents[0].timestamp"),
    "it ends before it starts": (
        {"documents": [{"text": "a", "valid_from": "2020", "valid_to": "2019"}]}, 422, "documents[0].valid_from"
    ),
    "a bad facet": ({"documents": [{"text": "a", "times": {"born": "?!"}}]}, 422, "documents[0].times.born"),
    "metadata is no object": ({"documents": [{"text": "a", "metadata": [1]}]}, 422, "documents[0].metadata"),
    "unknown field": ({"topn": 3}, 422, "topn"),
    "no results wanted": ({"top_n": 0}, 422, "top_n"),
    "half a result": ({"top_n": 1.5}, 422, "top_n"),
    "bad reference date": ({"reference_date": "2019-02-30"}, 422, "reference_date"),
    "bad interval": ({"interval": "next"}, 422, "interval"),
    "bad intent": ({"intent": {"constraints": [1]}}, 422, "intent"),
    "bad mode": ({"mode": "hard"}, 422, "mode"),
    "bad missing": ({"missing": "ignore"}, 422, "missing"),
    "bad weight": ({"temporal_weight": 1.5}, 422, "temporal_weight"),
    "bad normalization": ({"normalization": "zscore"}, 422, "normalization"),
    "too many documents": ({"documents": ["a"] * 1001}, 413, "documents"),
    "a long text": ({"documents": ["a", "b" * 100_001]}, 413, "documents[1]"),
    "a long text in an object": ({"documents": [{"text": "b" * 100_001}]}, 413, "documents[0].text"),
    "a long query": ({"query": "q" * 4_001}, 413, "query"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.parametrize("path", ["/rerank", "/v1/rerank", "/v2/rerank"])
def test_a_mistake_is_named_with_its_path(client: TestClient, path: str, name: str) -> None:
    change, status, where = MISTAKES[name]
    reply = client.post(path, json={"query": SECRET, "documents": DOCUMENTS, **change})
    body = reply.json()
    assert (reply.status_code, body["path"]) == (status, where), body
    assert body["id"] == reply.headers["x-request-id"]
    assert SECRET not in reply.text


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"documents": ["a"], "scores": ["?"]}, "scores[0]"),
        ({"documents": [{"text": "a", "score": "?"}]}, "documents[0].score"),
        ({"documents": ["a"], "temporal_weight": "?"}, "temporal_weight"),
        ({"documents": ["a"], "timestamps": ["?"]}, "timestamps[0]"),
    ],
)
def test_numbers_that_are_none(client: TestClient, body: dict[str, Any], path: str, value: float) -> None:
    text = json.dumps({"query": QUERY, **body}).replace('"?"', json.dumps(value))
    reply = client.post("/rerank", content=text)
    if path == "timestamps[0]" and math.isnan(value):  # as in a column of dates: a missing one
        assert reply.json()["results"][0]["temporal"]["time"] is None
        return
    assert (reply.status_code, reply.json()["path"]) == (422, path)


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"query": "a", }', b"\xff\xfe", b"[" * 100_000, b'{"query": "\\ud800"}', b"nul", b'{"a": 1e}']
)
def test_what_is_no_json(client: TestClient, body: bytes) -> None:
    for path in ("/rerank", "/search", "/intent"):
        reply = client.post(path, content=body)
        assert reply.status_code == 400
        assert reply.json()["message"].startswith("the body is not JSON")


@pytest.mark.parametrize("body", ["[]", '"a"', "3", "null"])
def test_json_that_is_no_object(client: TestClient, body: str) -> None:
    for path in ("/rerank", "/search", "/intent"):
        assert client.post(path, content=body).status_code == 422


def test_numbers_of_any_size_are_no_fault_of_ours(client: TestClient) -> None:
    for number in ("9" * 5000, "1e400", "-1e999", "123456789012345678901234567890"):
        reply = client.post("/rerank", content=f'{{"query": "in 2019", "documents": ["a"], "timestamps": [{number}]}}')
        assert reply.status_code in (400, 422), reply.text
    assert client.post("/search", content='{"query": "a", "k": 1e300}').status_code == 422


def test_times_at_the_end_of_the_calendar(client: TestClient) -> None:
    stamps = ["9999-12-31", "0001-01-01", "-9999", 99999999999999, "Y170000002"]
    for stamp in stamps:
        reply = client.post("/rerank", json={"query": QUERY, "documents": ["a"], "timestamps": [stamp]})
        assert reply.status_code in (200, 422), (stamp, reply.text)


def test_shadow_mode_changes_nothing_and_counts(client_of: Callable[..., TestClient]) -> None:
    client = client_of(shadow=True)
    reply = rerank(client)
    assert order(reply) == [0, 1, 2, 3]
    assert [result["relevance_score"] for result in reply["results"]] == [0.9, 0.8, 0.7, 0.6]
    rerank(client, query="room 2099")
    text = client.get("/metrics").text
    assert 'qtie_intents_total{kind="within"} 1.0' in text
    assert 'qtie_intents_total{kind="atemporal"} 1.0' in text
    assert "qtie_first_changed_total 1.0" in text
    assert "qtie_rank_movement_count 2.0" in text
    found = client.post("/search", json={"query": "Python release as of June 2020"}).json()
    untimed = client.post("/search", json={"query": "Python release as of June 2020", "ignore_time": True}).json()
    assert found["results"] == untimed["results"]
