"""How well the times of passages, and of the dates that they state, fit the time asked for."""

import re
from collections.abc import Sequence

from qtie.document import Document, DocumentTime
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.rag.conflicts import asks_now, of_today
from qtie.rag.passage import Asked, Passage, shown_interval
from qtie.rag.wording.spans import Span, answer_kind
from qtie.stated_dates import StatedDate
from qtie.temporal_relevance import temporal_scores
from qtie.time_columns import TimeColumns

__all__ = ["TimeFits"]

_SINCE = re.compile(r"\bsince(?: (?:about|at least))? $", re.IGNORECASE)


class TimeFits:
    """How well times fit the question's, in (0, 1]: those of the passages, and of the dates that they state.

    A question in the present tense asks for no time; but what a passage without a time says of years that are over
    ("from 2003 to 2007") fits it as that fits the day of asking.

    Args:
        asked: the question and its time.
        passages: what is read.
        dates: those that each of them states.
    """

    def __init__(self, asked: Asked, passages: Sequence[Passage], dates: Sequence[Sequence[StatedDate]]) -> None:
        self.passages = passages
        self._asked, self._dates = asked, dates
        is_now = asks_now(asked) and asked.reference_date is not None and answer_kind(asked.question) != "date"
        stated = [
            None if is_now and not date.range else DocumentTime(interval=date.interval, lasting=bool(date.range))
            for inner in dates
            for date in inner
        ]
        documents = [Document(doc_id="", text="", times={"timestamp": (time,)} if time else {}) for time in stated]
        self._of_passage = _scores(asked, asked.intent, [passage.document for passage in passages])
        scores = _scores(asked, of_today(asked) if is_now else asked.intent, documents)
        fits = iter([1.0 if time is None else score for time, score in zip(stated, scores, strict=True)])
        self._of_dates = [[next(fits) for _ in inner] for inner in dates]
        self._is_dated = [
            any(time.source != "text" for times in passage.document.times.values() for time in times)
            for passage in passages
        ]

    def at(self, passage: int, span: Span) -> float:
        """The fit of the stated date nearest to the span, or of the passage's own time where that is better."""
        own, dates = self._of_passage[passage], self._dates[passage]
        if not dates:
            return own
        gaps = [span.gap(Span(date.start, date.end)) for date in dates]
        nearest = self._of_dates[passage][gaps.index(min(gaps))]
        return max(own, nearest) if self._is_dated[passage] else nearest

    def time_of(self, passage: int) -> TimeInterval | None:
        """The passage's time; of one without, the first interval that it states ("from 2003 to 2007", "since 2012")."""
        text = self.passages[passage].text
        stated = (_stated_time(text, date) for date in self._dates[passage])
        said = next((time.interval for time in stated if time.lasting), None)
        return self.passages[passage].time or said

    def elsewhere(self, passage: int, sentence: Span) -> str:
        """Of what times a sentence of a passage without a time says what it says ("2003–2007"), where it gives an
        interval and none meets the time asked for; else empty."""
        if self._asked.intent.interval is None or self._is_dated[passage]:
            return ""
        text = self.passages[passage].text
        inner = [date for date in self._dates[passage] if sentence.start <= date.start and date.end <= sentence.end]
        times = [time for date in inner if (time := _stated_time(text, date)).lasting]
        meets = any(time.interval.overlaps(each) for time in times for each in self._asked.intent.intervals)
        return "" if meets or len(times) < len(inner) else ", ".join(shown_interval(time.interval) for time in times)


def _stated_time(text: str, date: StatedDate) -> DocumentTime:
    """The time of which a text says something; "since" leaves its end open.

    Example:
        >>> from qtie.stated_dates import stated_dates
        >>> texts = ["Mayor since 2012.", "Mayor in 2012.", "Mayor from 2007 to 2012."]
        >>> [str(_stated_time(text, date).interval) for text in texts for date in stated_dates(text)]
        ['2012-01-01/..', '2012-01-01/2012-12-31', '2007-01-01/2012-12-31']
    """
    if not date.range and _SINCE.search(text, max(0, date.start - 20), date.start):
        return DocumentTime(interval=TimeInterval(date.interval.start, None), lasting=True)
    return DocumentTime(interval=date.interval, lasting=bool(date.range))


def _scores(asked: Asked, intent: TemporalIntent, documents: Sequence[Document]) -> list[float]:
    columns = TimeColumns.from_documents(documents)
    return [float(score) for score in temporal_scores(intent, columns, reference_date=asked.reference_date)]
