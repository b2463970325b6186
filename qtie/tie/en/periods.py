"""Quarters, halves, seasons, fiscal and school years, decades, centuries, and years of an era."""

import re
from dataclasses import replace

from qtie.interval import Granularity, TimeInterval, civil_date, day_number, shift_day, unit_of
from qtie.tie.cascade import Context, Found, Rule, rules
from qtie.tie.en.days import NOT_AFTER_NUMBER, NOT_BEFORE_NUMBER, two_digit_year, yearless
from qtie.tie.en.lexicon import MONTH, SEASON, SEASONS, ordinal
from qtie.tie.timex import Timex, century, decade, widened

__all__ = ["PERIODS", "season", "short_decade"]

PERIODS: list[Rule] = []
"""Each reads one value from words and digits."""
_date = rules(PERIODS)

_ERA = r"(?:b\.?c\.?e?\.?|a\.?d\.?|c\.?e\.?)"


def _year(year: int) -> Timex:
    return Timex(interval=TimeInterval.year(year), granularity=Granularity.YEAR)


_FISCAL = r"(?:fy|fiscal(?: year)?|financial year)"


@_date("fiscal year", rf"(?:the )?{_FISCAL} ?'?(?P<y>\d{{4}}|\d\d)(?![\d/]|-\d)")
def _fiscal_year(found: Found) -> Timex:
    first = _fiscal_start(found["y"], found.context)
    return Timex(interval=TimeInterval(first, _plus_months(first, 12)), granularity=Granularity.YEAR)


@_date(
    "fiscal quarter",
    rf"(?:the )?(?:q(?P<q>[1-4])|(?P<o>first|1st|second|2nd|3rd|4th|last|final) quarter)(?: of| in|,)?(?: the)? ?{_FISCAL} ?'?(?P<y>\d{{4}}|\d\d)",
)
def _fiscal_quarter(found: Found) -> Timex:
    quarter = _nth(found["q"] or found["o"], 4)
    first = shift_day(_fiscal_start(found["y"], found.context), 3 * (quarter - 1), Granularity.MONTH)
    return Timex(interval=TimeInterval(first, _plus_months(first, 3)), granularity=Granularity.QUARTER)


def _fiscal_start(digits: str, context: Context) -> int:
    """The first day of the fiscal year, which is named by the year it ends in."""
    year = int(digits) if len(digits) == 4 else two_digit_year(digits, context)
    start = context.options.fiscal_year_start
    return day_number(year if start == 1 else year - 1, start)


def _plus_months(first: int, n: int) -> int:
    """The last day of the `n` months that start on `first`."""
    return shift_day(first, n, Granularity.MONTH) - 1


def _nth(text: str, last: int) -> int:
    words = {"first": 1, "second": 2, "last": last, "final": last, "latter": last}
    return words.get(text) or ordinal(text)


@_date("quarter of a short year", r"(?:(?P<q>[1-4])q|q(?P<q2>[1-4]))[ ']?'?(?P<y>\d\d)(?!\d)")
@_date("half of a short year", r"(?:(?P<h>[12])h|h(?P<h2>[12]))[ ']?'?(?P<y>\d\d)(?!\d)")
def _short_quarter(found: Found) -> Timex:
    n = int(found["q"] or found["q2"] or found["h"] or found["h2"])
    unit, months = (Granularity.QUARTER, 3) if found["q"] or found["q2"] else (Granularity.HALF, 6)
    return Timex(
        interval=unit_of(day_number(two_digit_year(found["y"], found.context), months * n), unit), granularity=unit
    )


@_date("quarter", r"(?:the )?q(?P<q>[1-4])(?![\w'’])|(?P<q2>[1-4])q(?=[ ']?(?:\d\d|\d{4})\b)", at="")
def _quarter(found: Found) -> Timex:
    n = int(found["q"] or found["q2"])
    template = unit_of(day_number(2000, 3 * n), Granularity.QUARTER)
    return yearless(template, Granularity.QUARTER, found.context)


