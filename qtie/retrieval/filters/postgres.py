"""Time filters for PostgreSQL, pgvector included: a condition for WHERE, with its values as bound parameters."""

from typing import NamedTuple

from qtie.retrieval.filters.dialect import Dialect, compiled
from qtie.retrieval.filters.fields import TimeFields, Value
from qtie.retrieval.filters.time_filter import TimeFilter

__all__ = ["SqlCondition", "postgres_filter"]


class SqlCondition(NamedTuple):
    """A condition with `%s` where psycopg puts each parameter, in order; other `%` are doubled."""

    sql: str
    params: tuple[Value | None, ...] = ()


def postgres_filter(time_filter: TimeFilter | None, *, own: SqlCondition | None = None) -> SqlCondition | None:
    """The condition for `WHERE`, on integer, `date` and `timestamptz` columns in pairs, or on one range column.

    A range column (`TimeFields.at("valid", stored_as="tstzrange")`) is asked by `&&`, which its GiST index answers.

    Args:
        time_filter: None leaves `own` as it is.
        own: a condition of the caller's, which must hold too.

    Example:
        >>> from qtie.interval import TimeInterval
        >>> from qtie.retrieval.filters.time_filter import TimeBounds, TimeClause
        >>> since = TimeBounds(fields=TimeFields.at("d.published", stored_as="date"), interval=TimeInterval(0, None))
        >>> condition = postgres_filter(TimeFilter(clauses=(TimeClause(alternatives=((since,),)),)))
        >>> print(condition.sql, condition.params)
        ("d"."published" >= %s OR "d"."published" IS NULL) (datetime.date(1970, 1, 1),)
    """
    return compiled(time_filter, _Postgres(), own=own and SqlCondition(f"({own.sql})", own.params))


class _Postgres(Dialect[SqlCondition]):
    store = "PostgreSQL"
    stored_as = frozenset({"days", "seconds", "milliseconds", "date", "datetime", "daterange", "tstzrange"})

    def below(self, field: str, value: Value) -> SqlCondition:
        return SqlCondition(f"{_column(field)} < %s", (value,))

    def at_least(self, field: str, value: Value) -> SqlCondition:
        return SqlCondition(f"{_column(field)} >= %s", (value,))

    def is_true(self, field: str) -> SqlCondition:
        return SqlCondition(f"{_column(field)} IS TRUE")

    def all_of(self, parts: list[SqlCondition]) -> SqlCondition:
        return _joined(" AND ", parts)

    def any_of(self, parts: list[SqlCondition]) -> SqlCondition:
        return _joined(" OR ", parts)

    def missing(self, field: str) -> SqlCondition:
        return SqlCondition(f"{_column(field)} IS NULL")

    def present(self, field: str) -> SqlCondition:
        return SqlCondition(f"{_column(field)} IS NOT NULL")

    def overlaps(self, names: TimeFields, low: Value | None, high: Value | None) -> SqlCondition:
        kind = "date" if names.stored_as == "daterange" else "timestamptz"
        bounds = f"{names.stored_as}(%s::{kind}, %s::{kind}, '[)')"
        return SqlCondition(f"{_column(names.start)} && {bounds}", (low, high))


def _joined(operator: str, parts: list[SqlCondition]) -> SqlCondition:
    params = tuple(value for part in parts for value in part.params)
    return SqlCondition(f"({operator.join(part.sql for part in parts)})", params)


def _column(name: str) -> str:
    """The quoted name; a dot stands between table and column."""
    return ".".join('"' + part.replace('"', '""').replace("%", "%%") + '"' for part in name.split("."))
