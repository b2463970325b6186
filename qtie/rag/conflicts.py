"""Passages that state the same fact for different times: found, put in order, and shown as a dated sequence."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import inf

from qtie.intent import TemporalConstraint, TemporalIntent
from qtie.interval import TimeInterval
from qtie.rag.passage import Asked, Passage, shown_interval
from qtie.rag.wording.words import content_words, is_past, share, word_weights

__all__ = [
    "all_over",
    "asks_now",
    "dated_sequence",
    "is_to_come",
    "of_today",
    "same_fact",
    "telling_most",
    "valid_first",
]

_LEAST_SHARE = 0.8
"""Share of the question's words in the passage that has most of them, which a passage of the same fact has."""
_LEAST_COMMON = 0.5
"""Share of the question's words that the former must have."""


_PAST = re.compile(r"\b(?:was|were|did|had|used to)\b", re.IGNORECASE)
_VERB = re.compile(r"\W*(?:who|what|(?:which|how many) [^\W\d_]+) (?P<verb>[^\W\d_]+)", re.IGNORECASE)
_NOW = re.compile(
    r"\W*(?:who|what|which|where|how (?:many|much|old|big|large|tall|high))\b"
    r"(?:['’]s\b|.*?\b(?:is|are|does|do|has|have)\b|(?: currently| now)? (?!does\b|is\b)[^\W\d_]{2,}[^\Ws]s\b)",
    re.IGNORECASE,
)


def asks_now(asked: Asked) -> bool:
    """Whether a question without a time is in the present tense, so that what is valid on the day of asking counts.

    Example:
        >>> from qtie.intent import TemporalIntent
        >>> questions = ["Who is the mayor?", "Who leads the ministry?", "Who was the mayor?", "Who won the prize?"]
        >>> [asks_now(Asked(question=text, intent=TemporalIntent(query=text))) for text in questions]
        [True, True, False, False]
    """
    if asked.intent.is_temporal or asked.intent.constraints:
        return False
    return _NOW.match(asked.question) is not None and _PAST.search(asked.question) is None


def is_to_come(asked: Asked) -> bool:
    """Whether a question speaks of a time after the day of asking as if it were past: nobody can know what it asks.

    Example:
        >>> from datetime import date
        >>> from qtie.tie.grammar import GrammarExtractor
        >>> questions = ["Who won in 2030?", "Who was mayor in 2030?", "Who will win in 2030?", "Who won in 2020?"]
        >>> asked = [Asked(question=text, intent=GrammarExtractor().extract(text), reference_date=date(2025, 6, 15))
        ...     for text in questions]
        >>> [is_to_come(each) for each in asked]
        [True, True, False, False]
    """
    today = TimeInterval.from_dates(asked.reference_date, None).start
    starts = [interval.start for interval in asked.intent.intervals]
    if today is None or not starts or any(start is None or start <= today for start in starts):
        return False
    verb = _VERB.match(asked.question)
    return _PAST.search(asked.question) is not None or (verb is not None and is_past(verb["verb"].lower()))


def of_today(asked: Asked) -> TemporalIntent:
    """The intent with the day of asking as its time, the latest first."""
    today = TimeInterval.from_dates(asked.reference_date, asked.reference_date)
    constraint = TemporalConstraint(interval=today, raw=today, rule="present tense")
    return replace(asked.intent, constraints=(constraint,), preference="latest")


def same_fact(passages: Sequence[Passage], asked: Asked) -> tuple[int, ...]:
    """The positions of passages that state what is asked for different times; none where all speak of one time.

    Two passages count as stating the same where they share nearly all of the question's words that either has.

    Example:
        >>> from qtie.document import Document
        >>> from qtie.intent import TemporalIntent
        >>> from qtie.rag.passage import passages_of
        >>> asked = Asked(question="Who leads the ministry?", intent=TemporalIntent(query="Who leads the ministry?"))
        >>> texts = {"2016": "Jonas leads the ministry.", "2019": "Elke leads the ministry.", "2018": "A new budget."}
        >>> documents = [Document.from_text(text, year, timestamp=year) for year, text in texts.items()]
        >>> same_fact(passages_of(documents, asked), asked)
        (0, 1)
    """
    same = [at for at in telling_most(passages, asked) if passages[at].time is not None]
    return tuple(same) if len({passages[at].time for at in same}) > 1 else ()


def telling_most(passages: Sequence[Passage], asked: Asked) -> tuple[int, ...]:
    """The positions of passages with nearly all of those words of the question that the one with most of them has.

    None where that one has less than half of the question's words.
    """
    weights = word_weights(asked.intent.semantic_query)
    found = [content_words(passage.text) for passage in passages]
    best = max(found, key=lambda words: share(weights, words), default=[])
    if share(weights, best) < _LEAST_COMMON:
        return ()
    shared = {word: weight for word, weight in weights.items() if word in best}
    return tuple(at for at, words in enumerate(found) if share(shared, words) >= _LEAST_SHARE)


def all_over(passages: Sequence[Passage], asked: Asked) -> bool:
    """Whether what passages state for different times was over on the day of asking, where the present is asked for."""
    if asked.reference_date is None or not asks_now(asked):
        return False
    today = TimeInterval.from_dates(asked.reference_date, None).start
    ends = [time.end for at in same_fact(passages, asked) if (time := passages[at].time) is not None]
    return bool(ends) and today is not None and all(end is not None and end < today for end in ends)


def valid_first(passages: Sequence[Passage], same: Sequence[int], asked: Asked) -> tuple[Passage, ...]:
    """The passages, where those of the same fact change places among themselves until the valid one is first.

    What lies outside the asked time, or begins after the day of asking, follows what does not. Where the latest is
    asked for ("as of", "current", or the present tense alone), the one that starts last comes first, and where the
    earliest, the one that starts first.
    """
    preference = asked.intent.preference or ("latest" if asks_now(asked) else "")
    today = TimeInterval.from_dates(asked.reference_date, None).start if preference == "latest" else None

    def key(at: int) -> tuple[bool, bool, float]:
        time = passages[at].time or TimeInterval()
        start = -inf if time.start is None else float(time.start)
        is_future = today is not None and start > today
        return passages[at].inside is False, is_future, {"latest": -start, "earliest": start}.get(preference, 0.0)

    moved = dict(zip(same, sorted(same, key=key), strict=True))
    return tuple(passages[moved.get(at, at)] for at in range(len(passages)))


def dated_sequence(passages: Sequence[Passage], same: Sequence[int], labels: Sequence[str]) -> str:
    """The passages of one fact by label and time, the earliest first; empty where there are none.

    Args:
        labels: one for each of the passages.
    """
    known = [(at, time) for at in same if (time := passages[at].time) is not None]
    ordered = sorted(known, key=lambda each: (-inf if each[1].start is None else each[1].start, each[0]))
    return ", ".join(f"{shown_interval(time)} [{labels[at]}]" for at, time in ordered)
