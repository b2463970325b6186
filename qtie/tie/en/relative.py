"""Time values counted from the reference date: last year, three weeks ago, this quarter, year to date."""

from dataclasses import replace

from qtie.interval import Granularity, TimeInterval, civil_date, shift_day, unit_of
from qtie.tie.cascade import Context, Found, Rule, rules
from qtie.tie.en.lexicon import number_of, unit_named
from qtie.tie.timex import Timex, in_year

__all__ = ["COUNTED", "NAMED", "RELATIVE"]

RELATIVE: list[Rule] = []
"""From the words alone."""
NAMED: list[Rule] = []
"""From "last", "this", "next" and a value said without a year."""
COUNTED = frozenset(("N units ago", "in N units", "past N units", "past few units", "next N units"))
"""The rules of `RELATIVE` that count a number of units from the reference date."""
_relative, _named = rules(RELATIVE), rules(NAMED)

_U = r"(?:calendar |whole |full )?(?P<u>day|week|fortnight|month|quarter|half[- ]year|half|semester|season|year|decade|century|millennium|weekend)"
_NOT_UNIT = r"(?![\w-]| (?:olds?|old|end closing|view|guard|care|nurse|trip|job))"


def _unresolved(granularity: Granularity) -> Timex:
    return Timex(interval=None, granularity=granularity)


def _unit(context: Context, unit: Granularity, n: int) -> Timex:
    """The calendar unit that lies n units after the one that holds the reference date."""
    if context.reference is None:
        return _unresolved(unit)
    week_start = context.options.week_start
    current = unit_of(context.reference, unit, week_start=week_start).start
    assert current is not None
    return Timex(interval=unit_of(shift_day(current, n, unit), unit, week_start=week_start), granularity=unit)


@_relative(
    "yesterday, today, tomorrow",
    r"(?:earlier |later )?(?:the )?(?P<w>day before yesterday|yesterday|today|tonight|tomorrow|day after tomorrow|this (?:morning|afternoon|evening)|last night)(?:'s| (?:morning|afternoon|evening|night))?",
)
def _today(found: Found) -> Timex | None:
    if found.context.reference is None:
        return _unresolved(Granularity.DAY)
    word = found["w"]
    n = {"day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1, "day after tomorrow": 2}.get(
        word, 0
    )
    day = found.context.reference + n
    return Timex(interval=TimeInterval(day, day), granularity=Granularity.DAY)


@_relative(
    "present",
    r"(?P<before>(?:to|until|till|through|up to|-|–|and) ?)(?P<w>(?:the )?present(?: day| time)?|now|date|today|nowadays|this day|(?:very |most |quite )?recently)(?! (?:value|tense))",
    at="w",
)
def _present(found: Found) -> Timex | None:
    if found["w"] == "date" and not found["before"].startswith(("to", "up to")):
        return None
    reference = found.context.reference
    if reference is None:
        return _unresolved(Granularity.DAY)
    return Timex(interval=TimeInterval(reference, reference), granularity=Granularity.DAY)


@_relative(
    "last unit",
    rf"(?<!being )(?<!as )(?<!is )(?<!being the )(?<!as the )(?<!is the )(?:the )?(?:last|previous|preceding|past|prior|just[- ]past) {_U}(?:'s|s')?{_NOT_UNIT}(?! (?:of|before|prior to|after|in) (?:[\ue000-\ue7ff]|last|this|next|the (?:last|previous)))",
)
@_relative("the unit before last", rf"(?:the )?{_U} before last")
def _last_unit(found: Found) -> Timex | None:
    unit, _ = unit_named(found["u"])
    before = found.skeleton.text[: found.match.start()].rstrip()
    word = found.match[0].removeprefix("the ")
    if word.startswith("past") or (before.endswith(_ROLLING) and "the" in found.match[0].split()):
        return _rolling(found.context, -1 if found["u"] != "fortnight" else -2, unit)
    if word.startswith("past"):
        return None
    return _unit(found.context, unit, -2 if "before last" in word else -1)


_ROLLING = (" in", " over", " during", " within", " throughout", " for", " across")


@_relative(
    "over the last unit", rf"(?:in|over|during|within|across|throughout|for) the (?:last|past|previous) {_U}{_NOT_UNIT}"
)
def _over_last(found: Found) -> Timex | None:
    unit, multiple = unit_named(found["u"])
    return _rolling(found.context, -multiple, unit)


