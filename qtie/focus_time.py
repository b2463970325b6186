"""A document's times read from its text: what it states about itself and its subject, facet by facet."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from qtie.document import Document
from qtie.document_time import DocumentTime
from qtie.facets import Facet, cue_after, cue_before, is_person, months_ended
from qtie.intent import IntentOptions
from qtie.interval import Granularity, TimeInterval, shift_day
from qtie.stated_dates import StatedDate, stated_dates
from qtie.tie.en.lexicon import MONTH_NAME

__all__ = ["focus_time", "with_focus_times"]

_DEFAULT = IntentOptions()
_SOURCE = "text"
_EVENT = Facet("event")

IN_TITLE, LABELLED, SAID, SET_OFF, MENTIONED, VAGUE = 0.9, 0.95, 0.43, 0.38, 0.3, 0.25
"""Confidence of a date in the title, after a label ("Born:"), after words of a facet, set off by layout, in running
prose; and at most, of one said vaguely.

A date in running prose often is that of something else. The order was fixed by what such places mean; that the last
four are halves of first guesses was chosen on TimeQA (`benchmarks/tune_defaults.py`)."""


class _Time(NamedTuple):
    facet: Facet
    time: DocumentTime


def focus_time(text: str, *, title: str = "", options: IntentOptions = _DEFAULT) -> dict[str, tuple[DocumentTime, ...]]:
    """Every time that a text states about itself or its subject, by facet, in the order of the text.

    Facets: `born`, `died`, `published`, `updated`, `validity` (lasting, a side may be open), and `event` for all other
    dates. Days with both ends included; each time has a confidence below 1 and the source "text".

    Args:
        text: its first line counts as the title where none is given and it looks like one.
        title: years in it are events of high confidence.
        options: how 3/4/2010 is read.

    Example:
        >>> times = focus_time("The Prize in Chemistry 1911\\nBorn: 27, Mar, 1845. In force from 1 May 1912.")
        >>> [(facet, str(found[0].interval), found[0].confidence) for facet, found in times.items()]
        [('event', '1911-01-01/1911-12-31', 0.9), ('born', '1845-03-27/1845-03-27', 0.95),
         ('validity', '1912-05-01/..', 0.43)]
    """
    whole = f"{title}\n{text}" if title else text
    n_title = _with_subtitle(whole, len(title) if title else _title_length(text))
    dates = stated_dates(whole, n_title=n_title, options=options)
    reader = _Reader(whole, n_title)
    found = [time for at, date in enumerate(dates) for time in reader.times(date, dates[at - 1] if at else None)]
    by_facet: dict[str, dict[TimeInterval, DocumentTime]] = {}
    for facet, time in _joined_validities(found):
        same = by_facet.setdefault(facet.name, {})
        if time.interval not in same or same[time.interval].confidence < time.confidence:
            same[time.interval] = time
    return {facet: tuple(times.values()) for facet, times in by_facet.items()}


def with_focus_times(document: Document, *, options: IntentOptions = _DEFAULT) -> Document:
    """A copy of the document in which the facets that its metadata does not carry are filled from its text.

    Without a timestamp, validity, event or focus time in its metadata, the events of the text are its `focus_time`
    too. Times once read from a text give way to those of the document's own, so a chunk that has inherited them from
    its parent refines them.

    Example:
        >>> award = Document(doc_id="a", text="Marta Ruiz, physicist. Born: 3 May 1881.", title="Prize in Physics 1911")
        >>> {facet: str(times[0].interval) for facet, times in with_focus_times(award).times.items()}
        {'event': '1911-01-01/1911-12-31', 'born': '1881-05-03/1881-05-03', 'focus_time': '1911-01-01/1911-12-31'}
        >>> award.times
        {}
    """
    found = focus_time(document.text, title=document.title, options=options)
    carried = {facet for facet, times in document.times.items() if any(time.source != _SOURCE for time in times)}
    if "event" in found and carried.isdisjoint(("timestamp", "validity", "event", "focus_time")):
        found["focus_time"] = found["event"]
    return document.with_times({facet: times for facet, times in found.items() if facet not in carried})


_SENTENCE_END = re.compile(r"(?<!\b[^\W\d_])[.!?](?=\s)")  # not the point of an initial
_YEAR_AT_END = re.compile(
    rf"(?!(?:in|since|of|from|to|until|by|before|after|and|or|at|{MONTH_NAME})\b)\b[^\W\d]+ [12]\d{{3}}[.!?]?$", re.I
)


def _title_length(text: str) -> int:
    """How many of the first characters are a title: a short first line, or a first sentence that ends in a year."""
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)].rstrip()
    is_line = end >= 0 or (len(line) <= 80 and not line.endswith("."))
    if len(line) <= 120 and is_line and not _SENTENCE_END.search(line):
        return start + len(line)
    match = _SENTENCE_END.search(line)
    sentence = line[: match.end()] if match else line
    return start + len(sentence) if len(sentence) <= 100 and _YEAR_AT_END.search(sentence[-30:]) else 0


def _with_subtitle(text: str, n_title: int) -> int:
    """The same, to the end of the next line where that is short and ends in a year: a name, then what it is about."""
    start = text.find("\n", n_title) + 1
    if not n_title or not start or text[n_title:start].strip():
        return n_title
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)].rstrip()
    match = None if len(line) > 100 or _SENTENCE_END.search(line) else _YEAR_AT_END.search(line)
    return start + len(line) if match and not re.search(r"\d", line[: match.start()]) else n_title


_CLAUSE_END = re.compile(r"[.!?][\"')\]]?\s+(?=[^\W\da-z_]|[\"“(#])|\n| \. |; |[.!?]\s+(?=on |in )")
_LABEL = re.compile(r"[ \t*•|>#\"-]*[\w .,/'’()&-]{1,40}?[:|\t=][ \t|*]*(?:the )?$")
_NEXT_OF_LABEL = re.compile(r" *\([^()\n]{1,30}\)[;,/ ]+")
_AFTER_FIRST_DATE = re.compile(r" *(?:\n|[|·\u2013\u2014]| -+ )")
_JOURNAL = re.compile(r"\d *\(\d+\) *[:,] *[\d\u2013-]+[,. ]*\(?$")
_MAIL_HEADERS = re.compile(r"^(?:from|to|cc|subject|reply-to|message-id):", re.IGNORECASE | re.MULTILINE)
_DATE_LABEL = re.compile(r"(?:^|\n)[ \t*|]*date:?[ \t|]*(?:\w+,? )?$")
_DATELINE = re.compile(
    r"[^\W\da-z_][\w.'’-]*(?:[ ,]+[^\W\da-z_][\w.'’-]*)*(?: \([^()\d]{2,20}\))?"
    r"(?:(?<=\.)| ?[,.)]|[ ,]-{1,2}| [\u2013\u2014]) *(?:\w+, )?"
)
_AFTER_DATELINE = re.compile(r"(?: \([^()\d]{2,30}\))? ?(?:[\u2013\u2014:]|--?[ -]|\. ?[^\W\da-z_])")
_VERSION = re.compile(
    r"(?:^|[\s\[v])\d+(?:\.\d+)+[\w.+-]*[\])\"]*[ ,]*(?:[(:\u2013\u2014-]|released|of)?[ (]*(?:\w{3,9}, )?$"
)
_REFERENCE = re.compile(
    r"^[^\W\da-z_][\w'’-]+,? (?:[^\W\da-z_]\.[ ,-]*)+(?:.{0,80}\b[^\W\da-z_]\.[ ,]*)?(?:\(eds?\.?\) ?)?\($"
)
_MEMORIAL = re.compile(r"\b(?:loving memory|in memoriam|rest in peace|r\.?i\.?p\b|obituary|beloved)", re.IGNORECASE)


_REACH = 200
"""Characters before a date in which its label, dateline or brackets may begin."""
_OPENING, _CLOSING = re.compile(r"(?:[(\[]|-lrb-|; ) ?$"), re.compile(r" ?(?:[)\],;]|-rrb-)")


class _Reader:
    """Says, date by date, which facet the words around it give it."""

    def __init__(self, text: str, n_title: int) -> None:
        self.text = text
        self.n_title = n_title
        self.last: Facet = _EVENT
        self.last_confidence = MENTIONED

    def times(self, date: StatedDate, previous: StatedDate | None) -> list[_Time]:
        """The times that one stated date gives: usually one, two where a life's start and end stand in brackets."""
        text = self.text
        line_start = text.rfind("\n", 0, date.start) + 1
        line = text[max(line_start, date.start - _REACH) : date.start]
        if lifespan := self._lifespan(date, line):
            return lifespan
        clause = self._clause(date, previous, line_start)
        if (n_months := months_ended(clause)) and date.last and date.last.end is not None:
            start = shift_day(date.last.end + 1, -n_months, Granularity.MONTH)
            period = _point(TimeInterval(start, date.last.end), SAID)
            return [_Time(_EVENT, replace(period, lasting=True))]
        if date.listed or (previous and _NEXT_OF_LABEL.fullmatch(text, previous.end, date.start)):
            facet, confidence = self.last, self.last_confidence
        else:
            facet, confidence = self._facet(date, line, clause)
        self.last, self.last_confidence = facet, confidence
        return [_time(date, facet, confidence)]

    def _clause(self, date: StatedDate, previous: StatedDate | None, line_start: int) -> str:
        """The words before the date, back to the date before it or the start of its clause, in lower case."""
        begin = max(date.start - 80, line_start, previous.end if previous else 0)
        words = self.text[begin : date.start]
        if not words.strip(" \t*-•|") and line_start:  # its label may be a line of its own
            above = self.text[self.text.rfind("\n", 0, line_start - 1) + 1 : line_start - 1].strip()
            return f"{above} ".lower() if 0 < len(above) <= 30 and not (previous and previous.end > begin) else ""
        *_, at = [0, *(match.end() for match in _CLAUSE_END.finditer(words))]
        return words[at:].lower()

    def _facet(self, date: StatedDate, line: str, clause: str) -> tuple[Facet, float]:
        label = _LABEL.fullmatch(line) is not None
        if _DATE_LABEL.search(line[-30:].lower()) and _MAIL_HEADERS.search(self.text):
            return Facet("published"), LABELLED
        cue = cue_before(clause)
        if cue is None and (layout := self._layout(date, line)):
            return layout, SET_OFF
        if date.range:
            return self._range_facet(date, line, cue, label=label)
        if cue and (cue.name != "validity" or cue.bound != "at"):
            return cue, _confidence(cue, label=label)
        if not clause.strip(' ,.:"(*-') or clause.strip() in ("on", "in", "at", "by", "on the", "in the"):
            following = self.text[date.end : date.end + 90]
            end = _CLAUSE_END.search(following)
            after = cue_after(following[: end.start() if end else None].lower())
            if after:
                return after, SAID
        if date.end <= self.n_title:
            return _EVENT, IN_TITLE
        return _EVENT, SET_OFF if label else MENTIONED

    def _layout(self, date: StatedDate, line: str) -> Facet | None:
        """Published, where a dateline, a version number or a reference list say so without a word for it."""
        after = self.text[date.end : date.end + 40]
        day = date.first.n_days == 1 and not date.range
        if day and (
            _VERSION.search(line[-80:])
            or (len(line) <= 80 and _DATELINE.fullmatch(line) and _AFTER_DATELINE.match(after))
        ):
            return Facet("published")
        opens = date.start < _REACH and re.fullmatch(r"\s*(?:\w+, )?", self.text[: date.start])
        if day and opens and _AFTER_FIRST_DATE.match(after):
            return Facet("published")
        if date.form == "year" and ((after.startswith(")") and _REFERENCE.search(line)) or _JOURNAL.search(line)):
            return Facet("published")
        n_above = self.text.count("\n", 0, date.start)
        alone = not line.strip() and after[:1] in ("\n", "") and n_above > 0
        byline = line[:3].lower() == "by " and not date.range
        return Facet("published") if n_above <= 3 and day and (alone or byline) else None

    def _range_facet(self, date: StatedDate, line: str, cue: Facet | None, *, label: bool) -> tuple[Facet, float]:
        """Whether a range is a validity (an office, a law, employment) or an event that took that long."""
        if date.interval.end is None or (cue and cue.name == "validity"):
            facet = Facet("validity", of_text=cue is not None and cue.of_text)
            return facet, SET_OFF if date.interval.end is None else _confidence(facet, label=label)
        if cue:
            return cue, _confidence(cue, label=label)
        in_brackets = line.endswith("(")
        ends_line = self.text[date.end : date.end + 2] in (")\n", ")") and date.first.n_days > 1
        long = date.interval.n_days > 300 and date.range != "and" and date.end > self.n_title
        if long and (ends_line or not in_brackets):
            return Facet("validity"), SET_OFF if date.range == "dash" else MENTIONED
        return _EVENT, MENTIONED

    def _lifespan(self, date: StatedDate, line: str) -> list[_Time]:
        """Born and died, of "Elspeth Gaunt (19 November 1804 – c. 1871)"."""
        in_brackets = _OPENING.search(line) and _CLOSING.match(self.text, date.end)
        alone = not line.strip() and self.text[date.end : date.end + 1] in ("\n", "") and _MEMORIAL.search(self.text)
        if date.range != "dash" or not (in_brackets or alone):
            return []
        confidence = SAID
        if date.interval.start is None:
            return []
        if not alone:
            n_years = 30 if date.interval.end is None else date.interval.n_days / 365.25
            if not is_person(line[-120:], n_years=n_years):
                return []
            name_at_start = re.match(r"[\W_]*\w[^.:]{0,60}[(-] ?$", line) is not None
            confidence = SAID if name_at_start else VAGUE
        ends = (("born", date.first), ("died", date.last))
        return [_Time(Facet(name), _point(interval, confidence)) for name, interval in ends if interval is not None]


