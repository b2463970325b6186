"""Retrieve once and read: the standard, re-ranked and temporal pipelines differ only in how they find passages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from qtie.baselines.ranker import Question, Ranker
from qtie.document import Document
from qtie.errors import ConfigError
from qtie.intent import IntentExtractor, TemporalIntent
from qtie.interval import TimeInterval
from qtie.normalization import guess_normalization
from qtie.rag.answer import Answer, Step, citations
from qtie.rag.asked_time import last_before, nearest, told_elsewhere, undated
from qtie.rag.conflicts import all_over, arranged, same_fact
from qtie.rag.passage import Asked, Passage, passages_of, shown_interval
from qtie.rag.reader import OnText, Reader, Reading
from qtie.rag.tense import as_of, asks_now, of_today
from qtie.ranking import Ranking
from qtie.retrieval.pool import Pool

__all__ = [
    "Find",
    "Pipeline",
    "RagPipeline",
    "Searcher",
    "Settings",
    "State",
    "going_on",
    "reranked",
    "standard",
    "temporal",
]


@runtime_checkable
class Searcher(Protocol):
    """What finds documents: `TemporalSearcher` over a corpus in memory, or the searcher of a store."""

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        reference_date: date | None = None,
        intent: TemporalIntent | None = None,
        interval: TimeInterval | None = None,
    ) -> Ranking:
        """The k best documents; for an atemporal intent in the order of topic alone."""
        ...


Find = Callable[[Asked, int], Sequence[Document]]
"""(question, k) -> the k best documents."""


@runtime_checkable
class Pipeline(Protocol):
    """Answers questions over documents."""

    def ask(self, question: str, *, reference_date: date | None = None, on_text: OnText | None = None) -> Answer:
        """The answer with its citations.

        Args:
            question: as the user asked it.
            reference_date: the day of asking, what "last year" counts from.
            on_text: hears the answer as it comes.

        Raises:
            LlmError: a language model gives no answer.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What every pipeline has.

    Raises:
        ConfigError: k or max_steps is not positive.
    """

    reader: Reader
    extractor: IntentExtractor
    """Reads the time that a question asks for; nothing else does."""
    k: int = 5
    """How many passages are read at a time."""
    max_steps: int = 4
    """How often an iterative pipeline reads at most."""

    def __post_init__(self) -> None:
        if self.k < 1 or self.max_steps < 1:
            raise ConfigError(f"k and max_steps must be at least 1, not {self.k} and {self.max_steps}")

    def asked(self, question: str, reference_date: date | None) -> Asked:
        """The question with its time."""
        if not question.strip():
            raise ConfigError("the question is empty")
        intent = self.extractor.extract(question, reference_date=reference_date)
        return Asked(question=question, intent=intent, reference_date=reference_date)


class RagPipeline:
    """Retrieves once, reads, and cites.

    Args:
        name: what the answers say of it.
        find: finds the passages.
        settings: reader, extractor and k.
        ordered: whether passages of the same fact are put in the order of their validity, and a question is not
            answered where the passages that have most of its words are of another time.

    Example:
        >>> from qtie.rag.extractive import ExtractiveReader
        >>> from qtie.retrieval.bm25 import Bm25Retriever
        >>> from qtie.retrieval.search import TemporalSearcher
        >>> texts = {"2016": "Jonas Weber led the ministry.", "2019": "Elke Brandt led the ministry."}
        >>> corpus = [Document.from_text(text, year, timestamp=year) for year, text in texts.items()]
        >>> searcher = TemporalSearcher(corpus, Bm25Retriever(corpus))
        >>> settings = Settings(reader=ExtractiveReader(), extractor=searcher.reranker.extractor)
        >>> pipeline = RagPipeline("temporal", temporal(searcher), settings, ordered=True)
        >>> print(pipeline.ask("Who led the ministry in 2016?"))
        Jonas Weber
          [2016, 2016]: Jonas Weber led the ministry.
          (said of several times: 2016 [2016], 2019 [2019])
    """

    def __init__(self, name: str, find: Find, settings: Settings, *, ordered: bool = False) -> None:
        self.name, self.find, self.settings, self.ordered = name, find, settings, ordered

    def ask(self, question: str, *, reference_date: date | None = None, on_text: OnText | None = None) -> Answer:
        """The answer with its citations; see `Pipeline.ask`."""
        asked = self.settings.asked(question, reference_date)
        passages = passages_of(self.find(asked, self.settings.k), asked)
        notes: list[str] = []
        if self.ordered:
            passages, notes = arranged(passages, asked)
        elsewhere, then = told_elsewhere(passages, asked) if self.ordered else "", None
        if elsewhere and (then := going_on(self.find, asked, self.settings.k)):
            passages, notes, elsewhere = then.passages, then.notes, ""
        if elsewhere:
            reading = Reading(answer=None)
        else:
            reading = self.settings.reader.read(then.asked if then else asked, passages, on_text=on_text)
        cited = citations(reading, passages_of([passage.document for passage in passages], asked), asked)
        missing = elsewhere or ("" if any(each.inside for each in cited) else nearest(passages, asked))
        verdict = "read" if reading.answer is not None else "the passages do not answer"
        if not passages:
            missing, verdict = "no documents to read", "nothing was found"
        return Answer(
            question=question,
            answer=reading.answer,
            citations=cited,
            intent=asked.intent,
            pipeline=self.name,
            reader=self.settings.reader.name,
            notes=(*notes, *(note for note in (missing, reading.note) if note)),
            steps=(step("ask", asked.intent, passages, reading, verdict),),
            n_tokens_read=reading.n_tokens_read,
            n_tokens_written=reading.n_tokens_written,
        )


class State(NamedTuple):
    """What was last said of a state before the asked time ended."""

    asked: Asked
    """The question as of then."""
    passages: tuple[Passage, ...]
    notes: list[str]


def going_on(find: Find, asked: Asked, k: int) -> State | None:
    """A state goes on until something else is said of it: what was said last, where a question asks for a state; else
    None."""
    intent = as_of(asked)
    if intent is None:
        return None
    then = replace(asked, intent=intent)
    passages, notes = arranged(passages_of(find(then, k), then), then)
    last = last_before(passages, then)
    first_day = None if asked.intent.interval is None else asked.intent.interval.start
    if last is None or last.time is None or (first_day is not None and (last.time.end or first_day) >= first_day):
        return None
    said = f"as of then: {last.document.doc_id} ({shown_interval(last.time)})"
    return State(then, passages, [*notes, f"{undated(asked)}; {said}"])


def standard(searcher: Searcher) -> Find:
    """By topic alone: the whole question is the query, and no time is looked at."""

    def find(asked: Asked, k: int) -> Sequence[Document]:
        return _by_topic(searcher, asked.question, k)

    return find


def temporal(searcher: Searcher) -> Find:
    """By topic and time, as the searcher's own reranker joins them.

    Of a document without a time nobody can say whether it is of the asked one. So those among the best by topic alone
    keep their places, and the others are ordered around them. A question in the present tense asks for no time; but
    where what it is answered with is over, the documents of the day of asking are taken, if any state the same.
    """

    def find(asked: Asked, k: int) -> Sequence[Document]:
        found = around(asked, k)
        if not asks_now(asked) or not all_over(passages_of(found, asked), asked):
            return found
        latest = around(replace(asked, intent=of_today(asked)), k)
        passages = passages_of(latest, asked)
        return latest if same_fact(passages, asked) and not all_over(passages, asked) else found

    def around(asked: Asked, k: int) -> list[Document]:
        found = searcher.search(asked.question, k=k, reference_date=asked.reference_date, intent=asked.intent)
        by_time = {ranked.doc_id: ranked.document for ranked in found}
        if not asked.intent.is_temporal:
            return list(by_time.values())
        by_topic = enumerate(_by_topic(searcher, asked.question, k))
        undated = {place: document for place, document in by_topic if not document.times}
        kept = {document.doc_id for document in undated.values()}
        others = (document for doc_id, document in by_time.items() if doc_id not in kept)
        n_found = min(k, len(by_time.keys() | kept))
        return [undated[place] if place in undated else next(others) for place in range(n_found)]

    return find


def reranked(searcher: Searcher, ranker: Ranker, *, n_candidates: int = 100) -> Find:
    """By topic, and the best candidates again by a ranker, such as `make_ranker` gives by name.

    Args:
        n_candidates: how many candidates the ranker orders.
    """

    def find(asked: Asked, k: int) -> Sequence[Document]:
        question = Question(text=asked.question, intent=asked.intent, reference_date=asked.reference_date)
        found = searcher.search(asked.question, k=n_candidates, intent=TemporalIntent(query=asked.question))
        pool = Pool([ranked.document for ranked in found])
        query = ranker.semantic_query(question, pool)
        if query != asked.question:  # the words that this ranker wants the topic scored by
            found = searcher.search(query, k=n_candidates, intent=TemporalIntent(query=query))
            pool = Pool([ranked.document for ranked in found])
        semantic = np.array([ranked.semantic_score for ranked in found])
        scores = ranker.scores(question, semantic, pool, normalization=guess_normalization(semantic))
        return [pool.documents[at] for at in pool.order(scores, semantic, k=k)]

    return find


def step(action: str, intent: TemporalIntent, passages: Sequence[Passage], reading: Reading, verdict: str) -> Step:
    """A round, for the trace."""
    return Step(
        action=action,
        intervals=intent.intervals,
        doc_ids=tuple(passage.document.doc_id for passage in passages),
        answer=reading.answer,
        verdict=verdict,
    )


def _by_topic(searcher: Searcher, query: str, k: int) -> list[Document]:
    found = searcher.search(query, k=k, intent=TemporalIntent(query=query))
    return [ranked.document for ranked in found]
