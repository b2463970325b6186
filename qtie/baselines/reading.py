"""What a baseline makes of a question: by keywords, as its paper does, or from an intent that it is given."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from qtie.baselines.ranker import Pool, Question
from qtie.document_time import parse_time
from qtie.errors import IntervalError
from qtie.interval import TimeInterval
from qtie.tie.semantic_query import semantic_query
from qtie.time_columns import Times

__all__ = [
    "Reader",
    "Reading",
    "compared_times",
    "read_intent",
    "read_keywords",
    "read_last_date",
    "read_strict_keywords",
]

Kind = Literal["between", "before", "after", "in"]

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DATE = rf"(?:(?:\d{{1,2}} )?{_MONTH} (?:\d{{1,2}},? )?\d{{4}}|[12]\d{{3}}(?:-\d\d){{0,2}})(?![\w-])"
_PHRASE = re.compile(
    r"(?i)\b(?:(?:(?P<before>before|as of|by|until)|(?P<after>from|since|after)"
    r"|in|on|around|during|between|and|to)\s+)?"
    rf"(?:the\s+)?(?:year\s+)?(?<![\d-])(?P<date>{_DATE})"
)
_CONDITION = re.compile(r"(?i)\b(?:(?P<first>first|earliest)|last|latest|most recent|recent)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The time that a question asks for, in the few terms that the published baselines know."""

    text: str
    """The question without its words about time."""
    kind: Kind | None = None
    """None where it names no date."""
    interval: TimeInterval | None = None
    """The days that fit (both ends included): open to the left of "before", to the right of "after"."""
    condition: Literal["first", "last"] | None = None
    target: str = "any"
    """Which of a document's times is meant, as in `TemporalConstraint`."""


Reader = Callable[[Question], Reading]


def read_keywords(question: Question, *, bound_fits: bool = True) -> Reading:
    """The reading by the keywords of MRAG (arXiv 2412.15540), which know dates written out and nothing else.

    *before*: before, as of, by, until; *after*: from, since, after; *between*: two dates; *in*: any other date.
    *first*: first, earliest; *last*: last, latest, (most) recent.

    Args:
        question: its text alone is read.
        bound_fits: whether the date itself fits "before" and "after".

    Example:
        >>> from qtie.intent import TemporalIntent
        >>> asked = "Who was last seen here before May 2019?"
        >>> reading = read_keywords(Question(text=asked, intent=TemporalIntent(query=asked)))
        >>> reading.kind, str(reading.interval), reading.condition, reading.text
        ('before', '../2019-05-31', 'last', 'Who was seen here?')
    """
    text = question.text
    dated = [(match, date) for match in _PHRASE.finditer(text) if (date := _date(match["date"]))]
    word = _CONDITION.search(text)
    condition: Literal["first", "last"] | None = None if word is None else "first" if word["first"] else "last"
    removed = [match.span() for match, _ in dated] + ([word.span()] if word else [])
    kind, interval = _bounds(dated, bound_fits=bound_fits)
    return Reading(text=semantic_query(text, removed), kind=kind, interval=interval, condition=condition)


def read_strict_keywords(question: Question) -> Reading:
    """As `read_keywords`, but the date itself fits neither "before" nor "after".

    Example:
        >>> from qtie.intent import TemporalIntent
        >>> str(read_strict_keywords(Question(text="after 2019", intent=TemporalIntent(query="after 2019"))).interval)
        '2020-01-01/..'
    """
    return read_keywords(question, bound_fits=False)


def _bounds(
    dated: list[tuple[re.Match[str], TimeInterval]], *, bound_fits: bool
) -> tuple[Kind | None, TimeInterval | None]:
    if not dated:
        return None, None
    (match, date), *others = dated
    if others:
        for _, other in others:
            date = date.hull(other)
        return "between", date
    if match["before"]:
        return "before", TimeInterval(None, date.end) if bound_fits else date.complement()[0]
    if match["after"]:
        return "after", TimeInterval(date.start, None) if bound_fits else date.complement()[1]
    return "in", date


def _date(text: str) -> TimeInterval | None:
    try:
        time = parse_time(text)
    except IntervalError:  # such as 31 February 2019
        return None
    return None if time is None else time.interval


def read_last_date(question: Question) -> Reading:
    """The days up to the latest date that the question names, or else up to the reference date: a query's timestamp.

    Example:
        >>> from qtie.intent import TemporalIntent
        >>> str(read_last_date(Question(text="won in 2019", intent=TemporalIntent(query="won in 2019"))).interval)
        '../2019-12-31'
    """
    days = [date.end for match in _PHRASE.finditer(question.text) if (date := _date(match["date"]))]
    end = max(
        (day for day in days if day is not None), default=TimeInterval.from_dates(None, question.reference_date).end
    )
    if end is None:
        return Reading(text=question.text)
    return Reading(text=question.text, kind="before", interval=TimeInterval(None, end))


def read_intent(question: Question) -> Reading:
    """The hull of the question's intent, its preference, its target if that is one, and its semantic query.

    Example:
        >>> from qtie.intent import TemporalConstraint, TemporalIntent
        >>> since = TemporalConstraint(interval=TimeInterval.parse("2015/.."), target="published")
        >>> asked = "papers since 2015"
        >>> intent = TemporalIntent(query=asked, constraints=(since,), semantic_query="papers")
        >>> reading = read_intent(Question(text=asked, intent=intent))
        >>> reading.kind, str(reading.interval), reading.target, reading.text
        ('after', '2015-01-01/..', 'published', 'papers')
    """
    intent = question.intent
    interval, targets = intent.interval, list(intent.by_target)
    kind: Kind | None = None
    if interval is not None and (interval.start is not None or interval.end is not None):
        kind = "before" if interval.start is None else "after" if interval.end is None else "between"
    condition = {"earliest": "first", "latest": "last", None: None}[intent.preference]
    return Reading(
        text=intent.semantic_query,
        kind=kind,
        interval=interval if kind else None,
        condition=condition,  # type: ignore[arg-type]
        target=targets[0] if len(targets) == 1 else "any",
    )


def compared_times(reading: Reading, question: Question, pool: Pool) -> Times:
    """The documents' times that the reading is compared with."""
    if reading.target == "any":
        return pool.columns.times_for("any")
    return pool.columns_for(question.intent, reference_date=question.reference_date).times_for(reading.target)
