"""Passages: what a reader is given to read, each with its time and how that stands to the time asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np

from qtie.document import Document
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval, civil_date
from qtie.rewriting.event_phrases import find_event_phrases
from qtie.temporal_relevance import compared_times, outside_documents, undated_documents
from qtie.text_times import asked_facets, with_text_facets
from qtie.time_columns import TimeColumns

__all__ = ["Asked", "Passage", "passages_of", "shown_interval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with the time that it asks for; nothing that stands in a passage changes it."""

    question: str
    intent: TemporalIntent
    reference_date: date | None = None
    """The day of asking."""

    @property
    def undated_event(self) -> str:
        """The words of an event that the question names without a date; empty where its time is known, or none is
        named."""
        if self.intent.interval is not None:
            return ""
        return next((phrase.text for phrase in find_event_phrases(self.question)), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A document as a reader sees it."""

    document: Document
    time: TimeInterval | None
    """The document's time that was compared with the question's (days, both ends included); None where it has none."""
    inside: bool | None
    """Whether that time meets the time asked for; None where no time is asked for, or none is known."""

    superseded: bool = False
    """Whether another passage states the same for a time that goes before: the latest, where that is asked for."""

    @property
    def text(self) -> str:
        """Title and body, which a line break parts."""
        title, text = self.document.title, self.document.text
        return f"{title}\n{text}" if title else text

    @property
    def lasts(self) -> bool:
        """Whether that time is one for which the document is valid, no day on which it was written."""
        return any(
            time.lasting and time.interval == self.time for times in self.document.times.values() for time in times
        )

    def bound(self, side: Literal["start", "end"]) -> TimeInterval | None:
        """The days on which a time that lasts began or ended, None where that is open; else its time."""
        lasting = (time for times in self.document.times.values() for time in times if time.lasting)
        same = next((time for time in lasting if time.interval == self.time), None)
        return self.time if same is None else same.start if side == "start" else same.end


def passages_of(documents: Sequence[Document], asked: Asked) -> tuple[Passage, ...]:
    """The documents as passages for that question, in the same order.

    Example:
        >>> from qtie.tie.grammar import GrammarExtractor
        >>> documents = [Document.from_text("Won by Ada.", str(year), timestamp=year) for year in (2016, 2019)]
        >>> asked = Asked(question="who won in 2019", intent=GrammarExtractor().extract("who won in 2019"))
        >>> [(str(passage.time), passage.inside) for passage in passages_of(documents, asked)]
        [('2016-01-01/2016-12-31', False), ('2019-01-01/2019-12-31', True)]
    """
    intent, day = asked.intent, asked.reference_date
    facets = asked_facets(intent, reference_date=day)
    timed = [with_text_facets(document, facets, options=intent.options) for document in documents]
    columns = TimeColumns.from_documents(timed)
    compared = compared_times(intent, columns, np.arange(columns.n_docs), reference_date=day)
    outside = outside_documents(intent, columns, reference_date=day)
    undated = undated_documents(intent, columns, reference_date=day)
    return tuple(
        Passage(
            document=document,
            time=time.time,
            inside=None if time.time is None or is_undated or intent.interval is None else not is_outside,
        )
        for document, time, is_outside, is_undated in zip(documents, compared, outside, undated, strict=True)
    )


def shown_interval(interval: TimeInterval) -> str:
    """An interval for people: whole years as years, one day as that day, else as EDTF.

    Example:
        >>> [shown_interval(TimeInterval.parse(text)) for text in ("1843/1845", "2019", "2019-05-06", "2019-05/..")]
        ['1843–1845', '2019', '2019-05-06', '2019-05-01/..']
    """
    first, last = str(interval).split("/")
    if interval.start is None or interval.end is None:
        return f"{first}/{last}"
    (first_year, *start), (last_year, *end) = civil_date(interval.start), civil_date(interval.end)
    if (start, end) == ([1, 1], [12, 31]) and first_year > 0:
        return f"{first_year:04}" if first_year == last_year else f"{first_year:04}–{last_year:04}"
    return first if first == last else f"{first}/{last}"
