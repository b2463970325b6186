"""What a question seeks, and what a text has of it: names, dates, numbers, durations, or whole sentences."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import NamedTuple

from qtie.interval import TimeInterval
from qtie.rag.asked_event import AskedEvent
from qtie.rag.passage import Asked, Passage, shown_interval
from qtie.rag.passage_text import PassageText
from qtie.rag.wording.amounts import AskedAmount
from qtie.rag.wording.answer_kind import AnswerKind, answer_kind, is_question
from qtie.rag.wording.clauses import clause_ends, clauses_between
from qtie.rag.wording.durations import how_long
from qtie.rag.wording.holder import asked_role
from qtie.rag.wording.restated import restated
from qtie.rag.wording.sentence_role import OTHER, AskedSort, pronoun_of_actor, pronoun_of_holder
from qtie.rag.wording.sentences import Span
from qtie.rag.wording.spans import spans
from qtie.rag.wording.succession import is_predecessor
from qtie.rag.wording.words import content_words, share, word_weights

__all__ = ["Found", "Sought"]

_LONG = re.compile(r" (?:long|in length)\b")
_LEAST_SHARE = 0.3
"""Of a clause with none of the question's words: a pronoun may stand for them."""


class Found(NamedTuple):
    """Words that may answer."""

    answer: str
    of_event: float = 1.0
    """Asked when, where or how long, how far they are the date, place or duration of the asked event, in (0, 1]."""
    of_sort: float = 0.0
    """Whether a name or number looks like one of the sort asked for, from -3 to 1."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What a question asks for, from its words."""

    question: str
    kind: AnswerKind
    weights: Mapping[str, float]
    """Its content words, and what each counts."""
    known: frozenset[str]
    """All its content words, those for its time too."""
    sort: AskedSort | None
    """Asked for a name."""
    amount: AskedAmount
    event: AskedEvent
    heads: frozenset[str] = frozenset()
    """What a sentence or its title must have: the noun that is asked of, the words before a role ("finance")."""

    @classmethod
    def by(cls, asked: Asked, texts: Sequence[PassageText] = ()) -> "Sought":
        """What that question asks for; the texts may call a name by the noun that is asked for, as others do not."""
        question, kind = asked.question, answer_kind(asked.question)
        weights = word_weights(asked.intent.semantic_query) or word_weights(question)
        if kind == "duration":
            weights = {word: weight for word, weight in weights.items() if word != "long" or weight > 1}
        known = frozenset((*weights, *content_words(question)))
        sort = AskedSort.of(question, known) if kind == "name" else None
        if sort and sort.noun:
            sort = replace(sort, called=frozenset(name for text in texts for name in _called(sort, text)))
        event = AskedEvent.of(asked.intent.semantic_query, of_holder=sort is not None and sort.asks_holder)
        amount = AskedAmount.of(question)
        heads = {amount.head} if amount.head else content_words(asked_role(question).rpartition(" ")[0])
        return cls(question, kind, weights, known, sort, amount, event, frozenset(heads))

    def share(self, text: str, words: AbstractSet[str]) -> float:
        """Which share of the question's words a text has, by other words for what is asked too; in [0, 1]."""
        told = self.event.restated(text) if self.kind == "date" else restated(self.question, words)
        return share(self.weights, words | told)

    def answers(self, text: PassageText) -> dict[Span, Found]:
        """All that a text has of the kind asked for, in order."""
        if self.kind == "date":
            told = self.event.told(text.text, text.sentences, text.dates)
            return {span: Found(*each) for span, each in told.items()}
        counted = self.sort.counted if self.sort else frozenset()
        found = spans(self.kind, text.text, dates=text.dates, known=self.known, counted=counted)
        answers = {span: Found(text.text[slice(*span)]) for span in found}
        if self.kind == "duration" and (lengths := [span for span in answers if _LONG.match(text.text, span.end)]):
            return {span: answers[span] for span in lengths}
        if self.kind == "duration":
            ranges = {Span(date.start, date.end): date for date in text.dates if date.range}
            lasted = {span: _lasted(date.first, date.last, answers[span].answer) for span, date in ranges.items()}
            answers |= {span: Found(words) for span, words in lasted.items()}
        return answers

    def in_sentence(
        self, text: PassageText, sentence: Span, answers: Mapping[Span, Found], *, subject: str = ""
    ) -> dict[Span, Found]:
        """The answers of a sentence without what it says of another; an amount in place of names, where it states how
        much that is of which the question asks what it is; and the text's subject, for which a pronoun stands."""
        if self.kind == "name" and self.amount.is_stated(text.text, sentence):
            numbers = spans("number", text.text, dates=text.dates, known=self.known)
            inner = {span: Found(text.text[slice(*span)]) for span in _within(sentence, numbers)}
            return {span: self._rated(text, span, found) for span, found in inner.items()}
        inner = {span: each for span, each in answers.items() if not self._is_other(text, sentence, span)}
        if self.kind == "duration":
            return {span: each._replace(of_event=self._in_clause(text, sentence, span)) for span, each in inner.items()}
        if self.sort is None:
            return {span: self._rated(text, span, each) for span, each in inner.items()}
        named = {span: self._named(self.sort, text, sentence, span) for span in inner}
        actor = pronoun_of_actor(self.question, text.text, sentence)
        if self.sort.asks_holder and text.text.startswith(subject):
            actor = actor or pronoun_of_holder(self.question, text.text, sentence, is_alone=not named)
        return {**named, actor: Found(subject, of_sort=1.0)} if actor and subject else named

    def may_answer(self, text: PassageText, sentence: Span, *, lasts: bool) -> bool:
        """Whether a sentence without anything of the kind asked for can answer as it stands.

        Asked for a birth or death, one that says nothing of it cannot; else the question itself cannot, nor, unless it
        is keywords that are asked, a heading. Asked how long, the validity of the passage answers (`lasts`).
        """
        words = text.text[slice(*sentence)]
        if self.kind == "date":
            is_said = self.event.facet is None or bool(self.event.restated(words))
            return not text.dates_of(sentence) and is_said and self._is_named(text)
        if self.kind == "duration" and lasts:
            return True
        is_shown = self.kind == "text" or not text.is_title(sentence)
        return is_shown and not self.known.issuperset(content_words(words))

    def whole(self, sentence: str, passage: Passage) -> tuple[str, float]:
        """What a sentence without anything of that kind answers: its passage's time, or itself; and the log-odds that
        it loses for that.

        Asked when something began or ended, that end of the time answers; all of it where that is open. Asked how long,
        what lies between its ends.
        """
        time = passage.time
        if self.kind == "date" and time is not None:
            bound = passage.bound(self.event.bound) if self.event.bound else None
            return shown_interval(bound or time), 1.0
        if self.kind == "duration" and time is not None and passage.lasts and (first := passage.bound("start")):
            return _lasted(first, passage.bound("end") if time.end is not None else None, shown_interval(time)), 0.3
        is_heading = sentence != passage.text and passage.document.title == sentence and is_question(self.question)
        return sentence, 3.0 if self.kind != "text" else 0.5 * is_heading

    def _is_named(self, text: PassageText) -> bool:
        """Whether a text has half of the question's names, so that its own time may be that of what is asked."""
        names = {word: weight for word, weight in self.weights.items() if weight > 1}
        return not names or share(names, text.words) >= 0.5

    def _is_other(self, text: PassageText, sentence: Span, span: Span) -> bool:
        """Whether words of a sentence are for certain not what is asked: the predecessor of the one who is asked for,
        or, asked where, no place."""
        is_no_place = self.sort is not None and self.sort.excludes(text.text, span)
        return is_no_place or is_predecessor(self.question, text.text, sentence, span)

    def _rated(self, text: PassageText, span: Span, found: Found) -> Found:
        """A number with how far it is of what is counted or measured; anything else as it is."""
        is_number = self.kind in ("name", "number")
        return found._replace(of_sort=self.amount.fit(text.text, span)) if is_number else found

    def _in_clause(self, text: PassageText, sentence: Span, span: Span) -> float:
        """Which share of the question's words stands in the clause of a duration, in (0, 1]."""
        ends = clause_ends(text.text, sentence, text.dates_of(sentence))
        marks = (mark for mark in text.places(sentence, self.weights) if not clauses_between(ends, mark, span))
        stems = [stem for mark in marks for stem in content_words(text.text[slice(*mark)])]
        return max(_LEAST_SHARE, share(self.weights, stems))

    def _named(self, sort: AskedSort, text: PassageText, sentence: Span, span: Span) -> Found:
        """A name with how far it is of the asked sort and, asked where, of the asked event."""
        dates = text.dates_of(sentence)
        is_opposite = self.event.is_of_opposite(text.text, sentence, span, dates)
        of_sort = OTHER if is_opposite else sort.fit(text.text, sentence, span)
        is_placed = sort.is_place and bool(self.event.kinds)
        of_event = self.event.nearness(text.text, sentence, span, dates) if is_placed else 1.0
        return Found(text.text[slice(*span)], of_event, of_sort)


def _called(sort: AskedSort, text: PassageText) -> Iterator[frozenset[str]]:
    """The stems of each name that a text calls by the noun that is asked for: of Delia, "the storm Delia"."""
    found = list(spans("name", text.text, dates=text.dates, known=sort.known))
    for sentence in text.sentences:
        called = (span for span in _within(sentence, found) if sort.has_noun(text.text, sentence, span))
        yield from (frozenset(content_words(text.text[slice(*span)])) - {sort.noun} for span in called)


def _within(sentence: Span, found: Iterable[Span]) -> list[Span]:
    return [span for span in found if sentence.start <= span.start and span.end <= sentence.end]


def _lasted(first: TimeInterval, last: TimeInterval | None, words: str) -> str:
    """How long something lasted, and its dates as they are stated."""
    return f"since {shown_interval(first)}" if last is None else f"{how_long(first, last)} ({words})"
