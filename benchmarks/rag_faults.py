"""A thousand questions in a row at an endpoint that fails: each must end answered, or failed with its reason.

The endpoint stands on this machine and answers with the first capitalised words of the first passage; a third of its
answers are faults drawn by the seed: silence beyond the timeout, HTTP status 500, 429 and 400, bytes that are no JSON,
JSON that is no answer, an empty answer, one far too long, and a connection that is cut in the middle. Questions are the
sample corpus's, over its documents, in turns; the client sends what fails again, as it always does.
"""

import json
import random
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle, islice
from typing import Any, ClassVar

from report import REPOSITORY, parser, print_table, write_record

from qtie.errors import LlmError
from qtie.evaluation.datasets import load_sample
from qtie.llm.openai import OpenAIChat
from qtie.rag.answer import Answer
from qtie.rag.llm_reader import LlmReader
from qtie.rag.pipeline import Settings
from qtie.rag.pipelines import ask_all, make_pipeline
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.search import TemporalSearcher

N_QUESTIONS, CONCURRENCY = 1000, 16
FAULTS = ("silence", "500", "429", "400", "bytes", "no answer", "empty", "too long", "cut")
TIMEOUT_SECONDS = 2.0


class Endpoint(BaseHTTPRequestHandler):
    """Answers, or fails as the seed says."""

    protocol_version = "HTTP/1.1"
    rng = random.Random(0)
    lock = threading.Lock()
    counts: ClassVar[Counter[str]] = Counter()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            fault = self.rng.choice(FAULTS) if self.rng.random() < 1 / 3 else ""
            self.counts[fault or "answered"] += 1
        words = re.search(r"[A-Z]\w+ [A-Z]\w+", asked["messages"][-1]["content"].split(">", 1)[-1])
        self._send(fault, f"{words[0] if words else 'unknown'} [1]")

    def _send(self, fault: str, answer: str) -> None:
        texts = {"empty": " ", "too long": "word " * 9000}
        record: dict[str, Any] = {"choices": [{"message": {"content": texts.get(fault, answer)}}]}
        body = {"bytes": b"\x00\xff<html>", "no answer": b'{"choices": []}'}.get(fault, json.dumps(record).encode())
        if fault == "silence":
            time.sleep(1.5 * TIMEOUT_SECONDS)
        self.send_response(int(fault) if fault.isdigit() else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) + 50 * (fault == "cut")))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = fault == "cut"

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that the client gave up."""


def main() -> None:
    arguments = parser(__doc__ or "").parse_args()
    Endpoint.rng = random.Random(arguments.seed)
    server = Server(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    chat = OpenAIChat("stand-in", base_url=url, timeout_seconds=TIMEOUT_SECONDS, n_retries=2, concurrency=CONCURRENCY)
    sample = load_sample()
    searcher = TemporalSearcher(sample.documents, Bm25Retriever(sample.documents))
    settings = Settings(reader=LlmReader(chat), extractor=searcher.reranker.extractor)
    pipeline = make_pipeline("temporal", searcher, settings)
    questions = [(query.text, query.reference_date) for query in islice(cycle(sample.queries), N_QUESTIONS)]
    started = time.perf_counter()
    answers = list(ask_all(pipeline, questions, concurrency=CONCURRENCY))
    seconds = time.perf_counter() - started
    answered = [answer for answer in answers if isinstance(answer, Answer)]
    reasons = Counter(error.reason for error in answers if isinstance(error, LlmError))
    in_order = all(a.question == q for a, (q, _) in zip(answers, questions, strict=True) if isinstance(a, Answer))
    row = {
        "questions": len(answers),
        "answered": len(answered),
        "failed": sum(reasons.values()),
        "neither": len(answers) - len(answered) - sum(reasons.values()),
        "in order": in_order,
        "requests": chat.n_requests,
        "faults": sum(Endpoint.counts.values()) - Endpoint.counts["answered"],
        "seconds": seconds,
    }
    print_table([row], title=f"{N_QUESTIONS} questions, a third of all answers faulty")
    print_table(
        [{"reason": reason, "questions": n} for reason, n in reasons.most_common()], title="Why questions failed"
    )
    record = {"run": row, "reasons": dict(reasons), "sent by the endpoint": dict(Endpoint.counts)}
    write_record("rag_faults", record, arguments, data=[REPOSITORY / "qtie" / "sample" / "corpus.jsonl"])


if __name__ == "__main__":
    main()
