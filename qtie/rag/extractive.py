"""A reader without a language model: the sentence that answers best, and in it the name, date or number asked for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from qtie.document import Document, DocumentTime
from qtie.interval import TimeInterval
from qtie.rag.passage import Asked, Passage, shown_interval
from qtie.rag.reader import OnText, Quote, Reading
from qtie.rag.spans import AnswerKind, Span, answer_kind, asks_who, sentences, spans
from qtie.rag.words import content_words, share, word_weights
from qtie.stated_dates import StatedDate, stated_dates
from qtie.temporal_relevance import temporal_scores
from qtie.time_columns import TimeColumns

__all__ = ["Candidate", "ExtractiveReader", "ReadingWeights", "candidates"]

_FARTHEST = 150
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingWeights:
    """How much each sign counts, in log-odds; `benchmarks/tune_rag_reader.py` has the sweep. Title is a first guess."""

    passage_share: float = 0.6
    """Of the question's words found anywhere in the passage, against those in the sentence; in [0, 1]."""
    time: float = 1.5
    """Of the temporal score of the date next to the answer."""
    rank: float = 2.0
    """Of the passage's place among the passages."""
    distance: float = 0.003
    """Lost for each character between an answer and the nearest of the question's words."""
    title: float = 1.0
    """Where it is asked who, for names in the passage's title or first line: they say whom it is about."""


class Candidate(NamedTuple):
    """Words of a passage that may be the answer, and the signs for it."""

    passage: int
    sentence: Span
    answer: str
    in_sentence: float
    """Share of the question's words that stand in its sentence, names counted twice; in [0, 1]."""
    in_passage: float
    """The same of its passage."""
    fit: float
    """Temporal score of the date next to it, in (0, 1]."""
    distance: int
    """Characters to the nearest of the question's words in its sentence; 150 at most."""
    kind_penalty: float
    """Log-odds lost where it is not of the kind asked for."""
    in_title: bool = False
    """Whether it is asked who, and it stands in a title or first line."""

    def coverage(self, weights: ReadingWeights) -> float:
        """The share of the question's words that it answers, in [0, 1]."""
        return weights.passage_share * self.in_passage + (1 - weights.passage_share) * self.in_sentence

    def score(self, weights: ReadingWeights) -> float:
        """How well it answers, in log-odds."""
        w = weights
        of_topic = log(max(self.coverage(w), 1e-3)) - w.distance * self.distance
        of_place = w.rank * log(11 / (11 + self.passage)) + w.title * self.in_title
        return of_topic + w.time * log(self.fit) + of_place - self.kind_penalty


class ExtractiveReader:
    r"""Finds the answer among the words of the passages.

    Each sentence (a title counts as one) is scored by the share c of the question's words in it and in its passage; a
    date, name or number in it further by how near the question's words stand (d characters), by how well the date next
    to it fits the time asked for, by its passage's rank r, from 1, and, asked who, by standing in a title (h = 1):

    .. math:: S = \log c + w_t \log S_\text{temp} + w_r \log \frac{11}{10 + r} - w_d d + w_h h

    A question that asks for none of these (why, how, keywords) is answered with the sentence.

    Args:
        weights: how the signs are weighed.
        least_coverage: below that share of the question's words, in [0, 1], the passages do not answer.

    Example:
        >>> from qtie.rag.passage import passages_of
        >>> from qtie.tie.grammar import GrammarExtractor
        >>> question = "who led the ministry in 2016"
        >>> asked = Asked(question=question, intent=GrammarExtractor().extract(question))
        >>> text = "Elke Brandt led the ministry until 2014. In 2016 Jonas Weber led it."
        >>> reading = ExtractiveReader().read(asked, passages_of([Document(doc_id="a", text=text)], asked))
        >>> reading.answer, reading.quotes[0].text
        ('Jonas Weber', 'In 2016 Jonas Weber led it.')
    """

    name = "extractive"

    def __init__(self, *, weights: ReadingWeights | None = None, least_coverage: float = 0.3) -> None:
        self.weights = weights or ReadingWeights()
        self.least_coverage = least_coverage

    def read(self, asked: Asked, passages: Sequence[Passage], *, on_text: OnText | None = None) -> Reading:
        """The best answer, its sentence, and further sentences of other passages that say the same."""
        texts = [_Text.of(passage) for passage in passages]
        found = candidates(asked, passages, texts)
        chosen = self.best(found)
        if chosen is None:
            return Reading(answer=None)
        if on_text:
            on_text(chosen.answer)
        quotes = _quotes(chosen, found, texts, self.weights)
        return Reading(answer=chosen.answer, quotes=quotes, confidence=chosen.coverage(self.weights) * chosen.fit)

    def best(self, found: Sequence[Candidate]) -> Candidate | None:
        """The candidate that answers best; None if none has words enough of the question."""
        covering = [each for each in found if each.coverage(self.weights) >= self.least_coverage]
        return max(covering, key=lambda each: each.score(self.weights), default=None)


