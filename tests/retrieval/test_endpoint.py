"""Encoders behind an OpenAI-compatible endpoint, and what models want before texts."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai", reason="needs qtie[llm]")

from qtie.errors import ConfigError, LlmError
from qtie.retrieval.encoders import Encoder, load_encoder
from qtie.retrieval.endpoint import EndpointEncoder, encoder_at
from qtie.retrieval.prefixes import PREFIXES, prefix_for

SECRET, KEY = "words of a private text", "sk-very-secret"
Answer = Callable[[dict[str, Any]], tuple[int, Any]]


def vectors(request: dict[str, Any]) -> tuple[int, Any]:
    rows = [{"index": at, "embedding": [len(text), 1.0]} for at, text in enumerate(request["input"])]
    return 200, {"data": rows[::-1]}


class Server:
    def __init__(self, answer: Answer) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                stub.requests.append({"path": self.path, **request})
                stub.keys.append(self.headers["Authorization"])
                status, body = answer(request)
                text = body.encode() if isinstance(body, str) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Server]]:
    servers: list[Server] = []

    def start(answer: Answer) -> Server:
        servers.append(Server(answer))
        return servers[-1]

    yield start
    for server in servers:
        server.http.shutdown()
        server.http.server_close()


def test_texts_become_vectors_of_length_1_in_their_order(serve: Any) -> None:
    server = serve(vectors)
    encoder = EndpointEncoder("m", base_url=server.base_url, api_key=KEY, prefix="nomic")
    assert isinstance(encoder, Encoder)
    found = encoder.encode_documents(["a" * at for at in range(150)])
    assert found.shape == (150, 2)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1)
    assert (np.diff(found[:, 0]) > 0).all()
    assert len(server.requests) == 3
    assert encoder.encode_queries([]).shape == (0, 2)
    assert server.requests[0]["path"] == "/v1/embeddings"
    assert server.requests[0]["input"][1] == "search_document: a"
    assert encoder.encode_queries(["q"]).dtype == np.float32
    assert server.requests[-1]["input"] == ["search_query: q"]
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert KEY not in f"{encoder!r} {encoder.fingerprint}"


def test_a_url_names_an_encoder(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(vectors)
    monkeypatch.setenv("QTIE_ENCODER_KEY", KEY)
    encoder = load_encoder(f"{server.base_url}#intfloat/e5-base")
    encoder.encode_queries(["x"])
    assert (server.requests[0]["model"], server.requests[0]["input"]) == ("intfloat/e5-base", ["query: x"])
    assert server.keys == [f"Bearer {KEY}"]
    assert encoder.fingerprint == encoder_at(f"{server.base_url}#intfloat/e5-base").fingerprint


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((404, {}), "HTTP status 404; are the base URL"),
        ((401, {"error": SECRET}), "HTTP status 401$"),
        ((200, "no JSON"), "not an"),
        ((200, {"data": []}), "not an answer with 1 embeddings"),
        ((200, {"data": [{"index": 0, "embedding": []}]}), "not an answer"),
        ((200, {"data": [{"index": 0, "embedding": ["x"]}]}), "not an answer"),
        ((200, {"data": [{"index": 3, "embedding": [1.0]}]}), "not an answer"),
        ((200, {"data": [{"index": 0, "embedding": [float("nan")]}]}), "not an"),
        ((200, [1]), "not an"),
    ],
    ids=str,
)
def test_what_is_no_answer_is_named_without_text_or_key(serve: Any, answer: Any, message: str) -> None:
    server = serve(lambda _: answer)
    encoder = EndpointEncoder("m", base_url=server.base_url, api_key=KEY, n_retries=0)
    with pytest.raises(LlmError, match=message) as caught:
        encoder.encode_queries([SECRET])
    assert str(caught.value).startswith(server.base_url)
    assert SECRET not in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_busy_endpoint_is_asked_again(serve: Any) -> None:
    statuses = [429, 503, 200]
    server = serve(lambda request: (statuses.pop(0), vectors(request)[1]))
    encoder = EndpointEncoder("m", base_url=server.base_url, n_retries=2)
    assert encoder.encode_queries(["x"]).shape == (1, 2)
    with pytest.raises(LlmError, match="cannot be reached"):
        EndpointEncoder("m", base_url="http://127.0.0.1:9/v1", n_retries=0).encode_queries(["x"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("http://localhost:8000/v1", "name the endpoint's model"),
        ("http://user:secret@localhost/v1#m", "must not hold credentials"),
        ("https://#m", "base_url must be like"),
    ],
)
def test_wrong_urls_are_named(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_encoder(name)


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("BAAI/bge-small-en-v1.5", "bge"),
        ("BAAI/bge-m3", "none"),
        ("mixedbread-ai/mxbai-embed-large-v1", "bge"),
        ("nomic-ai/nomic-embed-text-v1.5", "nomic"),
        ("intfloat/multilingual-e5-large-instruct", "e5-instruct"),
        ("intfloat/e5-small-v2", "e5"),
        ("/models/e5-base/", "e5"),
        ("Qwen/Qwen3-Embedding-4B", "qwen3"),
        ("jinaai/jina-embeddings-v2-base-en", "none"),
        ("facebook/contriever-msmarco", "none"),
        ("sentence-transformers/all-MiniLM-L6-v2", "none"),
        ("some/house5-model", "none"),
    ],
)
def test_the_prefix_follows_from_the_name(name: str, prefix: str) -> None:
    assert prefix_for(name) == prefix
    assert prefix in PREFIXES


def test_a_folders_name_tells_its_prefix(bert_folder: Path) -> None:
    named = bert_folder.rename(bert_folder.with_name("e5-tiny"))
    assert load_encoder(named).fingerprint == load_encoder(named, prefix="e5").fingerprint
    assert load_encoder(named).fingerprint != load_encoder(named, prefix="none").fingerprint
