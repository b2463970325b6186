"""Values counted from another value: three years before X, the five years before X, within two years of X."""

import re
from dataclasses import replace

from qtie.interval import Granularity
from qtie.tie.cascade import Found, Rule, rules
from qtie.tie.en.lexicon import number_of, ordinal, unit_named
from qtie.tie.operators import adjoining, shifted, span_of_units, within
from qtie.tie.timex import Timex

__all__ = ["SHIFTS"]

SHIFTS: list[Rule] = []
_shift = rules(SHIFTS)

_BACK = r"before|prior to|preceding|earlier than|ahead of|previous to|in advance of|out from"
_ON = r"after|following|later than|past|on from|subsequent to|beyond|since"
_X = r"(?:the )?(?:year |start of |beginning of )?<x:V>"


def _counted(found: Found) -> tuple[int, Granularity] | None:
    unit, multiple = unit_named(found["u"])
    groups = found.match.groupdict()
    n = multiple * number_of(groups["n"] if groups.get("n") else "1")
    if unit is Granularity.SEASON:
        unit = Granularity.YEAR
    return (n, unit) if n else None


@_shift(
    "N units before X",
    rf"(?:exactly |about |some |just |precisely |roughly )?(?P<n><N>) (?P<u><U>) (?:{_BACK}) (?:the )?<x:V>",
)
@_shift(
    "N units after X",
    rf"(?:exactly |about |some |just |precisely |roughly )?(?P<n><N>) (?P<u><U>) (?P<after>{_ON}) (?:the )?<x:V>",
)
def _shifted(found: Found) -> Timex | None:
    counted, x = _counted(found), found.timex("x")
    before = " " + found.skeleton.text[: found.match.start()].rstrip()
    if counted is None or before.endswith(
        (" not", "not", " the", " in", " within", " over", " during", " for", " last", " first")
    ):
        return None
    n, unit = counted
    forward = "after" in found.match.groupdict()
    if x.interval is None:
        return replace(x, template=None)
    if unit is Granularity.WEEKEND:
        return None
    return shifted(_at_edge(x), n if forward else -n, unit, week_start=found.context.options.week_start)


def _at_edge(x: Timex) -> Timex:
    """ "two years after the end of 2010" counts from 2010, not from its last months."""
    return x if x.whole is None else Timex(interval=x.whole, granularity=x.whole.granularity)


_OVER = r"(?:in|over|within|during|throughout|across|for)"
_AT_MOST = r"(?:no more than|not more than|at most|less than|fewer than|under|up to|no longer than)"
_COUNT = r"(?P<n><N>) ?-?(?P<u><U>)(?: period| span| window)?"


@_shift(
    "the N units before X",
    rf"(?:{_OVER} )?the (?:last |final |whole |entire |full )?(?:(?P<n><N>) )?(?P<u><U>)(?: period)? (?:immediately |just |right |directly )?(?:that )?(?:came |went |comes )?(?P<before>before|prior to|preceding|leading up to|leading to|running up to|previous to|up to but excluding|ahead of) {_X}",
)
@_shift(
    "the N units after X",
    rf"(?:{_OVER} )?the (?:first |next |whole |entire |full )?(?:(?P<n><N>) )?(?P<u><U>)(?: period)? (?:immediately |just |right |directly )?(?:after|following|that followed|succeeding|subsequent to|since) {_X}",
)
@_shift(
    "in N units before X",
    rf"(?:{_OVER}|{_AT_MOST}) (?:the )?{_COUNT} (?:immediately )?(?P<before>before|prior to|preceding|leading up to|ahead of|earlier than) {_X}",
)
@_shift(
    "in N units after X",
    rf"(?:{_OVER}|{_AT_MOST}) (?:the )?{_COUNT} (?:immediately )?(?:after|following|from|later than) {_X}",
)
@_shift(
    "the preceding N units",
    rf"(?:{_OVER} )?the (?P<before>preceding|previous|prior) (?:(?P<n><N>) )?(?P<u><U>) (?:to|before|of) {_X}",
)
def _adjoining(found: Found) -> Timex | None:
    counted, x = _counted(found), found.timex("x")
    if counted is None:
        return None
    n, unit = counted
    if x.interval is None:
        return replace(x, template=None)
    backward = "before" in found.match.groupdict()
    words = found.match[0]
    if (" last " in words[:12] and not backward) or re.match(r"(?:in|for|at) an? ", words):
        return None  # "in a season before 1992" is any of them
    return adjoining(_at_edge(x), -n if backward else n, unit)


