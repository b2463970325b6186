"""How long the parts of a search take, on one thread: retrieval, reading the query, temporal scores and fusion."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.baselines.ranker import Question, Ranker
from qtie.baselines.registry import make_ranker
from qtie.document import Document
from qtie.evaluation.datasets import Query, load_sample
from qtie.evaluation.grid.bench import Bench
from qtie.evaluation.grid.run import Setting, Survey
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval, day_number
from qtie.reranker import TemporalReranker
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.dense import DenseRetriever
from qtie.retrieval.encoders import Encoder, load_encoder
from qtie.retrieval.retriever import Retriever, Scores
from qtie.time_columns import TimeColumns, Times

__all__ = ["CORPUS_SIZES", "ranker_times", "search_times"]

CORPUS_SIZES = (1_000, 10_000, 100_000, 1_000_000)

_MOST_TEXTS = 100_000
"""Larger corpora have no text: their BM25 index would take longer to build than all else."""
_N_QUERIES = 40
_N_REPETITIONS = 3
_N_WORDS = 5_000
_FIRST_DAY, _LAST_DAY = day_number(1990), day_number(2025)
_TOP = 100


class _MadeEmbeddings:
    """Random vectors for documents; queries really encoded."""

    fingerprint = "made"

    def __init__(self, encoder: Encoder, n_docs: int, seed: int) -> None:
        self._encoder, self._n_docs, self._seed = encoder, n_docs, seed

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._encoder.encode_queries(texts)

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        n_dimensions = self._encoder.encode_queries(["a"]).shape[1]
        vectors = np.random.default_rng(self._seed).standard_normal((self._n_docs, n_dimensions), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def search_times(n_docs: int, encoder: str | None, seed: int) -> list[dict[str, Any]]:
    """A row for each retriever over a made corpus with random days: milliseconds per query, the median over queries.

    Args:
        n_docs: the size of the corpus.
        encoder: of the dense retriever; None: BM25 alone.
        seed: makes the corpus.

    Returns:
        Rows with `retrieval` (encoding, scoring, and choosing the best), `reading` (the intent), `scoring` (temporal
        scores and fusion), `added` (both) and `added %` of the retrieval; `beside` is what both add where the reading
        runs in a second thread while the encoder works, so that the encoder is asked the query as it is.
    """
    random = np.random.default_rng(seed)
    days = random.integers(_FIRST_DAY, _LAST_DAY, n_docs)
    intervals = [TimeInterval(int(day), int(day)) for day in days]
    columns = TimeColumns(n_docs, {"timestamp": Times.from_intervals(intervals)})
    return [
        {"documents": n_docs, "retriever": name, **_times(retriever, columns, is_dense=name != "bm25")}
        for name, retriever in _retrievers(n_docs, encoder, seed)
    ]


def _retrievers(n_docs: int, encoder: str | None, seed: int) -> Iterator[tuple[str, Retriever]]:
    if n_docs <= _MOST_TEXTS:
        random = np.random.default_rng(seed)
        words = sorted({word for query in load_sample().queries for word in query.text.lower().split()})
        words += [f"word{number}" for number in range(_N_WORDS - len(words))]
        drawn = random.zipf(1.2, size=(n_docs, 40)) % len(words)
        texts = (" ".join(words[word] for word in row) for row in drawn)
        yield "bm25", Bm25Retriever([Document(doc_id=str(number), text=text) for number, text in enumerate(texts)])
    if encoder is not None:
        made = _MadeEmbeddings(load_encoder(encoder), n_docs, seed)
        yield encoder, DenseRetriever([Document(doc_id="0", text="")], made)


def _times(retriever: Retriever, columns: TimeColumns, *, is_dense: bool) -> dict[str, float | None]:
    reranker = TemporalReranker(normalization=retriever.normalization)
    queries = [query for query in load_sample().queries if _asks(reranker, query)][:_N_QUERIES]
    with ThreadPoolExecutor(max_workers=1) as thread:
        rows = [_query_times(query, retriever, reranker, columns, thread) for query in queries]
    found = {name: median(row[name] for row in rows) for name in rows[0]}
    added = found["reading"] + found["scoring"]
    share = 100 * added / found["retrieval"]
    return {**found, "added": added, "added %": share, "beside": found["beside"] if is_dense else None}


def _query_times(
    query: Query, retriever: Retriever, reranker: TemporalReranker, columns: TimeColumns, thread: ThreadPoolExecutor
) -> dict[str, float]:
    """Milliseconds of the parts of one search, and of what time adds where the query is read beside the retrieval."""

    def search() -> Scores:
        scores = retriever.scores(query.text)
        np.argpartition(-scores, _TOP)
        return scores

    def read() -> TemporalIntent:
        return reranker.extractor.extract(query.text, reference_date=query.reference_date)

    def search_and_read() -> None:
        reading = thread.submit(read)
        semantic = search()
        reranker.fuse(reading.result(), semantic, columns)

    intent, semantic = read(), search()
    retrieval = _milliseconds(search)
    return {
        "retrieval": retrieval,
        "reading": _milliseconds(read),
        "scoring": _milliseconds(lambda: reranker.fuse(intent, semantic, columns)),
        "beside": _milliseconds(search_and_read) - retrieval,
    }


def _asks(reranker: TemporalReranker, query: Query) -> bool:
    intent: TemporalIntent = reranker.extractor.extract(query.text, reference_date=query.reference_date)
    return intent.is_temporal


def ranker_times(setting: Setting, survey: Survey, retriever: str, rankers: Sequence[str]) -> dict[str, float]:
    """Milliseconds that each ranker takes for a query of that data set, without retrieval: the median over queries."""
    bench = setting.bench(survey.name, survey.by_query)
    queries = bench.dataset.queries[:_N_QUERIES]
    return {
        name: median(_ranker_time(bench, make_ranker(name), query, retriever) for query in queries) for name in rankers
    }


def _ranker_time(bench: Bench, ranker: Ranker, query: Query, retriever: str) -> float:
    question = Question(text=query.text, intent=bench.intents[query.query_id], reference_date=query.reference_date)
    part = bench.part(query)
    scorer = bench.semantic(retriever)
    (semantic,) = scorer.of([bench.asked(ranker, question, part.pool, scorer)])
    given = semantic[part.positions].astype(np.float64)
    return _milliseconds(lambda: ranker.scores(question, given, part.pool, normalization=scorer.normalization))


def _milliseconds(work: Callable[[], object]) -> float:
    """The least of a few repetitions, the first left out: what the work takes when nothing disturbs it."""
    work()
    taken = []
    for _ in range(_N_REPETITIONS):
        started = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - started))
    return min(taken)
