"""Retrieve, read, judge, and look again with another scope of time, until the passages answer or the steps are used up.

As in Self-RAG (Asai et al., 2023) the reader's judgement decides whether to retrieve again; what changes between two
rounds is the time that is searched, never the words. It is revised from what was read and from nothing else:

- as of: a state is asked for, which goes on until something else is said of it; what was said last before is read;
- event: the question names an event without a date; the documents that tell of it give its days;
- split: passages of a long interval miss the answer; both halves are searched by themselves;
- widen: nothing in the interval answers; its length is added on both sides, and an answer from there is flagged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from qtie.document import Document
from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import Granularity, TimeInterval
from qtie.rag.answer import Answer, Step, citations
from qtie.rag.asked_time import nearest, told_elsewhere
from qtie.rag.conflicts import arranged, telling_most
from qtie.rag.passage import Asked, Passage, passages_of
from qtie.rag.pipeline import Find, Settings, State, going_on, step
from qtie.rag.reader import OnText, Reading
from qtie.rag.tense import is_to_come
from qtie.rag.wording.answer_type import AnswerType
from qtie.rewriting.extractor import EventResolvingExtractor
from qtie.rewriting.rewriter import Rewriter

__all__ = ["IterativePipeline"]

_SUFFICIENT = "the passages answer"


class _Round(NamedTuple):
    step: Step
    asked: Asked
    passages: tuple[Passage, ...]
    reading: Reading
    notes: list[str]


@dataclass(frozen=True, slots=True)
class _Scope:
    """The time that is searched in one round, and why."""

    action: str
    asked: Asked
    intents: tuple[TemporalIntent, ...]
    """What is searched for, each by itself."""
    state: State | None = None
    """What was found of a state that goes on."""


class IterativePipeline:
    """Reads up to `settings.max_steps` times, each time with a scope of time revised from what was read.

    Args:
        find: finds passages by topic and time.
        settings: reader, extractor, k and the limit.
        rewriter: finds the days of events that a question names; None: such questions stay without a time.
        least_confidence: below that confidence of the reader, in [0, 1], passages count as not answering.
    """

    name = "iterative"

    def __init__(
        self, find: Find, settings: Settings, *, rewriter: Rewriter | None = None, least_confidence: float = 0.3
    ) -> None:
        self.find, self.settings = find, settings
        self.least_confidence = least_confidence
        self._resolver = None if rewriter is None else EventResolvingExtractor(settings.extractor, rewriter)

    def ask(self, question: str, *, reference_date: date | None = None, on_text: OnText | None = None) -> Answer:
        """The answer of the round that suffices, else of the surest; `steps` has every round."""
        asked = self.settings.asked(question, reference_date)
        rounds: list[_Round] = []
        for scope in self._scopes(asked):
            rounds.append(self._round(scope))
            if rounds[-1].step.verdict == _SUFFICIENT or len(rounds) == self.settings.max_steps:
                break
        last = rounds[-1].asked  # what was read before the event's days were known is no answer
        chosen = max((each for each in rounds if each.asked is last), key=_rank)
        if on_text and chosen.reading.answer is not None:
            on_text(chosen.reading.answer)
        asked, passages = chosen.asked, passages_of([passage.document for passage in chosen.passages], chosen.asked)
        missing = "" if chosen.step.action == "as of" else told_elsewhere(passages, asked) or nearest(passages, asked)
        if not passages:
            missing = "no documents to read"
        return Answer(
            question=question,
            answer=chosen.reading.answer,
            citations=citations(chosen.reading, passages, asked),
            intent=asked.intent,
            pipeline=self.name,
            reader=self.settings.reader.name,
            notes=(*chosen.notes, *(note for note in (missing, chosen.reading.note) if note)),
            steps=tuple(each.step for each in rounds),
            n_tokens_read=sum(each.reading.n_tokens_read for each in rounds),
            n_tokens_written=sum(each.reading.n_tokens_written for each in rounds),
        )

    def _scopes(self, asked: Asked) -> Iterator[_Scope]:
        """The scopes in the order in which they are tried; each is made only when the one before did not suffice."""
        yield _Scope("ask", asked, (asked.intent,))
        if asked.undated_event and self._resolver is not None:
            found = self._resolver.resolve(asked.question, reference_date=asked.reference_date)
            if found.rewrite.events:
                asked = replace(asked, intent=found.intent)
                yield _Scope("event", asked, (asked.intent,))
        interval = asked.intent.interval
        if interval is None:
            return
        if state := going_on(self.find, asked, self.settings.k):
            yield _Scope("as of", asked, (state.asked.intent,), state)
        if halves := _halves(interval, asked.intent):
            yield _Scope("split", asked, tuple(_within(asked.intent, half) for half in halves))
        for n_lengths in (1, 3):
            if (wider := _widened(interval, n_lengths)) != interval:
                yield _Scope("widen", asked, (_within(asked.intent, wider),))

    def _round(self, scope: _Scope) -> _Round:
        if scope.state:
            asked, passages, notes = scope.state
        else:
            k, asked = self.settings.k, scope.asked
            found = [self.find(replace(asked, intent=intent), k) for intent in scope.intents]
            passages, notes = arranged(passages_of(_interleaved(found)[:k], asked), asked)
        reading = self.settings.reader.read(asked, passages)
        is_unknown = is_to_come(asked) or not _is_told(reading, passages, asked)
        if told_elsewhere(passages, asked) and is_unknown:
            reading = replace(reading, answer=None, quotes=())
        searched = TemporalIntent(query=scope.asked.question) if not scope.intents else scope.intents[0]
        done = step(scope.action, searched, passages, reading, self._verdict(scope, passages, reading))
        intervals = tuple(interval for intent in scope.intents for interval in intent.intervals)
        return _Round(replace(done, intervals=intervals), scope.asked, passages, reading, notes)

    def _verdict(self, scope: _Scope, passages: Sequence[Passage], reading: Reading) -> str:
        """Whether that suffices, else what is missing."""
        if scope.action == "ask" and (event := scope.asked.undated_event):
            return f"the time of {event!r} is not known"
        if reading.answer is None:
            return "the passages do not answer"
        asked = scope.state.asked if scope.state else scope.asked
        cited = [each.inside for each in citations(reading, passages, asked)]
        if scope.action != "widen" and cited and all(inside is False for inside in cited):
            return "what answers is of another time"
        return _SUFFICIENT if reading.confidence >= self.least_confidence else "the reader is not sure"


def _is_told(reading: Reading, passages: Sequence[Passage], asked: Asked) -> bool:
    """Whether an answer, though of another time, is of the sort asked for, and of a passage that tells of the fact."""
    telling = telling_most(passages, asked)
    is_of_sort = AnswerType.of(asked.question).fit(reading.answer or "") >= 0
    return is_of_sort and any(
        quote.passage in telling and passages[quote.passage].inside is False for quote in reading.quotes
    )


def _rank(one: _Round) -> tuple[bool, bool, bool, float]:
    """Rounds that suffice before those that do not; among these, answers from the asked time, then the surest."""
    cited = [one.passages[quote.passage].inside for quote in one.reading.quotes]
    suffices = one.step.verdict == _SUFFICIENT
    return suffices, one.reading.answer is not None, False not in cited, one.reading.confidence


def _within(intent: TemporalIntent, interval: TimeInterval) -> TemporalIntent:
    """The intent with that interval in place of the times that it asks of any date; other targets stay."""
    others = [c for c in intent.constraints if c.target != "any" and c.resolved]
    scope = TemporalConstraint(interval=interval, raw=interval, granularity=_unit(intent), rule="revised scope")
    return replace(intent, constraints=(scope, *others))


def _unit(intent: TemporalIntent) -> Granularity:
    return max((c.granularity for c in intent.constraints if c.resolved), key=lambda unit: unit.days)


def _halves(interval: TimeInterval, intent: TemporalIntent) -> list[TimeInterval]:
    """Both halves of a closed interval of at least two of its units; else none."""
    start, end = interval.start, interval.end
    if start is None or end is None or interval.n_days < 2 * _unit(intent).days:
        return []
    middle = start + (end - start) // 2
    return [TimeInterval(start, middle), TimeInterval(middle + 1, end)]


def _widened(interval: TimeInterval, n_lengths: int) -> TimeInterval:
    """The interval with so many of its lengths before and after it; one with an open side by years on the other.

    Example:
        >>> [str(_widened(TimeInterval.parse(text), 1)) for text in ("2019-03", "2019/..")]
        ['2019-01-29/2019-05-01', '2018-01-01/..']
    """
    start, end = interval.start, interval.end
    n_days = n_lengths * (365 if start is None or end is None else end - start + 1)
    return TimeInterval(None if start is None else start - n_days, None if end is None else end + n_days)


def _interleaved(found: Sequence[Sequence[Document]]) -> list[Document]:
    """The documents of several lists by turns, each once."""
    longest = max(map(len, found), default=0)
    turns = (documents[at] for at in range(longest) for documents in found if at < len(documents))
    return list({document.doc_id: document for document in turns}.values())
