"""Dates, years, decades, seasons, holidays: time values that need no reference date to be dates.

Those said without a year carry a template and take the year from the expression around them, else the latest that
began by the reference date.
"""

from dataclasses import replace

from qtie.errors import IntervalError
from qtie.interval import Granularity, TimeInterval, civil_date, day_number, shift_day, unit_of
from qtie.tie.cascade import Context, Found, Rule, Skeleton, rules
from qtie.tie.en.lexicon import MONTH, MONTHS, SEASON, SEASONS, WEEKDAY, WEEKDAYS, ordinal
from qtie.tie.timex import Timex, century, decade, in_year, latest_by, widened

__all__ = ["DATES", "PERMISSIVE", "YEARED", "absolute_years", "share_year", "yearless"]

DATES: list[Rule] = []
"""Each reads one value from words and digits."""
YEARED: list[Rule] = []
"""Each joins a value without a year and the year beside it."""
PERMISSIVE: list[Rule] = []
"""Words and numbers that may be a time, without regard to what stands around them."""
_date, _yeared, _permissive = rules(DATES), rules(YEARED), rules(PERMISSIVE)

_DAY = r"(?:(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?|first|second)"
_ERA = r"(?:b\.?c\.?e?\.?|a\.?d\.?|c\.?e\.?)"
_NO_NUMBER = r"(?<![\d.,:/$€£#])(?<!\d-)"
_END = r"(?![,.:]?\d|[-/]\d{1,3}(?!\d)|%)"


def yearless(template: TimeInterval, granularity: Granularity, context: Context) -> Timex:
    """A value without a year: its latest that began by the reference date, unresolved where none is given."""
    timex = Timex(interval=None, granularity=granularity, template=template)
    return timex if context.reference is None else replace(timex, interval=latest_by(timex, context.reference))


def _two_digit_year(digits: str, context: Context) -> int:
    """The latest year with these last digits that is at most `two_digit_pivot` years after the reference year."""
    limit = (2030 if context.reference is None else civil_date(context.reference)[0]) + context.options.two_digit_pivot
    return limit - (limit - int(digits)) % 100


def _day(year: int, month: int, day: int) -> Timex:
    return Timex(interval=TimeInterval.day(year, month, day), granularity=Granularity.DAY)


def _year(year: int) -> Timex:
    return Timex(interval=TimeInterval.year(year), granularity=Granularity.YEAR)


def _month_number(name: str) -> int:
    return MONTHS[name.rstrip(".")]


@_date(
    "ISO day",
    r"(?P<y>\d{4})[-/.](?P<m>0?[1-9]|1[0-2])[-/.](?P<d>\d{1,2})(?:[t ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)?)?",
)
def _iso_day(found: Found) -> Timex:
    return _day(int(found["y"]), int(found["m"]), int(found["d"]))


@_date("numeric day", rf"{_NO_NUMBER}(?P<a>\d{{1,2}})(?P<sep>[/.-])(?P<b>\d{{1,2}})(?P=sep)(?P<y>\d{{4}}|\d\d){_END}")
def _numeric_day(found: Found) -> Timex | None:
    a, b, y = int(found["a"]), int(found["b"]), found["y"]
    if len(y) == 2 and found["sep"] == ".":
        return None  # a version number
    year = int(y) if len(y) == 4 else _two_digit_year(y, found.context)
    month_first = a <= 12 and (b > 12 or found.context.options.date_order == "mdy")
    if found["sep"] == "." and b <= 12:
        month_first = False  # dotted dates are day first
    return _day(year, a, b) if month_first else _day(year, b, a)


@_date("month and year in digits", rf"{_NO_NUMBER}(?P<m>0?[1-9]|1[0-2])/(?P<y>(?:1[5-9]|20)\d\d){_END}")
def _month_slash_year(found: Found) -> Timex:
    return Timex(interval=TimeInterval.month(int(found["y"]), int(found["m"])), granularity=Granularity.MONTH)


