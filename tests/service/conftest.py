"""What the tests of the service share: an engine that reads with the grammar, clients without a socket, and servers."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from qtie.reranker import TemporalReranker
from qtie.tie.grammar import GrammarExtractor

if TYPE_CHECKING:  # the tests say themselves what they need
    from starlette.testclient import TestClient

    from qtie.service.engine import Engine

TODAY = date(2025, 6, 15)


@pytest.fixture(scope="session")
def engine() -> "Engine":
    from qtie.service.engine import Engine, sample_source

    reranker = TemporalReranker(GrammarExtractor())
    return Engine(reranker, source=sample_source(reranker), today=lambda: TODAY)


@pytest.fixture
def client_of(engine: "Engine") -> "Iterator[Callable[..., TestClient]]":
    """Makes clients of applications with those options, which run until the test's end."""
    from starlette.testclient import TestClient

    from qtie.service.app import create_app
    from qtie.service.options import ServiceOptions

    clients: list[TestClient] = []

    def make(**options: Any) -> TestClient:
        client = TestClient(create_app(engine, ServiceOptions(**options)), raise_server_exceptions=False)
        clients.append(client.__enter__())
        return client

    yield make
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def client(client_of: "Callable[..., TestClient]") -> "TestClient":
    return client_of()


class Running:
    """`qtie serve` as a process of its own."""

    def __init__(self, *arguments: str, log: Path, **environment: str) -> None:
        command = [
            sys.executable,
            "-c",
            "from qtie.cli import main; main()",
            "serve",
            "--port",
            "0",
            "--extractor",
            "grammar",
            *arguments,
        ]
        self.log_path = log
        with log.open("wb") as stderr:
            self.process = subprocess.Popen(
                command,
                stderr=stderr,
                stdout=subprocess.PIPE,
                env={**os.environ, **environment},
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
            )
        self.url = self._url()
        self.port = int(self.url.rpartition(":")[2])

    def _url(self) -> str:
        for _ in range(600):
            if "startup complete" in (text := self.log) and (found := re.search(r"listening on (\S+)", text)):
                return found[1]
            try:
                self.process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            break
        self.stop()
        raise RuntimeError(self.log)

    @property
    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8")

    def stop(self, how: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(30)
        assert self.process.stdout is not None
        assert self.process.stdout.read() == b""  # results alone go to stdout, and a server has none
        self.process.stdout.close()
        return status


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Running]]:
    """Starts servers that stop with the session."""
    running: list[Running] = []

    def begin(*arguments: str, **environment: str) -> Running:
        running.append(Running(*arguments, log=tmp_path_factory.mktemp("log") / "stderr", **environment))
        return running[-1]

    yield begin
    for server in running:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture(scope="session")
def server(start: Callable[..., Running]) -> Running:
    return start()
