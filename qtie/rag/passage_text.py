"""A passage's text as the extractive reader sees it: its sentences, the dates that it states, its words."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from qtie.document_time import DocumentTime
from qtie.focus_time import focus_time
from qtie.interval import TimeInterval
from qtie.rag.passage import Passage
from qtie.rag.wording.clauses import clause_ends, clauses_between
from qtie.rag.wording.sentences import Span, sentences
from qtie.rag.wording.words import content_words, word_set
from qtie.stated_dates import StatedDate, stated_dates

__all__ = ["PassageText", "dates_in", "stated_time"]

_WORD = re.compile(r"[^\W_]+")
_LIFE = re.compile(r"\(|\b(?:born|died|birth|death)\b", re.IGNORECASE)
_ASKS_LIFE = re.compile(r"\b(?:born|birth\w*|die[sd]?|deaths?|killed|live[sd]?|old|age|aged)\b", re.IGNORECASE)
_OPENING = re.compile(r"\b(?P<side>since|from|before|until|till)(?: (?:about|at least))? $", re.IGNORECASE)
_FIGURE_FOR = re.compile(
    r"(?:[^\W\d_]|%) for (?P<year>(?:19|20)\d\d)(?=\s*(?:[.,;:)](?!\d)|$| (?:up|down|and|amount|is|was|rose|fell)))"
)


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage's text with what is found in it."""

    text: str
    sentences: list[Span]
    dates: list[StatedDate]
    words: frozenset[str]
    life: frozenset[TimeInterval | None] = frozenset()
    """The days of birth and death, and all between, of the one whom it is about: they date nothing else of it. None
    where the question asks for one of them."""

    @classmethod
    def of(cls, passage: Passage, question: str = "") -> "PassageText":
        """What is found in that passage."""
        text = passage.text
        dates = dates_in(text, n_title=len(passage.document.title))
        life = frozenset() if _ASKS_LIFE.search(question) or not dates else _life(text)
        return cls(text, sentences(text), dates, word_set(text), life)

    def date_of(self, span: Span, sentence: Span) -> tuple[int, int] | None:
        """The position of the date that dates a span, and how many ends of clauses part the two; None without dates.

        It is the one of its sentence with fewest between, then the nearest; without one there, the nearest of the text.
        A birth or death dates only itself, unless the text has no other date.
        """
        inner = self._dating(self._positions(sentence), span)
        everywhere = range(len(self.dates))
        ends = clause_ends(self.text, sentence, self.dates_of(sentence))
        places = (
            (at, Span(self.dates[at].start, self.dates[at].end))
            for at in inner or self._dating(everywhere, span) or everywhere
        )
        near = ((clauses_between(ends, span, place), span.gap(place), at) for at, place in places)
        nearest = min(near, default=None)
        return nearest and (nearest[2], nearest[0])

    def dates_of(self, sentence: Span) -> list[StatedDate]:
        """The dates that begin in a sentence."""
        return [self.dates[at] for at in self._positions(sentence)]

    def _dating(self, positions: Iterable[int], span: Span) -> list[int]:
        """Those of dates that are no birth or death, or have the span in them."""
        return [
            at
            for at in positions
            if self.dates[at].interval not in self.life
            or (self.dates[at].start < span.end and span.start < self.dates[at].end and span.end <= self.dates[at].end)
        ]

    def _positions(self, sentence: Span) -> range:
        first, end = (bisect_left(self.dates, edge, key=lambda date: date.start) for edge in sentence)
        return range(first, end)

    def is_title(self, sentence: Span) -> bool:
        """Whether it is the first of several lines."""
        return sentence == self.sentences[0] and self.text[sentence.end : sentence.end + 1] == "\n"

    def goes_on(self, span: Span) -> bool:
        """Whether a word without capital follows: "Ulm hospital"."""
        return self.text[span.end : span.end + 2].strip().islower()

    def places(self, sentence: Span, weights: Mapping[str, float]) -> list[Span]:
        """Where in the sentence the question's words stand."""
        at = ((match, content_words(match[0])) for match in _WORD.finditer(self.text[slice(*sentence)]))
        return [
            Span(sentence.start + match.start(), sentence.start + match.end())
            for match, stems in at
            if stems and stems[0] in weights
        ]


def dates_in(text: str, *, n_title: int = 0) -> list[StatedDate]:
    """The dates that a passage states, the year for which a figure is given too: "455 million euros for 2018".

    Args:
        text: the passage.
        n_title: the first characters that are a title.

    Example:
        >>> [text[date.start : date.end] for text in ("5 % for 2018, up from 4 in 2017",) for date in dates_in(text)]
        ['2018', '2017']
    """
    stated = stated_dates(_plain(text), n_title=n_title)
    places = [(date.start, date.end) for date in stated]
    figures = (
        match
        for match in _FIGURE_FOR.finditer(text)
        if all(match.end() <= a or b <= match.start("year") for a, b in places)
    )
    years = ((match, TimeInterval.year(int(match["year"]))) for match in figures)
    found = [StatedDate(*match.span("year"), year, year, "year") for match, year in years]
    return sorted([*stated, *found], key=lambda date: date.start)


def stated_time(text: str, date: StatedDate, written: TimeInterval | None = None) -> DocumentTime:
    """The time of which a text says something: "since" leaves the end of a date open, "before" and "until" its start.

    What is so until a day after the one on which the text was written starts with that at the earliest.

    Example:
        >>> texts = ["Mayor since 2012.", "Mayor in 2012.", "Mayor from 2007 to 2012.", "Before 2012 there was none."]
        >>> [str(stated_time(text, date).interval) for text in texts for date in dates_in(text)]
        ['2012-01-01/..', '2012-01-01/2012-12-31', '2007-01-01/2012-12-31', '../2011-12-31']
        >>> text = "Ada is mayor until 2014."
        >>> str(stated_time(text, dates_in(text)[0], TimeInterval.parse("2013-05-03")).interval)
        '2013-05-03/2014-12-31'
    """
    start, end = date.interval.start, date.interval.end
    word = None if date.range else _OPENING.search(text, max(0, date.start - 20), date.start)
    if word is None or start is None:
        return DocumentTime(interval=date.interval, lasting=bool(date.range))
    side = word["side"].lower()
    first = written.start if written and written.start is not None and written.start < start else None
    open_end, open_start = TimeInterval(start, None), TimeInterval(first, start - 1 if side == "before" else end)
    return DocumentTime(interval=open_end if side in ("since", "from") else open_start, lasting=True)


def _life(text: str) -> frozenset[TimeInterval | None]:
    """The birth and death that a text states of the one whom it is about, and the time between."""
    if not _LIFE.search(text):
        return frozenset()
    found = focus_time(text)
    born, died = ([time.interval for time in found.get(facet, ())] for facet in ("born", "died"))
    between = {TimeInterval(first.start, last.end) for first in born for last in died if _in_order(first, last)}
    return frozenset({*born, *died, *between})


def _in_order(first: TimeInterval, last: TimeInterval) -> bool:
    return first.start is not None and last.end is not None and first.start <= last.end


def _plain(text: str) -> str:
    """The text, as long as before, without what parts a date's words or brackets: "March\\xa06", "( 1929–1935 )"."""
    return re.sub(r"(?<=\d) \)", ") ", re.sub(r"\( (?=\d)", " (", text.replace("\u00a0", " ")))
