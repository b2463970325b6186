"""Tense: whether a question asks for the present, for a state that lasts, or for what has not come yet."""

import re
from dataclasses import replace

from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import TimeInterval
from qtie.rag.passage import Asked
from qtie.rag.wording.answer_kind import answer_kind
from qtie.rag.wording.words import is_past

__all__ = ["as_of", "asks_now", "is_to_come", "of_today"]

_PAST = re.compile(r"\b(?:was|were|did|had|used to)\b", re.IGNORECASE)
_VERB = re.compile(
    r"\W*(?:who|what|(?:which|what|how many) [^\W\d_]+)(?: (?:currently|now|still))? (?P<verb>[^\W\d_]+)", re.IGNORECASE
)
_AUXILIARY = re.compile(r"(?:is|are|am|will|would|shall|should|can|could|may|might|must|do|of|in|on|at|for|the|and)")
_NOW = re.compile(
    r"\W*(?:who|what|which|where|how (?:many|much|old|big|large|tall|high))\b"
    r"(?:['’]s\b|.*?\b(?:is|are|does|do|has|have)\b|(?: currently| now)? (?!does\b|is\b)[^\W\d_]{2,}[^\Ws]s\b)",
    re.IGNORECASE,
)
_MANY = re.compile(r"\W*how many [^\W\d_]+s?(?: (?:currently|now))? (?P<verb>[^\W\d_]{3,})\b", re.IGNORECASE)
_LASTING = r"have|cost|live|work|own|belong|employ|weigh|earn|hold|seat|lead|run|head|charge|contain|support|apply"
_STATE = re.compile(
    rf"\b(?:was|were|had)\b|\bdid\b.*\b(?:{_LASTING})\b|\b(?:lived|worked|owned|employed|held|seated|led|ran|headed)\b",
    re.IGNORECASE,
)
_PASSIVE = re.compile(r"\b(?:was|were|had)\b(?P<rest>.*)", re.IGNORECASE)
_ONCE = re.compile(r"\b(?:first|last|born|killed|won|winners?|champions?|results?|scores?|elections?)\b", re.IGNORECASE)


def asks_now(asked: Asked) -> bool:
    """Whether a question without a time is in the present tense, so that what is valid on the day of asking counts.

    Example:
        >>> from qtie.intent import TemporalIntent
        >>> questions = ["Who is the mayor?", "Who leads the ministry?", "Who was the mayor?", "Who won the prize?"]
        >>> questions += ["How many people live in Ulm?", "How many people died in Ulm?"]
        >>> [asks_now(Asked(question=text, intent=TemporalIntent(query=text))) for text in questions]
        [True, True, False, False, True, False]
    """
    if asked.intent.is_temporal or asked.intent.constraints or _PAST.search(asked.question):
        return False
    many = _MANY.match(asked.question)
    return _NOW.match(asked.question) is not None or (many is not None and not is_past(many["verb"].lower()))


def is_to_come(asked: Asked) -> bool:
    """Whether a question speaks of a time after the day of asking as if it were past: nobody can know what it asks.

    Of one, the present tense ends in -s: "Which storm hit Ulm?" is past.

    Example:
        >>> from datetime import date
        >>> from qtie.tie.grammar import GrammarExtractor
        >>> questions = ["Who won in 2030?", "Who was mayor in 2030?", "Who will win in 2030?", "Who won in 2020?"]
        >>> questions += ["Which storm hit Ulm in 2030?", "Which storm hits Ulm in 2030?"]
        >>> asked = [Asked(question=text, intent=GrammarExtractor().extract(text), reference_date=date(2025, 6, 15))
        ...     for text in questions]
        >>> [is_to_come(each) for each in asked]
        [True, True, False, False, True, False]
    """
    today = TimeInterval.from_dates(asked.reference_date, None).start
    starts = [interval.start for interval in asked.intent.intervals]
    if today is None or not starts or any(start is None or start <= today for start in starts):
        return False
    if _PAST.search(asked.question):
        return True
    match = _VERB.match(asked.question)
    verb = match["verb"].lower() if match else ""
    is_of_one = match is not None and not re.match(r"\W*how many|.*s \S+$", match[0], re.IGNORECASE)
    return is_past(verb) or (is_of_one and not verb.endswith("s") and not _AUXILIARY.fullmatch(verb))


def of_today(asked: Asked) -> TemporalIntent:
    """The intent with the day of asking as its time, the latest first."""
    today = TimeInterval.from_dates(asked.reference_date, asked.reference_date)
    return _latest_in(asked.intent, today, rule="present tense")


def as_of(asked: Asked) -> TemporalIntent | None:
    """Of a question for a state in the past, the intent that takes what was last said before the asked time ended.

    A state goes on until something else is said: the price of 2014 is that of 2016 where nothing was said between. None
    where the question asks for something that happened, or for its date. A time without an end is that until the day of
    asking.

    Example:
        >>> from qtie.tie.grammar import GrammarExtractor
        >>> questions = ["Who was mayor in 2016?", "What did it cost in 2016?", "Who won in 2016?"]
        >>> questions += ["Who was elected in 2016?"]
        >>> found = [as_of(Asked(question=text, intent=GrammarExtractor().extract(text))) for text in questions]
        >>> [intent and str(intent.interval) for intent in found]
        ['../2016-12-31', '../2016-12-31', None, None]
    """
    interval, question = asked.intent.interval, asked.question
    if interval is None or not _STATE.search(question) or _ONCE.search(question):
        return None
    today = TimeInterval.from_dates(None, asked.reference_date)
    end = today.end if interval.end is None else interval.end
    passive = _PASSIVE.search(question)
    happened = passive is not None and any(is_past(word) for word in re.findall(r"[^\W\d_]+", passive["rest"].lower()))
    if end is None or happened or answer_kind(question) == "date":
        return None
    return _latest_in(asked.intent, TimeInterval(None, end), rule="as of")


def _latest_in(intent: TemporalIntent, interval: TimeInterval, *, rule: str) -> TemporalIntent:
    """The intent with that interval as its only time, the latest first."""
    return replace(
        intent, constraints=(TemporalConstraint(interval=interval, raw=interval, rule=rule),), preference="latest"
    )
