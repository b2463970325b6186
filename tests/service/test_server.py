"""The process: clients that are slow, hang up or send too much, and how it ends."""

import json
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs qtie[serve]")

import httpx
from click.testing import CliRunner

from qtie.cli import main

SECRET = "the private words of a client"
BODY = json.dumps({"query": f"{SECRET} in 2019", "documents": [{"text": "a", "timestamp": "2019"}]}).encode()
HEAD = b"POST /rerank HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def connect(server: Any) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def answers(server: Any) -> bool:
    return httpx.post(f"{server.url}/rerank", content=BODY, timeout=30).status_code == 200


def read_all(connection: socket.socket) -> bytes:
    data = b""
    while chunk := connection.recv(65536):
        data += chunk
    return data


@pytest.fixture(scope="module")
def short(start: Callable[..., Any]) -> Any:
    """A server that waits for nobody longer than four seconds."""
    return start("--timeout", "4", "--token", "")


def test_it_listens_on_loopback_alone(server: Any) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    table = Path("/proc/net/tcp").read_text(encoding="ascii")
    assert f"0100007F:{server.port:04X}" in table
    assert f"00000000:{server.port:04X}" not in table


def test_a_body_that_trickles_in(short: Any) -> None:
    with ExitStack() as stack, connect(short) as slow:
        for _ in range(70):  # more than may be worked on at a time
            stack.enter_context(connect(short)).sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
        slow.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
        assert answers(short)
        slow.sendall(b" ")
        reply = read_all(slow)
    assert reply.startswith(b"HTTP/1.1 408")
    assert b"did not arrive within 4 s" in reply


def test_headers_that_trickle_in(short: Any) -> None:
    slow = [connect(short) for _ in range(30)]
    try:
        for connection in slow:
            connection.sendall(b"POST /rerank HTTP/1.1\r\nX-A: ")
        assert answers(short)
        replies = [read_all(connection) for connection in slow]
    finally:
        for connection in slow:
            connection.close()
    assert all(reply.startswith(b"HTTP/1.1 408") for reply in replies)


def test_idle_connections_leave_it_answering(server: Any) -> None:
    idle = [connect(server) for _ in range(500)]
    try:
        assert answers(server)
        idle[-1].sendall(HEAD + f"Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY)
        assert idle[-1].recv(65536).startswith(b"HTTP/1.1 200")
    finally:
        for connection in idle:
            connection.close()


def test_clients_that_hang_up(server: Any) -> None:
    for sent in (b"", b"POST", HEAD, HEAD + b"Content-Length: 100\r\n\r\n{", HEAD + b"Content-Length: 2\r\n\r\n{}"):
        for _ in range(5):
            with connect(server) as connection:
                connection.sendall(sent)
    with connect(server) as connection:
        connection.sendall(HEAD + f"Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY)
    assert answers(server)
    assert "Traceback" not in server.log


def test_a_body_of_50_mb(server: Any) -> None:
    reply = httpx.post(f"{server.url}/rerank", content=b" " * 50_000_000, timeout=60)
    assert reply.status_code == 413
    assert reply.json()["message"] == "the body is larger than 10,000,000 bytes"
    assert answers(server)


def test_a_million_documents(server: Any) -> None:
    body = json.dumps({"query": "in 2019", "documents": ["a"] * 1_000_000}).encode()
    reply = httpx.post(f"{server.url}/rerank", content=body, timeout=60)
    assert (reply.status_code, reply.json()["path"]) == (413, "documents")
    assert answers(server)


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00" * 20,
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        HEAD + b"Content-Length: -5\r\n\r\n",
        HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
    ],
    ids=lambda sent: sent[:20],
)
def test_what_is_no_request(server: Any, sent: bytes) -> None:
    with connect(server) as connection:
        connection.sendall(sent)
        reply = connection.recv(65536)
    assert reply == b"" or reply.startswith(b"HTTP/1.1 4"), reply[:80]
    assert answers(server)


