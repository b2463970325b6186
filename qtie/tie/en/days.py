"""Days, weeks and months by name or in digits.

Those said without a year carry a template and take the year from the expression around them (`sharing`), else the
latest that began by the reference date.
"""

from dataclasses import replace

from qtie.interval import Granularity, TimeInterval, civil_date, day_number
from qtie.tie.cascade import Context, Found, Rule, rules
from qtie.tie.en.lexicon import MONTH, MONTH_NAME, MONTHS, WEEKDAY, WEEKDAYS, ordinal
from qtie.tie.timex import Timex, latest_by

__all__ = ["DAYS", "NOT_AFTER_NUMBER", "NOT_BEFORE_NUMBER", "month_named", "two_digit_year", "weekday", "yearless"]

DAYS: list[Rule] = []
"""Each reads one value from words and digits."""
_date = rules(DAYS)

_DAY = r"(?:(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?|first|second)"
NOT_AFTER_NUMBER = r"(?<![\d.,:/$€£#])(?<!\d-)"
NOT_BEFORE_NUMBER = r"(?![.:]?\d|,\d{3}(?!\d)|[-/]\d{1,3}(?![\d./-])|%)"


def yearless(template: TimeInterval, granularity: Granularity, context: Context) -> Timex:
    """A value without a year: its latest that began by the reference date, unresolved where none is given."""
    timex = Timex(interval=None, granularity=granularity, template=template)
    return timex if context.reference is None else replace(timex, interval=latest_by(timex, context.reference))


def two_digit_year(digits: str, context: Context) -> int:
    """The latest year with these last digits that is at most `two_digit_pivot` years after the reference year."""
    limit = (2030 if context.reference is None else civil_date(context.reference)[0]) + context.options.two_digit_pivot
    return limit - (limit - int(digits)) % 100


def _day(year: int, month: int, day: int) -> Timex:
    return Timex(interval=TimeInterval.day(year, month, day), granularity=Granularity.DAY)


def month_named(name: str) -> int:
    """The number of a month that `MONTH` matched."""
    return MONTHS[name.rstrip(".")]


@_date(
    "ISO day",
    r"(?P<y>\d{4})[-/.](?P<m>0?[1-9]|1[0-2])[-/.](?P<d>\d{1,2})(?:[t ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)?)?",
)
def _iso_day(found: Found) -> Timex:
    return _day(int(found["y"]), int(found["m"]), int(found["d"]))


@_date(
    "numeric day",
    rf"{NOT_AFTER_NUMBER}(?P<a>\d{{1,2}})(?P<sep>[/.-])(?P<b>\d{{1,2}})(?P=sep)(?P<y>\d{{4}}|\d\d){NOT_BEFORE_NUMBER}",
)
def _numeric_day(found: Found) -> Timex | None:
    a, b, y = int(found["a"]), int(found["b"]), found["y"]
    if len(y) == 2 and found["sep"] == ".":
        return None  # a version number
    year = int(y) if len(y) == 4 else two_digit_year(y, found.context)
    month_first = a <= 12 and (b > 12 or found.context.options.date_order == "mdy")
    return _day(year, a, b) if month_first else _day(year, b, a)


@_date(
    "month and year in digits", rf"{NOT_AFTER_NUMBER}(?P<m>0?[1-9]|1[0-2])/(?P<y>(?:1[5-9]|20)\d\d){NOT_BEFORE_NUMBER}"
)
def _month_slash_year(found: Found) -> Timex:
    return Timex(interval=TimeInterval.month(int(found["y"]), int(found["m"])), granularity=Granularity.MONTH)


@_date(
    "ISO month",
    rf"{NOT_AFTER_NUMBER}(?P<y>[12]\d{{3}})-(?P<m>0[1-9]|1[0-2])(?! (?:season|school|academic|tax|fiscal|financial)){NOT_BEFORE_NUMBER}",
)
def _iso_month(found: Found) -> Timex | None:
    at = found.skeleton.origins[found.match.end("y")][0]
    if found.skeleton.query[at] != "-":
        return None  # a longer dash joins two years
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
    "day and month",
    rf"(?:(?:on )?{WEEKDAY},? )?(?:the )?(?P<d>{_DAY})(?:(?: of)?,? ?|-(?={MONTH}-\d))(?P<m>{MONTH})(?:,| of)?(?![a-z])",
)
@_date(
    "month and day",
    rf"(?:{WEEKDAY},? )?(?P<m>{MONTH})[ -]?(?:the (?=\d+(?:st|nd|rd|th)|first|second))?(?P<d>{_DAY})(?![\d:%]|[.,]\d|[-/]\d{{3}}| ?(?:[ap]\.?m\b))",
)
def _day_month(found: Found) -> Timex | None:
    month, day = month_named(found["m"]), ordinal(found["d"])
    if found["m"] in ("may", "mar", "sep") and found.match.start("m") < found.match.start("d"):
        before = found.skeleton.text[: found.match.start()].rstrip()
        if found["m"] == "may" and before.endswith((" i", " we", " you", " they", " it", " he", " she", "who")):
            return None
    return yearless(TimeInterval.day(2000, month, day), Granularity.DAY, found.context)