def _confidence(facet: Facet, *, label: bool) -> float:
    if facet.name == "event" or (facet.name == "validity" and not facet.of_text):  # whose office, in running prose?
        return SET_OFF if label else MENTIONED
    return LABELLED if label else SAID


def _point(interval: TimeInterval, confidence: float) -> DocumentTime:
    return DocumentTime(interval=interval, confidence=confidence, source=_SOURCE)


def _time(date: StatedDate, facet: Facet, confidence: float) -> _Time:
    if date.form == "vague":
        confidence = min(confidence, VAGUE)
    first, last = date.first, date.last
    if facet.name != "validity":
        return _Time(facet, replace(_point(date.interval, confidence), lasting=bool(date.range)))
    start = None if facet.bound in ("end", "until_before") else first
    end = None if facet.bound == "start" else last
    if facet.bound == "until_before" and first.start is not None:
        end = TimeInterval(first.start - 1, first.start - 1)
    time = DocumentTime(
        interval=TimeInterval(start.start if start else None, end.end if end else None),
        lasting=True,
        start_unit=start.granularity if start else Granularity.DAY,
        end_unit=end.granularity if end else Granularity.DAY,
        confidence=confidence,
        source=_SOURCE,
    )
    return _Time(facet, time)


def _joined_validities(found: Iterable[_Time]) -> list[_Time]:
    """The times, where the start and the later end of the text's own validity are one ("in force from", "repealed")."""
    joined: list[_Time] = []
    for facet, time in found:
        if facet.of_text and facet.name == "validity" and time.interval.start is None:
            at = next((at for at, other in enumerate(joined) if _begins(other, time)), None)
            if at is not None:
                start = joined[at].time
                interval = TimeInterval(start.interval.start, time.interval.end)
                joined[at] = _Time(facet, replace(time, interval=interval, start_unit=start.start_unit))
                continue
        joined.append(_Time(facet, time))
    return joined


def _begins(other: _Time, end: DocumentTime) -> bool:
    facet, time = other
    is_start = facet.of_text and time.interval.end is None and time.interval.start is not None
    return is_start and end.interval.end is not None and time.interval.start <= end.interval.end  # type: ignore[operator]
