"""The time of a query as a condition on the columns of a store, so that an index answers it."""

from datetime import date

from qtie.config import MissingPolicy
from qtie.intent import TemporalIntent
from qtie.retrieval.filters.dialect import compiled
from qtie.retrieval.filters.fields import TimeFields, Value
from qtie.retrieval.filters.lancedb import LanceDb
from qtie.retrieval.filters.time_filter import TimeFilter, time_filter
from qtie.retrieval.store.schema import FIELDS, WIDE_DAYS

__all__ = ["asked_filter", "predicate"]


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
    return compiled(wanted, _Columns())


class _Columns(LanceDb):
    """Two bounds on the start of short times, which cost little, and on both ends of the wide ones, which are few."""

    def shares_a_day(self, names: TimeFields, low: Value | None, high: Value | None) -> str | None:
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
        unknown = ["`time_known` = false"] if names == FIELDS["any"] else []
        return self.any_of([*alternatives, *unknown])
