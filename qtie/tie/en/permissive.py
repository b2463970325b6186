"""Words and numbers that may be a time, without regard to what stands around them.

For extractors that judge the words themselves; the grammar does not use these.
"""

from qtie.interval import Granularity, TimeInterval
from qtie.tie.cascade import Found, Rule, rules
from qtie.tie.en.days import month_named, weekday, yearless
from qtie.tie.en.lexicon import MONTH, SEASON
from qtie.tie.en.periods import season, short_decade
from qtie.tie.timex import Timex

__all__ = ["COUNTS", "ERAS", "PERMISSIVE"]

PERMISSIVE: list[Rule] = []
"""Each takes one word or number for a value."""
ERAS: list[Rule] = []
"""The two bounds of a range whose era is said once, each a value: "439" and "847 AD"."""
COUNTS: list[Rule] = []
"""Numbers in words that other rules would take apart."""
_permissive, _era, _count = rules(PERMISSIVE), rules(ERAS), rules(COUNTS)


@_count("half a dozen", r"half a dozen")
def _half_dozen(found: Found) -> str:
    return "6"


_AND = r" ?(?:-|to|and|or|until|till|through) ?"


@_era(
    "first of two years with one era",
    rf"(?P<y>\d{{1,4}})(?={_AND}(?P<z>\d{{1,4}}) ?(?P<era>b\.?c\.?|a\.?d\.?|c\.?e\.?))",
    at="y",
)
@_era("second of two years with one era", rf"(?P<era>a\.?d\.?) ?\d{{1,4}}{_AND}(?P<y>\d{{1,4}})", at="y")
def _year_of_era(found: Found) -> Timex | None:
    year, is_bc = int(found["y"]), found["era"].startswith("b")
    if not year or (is_bc and year < int(found["z"])):
        return None
    return Timex(interval=TimeInterval.year(1 - year if is_bc else year), granularity=Granularity.YEAR)


@_permissive("any month", rf"(?P<m>{MONTH})(?!\w)")
def _any_month(found: Found) -> Timex:
    return yearless(TimeInterval.month(2000, month_named(found["m"])), Granularity.MONTH, found.context)


_UNIT = r"(?:hour|hr|day|week|wk|fortnight|month|mth|mo|quarter|year|yr|decade)"
_PLURAL = rf"(?:{_UNIT}s|centuries)"
_NUMBER_GOES_ON = r"(?!\d|\.\d|,\d{3}(?!\d)|%|°)"


@_permissive(
    "any year", rf"(?<![$€£¥])(?<!\d\.)(?P<y>[12]\d{{3}}){_NUMBER_GOES_ON}(?! ?{_PLURAL}\b|-{_UNIT}\b)", at="y"
)
@_permissive(
    "any early year", rf"(?<![$€£¥])(?<!\d[.,])(?P<y>[1-9]\d\d){_NUMBER_GOES_ON}(?! ?-?(?:{_UNIT}|{_PLURAL})\b)", at="y"
)
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
