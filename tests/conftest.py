"""A stand-in for a server of language models, for every test that asks one over HTTP."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass(frozen=True)
class Raw:
    """A response as it is sent, byte for byte: for all that a well-behaved server would not send."""

    body: bytes = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait_seconds: float = 0.0
    seconds_per_byte: float = 0.0
    cut: bool = False
    """Whether the connection is closed before the announced length is reached."""


class StubLlm:
    """Answers as `reply` says: a text, or a `Raw` response. Can be killed, and started again at the same port."""

    def __init__(self, reply: Callable[[dict[str, Any]], str | Raw]) -> None:
        self.reply = reply
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.in_flight = self.most_in_flight = 0
        self.lock = threading.Lock()
        self._port = 0
        self._sockets: set[socket.socket] = set()
        self.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> None:
        self._server = _Server(("127.0.0.1", self._port), _Handler)
        self._server.stub = self
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def kill(self) -> None:
        """Stop at once, as a killed process does: open connections are reset."""
        self._server.shutdown()
        self._server.server_close()
        for each in list(self._sockets):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._sockets.clear()


class _Server(ThreadingHTTPServer):
    stub: StubLlm
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that break: tests break them."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        self.server.stub._sockets.add(self.request)
        super().setup()

    def finish(self) -> None:
        self.server.stub._sockets.discard(self.request)
        super().finish()

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        stub = self.server.stub
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with stub.lock:
            stub.requests.append({**asked, "path": self.path})
            stub.keys.append(self.headers.get("Authorization", ""))
            stub.in_flight += 1
            stub.most_in_flight = max(stub.most_in_flight, stub.in_flight)
        try:
            self._send(asked, stub.reply(asked))
        finally:
            with stub.lock:
                stub.in_flight -= 1

    def _send(self, asked: dict[str, Any], reply: str | Raw) -> None:
        if isinstance(reply, str):
            kind = "text/event-stream" if asked.get("stream") else "application/json"
            reply = Raw(as_stream(reply) if asked.get("stream") else as_record(reply), headers={"Content-Type": kind})
        time.sleep(reply.wait_seconds)
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body) + 1000 * reply.cut))
        self.end_headers()
        if reply.seconds_per_byte:
            for at in range(len(reply.body)):
                self.wfile.write(reply.body[at : at + 1])
                time.sleep(reply.seconds_per_byte)
        else:
            self.wfile.write(reply.body)
        if reply.cut:
            self.close_connection = True


def as_record(text: str) -> bytes:
    message = {"role": "assistant", "content": text}
    return json.dumps({"choices": [{"index": 0, "message": message, "text": text, "finish_reason": "stop"}]}).encode()


def as_stream(text: str, *, finish: bool = True) -> bytes:
    deltas: list[dict[str, Any]] = [{"delta": {"role": "assistant", "content": ""}}]
    deltas += [{"delta": {"content": piece}} for piece in text.split(" ")]
    deltas += [{"delta": {}, "finish_reason": "stop"}] if finish else []
    lines = [f"data: {json.dumps({'choices': [delta]})}\n\n" for delta in deltas]
    return "".join([*lines, "data: [DONE]\n\n" if finish else ""]).encode()


@pytest.fixture
def llm_server() -> Iterator[Callable[[Callable[[dict[str, Any]], str | Raw]], StubLlm]]:
    """Starts stand-ins; they stop with the test."""
    started: list[StubLlm] = []

    def start(reply: Callable[[dict[str, Any]], str | Raw]) -> StubLlm:
        started.append(StubLlm(reply))
        return started[-1]

    yield start
    for stub in started:
        stub.kill()


@pytest.fixture
def raw() -> type[Raw]:
    return Raw