@_date(
    "ISO month",
    rf"{_NO_NUMBER}(?P<y>[12]\d{{3}})-(?P<m>0[1-9]|1[0-2])(?! (?:season|school|academic|tax|fiscal|financial)){_END}",
)
def _iso_month(found: Found) -> Timex:
    return Timex(interval=TimeInterval.month(int(found["y"]), int(found["m"])), granularity=Granularity.MONTH)


@_date("ISO week", r"(?P<y>\d{4})-?w(?P<w>\d\d)(?:-(?P<d>[1-7]))?")
@_date(
    "week of a year",
    r"(?:(?:calendar )?week|cw|wk)\.? ?(?:number |no\.? ?|#)?(?P<w>\d{1,2})(?:,| of| in)? (?:the year )?(?P<y>\d{4})",
)
def _iso_week(found: Found) -> Timex:
    text = f"{found['y']}-W{int(found['w']):02}"
    interval = TimeInterval.parse(text)
    return Timex(interval=interval, granularity=Granularity.WEEK)


@_date(
    "day and month", rf"(?:(?:on )?{WEEKDAY},? )?(?:the )?(?P<d>{_DAY})(?: of)?,?[ -]?(?P<m>{MONTH})(?:,| of)?(?![a-z])"
)
@_date(
    "month and day",
    rf"(?:{WEEKDAY},? )?(?P<m>{MONTH})[ -](?:the )?(?P<d>{_DAY})(?![\d:%]|[.,]\d|[-/]\d{{3}}| ?(?:[ap]\.?m\b))",
)
def _day_month(found: Found) -> Timex | None:
    month, day = _month_number(found["m"]), ordinal(found["d"])
    if found["m"] in ("may", "mar", "sep") and found.match.start("m") < found.match.start("d"):
        before = found.skeleton.text[: found.match.start()].rstrip()
        if found["m"] == "may" and before.endswith((" i", " we", " you", " they", " it", " he", " she", "who")):
            return None
    return yearless(TimeInterval.day(2000, month, day), Granularity.DAY, found.context)


@_date(
    "days of a month",
    rf"(?:the )?(?P<a>{_DAY}) ?(?:-|to|through|until) ?(?:the )?(?P<b>{_DAY})(?: of)? (?P<m>{MONTH})",
)
@_date(
    "month and days",
    rf"(?P<m>{MONTH}) (?:the )?(?P<a>{_DAY}) ?(?:-|to|through|until) ?(?:the )?(?P<b>{_DAY})(?![\d:%]|[.,-]\d)",
)
def _month_days(found: Found) -> Timex | None:
    month, first, last = _month_number(found["m"]), ordinal(found["a"]), ordinal(found["b"])
    if first >= last:
        return None
    template = TimeInterval(day_number(2000, month, first), day_number(2000, month, last))
    return yearless(template, Granularity.DAY, found.context)


@_date(
    "day of a list",
    rf"(?:the )?(?P<a>{_DAY})(?= ?(?:,|and|or|&|, and|, or) (?:(?:the )?{_DAY} ?(?:,|and|or|&|, and|, or) )*(?:the )?{_DAY}(?: of)? (?P<m>{MONTH}))",
    at="a",
)
def _listed_day(found: Found) -> Timex:
    template = TimeInterval.day(2000, _month_number(found["m"]), ordinal(found["a"]))
    return yearless(template, Granularity.DAY, found.context)


_CLEAR_MONTH = (
    r"(?:january|february|july|september|october|november|december|janurary|januray|febuary"
    r"|feburary|septmber|setpember|ocotber|novemeber|decemeber)\b"
)
_BEFORE_MONTH = (
    r"(?:in|during|since|until|by|before|after|from|through|throughout|between|early|mid|late|last|next|this|"
    r"every|each|for|as of|as at|mid-|late-|early-|end of|start of|beginning of|middle of|month of|days of|week of|half of|"
    r"day of|back in|outside|except|not in|excluding) ?"
)