@_relative("this unit", rf"(?:(?:the )?current|this(?: current)?) {_U}(?:'s)?{_NOT_UNIT}")
def _this_unit(found: Found) -> Timex:
    unit, _ = unit_named(found["u"])
    return _with_part_so_far(_unit(found.context, unit, 0), found.context)


def _with_part_so_far(timex: Timex, context: Context) -> Timex:
    """With the part up to the reference date as a second reading, where that is another."""
    if timex.interval is None or context.options.prefer == "future":
        return timex
    so_far = timex.interval.intersection(TimeInterval(None, context.reference))
    return replace(timex, readings=() if so_far in (None, timex.interval) else (so_far,))


@_relative(
    "fiscal unit from the reference date",
    r"(?:the )?(?P<w>last|previous|prior|preceding|past|current|this(?: current)?|next|coming|upcoming) (?:(?:fiscal|financial) (?P<u>year|quarter)|fy)\b(?:'s)?(?! ?[\d/])",
)
def _fiscal_unit(found: Found) -> Timex:
    """ "last fiscal year": counted from the one that holds the reference date, which need not start in January."""
    unit = Granularity.QUARTER if found["u"] == "quarter" else Granularity.YEAR
    if found.context.reference is None:
        return _unresolved(unit)
    n_months = 3 if unit is Granularity.QUARTER else 12
    n_units = {"current": 0, "this": 0, "this current": 0, "next": 1, "coming": 1, "upcoming": 1}.get(found["w"], -1)
    _, month, _ = civil_date(found.context.reference)
    n_over = (month - found.context.options.fiscal_year_start) % n_months
    this_month = unit_of(found.context.reference, Granularity.MONTH).start
    assert this_month is not None
    first = shift_day(this_month, n_units * n_months - n_over, Granularity.MONTH)
    interval = TimeInterval(first, shift_day(first, n_months, Granularity.MONTH) - 1)
    return _with_part_so_far(Timex(interval=interval, granularity=unit), found.context)


@_relative("this unit in a year", r"(?:on )?this (?P<u>day|month|week|quarter)(?: of| in|,) (?:the year )?<x:V>")
def _this_in_year(found: Found) -> Timex | None:
    """ "on this day in 1969": the present day or unit, in that year."""
    x, unit = found.timex("x"), unit_named(found["u"])[0]
    if x.granularity is not Granularity.YEAR or x.interval is None or x.interval.start is None:
        return None
    if x.interval != unit_of(x.interval.start, Granularity.YEAR):
        return None
    if found.context.reference is None:
        return _unresolved(unit)
    n_years = civil_date(x.interval.start)[0] - civil_date(found.context.reference)[0]
    day = shift_day(found.context.reference, n_years, Granularity.YEAR)
    return Timex(interval=unit_of(day, unit, week_start=found.context.options.week_start), granularity=unit)


@_relative(
    "next unit",
    rf"(?:the )?(?:next|coming|upcoming|following) {_U}(?:'s)?{_NOT_UNIT}(?! (?:of|after|in) [\ue000-\ue7ff])",
)
def _next_unit(found: Found) -> Timex | None:
    if found.match[0].removeprefix("the ").startswith("following"):
        return None
    unit, _ = unit_named(found["u"])
    return _unit(found.context, unit, 1)


@_relative(
    "N units ago this unit",
    r"(?P<n><N>) (?P<u>years?|months?|weeks?|decades?) ago,? ?(?:in )?(?P<w>today|yesterday|this (?:month|week|year|quarter))",
)
@_relative(
    "this unit N units ago",
    r"(?P<w>today|this (?:day|month|week|quarter)),? (?P<n><N>) (?P<u>years?|months?|decades?) ago",
)
def _ago_today(found: Found) -> Timex:
    """ "two years ago this month": the present day or unit, that far back."""
    unit, multiple = unit_named(found["u"])
    word = found["w"].removeprefix("this ")
    finer = Granularity.DAY if word in ("today", "yesterday") else unit_named(word)[0]
    if found.context.reference is None:
        return _unresolved(finer)
    day = found.context.reference - (word == "yesterday")
    point = shift_day(day, -multiple * number_of(found["n"]), unit)
    return Timex(interval=unit_of(point, finer, week_start=found.context.options.week_start), granularity=finer)


_AGO = r"(?: ago| back(?! to| in| from)| earlier than (?:today|now)| before (?:today|now))"


