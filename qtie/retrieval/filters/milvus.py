"""Time filters for Milvus: a boolean expression for `filter=`."""

import re

from qtie.errors import ConfigError
from qtie.retrieval.filters.dialect import Dialect, compiled
from qtie.retrieval.filters.fields import Value
from qtie.retrieval.filters.time_filter import TimeFilter

__all__ = ["milvus_filter"]

_FIELD = re.compile(r"[A-Za-z_]\w*(?:\[\"[^\"\\]+\"\])*", re.ASCII)


def milvus_filter(time_filter: TimeFilter | None, *, own: str | None = None) -> str | None:
    """The expression for `search(filter=…)` and `query(filter=…)`, on nullable int64 fields or keys of a JSON field.

    Args:
        time_filter: None leaves `own` as it is.
        own: an expression of the caller's, which must hold too.

    Raises:
        ConfigError: a field that holds no integers, or whose name is neither `name` nor `name["key"]`.

    Example:
        >>> from qtie.interval import TimeInterval
        >>> from qtie.retrieval.filters.fields import TimeFields
        >>> from qtie.retrieval.filters.time_filter import TimeBounds, TimeClause
        >>> early = TimeBounds(fields=TimeFields(), interval=TimeInterval.parse("../1970-01-09"))
        >>> milvus_filter(TimeFilter(clauses=(TimeClause(alternatives=((early,),)),)))
        '(time_start < 9 or time_start is null)'
    """
    return compiled(time_filter, _Milvus(), own=own and f"({own})")


class _Milvus(Dialect[str]):
    store = "Milvus"
    stored_as = frozenset({"days", "seconds", "milliseconds"})

    def below(self, field: str, value: Value) -> str:
        return f"{_checked(field)} < {value}"

    def at_least(self, field: str, value: Value) -> str:
        return f"{_checked(field)} >= {value}"

    def is_true(self, field: str) -> str:
        return f"{_checked(field)} == true"

    def all_of(self, parts: list[str]) -> str:
        return f"({' and '.join(parts)})"

    def any_of(self, parts: list[str]) -> str:
        return f"({' or '.join(parts)})"

    def missing(self, field: str) -> str:
        return f"{_checked(field)} is null"

    def present(self, field: str) -> str:
        return f"{_checked(field)} is not null"


def _checked(field: str) -> str:
    if not _FIELD.fullmatch(field):
        raise ConfigError(
            f'not the name of a Milvus field: {field!r}; expected such as time_start or meta["time_start"]'
        )
    return field
