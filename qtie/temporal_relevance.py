"""S_temp: how well the times of documents fit the time a query asks for, in one vectorised pass."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from qtie.allen import AllenRelation, Days, allen_relations, bounds
from qtie.config import MissingPolicy
from qtie.errors import ConfigError
from qtie.intent import Preference, TemporalConstraint, TemporalIntent, alternatives_of
from qtie.interval import Granularity, TimeInterval
from qtie.kernels import KERNELS, Grading, Kernel, Scores
from qtie.relation_kernel import related
from qtie.time_columns import FAR_DAYS, TimeColumns, Times

__all__ = [
    "AskedTimes",
    "ComparedTime",
    "asked_times",
    "compared_times",
    "outside_documents",
    "temporal_scores",
    "undated_documents",
]

_DEFAULT = Grading()
_COMPARED_IF_MISSING = ("any", "start", "end", "held")
"""The targets that the missing policy speaks of; a document that lacks another facet is always neutral."""
_SHOWN = {"start": "held", "end": "held"}
"""By column, the times that an explanation shows in the place of its points."""


def temporal_scores(
    intent: TemporalIntent,
    columns: TimeColumns,
    *,
    kernel: str = "graded",
    missing: MissingPolicy = "neutral",
    reference_date: date | None = None,
    grading: Grading = _DEFAULT,
    on_topic: NDArray[np.bool_] | None = None,
) -> Scores:
    r"""How well each document's time fits the intent: 1 where it does, falling with distance, never 0.

    .. math:: S_\text{temp} = \prod_\text{target} \left( \max_t c_t \max_i K(t, W_i) + (1 - \max_t c_t)\,u \right)

    Per target, W_i are the intent's alternatives (its constraints minus the negated ones), t the document's times,
    c their confidence times the constraint's, K the kernel and u = grading.unknown: doubt moves a score towards u.
    Different targets must all hold, so their scores multiply. In particular

    - a time wholly inside a negated interval scores the floor;
    - a document without a time scores u; the floor with `missing="penalize"`. One that lacks a named facet
      (born, published, …) scores u whatever the policy;
    - an Allen relation is a box that the start and end of the document's validity must lie in: `graded` by the share
      of days on which they may, and else by how far they are from it. An equality holds within the constraint's unit;
    - a preference orders what scores above u: s becomes u + (s − u)/(1 + age/σ). For `latest`, age is the days from the
      document's end to the upper bound, or else the reference date (or else the last day of the columns); an open end
      counts as the reference date. For `earliest`, the days from the lower bound, or else the first day of the columns,
      to its start. Where `on_topic` is given, age counts from the newest (the oldest) time of those documents that
      scores above u, so that others gain nothing by being newer. σ is grading.preference_days, or a quarter of the
      asked interval if that is shorter;
    - an interval wholly after the reference date is compared with focus time, validity and event only;
    - unresolved constraints change nothing, and an atemporal intent gives ones.

    Args:
        intent: what the query asks for.
        columns: the times of n_docs documents.
        kernel: a name in `KERNELS`.
        missing: what an undated document gets; "drop" and "estimate" score as "neutral" (the reranker does the rest).
        reference_date: the day of asking; by default the intent's.
        grading: u, the floor and the scales.
        on_topic: shape (n_docs,), the documents that a preference chooses from; by default all.

    Returns:
        Shape (n_docs,), in (0, 1].

    Raises:
        ConfigError: no such kernel or policy.

    Example:
        >>> from qtie.document import Document, DocumentTime
        >>> times = [DocumentTime(interval=TimeInterval.parse(text)) for text in ("2016-05", "2017", "1990")]
        >>> documents = [Document(doc_id=str(i), text="", times={"timestamp": (t,)}) for i, t in enumerate(times)]
        >>> year = TemporalConstraint(interval=TimeInterval.year(2016), granularity=Granularity.YEAR)
        >>> intent = TemporalIntent(query="won in 2016", constraints=(year,))
        >>> temporal_scores(intent, TimeColumns.from_documents(documents)).round(3)
        array([1.   , 0.17 , 0.019])
    """
    if kernel not in KERNELS:
        raise ConfigError(f"unknown kernel {kernel!r}; one of {', '.join(KERNELS)}")
    if missing not in get_args(MissingPolicy):
        raise ConfigError(f"unknown policy for missing times {missing!r}; one of {', '.join(get_args(MissingPolicy))}")
    scores: Scores | None = None
    for asked in asked_times(intent, reference_date):
        times = columns.times_for(asked.column)
        values = _preferred(_fit(asked, times, KERNELS[kernel], grading), asked, times, grading, on_topic)
        penalized = missing == "penalize" and asked.column in _COMPARED_IF_MISSING
        target_scores = _best(values, asked, times, grading.unknown, grading.floor if penalized else grading.unknown)
        scores = target_scores if scores is None else np.multiply(scores, target_scores, out=scores)
    return np.ones(columns.n_docs) if scores is None else scores


def outside_documents(
    intent: TemporalIntent,
    columns: TimeColumns,
    *,
    reference_date: date | None = None,
) -> NDArray[np.bool_]:
    """Which documents' known times all lie outside what is asked, on some target: what strict mode removes.

    Args:
        intent: what the query asks for.
        columns: the times of n_docs documents.
        reference_date: the day of asking; by default the intent's.

    Returns:
        Shape (n_docs,); never True for an undated document.
    """
    outside = np.zeros(columns.n_docs, dtype=np.bool_)
    for asked in asked_times(intent, reference_date):
        times = columns.times_for(asked.column)
        if len(times.doc):
            values = _fit(asked, times, KERNELS["graded"], _DEFAULT)
            outside[times.dated] |= np.maximum.reduceat(values, times.firsts) <= _DEFAULT.unknown
    return outside


def undated_documents(
    intent: TemporalIntent, columns: TimeColumns, *, reference_date: date | None = None
) -> NDArray[np.bool_]:
    """Which documents lack a time that the intent could be compared with: what `missing="drop"` removes.

    A named facet or a time after the reference date that a document does not speak of is no missing time.

    Returns:
        Shape (n_docs,).
    """
    undated = np.zeros(columns.n_docs, dtype=np.bool_)
    for asked in asked_times(intent, reference_date):
        if asked.column in _COMPARED_IF_MISSING:
            known = np.zeros(columns.n_docs, dtype=np.bool_)
            known[columns.times_for(asked.column).dated] = True
            undated |= ~known
    return undated


class ComparedTime(NamedTuple):
    """The time of a document that the intent was compared with, and how it stands to what was asked."""

    time: TimeInterval | None
    """None where the document has no such time."""
    relation: str
    """The Allen relation of the time to the nearest asked interval; "unknown" where either is missing."""


def compared_times(
    intent: TemporalIntent,
    columns: TimeColumns,
    documents: NDArray[np.intp],
    *,
    reference_date: date | None = None,
) -> list[ComparedTime]:
    """For each of the chosen `documents` (indices) the time that fits best, on the first target; for explanations."""
    asked = next(
        asked_times(intent, reference_date), AskedTimes(column="any", alternatives=((TimeInterval(), Granularity.DAY),))
    )
    times, shown = (columns.times_for(name) for name in (asked.column, _SHOWN.get(asked.column, asked.column)))
    rows = np.isin(times.doc, documents)
    times, shown = times.take(rows), shown.take(rows)
    best = np.full(columns.n_docs, -1)
    if len(times.doc):
        values = times.confidence * _fit(asked, times, KERNELS["graded"], _DEFAULT)
        backwards = np.arange(len(values))[::-1]
        best[times.doc[backwards]] = backwards  # the first time of each document, unless another fits more
        top = np.repeat(np.maximum.reduceat(values, times.firsts), np.diff(times.firsts, append=len(values)))
        winners = np.flatnonzero(values == top)[::-1]
        best[times.doc[winners]] = winners
    chosen = best[documents]
    intervals = [_interval(shown.start[i], shown.end[i]) if i >= 0 else None for i in chosen]
    known = chosen[chosen >= 0]
    wanted = list(intent.intervals) if intent.interval else []
    relations = iter(_nearest_relations(shown.start[known], shown.end[known], wanted))
    return [ComparedTime(time, "unknown" if time is None else next(relations)) for time in intervals]


def _interval(start: float, end: float) -> TimeInterval:
    return TimeInterval(None if start <= -FAR_DAYS else int(start), None if end >= FAR_DAYS else int(end))


def _nearest_relations(starts: Days, ends: Days, asked: list[TimeInterval]) -> list[str]:
    if not asked:
        return ["unknown"] * len(starts)
    names = [relation.value for relation in AllenRelation]
    distances = [np.maximum(bounds(w)[0] - ends, starts - bounds(w)[1]) for w in asked]
    relations = np.array([allen_relations(starts, ends, w) for w in asked])
    nearest = np.argmin(np.maximum(distances, 0.0), axis=0)
    return [names[relations[w, i]] for i, w in enumerate(nearest)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTimes:
    """What is asked of one column of times: any of the alternatives or related constraints, none of the excluded."""

    column: str
    alternatives: tuple[tuple[TimeInterval, Granularity], ...] = ()
    related: tuple[TemporalConstraint, ...] = ()
    excluded: tuple[TimeInterval, ...] = ()
    confidence: float = 1.0
    preference: Preference | None = None
    reference_day: int | None = None


def asked_times(intent: TemporalIntent, reference_date: date | None = None) -> Iterator[AskedTimes]:
    """What the intent asks of each column of times, all of which must hold; a preference alone asks of `any`."""
    today = TimeInterval.from_dates(reference_date or intent.reference_date, None).start
    groups = intent.by_target
    if not groups and intent.preference:
        until = TimeInterval(None, today if intent.preference == "latest" else None)
        every_day = ((until, Granularity.YEAR),)
        yield AskedTimes(column="any", alternatives=every_day, preference=intent.preference, reference_day=today)
    preferred = "any" if "any" in groups else next(iter(groups), "")
    for target, constraints in groups.items():
        related = tuple(c for c in constraints if c.relation != "intersects")
        plain = [_so_far(c, today) for c in constraints if c.relation == "intersects"]
        positive = [c for c in plain if not c.negated]
        alternatives = tuple((w, _unit(w, plain)) for w in alternatives_of(plain)) if positive or not related else ()
        yield AskedTimes(
            column=_column(target, alternatives, related, today),
            alternatives=alternatives,
            related=related,
            excluded=tuple(c.interval for c in plain if c.negated and c.interval is not None),
            confidence=max(c.confidence for c in constraints),
            preference=intent.preference if target == preferred else None,
            reference_day=today,
        )


def _so_far(c: TemporalConstraint, today: int | None) -> TemporalConstraint:
    """A constraint whose second reading is its part up to the reference date ("this year"), cut to that part."""
    if today is None or c.interval is None or not c.readings:
        return c
    past = c.interval.intersection(TimeInterval(None, today))
    return replace(c, interval=past) if past == c.readings[0] else c


def _unit(interval: TimeInterval, constraints: Sequence[TemporalConstraint]) -> Granularity:
    """The unit of the constraint that the alternative comes from: the coarsest of those that meet it."""
    met = [c.granularity for c in constraints if not c.negated and c.interval and c.interval.overlaps(interval)]
    return max(met or [c.granularity for c in constraints], key=lambda unit: unit.days)


def _column(
    target: str,
    alternatives: tuple[tuple[TimeInterval, Granularity], ...],
    related: tuple[TemporalConstraint, ...],
    today: int | None,
) -> str:
    if target != "any":
        return target
    if related:
        return "held"
    future = today is not None and all(w.start is not None and w.start > today for w, _ in alternatives)
    return "future" if future and alternatives else "any"


def _fit(asked: AskedTimes, times: Times, kernel: Kernel, grading: Grading) -> Scores:
    """How well each time fits, preference and confidence aside: shape (n_times,)."""
    scores: Scores | None = None
    for interval, unit in asked.alternatives:
        part = kernel(times, interval, scale_days=unit.days, grading=grading)
        scores = part if scores is None else np.maximum(scores, part, out=scores)
    for constraint in asked.related:
        part = related(times, constraint, grading=grading)
        scores = part if scores is None else np.maximum(scores, part, out=scores)
    if scores is None:  # everything is excluded
        scores = np.full(len(times.doc), grading.floor)
    for interval in asked.excluded:
        start, end = bounds(interval)
        scores[(times.start >= start) & (times.end <= end)] = grading.floor
    return scores


def _preferred(
    scores: Scores, asked: AskedTimes, times: Times, grading: Grading, on_topic: NDArray[np.bool_] | None
) -> Scores:
    """The scores with those above unknown lowered by age (`latest`) or by distance from the first day (`earliest`)."""
    if asked.preference is None:
        return scores
    lows, highs = zip(*(bounds(w) for w, _ in asked.alternatives), strict=True) if asked.alternatives else ((), ())
    low, high = min(lows, default=-np.inf), max(highs, default=np.inf)
    first, last = times.extent
    chosen = (scores > grading.unknown) & (False if on_topic is None else on_topic[times.doc])
    counted = bool(chosen.any())
    if asked.preference == "latest":
        today = float(last if asked.reference_day is None else asked.reference_day)
        ends = np.where(times.end >= FAR_DAYS, today, times.end)
        origin = high if high < np.inf else today
        age = (min(origin, ends[chosen].max()) if counted else origin) - ends
    else:
        origin = low if low > -np.inf else first
        age = times.start - (max(origin, times.start[chosen].min()) if counted else origin)
    scale = min(grading.preference_days, (high - low + 1) / 4)
    kept = scale / (scale + np.maximum(age, 0.0))
    return np.minimum(scores, grading.unknown) + np.maximum(scores - grading.unknown, 0.0) * kept


def _best(values: Scores, asked: AskedTimes, times: Times, unknown: float, missing: float) -> Scores:
    """From times to documents: the best time, blended towards unknown by its doubt; shape (n_docs,)."""
    certain = times.certain and asked.confidence == 1
    if times.single and certain:
        return values
    scores = np.full(times.n_docs, missing)
    if len(times.doc):
        if certain:
            best = np.maximum.reduceat(values, times.firsts)
        else:
            best = asked.confidence * np.maximum.reduceat(times.confidence * values, times.firsts)
            best += (1 - asked.confidence * times.trust) * unknown
        scores[times.dated] = best
    return scores
