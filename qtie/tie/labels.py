"""Labels from SQL: what time a TDBench question asks for, read from the query that its answers were selected by.

Two labels of one statement, kept apart (METHODS.md §1): `month_pair` is the paper's ⟨t_start, t_end⟩, `day_pair` the
retrieval reading, where a pinned column gives both ends of its unit and a strict bound moves by one day. A column is
a row's start or end of validity. The data is for evaluation; the shipped model is not trained on it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from qtie.allen import AllenRelation
from qtie.errors import IntentParseError
from qtie.intent import Preference
from qtie.interval import TimeInterval, civil_date, day_number

__all__ = ["ColumnCondition", "SqlLabel", "label_from_sql", "sqlite_date", "unstated_years"]

Column = Literal["start", "end"]
Comparison = Literal["<", ">", "=", "between"]


@dataclass(frozen=True, slots=True)
class ColumnCondition:
    """What a statement asks of one column, in days: `first` and `last` are the same but for "between"."""

    column: Column
    comparison: Comparison
    first: int
    last: int

    @property
    def is_pinned(self) -> bool:
        """Whether the column must lie in known days, rather than on one side of a day."""
        return self.comparison in ("=", "between")

    @property
    def is_reversed(self) -> bool:
        """Whether it is "between" a later and an earlier day, so that no row satisfies it."""
        return self.first > self.last


@dataclass(frozen=True, slots=True)
class SqlLabel:
    """What a statement asks of a row's time."""

    conditions: tuple[ColumnCondition, ...]
    relation: AllenRelation | None
    """How the row stands to the bounds; None for a preference alone."""
    month_pair: tuple[str | None, str | None]
    """The paper's label, `YYYY-MM` or None."""
    day_pair: TimeInterval | None
    """The retrieval reading; None where nothing is asked, or what is asked contradicts itself."""
    preference: Preference | None = None
    is_contradictory: bool = False
    """Reversed bounds, or two conditions on one column."""

    @property
    def target(self) -> str:
        """start, end or, where both columns are asked about, any."""
        columns = {condition.column for condition in self.conditions}
        return columns.pop() if len(columns) == 1 else "any"


_DATE = r"'(\d{4}-\d\d-\d\d)(?: \d\d:\d\d:\d\d)?'"
_COLUMN = r"\b(?P<column>Start|End)\b"
_CONDITIONS = re.compile(
    rf"{_COLUMN}\s+between\s+{_DATE.replace('(', '(?P<a>', 1)}\s+and\s+{_DATE.replace('(', '(?P<b>', 1)}"
    rf"|date\({_COLUMN.replace('column', 'pinned')}\)\s*=\s*date\({_DATE.replace('(', '(?P<d>', 1)},"
    r"\s*'(?P<n>[+-]\d+) (?P<unit>day|month|year)s?'\)"
    rf"|{_COLUMN.replace('column', 'bound')}\s*(?P<sign>[<>])\s*{_DATE.replace('(', '(?P<c>', 1)}",
    re.IGNORECASE,
)
_LATEST = re.compile(rf"order by \w+ desc limit 1|{_DATE} between Start and End", re.IGNORECASE)


def label_from_sql(sql: str) -> SqlLabel:
    """The label of a TDBench statement.

    Raises:
        IntentParseError: it has conditions on Start and End of a shape that no relation has.

    Example:
        >>> label = label_from_sql("select Name from t where Role = 'CEO' and End < '2019-03-10 00:00:00'")
        >>> label.relation.value, label.target, label.month_pair, str(label.day_pair)
        ('before', 'end', (None, '2019-03'), '../2019-03-09')
    """
    latest = _LATEST.search(sql)
    conditions = tuple(_conditions(sql))
    if not conditions:
        return SqlLabel((), None, (None, None), None, preference="latest" if latest else None)
    columns = [condition.column for condition in conditions]
    contradictory = any(condition.is_reversed for condition in conditions) or len(set(columns)) < len(columns)
    worded = conditions[:1] if len(set(columns)) < len(columns) else conditions
    return SqlLabel(
        conditions,
        _relation(worded),
        _month_pair(worded),
        None if contradictory and any(condition.is_reversed for condition in worded) else _day_pair(worded),
        preference="latest" if latest else None,
        is_contradictory=contradictory,
    )


