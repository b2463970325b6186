"""Passages that state the same fact for different times: found, put in order, and shown as a dated sequence."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from qtie.interval import TimeInterval
from qtie.rag.passage import Asked, Passage, shown_interval
from qtie.rag.tense import asks_now
from qtie.rag.wording.head_noun import asked_nouns
from qtie.rag.wording.restated import restated
from qtie.rag.wording.words import share, word_set, word_weights

__all__ = [
    "all_over",
    "arranged",
    "dated_sequence",
    "same_fact",
    "telling_most",
    "told_words",
    "valid_first",
]

_LEAST_SHARE = 0.8
"""Share of the question's words in the passage that has most of them, which a passage of the same fact has."""
_LEAST_COMMON = 0.5
"""Share of the question's words that the former must have."""


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
    """The positions of passages with nearly all of those words of the question that the one with most of them has, and
    with the asked role or noun where that one has it: "mayor of Ulm", "toll".

    None where that one has less than half of the question's words.
    """
    weights = word_weights(asked.intent.semantic_query)
    found = [told_words(passage, asked) for passage in passages]
    best = max(found, key=lambda words: share(weights, words), default=frozenset())
    if share(weights, best) < _LEAST_COMMON:
        return ()
    shared = {word: weight for word, weight in weights.items() if word in best}
    nouns = asked_nouns(asked.question) & best
    return tuple(at for at, words in enumerate(found) if share(shared, words) >= _LEAST_SHARE and nouns <= words)


def told_words(passage: Passage, asked: Asked) -> frozenset[str]:
    """The stems of a passage, and those of the question that it has in other words."""
    words = word_set(passage.text)
    return words | restated(asked.question, words)


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


def arranged(passages: Sequence[Passage], asked: Asked) -> tuple[tuple[Passage, ...], list[str]]:
    """The passages with the valid one of each fact first, and what is to be said of their times.

    A question that asks for no time keeps its order, unless it is in the present tense; that its answer has changed
    with time is said all the same. Where the latest, the earliest or the present is asked for, the first supersedes
    those others that have no more of the question's words.
    """
    same = same_fact(passages, asked)
    is_asked = asked.intent.is_temporal or asks_now(asked)
    ordered = valid_first(passages, same, asked) if is_asked else tuple(passages)
    if same and (asked.intent.preference or asks_now(asked)):
        weights = word_weights(asked.intent.semantic_query)
        shares = [share(weights, told_words(passage, asked)) for passage in ordered]
        after = {at for at in same[1:] if shares[at] <= shares[same[0]]}
        ordered = tuple(replace(each, superseded=at in after) for at, each in enumerate(ordered))
    said = dated_sequence(ordered, same, [passage.document.doc_id for passage in ordered])
    return ordered, [f"said of several times: {said}"] if said else []
