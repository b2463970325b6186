"""A reader without a language model: the sentence that answers best, and in it the name, date or number asked for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from qtie.rag.asked_event import AskedEvent
from qtie.rag.passage import Asked, Passage, shown_interval
from qtie.rag.passage_text import PassageText
from qtie.rag.reader import OnText, Quote, Reading
from qtie.rag.time_fits import TimeFits
from qtie.rag.wording.asked_names import AskedNames
from qtie.rag.wording.sentence_role import AskedSort
from qtie.rag.wording.spans import (
    AnswerKind,
    Span,
    answer_kind,
    asks_who,
    spans,
    stated_amount,
)
from qtie.rag.wording.succession import is_predecessor, neighbours
from qtie.rag.wording.words import content_words, share, word_weights

__all__ = ["Candidate", "ExtractiveReader", "ReadingWeights", "candidates"]

_FARTHEST = 150
_LEAST_SHARE = 0.8
"""Of the coverage of what is said of another time, that an answer in its place has."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingWeights:
    """How much each sign counts, in log-odds; `benchmarks/tune_rag_reader.py` has the sweep. Title and event are first
    guesses."""

    passage_share: float = 0.8
    """Of the question's words found anywhere in the passage, against those in the sentence; in [0, 1]."""
    time: float = 1.5
    """Of the temporal score of the date next to the answer."""
    rank: float = 2.0
    """Of the passage's place among the passages."""
    distance: float = 0.003
    """Lost for each character between an answer and the nearest of the question's words."""
    title: float = 1.0
    """Where it is asked who, for names in the passage's title or first line: they say whom it is about."""
    sort: float = 0.5
    """Of whether a name looks like one of the sort asked for: a person, a team, a school."""
    restated: float = 0.5
    """Lost by a name of which the question has every word, and in parts by one of which it has some."""
    event: float = 1.0
    """Where it is asked when, of how far the date is that of the asked event."""


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
    of_sort: float = 0.0
    """Whether a name looks like one of the sort asked for, from -1 to 1."""
    restated: float = 0.0
    """The share of its words that the question has, in [0, 1]."""
    of_event: float = 1.0
    """Where it is asked when, how far it is the date of the asked event, in (0, 1]."""

    def coverage(self, weights: ReadingWeights) -> float:
        """The share of the question's words that it answers, in [0, 1]."""
        return weights.passage_share * self.in_passage + (1 - weights.passage_share) * self.in_sentence

    def score(self, weights: ReadingWeights) -> float:
        """How well it answers, in log-odds."""
        w = weights
        of_topic = log(max(self.coverage(w), 1e-3)) - w.distance * self.distance
        of_place = w.rank * log(11 / (11 + self.passage)) + w.title * self.in_title
        of_name = w.sort * self.of_sort - w.restated * self.restated
        of_time = w.time * log(self.fit) + w.event * log(self.of_event)
        return of_topic + of_time + of_place + of_name - self.kind_penalty


