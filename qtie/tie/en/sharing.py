"""Values said without a year, and the year beside them: "July and August 2013", "in 2019 but not in March"."""

import re
from dataclasses import replace

from qtie.errors import IntervalError
from qtie.interval import Granularity, civil_date
from qtie.tie.cascade import Found, Rule, Skeleton, rules
from qtie.tie.timex import Timex, in_year

__all__ = ["YEARED", "absolute_years", "share_year"]

YEARED: list[Rule] = []
"""Each joins a value without a year and the year beside it."""
_yeared = rules(YEARED)


@_yeared("value and its year", r"<a:V>(?: ?,| of| in|, in|-|/)? ?(?:the year )?<y:V>")
def _with_year(found: Found) -> Timex | None:
    a, year = found.timex("a"), found.timex("y")
    if a.template is None or year.interval is None or year.granularity is not Granularity.YEAR or year.template:
        return None
    first, last = absolute_years(year)
    if first != last:
        return None
    return in_year(a, first)


@_yeared("year and its value", r"<y:V>(?:'s)?,?[ -]?<a:V>(?!,? ?<V>)")
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
        if timex.template is None or not distinct or _is_in_range(skeleton.text, char):
            continue
        following = next((year for year in years[at + 1 :] if year is not None), None)
        if len(distinct) > 1 and (following is None or years[at + 1] is None):
            continue
        try:
            skeleton.nodes[char] = in_year(timex, next(iter(distinct)) if len(distinct) == 1 else years[at + 1] or 0)
        except IntervalError:
            skeleton.nodes[char] = replace(timex, interval=None, template=None)  # 29 February of another year


_TO_VALUE = r" ?(?:-|to|until|till|through|thru) ?(?:the )?[\ue000-\ue7ff]"
_FROM_VALUE = r"[\ue000-\ue7ff] ?(?:-|to|until|till|through|thru) ?(?:the )?"
_BETWEEN = r"between (?:the )?$"


def _is_in_range(text: str, char: str) -> bool:
    """Whether it is a bound of a range, whose bounds share their year in order: "November to February 2024"."""
    at = text.index(char)
    before, after = text[:at], text[at + 1 :]
    if re.search(rf"{_FROM_VALUE}$", before) or re.search(r"between (?:the )?[\ue000-\ue7ff] and (?:the )?$", before):
        return True
    return bool(re.match(_TO_VALUE, after) or (re.search(_BETWEEN, text[:at]) and re.match(r" and ", after)))


def absolute_years(timex: Timex) -> tuple[int, int]:
    """The first and the last year that a resolved value touches.

    Raises:
        IntervalError: it is open.
    """
    interval = timex.interval
    if interval is None or interval.start is None or interval.end is None:
        raise IntervalError("no bounded interval")
    return civil_date(interval.start)[0], civil_date(interval.end)[0]
