"""The date in a note's file name: `2019-03-05-minutes.md`, `Minutes 2019-03.txt`, `review_2019.md`."""

import re

from qtie.errors import IntervalError
from qtie.interval import TimeInterval

__all__ = ["FILE_DATE", "file_date"]

FILE_DATE = "file_date"
"""The key under which a folder's notes carry it, the last of the usual time keys."""
_DAY_OR_MONTH = r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?"
_YEAR = r"(?:19|20)\d\d"
_EDGE = r"^{date}(?![\w.]|-\d)|^{date}(?=_[^\W\d])|(?<![\w.])(?<!\d-){date}$|(?<=[^\W\d]_){date}$"
_EXACT, _YEARS = (re.compile(_EDGE.replace("{date}", date)) for date in (_DAY_OR_MONTH, _YEAR))


def file_date(stem: str) -> str | None:
    """The ISO day, month or year with which a file's name begins or ends; None where there is none, or two.

    A year is one only where the name read as words says so: "room 2004" has none.

    Args:
        stem: the name without its last suffix.

    Example:
        >>> [file_date(stem) for stem in ("2019-03-minutes", "Report 2019-03-05", "review_2019", "room-2004")]
        ['2019-03', '2019-03-05', '2019', None]
    """
    exact = {match[0] for match in _EXACT.finditer(stem)}
    if exact:
        return exact.pop() if len(exact) == 1 and all(map(_is_date, exact)) else None
    years = {match[0] for match in _YEARS.finditer(stem)}
    if len(years) != 1:
        return None
    from qtie.tie.values import find_timexes  # its rules take a while to compile, and few names need them

    found = [str(timex.interval) for _, _, timex in find_timexes(re.sub(r"[-_]+", " ", stem))]
    (year,) = years
    return year if found == [f"{year}-01-01/{year}-12-31"] else None


def _is_date(text: str) -> bool:
    try:
        return bool(TimeInterval.parse(text))
    except IntervalError:
        return False