@_shift(
    "the N units to X",
    rf"(?:{_OVER} )?(?:the )?(?:last |final )?{_COUNT} (?:to|up to|through|until|ending(?: in| with| on| at)?(?: the end of)?|ended|closing (?:in|with)|up to and including|finishing in) {_X}",
)
@_shift(
    "the N units from X",
    rf"(?:{_OVER} )?(?:the )?(?:first |next )?{_COUNT} (?P<from>starting(?: in| from| with| on)?|beginning(?: in| with| on)?|from|commencing(?: in| on)?) {_X}(?: on(?:wards?)?)?",
)
@_shift(
    "N units ending X",
    rf"(?:the )?(?:fiscal |financial )?(?P<u>year|quarter|month|week|decade|century) (?:ending|ended|to)(?: on| in)? {_X}",
)
def _span(found: Found) -> Timex | None:
    counted, x = _counted(found), found.timex("x")
    if counted is None or x.interval is None or x.interval.start is None or x.interval.end is None:
        return None
    n, unit = counted
    return span_of_units(_at_edge(x), n if "from" in found.match.groupdict() else -n, unit)


@_shift(
    "the Nth unit after X",
    rf"(?:in |during )?(?:the |in the )?(?P<o>\d{{1,3}}(?:st|nd|rd|th)|first|second) (?P<u>day|week|month|quarter|year|decade|century) (?P<side>after|following|from|before|preceding|prior to) {_X}",
)
def _nth_after(found: Found) -> Timex | None:
    x, (unit, _) = found.timex("x"), unit_named(found["u"])
    n = {"first": 1, "second": 2}.get(found["o"]) or ordinal(found["o"])
    if x.interval is None:
        return replace(x, template=None)
    back = found["side"] in ("before", "preceding", "prior to")
    return shifted(_at_edge(x), -n if back else n, unit, week_start=found.context.options.week_start)


@_shift(
    "within N units of X",
    r"(?:(?:to |from )?within|plus or minus|\+/-|±|no more than|at most|give or take) (?:the |about )?(?P<n><N>) ?(?P<u><U>) (?:either side of|on either side of|each side of|on each side of|of|from|around) (?:the )?<x:V>",
)
@_shift("X give or take N units", r"<x:V>,? ?(?:plus or minus|\+/-|±|give or take) (?P<n><N>) ?(?P<u><U>)")
def _within(found: Found) -> Timex | None:
    counted, x = _counted(found), found.timex("x")
    if counted is None or x.interval is None or x.interval.start is None:
        return None
    return within(x, *counted)


@_shift("N units either side of X", r"(?P<n><N>) (?P<u><U>) (?:on )?(?:either|each) side of (?:the )?<x:V>")
@_shift(
    "the unit starting X",
    rf"the (?P<u>year|quarter|month|decade|century) (?:starting|beginning|commencing)(?: in| with| from| on)? {_X}",
)
def _around(found: Found) -> Timex | None:
    counted, x = _counted(found), found.timex("x")
    if counted is None or x.interval is None or x.interval.start is None or x.interval.end is None:
        return None
    return within(x, *counted) if found["n"] else span_of_units(_at_edge(x), *counted)


@_shift("the day before X", r"(?<!not a )(?:on |in )?(?:the )?(?P<u>day|eve) (?P<side>before|after|following|of) <x:V>")
def _day_before(found: Found) -> Timex | None:
    x = found.timex("x")
    if x.interval is None or x.granularity is not Granularity.DAY or (found["side"] == "of" and found["u"] == "day"):
        return None
    return shifted(x, -1 if found["side"] in ("before", "of") else 1, Granularity.DAY)
