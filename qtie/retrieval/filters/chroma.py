"""Time filters for Chroma: a `where` document. Chroma has numbers and no NULL."""

from collections.abc import Mapping
from typing import Any

from qtie.errors import ConfigError
from qtie.retrieval.filters.dialect import Dialect, compiled, joined
from qtie.retrieval.filters.fields import TimeFields, Value
from qtie.retrieval.filters.time_filter import TimeFilter

__all__ = ["chroma_filter"]

Where = dict[str, Any]


def chroma_filter(time_filter: TimeFilter | None, *, own: Mapping[str, Any] | None = None) -> Where | None:
    """The `where` of `query` and `get`, on the numbers that `stored_times(…, nulls=False)` gives.

    Chroma cannot ask whether a key is absent. Open sides are stored as ±`OPEN`, and a document counts as undated unless
    its `known` field is true, which is why every target needs one.

    Args:
        time_filter: None leaves `own` as it is.
        own: a `where` of the caller's, which must hold too.

    Raises:
        ConfigError: a field that holds no integers, or a target without a `known` field.

    Example:
        >>> from qtie.interval import TimeInterval
        >>> from qtie.retrieval.filters.time_filter import TimeBounds, TimeClause
        >>> early = TimeBounds(fields=TimeFields(), interval=TimeInterval.parse("../1970-01-09"))
        >>> chroma_filter(TimeFilter(clauses=(TimeClause(alternatives=((early,),)),)))
        {'$or': [{'time_known': {'$ne': True}}, {'time_start': {'$lt': 9}}]}
    """
    return compiled(time_filter, _Chroma(), own=None if own is None else dict(own))


class _Chroma(Dialect[Where]):
    store = "Chroma"
    stored_as = frozenset({"days", "seconds", "milliseconds"})

    def below(self, field: str, value: Value) -> Where:
        return {field: {"$lt": value}}

    def at_least(self, field: str, value: Value) -> Where:
        return {field: {"$gte": value}}

    def is_true(self, field: str) -> Where:
        return {field: {"$eq": True}}

    def all_of(self, parts: list[Where]) -> Where:
        return {"$and": parts}

    def any_of(self, parts: list[Where]) -> Where:
        return {"$or": parts}

    def missing(self, field: str) -> Where:
        raise ConfigError(f"Chroma cannot ask whether {field!r} is there; name a boolean field in `known`")

    present = missing

    def shares_a_day(self, names: TimeFields, low: Value | None, high: Value | None) -> Where | None:
        sides = [] if low is None else [self.at_least(names.end, low)]
        sides += [] if high is None else [self.below(names.start, high)]
        within = joined(self.all_of, sides)
        if within is None:
            return None
        undated = self.missing(names.start) if names.known is None else {names.known: {"$ne": True}}
        return self.any_of([undated, within])
