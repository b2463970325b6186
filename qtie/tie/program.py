"""Programs: what a learned extractor says of a query, and the exact arithmetic that carries it out.

A query's candidates are every time value and every duration that stands in it, read by the same rules as the
grammar's but without its refusals: the model decides which of them are times, what operator each is under and what
a duration does to the value beside it. `execute` then computes days; nothing here is learned.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, get_args

from qtie.errors import IntentParseError, IntervalError
from qtie.intent import IntentOptions, TemporalConstraint
from qtie.interval import Granularity, TimeInterval, shift_day, unit_of
from qtie.tie.cascade import Rule, Skeleton, run_stage
from qtie.tie.en.clauses import joined_bounds, paired
from qtie.tie.en.holidays import HOLIDAYS
from qtie.tie.en.lexicon import number_of, ordinal, unit_named
from qtie.tie.en.masks import NAMES
from qtie.tie.en.operators import constraint, share_range
from qtie.tie.en.parts import PARTS
from qtie.tie.en.permissive import COUNTS, ERAS, PERMISSIVE
from qtie.tie.en.relative import COUNTED, NAMED, RELATIVE
from qtie.tie.en.sharing import YEARED, share_year
from qtie.tie.operators import OPERATORS, Reading, adjoining, between, shifted, span_of_units, within
from qtie.tie.timex import Timex, widened
from qtie.tie.values import DATES, skeleton_of

__all__ = ["Candidate", "Operator", "Role", "Step", "candidates", "execute"]

Operator = Literal[
    "none", "operand", "in", "before", "after", "since", "by", "until", "through", "as of", "from", "to", "around"
]
"""What a candidate is under: no time at all, the operand of a duration, an operator, or one bound of a range."""
Role = Literal[
    "none", "shift back", "shift on", "adjoin back", "adjoin on", "ending", "starting", "within", "ago", "past", "next",
    "hence", "older", "newer",
]  # fmt: skip
"""What a duration does: the first seven need a value beside it, the others count from the reference date."""
_WITH_OPERAND = ("shift back", "shift on", "adjoin back", "adjoin on", "ending", "starting", "within")

_COUNT = r"\d{1,4}|an?|one|(?:a )?few|(?:a )?couple(?: of)?|several|half a dozen|(?:a )?dozen"
_THE = r"(?:the|that|this|each|every) (?:(?:last|previous|next|following|preceding|prior) )?"
_NOT_FIRST = r"(?<!first )(?<!opening )(?<!initial )"  # "the first 100 days" of something count from no date
_DURATION = re.compile(
    rf"(?<!\w){_NOT_FIRST}(?:(?P<n>{_COUNT})[ -]|(?P<o>\d{{1,3}}(?:st|nd|rd|th)|first|second) |{_THE})"
    r"(?P<u>hours?|hrs?|days?|weeks?|wks?|fortnights?|months?|mths?|mos|quarters?|qtrs?|half-years?|semesters?|years?"
    r"|yrs?|decades?|century|centuries|millennium|millennia)(?!\w)"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A time value (`timex`) or a duration (`n` times `unit`) at the characters from `start` to `end` of a query."""

    start: int
    end: int
    timex: Timex | None = None
    n: int = 0
    unit: Granularity | None = None

    @property
    def is_duration(self) -> bool:
        """Whether it is a duration such as "three years"."""
        return self.unit is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is said of one candidate."""

    operator: Operator
    role: Role = "none"
    """Of a duration only."""
    target: str = "any"
    negated: bool = False
    phrase: tuple[int, int] | None = None
    """The characters of the whole time phrase, operator included, where known."""
    confidence: float = 1.0

    def __post_init__(self) -> None:
        if self.operator not in get_args(Operator) or self.role not in get_args(Role):
            raise IntentParseError(f"not a step of a program: {self.operator!r}, {self.role!r}")


def candidates(
    query: str, *, reference_date: date | None = None, options: IntentOptions | None = None
) -> list[Candidate]:
    """Every time value and duration that stands in a query, in order, whether or not it is used as a time.

    Example:
        >>> [(c.start, c.end, c.is_duration) for c in candidates("room 2099 three years before 2019")]
        [(5, 9, False), (10, 21, True), (29, 33, False)]
    """
    skeleton = skeleton_of(query, reference_date=reference_date, options=options or IntentOptions())
    for stage in (COUNTS, NAMES, HOLIDAYS, _DATES, NAMED):
        run_stage(skeleton, stage, once=True)
    run_stage(skeleton, YEARED)
    share_year(skeleton)  # before any number may be a year: "3 May in room 2099" is of no year
    run_stage(skeleton, PERMISSIVE, once=True)
    run_stage(skeleton, YEARED)
    run_stage(skeleton, PARTS)
    if run_stage(skeleton, _UNCOUNTED, once=True):
        run_stage(skeleton, PARTS)
    found = [
        Candidate(*skeleton.origins[at], timex=node)
        for at, char in enumerate(skeleton.text)
        if isinstance(node := skeleton.nodes.get(char), Timex)
    ]
    return sorted([*found, *_durations(skeleton)], key=lambda c: c.start)


_DATES: list[Rule] = [*ERAS, *(rule for rule in DATES if rule.name not in ("years with one era", "era and years"))]
_UNCOUNTED: list[Rule] = [rule for rule in RELATIVE if rule.name not in COUNTED]


def _durations(skeleton: Skeleton) -> list[Candidate]:
    """The durations in what no value has covered."""
    found = []
    for match in _DURATION.finditer(skeleton.text):
        unit, multiple = unit_named(match["u"])
        n = ordinal(match["o"]) if match["o"] else number_of(match["n"]) if match["n"] else 1
        n = n // 24 if match["u"].startswith(("hour", "hr")) else n * multiple
        start, end = skeleton.origins[match.start()][0], skeleton.origins[match.end() - 1][1]
        found.append(Candidate(start, end, n=n, unit=unit))
    return found


def execute(
    found: Sequence[Candidate],
    steps: Sequence[Step],
    *,
    reference_date: date | None,
    options: IntentOptions | None = None,
) -> list[TemporalConstraint]:
    """The constraints that a program asks for; steps that cannot be carried out are left out.

    Args:
        found: the query's candidates, n of them.
        steps: one for each candidate.

    Raises:
        IntentParseError: there are not as many steps as candidates.
    """
    if len(found) != len(steps):
        raise IntentParseError(f"a program needs one step for each candidate: {len(found)} and {len(steps)}")
    options = options or IntentOptions()
    reference = None if reference_date is None else TimeInterval.from_dates(reference_date, None).start
    read: list[tuple[Step, Timex, tuple[int, int]]] = []
    used: set[int] = set()
    for at, (candidate, step) in enumerate(zip(found, steps, strict=True)):
        if candidate.is_duration and step.role != "none":
            operand = _operand(found, steps, at, used) if step.role in _WITH_OPERAND else None
            timex = _counted(
                candidate, step.role, None if operand is None else found[operand].timex, reference, options
            )
            if timex is not None:
                covered = [candidate, *([found[operand]] if operand is not None else [])]
                read.append((step, timex, step.phrase or _hull(covered)))
                used.update({at} if operand is None else {at, operand})
    for at, (candidate, step) in enumerate(zip(found, steps, strict=True)):
        if at not in used and candidate.timex is not None and step.operator not in ("none", "operand"):
            read.append((step, candidate.timex, step.phrase or (candidate.start, candidate.end)))
    return paired(_constraints(sorted(read, key=lambda item: item[2])))


def _hull(covered: Sequence[Candidate]) -> tuple[int, int]:
    return min(c.start for c in covered), max(c.end for c in covered)


def _operand(found: Sequence[Candidate], steps: Sequence[Step], at: int, used: set[int]) -> int | None:
    """The value that a duration counts from: the nearest one after it that is an operand, else before it."""
    values = [
        i
        for i, (c, s) in enumerate(zip(found, steps, strict=True))
        if c.timex and s.operator != "none" and i not in used
    ]
    operands = [i for i in values if steps[i].operator == "operand"] or values
    following = [i for i in operands if i > at]
    return following[0] if following else operands[-1] if operands else None


def _counted(
    duration: Candidate, role: Role, x: Timex | None, reference: int | None, options: IntentOptions
) -> Timex | None:
    """The value that a duration makes, from its operand or from the reference date."""
    n, unit = duration.n, duration.unit
    assert unit is not None
    if role in _WITH_OPERAND:
        if x is None:
            return None
        if x.interval is None or x.interval.start is None or x.interval.end is None:
            return replace(x, interval=None, template=None)
        x = x if x.whole is None else Timex(interval=x.whole, granularity=x.whole.granularity)
        return {
            "shift back": lambda: shifted(x, -n, unit, week_start=options.week_start),
            "shift on": lambda: shifted(x, n, unit, week_start=options.week_start),
            "adjoin back": lambda: adjoining(x, -n, unit),
            "adjoin on": lambda: adjoining(x, n, unit),
            "ending": lambda: span_of_units(x, -n, unit),
            "starting": lambda: span_of_units(x, n, unit),
            "within": lambda: within(x, n, unit),
        }[role]()
    if reference is None:
        return Timex(interval=None, granularity=unit)
    back, on = shift_day(reference, -n, unit), shift_day(reference, n, unit)
    if role in ("ago", "hence"):
        point = back if role == "ago" else on
        coarse = Granularity.YEAR if unit.days >= Granularity.YEAR.days else Granularity.DAY if n == 0 else unit
        return Timex(interval=unit_of(point, coarse, week_start=options.week_start), granularity=coarse, point=point)
    interval = {
        "past": TimeInterval(back, reference),
        "next": TimeInterval(reference, on),
        "older": TimeInterval(None, back),
        "newer": TimeInterval(back, None),
    }[role]
    return Timex(interval=interval, granularity=unit)


def _constraints(read: Sequence[tuple[Step, Timex, tuple[int, int]]]) -> list[TemporalConstraint]:
    """Ranges joined, operators applied, a lower and an upper bound on one target made one."""
    made: list[TemporalConstraint] = []
    pending: tuple[Step, Timex, tuple[int, int]] | None = None
    for step, timex, span in read:
        if pending is not None and step.operator == "to":
            first, lower, begun = pending
            pending = None
            made += _made(first, *share_range(lower, timex), (begun[0], span[1]))
        elif step.operator == "from" and pending is None:
            pending = (step, timex, span)
        else:
            made += _made(step, timex, None, span)
    if pending is not None:
        made += _made(pending[0], pending[1], None, pending[2])
    plain = [c for c in made if not c.negated]
    if len(plain) == 2 and (merged := joined_bounds(*plain)):
        span = (min(c.span[0] for c in plain), max(c.span[1] for c in plain))
        return [replace(merged, span=span, rule="program"), *(c for c in made if c.negated)]
    return made


_SIDES = {"from": "since", "to": "by", "around": "in"}


def _made(step: Step, x: Timex, y: Timex | None, span: tuple[int, int]) -> list[TemporalConstraint]:
    operator = _SIDES.get(step.operator, step.operator)
    try:
        if x.interval is None or (y is not None and y.interval is None):
            reading = None
        elif y is not None:
            operator, reading = "between", between(x, y)
        elif x.interval.start is None or x.interval.end is None:
            operator, reading = "in", Reading(x.interval, x.interval)
        else:
            reading = OPERATORS[operator](widened(x) if step.operator == "around" else x)
    except (IntervalError, OverflowError):
        return []
    made = constraint(operator, reading, x.granularity, confidence=step.confidence)
    return [replace(made, span=span, target=step.target, negated=step.negated, rule="program")]
