"""Time values and durations drawn at random: the days each denotes, computed from the calendar, and how it is written.

The value reader has no part in this: a value it reads otherwise shows up among the data card's drops.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from random import Random

from qtie.interval import Granularity
from qtie.tie.dataset.calendar_values import (
    ORDINALS,
    UNITS,
    century_value,
    count_in_words,
    day_value,
    decade_value,
    fiscal_value,
    half_value,
    holiday_value,
    month_value,
    ordinal_in_digits,
    quarter_value,
    season_value,
    week_value,
    year_value,
    years_value,
)  # fmt: skip
from qtie.tie.dataset.derived_values import (
    edge_value,
    part_value,
    piece_value,
    relative_value,
    turn_value,
    unknown_value,
    yearless_value,
)  # fmt: skip
from qtie.tie.timex import Timex

__all__ = ["Duration", "Value", "draw_bounds", "draw_duration", "draw_value"]


@dataclass(frozen=True, slots=True)
class Value:
    """A time value as written, and the days it denotes."""

    text: str
    timex: Timex
    form: str


@dataclass(frozen=True, slots=True)
class Duration:
    """`n` units as written: "three years", its unit "year" and its ordinal "third year"."""

    text: str
    n: int
    unit: Granularity
    unit_text: str
    ordinal: str


_Form = Callable[[Random, date], tuple[str, Timex]]
_FORMS: dict[str, tuple[float, _Form]] = {
    "year": (32, year_value), "month": (11, month_value), "day": (11, day_value), "quarter": (4, quarter_value),
    "half": (2, half_value), "week": (2, week_value), "decade": (7, decade_value), "century": (4, century_value),
    "part": (6, part_value), "edge": (3.5, edge_value), "piece": (3, piece_value), "season": (3, season_value),
    "years": (2, years_value), "fiscal": (1.5, fiscal_value), "holiday": (2.5, holiday_value),
    "yearless": (4, yearless_value), "relative": (8, relative_value), "turn": (0.7, turn_value),
    "unknown": (1, unknown_value),
}  # fmt: skip
_PLAIN = ("year", "month", "day", "decade", "quarter", "season", "century")


def draw_value(rng: Random, reference: date, *, among: tuple[str, ...] | None = None) -> Value:
    """A time value of any form, or of the forms `among`."""
    names = [name for name in _FORMS if among is None or name in among]
    form = rng.choices(names, [_FORMS[name][0] for name in names])[0]
    return Value(*_FORMS[form][1](rng, reference), form)


def draw_bounds(rng: Random, reference: date) -> tuple[Value, Value]:
    """Two values of one form, the second later."""
    form = (rng.choices(_PLAIN, (45, 16, 16, 12, 4, 4, 3))[0],)
    while True:
        x, y = draw_value(rng, reference, among=form), draw_value(rng, reference, among=form)
        x, y = sorted((x, y), key=lambda value: (value.timex.known.start or 0, value.timex.known.end or 0))
        if (x.timex.known.end or 0) < (y.timex.known.start or 0) and ("BC" in x.text.upper()) == (
            "BC" in y.text.upper()
        ):
            return x, y


_VAGUE = (
    ("a few", 3),
    ("a couple of", 2),
    ("several", 3),
    ("half a dozen", 6),
    ("a dozen", 12),
    ("few", 3),
    ("couple of", 2),
)
_LENGTHS = {"day": 90, "week": 20, "month": 24, "quarter": 8, "year": 30, "decade": 6, "century": 4, "fortnight": 3}


def draw_duration(
    rng: Random, *, least: int = 1, units: tuple[str, ...] | None = None, vague: bool = False
) -> Duration:
    """A number of units: at least `least`, of the units `units`, with "a few" and the like where `vague`."""
    names = units or ("day", "week", "month", "quarter", "year", "decade", "century", "fortnight")
    name = rng.choices(names, [{"year": 10, "month": 6, "day": 3, "week": 3, "decade": 2}.get(u, 0.5) for u in names])[
        0
    ]
    n = (
        least
        if rng.random() < 0.15
        else rng.randint(least, max(least + 1, _LENGTHS[name] // (1 if rng.random() < 0.4 else 3)))
    )
    unit, multiple = (Granularity.WEEK, 2) if name == "fortnight" else (UNITS[name], 1)
    plural = {"century": "centuries"}.get(name, f"{name}s")
    if vague and least > 1 and rng.random() < 0.2:
        words, n = rng.choice(_VAGUE[-2:] if rng.random() < 0.3 else _VAGUE[:5])
        text = f"{words} {plural}"
    elif n == 1:
        text = f"{rng.choice(('a', 'one', '1'))} {name}"
    else:
        text = f"{count_in_words(rng, n)} {'yrs' if name == 'year' and rng.random() < 0.03 else plural}"
    nth = (ORDINALS[n] if n < 20 and rng.random() < 0.6 else ordinal_in_digits(n)) + f" {name}"
    return Duration(text, n * multiple, unit, name, nth)