@_date("month", rf"(?P<m>{_CLEAR_MONTH}(?!'s))")
@_date("month after a preposition", rf"{_BEFORE_MONTH}(?P<m>{MONTH}(?!'s| [a-z]+'s))", at="m")
@_date("month before a year", rf"(?P<m>{MONTH}),?(?=(?: of)?,? ?(?:'\d\d\b|[12]\d{{3}}\b))", at="m")
@_date("month of last year", rf"(?P<m>{MONTH})(?= (?:of )?(?:last|this|next|the previous) year)", at="m")
@_date("month before another", rf"(?P<m>{MONTH})(?= ?(?:-|to|through|until|and|or|,|&) ?{MONTH}(?:$|[ ,?]))", at="m")
@_date(
    "month after another", rf"{MONTH} ?(?:-|to|through|until|and|or|,|&|, and|, or) ?(?P<m>{MONTH})(?=$|[ ,?'])", at="m"
)
def _month(found: Found) -> Timex | None:
    template = TimeInterval.month(2000, _month_number(found["m"]))
    return yearless(template, Granularity.MONTH, found.context)


@_date("year and month name", rf"(?P<y>[12]\d{{3}}),? (?P<m>{MONTH})(?! \d)")
def _year_month(found: Found) -> Timex:
    return Timex(interval=TimeInterval.month(int(found["y"]), _month_number(found["m"])), granularity=Granularity.MONTH)


_FISCAL = r"(?:fy|fiscal(?: year)?|financial year)"


@_date("fiscal year", rf"(?:the )?{_FISCAL} ?'?(?P<y>\d{{4}}|\d\d)(?![\d/-])")
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
    year = int(digits) if len(digits) == 4 else _two_digit_year(digits, context)
    start = context.options.fiscal_year_start
    return day_number(year if start == 1 else year - 1, start)


def _plus_months(first: int, n: int) -> int:
    """The last day of the `n` months that start on `first`."""
    return shift_day(first, n, Granularity.MONTH) - 1


def _nth(text: str, last: int) -> int:
    words = {"first": 1, "second": 2, "last": last, "final": last, "latter": last}
    return words.get(text) or ordinal(text)


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


@_date("half", r"(?:the )?(?:h(?P<h>[12])|(?P<h2>[12])h)(?=[ ']|$|,|\?)")
def _half(found: Found) -> Timex:
    n = int(found["h"] or found["h2"])
    template = unit_of(day_number(2000, 6 * n), Granularity.HALF)
    return yearless(template, Granularity.HALF, found.context)


@_date("season", rf"(?:the )?(?P<s>{SEASON})(?= of\b|,? ?(?:[12]\d{{3}}|'\d\d)\b)", at="s")
@_date(
    "season after a preposition",
    r"(?:in|during|since|until|before|after|by|last|this|next|early|mid|late|over|of|throughout)(?: the)? (?P<s>(?:spring|summer|autumn|winter)(?:time)?)(?!s| [a-z]+'s| (?:olympic|paralympic|school|house|camp|time|break))",
    at="s",
)
def _season(found: Found) -> Timex | None:
    n = SEASONS[found["s"].removesuffix("time")]
    if found.context.options.hemisphere == "south":
        n = (n + 2) % 4
    template = unit_of(day_number(2000, 3 * n + 3), Granularity.SEASON)
    return yearless(template, Granularity.SEASON, found.context)


@_date("winter of two years", r"(?:the )?(?P<s>winter|season)(?: of)? (?P<y>[12]\d{3})[-/](?P<z>\d{4}|\d\d)")
@_date(
    "season of two years",
    r"(?:the )?(?P<y>[12]\d{3}) ?[-/] ?(?P<z>\d{4}|\d\d) (?:(?:\w+ ){0,2}?season|(?:school|academic|tax|fiscal|financial) year)",
)
@_date(
    "school year",
    r"(?:the )?(?:season|(?:school|academic|tax|fiscal|financial) year) (?P<y>[12]\d{3}) ?[-/] ?(?P<z>\d{4}|\d\d)",
)
@_date("years joined", rf"{_NO_NUMBER}(?P<y>[12]\d{{3}}) ?[-/] ?(?P<z>\d\d|'\d\d){_END}(?!-)")
def _two_years(found: Found) -> Timex | None:
    first, z = int(found["y"]), found["z"].lstrip("'")
    last = int(z) if len(z) == 4 else first // 100 * 100 + int(z)
    last += 100 if last < first and last % 100 == 0 else 0
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


