"""Parts of a time value: early, mid, late; starts and ends; the first half, the last three months; circa."""

from dataclasses import replace

from qtie.interval import Granularity, TimeInterval, civil_date, shift_day, unit_of
from qtie.tie.cascade import Found, Rule, rules
from qtie.tie.en.lexicon import number_of, ordinal, unit_named
from qtie.tie.timex import Timex, part_of, widened

__all__ = ["PARTS"]

PARTS: list[Rule] = []
_part = rules(PARTS)


_START = r"start|beginning|begining|outset|onset|dawn|opening|turn|first days"
_MIDDLE = r"middle|midst|midpoint|mid-point|midway point|halfway point"
_END = r"end|ending|close|closing|tail[- ]end|very end|last days|conclusion"


@_part("early, mid, late X", r"(?:the )?(?P<p>early|mid|late)(?:[- ](?:in )?(?:the )?|-)?<x:V>")
@_part("X early, mid, late", r"<x:V>,? (?P<p>early|late) (?:on|in the (?:year|month|decade))")
def _early(found: Found) -> Timex | None:
    return _part_or_none(found.timex("x"), found["p"])


@_part(
    "mid-to-late X",
    r"(?:the )?(?P<p>early|mid)-? ?(?:to|through|and|or|/)-? ?(?P<q>mid|late)[- ](?:the )?<x:V>",
)
def _mid_to_late(found: Found) -> Timex | None:
    return _part_or_none(found.timex("x"), found["p"], found["q"])


@_part("early in X", r"(?:the )?(?P<p>early|late) (?:on )?(?:in|into|during) (?:the )?<x:V>")
def _early_in(found: Found) -> Timex | None:
    return _part_or_none(found.timex("x"), found["p"])


def _part_or_none(x: Timex, part: str, to_part: str | None = None) -> Timex | None:
    if x.interval is None:
        return _unresolved_part(x, part, to_part)
    if x.granularity is Granularity.DAY:
        return x if to_part is None else None
    if x.granularity not in (Granularity.WEEK, Granularity.WEEKEND) and x.interval.n_days > 1.5 * x.granularity.days:
        return _outer_part(x, part, to_part)
    taken = part_of(x, part, to_part)
    readings = tuple(part_of(replace(x, interval=r), part, to_part).known for r in x.readings if r.start is not None)
    return replace(taken, readings=readings)


def _unresolved_part(x: Timex, part: str, to_part: str | None) -> Timex:
    """ "early May" with no year yet: the part of the template."""
    if x.template is None:
        return x
    taken = part_of(replace(x, interval=x.template), part, to_part)
    return replace(taken, interval=None, template=taken.interval)


def _outer_part(x: Timex, part: str, to_part: str | None) -> Timex:
    """A part of several units together, such as "the late 2009–10 season": by thirds of its days."""
    taken = part_of(replace(x, granularity=Granularity.QUARTER), part, to_part)
    return replace(taken, granularity=x.granularity)


@_part(
    "start, middle, end of X",
    rf"(?:right |just )?(?:at |towards? |in |near |around )?(?:the )?(?:very |first )?(?P<p>{_START}|{_MIDDLE}|{_END})(?: (?:days|months|weeks|years))? of (?:the )?<x:V>",
)
@_part("year-end X", r"(?P<p>start|end|middle|close)[- ]<x:V>|year[- ](?P<p2>end) <y:V>")
def _edge(found: Found) -> Timex | None:
    x = found.timex("y") if found["p2"] else found.timex("x")
    word = found["p"] or found["p2"]
    if x.interval is None or x.granularity is Granularity.DAY or word == "turn":
        return None
    part = "early" if word in _START.split("|") else "mid" if word in ("middle", "midst") or "point" in word else "late"
    taken = _part_or_none(x, part)
    if taken is None or part == "mid":
        return taken
    return replace(taken, edge="start" if part == "early" else "end", whole=x.interval)


@_part("later in X", r"later (?:on )?(?:in|during) (?:the )?<x:V>")
def _later_in(found: Found) -> Timex | None:
    x = found.timex("x")
    if x.interval is None:
        return None
    return replace(x, readings=(_piece(x, 2, 2, Granularity.HALF),))


