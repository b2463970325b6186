"""The pipelines by name, and many questions in a row."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date

from qtie.baselines.registry import make_ranker
from qtie.document import Document
from qtie.errors import ConfigError, QtieError
from qtie.rag.answer import Answer
from qtie.rag.iterative import IterativePipeline
from qtie.rag.passage import Asked
from qtie.rag.pipeline import Pipeline, RagPipeline, Searcher, Settings, reranked, standard, temporal
from qtie.rewriting.rewriter import Rewriter

__all__ = ["PIPELINES", "ask_all", "make_pipeline"]

_RERANKED = "reranked"


def _closed_book(searcher: Searcher, settings: Settings, rewriter: Rewriter | None) -> Pipeline:
    def nothing(asked: Asked, k: int) -> Sequence[Document]:
        return ()

    return RagPipeline("closed-book", nothing, settings)


def _standard(searcher: Searcher, settings: Settings, rewriter: Rewriter | None) -> Pipeline:
    return RagPipeline("standard", standard(searcher), settings)


def _temporal(searcher: Searcher, settings: Settings, rewriter: Rewriter | None) -> Pipeline:
    return RagPipeline("temporal", temporal(searcher), settings, ordered=True)


def _iterative(searcher: Searcher, settings: Settings, rewriter: Rewriter | None) -> Pipeline:
    return IterativePipeline(temporal(searcher), settings, rewriter=rewriter)


PIPELINES: dict[str, Callable[[Searcher, Settings, Rewriter | None], Pipeline]] = {
    "closed-book": _closed_book,
    "standard": _standard,
    "temporal": _temporal,
    "iterative": _iterative,
}
"""The pipelines by name; besides, `reranked:RANKER` with any name that `make_ranker` knows."""


def make_pipeline(name: str, searcher: Searcher, settings: Settings, *, rewriter: Rewriter | None = None) -> Pipeline:
    """The pipeline of that name.

    Args:
        name: one of `PIPELINES`, or `reranked:RANKER`, such as `reranked:tempralm`.
        searcher: finds the documents.
        settings: reader, extractor, k.
        rewriter: dates the events that questions name, for the iterative pipeline.

    Raises:
        ConfigError: there is no such pipeline or ranker.
        MissingExtraError: what the ranker needs is not installed.
    """
    kind, _, ranker = name.partition(":")
    if kind == _RERANKED:
        return RagPipeline(name, reranked(searcher, make_ranker(ranker or "qtie")), settings)
    if name not in PIPELINES:
        raise ConfigError(f"unknown pipeline {name!r}; one of {', '.join([*PIPELINES, f'{_RERANKED}:RANKER'])}")
    return PIPELINES[name](searcher, settings, rewriter)


def ask_all(
    pipeline: Pipeline, questions: Iterable[tuple[str, date | None]], *, concurrency: int = 1
) -> Iterator[Answer | QtieError]:
    """For each question, in order, its answer or why there is none; a failure stops no other.

    Args:
        questions: each with its day of asking; read as they are needed.
        concurrency: how many are under way at a time.
    """

    def ask(question: str, reference_date: date | None) -> Answer | QtieError:
        try:
            return pipeline.ask(question, reference_date=reference_date)
        except QtieError as error:
            return error

    if concurrency <= 1:
        for question, day in questions:
            yield ask(question, day)
        return
    with ThreadPoolExecutor(concurrency) as pool:
        waiting: deque[Future[Answer | QtieError]] = deque()
        for question, day in questions:
            waiting.append(pool.submit(ask, question, day))
            if len(waiting) >= 2 * concurrency:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
