"""Proxy mode, in front of a real second server: another qtie, and stubs that answer what they like."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs qtie[serve]")

from pydantic_core import from_json, to_json
from starlette.testclient import TestClient

from qtie.service.options import Upstream

DOCUMENTS = [{"text": "apples", "timestamp": "2017"}, {"text": "pears", "timestamp": "2019"}, "plums"]
BODY = {"query": "fruit in 2019", "documents": DOCUMENTS}
SCORES = {"apples": 0.9, "pears": 0.94, "plums": 0.95}


class Stub:
    """A re-ranker that says what a function says, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answer: Callable[[Any], Any] = self.cohere
        self.requests: list[Any] = []
        self.headers: list[str | None] = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                stub.requests.append(from_json(self.rfile.read(int(self.headers["Content-Length"]))))
                stub.headers.append(self.headers.get("Authorization"))
                status, body = 200, stub.answer(stub.requests[-1])
                if isinstance(body, int):
                    status, body = body, {"message": "the upstream's secret"}
                data = body if isinstance(body, bytes) else to_json(body)
                with suppress(BrokenPipeError):  # a client that waited long enough has left
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)

            def log_message(self, *_: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/rerank"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @staticmethod
    def cohere(request: Any) -> Any:
        rows = [
            {"index": index, "relevance_score": SCORES.get(text, 0.1)}
            for index, text in enumerate(request["documents"])
        ]
        return {"results": sorted(rows, key=lambda row: -row["relevance_score"])}

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def stub() -> Iterator[Stub]:
    made = Stub()
    yield made
    made.close()


def test_its_scores_are_taken_and_time_is_joined(client_of: Callable[..., TestClient], stub: Stub) -> None:
    client = client_of(upstream=Upstream(url=stub.url, token="t0ken", model="big"))
    reply = client.post("/v2/rerank", json={**BODY, "top_n": 2}).json()
    assert [result["index"] for result in reply["results"]] == [1, 2]
    asked = stub.requests[0]
    assert asked["documents"] == ["apples", "pears", "plums"]
    assert (asked["query"], asked["top_n"], asked["model"]) == ("fruit in 2019", 3, "big")
    assert stub.headers == ["Bearer t0ken"]
    scored = client_of().post("/v2/rerank", json={**BODY, "scores": [0.9, 0.94, 0.95], "top_n": 2}).json()
    assert reply["results"] == scored["results"]


def test_without_a_time_the_answer_is_the_upstream_s(client_of: Callable[..., TestClient], stub: Stub) -> None:
    for options in ({}, {"shadow": True}):
        client = client_of(upstream=Upstream(url=stub.url), **options)
        reply = client.post("/rerank", json={**BODY, "query": "fruit" if not options else BODY["query"]}).json()
        rows = [(result["index"], result["relevance_score"]) for result in reply["results"]]
        assert rows == [(2, 0.95), (1, 0.94), (0, 0.9)]


def test_the_dialect_of_tei(client_of: Callable[..., TestClient], stub: Stub) -> None:
    stub.answer = lambda request: [{"index": n, "score": SCORES[text]} for n, text in enumerate(request["texts"])]
    client = client_of(upstream=Upstream(url=stub.url, dialect="tei"))
    rows = client.post("/rerank", json={"query": "fruit", "texts": [*SCORES]}).json()
    assert [row["index"] for row in rows] == [2, 1, 0]
    assert stub.requests == [{"query": "fruit", "texts": [*SCORES]}]


def test_a_service_behind_a_service(client_of: Callable[..., TestClient], server: Any) -> None:
    behind = client_of(upstream=Upstream(url=f"{server.url}/v2/rerank"))
    reply = behind.post("/rerank", json=BODY)
    assert reply.status_code == 200
    assert reply.json()["results"][0]["index"] == 1


@pytest.mark.parametrize(
    "answer",
    [
        {}, [], 5.0, None, b"", b"<html>", {"results": 3}, {"results": [{"index": 0}]},
        {"results": [{"index": 0, "relevance_score": 1.0}] * 3},
        {"results": [{"index": n, "relevance_score": "high"} for n in range(3)]},
        b'[{"index": 0, "score": NaN}, {"index": 1, "score": 1}, {"index": 2, "score": 1}]',
        {"results": [{"index": n, "relevance_score": 1.0} for n in range(4)]},
        404, 500, 429,
    ],
)  # fmt: skip
def test_an_answer_that_is_none(client_of: Callable[..., TestClient], stub: Stub, answer: Any) -> None:
    stub.answer = lambda _: answer
    reply = client_of(upstream=Upstream(url=stub.url)).post("/rerank", json=BODY)
    assert reply.status_code == 502
    assert "upstream" in reply.json()["message"]
    assert "secret" not in reply.text


def test_an_upstream_that_is_slow_or_away(client_of: Callable[..., TestClient], stub: Stub) -> None:
    stub.answer = lambda _: time.sleep(0.6)
    slow = client_of(upstream=Upstream(url=stub.url, timeout_seconds=0.2))
    assert slow.post("/rerank", json=BODY).status_code == 504
    away = client_of(upstream=Upstream(url="http://127.0.0.1:9/rerank"))
    reply = away.post("/rerank", json=BODY)
    assert (reply.status_code, reply.json()["message"]) == (
        502,
        "the upstream re-ranker cannot be reached: ConnectError",
    )
    assert away.post("/rerank", json={**BODY, "documents": []}).json()["results"] == []
    assert away.post("/rerank", json={**BODY, "top_n": 0}).status_code == 422
    assert away.post("/intent", json={"query": "in 2019"}).status_code == 200