@_date(
    "quarter in words",
    r"(?:the )?(?P<o>first|1st|second|2nd|3rd|4th) quarter(?!s|-| (?:of (?:the|a|last|this|next)|century|final|mile|note|back)|final)",
)
def _quarter_in_words(found: Found) -> Timex:
    template = unit_of(day_number(2000, 3 * _nth(found["o"], 4)), Granularity.QUARTER)
    return yearless(template, Granularity.QUARTER, found.context)


@_date(
    "half in words",
    r"(?:the )?(?P<o>first|1st|second|2nd)[ -]half(?:[- ]year)?(?= (?:profits?|results|earnings|sales|revenues?|figures|reports?|loss(?:es)?|gdp|turnover|dividends?)(?!\w))",
)
def _half_in_words(found: Found) -> Timex:
    template = unit_of(day_number(2000, 6 * _nth(found["o"], 2)), Granularity.HALF)
    return yearless(template, Granularity.HALF, found.context)


@_date("half", r"(?:the )?(?:h(?P<h>[12])|(?P<h2>[12])h)(?=[ ']|$|,|\?|[-/]\d{4}(?!\d))")
def _half(found: Found) -> Timex:
    n = int(found["h"] or found["h2"])
    template = unit_of(day_number(2000, 6 * n), Granularity.HALF)
    return yearless(template, Granularity.HALF, found.context)


@_date("season after its year", rf"[12]\d{{3}} (?P<s>{SEASON})", at="s")
@_date("season", rf"(?:the )?(?P<s>{SEASON})(?= of\b|,? ?(?:[12]\d{{3}}|'\d\d)\b)", at="s")
@_date(
    "season after a preposition",
    r"(?:in|during|since|until|before|after|by|last|this|next|coming|upcoming|early|mid|late|over|of|throughout|except|excluding|outside)(?: the)? (?P<s>(?:spring|summer|autumn|winter)(?:time)?|(?<=last )fall|(?<=this )fall|(?<=next )fall)(?!s| [a-z]+'s| (?:house|time|break))",
    at="s",
)
def season(found: Found) -> Timex | None:
    """Meteorological spring, summer, autumn or winter of a hemisphere, without its year."""
    n = SEASONS[found["s"].removesuffix("time")]
    if found.context.options.hemisphere == "south":
        n = (n + 2) % 4
    template = unit_of(day_number(2000, 3 * n + 3), Granularity.SEASON)
    return yearless(template, Granularity.SEASON, found.context)


@_date(
    "winter of two years", r"(?:the )?(?P<s>winter|season)(?: of)? (?P<y>[12]\d{3}|'\d\d) ?[-/] ?(?P<z>\d{4}|'?\d\d)"
)
@_date(
    "season of two years",
    r"(?:the )?(?P<y>[12]\d{3}) ?[-/] ?(?P<z>\d{4}|\d\d) (?:(?:\w+ ){0,2}?season|(?:school|academic|tax|fiscal|financial) year)",
)
@_date(
    "school year",
    r"(?:the )?(?:season|(?:school|academic|tax|fiscal|financial) year) (?P<y>[12]\d{3}) ?[-/] ?(?P<z>\d{4}|\d\d|\d(?!\d))",
)
@_date(
    "years joined",
    rf"{NOT_AFTER_NUMBER}(?P<y>[12]\d{{3}}) ?[-/] ?(?P<z>\d\d|'\d\d){NOT_BEFORE_NUMBER}(?!-|st|nd|rd|th| ?{MONTH})",
)
def _two_years(found: Found) -> Timex | None:
    y, z = found["y"], found["z"].lstrip("'")
    first = two_digit_year(y[1:], found.context) if y.startswith("'") else int(y)
    base = 10 ** len(z)
    last = int(z) if len(z) == 4 else first // base * base + int(z)
    last += base if last < first and last % base == 0 else 0
    if last <= first:
        return None
    if "winter" in found.match[0]:
        return Timex(interval=unit_of(day_number(first, 12), Granularity.SEASON), granularity=Granularity.SEASON)
    return Timex(interval=TimeInterval.years(first, last), granularity=Granularity.YEAR)


