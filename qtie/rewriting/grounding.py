"""Events grounded in what is stored: an event phrase is searched for, and the best match's time is put in its place.

The match must be sure: it holds the phrase's names and enough of its other words, and nothing of another time fits as
well. Else all that fits is listed and nothing is put in.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from qtie.errors import ConfigError
from qtie.interval import TimeInterval, temporal_distance_days
from qtie.rewriting.event_phrases import EventPhrase, find_event_phrases
from qtie.rewriting.names import tokens_of
from qtie.rewriting.rewriter import ResolvedEvent, Rewrite, Source

__all__ = ["Evidence", "GroundingRewriter", "Search", "content_words", "search_text", "word_overlap"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A text that may tell of an event, and when what it tells was."""

    text: str
    interval: TimeInterval
    score: float
    """The search's, in [0, ∞); higher is better."""
    label: str
    """Title or id of where it stands."""
    is_stated: bool = False
    """Whether the text itself states the time, rather than being dated by it."""


Search = Callable[[str], Sequence[Evidence]]
"""What is found for an event phrase, best first."""

_STEM_LETTERS = 5
_LEAST_CONTEXT = 0.5
"""Of "her resignation" the evidence must hold that share of the question's other names."""
_SAME_EVENT_DAYS = 7
"""Texts about one event are dated within that many days."""
_WORDS_OF_NO_TOPIC = (
    "of in on at to for from by with and or as that this these those his her its their our my your it he she they was "
    "were is are be been has have had did does do who which what when where while first last new also into over out up "
    "off about than then there not no between during after before since until within through s"
)
_FUNCTION_WORDS = frozenset(_WORDS_OF_NO_TOPIC.split())
_POINTING = re.compile(
    r"(?i)(?<![\w-])(?:after|before|since|following|prior to|during|until|till|ahead of|by|in the wake of|post)[\s-]"
    r"(?:[\w'’]+\s+){0,3}$"
)

_EXPECTING = re.compile(
    r"(?i)(?<![\w-])(?:may(?! \d)|might|could|would|will|if|whether|plan(?:s|ned)?|propos(?:es|ed|al)|expect(?:s|ed)?"
    r"|rumou?r(?:s|ed)?|consider(?:s|ed|ing)?|upcoming|likely|talks|not|never)(?![\w-])"
)


def content_words(text: str) -> list[str]:
    """The words that say what a text is about, shortened so that "merged" is "merger".

    Example:
        >>> content_words("the merger of Acme and Beta")
        ['merge', 'acme', 'beta']
    """
    words = [token.word for token in tokens_of(text)]
    return list(dict.fromkeys(_stem(word) for word in words if word not in _FUNCTION_WORDS))


def _stem(word: str) -> str:
    short = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    return short[:_STEM_LETTERS] if short.isalpha() else short


def word_overlap(phrase: str, text: str) -> float:
    """The share of the phrase's content words that stand in the text, in [0, 1]; 0 where a name is lacking.

    Example:
        >>> word_overlap("the merger with Beta", "Acme merged with Beta"), word_overlap("Beta's fall", "Acme's fall")
        (1.0, 0.0)
    """
    asked, found = content_words(phrase), set(content_words(text))
    if not asked or not _names(phrase) <= found:
        return 0.0
    return sum(word in found for word in asked) / len(asked)


def _names(text: str) -> set[str]:
    """The words in capitals, shortened as `content_words` are."""
    words = {token.word for token in tokens_of(text) if text[token.start].isupper()}
    return {_stem(word) for word in words - _FUNCTION_WORDS}