def candidates(asked: Asked, passages: Sequence[Passage], texts: Sequence["_Text"] | None = None) -> list[Candidate]:
    """All that may be the answer in the passages, with the signs for it."""
    texts = [_Text.of(passage) for passage in passages] if texts is None else texts
    weights = word_weights(asked.intent.semantic_query) or word_weights(asked.question)
    fits = _Fits(asked, passages, texts)
    return [
        candidate
        for position, text in enumerate(texts)
        for candidate in _candidates_of(position, text, asked.question, weights, fits)
    ]


def _candidates_of(
    position: int, text: "_Text", question: str, weights: Mapping[str, float], fits: "_Fits"
) -> Iterator[Candidate]:
    kind, is_who = answer_kind(question), asks_who(question)
    in_passage = share(weights, text.words)
    found = list(spans(kind, text.text, dates=text.dates, known=frozenset(weights)))
    for sentence in text.sentences:
        in_sentence = share(weights, content_words(text.text[slice(*sentence)]))
        inner = [span for span in found if sentence.start <= span.start and span.end <= sentence.end]
        marks = text.places(sentence, weights) if inner else []
        for span in inner:
            distance = min([_FARTHEST, *(span.gap(mark) for mark in marks)])
            answer = text.text[slice(*span)]
            signs = (in_sentence, in_passage, fits.at(position, span), distance, 0.0)
            yield Candidate(position, sentence, answer, *signs, in_title=is_who and text.is_title(sentence))
        if not inner:
            answer, penalty = _whole(kind, text.text[slice(*sentence)], fits.passages[position].time)
            fit = fits.at(position, sentence)
            yield Candidate(position, sentence, answer, in_sentence, in_passage, fit, 0, penalty)


def _whole(kind: AnswerKind, sentence: str, time: TimeInterval | None) -> tuple[str, float]:
    """What a sentence without anything of that kind answers: its passage's time, or itself; and the penalty for it."""
    if kind == "date" and time is not None:
        return shown_interval(time), 1.0
    return sentence, 0.0 if kind == "text" else 3.0


@dataclass(frozen=True, slots=True)
class _Text:
    """A passage's text with what is found in it."""

    text: str
    sentences: list[Span]
    dates: list[StatedDate]
    words: frozenset[str]

    @classmethod
    def of(cls, passage: Passage) -> "_Text":
        text = passage.text
        dates = stated_dates(text, n_title=len(passage.document.title))
        return cls(text, sentences(text), dates, frozenset(content_words(text)))

    def is_title(self, sentence: Span) -> bool:
        """Whether it is the first of several lines."""
        return sentence == self.sentences[0] and self.text[sentence.end : sentence.end + 1] == "\n"

    def places(self, sentence: Span, weights: Mapping[str, float]) -> list[Span]:
        """Where in the sentence the question's words stand."""
        at = ((match, content_words(match[0])) for match in _WORD.finditer(self.text[slice(*sentence)]))
        return [
            Span(sentence.start + match.start(), sentence.start + match.end())
            for match, stems in at
            if stems and stems[0] in weights
        ]


class _Fits:
    """How well times fit the question's, in (0, 1]: those of the passages, and of the dates that they state."""

    def __init__(self, asked: Asked, passages: Sequence[Passage], texts: Sequence[_Text]) -> None:
        self.passages = passages
        self._texts = texts
        stated = [
            Document(doc_id="", text="", times={"timestamp": (_time(date),)}) for text in texts for date in text.dates
        ]
        documents = [*(passage.document for passage in passages), *stated]
        scores = temporal_scores(
            asked.intent, TimeColumns.from_documents(documents), reference_date=asked.reference_date
        ).tolist()
        self.of_passage: list[float] = scores[: len(passages)]
        rest = iter(scores[len(passages) :])
        self._of_dates: list[list[float]] = [[next(rest) for _ in text.dates] for text in texts]
        self._is_dated = [
            any(time.source != "text" for times in passage.document.times.values() for time in times)
            for passage in passages
        ]

    def at(self, passage: int, span: Span) -> float:
        """The fit of the stated date nearest to the span, or of the passage's own time where that is better."""
        own = self.of_passage[passage]
        dates = self._texts[passage].dates
        if not dates:
            return own
        gaps = [span.gap(Span(date.start, date.end)) for date in dates]
        nearest = self._of_dates[passage][gaps.index(min(gaps))]
        return max(own, nearest) if self._is_dated[passage] else nearest


def _time(date: StatedDate) -> DocumentTime:
    return DocumentTime(interval=date.interval, lasting=bool(date.range))


def _quotes(
    chosen: Candidate, found: Sequence[Candidate], texts: Sequence[_Text], weights: ReadingWeights
) -> tuple[Quote, ...]:
    """The chosen sentence, then the best of each other passage that gives the same answer."""
    best = {chosen.passage: chosen}
    for each in sorted(found, key=lambda one: -one.score(weights)):
        if each.answer.lower() == chosen.answer.lower():
            best.setdefault(each.passage, each)
    return tuple(Quote(passage=at, text=texts[at].text[slice(*each.sentence)]) for at, each in best.items())
