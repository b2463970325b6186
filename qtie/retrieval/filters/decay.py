"""The temporal score in a form that stores can compute: one factor for each target, from two stored days."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.kernels import Grading
from qtie.retrieval.filters.fields import DEFAULT_FIELDS, TimeFields
from qtie.retrieval.filters.time_filter import fields_for
from qtie.temporal_relevance import asked_times

__all__ = ["TimeDecay", "time_decays"]

_DEFAULT = Grading()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeDecay:
    r"""What a document's time scores: `inside` where it shares a day with an alternative, and less the farther off.

    .. math:: S = \max_i\; f + (u - f) \frac{\sigma_i}{\sigma_i + \Delta_i} + [\Delta_i = 0] (s - u)

    with s = inside, u = unknown, f = floor, and Δ the days between the document's time and the alternative.
    """

    fields: TimeFields
    alternatives: tuple[tuple[TimeInterval, float], ...]
    """Each interval (days, both ends included) and its σ in days."""
    inside: float
    unknown: float
    """What an undated document scores."""
    floor: float


def time_decays(
    intent: TemporalIntent,
    *,
    fields: Mapping[str, TimeFields] = DEFAULT_FIELDS,
    grading: Grading = _DEFAULT,
    reference_date: date | None = None,
) -> tuple[TimeDecay, ...]:
    """The temporal score as factors that a store multiplies; none where the intent asks for nothing it could score.

    They equal `temporal_scores` for days and for lasting times; a coarse date that may lie inside counts as inside.
    Left to the reranker are preferences, Allen relations, targets without fields, and the floor of what is excluded.

    Args:
        intent: what the query asks for.
        fields: by target, as for `time_filter`.
        grading: u, f and the scale.
        reference_date: the day of asking; by default the intent's.

    Example:
        >>> from qtie.intent import TemporalConstraint
        >>> intent = TemporalIntent(query="1999", constraints=(TemporalConstraint(interval=TimeInterval.year(1999)),))
        >>> [(str(interval), days) for interval, days in time_decays(intent)[0].alternatives]
        [('1999-01-01/1999-12-31', 1.0)]
    """
    decays = []
    for asked in asked_times(intent, reference_date) if intent.by_target else ():
        names = fields_for(asked.column, fields)
        if names is not None and asked.alternatives and not asked.related:
            scaled = [(interval, unit.days * grading.scale_units) for interval, unit in asked.alternatives]
            doubt = (1 - asked.confidence) * grading.unknown
            decay = TimeDecay(
                fields=names,
                alternatives=tuple(scaled),
                inside=asked.confidence + doubt,
                unknown=grading.unknown,
                floor=asked.confidence * grading.floor + doubt,
            )
            decays.append(decay)
    return tuple(decays)
