"""Passages that state the same fact for different times: found, put in order, and shown as a dated sequence."""

from collections.abc import Sequence
from math import inf

from qtie.interval import TimeInterval
from qtie.rag.passage import Asked, Passage, shown_interval
from qtie.rag.words import content_words, share, word_weights

__all__ = ["dated_sequence", "same_fact", "valid_first"]

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
    weights = word_weights(asked.intent.semantic_query)
    found = [content_words(passage.text) for passage in passages]
    best = max(found, key=lambda words: share(weights, words), default=[])
    if share(weights, best) < _LEAST_COMMON:
        return ()
    shared = {word: weight for word, weight in weights.items() if word in best}
    same = [
        at for at, words in enumerate(found) if passages[at].time is not None and share(shared, words) >= _LEAST_SHARE
    ]
    return tuple(same) if len({passages[at].time for at in same}) > 1 else ()


def valid_first(passages: Sequence[Passage], same: Sequence[int], asked: Asked) -> tuple[Passage, ...]:
    """The passages, where those of the same fact change places among themselves until the valid one is first.

    What lies outside the asked time follows what does not; where the latest is asked for ("as of", "current"), the one
    that starts last comes first, and where the earliest, the one that starts first.
    """
    preference = asked.intent.preference

    def key(at: int) -> tuple[bool, float]:
        time = passages[at].time or TimeInterval()
        start = -inf if time.start is None else float(time.start)
        return passages[at].inside is False, {"latest": -start, "earliest": start}.get(preference or "", 0.0)

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
