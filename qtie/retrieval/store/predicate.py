"""The time of a query as a condition on the columns of a store, so that an index answers it, or arrays in memory."""

from abc import abstractmethod
from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.config import MissingPolicy
from qtie.intent import TemporalIntent
from qtie.retrieval.filters.dialect import Dialect, Part, compiled
from qtie.retrieval.filters.fields import TimeFields, Value
from qtie.retrieval.filters.lancedb import LanceDb
from qtie.retrieval.filters.time_filter import TimeFilter, time_filter
from qtie.retrieval.store.schema import FIELDS, WIDE_DAYS

__all__ = ["TIME_COLUMNS", "asked_filter", "passing", "predicate"]

Mask = NDArray[np.bool_]
TIME_COLUMNS = ("time_start", "time_wide_start", "time_wide_end", "time_known")
"""What `predicate` asks of, unless the query names a facet (born, died, published)."""


def asked_filter(
    intent: TemporalIntent, *, missing: MissingPolicy = "neutral", reference_date: date | None = None
) -> TimeFilter | None:
    """The intent's intervals, widened by one unit; None where it asks for nothing that the columns could answer."""
    keep_undated = missing != "drop"
    return time_filter(intent, fields=FIELDS, keep_undated=keep_undated, reference_date=reference_date)


def predicate(wanted: TimeFilter | None) -> str | None:
    """The filter as SQL; None for none.

    It lets all pass that `lancedb_filter` lets pass on the same columns, and some that end up to `WIDE_DAYS` before;
    documents without a facet that is asked by name (born, died, published) are left out.

    Example:
        >>> from qtie.interval import TimeInterval
        >>> from qtie.retrieval.filters.time_filter import TimeBounds, TimeClause
        >>> bounds = TimeBounds(fields=FIELDS["born"], interval=TimeInterval.parse("1970-01-09"))
        >>> predicate(TimeFilter(clauses=(TimeClause(alternatives=((bounds,),)),)))
        '((`born_start` >= -358 AND `born_start` < 9) OR (`born_wide_end` >= 8 AND `born_wide_start` < 9))'
    """
    return compiled(wanted, _Sql())


def passing(wanted: TimeFilter | None, columns: Mapping[str, NDArray[np.float64]]) -> Mask | None:
    """Which documents `predicate` lets pass, shape (n_docs,); None where it lets all, or asks for other columns.

    Args:
        wanted: the filter.
        columns: `TIME_COLUMNS` of the documents, each of shape (n_docs,); NaN for NULL.
    """
    try:
        return compiled(wanted, _Arrays(columns))
    except KeyError:
        return None


class _Columns(Dialect[Part]):
    """Two bounds on the start of short times, which cost little, and on both ends of the wide ones, which are few."""

    @abstractmethod
    def is_false(self, field: str) -> Part:
        """The boolean column is false."""

    def shares_a_day(self, names: TimeFields, low: Value | None, high: Value | None) -> Part | None:
        stem = names.start.removesuffix("start")
        short, wide = [], []
        if isinstance(low, int):
            short.append(self.at_least(names.start, low - WIDE_DAYS))
            wide.append(self.at_least(f"{stem}wide_end", low))
        if isinstance(high, int):
            short.append(self.below(names.start, high))
            wide.append(self.below(f"{stem}wide_start", high))
        if not short:
            return None
        alternatives = [sides[0] if len(sides) == 1 else self.all_of(sides) for sides in (short, wide)]
        unknown = [self.is_false("time_known")] if names == FIELDS["any"] else []
        return self.any_of([*alternatives, *unknown])


class _Sql(_Columns[str], LanceDb):
    def is_false(self, field: str) -> str:
        return f"`{field}` = false"


class _Arrays(_Columns[Mask]):
    """Conditions as masks; NaN meets none."""

    store = "memory"
    stored_as = frozenset({"days"})

    def __init__(self, columns: Mapping[str, NDArray[np.float64]]) -> None:
        self._columns = columns

    def below(self, field: str, value: Any) -> Mask:
        return np.asarray(self._columns[field] < value)

    def at_least(self, field: str, value: Any) -> Mask:
        return np.asarray(self._columns[field] >= value)

    def is_true(self, field: str) -> Mask:
        return np.equal(self._columns[field], 1)

    def is_false(self, field: str) -> Mask:
        return np.equal(self._columns[field], 0)

    def all_of(self, parts: list[Mask]) -> Mask:
        return np.asarray(np.logical_and.reduce(parts))

    def any_of(self, parts: list[Mask]) -> Mask:
        return np.asarray(np.logical_or.reduce(parts))

    def missing(self, field: str) -> Mask:
        return np.isnan(self._columns[field])

    def present(self, field: str) -> Mask:
        return ~self.missing(field)
