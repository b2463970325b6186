"""Questions about the same with a wrong time: the negatives of TsContriever."""

import re
from random import Random

from qtie.intent import TemporalIntent

__all__ = ["with_wrong_time"]

_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_LEAST_YEARS, _MOST_YEARS = 10, 60


def with_wrong_time(intent: TemporalIntent, random: Random) -> str | None:
    """The query with all its years moved by the same 10 to 60 years, so far that another time is asked for.

    A time that is open to one side moves to that side, since it would still hold the right one after any other move
    (how the paper draws wrong specifiers is not said: assumed). The words around the years stay.

    Args:
        intent: of the query, as an extractor reads it.
        random: draws how far, and the side where both are open.

    Returns:
        None where the query's time names no year.

    Example:
        >>> from qtie.tie.grammar import GrammarExtractor
        >>> with_wrong_time(GrammarExtractor().extract("Who led the club after May 1990?"), Random(0))
        'Who led the club after May 2024?'
    """
    spans = [span for constraint in intent.constraints for span in (constraint.span, *constraint.more_spans)]
    years = [
        found
        for found in _YEAR.finditer(intent.query)
        if any(start <= found.start() and found.end() <= end for start, end in spans)
    ]
    if not years or intent.interval is None:
        return None
    n_years = random.randint(_LEAST_YEARS, _MOST_YEARS)
    sides = [side for side, bound in ((-1, intent.interval.end), (1, intent.interval.start)) if bound is not None]
    side = random.choice(sides or [-1, 1])
    text = intent.query
    for found in reversed(years):
        text = text[: found.start()] + str(int(found[0]) + side * n_years) + text[found.end() :]
    return text
