"""Time filters for LanceDB: a condition for `where`, in the SQL that it hands to DataFusion."""

from datetime import datetime

from qtie.errors import ConfigError
from qtie.retrieval.filters.dialect import Dialect, compiled
from qtie.retrieval.filters.fields import Value
from qtie.retrieval.filters.time_filter import TimeFilter

__all__ = ["LanceDb", "lancedb_filter"]


def lancedb_filter(time_filter: TimeFilter | None, *, own: str | None = None) -> str | None:
    """The condition for `table.search(…).where(…)`, on int64, date32 and timestamp columns.

    LanceDB takes no parameters; all values written here are integers and dates. A dot leads into a struct.

    Args:
        time_filter: None leaves `own` as it is.
        own: a condition of the caller's, which must hold too.

    Raises:
        ConfigError: a field holds a range, or its name has a backtick.

    Example:
        >>> from qtie.interval import TimeInterval
        >>> from qtie.retrieval.filters.fields import TimeFields
        >>> from qtie.retrieval.filters.time_filter import TimeBounds, TimeClause
        >>> early = TimeBounds(fields=TimeFields(), interval=TimeInterval.parse("../1970-01-09"))
        >>> lancedb_filter(TimeFilter(clauses=(TimeClause(alternatives=((early,),)),)), own="lang = 'de'")
        "((lang = 'de') AND (`time_start` < 9 OR `time_start` IS NULL))"
    """
    return compiled(time_filter, LanceDb(), own=own and f"({own})")


class LanceDb(Dialect[str]):
    """Conditions as SQL."""

    store = "LanceDB"
    stored_as = frozenset({"days", "seconds", "milliseconds", "date", "datetime"})

    def below(self, field: str, value: Value) -> str:
        """The column is less than `value`."""
        return f"{_column(field)} < {_literal(value)}"

    def at_least(self, field: str, value: Value) -> str:
        """The column is `value` or more."""
        return f"{_column(field)} >= {_literal(value)}"

    def is_true(self, field: str) -> str:
        """The boolean column is true."""
        return f"{_column(field)} IS TRUE"

    def all_of(self, parts: list[str]) -> str:
        """The conditions, joined by AND."""
        return f"({' AND '.join(parts)})"

    def any_of(self, parts: list[str]) -> str:
        """The conditions, joined by OR."""
        return f"({' OR '.join(parts)})"

    def missing(self, field: str) -> str:
        """The column is NULL."""
        return f"{_column(field)} IS NULL"

    def present(self, field: str) -> str:
        """The column is not NULL."""
        return f"{_column(field)} IS NOT NULL"


def _column(name: str) -> str:
    if "`" in name:
        raise ConfigError(f"LanceDB cannot quote the field {name!r}: it has a backtick")
    return ".".join(f"`{part}`" for part in name.split("."))


def _literal(value: Value) -> str:
    if isinstance(value, datetime):
        return f"timestamp '{value.isoformat()}'"
    return str(value) if isinstance(value, int) else f"date '{value.isoformat()}'"
