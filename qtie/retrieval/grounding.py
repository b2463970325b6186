"""What is searched as evidence for events: the sentences that speak of one, each with its time."""

import re
from collections.abc import Iterator
from typing import Protocol

from qtie.document import Document
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.ranking import Ranking
from qtie.rewriting.grounding import Evidence, Search, content_words

__all__ = ["evidence_in", "evidence_search"]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\d\"“])|\n+")
_FACETS = ("event", "validity", "focus_time", "timestamp", "published")
"""Where a document's time is taken from, the first that it has."""


class _Searcher(Protocol):
    def search(self, query: str, *, k: int, intent: TemporalIntent | None) -> Ranking: ...


def evidence_search(searcher: _Searcher, *, k: int = 20, stated_dates: bool = True) -> Search:
    """What `GroundingRewriter` asks: for an event phrase the sentences of the k best documents that share a word of it.

    A sentence's time is the one that it states, if it states exactly one, or else its document's.

    Args:
        searcher: over a corpus or a store; asked by topic alone.
        k: how many documents are looked at.
        stated_dates: whether a sentence's own date comes before its document's time; not where that is exact.

    Example:
        >>> from qtie.retrieval.bm25 import Bm25Retriever
        >>> from qtie.retrieval.search import TemporalSearcher
        >>> corpus = [Document.from_text("Acme completes the merger with Beta.", "news-7", timestamp="2019-03-05")]
        >>> [found] = evidence_search(TemporalSearcher(corpus, Bm25Retriever(corpus)))("the merger")
        >>> found.label, str(found.interval)
        ('news-7', '2019-03-05/2019-03-05')
    """

    def search(phrase: str) -> list[Evidence]:
        return [
            evidence
            for ranked in searcher.search(phrase, k=k, intent=TemporalIntent(query=phrase))
            if ranked.semantic_score > 0
            for evidence in evidence_in(ranked.document, phrase, ranked.semantic_score, stated_dates=stated_dates)
        ]

    return search


def evidence_in(document: Document, phrase: str, score: float, *, stated_dates: bool = True) -> Iterator[Evidence]:
    """The document's sentences that share a word with the phrase, each with the time it states, or the document's."""
    words = set(content_words(phrase))
    own = next((document.times[facet][0].interval for facet in _FACETS if document.times.get(facet)), None)
    for sentence in (document.title, *_SENTENCE_END.split(document.text)):
        if not words.isdisjoint(content_words(sentence)):
            stated = _stated(sentence) if stated_dates or own is None else None
            time = stated or own
            if time is not None:
                yield Evidence(sentence, time, score, _label(document), is_stated=stated is not None)


def _label(document: Document) -> str:
    return f"{document.title} [{document.doc_id}]" if document.title else document.doc_id


def _stated(sentence: str) -> TimeInterval | None:
    """The one date that a sentence states; None where it states none or several."""
    from qtie.focus_time import focus_time  # its rules take a while to compile

    dates = {time.interval for time in focus_time(sentence).get("event", ())}
    return dates.pop() if len(dates) == 1 else None
