"""Time filters and time-aware scores in the query DSL that OpenSearch and Elasticsearch share."""

from collections.abc import Mapping
from typing import Any

from qtie.errors import ConfigError
from qtie.interval import TimeInterval
from qtie.retrieval.filters.decay import TimeDecay
from qtie.retrieval.filters.dialect import Dialect, compiled
from qtie.retrieval.filters.fields import TimeFields, Value
from qtie.retrieval.filters.time_filter import TimeFilter

__all__ = ["opensearch_filter", "opensearch_function_score"]

Query = dict[str, Any]


def opensearch_filter(time_filter: TimeFilter | None, *, own: Mapping[str, Any] | None = None) -> Query | None:
    """The query for a `bool` query's `filter`; documents without the fields are kept.

    Integers are compared with `integer` and `long` fields, dates with `date` fields, intervals with `date_range` fields
    (stored as `tstzrange` or `daterange`).

    Args:
        time_filter: None leaves `own` as it is.
        own: a query of the caller's, which must hold too.

    Example:
        >>> from qtie.interval import TimeInterval
        >>> from qtie.retrieval.filters.time_filter import TimeBounds, TimeClause
        >>> after = TimeBounds(fields=TimeFields.at("published"), interval=TimeInterval.parse("2019/.."))
        >>> opensearch_filter(TimeFilter(clauses=(TimeClause(alternatives=((after,),)),)))
        {'bool': {'should': [{'range': {'published': {'gte': '2019-01-01T00:00:00+00:00'}}},
                             {'bool': {'must_not': [{'exists': {'field': 'published'}}]}}],
                  'minimum_should_match': 1}}
    """
    return compiled(time_filter, _OpenSearch(), own=None if own is None else dict(own))


def opensearch_function_score(decays: tuple[TimeDecay, ...], query: Mapping[str, Any]) -> Query:
    r"""The query whose score is multiplied by the temporal score of each decay.

    .. math:: S = S_\text{sem} \prod \max(f,\; u \cdot 2^{-\Delta / \sigma})

    outside the asked interval, and S_sem · `inside` within. The store has no hyperbola; its exponential agrees with
    `temporal_scores` at a distance of 0 and, up to f/2, of σ.

    Args:
        decays: of `time_decays`.
        query: what gives S_sem.

    Raises:
        ConfigError: a field holds a range, which has no distance.
    """
    scored = dict(query)
    for decay in decays:
        if decay.fields.is_range:
            raise ConfigError(f"OpenSearch has no distance to a {decay.fields.stored_as}: {decay.fields.start!r}")
        functions = _functions(decay, _OpenSearch())
        scored = {
            "function_score": {"query": scored, "functions": functions, "score_mode": "max", "boost_mode": "multiply"}
        }
    return scored


def _functions(decay: TimeDecay, dialect: "_OpenSearch") -> list[Query]:
    """The functions of which the greatest is the temporal score."""
    dated = dialect.dated(decay.fields)
    functions: list[Query] = [
        {"weight": decay.floor},
        {"filter": {"bool": {"must_not": [dated]}}, "weight": decay.unknown},
    ]
    for interval, scale_days in decay.alternatives:
        functions += _one_alternative(decay, interval, scale_days, dialect)
    return functions


def _one_alternative(
    decay: TimeDecay, interval: TimeInterval, scale_days: float, dialect: "_OpenSearch"
) -> list[Query]:
    names = decay.fields
    low, first = names.least(interval.start), interval.start
    high = None if interval.end is None else names.most(interval.end + 1)
    inside = [dialect.dated(names)] + [part for part in [dialect.shares_a_day(names, low, high)] if part is not None]
    functions: list[Query] = [{"filter": {"bool": {"filter": inside}}, "weight": decay.inside}]
    sides = []
    if low is not None and first is not None:
        sides.append((names.end, dialect.below(names.end, low), low))
    if high is not None and (last := names.most(interval.end)) is not None:
        sides.append((names.start, dialect.at_least(names.start, high), last))
    for field, beyond, origin in sides:
        scale = scale_days * names.day_value if isinstance(origin, int) else f"{max(1, round(scale_days * 24))}h"
        shape = {"origin": _json(origin), "scale": scale, "decay": 0.5}
        functions.append({"filter": beyond, "weight": decay.unknown, "exp": {field: shape}})
    return functions


def _json(value: Value) -> int | str:
    return value if isinstance(value, int) else value.isoformat()


class _OpenSearch(Dialect[Query]):
    store = "OpenSearch"
    stored_as = frozenset({"days", "seconds", "milliseconds", "date", "datetime", "daterange", "tstzrange"})

    def below(self, field: str, value: Value) -> Query:
        return {"range": {field: {"lt": _json(value)}}}

    def at_least(self, field: str, value: Value) -> Query:
        return {"range": {field: {"gte": _json(value)}}}

    def is_true(self, field: str) -> Query:
        return {"term": {field: True}}

    def all_of(self, parts: list[Query]) -> Query:
        return {"bool": {"filter": parts}}

    def any_of(self, parts: list[Query]) -> Query:
        return {"bool": {"should": parts, "minimum_should_match": 1}}

    def missing(self, field: str) -> Query:
        return {"bool": {"must_not": [self.present(field)]}}

    def present(self, field: str) -> Query:
        return {"exists": {"field": field}}

    def overlaps(self, names: TimeFields, low: Value | None, high: Value | None) -> Query:
        bounds = {"gte": low and _json(low), "lt": high and _json(high), "relation": "intersects"}
        return {"range": {names.start: {key: value for key, value in bounds.items() if value is not None}}}
