"""The embedded store: time to index, latency, memory, and whether a search finds what scoring everything finds.

The large corpora are generated: words by Zipf's law in topics, nine of ten documents dated; another seed gives others.
Latencies are of one thread in a process of its own, warm, with the query's extraction in them. What a search finds is
compared with scoring everything, for as many other queries. Quality is measured by `store_quality.py`.

    python benchmarks/store.py      # 1,000 to 1,000,000 documents: time, size, latency, memory, equality
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

os.environ.setdefault("LANCE_LOG", "error")

import numpy as np
from numpy.typing import NDArray
from report import parser, print_table, write_record

from qtie.interval import civil_date

TODAY = date(2025, 6, 15)
FIRST_DAY, LAST_DAY = -7305, 20_089  # 1950-01-01 to 2025-01-01
N_WORDS, N_TOPICS, N_PER_DOCUMENT = 50_000, 200, 20
N_DIMENSIONS = 384
"""As MiniLM's."""


class Words:
    """Topics over a vocabulary: a topic is a permutation of a shared Zipf distribution's most frequent words."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        letters = np.array(list("bcdfghjklmnprstvz")), np.array(list("aeiou"))
        syllables = [a + b for a in letters[0] for b in letters[1]]
        self.words = np.array(["".join(rng.choice(syllables, size=2 + i % 3)) + str(i % 7) for i in range(N_WORDS)])
        weights = 1 / np.arange(1, N_WORDS + 1)
        self.common = np.cumsum(weights / weights.sum())
        self.topics = [rng.permutation(N_WORDS)[:500] for _ in range(N_TOPICS)]
        self.topical = np.cumsum(weights[:500] / weights[:500].sum())

    def draw(self, rng: np.random.Generator, n: int, n_words: int) -> NDArray[np.str_]:
        """Shape (n, n_words): half of the words from a topic, half from all."""
        topics = np.array(self.topics)[rng.integers(0, N_TOPICS, n)]
        own = topics[np.arange(n)[:, None], np.searchsorted(self.topical, rng.random((n, n_words // 2)))]
        common = np.searchsorted(self.common, rng.random((n, n_words - n_words // 2)))
        return self.words[np.concatenate([own, common], axis=1)]


def corpus(n_docs: int, seed: int) -> Iterator[dict[str, Any]]:
    """Records as a corpus file holds them: a tenth undated, a tenth valid over years, else of a day, month or year."""
    words = Words(seed)
    for first in range(0, n_docs, 10_000):
        n = min(10_000, n_docs - first)
        rng = np.random.default_rng((seed, first))
        texts = words.draw(rng, n, N_PER_DOCUMENT)
        days, kinds = rng.integers(FIRST_DAY, LAST_DAY, n), rng.integers(0, 10, n)
        for at in range(n):
            year, month, day = civil_date(int(days[at]))
            metadata: dict[str, Any] = {"source": f"s{at % 50}"}
            if kinds[at] == 1:
                metadata |= {"valid_from": f"{year:04}", "valid_to": f"{year + int(rng.integers(1, 15)):04}"}
            elif kinds[at] > 1:
                forms = (f"{year:04}-{month:02}-{day:02}", f"{year:04}-{month:02}", f"{year:04}")
                metadata["date"] = forms[0 if kinds[at] < 7 else 1 if kinds[at] < 9 else 2]
            yield {"_id": f"d{first + at:07}", "text": " ".join(texts[at]), "metadata": metadata}


EXPRESSIONS = (
    "in {y}", "since {y}", "before {y}", "between {y} and {z}", "in the {d}s", "in March {y}", "until {y}", "",
    "from {y} to {z}", "in early {y}",
)  # fmt: skip


def queries(n: int, seed: int, draw: int = 1) -> list[str]:
    """Three words of a topic and an expression of time, or none; another `draw` gives others over the same corpus."""
    words, rng = Words(seed), np.random.default_rng((seed, -draw % 2**32))
    found = []
    for at, drawn in enumerate(words.draw(rng, n, 4)):
        year = int(rng.integers(1955, 2020))
        said = EXPRESSIONS[at % len(EXPRESSIONS)].format(y=year, z=year + 3, d=year // 10 * 10)
        found.append(f"{' '.join(drawn[:3])} {said}".strip())
    return found


class WordVectors:
    """An encoder that adds up one random vector a word, so that encoding takes no part in what is measured."""

    fingerprint = "benchmark word vectors"

    def __init__(self) -> None:
        self._table = np.random.default_rng(7).standard_normal((8192, N_DIMENSIONS)).astype(np.float32)

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (n_texts, 384), each row of length 1."""
        rows = np.array(
            [self._table[[sum(map(ord, word)) * 31 % 8192 for word in text.split()] or [0]].sum(0) for text in texts]
        )
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    encode_documents = encode_queries


