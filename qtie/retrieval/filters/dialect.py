"""From a time filter to a store's own: what a store's language needs to say, and the fold that says it."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Generic, TypeVar

from qtie.errors import ConfigError
from qtie.retrieval.filters.fields import StoredAs, TimeFields, Value
from qtie.retrieval.filters.time_filter import TimeBounds, TimeClause, TimeFilter

__all__ = ["Dialect", "compiled", "joined"]

Part = TypeVar("Part")


class Dialect(ABC, Generic[Part]):
    """A store's language: conditions on fields, and how they join. `Part` is a condition in it.

    A comparison never matches a document that lacks the field.
    """

    store: ClassVar[str]
    """The store's name in messages."""
    stored_as: ClassVar[frozenset[StoredAs]]
    """What it can compare."""

    @abstractmethod
    def below(self, field: str, value: Value) -> Part:
        """The field is less than `value`."""

    @abstractmethod
    def at_least(self, field: str, value: Value) -> Part:
        """The field is `value` or more."""

    @abstractmethod
    def is_true(self, field: str) -> Part:
        """The boolean field is true."""

    @abstractmethod
    def all_of(self, parts: list[Part]) -> Part:
        """All of two or more conditions hold."""

    @abstractmethod
    def any_of(self, parts: list[Part]) -> Part:
        """Any of two or more conditions holds."""

    @abstractmethod
    def missing(self, field: str) -> Part:
        """The field is NULL or absent."""

    @abstractmethod
    def present(self, field: str) -> Part:
        """The field has a value."""

    def shares_a_day(self, names: TimeFields, low: Value | None, high: Value | None) -> Part | None:
        """The document's time reaches `low` and begins before `high` (None: open), or may; None: any time does."""
        if names.is_range:
            parts = [] if low is None and high is None else [self.overlaps(names, low, high), self.missing(names.start)]
            return joined(self.any_of, parts)
        sides = [] if low is None else [self.any_of([self.at_least(names.end, low), self.missing(names.end)])]
        sides += [] if high is None else [self.any_of([self.below(names.start, high), self.missing(names.start)])]
        return joined(self.all_of, sides)

    def overlaps(self, names: TimeFields, low: Value | None, high: Value | None) -> Part:
        """The range field shares a day with the days from `low` to before `high`, which are not both None."""
        raise ConfigError(f"{self.store} cannot compare ranges: store both ends in fields of their own")

    def dated(self, names: TimeFields) -> Part:
        """The document has a time."""
        if names.known is not None:
            return self.is_true(names.known)
        present = [self.present(field) for field in dict.fromkeys((names.start, names.end))]
        return present[0] if len(present) == 1 else self.any_of(present)


def compiled(time_filter: TimeFilter | None, dialect: Dialect[Part], *, own: Part | None = None) -> Part | None:
    """The filter in the store's language, and the caller's `own`, which it only tightens; None: no condition.

    Raises:
        ConfigError: the store cannot compare what a field holds.
    """
    parts = [] if own is None else [own]
    for clause in () if time_filter is None else time_filter.clauses:
        parts += _clause(clause, dialect)
    return joined(dialect.all_of, parts)


def joined(join: Callable[[list[Part]], Part], parts: list[Part]) -> Part | None:
    """The conditions as one, or None where there are none."""
    return join(parts) if len(parts) > 1 else parts[0] if parts else None


def _clause(clause: TimeClause, dialect: Dialect[Part]) -> list[Part]:
    parts = [] if clause.dated is None else [dialect.dated(_comparable(clause.dated, dialect))]
    alternatives: list[Part] = []
    for alternative in clause.alternatives:
        sides = [part for bounds in alternative if (part := _side(bounds, dialect)) is not None]
        if not sides:  # no time that can be stored lies outside
            return parts
        alternatives += [part for part in [joined(dialect.all_of, sides)] if part is not None]
    wanted = joined(dialect.any_of, alternatives)
    return parts if wanted is None else [*parts, wanted]


def _side(bounds: TimeBounds, dialect: Dialect[Part]) -> Part | None:
    names, interval = _comparable(bounds.fields, dialect), bounds.interval
    next_day = None if interval.end is None else interval.end + 1
    return dialect.shares_a_day(names, names.least(interval.start), names.most(next_day))


def _comparable(names: TimeFields, dialect: Dialect[Part]) -> TimeFields:
    if names.stored_as not in dialect.stored_as:
        choices = ", ".join(sorted(dialect.stored_as))
        raise ConfigError(
            f"{dialect.store} cannot compare {names.start!r} stored as {names.stored_as}; one of {choices}"
        )
    return names
