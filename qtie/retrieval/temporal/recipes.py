"""What each temporal retriever is trained on: questions to triples. One function a recipe, one table of them."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from random import Random

from qtie.document import Document
from qtie.interval import TimeInterval
from qtie.retrieval.temporal.contrastive import DatedText, Triple
from qtie.retrieval.temporal.date_texts import date_text, document_interval
from qtie.retrieval.temporal.questions import RetrievalQuestion
from qtie.retrieval.temporal.wrong_times import with_wrong_time
from qtie.tie.grammar import GrammarExtractor

__all__ = ["RECIPES", "dense", "tempretriever", "tscontriever"]

_N_SAME_PERIOD = 5
_N_TRIED = 60
"""Passages that are drawn to find as many of the same period."""
_N_WRONG_TIMES = 4
"""Wrong questions made from each right one."""


def dense(questions: Sequence[RetrievalQuestion], seed: int) -> list[Triple]:
    """The question as anchor, its own passages: what TSM's encoders are trained on, each on one specifier's."""
    return [Triple(DatedText(each.question), _undated(each.positives), _undated(each.negatives)) for each in questions]


def tempretriever(questions: Sequence[RetrievalQuestion], seed: int) -> list[Triple]:
    """As `dense`, with dates, and with passages of other questions that are of the asked period as further negatives.

    A passage's date is read from its text.
    """
    extractor, random = GrammarExtractor(), Random(seed)
    passages = sorted({text for each in questions for text in (*each.positives, *each.negatives)})
    intervals = {text: document_interval(Document(doc_id="passage", text=text)) for text in passages}
    triples = []
    for each in questions:
        asked = extractor.extract(each.question).interval
        own = {*each.positives, *each.negatives}
        drawn = random.sample(passages, min(_N_TRIED, len(passages)))
        same_period = [text for text in drawn if text not in own and _share_a_day(asked, intervals[text])]
        negatives = (*each.negatives, *same_period[:_N_SAME_PERIOD])
        of_passages = [
            tuple(DatedText(text, date_text(intervals[text])) for text in texts)
            for texts in (each.positives, negatives)
        ]
        triples.append(Triple(DatedText(each.question, date_text(asked)), *of_passages))
    return triples


def tscontriever(questions: Sequence[RetrievalQuestion], seed: int) -> list[Triple]:
    """The passage as anchor, its questions as positives, and the same questions with wrong times as negatives."""
    extractor, random = GrammarExtractor(), Random(seed)
    of_passage: dict[str, list[str]] = defaultdict(list)
    for each in questions:
        for passage in each.positives:
            of_passage[passage].append(each.question)
    triples = []
    for passage, right in of_passage.items():
        intents = [extractor.extract(question) for question in right]
        drawn = [with_wrong_time(intent, random) for intent in intents for _ in range(_N_WRONG_TIMES)]
        wrong = tuple(dict.fromkeys(text for text in drawn if text is not None and text not in right))
        triples.append(Triple(DatedText(passage), _undated(dict.fromkeys(right)), _undated(wrong)))
    return triples


def _undated(texts: Sequence[str] | dict[str, None]) -> tuple[DatedText, ...]:
    return tuple(DatedText(text) for text in texts)


def _share_a_day(asked: TimeInterval | None, interval: TimeInterval | None) -> bool:
    return asked is not None and interval is not None and asked.overlaps(interval)


RECIPES: dict[str, Callable[[Sequence[RetrievalQuestion], int], list[Triple]]] = {
    "dense": dense,
    "tempretriever": tempretriever,
    "tscontriever": tscontriever,
    "tsm": dense,
}
"""By name, from questions and a seed. `dense` knows nothing of time: what the others must be better than."""