def _conditions(sql: str) -> Iterator[ColumnCondition]:
    for match in _CONDITIONS.finditer(sql):
        name = (match["column"] or match["pinned"] or match["bound"]).lower()
        column: Column = "start" if name == "start" else "end"
        if match["a"]:
            yield ColumnCondition(column, "between", _day(match["a"]), _day(match["b"]))
        elif match["d"]:
            day = sqlite_date(_day(match["d"]), int(match["n"]), match["unit"].lower())
            yield ColumnCondition(column, "=", day, day)
        else:
            sign: Comparison = "<" if match["sign"] == "<" else ">"
            yield ColumnCondition(column, sign, _day(match["c"]), _day(match["c"]))


def _day(text: str) -> int:
    year, month, day = map(int, text.split("-"))
    return day_number(year, month, day)


def sqlite_date(day: int, n: int, unit: str) -> int:
    """`day` moved by `n` days, months or years as SQLite does it: a day that the month lacks rolls forward.

    Example:
        >>> civil_date(sqlite_date(day_number(2011, 3, 31), -1, "month"))
        (2011, 3, 3)
    """
    if unit == "day":
        return day + n
    year, month, day_of_month = civil_date(day)
    year, month = divmod(12 * year + month - 1 + (12 * n if unit == "year" else n), 12)
    return day_number(year, month + 1) + day_of_month - 1


_RELATIONS: dict[tuple[str, str], AllenRelation] = {
    # comparison on start, comparison on end
    ("", "<"): AllenRelation.BEFORE,
    ("<", ""): AllenRelation.BEFORE,
    (">", ""): AllenRelation.AFTER,
    ("", "="): AllenRelation.MEETS,
    ("=", ""): AllenRelation.MET_BY,
    ("between", ""): AllenRelation.STARTED_BY,
    ("", "between"): AllenRelation.FINISHED_BY,
    ("between", "between"): AllenRelation.EQUALS,
    ("between", "<"): AllenRelation.STARTS,
    (">", "between"): AllenRelation.FINISHES,
    (">", "<"): AllenRelation.DURING,
    ("<", ">"): AllenRelation.CONTAINS,
    ("<", "between"): AllenRelation.OVERLAPS,
    ("between", ">"): AllenRelation.OVERLAPPED_BY,
}


def _relation(conditions: tuple[ColumnCondition, ...]) -> AllenRelation:
    by_column = {condition.column: condition.comparison for condition in conditions}
    shape = (by_column.get("start", ""), by_column.get("end", ""))
    if shape not in _RELATIONS:
        raise IntentParseError(f"no relation has these conditions on start and end: {shape}")
    return _RELATIONS[shape]


def _month_pair(conditions: tuple[ColumnCondition, ...]) -> tuple[str | None, str | None]:
    """The table of METHODS.md §1: start's first day or lower bound, end's last day or upper bound."""
    by_column = {condition.column: condition for condition in conditions}
    start, end = by_column.get("start"), by_column.get("end")
    if start and end:
        # overlaps and overlapped-by: D1..D2 is said by the pinned column
        low, high = (end, end) if _relation(conditions) is AllenRelation.OVERLAPS else (start, end)
        return _month(low.first), _month(high.last)
    only = conditions[0]
    if only.comparison in ("<", ">"):
        return (None, _month(only.first)) if only.comparison == "<" else (_month(only.first), None)
    return (_month(only.first), None) if only.column == "start" else (None, _month(only.last))


def _month(day: int) -> str:
    year, month, _ = civil_date(day)
    return f"{year:04}-{month:02}"


def _day_pair(conditions: tuple[ColumnCondition, ...]) -> TimeInterval | None:
    """Lowest start bound, highest end bound; "started before X and ended after Y" is X to Y."""
    if _relation(conditions) is AllenRelation.CONTAINS:
        low, high = (next(c.first for c in conditions if c.column == column) for column in ("start", "end"))
        if low <= high:
            return TimeInterval(low, high)
    starts = [c.first + (c.comparison == ">") for c in conditions if c.comparison != "<"]
    ends = [c.last - (c.comparison == "<") for c in conditions if c.comparison != ">"]
    start, end = min(starts, default=None), max(ends, default=None)
    return None if start is not None and end is not None and start > end else TimeInterval(start, end)


def unstated_years(sql: str, question: str) -> tuple[int, ...]:
    """The years of the statement's conditions on time that the question does not say, in order.

    Example:
        >>> unstated_years("select Name from t where Start > '1996-12-31 00:00:00'", "who led it since 1997?")
        (1996,)
    """
    conditions = "".join(match[0] for match in _CONDITIONS.finditer(sql))
    years = dict.fromkeys(re.findall(r"'(\d{4})-", conditions))
    return tuple(int(year) for year in years if year not in question)
