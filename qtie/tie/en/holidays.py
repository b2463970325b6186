"""Holidays by name: fixed ones, and those that a rule or Easter sets."""

import re
from collections.abc import Callable
from dataclasses import replace

from qtie.interval import Granularity, TimeInterval, civil_date, day_number
from qtie.tie.cascade import Context, Found, Rule, rules
from qtie.tie.en.days import two_digit_year
from qtie.tie.en.lexicon import MONTH, MONTHS, WEEKDAY, WEEKDAYS
from qtie.tie.timex import Timex, easter, nth_weekday

__all__ = ["HOLIDAYS"]

HOLIDAYS: list[Rule] = []
_holiday = rules(HOLIDAYS)

_FIXED = {
    r"new year'?s eve": (12, 31),
    r"new year'?s(?: day)?": (1, 1),
    r"epiphany": (1, 6),
    r"groundhog day": (2, 2),
    r"(?:st\.? |saint )?valentine'?s(?: day)?": (2, 14),
    r"(?:st\.?|saint) patrick'?s day": (3, 17),
    r"april fool'?s'?(?: day)?": (4, 1),
    r"earth day": (4, 22),
    r"anzac day": (4, 25),
    r"may day": (5, 1),
    r"juneteenth": (6, 19),
    r"canada day": (7, 1),
    r"(?:us |american )?independence day|(?:the )?(?:4th|fourth) of july|july (?:4th|fourth)": (7, 4),
    r"bastille day": (7, 14),
    r"hallowe'?en": (10, 31),
    r"all saints'? day": (11, 1),
    r"guy fawkes (?:night|day)|bonfire night": (11, 5),
    r"veterans'? day|armistice day|remembrance day": (11, 11),
    r"christmas eve|xmas eve": (12, 24),
    r"christmas(?: day)?|xmas(?: day)?": (12, 25),
    r"boxing day": (12, 26),
}
_MOVABLE: dict[str, Callable[[int], int]] = {
    r"shrove tuesday|mardi gras": lambda year: easter(year) - 47,
    r"ash wednesday": lambda year: easter(year) - 46,
    r"palm sunday": lambda year: easter(year) - 7,
    r"good friday": lambda year: easter(year) - 2,
    r"easter monday": lambda year: easter(year) + 1,
    r"easter(?: sunday| day)?": easter,
    r"ascension day": lambda year: easter(year) + 39,
    r"pentecost|whit sunday": lambda year: easter(year) + 49,
    r"martin luther king(?: jr\.?)? day|mlk day": lambda year: nth_weekday(year, 1, 0, 3),
    r"presidents'? day": lambda year: nth_weekday(year, 2, 0, 3),
    r"mother'?s day": lambda year: nth_weekday(year, 5, 6, 2),
    r"memorial day": lambda year: nth_weekday(year, 5, 0, -1),
    r"father'?s day": lambda year: nth_weekday(year, 6, 6, 3),
    r"labou?r day": lambda year: nth_weekday(year, 9, 0, 1),
    r"columbus day": lambda year: nth_weekday(year, 10, 0, 2),
    r"thanksgiving(?: day)?": lambda year: nth_weekday(year, 11, 3, 4),
    r"black friday": lambda year: nth_weekday(year, 11, 3, 4) + 1,
    r"cyber monday": lambda year: nth_weekday(year, 11, 3, 4) + 4,
}
_Day = Callable[[int], int]


def _fixed(month: int, day: int) -> _Day:
    return lambda year: day_number(year, month, day)


_DAYS: dict[str, _Day] = {pattern: _fixed(*day) for pattern, day in _FIXED.items()} | _MOVABLE
_NAME = rf"(?P<name>{'|'.join(_DAYS)})"


def _in_year(day_of: Callable[[int], int], digits: str, context: Context) -> Timex:
    if digits:
        year = int(digits) if len(digits) == 4 else two_digit_year(digits[1:], context)
        return Timex(interval=TimeInterval(day_of(year), day_of(year)), granularity=Granularity.DAY)
    if context.reference is None:
        return Timex(interval=None, granularity=Granularity.DAY)
    year = civil_date(context.reference)[0]
    day = day_of(year) if day_of(year) <= context.reference else day_of(year - 1)
    return Timex(interval=TimeInterval(day, day), granularity=Granularity.DAY)


@_holiday("holiday", rf"(?P<last>(?:the )?last |this past )?{_NAME}(?:,| of| in)? ?(?P<y>[12]\d{{3}}|'\d\d)?(?!')")
@_holiday("holiday after its year", rf"(?P<y>[12]\d{{3}}) {_NAME}")
def _named_day(found: Found) -> Timex | None:
    if not found["y"] and _FIRST.search(found.skeleton.text[: found.match.start()]):
        return None
    alone = not found["y"] and found.match.start() == 0 and found.match.end() == len(found.skeleton.text)
    if found["last"] and not found["y"] and found.context.reference is not None:
        reference = found.context.reference - 1
        return _in_year(_day_named(found["name"]), "", replace(found.context, reference=reference))
    return None if alone else _in_year(_day_named(found["name"]), found["y"], found.context)


_NTH = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "3rd": 3, "4th": 4, "last": -1}


@_holiday(
    "nth weekday of a month",
    rf"(?:the )?(?P<n>{'|'.join(_NTH)}) (?P<w>{WEEKDAY})(?: in| of) (?P<m>{MONTH})(?:,| of|,? in)? ?(?P<y>[12]\d{{3}}|'\d\d)?(?!\d)",
)
def _nth_weekday(found: Found) -> Timex:
    month, weekday = MONTHS[found["m"].rstrip(".")], WEEKDAYS[found["w"].rstrip(".")]
    return _in_year(lambda year: nth_weekday(year, month, weekday, _NTH[found["n"]]), found["y"], found.context)


_FIRST = re.compile(r"(?<!\w)(?:first|1st|original|second|2nd)(?: ever)? $")
"""Before a holiday without a year: "the first Thanksgiving" is one of long ago."""


def _day_named(name: str) -> _Day:
    return next(day_of for pattern, day_of in _DAYS.items() if re.fullmatch(pattern, name))


@_holiday(
    "9/11",
    r"(?:the )?9/11(?! ?/)(?:/(?:2001|01))?|(?:the )?(?:11(?:th)?(?: of)?[ -]?(?:september|sept?\.?)|(?:september|sept?\.?)[ -]11(?:th)?)(?:,? 2001)? (?:terror(?:ist)? )?attacks?",
)
def _nine_eleven(found: Found) -> Timex:
    return Timex(interval=TimeInterval.day(2001, 9, 11), granularity=Granularity.DAY)
