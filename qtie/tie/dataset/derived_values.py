"""Values made of others, and those said from the reference date: "late 1990s", "last week of May 2020", "YTD"."""

from datetime import date
from random import Random

from qtie.interval import Granularity, TimeInterval, day_number, shift_day, unit_of
from qtie.tie.dataset.calendar_values import (
    MONTHS,
    ORDINALS,
    SHORT_MONTHS,
    UNITS,
    WEEKDAYS,
    century_value,
    count_in_words,
    decade_value,
    month_value,
    ordinal_in_digits,
    timex_of,
    year_number,
    year_value,
)  # fmt: skip
from qtie.tie.timex import Timex, latest_by, part_of

_YEAR, _MONTH, _DAY = Granularity.YEAR, Granularity.MONTH, Granularity.DAY


def part_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """The early, mid or late part of a year, month, decade or century."""
    inner, x = rng.choice((year_value, month_value, decade_value, decade_value, century_value))(rng, reference)
    bare = inner.removeprefix("the ")
    if x.interval is None or bare.startswith(("'", "week")) or "BC" in inner or "bc" in inner:
        return part_value(rng, reference)
    if rng.random() < 0.1:
        first, last = rng.choice((("mid", "late"), ("early", "mid")))
        return f"the {first}-to-{last} {bare}", part_of(x, first, last)
    part = rng.choice(("early", "mid", "late"))
    join = rng.choice((" ", "-")) if part != "mid" else "-"
    text = rng.choice((f"{part}{join}{bare}", f"the {part}{join}{bare}"))
    if part != "mid" and rng.random() < 0.15:
        text = f"{part} in {inner}"
    return text, part_of(x, part)


def edge_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """The start, middle or end of one."""
    inner, x = rng.choice((year_value, year_value, month_value, decade_value, century_value))(rng, reference)
    word, part = rng.choice((("start", "early"), ("beginning", "early"), ("middle", "mid"), ("end", "late"),
                             ("close", "late"), ("end", "late"), ("start", "early")))  # fmt: skip
    taken = part_of(x, part)
    if x.granularity is _YEAR and inner.isdigit() and rng.random() < 0.1:
        word, part, inner = "year-end", "late", inner
        taken = part_of(x, part)
    if part != "mid":
        taken = Timex(interval=taken.interval, granularity=taken.granularity,
                      edge="start" if part == "early" else "end", whole=x.interval)  # fmt: skip
    return f"year-end {inner}" if word == "year-end" else f"the {word} of {inner}", taken


