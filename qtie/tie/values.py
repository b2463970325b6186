"""The value reader: finds time expressions in a text and says what days they denote.

What a preposition does to them is not decided here, so that any extractor of operators, by rule or learned, can
stand on it.
"""

import re
from datetime import date
from typing import NamedTuple

from qtie.intent import IntentOptions
from qtie.interval import TimeInterval
from qtie.tie.cascade import Context, Skeleton, run_stage
from qtie.tie.en.days import DAYS
from qtie.tie.en.holidays import HOLIDAYS
from qtie.tie.en.lone_years import LONE_YEARS
from qtie.tie.en.masks import MASKS, NAMES
from qtie.tie.en.parts import PARTS
from qtie.tie.en.periods import PERIODS
from qtie.tie.en.relative import NAMED, RELATIVE
from qtie.tie.en.sharing import YEARED, share_year
from qtie.tie.en.shifts import SHIFTS
from qtie.tie.en.spelling import NUMBER_WORDS, SPELLING, normalized
from qtie.tie.timex import Timex

__all__ = ["DATES", "FoundTimex", "find_timexes", "read_values", "skeleton_of"]

DATES = [*DAYS, *PERIODS, *LONE_YEARS]
"""The rules that read a date from its words."""
_PARTS_AND_SHIFTS = [*PARTS, *SHIFTS]


class FoundTimex(NamedTuple):
    """A time expression and the characters it was read from: first, and one after the last."""

    start: int
    end: int
    timex: Timex


def skeleton_of(text: str, *, reference_date: date | None, options: IntentOptions) -> Skeleton:
    """The text made ready for rules: spelling put right, numbers in digits."""
    reference = None if reference_date is None else TimeInterval.from_dates(reference_date, None).start
    skeleton = Skeleton(normalized(text), Context(reference, options), query=text)
    for gap in reversed([*re.finditer(r"(?<= ) +", skeleton.text)]):
        skeleton.replace(*gap.span(), "")
    run_stage(skeleton, SPELLING)
    run_stage(skeleton, NUMBER_WORDS, once=True)
    return skeleton


def read_values(skeleton: Skeleton) -> None:
    """Put a `Timex` in the place of every time value: dates, relative dates, their parts, what is counted from them."""
    run_stage(skeleton, NAMES, once=True)
    run_stage(skeleton, MASKS, once=True)
    run_stage(skeleton, HOLIDAYS, once=True)
    run_stage(skeleton, DATES, once=True)
    run_stage(skeleton, NAMED, once=True)
    run_stage(skeleton, YEARED)
    share_year(skeleton)
    run_stage(skeleton, PARTS)
    if run_stage(skeleton, RELATIVE, once=True) or run_stage(skeleton, SHIFTS, once=True):
        run_stage(skeleton, _PARTS_AND_SHIFTS)


def find_timexes(
    text: str, *, reference_date: date | None = None, options: IntentOptions | None = None
) -> list[FoundTimex]:
    """The time expressions of a text, in order.

    Example:
        >>> [(found.start, found.end, str(found.timex.interval)) for found in find_timexes("signed on 3 May 2010")]
        [(10, 20, '2010-05-03/2010-05-03')]
    """
    skeleton = skeleton_of(text, reference_date=reference_date, options=options or IntentOptions())
    read_values(skeleton)
    return [
        FoundTimex(*skeleton.origins[at], node)
        for at, char in enumerate(skeleton.text)
        if isinstance(node := skeleton.nodes.get(char), Timex)
    ]