@_date(
    "days of a month",
    rf"(?<![\d/-])(?:the )?(?P<a>{_DAY}) ?(?:-|to|through|until) ?(?:the )?(?P<b>{_DAY})(?: of)? (?P<m>{MONTH})",
)
@_date(
    "month and days",
    rf"(?P<m>{MONTH}) (?:the )?(?P<a>{_DAY}) ?(?:-|to|through|until) ?(?:the )?(?P<b>{_DAY})(?![\d:%]|[.,-]\d)",
)
def _month_days(found: Found) -> Timex | None:
    month, first, last = month_named(found["m"]), ordinal(found["a"]), ordinal(found["b"])
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
    template = TimeInterval.day(2000, month_named(found["m"]), ordinal(found["a"]))
    return yearless(template, Granularity.DAY, found.context)


@_date("year and month in digits", rf"{NOT_AFTER_NUMBER}(?P<y>(?:1[5-9]|20)\d\d)/(?P<m>0[1-9]){NOT_BEFORE_NUMBER}")
def _year_slash_month(found: Found) -> Timex | None:
    if int(found["m"]) > int(found["y"]) % 100:
        return None  # 1907/08 joins two years
    return Timex(interval=TimeInterval.month(int(found["y"]), int(found["m"])), granularity=Granularity.MONTH)


@_date(
    "day, month and short year",
    rf"(?P<d>{_DAY})[ -](?P<m>{MONTH})[ -](?P<y>\d\d)(?![\d:,.%-]|st|nd|rd|th| ?(?:[ap]\.?m\b|[abc]\.?[cde]\b|{MONTH_NAME}\b))",
)
def _short_dated(found: Found) -> Timex:
    year = two_digit_year(found["y"], found.context)
    day = TimeInterval.day(year, month_named(found["m"]), ordinal(found["d"]))
    return Timex(interval=day, granularity=Granularity.DAY)


_CLEAR_MONTH = (
    r"(?:january|february|july|september|october|november|december|janurary|januray|febuary"
    r"|feburary|septmber|setpember|ocotber|novemeber|decemeber)\b"
)
_BEFORE_MONTH = (
    r"(?:in|during|since|until|by|before|after|from|through|throughout|between|early|mid|late|last|next|this|"
    r"every|each|for|as of|as at|mid-|late-|early-|end of|start of|beginning of|middle of|month of|days of|week of|half of|"
    r"day of|back in|outside|except|not in|excluding) ?"
)


@_date("month", rf"(?P<m>{_CLEAR_MONTH})")
@_date("month after a preposition", rf"{_BEFORE_MONTH}(?P<m>{MONTH}(?! [a-z]+'s))", at="m")
@_date("month before a year", rf"(?P<m>{MONTH}),?(?=(?: of)?,? ?(?:'\d\d\b|[12]\d{{3}}\b))", at="m")
@_date("month of last year", rf"(?P<m>{MONTH})(?= (?:of )?(?:last|this|next|the previous) year)", at="m")
@_date(
    "month after a dated one", rf"{MONTH} [12]\d{{3}} (?:and|to|until|till|through|-) (?P<m>{MONTH})(?=$|[ ,?])", at="m"
)
@_date("month before another", rf"(?P<m>{MONTH})(?= ?(?:-|to|through|until|and|or|,|&|/) ?{MONTH}(?:$|[ ,?]))", at="m")
@_date(
    "month after another",
    rf"{MONTH} ?(?:-|to|through|until|and|or|,|&|, and|, or|/) ?(?P<m>{MONTH})(?=$|[ ,?'])",
    at="m",
)
def _month(found: Found) -> Timex | None:
    template = TimeInterval.month(2000, month_named(found["m"]))
    return yearless(template, Granularity.MONTH, found.context)


@_date("year and month name", rf"(?P<y>[12]\d{{3}}),? (?P<m>{MONTH})(?! \d)")
def _year_month(found: Found) -> Timex:
    return Timex(interval=TimeInterval.month(int(found["y"]), month_named(found["m"])), granularity=Granularity.MONTH)


@_date(
    "weekday",
    r"(?:on|last|this|next|since|until|before|after|by|every|each|all|past|previous|coming|from|of)(?: the)? (?P<w>(?:mon|tues|wednes|thurs|fri|satur|sun)days?)(?! (?:night (?:football|live|fever)|times|school|best))",
    at="w",
)
def weekday(found: Found) -> Timex:
    """A day of the week: the latest that began by the reference date."""
    weekday = WEEKDAYS[found["w"].removesuffix("s")]
    reference = found.context.reference
    recurring = found["w"].endswith("s") or found.match[0].startswith(("every", "each", "all"))
    if reference is None:
        return Timex(interval=None, granularity=Granularity.DAY, recurring=True)
    day = reference - (reference + 3 - weekday) % 7
    return Timex(
        interval=TimeInterval(day, day), granularity=Granularity.DAY, recurring=True, point=None if recurring else day
    )