class ExtractiveReader:
    r"""Finds the answer among the words of the passages.

    Each sentence (a title counts as one) is scored by the share c of the question's words in it and in its passage; a
    date, name, role or number in it further by how near the question's words stand (d characters), by how well the date
    next to it fits the time asked for, by its passage's rank r, from 1, and, asked who, by standing in a title (h = 1);
    a name by whether it looks like one of the sort asked for (s) and by the share q of its words that the question has;
    a date by how far it is the asked event's (e, see `AskedEvent`):

    .. math:: S = \log c + w_t \log S_\text{temp} + w_r \log \frac{11}{10 + r} - w_d d + w_h h + w_s s - w_q q
        + w_e \log e

    A question that asks for none of these (why, how, keywords) is answered with the sentence.

    Args:
        weights: how the signs are weighed.
        least_coverage: below that share of the question's words, in [0, 1], the passages do not answer.

    Example:
        >>> from qtie.document import Document
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
        texts = [PassageText.of(passage) for passage in passages]
        names = AskedNames.of(_without_times(asked), [text.text for text in texts])
        fits = TimeFits(asked, passages, [text.dates for text in texts])
        found = [] if names.all_missing else candidates(asked, passages, texts, fits=fits)
        times = [fits.time_of(at) for at in range(len(texts))]
        next_ones = neighbours(asked.question, [text.text for text in texts], times)
        if next_ones is None:
            named = [each for each in found if not names.by_text or names.by_text[each.passage]]
            chosen, note = self._of_that_time(named, passages, fits)
            if passages and asked.undated_event and answer_kind(asked.question) != "date":
                note = f"the time of {asked.undated_event!r} is not known"
        else:  # a passage about the next one need not have the name that the question has
            beside = [each for each in found if each.passage in next_ones and not each.restated]
            chosen, note = max(beside, key=lambda each: each.score(self.weights), default=None), ""
        if chosen is None:
            if texts and answer_kind(asked.question) == "date":
                note = note or "no passage says when that was"
            return Reading(answer=None, note=names.note or note)
        if on_text:
            on_text(chosen.answer)
        quotes = _quotes(chosen, found, texts, self.weights)
        confidence = chosen.coverage(self.weights) * chosen.fit
        return Reading(answer=chosen.answer, quotes=quotes, note=names.note or note, confidence=confidence)

    def _of_that_time(
        self, found: Sequence[Candidate], passages: Sequence[Passage], fits: TimeFits
    ) -> tuple[Candidate | None, str]:
        """The best candidate that its text does not say of another time; without one, of which the best is said."""
        best = self.best(found)
        elsewhere = fits.elsewhere(best.passage, best.sentence) if best else ""
        if best is None or not elsewhere:
            return best, ""
        least = _LEAST_SHARE * best.coverage(self.weights)
        others = [each for each in found if not fits.elsewhere(each.passage, each.sentence)]
        other = self.best([each for each in others if each.coverage(self.weights) >= least])
        return other, "" if other else f"{passages[best.passage].document.doc_id} says that of {elsewhere}"

    def best(self, found: Sequence[Candidate]) -> Candidate | None:
        """The candidate that answers best; None if none has words enough of the question."""
        covering = [each for each in found if each.coverage(self.weights) >= self.least_coverage]
        return max(covering, key=lambda each: each.score(self.weights), default=None)


def candidates(
    asked: Asked,
    passages: Sequence[Passage],
    texts: Sequence[PassageText] | None = None,
    *,
    fits: TimeFits | None = None,
) -> list[Candidate]:
    """All that may be the answer in the passages, with the signs for it."""
    texts = [PassageText.of(passage) for passage in passages] if texts is None else texts
    fits = fits or TimeFits(asked, passages, [text.dates for text in texts])
    weights = word_weights(asked.intent.semantic_query) or word_weights(asked.question)
    return [
        candidate
        for position, text in enumerate(texts)
        for candidate in _candidates_of(position, text, asked, weights, fits)
    ]


def _candidates_of(
    position: int, text: PassageText, asked: Asked, weights: Mapping[str, float], fits: TimeFits
) -> Iterator[Candidate]:
    question = asked.question
    kind, is_who = answer_kind(question), asks_who(question)
    event = AskedEvent.of(asked.intent.semantic_query) if kind == "date" else None
    in_passage = share(weights, text.words | (event.restated(text.text) if event else frozenset()))
    known = frozenset((*weights, *content_words(question)))
    sort = AskedSort.of(question, known) if kind == "name" else None
    counted = sort.counted if sort else frozenset()
    found = list(spans(kind, text.text, dates=text.dates, known=known, counted=counted))
    names = text.words.intersection(
        word for word, weight in weights.items() if weight > 1
    )  # a pronoun may stand for one
    told = event.told(text.text, text.sentences, text.dates) if event else {}
    for sentence in text.sentences:
        words = text.text[slice(*sentence)]
        in_sentence = share(weights, {*content_words(words), *names, *(event.restated(words) if event else ())})
        inner = [span for span in found if sentence.start <= span.start and span.end <= sentence.end]
        marks = text.places(sentence, weights) if inner else []
        marks += [place for _, place in event.places(text.text, sentence)] if event else []
        for span in inner:
            if event and span not in told:
                continue  # stated of something else
            if is_predecessor(question, text.text, sentence, span):
                continue
            distance = min([_FARTHEST, *(span.gap(mark) for mark in marks)])
            answer, of_event = told.get(span, (text.text[slice(*span)], 1.0))
            signs = (in_sentence, in_passage, fits.at(position, span), distance, 0.0)
            of_sort = sort.fit(text.text, sentence, span) if sort else 0.0
            in_title = is_who and text.is_title(sentence) and not text.goes_on(span) and of_sort > -1
            said = set(content_words(answer)) if kind == "name" else set()
            yield Candidate(
                position, sentence, answer, *signs, in_title=in_title, of_event=of_event,
                of_sort=of_sort, restated=len(said & known) / (len(said) or 1),
            )  # fmt: skip
        whole = None if inner else _whole(kind, words, question, passage=fits.passages[position], event=event)
        if whole and _may_answer(text, sentence, known, event, kind):
            answer, penalty = whole
            of_event = 1.0 if event is None else event.nearness(text.text, sentence)
            signs = (in_sentence, in_passage, fits.at(position, sentence), 0, penalty)
            yield Candidate(position, sentence, answer, *signs, of_event=of_event)


def _may_answer(
    text: PassageText, sentence: Span, known: frozenset[str], event: AskedEvent | None, kind: AnswerKind
) -> bool:
    """Whether a sentence without anything of the kind asked for can answer as it stands.

    Asked for a birth or death, one that says nothing of it cannot; else the question itself cannot, nor, unless it is
    keywords that are asked, a heading.
    """
    words = text.text[slice(*sentence)]
    if event:
        return event.facet is None or bool(event.restated(words))
    return (kind == "text" or not text.is_title(sentence)) and not known.issuperset(content_words(words))


def _whole(
    kind: AnswerKind, sentence: str, question: str, *, passage: Passage, event: AskedEvent | None
) -> tuple[str, float]:
    """What a sentence without anything of that kind answers: its passage's time, or itself; and the penalty for it.

    Asked when something began or ended, that end of the time answers; all of it where that is open. Asked what
    something is, a sentence that states how much it is answers with the amount.
    """
    if kind == "date" and passage.time is not None:
        bound = passage.bound(event.bound) if event and event.bound else None
        return shown_interval(bound or passage.time), 1.0
    if kind == "name" and (amount := stated_amount(question, sentence)):
        return amount, 0.0
    return sentence, 0.0 if kind == "text" else 3.0


def _without_times(asked: Asked) -> str:
    """The question without the words for its time, where those cannot join the names around them."""
    words = set(content_words(asked.intent.semantic_query))
    return _WORD.sub(lambda match: match[0] if words.issuperset(content_words(match[0])) else "…", asked.question)


def _quotes(
    chosen: Candidate, found: Sequence[Candidate], texts: Sequence[PassageText], weights: ReadingWeights
) -> tuple[Quote, ...]:
    """The chosen sentence, then the best of each other passage that gives the same answer."""
    best = {chosen.passage: chosen}
    for each in sorted(found, key=lambda one: -one.score(weights)):
        if each.answer.lower() == chosen.answer.lower():
            best.setdefault(each.passage, each)
    return tuple(Quote(passage=at, text=texts[at].text[slice(*each.sentence)]) for at, each in best.items())