@_date("decade of four digits", r"(?:the )?(?P<y>1\d{3}|20\d\d)'?s(?! (?:era )?style)")
def _decade(found: Found) -> Timex | None:
    year = int(found["y"])
    if year % 10:
        return None
    if year % 1000 == 0:
        return decade(year)
    if year % 100 == 0:
        hundred = Timex(interval=TimeInterval.years(year, year + 99), granularity=Granularity.CENTURY)
        return replace(hundred, readings=(TimeInterval.years(year, year + 9),))
    return decade(year)


@_date("decade of two digits", r"(?:the|early|mid|late|mid-|early-|late-) ?(?P<d>'?(?P<y>[0-9]0)'?s)(?![\w'])", at="d")
@_date("decade with an apostrophe", r"'(?P<y>[0-9]0)'?s(?![\w'])")
@_date("decade at the start", r"(?<=^)(?P<y>[3-9]0)'?s(?= [a-z])")
@_date(
    "decade at the end",
    r"(?<=[a-z] )(?P<y>[2-9]0)'?s(?=$|\?| (?:music|movies|hits|songs|fashion|films|rock|pop|style|bands|tv))",
)
@_date("decade in words", rf"(?P<y>{'|'.join(_DECADES)})(?<!tens)")
def _short_decade(found: Found) -> Timex | None:
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
    r"(?:the )?(?P<n>\d{1,2}(?:st|nd|rd|th))(?= ?(?:and|to|or|-|through|until|&|,) ?(?:the )?(?:early |mid |late |mid-|late-|early-)?\d{1,2}(?:st|nd|rd|th)[- ]centur)",
    at="n",
)
def _century(found: Found) -> Timex:
    n = _nth(found["n"], 0)
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
@_date("era and year", r"(?:the year )?(?P<era>a\.?d\.?) ?(?P<y>\d{1,4})")
def _era_year(found: Found) -> Timex | None:
    year = int(found["y"])
    if year == 0:
        return None
    return _year(1 - year if found["era"].startswith("b") else year)


@_date(
    "years with one era",
    r"(?P<a>\d{1,4}) ?(?:-|to|and|until|through) ?(?P<b>\d{1,4}) ?(?P<era>b\.?c\.?e?\.?)(?!\w)",
)
def _era_years(found: Found) -> Timex | None:
    first, last = 1 - int(found["a"]), 1 - int(found["b"])
    if not int(found["a"]) or not int(found["b"]):
        return None
    return Timex(interval=TimeInterval.years(min(first, last), max(first, last)), granularity=Granularity.YEAR)


@_date("two-digit year", r"(?:(?<= )|(?<=^)|(?<=\())'(?P<y>\d\d)(?![\w']|\.\d)")
def _short_year(found: Found) -> Timex:
    return _year(_two_digit_year(found["y"], found.context))


@_date("the year", r"(?:the )?year (?:of )?(?P<y>\d{3,4})(?![\w,.]*\d)")
@_date("year", rf"(?<![\d.,:$€£#])(?:c\.)?(?P<y>1[4-9]\d\d|20\d\d|21[0-4]\d){_END}(?!'(?!s\b))", at="y")
@_date(
    "early year after a preposition",
    rf"(?:in|since|before|after|until|by|circa|around|between|between \d+ and) (?P<y>[1-9]\d\d|1[0-3]\d\d|2[1-9]\d\d){_END}(?=$|[?.!,;)]|-| (?:and|or|to|until|by|in|on|at|was|were|did|but|bc|ad|onwards?)\b)",
    at="y",
)
@_date("early year at the end", rf"(?<=[a-z]{{4}} )(?P<y>1[0-3]\d\d){_END}(?=$|[?.!])")
def _bare_year(found: Found) -> Timex:
    return _year(int(found["y"]))