@_relative(
    "N units ago", rf"(?:(?:exactly|about|around|roughly|some|just|only|almost|nearly) )?(?P<n><N>) (?P<u><U>){_AGO}"
)
def _ago(found: Found) -> Timex | None:
    unit, n = unit_named(found["u"])[0], _n_units(found)
    reference = found.context.reference
    if reference is None:
        return _unresolved(unit)
    point = shift_day(reference, -n, unit)
    if unit.days >= Granularity.YEAR.days:
        interval = unit_of(point, Granularity.YEAR)
    elif n == 0 or unit is Granularity.DAY:
        interval = TimeInterval(point, point)
    else:
        interval = unit_of(point, unit, week_start=found.context.options.week_start)
    return Timex(interval=interval, granularity=min(unit, Granularity.YEAR, key=lambda g: g.days), point=point)


@_relative(
    "between N and M units ago",
    rf"(?:between |from )?(?P<n>\d{{1,3}}|<N>) ?(?:and|to|or|-) ?(?P<m>\d{{1,3}}|<N>) (?P<u><U>){_AGO}",
)
def _between_ago(found: Found) -> Timex | None:
    unit, multiple = unit_named(found["u"])
    reference = found.context.reference
    if reference is None:
        return _unresolved(unit)
    coarse = min(unit, Granularity.YEAR, key=lambda granularity: granularity.days)
    counts = sorted((number_of(found["n"]), number_of(found["m"])))
    near, far = (unit_of(shift_day(reference, -n * multiple, unit), coarse) for n in counts)
    return Timex(interval=far.hull(near), granularity=coarse)


@_relative(
    "next few units", r"(?:in |over |during )?(?:the )?(?:coming|upcoming|next) (?P<u>days|weeks|months|years|decades)"
)
def _next_few(found: Found) -> Timex:
    unit, multiple = unit_named(found["u"])
    return _rolling(found.context, 3 * multiple, unit)


@_relative("in N units", r"(?P<n><N>) (?P<u><U>)(?: from (?:now|today)| hence|' time)")
def _hence(found: Found) -> Timex | None:
    unit, multiple = unit_named(found["u"])
    if found.context.reference is None:
        return _unresolved(unit)
    point = shift_day(found.context.reference, multiple * number_of(found["n"]), unit)
    coarse = Granularity.YEAR if unit.days >= Granularity.YEAR.days else unit
    return Timex(interval=unit_of(point, coarse), granularity=coarse, point=point)


def _rolling(context: Context, n: int, unit: Granularity) -> Timex:
    """The n units up to the reference date, or from it on: (ref − n)/ref."""
    if context.reference is None:
        return _unresolved(unit)
    other = shift_day(context.reference, n, unit)
    interval = TimeInterval(min(other, context.reference), max(other, context.reference))
    return Timex(interval=interval, granularity=unit)


def _n_units(found: Found) -> int:
    """How many units the groups n and u say; of hours, their whole days."""
    n = number_of(found["n"])
    return n // 24 if found["u"].startswith(("hour", "hr")) else n * unit_named(found["u"])[1]


_OVER = r"(?:(?:in|over|during|within|across|throughout|for) )?"


@_relative(
    "past N units",
    rf"{_OVER}(?:the |these )?(?:past|last|previous|preceding|trailing|most recent) (?P<n><N>) ?-?(?P<u><U>)(?! (?:of|before|in|to|until) [\ue000-\ue7ff]|[- ]old)",
)
@_relative(
    "past few units",
    rf"{_OVER}(?:the )?(?:past|last) (?P<u>days|weeks|months|years|decades|centuries)(?! (?:of|before|in) [\ue000-\ue7ff])",
)
def _past(found: Found) -> Timex | None:
    unit, multiple = unit_named(found["u"])
    n = _n_units(found) if "n" in found.match.groupdict() else 3 * multiple
    if unit is Granularity.SEASON:
        unit = Granularity.YEAR
    timex = _rolling(found.context, -n, unit)
    if unit is Granularity.QUARTER and found.context.reference is not None:
        first, last = _unit(found.context, unit, -n).known, _unit(found.context, unit, -1).known
        return replace(timex, readings=(first.hull(last),))
    return timex


@_relative(
    "next N units",
    rf"{_OVER}(?:the )?(?:next|coming|following|upcoming) (?P<n><N>) ?-?(?P<u><U>)(?! (?:of|after) [\ue000-\ue7ff])",
)
def _next(found: Found) -> Timex | None:
    if "following" in found.match[0]:
        return None
    return _rolling(found.context, _n_units(found), unit_named(found["u"])[0])