_DECADES = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
    "noughties": 0,
    "naughties": 0,
    "aughts": 0,
    "noughts": 0,
    "tens": 10,
}


_PART_FOLLOWS = re.compile(r" (?:first|second|3rd|4th|last|final|opening|back) (?:half|quarter|third)")
_OF_A_YEAR = re.compile(rf"(?:{MONTH}|{SEASON}|q[1-4]),? $")


@_date("decade of four digits", r"(?:the )?(?P<c>c\.? ?)?(?P<y>1\d{3}|20\d\d)(?P<of>')?s(?! (?:era )?style)")
def _decade(found: Found) -> Timex | None:
    year = int(found["y"])
    if year % 10:
        return None
    if found["of"] and _PART_FOLLOWS.match(found.skeleton.text[found.match.end() :]):
        return None  # "2020's first half"
    if found["of"] and _OF_A_YEAR.search(found.skeleton.text[: found.match.start()]):
        return None  # "March 2020's report"
    if year % 1000 == 0:
        return decade(year)
    if year % 100 == 0:
        hundred = Timex(interval=TimeInterval.years(year, year + 99), granularity=Granularity.CENTURY)
        return replace(hundred, readings=(TimeInterval.years(year, year + 9),))
    return widened(decade(year)) if found["c"] else decade(year)


@_date("decade BC", r"(?:the )?(?P<y>\d{1,3}0)'?s b\.?c\.?e?\.?(?!\w)")
def _decade_bc(found: Found) -> Timex:
    year = int(found["y"])
    return Timex(interval=TimeInterval.years(1 - (year + 9), 1 - year), granularity=Granularity.DECADE)


@_date("decade of two digits", r"(?:the|early|mid|late|mid-|early-|late-) ?(?P<d>'?(?P<y>[0-9]0)'?s)(?![\w'])", at="d")
@_date("decade with an apostrophe", r"'(?P<y>[0-9]0)'?s(?![\w'])")
@_date("decade at the start", r"(?<=^)(?P<y>[3-9]0)'?s(?= [a-z])")
@_date(
    "decade at the end",
    r"(?<=[a-z] )(?P<y>[2-9]0)'?s(?=$|\?| (?:music|movies|hits|songs|fashion|films|rock|pop|style|bands|tv))",
)
@_date("decade by name", rf"(?P<y>{'|'.join(_DECADES)})(?<!tens)")
def short_decade(found: Found) -> Timex | None:
    """A decade said without its century: the latest wholly past, second reading the current one."""
    before = found.skeleton.text[: found.match.start("y")]
    if before.endswith(
        ("his ", "her ", "their ", "my ", "your ", "our ", "in your ", "the high ", "the low ", "roaring ")
    ) and not before.endswith("roaring "):
        return None
    tens = _DECADES.get(found["y"]) if found["y"] in _DECADES else int(found["y"])
    assert tens is not None
    if found.context.reference is None:
        return decade((2000 if tens < 20 else 1900) + tens)
    year = civil_date(found.context.reference)[0]
    current = year - (year - tens) % 100
    if current + 9 < year:
        return decade(current)
    return replace(decade(current - 100), readings=(TimeInterval.years(current, current + 9),))