class GroundingRewriter:
    """Dates a question's event phrases by what a search finds for them.

    Args:
        search: gives evidence for a phrase, best first.
        source: what is searched, facts or documents.
        least_overlap: the share of the phrase's words that evidence must hold, in (0, 1].
            Both defaults were chosen by `benchmarks/tiq.py` on its first half.
        margin: by which share of its score the best must beat evidence of another time that holds as many words.

    Raises:
        ConfigError: a number out of its range.

    Example:
        >>> def search(phrase):
        ...     return [Evidence("Acme completes merger with Beta", TimeInterval.day(2019, 3, 5), 4.2, "news-7")]
        >>> GroundingRewriter(search).rewrite("What did the company say after the merger?").rewritten
        'What did the company say after 5 March 2019?'
    """

    def __init__(
        self, search: Search, *, source: Source = "documents", least_overlap: float = 0.6, margin: float = 0.3
    ) -> None:
        if not 0 < least_overlap <= 1:
            raise ConfigError(f"least_overlap must be above 0 and at most 1, not {least_overlap!r}")
        if not 0 <= margin < 1:
            raise ConfigError(f"margin must be from 0 to below 1, not {margin!r}")
        self.search = search
        self.source: Source = source
        self.least_overlap = least_overlap
        self.margin = margin

    def rewrite(self, question: str, *, reference_date: date | None = None) -> Rewrite:
        """The question with the days of its events, as the evidence has them."""
        events: list[ResolvedEvent] = []
        candidates: list[ResolvedEvent] = []
        reasons: list[str] = []
        for phrase in find_event_phrases(question, reference_date=reference_date):
            fitting = self._fitting(question, phrase)
            if len(fitting) == 1:
                events += fitting
            else:
                candidates += fitting
                found = f"{len(fitting)} times fit" if fitting else f"nothing in the {self.source} fits"
                reasons.append(f"{phrase.text!r}: {found}")
        return Rewrite.of(question, events, candidates=candidates, reason="; ".join(reasons))

    def _fitting(self, question: str, phrase: EventPhrase) -> list[ResolvedEvent]:
        """The best evidence, with all that fits as well and has another time."""
        rated = [
            (fit, evidence)
            for evidence in self.search(search_text(question, phrase))
            if (fit := _fit(question, phrase, evidence)).overlap >= self.least_overlap
        ]
        if not rated:
            return []
        best_fit, best = max(rated, key=lambda pair: (*pair[0], pair[1].score))
        kept = [best]
        for fit, evidence in rated:
            rivals = fit >= best_fit and evidence.score >= (1 - self.margin) * best.score
            if rivals and all(_are_apart(evidence.interval, other.interval) for other in kept):
                kept.append(evidence)
        return [self._resolved(phrase, evidence, best_fit.overlap) for evidence in kept]

    def _resolved(self, phrase: EventPhrase, evidence: Evidence, overlap: float) -> ResolvedEvent:
        return ResolvedEvent(
            text=phrase.text,
            span=phrase.span,
            label=evidence.label,
            interval=evidence.interval,
            source=self.source,
            confidence=round(0.8 * overlap, 3),
        )


class _Fit(NamedTuple):
    """How well evidence fits a phrase: the shares of the phrase's words and of the question's other names it holds."""

    overlap: float
    context: float


def search_text(question: str, phrase: EventPhrase) -> str:
    """What is searched for a phrase: its words, and the names in the rest of the question.

    Example:
        >>> question = "Who led Acme after the merger?"
        >>> search_text(question, find_event_phrases(question)[0])
        'the merger Acme'
    """
    rest = _rest(question, phrase)
    names = [rest[token.start : token.end] for token in tokens_of(rest) if rest[token.start].isupper()]
    return " ".join([phrase.text, *(name for name in names if name.lower() not in _FUNCTION_WORDS)])


def _rest(question: str, phrase: EventPhrase) -> str:
    return f"{question[: phrase.span[0]]} {question[phrase.span[1] :]}"


def _fit(question: str, phrase: EventPhrase, evidence: Evidence) -> _Fit:
    """How well the evidence fits; not at all where it only mentions the event, or tells of someone else's."""
    names = _names(_rest(question, phrase))
    context = len(names & set(content_words(evidence.text))) / len(names) if names else 1.0
    is_anothers = phrase.is_dependent and context < _LEAST_CONTEXT
    if is_anothers or (not evidence.is_stated and _only_mentions(phrase.text, evidence.text)):
        return _Fit(0.0, context)
    return _Fit(word_overlap(phrase.text, evidence.text), context)


def _are_apart(a: TimeInterval, b: TimeInterval) -> bool:
    return temporal_distance_days(a, b) > _SAME_EVENT_DAYS


def _only_mentions(phrase: str, text: str) -> bool:
    """Whether the text points at the event ("five years after the merger") or expects it, and so has its own time."""
    words = set(content_words(phrase))
    first = next((token for token in tokens_of(text) if _stem(token.word) in words), None)
    return first is not None and bool(_POINTING.search(text[: first.start]) or _EXPECTING.search(text))