_NTH = r"first|second|1st|2nd|3rd|4th|last|final|latter|closing|opening|back|front"
_FRACTIONS = {"half": 2, "third": 3, "3rd": 3, "quarter": 4, "qtr": 4}


@_part(
    "nth half, third, quarter of X",
    rf"(?:the )?(?P<n>{_NTH})[ -](?P<u>half|third|3rd|quarter|qtr)(?:[- ]year)?(?: of| in|,)? (?:the )?(?:year )?<x:V>",
)
@_part("X's nth half", rf"<x:V>'s (?P<n>{_NTH})[ -](?P<u>half|third|quarter)")
@_part("quarter three of X", r"(?P<u>quarter|half) (?P<n>[1-4])(?: of| in|,)? (?:the )?<x:V>")
def _fraction(found: Found) -> Timex | None:
    x, parts = found.timex("x"), _FRACTIONS[found["u"]]
    n = {"first": 1, "opening": 1, "front": 1, "second": 2, "back": 2}.get(found["n"]) or (
        parts if found["n"] in ("last", "final", "latter", "closing") else ordinal(found["n"])
    )
    if x.interval is None or n > parts or x.granularity is Granularity.DAY:
        return None
    if parts == 3 and x.granularity in (Granularity.CENTURY, Granularity.DECADE):
        return part_of(x, ("early", "mid", "late")[n - 1])
    granularity = {2: Granularity.HALF, 4: Granularity.QUARTER}.get(parts, Granularity.MONTH)
    return replace(Timex(interval=_piece(x, n, parts, granularity), granularity=granularity))


