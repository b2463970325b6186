"""The English words for units, months, weekdays, numbers and seasons."""

import re

from qtie.interval import Granularity

__all__ = [
    "CARDINAL",
    "MONTH",
    "MONTHS",
    "MONTH_NAME",
    "ORDINAL",
    "SEASON",
    "SEASONS",
    "WEEKDAY",
    "WEEKDAYS",
    "cardinal",
    "number_of",
    "ordinal",
    "unit_named",
]

_MONTH_NAMES = [
    ("january", "jan", "janurary", "januray"),
    ("february", "feb", "febr", "febuary", "feburary"),
    ("march", "mar"),
    ("april", "apr"),
    ("may",),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug", "agust"),
    ("september", "sept", "sep", "septmber", "setpember"),
    ("october", "oct", "ocotber"),
    ("november", "nov", "novemeber"),
    ("december", "dec", "decemeber"),
]
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, start=1) for name in names}
MONTH_NAME = r"(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")"
MONTH = MONTH_NAME + r"\b\.?"
"""A month's name or abbreviation, with an optional full stop."""

_WEEKDAY_NAMES = [
    ("monday", "mon"),
    ("tuesday", "tues", "tue"),
    ("wednesday", "weds", "wed"),
    ("thursday", "thurs", "thur", "thu"),
    ("friday", "fri"),
    ("saturday", "sat"),
    ("sunday", "sun"),
]
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAY_NAMES) for name in names}
WEEKDAY = r"(?:" + "|".join(sorted(WEEKDAYS, key=len, reverse=True)) + r")\b\.?"

SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
SEASON = r"(?:spring|summer|autumn|fall|winter)(?:time)?"

_UNITS = {
    "hour": (Granularity.DAY, 0),
    "hr": (Granularity.DAY, 0),
    "day": (Granularity.DAY, 1),
    "night": (Granularity.DAY, 1),
    "week": (Granularity.WEEK, 1),
    "wk": (Granularity.WEEK, 1),
    "fortnight": (Granularity.WEEK, 2),
    "month": (Granularity.MONTH, 1),
    "mth": (Granularity.MONTH, 1),
    "mo": (Granularity.MONTH, 1),
    "quarter": (Granularity.QUARTER, 1),
    "qtr": (Granularity.QUARTER, 1),
    "half year": (Granularity.HALF, 1),
    "half-year": (Granularity.HALF, 1),
    "half": (Granularity.HALF, 1),
    "semester": (Granularity.HALF, 1),
    "season": (Granularity.SEASON, 1),
    "weekend": (Granularity.WEEKEND, 1),
    "year": (Granularity.YEAR, 1),
    "yr": (Granularity.YEAR, 1),
    "decade": (Granularity.DECADE, 1),
    "century": (Granularity.CENTURY, 1),
    "centurie": (Granularity.CENTURY, 1),
    "millennium": (Granularity.MILLENNIUM, 1),
    "millennia": (Granularity.MILLENNIUM, 1),
    "halve": (Granularity.HALF, 1),
    **{names[0]: (Granularity.WEEK, 1) for names in _WEEKDAY_NAMES},
    **dict.fromkeys(("spring", "summer", "autumn", "winter"), (Granularity.YEAR, 1)),
}


def unit_named(word: str) -> tuple[Granularity, int]:
    """The unit that a word such as "fortnights" names, and how many of it one is; hours count 0 days.

    Example:
        >>> unit_named("fortnights")
        (<Granularity.WEEK: 7.0>, 2)
    """
    return _UNITS.get(word) or _UNITS[word.removesuffix("s")]


_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_CARDINALS = {word: n for n, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, start=2)}
_ONES = "|".join(_SMALL[1:10])
CARDINAL = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{_ONES}))?|{'|'.join(sorted(_SMALL[1:], key=len, reverse=True))})"
"""One to ninety-nine in words."""

_ORDINAL_SMALL = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
]
_ORDINAL_TENS = ["twentieth", "thirtieth", "fortieth", "fiftieth", "sixtieth", "seventieth", "eightieth", "ninetieth"]
_ORDINALS = {word: n for n, word in enumerate(_ORDINAL_SMALL)} | {
    word: 10 * n for n, word in enumerate(_ORDINAL_TENS, start=2)
}
ORDINAL = (
    rf"(?:(?:{'|'.join(_TENS)})[- ](?:{'|'.join(_ORDINAL_SMALL[1:10])})"
    rf"|{'|'.join(sorted([*_ORDINAL_SMALL[1:], *_ORDINAL_TENS], key=len, reverse=True))})"
)
"""First to ninety-ninth in words."""


def cardinal(words: str) -> int:
    """The number that `CARDINAL` matched.

    Example:
        >>> cardinal("twenty-one")
        21
    """
    return sum(_CARDINALS[word] for word in re.split(r"[- ]", words))


def ordinal(text: str) -> int:
    """The number of an ordinal in words or digits.

    Example:
        >>> ordinal("twenty-first"), ordinal("3rd")
        (21, 3)
    """
    if text[0].isdigit():
        return int(re.sub(r"\D", "", text))
    return sum(_ORDINALS.get(word, _CARDINALS.get(word, 0)) for word in re.split(r"[- ]", text))


def number_of(words: str) -> int:
    """How many "several" or "3" are; `<N>` of a rule's pattern.

    Example:
        >>> number_of("a couple of"), number_of("12")
        (2, 12)
    """
    if words.isdigit():
        return int(words)
    if "half a dozen" in words:
        return 6
    if "dozen" in words:
        return 12
    if "couple" in words:
        return 2
    return 3 if "few" in words or words == "several" else 1
