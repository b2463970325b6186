"""How well the times of passages, and of the dates that they state, fit the time asked for."""

import re
from collections.abc import Sequence

from qtie.document import Document, DocumentTime
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.rag.passage import Asked, Passage, shown_interval
from qtie.rag.passage_text import PassageText, stated_time
from qtie.rag.tense import asks_now, of_today
from qtie.rag.wording.answer_kind import answer_kind
from qtie.rag.wording.change import Change, asks_before, changes
from qtie.rag.wording.sentences import Span
from qtie.stated_dates import StatedDate
from qtie.temporal_relevance import temporal_scores
from qtie.time_columns import TimeColumns

__all__ = ["TimeFits"]

_THEN = re.compile(r"\b(?:in|for|of|by)(?: (?:the|early|mid|late))? $", re.IGNORECASE)
_PER_CLAUSE = 0.9
"""Of the fit of a date for each clause between it and what it dates."""
_NOT = re.compile(r"\b(?:not|never|no longer|nobody|none|without|who|whose|which)\b|n['’]t\b", re.IGNORECASE)
_WAS = re.compile(r"\b(?:was|were|had)\b(?! [^\W\d_]+ed\b)", re.IGNORECASE)


class TimeFits:
    """How well times fit the question's, in (0, 1]: those of the passages, and of the dates that they state.

    A question in the present tense asks for no time; but what is valid for years that are over fits it as these fit the
    day of asking, and so does what a passage says of such years ("from 2003 to 2007", "in 2003 it had").

    Args:
        asked: the question and its time.
        passages: what is read.
        texts: what is found in each of them.
    """

    def __init__(self, asked: Asked, passages: Sequence[Passage], texts: Sequence[PassageText]) -> None:
        self.passages = passages
        self._asked, self._texts = asked, texts
        asks_when = answer_kind(asked.question) == "date"
        is_now = self._is_now = asks_now(asked) and asked.reference_date is not None and not asks_when
        intent = of_today(asked) if is_now else asked.intent
        self._intervals = intent.intervals
        stated = [
            None if is_now and not _tells_of_past(text, date) else _dated(text, date, passage.time, is_answer=asks_when)
            for passage, text in zip(passages, texts, strict=True)
            for date in text.dates
        ]
        fits = iter(_scores(asked, intent, stated))
        self._of_dates = [[next(fits) for _ in text.dates] for text in texts]
        own = _scores(asked, asked.intent, [passage.document for passage in passages])
        valid = [passage.document if is_now and passage.lasts else None for passage in passages]
        self._of_passage = [min(pair) for pair in zip(own, _scores(asked, intent, valid), strict=True)]
        self._is_dated = [
            any(time.source != "text" for times in passage.document.times.values() for time in times)
            for passage in passages
        ]

    def at(self, passage: int, span: Span, sentence: Span) -> float:
        """The fit of the date that its sentence states nearest to the span, or of the passage's own time where that is
        better and the sentence does not contrast dates ("24 in 2019 and 28 in 2022"); where it states none, any date of
        the passage."""
        own, text = self._of_passage[passage], self._texts[passage]
        if self._intervals and self._is_side(passage, span, sentence, old=True):  # what was before a later change
            return 1.0
        found = text.date_of(span, sentence)
        if found is None:
            return own
        at, n_between = found
        date = text.dates[at]
        is_inner = sentence.start <= date.start < sentence.end
        if self._is_now and (not is_inner or (n_between and not date.range)):
            return own
        n_inner = len(text.dates_of(sentence))
        is_contrast = is_inner and n_inner > 1 and not n_between and _THEN.search(text.text, 0, date.start)
        fit = self._of_dates[passage][at] * (_PER_CLAUSE ** min(n_between, 3) if self._intervals else 1.0)
        return max(own, fit) if self._is_dated[passage] and not is_contrast else fit

    def is_of_other_side(self, passage: int, span: Span, sentence: Span) -> bool:
        """Whether a sentence tells of a change ("from 120 to 135 euros"), and the span is of the side not asked for.

        Of a change before which the asked time ends, that is what was from then on; else what was before.
        """
        return self._is_side(passage, span, sentence, old=False)

    def _is_side(self, passage: int, span: Span, sentence: Span, *, old: bool) -> bool:
        """Whether a sentence tells of a change, and the span is its old side and the asked time ends before it (`old`),
        or the span is of the side not asked for."""
        text, asked = self._texts[passage], self._asked
        for change in changes(text.text, sentence):
            sides = [span.start < side.end and side.start < span.end for side in change]
            if any(sides):
                time = _change_time(text, change, sentence) or self.passages[passage].time
                is_before = _ends_before(asked, time)
                return (is_before and sides == [True, False]) if old else sides[is_before]
        return False

    def time_of(self, passage: int) -> TimeInterval | None:
        """The passage's time; of one without, the first interval that it states ("from 2003 to 2007", "since 2012")."""
        text = self.passages[passage].text
        dates, life = self._texts[passage].dates, self._texts[passage].life
        stated = (stated_time(text, date) for date in dates if date.interval not in life)
        said = next((time.interval for time in stated if time.lasting), None)
        return self.passages[passage].time or said

    def is_so(self, passage: int, sentence: Span) -> bool | None:
        """Whether what a sentence says holds in the asked time, by the interval that it states ("from 2003 to 2007",
        "since 2012") or its passage's validity; None where there is neither, or the sentence denies something."""
        text, read = self._texts[passage], self.passages[passage]
        inner = text.dates_of(sentence)
        stated = [time.interval for date in inner if (time := stated_time(text.text, date, read.time)).lasting]
        times = stated or ([read.time] if read.lasts and read.time else [])
        if not times or not self._intervals or _NOT.search(text.text, *sentence):
            return None
        return any(time.overlaps(each) for time in times for each in self._intervals)

    def elsewhere(self, passage: int, sentence: Span) -> str:
        """Of what times a sentence of a passage without a time says what it says ("2003–2007"), where it gives an
        interval and none meets the time asked for; else empty."""
        if self._asked.intent.interval is None or self._is_dated[passage]:
            return ""
        text, inner = self.passages[passage].text, self._texts[passage].dates_of(sentence)
        times = [time for date in inner if (time := stated_time(text, date)).lasting]
        meets = any(time.interval.overlaps(each) for time in times for each in self._asked.intent.intervals)
        return "" if meets or len(times) < len(inner) else ", ".join(shown_interval(time.interval) for time in times)


