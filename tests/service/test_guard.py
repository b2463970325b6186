"""The guard: tokens, ids, limits, metrics and logs, without a socket."""

import json
import logging
import time
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs qtie[serve]")

from starlette.testclient import TestClient

from qtie.errors import ConfigError
from qtie.intent import TemporalIntent
from qtie.service.engine import Engine
from qtie.service.options import Limits, ServiceOptions, Upstream

SECRET = "the private words of a client"
TOKEN = "tøken-of-a-client"
BODY = {"query": "in 2019", "documents": ["a"]}


def test_the_token_is_asked_for_everywhere_but_where_there_is_nothing_to_hide(
    client_of: Callable[..., TestClient],
) -> None:
    client = client_of(token=TOKEN)
    for path in ("/health", "/ready", "/"):
        assert client.get(path).status_code == 200
    closed = ["/info", "/metrics", "/openapi.json", "/nothing", "/health/", "/page/../info", "/%2e/info"]
    for path in closed:
        assert client.get(path).status_code == 401, path
    wrong = [None, "", "Bearer", "Bearer ", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \xff", TOKEN]
    for header in wrong:
        headers = {} if header is None else {"Authorization": header.encode("utf-8")}
        for path in ("/rerank", "/v1/rerank", "/v2/rerank", "/search", "/intent"):
            reply = client.post(path, json=BODY, headers=headers)
            assert reply.status_code == 401
            assert reply.headers["www-authenticate"] == "Bearer"
            assert TOKEN not in reply.text
    for scheme in ("Bearer", "bearer"):
        right = {"Authorization": f"{scheme} {TOKEN}".encode()}
        assert client.post("/rerank", json=BODY, headers=right).status_code == 200


def test_request_ids(client: TestClient) -> None:
    given = client.post("/rerank", json=BODY, headers={"X-Request-ID": "trace-1.a"})
    assert given.headers["x-request-id"] == given.json()["id"] == "trace-1.a"
    for odd in ("", "a b", "x" * 81, "é".encode(), '"};evil'):
        made = client.post("/rerank", json=BODY, headers={"X-Request-ID": odd}).headers["x-request-id"]
        assert len(made) == 32
        assert made.isalnum()
    assert len({client.get("/health").headers["x-request-id"] for _ in range(5)}) == 5


def test_unknown_paths_and_methods(client: TestClient) -> None:
    for path in (
        "/nothing",
        "/../etc/passwd",
        "/page/../../options.py",
        "/page/%2e%2e/%2e%2e/options.py",
        "/v3/rerank",
    ):
        reply = client.get(path)
        assert (reply.status_code, reply.json()["message"]) == (404, "not found"), path
    for method in ("GET", "PUT", "DELETE", "PATCH"):
        reply = client.request(method, "/rerank")
        assert reply.status_code == 405
        assert reply.headers["allow"] == "POST"
        assert reply.json()["message"] == "method not allowed"


def test_bodies_over_the_limit(client_of: Callable[..., TestClient]) -> None:
    client = client_of(limits=Limits(max_body_bytes=1000))
    for body in (b"x" * 1001, iter([b"x" * 600] * 10), iter([b"x" * 600] * 100)):
        reply = client.post("/rerank", content=body)
        assert reply.status_code == 413
        assert reply.json()["message"] == "the body is larger than 1,000 bytes"
        assert reply.headers["connection"] == "close"
    waiting = client.post("/rerank", content=b"x" * 2000, headers={"Expect": "100-continue"})
    assert waiting.status_code == 413
    assert client.post("/rerank", json=BODY).status_code == 200


class Slow:
    """An extractor that takes its time, or fails."""

    def __init__(self, seconds: float = 0.0, error: Exception | None = None) -> None:
        self.seconds, self.error = seconds, error

    def extract(self, query: str, *, reference_date: Any = None) -> TemporalIntent:
        time.sleep(self.seconds if "slow" in query else 0)
        if self.error and "fail" in query:
            raise self.error
        return TemporalIntent(query=query)


def app_with(engine: Engine, extractor: Any, **options: Any) -> Any:
    from copy import copy

    from qtie.service.app import create_app

    reranker = copy(engine.reranker)
    reranker.extractor = extractor
    return create_app(Engine(reranker, today=engine.today), ServiceOptions(**options))


def test_an_answer_that_takes_too_long(engine: Engine) -> None:
    with TestClient(app_with(engine, Slow(1.0), limits=Limits(timeout_seconds=0.2))) as client:
        reply = client.post("/rerank", json={**BODY, "query": "slow"})
        assert reply.status_code == 408
        assert reply.json()["message"].startswith("no answer within 0.2 s")
        time.sleep(1)
        assert client.post("/rerank", json=BODY).status_code == 200


def test_more_requests_than_are_worked_on(engine: Engine) -> None:
    from concurrent.futures import ThreadPoolExecutor

    app = app_with(engine, Slow(0.5), n_threads=1, limits=Limits(max_in_flight=2))
    with TestClient(app) as client, ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda n: client.post("/rerank", json={**BODY, "query": f"slow {n}"}), range(8)))
        statuses = [reply.status_code for reply in replies]
        assert set(statuses) == {200, 429}
        assert all(reply.headers["retry-after"] == "1" for reply in replies if reply.status_code == 429)
        assert client.post("/rerank", json=BODY).status_code == 200