def piece_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A counted piece of one: "the second week of May 2020"."""
    return rng.choice((_months_of, _week_of, _half_of, _days_of_month, _days_of_year, _quarter_of, _every))(
        rng, reference
    )


def _months_of(rng: Random, reference: date) -> tuple[str, Timex]:
    year, n = year_number(rng), rng.randint(2, 9)
    first = rng.random() < 0.5
    start = day_number(year, 1 if first else 13 - n)
    interval = TimeInterval(start, shift_day(start, n, _MONTH) - 1)
    word = rng.choice(("first", "opening")) if first else rng.choice(("last", "final"))
    return f"the {word} {count_in_words(rng, n)} months of {year}", timex_of(interval, _MONTH)


def _week_of(rng: Random, reference: date) -> tuple[str, Timex]:
    text, x = month_value(rng, reference)
    start, end = _days(x)
    if rng.random() < 0.3:
        return f"the last week of {text}", timex_of(TimeInterval(end - 6, end), Granularity.WEEK)
    n = rng.randint(1, 4)
    days = TimeInterval(start + 7 * (n - 1), start + 7 * n - 1)
    return f"the {rng.choice((ORDINALS[n], ordinal_in_digits(n)))} week of {text}", timex_of(days, Granularity.WEEK)


def _half_of(rng: Random, reference: date) -> tuple[str, Timex]:
    text, x = rng.choice((decade_value, century_value))(rng, reference)
    start, end = _days(x)
    middle = shift_day(start, x.granularity.months // 2, _MONTH)
    first = rng.random() < 0.5
    interval = TimeInterval(start, middle - 1) if first else TimeInterval(middle, end)
    word = "first" if first else rng.choice(("second", "latter"))
    return f"the {word} half of {text}", timex_of(interval, Granularity.HALF)


def _every(rng: Random, reference: date) -> tuple[str, Timex]:
    text, x = month_value(rng, reference)
    return f"{rng.choice(('every', 'each'))} {rng.choice(WEEKDAYS)} in {text}", x


def _days_of_month(rng: Random, reference: date) -> tuple[str, Timex]:
    year, m = year_number(rng), rng.randint(1, 12)
    last = int(TimeInterval.month(year, m).n_days)
    a = rng.randint(1, last - 2)
    b = rng.randint(a + 1, last)
    name = MONTHS[m - 1]
    text = rng.choice(
        (f"{a} to {b} {name} {year}", f"{a}-{b} {name} {year}", f"{name} {a}-{b}, {year}", f"{name} {a} to {b}, {year}")
    )
    return text, timex_of(TimeInterval(day_number(year, m, a), day_number(year, m, b)), _DAY)


def _days_of_year(rng: Random, reference: date) -> tuple[str, Timex]:
    year, n, first = year_number(rng), rng.randint(2, 120), rng.random() < 0.5
    start, end = day_number(year), day_number(year, 12, 31)
    days = TimeInterval(start, start + n - 1) if first else TimeInterval(end - n + 1, end)
    return f"the {'first' if first else 'last'} {n} days of {year}", timex_of(days, _DAY)


def _quarter_of(rng: Random, reference: date) -> tuple[str, Timex]:
    n, nth = rng.randint(1, 4), rng.randint(13, 21)
    first_year = 100 * (nth - 1) + 25 * (n - 1) + 1
    word = ORDINALS[n] if n < 4 else rng.choice(("last", "fourth"))
    text = f"the {word} quarter of the {ordinal_in_digits(nth)} century"
    return text, timex_of(TimeInterval.years(first_year, first_year + 24), Granularity.QUARTER)


def _days(x: Timex) -> tuple[int, int]:
    assert x.known.start is not None
    assert x.known.end is not None
    return x.known.start, x.known.end


def _day_of(reference: date) -> int:
    return reference.toordinal() - date(1970, 1, 1).toordinal()


def _day_texts(m: int, d: int) -> tuple[str, ...]:
    name, nth = MONTHS[m - 1], ordinal_in_digits(d)
    return f"{d} {name}", f"{name} {d}", f"{name} {nth}", f"the {nth} of {name}", f"{SHORT_MONTHS[m - 1]} {d}"


def yearless_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A month, day, quarter or season without its year: the latest that has begun."""
    today, kind = _day_of(reference), rng.randrange(5)
    m = rng.randint(1, 12)
    if kind <= 1:
        template, text, unit = (
            TimeInterval.month(2000, m),
            rng.choice((MONTHS[m - 1], MONTHS[m - 1], SHORT_MONTHS[m - 1])),
            _MONTH,
        )
    elif kind == 2:
        d = rng.randint(1, 28)
        template, unit = TimeInterval.day(2000, m, d), _DAY
        text = rng.choice(_day_texts(m, d))
    elif kind == 3:
        n = rng.randint(1, 4)
        template, text, unit = unit_of(day_number(2000, 3 * n), Granularity.QUARTER), f"Q{n}", Granularity.QUARTER
    else:
        n = rng.randrange(4)
        template, unit = unit_of(day_number(2000, 3 * n + 3), Granularity.SEASON), Granularity.SEASON
        text = rng.choice(("the ", "")) + ("spring", "summer", "autumn", "winter")[n]
    bare = Timex(interval=None, granularity=unit, template=template)
    return text, Timex(interval=latest_by(bare, today), granularity=unit, template=template)