@_relative(
    "unit to date",
    r"(?P<u>year|quarter|month|week|decade|century)[- ]to[- ]date|(?P<a>ytd|qtd|mtd|wtd)(?! ?(?:<V>|[12]\d{3}))(?<![\ue000-\ue7ff] ytd)(?<!\d{4} ytd)",
)
@_relative(
    "so far this unit",
    r"(?:so far|thus far|until now|up to now)(?: in)? this (?P<u>year|quarter|month|week|decade|century)|this (?P<v>year|quarter|month|week|decade|century) (?:so far|to date|thus far|until now|up to now)",
)
def _to_date(found: Found) -> Timex:
    groups = found.match.groupdict()
    short = {"ytd": "year", "qtd": "quarter", "mtd": "month", "wtd": "week"}.get(groups.get("a") or "")
    unit, _ = unit_named(groups.get("u") or groups.get("v") or short or "year")
    current = _unit(found.context, unit, 0)
    if current.interval is None:
        return current
    return replace(current, interval=TimeInterval(current.interval.start, found.context.reference))


@_relative("earlier, later this unit", rf"(?P<w>earlier|later) (?:on )?(?:in )?this {_U}{_NOT_UNIT}")
def _rest_of_unit(found: Found) -> Timex:
    """ "earlier this year": up to the reference date; "later": from it on."""
    current, reference = _unit(found.context, unit_named(found["u"])[0], 0), found.context.reference
    if reference is None:
        return current
    side = TimeInterval(None, reference) if found["w"] == "earlier" else TimeInterval(reference, None)
    return replace(current, interval=current.known.intersection(side))


@_relative(
    "that year",
    r"(?:(?:at|by|during|in|on|around|since|before|after|until) )?(?:that|the same|those) (?:same )?(?P<u>day|week|month|quarter|year|decade|century|years|days|era|time|period|season|summer|winter|moment)(?: period)?(?! (?:when|that|in which|of [\ue000-\ue7ff]))",
)
def _that(found: Found) -> Timex | None:
    words = found["u"]
    return _unresolved(
        Granularity.YEAR if words in ("era", "time", "period", "moment", "summer", "winter") else unit_named(words)[0]
    )


@_named(
    "last, this, next value",
    r"(?:the )?(?P<w>last|previous|past|this past|this|next|coming|this coming) <x:V>(?!,? ?(?:of )?(?:<V>|'?\d))",
)
def _last_named(found: Found) -> Timex | None:
    x, reference = found.timex("x"), found.context.reference
    if x.template is None and not x.recurring:
        return None
    if reference is None:
        return replace(x, interval=None, template=None)
    unit = Granularity.YEAR if x.template is not None else Granularity.WEEK
    interval = x.known if x.known.start is not None and x.known.start <= reference else x.known.shift(-1, unit)
    word = found["w"]
    if word in ("last", "previous", "past", "this past"):
        ended = interval if interval.end is not None and interval.end < reference else interval.shift(-1, unit)
        return replace(x, interval=ended, template=None, point=None, recurring=False)
    if word in ("next", "coming", "this coming"):
        return replace(x, interval=interval.shift(1, unit), template=None, point=None, recurring=False)
    this = _this_named(x, interval, reference, found.context)
    return replace(x, interval=this, template=None, point=None, recurring=False)


def _this_named(x: Timex, latest: TimeInterval, reference: int, context: Context) -> TimeInterval:
    """ "this March", "this Friday": the one in the current year or week."""
    unit = Granularity.YEAR if x.template is not None else Granularity.WEEK
    current = unit_of(reference, unit, week_start=context.options.week_start)
    upcoming = latest.shift(1, unit)
    return upcoming if not latest.overlaps(current) and upcoming.overlaps(current) else latest


@_named("value of last year", r"<x:V>,? (?:of |in )?(?:the )?(?P<w>last|this|next|previous|the year before last) year")
def _of_last_year(found: Found) -> Timex | None:
    x = found.timex("x")
    if x.template is None or x.template.start is None:
        return None
    if found.context.reference is None:
        return replace(x, interval=None, template=None)
    n = {"last": -1, "previous": -1, "this": 0, "next": 1}.get(found["w"], -2)
    year = _unit(found.context, Granularity.YEAR, n).known
    start = year.start
    assert start is not None
    return in_year(x, civil_date(start)[0])