def test_a_fault_of_ours_tells_no_one_anything(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with TestClient(app_with(engine, Slow(error=RuntimeError(SECRET)), token=None)) as client:
        reply = client.post("/rerank", json={**BODY, "query": f"fail {SECRET}"}, headers={"X-Request-ID": "r1"})
        assert reply.status_code == 500
        assert reply.json() == {"id": "r1", "message": "an error of the service; its log has this id", "path": None}
        assert 'qtie_requests_total{route="/rerank",status="500"} 1.0' in client.get("/metrics").text
    (failed,) = [record for record in caplog.records if record.getMessage() == "failed"]
    assert failed.fields["error"] == "RuntimeError"  # type: ignore[attr-defined]
    assert failed.fields["request_id"] == "r1"  # type: ignore[attr-defined]
    assert SECRET not in caplog.text + str([vars(record) for record in caplog.records])


def test_logs_have_numbers_and_no_text(client_of: Callable[..., TestClient], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="qtie.service")
    client = client_of(token=TOKEN)
    headers = {"Authorization": f"Bearer {TOKEN}".encode()}
    client.post("/rerank", json={"query": f"{SECRET} in 2019", "documents": [SECRET] * 3}, headers=headers)
    client.post("/search", json={"query": SECRET, "reference_date": SECRET}, headers=headers)
    client.get(f"/{SECRET}?q={SECRET}", headers=headers)
    fields = [record.fields for record in caplog.records if hasattr(record, "fields")]
    assert [(each["route"], each["status"]) for each in fields] == [
        ("/rerank", 200), ("/search", 422), ("unmatched", 404)
    ]  # fmt: skip
    assert (fields[0]["kind"], fields[0]["n_documents"]) == ("within", 3)
    assert all(each["ms"] >= 0 and len(each["request_id"]) == 32 for each in fields)
    everything = str([vars(record) for record in caplog.records if record.name.startswith("qtie")])
    assert SECRET not in everything
    assert TOKEN not in everything


def test_metrics_are_prometheus_s_and_have_no_text(client: TestClient) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    client.post("/rerank", json={"query": f"{SECRET} since 2019", "documents": ["a"]})
    client.get(f"/{SECRET}")
    text = client.get("/metrics").text
    families = {family.name for family in text_string_to_metric_families(text)}
    assert {"qtie_requests", "qtie_request_seconds", "qtie_intents", "qtie_rank_movement"} <= families
    assert 'qtie_intents_total{kind="since"} 1.0' in text
    assert SECRET not in text


def test_logs_are_json_lines() -> None:
    from qtie.service.server import _JsonLines

    record = logging.LogRecord("qtie.service", logging.INFO, "", 0, "answered", (), None)
    record.fields = {"request_id": "r", "ms": 1.5}
    line = json.loads(_JsonLines().format(record))
    assert (line["level"], line["event"], line["request_id"], line["ms"]) == ("info", "answered", "r", 1.5)


def test_options_that_make_no_sense() -> None:
    for make in (
        lambda: Limits(max_documents=0),
        lambda: Limits(timeout_seconds=float("nan")),
        lambda: Upstream(url="ftp://x"),
        lambda: Upstream(url="http://x", dialect="bert"),
    ):
        with pytest.raises(ConfigError):
            make()
    assert TOKEN not in repr(ServiceOptions(token=TOKEN, upstream=Upstream(url="http://x", token=TOKEN)))
