"""Time filters for Weaviate, as the filters of its client (version 4)."""

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any

from qtie.errors import require
from qtie.retrieval.filters.dialect import Dialect, compiled
from qtie.retrieval.filters.fields import Value
from qtie.retrieval.filters.time_filter import TimeFilter

if TYPE_CHECKING:
    from weaviate.collections.classes.filters import FilterReturn

__all__ = ["weaviate_filter"]


def weaviate_filter(time_filter: TimeFilter | None, *, own: "FilterReturn | None" = None) -> "FilterReturn | None":
    """The filter for `collection.query.….(filters=…)`, on INT and DATE properties.

    Weaviate asks for NULL only in collections made with `inverted_index_config=Configure.inverted_index(
    index_null_state=True)`.

    Args:
        time_filter: None leaves `own` as it is.
        own: a filter of the caller's, which must hold too.

    Raises:
        ConfigError: a field holds a range, which Weaviate has not.
        MissingExtraError: weaviate-client is not installed.
    """
    filter_: FilterReturn | None = compiled(time_filter, _Weaviate(), own=own)
    return filter_


class _Weaviate(Dialect[Any]):
    store = "Weaviate"
    stored_as = frozenset({"days", "seconds", "milliseconds", "date", "datetime"})

    def __init__(self) -> None:
        self.filter = require("weaviate.classes.query", extra="weaviate").Filter

    def below(self, field: str, value: Value) -> Any:
        return self.filter.by_property(field).less_than(_moment(value))

    def at_least(self, field: str, value: Value) -> Any:
        return self.filter.by_property(field).greater_or_equal(_moment(value))

    def is_true(self, field: str) -> Any:
        return self.filter.by_property(field).equal(True)

    def all_of(self, parts: list[Any]) -> Any:
        return self.filter.all_of(parts)

    def any_of(self, parts: list[Any]) -> Any:
        return self.filter.any_of(parts)

    def missing(self, field: str) -> Any:
        return self.filter.by_property(field).is_none(True)

    def present(self, field: str) -> Any:
        return self.filter.by_property(field).is_none(False)


def _moment(value: Value) -> int | datetime:
    """Weaviate's dates have a time of day."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time(), tzinfo=UTC)
    return value
