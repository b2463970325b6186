"""Time values and durations drawn at random: the days each denotes, computed from the calendar, and how it is written.

The value reader has no part in this: a value it reads otherwise shows up among the data card's drops.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from random import Random

from qtie.interval import Granularity, TimeInterval, day_number, shift_day, unit_of
from qtie.tie.timex import Timex, century, decade, easter, latest_by, nth_weekday, part_of

__all__ = ["Duration", "Value", "draw_duration", "draw_value", "number_words"]

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_SHORT = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = (
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth", "twentieth", "twenty-first",
)  # fmt: skip
_DECADES = {20: "twenties", 30: "thirties", 40: "forties", 50: "fifties", 60: "sixties", 70: "seventies",
            80: "eighties", 90: "nineties", 0: "noughties"}  # fmt: skip
_YEAR, _MONTH, _DAY = Granularity.YEAR, Granularity.MONTH, Granularity.DAY


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


def number_words(n: int) -> str:
    """0 to 99 in words.

    Example:
        >>> number_words(42)
        'forty-two'
    """
    return _SMALL[n] if n < 20 else _TENS[n // 10] + (f"-{_SMALL[n % 10]}" if n % 10 else "")


def _nth(n: int) -> str:
    return f"{n}{'th' if 10 < n % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def _year_number(rng: Random) -> int:
    x = rng.random()
    if x < 0.72:
        return rng.randint(1950, 2026)
    if x < 0.90:
        return rng.randint(1800, 1949)
    return rng.randint(1400, 1799) if x < 0.96 else rng.randint(2027, 2060)


def _year_words(year: int) -> str:
    high, low = divmod(year, 100)
    if 2000 <= year < 2010:
        return "two thousand" + (f" and {number_words(low)}" if low else "")
    return f"{number_words(high)} " + ("hundred" if not low else number_words(low) if low > 9 else f"oh {_SMALL[low]}")


def _timex(interval: TimeInterval, granularity: Granularity) -> Timex:
    return Timex(interval=interval, granularity=granularity)


def _year(rng: Random, reference: date) -> tuple[str, Timex]:
    year = _year_number(rng)
    x = rng.random()
    text = str(year)
    if x < 0.06:
        text = f"the year {year}"
    elif x < 0.11:
        text = _year_words(year)
    elif x < 0.14 and reference.year - 90 < year <= reference.year:
        text = f"'{year % 100:02}"
    elif x < 0.17:
        year = rng.randint(200, 1399)
        text = rng.choice((f"the year {year}", f"{year} AD", f"AD {year}", f"{year} CE", str(year)))
    elif x < 0.20:
        year = 1 - rng.randint(1, 900)
        text = f"{1 - year} {rng.choice(('BC', 'BCE', 'B.C.', 'bc'))}"
    return text, _timex(TimeInterval.year(year), _YEAR)


def _month(rng: Random, reference: date) -> tuple[str, Timex]:
    year, m = _year_number(rng), rng.randint(1, 12)
    name, short = MONTHS[m - 1], _SHORT[m - 1]
    texts = [f"{name} {year}"] * 5 + [f"{short} {year}", f"{short}. {year}", f"{name} of {year}", f"{name}, {year}"]
    texts += [f"{year}-{m:02}", f"{m:02}/{year}", f"{year} {name}", f"{name} '{year % 100:02}", f"{name[:3]} {year}"]
    if year <= 1900:
        texts = texts[:9]
    text = rng.choice(texts)
    if "'" in text and not reference.year - 90 < year <= reference.year:
        text = f"{name} {year}"
    return text, _timex(TimeInterval.month(year, m), _MONTH)


def _day(rng: Random, reference: date) -> tuple[str, Timex]:
    year, m = _year_number(rng), rng.randint(1, 12)
    interval = TimeInterval.month(year, m)
    d = rng.randint(1, int(interval.n_days))
    name, short = MONTHS[m - 1], _SHORT[m - 1]
    texts = [
        f"{d} {name} {year}", f"{d} {name} {year}", f"{name} {d}, {year}", f"{name} {d}, {year}", f"{name} {d} {year}",
        f"{short} {d}, {year}", f"{short}. {d}, {year}", f"{d} {short} {year}", f"{name} {_nth(d)}, {year}",
        f"the {_nth(d)} of {name} {year}", f"the {_nth(d)} of {name}, {year}", f"{_nth(d)} {name} {year}",
        f"{year}-{m:02}-{d:02}", f"{year}-{m:02}-{d:02}", f"{m:02}/{d:02}/{year}", f"{m}/{d}/{year}",
        f"{year}/{m:02}/{d:02}", f"{d:02}.{m:02}.{year}", f"{name} the {_nth(d)}, {year}",
    ]  # fmt: skip
    if d <= 21:
        texts.append(f"the {_ORDINALS[d]} of {name} {year}")
    weekday = _WEEKDAYS[(day_number(year, m, d) + 3) % 7]
    texts.append(f"{weekday}, {name} {d}, {year}")
    return rng.choice(texts), _timex(TimeInterval.day(year, m, d), _DAY)


def _quarter(rng: Random, reference: date) -> tuple[str, Timex]:
    year, n = rng.randint(1990, 2027), rng.randint(1, 4)
    interval = TimeInterval(day_number(year, 3 * n - 2), TimeInterval.month(year, 3 * n).end)
    word = _ORDINALS[n]
    texts = (f"Q{n} {year}", f"Q{n} {year}", f"{year} Q{n}", f"Q{n} of {year}", f"the {word} quarter of {year}",
             f"the {_nth(n)} quarter of {year}", f"Q{n}, {year}", f"{word} quarter {year}", f"FY{year} Q{n}",
             f"Q{n} FY{year}", f"Q{n}/{year}", f"{year}Q{n}", f"{year}-Q{n}", f"Q{n}-{year}")  # fmt: skip
    return rng.choice(texts), _timex(interval, Granularity.QUARTER)


def _half(rng: Random, reference: date) -> tuple[str, Timex]:
    year, n = _year_number(rng), rng.randint(1, 2)
    interval = TimeInterval(day_number(year, 6 * n - 5), TimeInterval.month(year, 6 * n).end)
    word = rng.choice(("first", "1st") if n == 1 else ("second", "latter", "2nd"))
    texts = (f"H{n} {year}", f"{n}H {year}", f"the {word} half of {year}", f"the {word} half of {year}", f"{year} H{n}")
    return rng.choice(texts), _timex(interval, Granularity.HALF)


def _week(rng: Random, reference: date) -> tuple[str, Timex]:
    year = rng.randint(1995, 2027)
    if rng.random() < 0.5:
        w = rng.randint(1, 52)
        text = rng.choice(
            (f"week {w} of {year}", f"{year}-W{w:02}", f"week {w}, {year}", f"calendar week {w} of {year}")
        )
        return text, _timex(TimeInterval.parse(f"{year}-W{w:02}"), Granularity.WEEK)
    m, d = rng.randint(1, 12), rng.randint(1, 28)
    lead = rng.choice(("the week of", "w/c", "the week commencing", "the week containing", "week of"))
    text = f"{lead} {rng.choice((f'{d} {MONTHS[m - 1]} {year}', f'{MONTHS[m - 1]} {d}, {year}'))}"
    return text, _timex(unit_of(day_number(year, m, d), Granularity.WEEK), Granularity.WEEK)


def _decade(rng: Random, reference: date) -> tuple[str, Timex]:
    y = rng.choice((1500, 1600, 1700, 1800, 1900, 1900, 1900, 1900)) + 10 * rng.randint(1, 9)
    y = rng.choice((2000, 2010, 2020)) if rng.random() < 0.12 else y
    tens = y % 100
    texts = [f"the {y}s"] * 6 + [f"{y}s", f"the {y}'s"]
    if y // 100 == 19 and 30 <= tens <= 90:
        texts += [f"the {_DECADES[tens]}", f"the {_DECADES[tens]}", f"the '{tens}s", f"the {tens}s", f"the {tens}'s"]
    if y < 2000 and tens >= 20:
        texts.append(f"the {number_words(y // 100)}-{_DECADES[tens]}")
    if y == 2000:
        texts += ["the noughties", "the aughts"]
    return rng.choice(texts), decade(y)


def _century(rng: Random, reference: date) -> tuple[str, Timex]:
    x = rng.random()
    if x < 0.18:
        y = 100 * rng.randint(12, 19)
        return f"the {y}s", _timex(TimeInterval.years(y, y + 99), Granularity.CENTURY)
    if x < 0.2:
        n = rng.randint(1, 2)
        text = f"the {_ORDINALS[n]} millennium{rng.choice(('', ' BC'))}"
        first = 1000 * (n - 1) + 1 if "BC" not in text else 1 - 1000 * n
        return text, _timex(TimeInterval.years(first, first + 999), Granularity.MILLENNIUM)
    if x < 0.28:
        n = rng.randint(1, 8)
        return f"the {_nth(n)} century {rng.choice(('BC', 'BCE'))}", century(-n)
    n = rng.randint(10, 21)
    text = rng.choice(
        (f"the {_nth(n)} century", f"the {_ORDINALS[n]} century", f"{_nth(n)} century", f"the {_nth(n)}-century")
    )
    return text.replace("-century", " century"), century(n)


def _part(rng: Random, reference: date) -> tuple[str, Timex]:
    inner, x = rng.choice((_year, _month, _decade, _decade, _century))(rng, reference)
    bare = inner.removeprefix("the ")
    if x.interval is None or bare.startswith(("'", "week")) or "BC" in inner or "bc" in inner:
        return _part(rng, reference)
    if rng.random() < 0.1:
        first, last = rng.choice((("mid", "late"), ("early", "mid")))
        return f"the {first}-to-{last} {bare}", part_of(x, first, last)
    part = rng.choice(("early", "mid", "late"))
    join = rng.choice((" ", "-")) if part != "mid" else "-"
    text = rng.choice((f"{part}{join}{bare}", f"the {part}{join}{bare}"))
    if part != "mid" and rng.random() < 0.15:
        text = f"{part} in {inner}"
    return text, part_of(x, part)


def _edge(rng: Random, reference: date) -> tuple[str, Timex]:
    inner, x = rng.choice((_year, _year, _month, _decade, _century))(rng, reference)
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


def _piece(rng: Random, reference: date) -> tuple[str, Timex]:
    kind = rng.randrange(6)
    if kind == 0:
        year, n = _year_number(rng), rng.randint(2, 9)
        first = rng.random() < 0.5
        start = day_number(year, 1 if first else 13 - n)
        interval = TimeInterval(start, shift_day(start, n, _MONTH) - 1)
        word = rng.choice(("first", "opening")) if first else rng.choice(("last", "final"))
        return f"the {word} {_count(rng, n)} months of {year}", _timex(interval, _MONTH)
    if kind == 1:
        text, x = _month(rng, reference)
        start, end = x.known.start, x.known.end
        assert start is not None
        assert end is not None
        if rng.random() < 0.3:
            return f"the last week of {text}", _timex(TimeInterval(end - 6, end), Granularity.WEEK)
        n = rng.randint(1, 4)
        days = TimeInterval(start + 7 * (n - 1), start + 7 * n - 1)
        return f"the {rng.choice((_ORDINALS[n], _nth(n)))} week of {text}", _timex(days, Granularity.WEEK)
    if kind == 4:
        return _counted_piece(rng)
    if kind == 5:
        text, x = _month(rng, reference)
        return f"{rng.choice(('every', 'each'))} {rng.choice(_WEEKDAYS)} in {text}", x
    if kind == 2:
        text, x = rng.choice((_decade, _century))(rng, reference)
        start, whole_end = x.known.start, x.known.end
        assert start is not None
        assert whole_end is not None
        half = shift_day(start, x.granularity.months // 2, _MONTH)
        first = rng.random() < 0.5
        interval = TimeInterval(start, half - 1) if first else TimeInterval(half, whole_end)
        word = rng.choice(("first",)) if first else rng.choice(("second", "latter"))
        return f"the {word} half of {text}", _timex(interval, Granularity.HALF)
    year, m = _year_number(rng), rng.randint(1, 12)
    last = int(TimeInterval.month(year, m).n_days)
    a = rng.randint(1, last - 2)
    b = rng.randint(a + 1, last)
    name = MONTHS[m - 1]
    text = rng.choice(
        (f"{a} to {b} {name} {year}", f"{a}-{b} {name} {year}", f"{name} {a}-{b}, {year}", f"{name} {a} to {b}, {year}")
    )
    return text, _timex(TimeInterval(day_number(year, m, a), day_number(year, m, b)), _DAY)


def _counted_piece(rng: Random) -> tuple[str, Timex]:
    """ "the first hundred days of 2017", "the third quarter of the 20th century"."""
    if rng.random() < 0.5:
        year, n, first = _year_number(rng), rng.randint(2, 120), rng.random() < 0.5
        whole = TimeInterval.year(year)
        assert whole.start is not None
        assert whole.end is not None
        days = TimeInterval(whole.start, whole.start + n - 1) if first else TimeInterval(whole.end - n + 1, whole.end)
        return f"the {'first' if first else 'last'} {n} days of {year}", _timex(days, _DAY)
    n, nth = rng.randint(1, 4), rng.randint(13, 21)
    first_year = 100 * (nth - 1) + 25 * (n - 1) + 1
    word = _ORDINALS[n] if n < 4 else rng.choice(("last", "fourth"))
    text = f"the {word} quarter of the {_nth(nth)} century"
    return text, _timex(TimeInterval.years(first_year, first_year + 24), Granularity.QUARTER)


def _season(rng: Random, reference: date) -> tuple[str, Timex]:
    year, n = _year_number(rng), rng.randrange(4)
    word = rng.choice((("spring",), ("summer", "summertime"), ("autumn", "fall"), ("winter",))[n])
    interval = unit_of(day_number(year, 3 * n + 3), Granularity.SEASON)
    texts = [f"{word} {year}", f"the {word} of {year}", f"{word} of {year}"]
    if n == 3:
        texts.append(f"the winter of {year}-{(year + 1) % 100:02}")
    return rng.choice(texts), _timex(interval, Granularity.SEASON)


def _years(rng: Random, reference: date) -> tuple[str, Timex]:
    year = _year_number(rng)
    if rng.random() < 0.4:
        last = min(year + rng.randint(1, 12), year // 100 * 100 + 99)
        if last <= year or last % 100 <= 12:
            return _years(rng, reference)
        dash = rng.choice(("-", "–", "/"))
        return f"{year}{dash}{last % 100:02}", _timex(TimeInterval.years(year, last), _YEAR)
    short = f"{year}{rng.choice(('-', '–', '/'))}{(year + 1) % 100:02}"
    noun = rng.choice(("season", "season", "school year", "tax year", "academic year"))
    return f"the {short} {noun}", _timex(TimeInterval.years(year, year + 1), _YEAR)


def _fiscal(rng: Random, reference: date) -> tuple[str, Timex]:
    year = rng.randint(1995, 2027)
    texts = (
        f"FY{year}",
        f"FY {year}",
        f"fiscal {year}",
        f"fiscal year {year}",
        f"FY{year % 100:02}",
        f"financial year {year}",
    )
    return rng.choice(texts), _timex(TimeInterval.year(year), _YEAR)


_HOLIDAYS: tuple[tuple[str, Callable[[int], int]], ...] = (
    ("Christmas", lambda y: day_number(y, 12, 25)), ("Christmas Eve", lambda y: day_number(y, 12, 24)),
    ("New Year's Eve", lambda y: day_number(y, 12, 31)), ("New Year's Day", lambda y: day_number(y, 1, 1)),
    ("Halloween", lambda y: day_number(y, 10, 31)), ("Valentine's Day", lambda y: day_number(y, 2, 14)),
    ("Easter", easter), ("Good Friday", lambda y: easter(y) - 2), ("Easter Monday", lambda y: easter(y) + 1),
    ("Thanksgiving", lambda y: nth_weekday(y, 11, 3, 4)), ("Labor Day", lambda y: nth_weekday(y, 9, 0, 1)),
    ("Memorial Day", lambda y: nth_weekday(y, 5, 0, -1)), ("Black Friday", lambda y: nth_weekday(y, 11, 3, 4) + 1),
    ("Boxing Day", lambda y: day_number(y, 12, 26)), ("Bastille Day", lambda y: day_number(y, 7, 14)),
    ("Earth Day", lambda y: day_number(y, 4, 22)), ("St Patrick's Day", lambda y: day_number(y, 3, 17)),
)  # fmt: skip


def _holiday(rng: Random, reference: date) -> tuple[str, Timex]:
    name, day_of = rng.choice(_HOLIDAYS)
    if rng.random() < 0.04:
        return "9/11", _timex(TimeInterval.day(2001, 9, 11), _DAY)
    year = rng.randint(1950, 2026)
    text = rng.choice((f"{name} {year}", f"{name} of {year}", f"{name}, {year}"))
    return text, _timex(TimeInterval(day_of(year), day_of(year)), _DAY)


def _day_of(reference: date) -> int:
    return reference.toordinal() - date(1970, 1, 1).toordinal()


def _yearless(rng: Random, reference: date) -> tuple[str, Timex]:
    today, kind = _day_of(reference), rng.randrange(5)
    m = rng.randint(1, 12)
    if kind <= 1:
        template, text, unit = (
            TimeInterval.month(2000, m),
            rng.choice((MONTHS[m - 1], MONTHS[m - 1], _SHORT[m - 1])),
            _MONTH,
        )
    elif kind == 2:
        d = rng.randint(1, 28)
        name = MONTHS[m - 1]
        template, unit = TimeInterval.day(2000, m, d), _DAY
        text = rng.choice(
            (f"{d} {name}", f"{name} {d}", f"{name} {_nth(d)}", f"the {_nth(d)} of {name}", f"{_SHORT[m - 1]} {d}")
        )
    elif kind == 3:
        n = rng.randint(1, 4)
        template, text, unit = unit_of(day_number(2000, 3 * n), Granularity.QUARTER), f"Q{n}", Granularity.QUARTER
    else:
        n = rng.randrange(4)
        template, unit = unit_of(day_number(2000, 3 * n + 3), Granularity.SEASON), Granularity.SEASON
        text = rng.choice(("the ", "")) + ("spring", "summer", "autumn", "winter")[n]
    bare = Timex(interval=None, granularity=unit, template=template)
    return text, Timex(interval=latest_by(bare, today), granularity=unit, template=template)


_UNITS = {
    "day": _DAY, "week": Granularity.WEEK, "month": _MONTH, "quarter": Granularity.QUARTER, "year": _YEAR,
    "decade": Granularity.DECADE, "century": Granularity.CENTURY, "weekend": Granularity.WEEKEND,
}  # fmt: skip


def _relative(rng: Random, reference: date) -> tuple[str, Timex]:
    today, kind = _day_of(reference), rng.randrange(10)
    if kind == 0:
        text, n = rng.choice((("yesterday", -1), ("today", 0), ("tomorrow", 1), ("the day before yesterday", -2),
                              ("the day after tomorrow", 2), ("last night", -1), ("yesterday evening", -1)))  # fmt: skip
        return text, _timex(TimeInterval(today + n, today + n), _DAY)
    name = rng.choice(("week", "month", "quarter", "year", "year", "decade", "century", "weekend"))
    unit = _UNITS[name]
    current = unit_of(today, unit).start
    assert current is not None
    if kind <= 5:
        word, n = rng.choice((("last", -1), ("last", -1), ("the previous", -1), ("this", 0), ("this", 0), ("next", 1),
                              ("the current", 0), ("the coming", 1)))  # fmt: skip
        return f"{word} {name}", _timex(unit_of(shift_day(current, n, unit), unit), unit)
    if kind == 6:
        return f"the {name} before last", _timex(unit_of(shift_day(current, -2, unit), unit), unit)
    if kind == 7:
        name = rng.choice(("year", "month", "week", "quarter"))
        unit = _UNITS[name]
        short = {"year": "YTD", "month": "MTD", "quarter": "QTD"}.get(name, "week to date")
        text = rng.choice((f"{name} to date", f"so far this {name}", f"this {name} so far", short, f"{name}-to-date"))
        return text, _timex(TimeInterval(unit_of(today, unit).start, today), unit)
    if kind == 8:
        name = rng.choice(("day", "week", "month", "year", "decade"))
        return f"the past {name}", _timex(TimeInterval(shift_day(today, -1, _UNITS[name]), today), _UNITS[name])
    return _last_named(rng, reference)


def _last_named(rng: Random, reference: date) -> tuple[str, Timex]:
    """ "last March", "March last year", "last Tuesday"."""
    today = _day_of(reference)
    if rng.random() < 0.5:
        weekday = rng.randrange(7)
        day = today - (today + 3 - weekday) % 7
        if rng.random() < 0.5:
            return f"on {_WEEKDAYS[weekday]}", _timex(TimeInterval(day, day), _DAY)
        day -= 7 if day == today else 0
        return f"last {_WEEKDAYS[weekday]}", _timex(TimeInterval(day, day), _DAY)
    m = rng.randint(1, 12)
    if rng.random() < 0.5:
        n, word = rng.choice(((-1, "last"), (0, "this"), (1, "next")))
        text = rng.choice((f"{MONTHS[m - 1]} {word} year", f"{MONTHS[m - 1]} of {word} year"))
        return text, _timex(TimeInterval.month(reference.year + n, m), _MONTH)
    month = TimeInterval.month(reference.year, m)
    assert month.end is not None
    month = month if month.end < today else TimeInterval.month(reference.year - 1, m)
    return f"last {MONTHS[m - 1]}", _timex(month, _MONTH)


def _turn(rng: Random, reference: date) -> tuple[str, Timex]:
    x = rng.random()
    if x < 0.5:
        n = rng.randint(12, 21)
        year = 100 * (n - 1)
        text = f"the turn of the {_nth(n)} century"
    else:
        year, text = 2000, rng.choice(("the turn of the millennium", "the turn of the century"))
    return text, _timex(TimeInterval.years(year - 1, year + 1), _YEAR)


def _unknown(rng: Random, reference: date) -> tuple[str, Timex]:
    word = rng.choice(("year", "month", "week", "decade", "day", "summer", "period", "era"))
    return rng.choice((f"that {word}", f"that same {word}", f"the same {word}")), Timex(
        interval=None, granularity=_YEAR
    )


_Form = Callable[[Random, date], tuple[str, Timex]]
_FORMS: dict[str, tuple[float, _Form]] = {
    "year": (32, _year), "month": (11, _month), "day": (11, _day), "quarter": (4, _quarter), "half": (2, _half),
    "week": (2, _week), "decade": (7, _decade), "century": (4, _century), "part": (6, _part), "edge": (3.5, _edge),
    "piece": (3, _piece), "season": (3, _season), "years": (2, _years), "fiscal": (1.5, _fiscal),
    "holiday": (2.5, _holiday), "yearless": (4, _yearless), "relative": (8, _relative), "turn": (0.7, _turn),
    "unknown": (1, _unknown),
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


def _count(rng: Random, n: int) -> str:
    return str(n) if n > 99 or rng.random() < 0.5 else number_words(n)


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
    unit, multiple = (Granularity.WEEK, 2) if name == "fortnight" else (_UNITS[name], 1)
    plural = {"century": "centuries"}.get(name, f"{name}s")
    if vague and least > 1 and rng.random() < 0.2:
        words, n = rng.choice(_VAGUE[-2:] if rng.random() < 0.3 else _VAGUE[:5])
        text = f"{words} {plural}"
    elif n == 1:
        text = f"{rng.choice(('a', 'one', '1'))} {name}"
    else:
        text = f"{_count(rng, n)} {'yrs' if name == 'year' and rng.random() < 0.03 else plural}"
    nth = (_ORDINALS[n] if n < 20 and rng.random() < 0.6 else _nth(n)) + f" {name}"
    return Duration(text, n * multiple, unit, name, nth)