@pytest.mark.parametrize(
    "path", ["/../../etc/passwd", "/page/../../../etc/passwd", "/page/%2e%2e%2foptions.py", "/%00"]
)
def test_paths_that_lead_elsewhere(server: Any, path: str) -> None:
    with connect(server) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        reply = read_all(connection)
    assert reply.startswith(b"HTTP/1.1 404"), reply[:80]
    assert b"root:" not in reply


def test_the_token_comes_from_the_environment_and_no_log_has_it(start: Callable[..., Any]) -> None:
    server = start(QTIE_TOKEN="s3cret-token")
    assert httpx.post(f"{server.url}/rerank", content=BODY).status_code == 401
    headers = {"Authorization": "Bearer s3cret-token"}
    assert httpx.post(f"{server.url}/rerank", content=BODY, headers=headers).status_code == 200
    assert httpx.get(f"{server.url}/{SECRET}?{SECRET}", headers=headers).status_code == 404
    assert server.stop() == -signal.SIGTERM
    lines = server.log.splitlines()
    assert sum('"answered"' in line for line in lines) == 3
    assert SECRET not in server.log
    assert "s3cret-token" not in server.log
    for line in lines[1:]:
        assert json.loads(line)["time"]


@pytest.mark.parametrize(("how", "status"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)])
def test_what_is_being_answered_is_finished_first(start: Callable[..., Any], how: int, status: int) -> None:
    server = start("--threads", "1")
    documents = [{"text": f"Passed on {n % 28 + 1} May 2016. " * 60} for n in range(100)]
    body = json.dumps({"query": "budget in 2016", "missing": "estimate", "documents": documents}).encode()
    with ThreadPoolExecutor(1) as pool, connect(server):
        reply = pool.submit(httpx.post, f"{server.url}/rerank", content=body, timeout=60)
        while "qtie_requests_in_flight 2.0" not in httpx.get(f"{server.url}/metrics").text:  # it, and the asking itself
            assert not reply.done()
        assert server.stop(how) == status
        assert reply.result().status_code == 200
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.url)


def test_a_port_in_use_is_one_line(server: Any) -> None:
    result = CliRunner().invoke(main, ["serve", "--port", str(server.port), "--extractor", "grammar"])
    assert result.exit_code == 2
    assert result.stderr == f"qtie: cannot listen on 127.0.0.1:{server.port}: Address already in use\n"
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--host", "203.0.113.9"], "cannot listen on 203.0.113.9:8000"),
        (["nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (["a.jsonl", "--store", "b"], "give CORPUS or --store, not both"),
        (["--upstream", "localhost"], "must be an http:// or https:// address"),
        (["--port", "70000"], "70000"),
    ],
)
def test_wrong_options_are_one_line(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(main, ["serve", "--extractor", "grammar", *arguments])
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_corpus_and_a_store_are_searched(start: Callable[..., Any], tmp_path: Path) -> None:
    pytest.importorskip("lancedb", reason="needs qtie[store]")
    corpus, store = tmp_path / "news.jsonl", tmp_path / "news.store"
    days = ("2016-05-09", "2019-05-12")
    corpus.write_text("".join(json.dumps({"_id": day, "text": "Budget passed", "date": day}) + "\n" for day in days))
    indexed = CliRunner().invoke(main, ["index", str(corpus), str(store)])
    assert indexed.exit_code == 0, indexed.output
    for arguments, kind in (([str(corpus)], "corpus"), (["--store", str(store)], "store")):
        server = start(*arguments)
        info = httpx.get(f"{server.url}/info").json()
        assert (info["corpus"]["kind"], info["corpus"]["n_documents"]) == (kind, 2)
        for body in ({"k": 1}, {"k": 1, "mode": "strict"}, {"k": 1, "temporal_weight": 0.9}):
            reply = httpx.post(f"{server.url}/search", json={"query": "budget in 2019", **body}, timeout=30).json()
            assert [result["doc_id"] for result in reply["results"]] == ["2019-05-12"]
        assert server.stop() == -signal.SIGTERM