@_date(
    "century",
    rf"(?:the )?(?P<n>\d{{1,2}}(?:st|nd|rd|th)|first|second)[- ](?:century|cent\.?|c\.)(?: (?P<era>{_ERA}))?(?!\w)",
)
@_date(
    "century of several",
    r"(?:the )?(?P<n>\d{1,2}(?:st|nd|rd|th))(?= ?(?:and|to|or|-|through|until|&|,|, and|versus|vs\.?) ?(?:the )?(?:early |mid |late |mid-|late-|early-)?(?:\d{1,2}(?:st|nd|rd|th)(?:,|, and| and) ){0,3}\d{1,2}(?:st|nd|rd|th)[- ]centur(?:y|ies)(?: (?P<era>b\.?c\.?e?\.?))?)",
    at="n",
)
def _century(found: Found) -> Timex:
    n = _nth(found["n"], 0)
    return century(-n if found["era"].startswith("b") else n)


_ROMAN = r"x{0,2}(?:ix|iv|v?i{0,3})"


@_date(
    "century in Roman numerals",
    rf"(?:the )?(?P<r>(?=[xvi]){_ROMAN})(?:th)?[- ](?:century|centuries|cent\.|c\.)(?: (?P<era>{_ERA}))?",
)
@_date(
    "Roman century of several",
    rf"(?:the )?(?P<r>(?=[xvi]){_ROMAN})(?:th)?(?= ?(?:-|and|to|or|,|&|through) ?(?:the )?{_ROMAN}(?:th)?[- ]centur)",
    at="r",
)
def _roman_century(found: Found) -> Timex:
    values = {"x": 10, "v": 5, "i": 1}
    digits = [values[letter] for letter in found["r"]]
    n = sum(-d if d < following else d for d, following in zip(digits, [*digits[1:], 0], strict=True))
    return century(-n if found["era"].startswith("b") else n)


@_date("centuries", rf"(?:the )?(?P<n>\d{{1,2}}(?:st|nd|rd|th))[- ]centuries(?: (?P<era>{_ERA}))?")
def _centuries(found: Found) -> Timex:
    return _century(found)


@_date("millennium", rf"(?:the )?(?P<n>first|second|3rd|1st|2nd|4th|5th)[- ]millennium(?: (?P<era>{_ERA}))?")
def _millennium(found: Found) -> Timex:
    n = _nth(found["n"], 0)
    n = -n if found["era"].startswith("b") else n
    first = 1000 * (n - 1) + 1 if n > 0 else 1000 * n + 1
    return Timex(interval=TimeInterval.years(first, first + 999), granularity=Granularity.MILLENNIUM)


@_date("year with its era", rf"(?:the year )?(?P<y>\d{{1,4}}) ?(?P<era>{_ERA})(?![\w.]*\w)")
@_date("era and year", r"(?:the year )?(?P<era>a\.?d\.?|anno domini) ?(?P<y>\d{1,4})")
def _era_year(found: Found) -> Timex | None:
    year = int(found["y"])
    if year == 0:
        return None
    return _year(1 - year if found["era"].startswith("b") else year)


@_date(
    "years with one era",
    r"(?P<a>\d{1,4}) ?(?:-|to|and|until|through) ?(?P<b>\d{1,4}) ?(?P<era>b\.?c\.?e?\.?|a\.?d\.?|c\.?e\.?)(?!\w)",
)
@_date("era and years", r"(?P<era>a\.?d\.?) ?(?P<a>\d{1,4}) ?(?:-|to|and|until|through) ?(?P<b>\d{1,4})(?!\w)")
def _era_years(found: Found) -> Timex | None:
    first, last = int(found["a"]), int(found["b"])
    if found["era"].startswith("b"):
        first, last = 1 - first, 1 - last
    if not int(found["a"]) or not int(found["b"]):
        return None
    return Timex(interval=TimeInterval.years(min(first, last), max(first, last)), granularity=Granularity.YEAR)


@_date("two-digit year", r"(?:(?<= )|(?<=^)|(?<=\()|(?<=-))'(?P<y>\d\d)(?![\w']|\.\d)")
def _short_year(found: Found) -> Timex:
    return _year(two_digit_year(found["y"], found.context))