_DEICTIC = (
    ("yesterday", -1),
    ("today", 0),
    ("tomorrow", 1),
    ("the day before yesterday", -2),
    ("the day after tomorrow", 2),
    ("last night", -1),
    ("yesterday evening", -1),
)


def relative_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A unit or day said from the reference date."""
    today, kind = _day_of(reference), rng.randrange(10)
    if kind == 0:
        text, n = rng.choice(_DEICTIC)
        return text, timex_of(TimeInterval(today + n, today + n), _DAY)
    name = rng.choice(("week", "month", "quarter", "year", "year", "decade", "century", "weekend"))
    unit = UNITS[name]
    current = unit_of(today, unit).start
    assert current is not None
    if kind <= 5:
        word, n = rng.choice((("last", -1), ("last", -1), ("the previous", -1), ("this", 0), ("this", 0), ("next", 1),
                              ("the current", 0), ("the coming", 1)))  # fmt: skip
        return f"{word} {name}", timex_of(unit_of(shift_day(current, n, unit), unit), unit)
    if kind == 6:
        return f"the {name} before last", timex_of(unit_of(shift_day(current, -2, unit), unit), unit)
    if kind == 7:
        name = rng.choice(("year", "month", "week", "quarter"))
        unit = UNITS[name]
        short = {"year": "YTD", "month": "MTD", "quarter": "QTD"}.get(name, "week to date")
        text = rng.choice((f"{name} to date", f"so far this {name}", f"this {name} so far", short, f"{name}-to-date"))
        return text, timex_of(TimeInterval(unit_of(today, unit).start, today), unit)
    if kind == 8:
        name = rng.choice(("day", "week", "month", "year", "decade"))
        return f"the past {name}", timex_of(TimeInterval(shift_day(today, -1, UNITS[name]), today), UNITS[name])
    return _last_named(rng, reference)


def _last_named(rng: Random, reference: date) -> tuple[str, Timex]:
    """ "last March", "March last year", "last Tuesday"."""
    today = _day_of(reference)
    if rng.random() < 0.5:
        weekday = rng.randrange(7)
        day = today - (today + 3 - weekday) % 7
        if rng.random() < 0.5:
            return f"on {WEEKDAYS[weekday]}", timex_of(TimeInterval(day, day), _DAY)
        day -= 7 if day == today else 0
        return f"last {WEEKDAYS[weekday]}", timex_of(TimeInterval(day, day), _DAY)
    m = rng.randint(1, 12)
    if rng.random() < 0.5:
        n, word = rng.choice(((-1, "last"), (0, "this"), (1, "next")))
        text = rng.choice((f"{MONTHS[m - 1]} {word} year", f"{MONTHS[m - 1]} of {word} year"))
        return text, timex_of(TimeInterval.month(reference.year + n, m), _MONTH)
    month = TimeInterval.month(reference.year, m)
    assert month.end is not None
    month = month if month.end < today else TimeInterval.month(reference.year - 1, m)
    return f"last {MONTHS[m - 1]}", timex_of(month, _MONTH)


def turn_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """The turn of a century."""
    x = rng.random()
    if x < 0.5:
        n = rng.randint(12, 21)
        year = 100 * (n - 1)
        text = f"the turn of the {ordinal_in_digits(n)} century"
    else:
        year, text = 2000, rng.choice(("the turn of the millennium", "the turn of the century"))
    return text, timex_of(TimeInterval.years(year - 1, year + 1), _YEAR)


def unknown_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A time whose date is not known: "that year"."""
    word = rng.choice(("year", "month", "week", "decade", "day", "summer", "period", "era"))
    return rng.choice((f"that {word}", f"that same {word}", f"the same {word}")), Timex(
        interval=None, granularity=_YEAR
    )