def _piece(x: Timex, n: int, parts: int, granularity: Granularity) -> TimeInterval:
    """The n-th of equal parts; in whole months where they divide the interval, else in days."""
    start, end = x.known.start, x.known.end
    assert start is not None
    assert end is not None
    parts = 2 if granularity is Granularity.HALF else parts
    first, after = civil_date(start), civil_date(end + 1)
    months = 12 * (after[0] - first[0]) + after[1] - first[1]
    if first[2] == after[2] == 1 and months % parts == 0:
        step = months // parts
        return TimeInterval(
            shift_day(start, (n - 1) * step, Granularity.MONTH), shift_day(start, n * step, Granularity.MONTH) - 1
        )
    n_days = end + 1 - start
    return TimeInterval(start + n_days * (n - 1) // parts, start + n_days * n // parts - 1)


@_part(
    "first, last N units of X",
    r"(?:in |over |during )?(?:the )?(?P<w>first|opening|initial|last|final|closing) (?P<n><N>) ?-?(?P<u><U>)(?: of| in) (?:the )?<x:V>",
)
@_part(
    "first, last unit of X",
    r"(?:the )?(?P<w>first|opening|initial|1st|last|final|closing) (?P<u>day|week|weekend|month|year|decade|weeks|months|days|years)(?: of| in) (?:the )?<x:V>",
)
def _first_units(found: Found) -> Timex | None:
    x = found.timex("x")
    unit, multiple = unit_named(found["u"])
    n = multiple * (number_of(found["n"]) if "n" in found.match.groupdict() else 3 if found["u"].endswith("s") else 1)
    if x.interval is None or unit.days >= x.interval.n_days or not n:
        return None
    start, end = x.known.start, x.known.end
    assert start is not None
    assert end is not None
    if unit is Granularity.WEEKEND:
        return None
    if found["w"] in ("last", "final", "closing"):
        interval = TimeInterval(max(start, shift_day(end + 1, -n, unit)), end)
    else:
        interval = TimeInterval(start, min(end, shift_day(start, n, unit) - 1))
    return Timex(interval=interval, granularity=unit)


@_part(
    "nth unit of X",
    r"(?:the )?(?P<n>\d{1,2}(?:st|nd|rd|th)|second) (?P<u>day|week|month|year|decade|century)(?: of| in) (?:the )?<x:V>",
)
def _nth_unit(found: Found) -> Timex | None:
    x, (unit, _) = found.timex("x"), unit_named(found["u"])
    n = 2 if found["n"] == "second" else ordinal(found["n"])
    if x.interval is None or x.interval.start is None or unit.days >= x.interval.n_days or n < 1:
        return None
    start = shift_day(x.interval.start, n - 1, unit)
    interval = TimeInterval(start, shift_day(x.interval.start, n, unit) - 1).intersection(x.interval)
    return None if interval is None else Timex(interval=interval, granularity=unit)


@_part(
    "the week of D",
    r"(?<!a )(?<!\d )(?<!one )(?:the )?(?:week|wk) (?:of|containing|with|commencing|beginning|starting(?: on)?)(?: on)? <x:V>|(?:w/c|wc|week commencing) <y:V>",
)
def _week_of(found: Found) -> Timex | None:
    x = found.timex("x" if found["x"] else "y")
    if x.interval is None or x.interval.start is None or x.granularity is not Granularity.DAY:
        return None
    week = unit_of(x.interval.start, Granularity.WEEK, week_start=found.context.options.week_start)
    return Timex(interval=week, granularity=Granularity.WEEK)


@_part("the weekend of D", r"(?:the )?weekend of <x:V>")
def _weekend_of(found: Found) -> Timex | None:
    x = found.timex("x")
    if x.interval is None or x.interval.start is None or x.granularity is not Granularity.DAY:
        return None
    return Timex(interval=unit_of(x.interval.start, Granularity.WEEKEND), granularity=Granularity.WEEKEND)


@_part(
    "circa X",
    r"(?:(?:some ?(?:time|where|when) )?(?:circa|ca\.?|c\.?|(?:roughly |approximately )?around(?: about)?|approximately|approx\.?|roughly|or thereabouts)|~)(?: the)?(?: year)? ?<x:V>",
)
@_part(
    "about X",
    r"(?P<context>(?:^|in|from|at|of|by|built|born|dated|dating(?: from)?|dates(?: from)?|founded|written|made|died|was|happened|happening|were|since|until|minted|printed|composed|painted|dating back to) )?about(?: the)?(?: year)? <x:V>(?!'s)",
)
@_part("X or so", r"<x:V>(?: or so| or thereabouts|-?ish| approximately| \(approx\.?\)| roughly)")
def _circa(found: Found) -> Timex | None:
    if found.match[0].startswith("about") and found["context"] == "" and found.match.start() > 0:
        return None
    x, reference = found.timex("x"), found.context.reference
    if x.interval is None or x.interval.start is None:
        return None
    wide = widened(x)
    if x.interval.end != reference or x.interval.start == reference:
        return wide
    return replace(wide, interval=TimeInterval(wide.known.start, reference))  # "the last year or so" ends now


@_part("turn of a century", r"(?:the )?turn of (?:the )?<x:V>")
@_part("turn of the century", r"(?:the )?turn of the (?P<u>century|millennium|last century)")
def _turn(found: Found) -> Timex | None:
    if "u" in found.match.groupdict():
        reference = found.context.reference
        year = 2000 if reference is None or found["u"] == "millennium" else civil_date(reference)[0] // 100 * 100
    else:
        x = found.timex("x")
        if x.interval is None or x.interval.start is None or x.granularity.days < Granularity.DECADE.days:
            return None
        year = civil_date(x.interval.start)[0] - (1 if civil_date(x.interval.start)[0] % 10 else 0)
    return Timex(interval=TimeInterval.years(year - 1, year + 1), granularity=Granularity.YEAR)


@_part("every weekday in X", r"(?:(?:every|each|all|on) )?(?:the )?<d:V>(?: in| of| during| throughout)? <x:V>")
def _every(found: Found) -> Timex | None:
    if not found.timex("d").recurring or found.timex("x").granularity.days < Granularity.WEEK.days:
        return None
    return found.timex("x")


@_part(
    "every unit in X",
    r"(?:every|each|all)(?: single)? (?:day|week|weekend|month|morning|evening|night|summer|winter|year)s? (?:in|of|during|throughout) (?:the )?<x:V>",
)
@_part(
    "the month of X",
    r"(?:(?<=^)|(?<=in )|(?<=during )|(?<=from )|(?<=for )|(?<=the )|(?<=by )|(?<=since ))(?:month|year|decade|day|period|calendar year|season) of <x:V>",
)
def _enclosing(found: Found) -> Timex:
    return found.timex("x")
