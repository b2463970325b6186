"""Words and numbers that may be a time, without regard to what stands around them.

For extractors that judge the words themselves; the grammar does not use these.
"""

from qtie.interval import Granularity, TimeInterval
from qtie.tie.cascade import Found, Rule, rules
from qtie.tie.en.days import month_named, weekday, yearless
from qtie.tie.en.lexicon import MONTH, SEASON
from qtie.tie.en.periods import season, short_decade
from qtie.tie.timex import Timex

__all__ = ["PERMISSIVE"]

PERMISSIVE: list[Rule] = []
_permissive = rules(PERMISSIVE)


@_permissive("any month", rf"(?P<m>{MONTH})(?!\w)")
def _any_month(found: Found) -> Timex:
    return yearless(TimeInterval.month(2000, month_named(found["m"])), Granularity.MONTH, found.context)


@_permissive("any year", r"(?P<y>[1-9]\d{2,3})(?!\d)")
def _any_year(found: Found) -> Timex:
    return Timex(interval=TimeInterval.year(int(found["y"])), granularity=Granularity.YEAR)


@_permissive("any season", rf"(?P<s>{SEASON})s?")
def _any_season(found: Found) -> Timex | None:
    return season(found)


@_permissive("any weekday", r"(?P<w>(?:mon|tues|wednes|thurs|fri|satur|sun)days?)")
def _any_weekday(found: Found) -> Timex | None:
    return weekday(found)


@_permissive("any decade", r"'?(?P<y>\d0)'?s")
def _any_decade(found: Found) -> Timex | None:
    return short_decade(found)