@_date("year-ish", r"(?P<y>1[4-9]\d\d|20\d\d)-?ish")
def _yearish(found: Found) -> Timex:
    return widened(_year(int(found["y"])))


@_date(
    "weekday",
    r"(?:on|last|this|next|since|until|before|after|by|every|each|all|past|previous|coming|from|of)(?: the)? (?P<w>(?:mon|tues|wednes|thurs|fri|satur|sun)days?)(?! (?:night (?:football|live|fever)|times|school|best))",
    at="w",
)
def _weekday(found: Found) -> Timex:
    weekday = WEEKDAYS[found["w"].removesuffix("s")]
    reference = found.context.reference
    recurring = found["w"].endswith("s") or found.match[0].startswith(("every", "each", "all"))
    if reference is None:
        return Timex(interval=None, granularity=Granularity.DAY, recurring=True)
    day = reference - (reference + 3 - weekday) % 7
    return Timex(
        interval=TimeInterval(day, day), granularity=Granularity.DAY, recurring=True, point=None if recurring else day
    )


@_permissive("any month", rf"(?P<m>{MONTH})(?!\w)")
def _any_month(found: Found) -> Timex:
    return yearless(TimeInterval.month(2000, _month_number(found["m"])), Granularity.MONTH, found.context)


@_permissive("any year", r"(?P<y>[1-9]\d{2,3})(?!\d)")
def _any_year(found: Found) -> Timex:
    return _year(int(found["y"]))


@_permissive("any season", rf"(?P<s>{SEASON})s?")
def _any_season(found: Found) -> Timex | None:
    return _season(found)


@_permissive("any weekday", r"(?P<w>(?:mon|tues|wednes|thurs|fri|satur|sun)days?)")
def _any_weekday(found: Found) -> Timex | None:
    return _weekday(found)


@_permissive("any decade", r"'?(?P<y>\d0)'?s")
def _any_decade(found: Found) -> Timex | None:
    return _short_decade(found)


@_yeared("value and its year", r"<a:V>(?:,| of| in|, in|-)? ?(?:the year )?<y:V>")
def _with_year(found: Found) -> Timex | None:
    a, year = found.timex("a"), found.timex("y")
    if a.template is None or year.interval is None or year.granularity is not Granularity.YEAR or year.template:
        return None
    first, last = absolute_years(year)
    if first != last:
        return None
    return in_year(a, first)


@_yeared("year and its value", r"<y:V>,? ?<a:V>(?!,? ?<V>)")
def _year_first(found: Found) -> Timex | None:
    if found.timex("a").granularity.days > Granularity.HALF.days:
        return None
    return _with_year(found)


def share_year(skeleton: Skeleton) -> None:
    """Give values said without a year the year beside them ("July and August 2013"), else the only year there is."""
    chars = [char for char in skeleton.text if isinstance(skeleton.nodes.get(char), Timex)]
    years: list[int | None] = []
    for char in chars:
        timex = skeleton.nodes[char]
        assert isinstance(timex, Timex)
        dated = (
            timex.interval is not None and timex.template is None and timex.granularity.days <= Granularity.YEAR.days
        )
        dated = dated and not timex.recurring
        years.append(absolute_years(timex)[0] if dated else None)
    distinct = {year for year in years if year is not None}
    for at, char in enumerate(chars):
        timex = skeleton.nodes[char]
        assert isinstance(timex, Timex)
        if timex.template is None or not distinct:
            continue
        following = next((year for year in years[at + 1 :] if year is not None), None)
        if len(distinct) > 1 and (following is None or years[at + 1] is None):
            continue
        skeleton.nodes[char] = in_year(timex, next(iter(distinct)) if len(distinct) == 1 else years[at + 1] or 0)


def absolute_years(timex: Timex) -> tuple[int, int]:
    """The first and the last year that a resolved value touches.

    Raises:
        IntervalError: it is open.
    """
    interval = timex.interval
    if interval is None or interval.start is None or interval.end is None:
        raise IntervalError("no bounded interval")
    return civil_date(interval.start)[0], civil_date(interval.end)[0]
