"""What may answer a question: names, dates, numbers or sentences of passages, each with the signs for it."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from qtie.rag.passage import Asked, Passage
from qtie.rag.passage_text import PassageText
from qtie.rag.sought import Found, Sought
from qtie.rag.time_fits import TimeFits
from qtie.rag.wording.answer_kind import asks_who
from qtie.rag.wording.sentences import Span
from qtie.rag.wording.words import content_words

__all__ = ["Candidate", "ReadingWeights", "candidates"]

_FARTHEST = 150


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
    """Of whether a name looks like one of the sort asked for (a person, a team), or a number counts what is asked."""
    restated: float = 0.5
    """Lost by a name of which the question has every word, and in parts by one of which it has some."""
    event: float = 1.0
    """Of how far a date or place is that of the asked event."""
    head: float = 1.0
    """Lost by a sentence without the noun that the question asks of ("bonus" in "What was the bonus?")."""


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
    """Whether a name or number looks like one of the sort asked for, from -3 to 1."""
    restated: float = 0.0
    """The share of its words that the question has, in [0, 1]."""
    of_event: float = 1.0
    """Asked when or where, how far it is the date or place of the asked event, in (0, 1]."""
    has_head: bool = True
    """Whether its sentence or title has the noun that the question asks of."""

    @property
    def is_of_kind(self) -> bool:
        """Whether it is of the kind asked for, and no whole sentence in place of one."""
        return self.kind_penalty == 0

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
        return of_topic + of_time + of_place + of_name - self.kind_penalty - w.head * (not self.has_head)


def candidates(
    asked: Asked,
    passages: Sequence[Passage],
    texts: Sequence[PassageText] | None = None,
    *,
    fits: TimeFits | None = None,
) -> list[Candidate]:
    """All that may be the answer in the passages, with the signs for it."""
    texts = [PassageText.of(passage, asked.question) for passage in passages] if texts is None else texts
    fits = fits or TimeFits(asked, passages, texts)
    sought = Sought.by(asked, texts)
    return [
        candidate
        for position, text in enumerate(texts)
        for candidate in _OfPassage(position, text, sought, fits).candidates()
    ]


class _OfPassage(NamedTuple):
    """A passage, and what is sought in it."""

    position: int
    text: PassageText
    sought: Sought
    fits: TimeFits

    def candidates(self) -> Iterator[Candidate]:
        """All that may answer in its sentences."""
        text, sought, passage = self.text, self.sought, self.fits.passages[self.position]
        answers = sought.answers(text)
        inner_of = _by_sentence(answers, text.sentences)
        first = min(answers, default=None)
        for sentence in text.sentences:
            bare = self._bare(sentence)
            subject = answers[first].answer if first and first.end <= sentence.start else ""
            found = sought.in_sentence(text, sentence, inner_of[sentence], subject=subject)
            inner = {span: each for span, each in found.items() if self._is_of_time(span, sentence)}
            if not inner and sought.may_answer(text, sentence, lasts=passage.lasts):
                answer, penalty = sought.whole(bare.answer, passage)
                of_event = sought.event.nearness(text.text, sentence) if sought.kind == "date" else 1.0
                yield bare._replace(answer=answer, kind_penalty=penalty, of_event=of_event)
            marks = self._marks(sentence) if inner else []
            for span, each in inner.items():
                yield self._candidate(bare, span, each, marks)

    def _bare(self, sentence: Span) -> Candidate:
        """The sentence itself, with the signs that all of it shares."""
        text, sought = self.text, self.sought
        said = text.text[slice(*sentence)]
        words = frozenset(content_words(said))
        names = text.words.intersection(word for word, weight in sought.weights.items() if weight > 1)
        title = content_words(text.text[slice(*text.sentences[0])]) if text.is_title(text.sentences[0]) else ()
        return Candidate(
            passage=self.position,
            sentence=sentence,
            answer=said,
            in_sentence=sought.share(said, words | names),  # a pronoun may stand for a name
            in_passage=sought.share(text.text, text.words),
            fit=self.fits.at(self.position, sentence, sentence),
            distance=0,
            kind_penalty=0.0,
            has_head=sought.heads <= {*words, *title},
        )

    def _candidate(self, bare: Candidate, span: Span, found: Found, marks: Sequence[Span]) -> Candidate:
        """What was found in that sentence, with its own signs."""
        text, sought = self.text, self.sought
        said = set(content_words(found.answer)) if sought.kind == "name" else set()
        is_titled = asks_who(sought.question) and text.is_title(bare.sentence) and not text.goes_on(span)
        return bare._replace(
            answer=found.answer,
            fit=self.fits.at(self.position, span, bare.sentence),
            distance=min([_FARTHEST, *(span.gap(mark) for mark in marks)]),
            in_title=is_titled and found.of_sort > -1,
            of_sort=found.of_sort,
            of_event=found.of_event,
            restated=len(said & sought.known) / (len(said) or 1),
        )

    def _is_of_time(self, span: Span, sentence: Span) -> bool:
        """Whether a change that the sentence tells of has it on the side of the asked time."""
        return not self.fits.is_of_other_side(self.position, span, sentence)

    def _marks(self, sentence: Span) -> list[Span]:
        """Where the sentence has the question's words; asked when, those for the event too."""
        marks = self.text.places(sentence, self.sought.weights)
        is_date = self.sought.kind == "date"
        return marks + [place for _, place in self.sought.event.places(self.text.text, sentence) if is_date]


def _by_sentence(answers: Mapping[Span, Found], sentences: Sequence[Span]) -> defaultdict[Span, dict[Span, Found]]:
    """The answers that stand in each sentence."""
    found: defaultdict[Span, dict[Span, Found]] = defaultdict(dict)
    for span, each in answers.items():
        at = bisect_right(sentences, span.start, key=lambda sentence: sentence.start) - 1
        if at >= 0 and span.end <= sentences[at].end:
            found[sentences[at]][span] = each
    return found
