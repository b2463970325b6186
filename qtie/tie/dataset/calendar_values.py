"""Calendar values drawn at random: years, months, days, weeks, decades, seasons, holidays, and how they are written."""

from collections.abc import Callable
from datetime import date
from random import Random

from qtie.interval import Granularity, TimeInterval, day_number, unit_of
from qtie.tie.timex import Timex, century, decade, easter, nth_weekday

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
SHORT_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ORDINALS = (
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth", "twentieth", "twenty-first",
)  # fmt: skip
_DECADES = {20: "twenties", 30: "thirties", 40: "forties", 50: "fifties", 60: "sixties", 70: "seventies",
            80: "eighties", 90: "nineties", 0: "noughties"}  # fmt: skip
_YEAR, _MONTH, _DAY = Granularity.YEAR, Granularity.MONTH, Granularity.DAY


UNITS = {
    "day": _DAY, "week": Granularity.WEEK, "month": _MONTH, "quarter": Granularity.QUARTER, "year": _YEAR,
    "decade": Granularity.DECADE, "century": Granularity.CENTURY, "weekend": Granularity.WEEKEND,
}  # fmt: skip


def count_in_words(rng: Random, n: int) -> str:
    """A number in digits or words."""
    return str(n) if n > 99 or rng.random() < 0.5 else number_words(n)