def write_corpus(path: Path, n_docs: int, seed: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in corpus(n_docs, seed))


def in_process(task: str, **options: Any) -> dict[str, Any]:
    """What a task of this script gives, run in a process of its own so that memory is its own."""
    command = [sys.executable, __file__, "--task", task, json.dumps(options)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    result: dict[str, Any] = json.loads(output.splitlines()[-1])
    return result


def index_task(*, source: str, store: str, vectors: bool) -> dict[str, Any]:
    from qtie.corpus import read_corpus
    from qtie.retrieval.store import Store

    started = time.perf_counter()
    made = Store.create(store, encoder=WordVectors() if vectors else None)
    made.write(read_corpus(source))
    seconds = time.perf_counter() - started
    size = sum(path.stat().st_size for path in Path(store).rglob("*") if path.is_file())
    return {"index s": seconds, "store MiB": size / 2**20, "index MiB": _peak()}


def search_task(*, store: str, n_queries: int, seed: int, retriever: str) -> dict[str, Any]:
    from qtie.retrieval.store import Store, StoreSearcher

    encoder = None if retriever == "bm25" else WordVectors()
    searcher = StoreSearcher(Store.open(store, encoder=encoder), retriever=retriever)
    asked = queries(n_queries, seed)
    for query in asked[:30]:
        searcher.search(query, reference_date=TODAY)
    timed = [_timed(lambda query=query: searcher.search(query, reference_date=TODAY)) for query in asked]
    wall, cpu = np.array(timed).T * 1000
    return {
        "p50 ms": float(np.percentile(wall, 50)),
        "p95 ms": float(np.percentile(wall, 95)),
        "CPU ms": float(cpu.mean()),
        "search MiB": _peak(),
    }


def _timed(call: Any) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def equality_task(*, source: str, store: str, n_queries: int, seed: int, retriever: str) -> dict[str, Any]:
    """How often the first ten are those of scoring every document of the corpus.

    For a query that asks for no time, documents that share no word with it are no results.
    """
    from qtie.corpus import read_corpus
    from qtie.retrieval.pool import Pool
    from qtie.retrieval.store import Store, StoreSearcher

    encoder = None if retriever == "bm25" else WordVectors()
    made = Store.open(store, encoder=encoder)
    lean = [replace(document, text="", metadata={}) for document in read_corpus(source)]  # so that a million fit
    pool, searcher = Pool(lean), StoreSearcher(made, retriever=retriever)
    reranker, scores = searcher.reranker, AllScores(made.snapshot(), [document.doc_id for document in lean], encoder)
    equal = 0
    for query in queries(n_queries, seed, draw=2):
        intent = reranker.extractor.extract(query, reference_date=TODAY)
        semantic = scores.of(pool.semantic_query(intent))
        fused = reranker.fuse(intent, semantic, pool.columns).fused if intent.is_temporal else semantic
        order = pool.order(fused, semantic, k=10)
        best = [pool.documents[at].doc_id for at in order if intent.is_temporal or semantic[at] > 0]
        equal += best == [ranked.doc_id for ranked in searcher.search(query, intent=intent)]
    return {"top 10 equal %": 100 * equal / n_queries}


class AllScores:
    """Scores of all documents: BM25 from the store's index without limit or predicate, mixed with all cosines."""

    def __init__(self, table: Any, doc_ids: Sequence[str], encoder: WordVectors | None) -> None:
        columns = ["_rowid", "doc_id", *([] if encoder is None else ["vector"])]
        rows = table.search().select(columns).limit(None).to_arrow().sort_by("_rowid")
        place = {doc_id: at for at, doc_id in enumerate(doc_ids)}
        self._table, self._encoder, self._rows = table, encoder, rows["_rowid"].to_numpy()
        self._places = np.array([place[doc_id] for doc_id in rows["doc_id"].to_pylist()])
        if encoder is not None:
            flat = rows["vector"].combine_chunks().flatten().to_numpy()
            self._vectors = flat.reshape(-1, N_DIMENSIONS)[np.argsort(self._places)]

    def of(self, text: str) -> NDArray[np.float64]:
        """Shape (n_docs,), in the order of `doc_ids`."""
        from lancedb.query import MatchQuery

        from qtie.retrieval.hybrid import DENSE_WEIGHT

        search = self._table.search(MatchQuery(text, "content"), query_type="fts").select(["_rowid", "_score"])
        found = search.limit(len(self._rows)).to_arrow()
        words = np.zeros(len(self._rows))
        words[self._places[np.searchsorted(self._rows, found["_rowid"].to_numpy())]] = found["_score"].to_numpy()
        if self._encoder is None:
            return words
        cosines = (self._vectors @ self._encoder.encode_queries([text])[0]).astype(np.float64)
        scaled = (cosines - cosines.min()) / (cosines.max() - cosines.min())
        return (1 - DENSE_WEIGHT) * words / max(words.max(), 1e-9) + DENSE_WEIGHT * scaled


TASKS = {"index": index_task, "search": search_task, "equality": equality_task}


def growth(arguments: argparse.Namespace) -> None:
    rows: list[dict[str, Any]] = []
    for n_docs in arguments.sizes:
        folder = Path(mkdtemp(prefix="qtie-store-", dir=arguments.scratch))
        try:
            rows += list(_grown(n_docs, folder, arguments))
        finally:
            shutil.rmtree(folder)
        print_table(rows, title=f"to {n_docs:,} documents; {arguments.queries} queries")
        write_record("store", {"growth": rows}, arguments, data=[])


def _grown(n_docs: int, folder: Path, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    source = str(folder / "corpus.jsonl")
    write_corpus(Path(source), n_docs, arguments.seed)
    asked = {"n_queries": arguments.queries, "seed": arguments.seed}
    kinds = {"bm25": "BM25 + time"} | ({"hybrid": "hybrid + time"} if n_docs <= arguments.most_vectors else {})
    for retriever, name in kinds.items():
        store = str(folder / retriever)
        row = {"documents": n_docs, "search": name}
        row |= in_process("index", source=source, store=store, vectors=retriever == "hybrid")
        row |= in_process("search", store=store, retriever=retriever, **asked)
        row |= in_process("equality", source=source, store=store, retriever=retriever, **asked)
        yield row | {"load": os.getloadavg()[0]}


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--task", nargs=2, metavar=("NAME", "OPTIONS"), help="what this script runs of itself")
    arguments.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    arguments.add_argument("--queries", type=int, default=500)
    arguments.add_argument("--most-vectors", type=int, default=100_000, help="largest corpus that gets vectors")
    arguments.add_argument("--scratch", type=Path, help="folder for the generated corpora and their stores")
    given = arguments.parse_args()
    if given.task:
        name, options = given.task
        print(json.dumps(TASKS[name](**json.loads(options))))
        return
    growth(given)


if __name__ == "__main__":
    main()
