"""Time filters and time-aware scores for Qdrant, as the models of `qdrant-client`."""

from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any

from qtie.defaults import TEMPORAL_WEIGHT
from qtie.errors import ConfigError, require
from qtie.interval import TimeInterval
from qtie.retrieval.filters.decay import TimeDecay
from qtie.retrieval.filters.dialect import Dialect, compiled
from qtie.retrieval.filters.fields import TimeFields, Value
from qtie.retrieval.filters.time_filter import TimeFilter

if TYPE_CHECKING:
    from qdrant_client.models import Filter, FormulaQuery

__all__ = ["qdrant_filter", "qdrant_formula"]


def qdrant_filter(time_filter: TimeFilter | None, *, own: "Filter | None" = None) -> "Filter | None":
    """The filter for `query_points(query_filter=…)`: ranges of numbers or datetimes; null and absent keys are kept.

    Args:
        time_filter: None leaves `own` as it is.
        own: a filter of the caller's, which must hold too.

    Raises:
        ConfigError: a field holds a range, which Qdrant has not.
        MissingExtraError: qdrant-client is not installed.
    """
    dialect = _Qdrant()
    condition = compiled(time_filter, dialect, own=own)
    is_filter = condition is None or isinstance(condition, dialect.models.Filter)
    return condition if is_filter else dialect.models.Filter(must=[condition])


def qdrant_formula(decays: tuple[TimeDecay, ...], *, temporal_weight: float = TEMPORAL_WEIGHT) -> "FormulaQuery | None":
    r"""The query that scores `prefetch`ed points by topic and time, ordered as the product of experts orders them.

    .. math:: S = S_\text{sem} \prod S_\text{temp}^{w / (1 - w)}

    S_sem is the prefetched score, which must be positive. Several alternatives on one target need a server whose
    formulas know `max`; the server asks for a payload index on each field that a formula reads.

    Args:
        decays: of `time_decays`.
        temporal_weight: w, in [0, 1).

    Returns:
        None where there is no decay: the prefetched order stays.

    Raises:
        ConfigError: a weight out of range, or a field that holds a range.
        MissingExtraError: qdrant-client is not installed.
    """
    if not 0 <= temporal_weight < 1:
        raise ConfigError(f"temporal_weight must be from 0 to below 1, not {temporal_weight}")
    if not decays:
        return None
    dialect = _Qdrant()
    models, exponent = dialect.models, temporal_weight / (1 - temporal_weight)
    powers = [
        models.PowExpression(pow=models.PowParams(base=dialect.score(decay), exponent=exponent)) for decay in decays
    ]
    query: FormulaQuery = models.FormulaQuery(formula=models.MultExpression(mult=["$score", *powers]))
    return query


class _Qdrant(Dialect[Any]):
    store = "Qdrant"
    stored_as = frozenset({"days", "seconds", "milliseconds", "date", "datetime"})

    def __init__(self) -> None:
        self.models = require("qdrant_client", extra="qdrant").models

    def _range(self, field: str, value: Value, side: str) -> Any:
        kind = self.models.Range if isinstance(value, int) else self.models.DatetimeRange
        return self.models.FieldCondition(key=field, range=kind(**{side: value}))

    def below(self, field: str, value: Value) -> Any:
        return self._range(field, value, "lt")

    def at_least(self, field: str, value: Value) -> Any:
        return self._range(field, value, "gte")

    def is_true(self, field: str) -> Any:
        return self.models.FieldCondition(key=field, match=self.models.MatchValue(value=True))

    def all_of(self, parts: list[Any]) -> Any:
        return self.models.Filter(must=parts)

    def any_of(self, parts: list[Any]) -> Any:
        return self.models.Filter(should=parts)

    def missing(self, field: str) -> Any:
        return self.models.IsEmptyCondition(is_empty=self.models.PayloadField(key=field))

    def present(self, field: str) -> Any:
        return self.models.Filter(must_not=[self.missing(field)])

    def score(self, decay: TimeDecay) -> Any:
        """The decay as an expression: what a dated document scores, or else `unknown`."""
        models, dated = self.models, self.dated(decay.fields)
        fits = [self._fit(decay, *alternative) for alternative in decay.alternatives]
        best = fits[0] if len(fits) == 1 else models.MaxExpression(max=fits)
        undated = models.MultExpression(mult=[decay.unknown, models.Filter(must_not=[dated])])
        return models.SumExpression(sum=[models.MultExpression(mult=[dated, best]), undated])

    def _fit(self, decay: TimeDecay, interval: TimeInterval, scale_days: float) -> Any:
        """What a dated document scores for one alternative."""
        models, names = self.models, decay.fields
        low, high = names.least(interval.start), names.most(None if interval.end is None else interval.end + 1)
        bonus = models.MultExpression(mult=[decay.inside - decay.unknown, self.shares_a_day(names, low, high) or 1.0])
        farness = models.SumExpression(sum=[scale_days, *self._gaps(names, interval)])
        nearness = models.DivExpression(div=models.DivParams(left=scale_days, right=farness))
        part = models.MultExpression(mult=[decay.unknown - decay.floor, nearness])
        return models.SumExpression(sum=[bonus, decay.floor, part])

    def _gaps(self, names: TimeFields, interval: TimeInterval) -> list[Any]:
        """Days before and after the interval; a product whose first factor is 0 reads no further, nor absent fields."""
        gaps = []
        if interval.start is not None and (first := names.least(interval.start)) is not None:
            gaps.append([self.below(names.end, first), self._days(names, names.end, first, sign=-1)])
        after = None if interval.end is None else names.most(interval.end + 1)
        if after is not None and (last := names.most(interval.end)) is not None:
            gaps.append([self.at_least(names.start, after), self._days(names, names.start, last, sign=1)])
        return [self.models.MultExpression(mult=gap) for gap in gaps]

    def _days(self, names: TimeFields, field: str, origin: Value, *, sign: int) -> Any:
        """sign · (field − origin), in days."""
        models = self.models
        if isinstance(origin, int):
            value, start, per_day = field, float(origin), names.day_value
        else:
            origin = origin if isinstance(origin, datetime) else datetime.combine(origin, time(), tzinfo=UTC)
            value, start, per_day = models.DatetimeKeyExpression(datetime_key=field), origin.timestamp(), 86_400
        difference = models.SumExpression(sum=[value, -start])
        return models.MultExpression(mult=[sign / per_day, difference])