def number_words(n: int) -> str:
    """0 to 99 in words.

    Example:
        >>> number_words(42)
        'forty-two'
    """
    return _SMALL[n] if n < 20 else _TENS[n // 10] + (f"-{_SMALL[n % 10]}" if n % 10 else "")


def ordinal_in_digits(n: int) -> str:
    """7 as "7th"."""
    return f"{n}{'th' if 10 < n % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def year_number(rng: Random) -> int:
    """A year, most often of the last decades."""
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


def timex_of(interval: TimeInterval, granularity: Granularity) -> Timex:
    """A value of those days."""
    return Timex(interval=interval, granularity=granularity)


def year_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A year: "2019", "the year 2019", "nineteen eighty-four", "63 BC"."""
    year = year_number(rng)
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
    return text, timex_of(TimeInterval.year(year), _YEAR)


def month_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A month of a year."""
    year, m = year_number(rng), rng.randint(1, 12)
    name, short = MONTHS[m - 1], SHORT_MONTHS[m - 1]
    texts = [f"{name} {year}"] * 5 + [f"{short} {year}", f"{short}. {year}", f"{name} of {year}", f"{name}, {year}"]
    texts += [f"{year}-{m:02}", f"{m:02}/{year}", f"{year} {name}", f"{name} '{year % 100:02}", f"{name[:3]} {year}"]
    if year <= 1900:
        texts = texts[:9]
    text = rng.choice(texts)
    if "'" in text and not reference.year - 90 < year <= reference.year:
        text = f"{name} {year}"
    return text, timex_of(TimeInterval.month(year, m), _MONTH)


def day_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A day."""
    year, m = year_number(rng), rng.randint(1, 12)
    interval = TimeInterval.month(year, m)
    d = rng.randint(1, int(interval.n_days))
    name, short, nth = MONTHS[m - 1], SHORT_MONTHS[m - 1], ordinal_in_digits(d)
    dotted = f"{d:02}.{m:02}" if d > 12 else f"{m:02}.{d:02}"  # month first where both orders fit
    texts = [
        f"{d} {name} {year}", f"{d} {name} {year}", f"{name} {d}, {year}", f"{name} {d}, {year}", f"{name} {d} {year}",
        f"{short} {d}, {year}", f"{short}. {d}, {year}", f"{d} {short} {year}", f"{name} {nth}, {year}",
        f"the {nth} of {name} {year}", f"the {nth} of {name}, {year}", f"{nth} {name} {year}",
        f"{year}-{m:02}-{d:02}", f"{year}-{m:02}-{d:02}", f"{m:02}/{d:02}/{year}", f"{m}/{d}/{year}",
        f"{year}/{m:02}/{d:02}", f"{dotted}.{year}", f"{name} the {nth}, {year}",
    ]  # fmt: skip
    if d <= 21:
        texts.append(f"the {ORDINALS[d]} of {name} {year}")
    weekday = WEEKDAYS[(day_number(year, m, d) + 3) % 7]
    texts.append(f"{weekday}, {name} {d}, {year}")
    return rng.choice(texts), timex_of(TimeInterval.day(year, m, d), _DAY)


def quarter_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A quarter of a year."""
    year, n = rng.randint(1990, 2027), rng.randint(1, 4)
    interval = TimeInterval(day_number(year, 3 * n - 2), TimeInterval.month(year, 3 * n).end)
    word, nth = ORDINALS[n], ordinal_in_digits(n)
    texts = (f"Q{n} {year}", f"Q{n} {year}", f"{year} Q{n}", f"Q{n} of {year}", f"the {word} quarter of {year}",
             f"the {nth} quarter of {year}", f"Q{n}, {year}", f"{word} quarter {year}", f"FY{year} Q{n}",
             f"Q{n} FY{year}", f"Q{n}/{year}", f"{year}Q{n}", f"{year}-Q{n}", f"Q{n}-{year}")  # fmt: skip
    return rng.choice(texts), timex_of(interval, Granularity.QUARTER)


def half_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A half of a year."""
    year, n = year_number(rng), rng.randint(1, 2)
    interval = TimeInterval(day_number(year, 6 * n - 5), TimeInterval.month(year, 6 * n).end)
    word = rng.choice(("first", "1st") if n == 1 else ("second", "latter", "2nd"))
    texts = (f"H{n} {year}", f"{n}H {year}", f"the {word} half of {year}", f"the {word} half of {year}", f"{year} H{n}")
    return rng.choice(texts), timex_of(interval, Granularity.HALF)


def week_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A week, by its number or by a day in it."""
    year = rng.randint(1995, 2027)
    if rng.random() < 0.5:
        w = rng.randint(1, 52)
        text = rng.choice(
            (f"week {w} of {year}", f"{year}-W{w:02}", f"week {w}, {year}", f"calendar week {w} of {year}")
        )
        return text, timex_of(TimeInterval.parse(f"{year}-W{w:02}"), Granularity.WEEK)
    m, d = rng.randint(1, 12), rng.randint(1, 28)
    lead = rng.choice(("the week of", "w/c", "the week commencing", "the week containing", "week of"))
    text = f"{lead} {rng.choice((f'{d} {MONTHS[m - 1]} {year}', f'{MONTHS[m - 1]} {d}, {year}'))}"
    return text, timex_of(unit_of(day_number(year, m, d), Granularity.WEEK), Granularity.WEEK)


def decade_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A decade."""
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


def century_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A century or millennium."""
    x = rng.random()
    if x < 0.18:
        y = 100 * rng.randint(12, 19)
        return f"the {y}s", timex_of(TimeInterval.years(y, y + 99), Granularity.CENTURY)
    if x < 0.2:
        n = rng.randint(1, 2)
        text = f"the {ORDINALS[n]} millennium{rng.choice(('', ' BC'))}"
        first = 1000 * (n - 1) + 1 if "BC" not in text else 1 - 1000 * n
        return text, timex_of(TimeInterval.years(first, first + 999), Granularity.MILLENNIUM)
    if x < 0.28:
        n = rng.randint(1, 8)
        return f"the {ordinal_in_digits(n)} century {rng.choice(('BC', 'BCE'))}", century(-n)
    n = rng.randint(10, 21)
    text = rng.choice(
        (
            f"the {ordinal_in_digits(n)} century",
            f"the {ORDINALS[n]} century",
            f"{ordinal_in_digits(n)} century",
            f"the {ordinal_in_digits(n)}-century",
        )
    )
    return text.replace("-century", " century"), century(n)


def season_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A season of a year."""
    year, n = year_number(rng), rng.randrange(4)
    word = rng.choice((("spring",), ("summer", "summertime"), ("autumn", "fall"), ("winter",))[n])
    interval = unit_of(day_number(year, 3 * n + 3), Granularity.SEASON)
    texts = [f"{word} {year}", f"the {word} of {year}", f"{word} of {year}"]
    if n == 3:
        texts.append(f"the winter of {year}-{(year + 1) % 100:02}")
    return rng.choice(texts), timex_of(interval, Granularity.SEASON)


def years_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """Several years as one: "1974–79", "the 2009-10 season"."""
    year = year_number(rng)
    if rng.random() < 0.4:
        last = min(year + rng.randint(1, 12), year // 100 * 100 + 99)
        if last <= year or last % 100 <= 12:
            return years_value(rng, reference)
        dash = rng.choice(("-", "–", "/"))
        return f"{year}{dash}{last % 100:02}", timex_of(TimeInterval.years(year, last), _YEAR)
    short = f"{year}{rng.choice(('-', '–', '/'))}{(year + 1) % 100:02}"
    noun = rng.choice(("season", "season", "school year", "tax year", "academic year"))
    return f"the {short} {noun}", timex_of(TimeInterval.years(year, year + 1), _YEAR)


def fiscal_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A fiscal year."""
    year = rng.randint(1995, 2027)
    texts = (
        f"FY{year}",
        f"FY {year}",
        f"fiscal {year}",
        f"fiscal year {year}",
        f"FY{year % 100:02}",
        f"financial year {year}",
    )
    return rng.choice(texts), timex_of(TimeInterval.year(year), _YEAR)


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


def holiday_value(rng: Random, reference: date) -> tuple[str, Timex]:
    """A holiday of a year."""
    name, day_of = rng.choice(_HOLIDAYS)
    if rng.random() < 0.04:
        return "9/11", timex_of(TimeInterval.day(2001, 9, 11), _DAY)
    year = rng.randint(1950, 2026)
    text = rng.choice((f"{name} {year}", f"{name} of {year}", f"{name}, {year}"))
    return text, timex_of(TimeInterval(day_of(year), day_of(year)), _DAY)