def _tells_of_past(text: PassageText, date: StatedDate) -> bool:
    """Whether what a text says of a date may be over: of a range, and of what was or had been so then."""
    inner = (sentence for sentence in text.sentences if sentence.start <= date.start < sentence.end)
    return bool(date.range) or any(_WAS.search(text.text, *sentence) for sentence in inner)


def _change_time(text: PassageText, change: Change, sentence: Span) -> TimeInterval | None:
    """The date that a sentence states of a change, the nearest to what is new; None where it states none."""
    places = {Span(date.start, date.end): date.interval for date in text.dates}
    inner = [span for span in places if sentence.start <= span.start < sentence.end]
    outer = [span for span in inner if all(span.end <= side.start or side.end <= span.start for side in change)]
    return places[min(outer, key=change.new.gap)] if outer else None


def _ends_before(asked: Asked, time: TimeInterval | None) -> bool:
    """Whether the asked time ends before that one; without an asked time, whether what was before is asked for."""
    if not asked.intent.intervals:
        return asks_before(asked.question)
    start = None if time is None else time.start
    return start is not None and all(each.end is not None and each.end < start for each in asked.intent.intervals)


def _dated(text: PassageText, date: StatedDate, written: TimeInterval | None, *, is_answer: bool) -> Document:
    """A document of the time of which a text says something; of a date that may be the answer, that date itself."""
    own = DocumentTime(interval=date.interval, lasting=bool(date.range))
    return Document(
        doc_id="", text="", times={"timestamp": (own if is_answer else stated_time(text.text, date, written),)}
    )


def _scores(asked: Asked, intent: TemporalIntent, documents: Sequence[Document | None]) -> list[float]:
    """The temporal scores of the documents; 1 where there is none."""
    if not any(documents):
        return [1.0] * len(documents)
    columns = TimeColumns.from_documents([document or Document(doc_id="", text="") for document in documents])
    scores = temporal_scores(intent, columns, reference_date=asked.reference_date)
    return [float(score) if document else 1.0 for score, document in zip(scores, documents, strict=True)]
