"""Kernels: how well a time fits an asked interval, in (0, 1]; the published ones by name, and the default `graded`.

All take a batch of times and one interval. METHODS.md numbers follow Q-TIE (arXiv 2609.23880), whose own
equation is not public.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qtie import defaults
from qtie.allen import Days, bounds
from qtie.errors import ConfigError
from qtie.interval import Granularity, TimeInterval
from qtie.time_columns import Times

__all__ = [
    "KERNELS",
    "Grading",
    "Kernel",
    "Scores",
    "anchored",
    "berberich",
    "gap",
    "gaussian_kl",
    "grade",
    "graded",
    "overlap",
    "share_and_distance",
]

Scores = NDArray[np.float64]

_MONTH = Granularity.MONTH.days
_LEAST = 1e-6
"""What the kernels that may be 0 return instead, so that their logarithm exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grading:
    """The shape of the temporal score outside the asked interval.

    Raises:
        ConfigError: not 0 < floor ≤ unknown < 1, or a scale that is not positive.
    """

    unknown: float = defaults.UNKNOWN_SCORE
    """Score of an undated document, and the limit of a dated one as it nears the interval from outside."""
    floor: float = defaults.FLOOR_SCORE
    """Score that no distance falls below."""
    scale_units: float = defaults.SCALE_UNITS
    """Distance, in units of the constraint's granularity, at which half of unknown − floor is lost."""
    preference_days: float = defaults.PREFERENCE_DAYS
    """Age at which `latest` or `earliest` has lost half of 1 − unknown; at most a quarter of the asked interval."""

    def __post_init__(self) -> None:
        if not 0 < self.floor <= self.unknown < 1:
            raise ConfigError(f"expected 0 < floor <= unknown < 1, got floor {self.floor}, unknown {self.unknown}")
        if not (self.scale_units > 0 and self.preference_days > 0):
            raise ConfigError("scale_units and preference_days must be positive")


_DEFAULT = Grading()


class Kernel(Protocol):
    """How well each of `times` fits `interval`."""

    def __call__(
        self, times: Times, interval: TimeInterval, *, scale_days: float = ..., grading: Grading = ...
    ) -> Scores:
        """Shape (n_times,), in (0, 1]; `scale_days` is the length of the unit that the interval was given in."""
        ...


def graded(
    times: Times,
    interval: TimeInterval,
    *,
    scale_days: float = Granularity.YEAR.days,
    grading: Grading = _DEFAULT,
) -> Scores:
    r"""1 inside, falling with distance outside, between the two for a coarse date that may lie inside.

    .. math:: S = 1 - (1 - u)(1 - p) - (u - f)\frac{\Delta}{\Delta + \sigma}

    p is the share of the time's days that lie inside (1 for a lasting time that shares a day), Δ the expected
    distance of one that lies wholly outside (of a coarse date, from its middle day), σ = scale_days · scale_units,
    u = grading.unknown, f = grading.floor. So whatever may lie inside scores above u, whatever cannot lies in (f, u).

    Args:
        times: n_times of them.
        interval: the days asked for.
        scale_days: the length of the unit that the interval was given in.
        grading: u, f and the scale.

    Returns:
        Shape (n_times,), in [f, 1].

    Example:
        >>> times = Times.from_intervals(map(TimeInterval.parse, ["2019-03-09", "2019", "2019-04-30", "1990"]))
        >>> graded(times, TimeInterval.month(2019, 3), scale_days=30.436875).round(3)
        array([1.   , 0.314, 0.131, 0.011])
    """
    share, distance = share_and_distance(times, bounds(interval))
    return grade(share, distance, scale_days=scale_days, grading=grading)


def share_and_distance(times: Times, asked: tuple[float, float]) -> tuple[Scores, Days]:
    """p and Δ of `graded`: each time's share inside the asked days, and its distance in days where it has none.

    Args:
        times: n_times of them.
        asked: first and last day, -inf and inf where open.

    Returns:
        Two fresh arrays of shape (n_times,): the share in [0, 1], the distance from 0 up.
    """
    shared = np.minimum(times.end, asked[1])
    shared -= np.maximum(times.start, asked[0])
    shared += 1.0  # days in both; 0 where they adjoin, negative farther off
    distance = np.subtract(1.0, shared)
    np.maximum(distance, 0.0, out=distance)
    if times.n_days is not None:
        distance += times.half_length * (shared <= 0)
        shared /= times.n_days
    return np.clip(shared, 0.0, 1.0, out=shared), distance


def grade(share: Scores, distance: Days, *, scale_days: float, grading: Grading = _DEFAULT) -> Scores:
    """The equation of `graded`; both arrays are used up."""
    distance /= np.add(distance, scale_days * grading.scale_units)
    distance *= grading.unknown - grading.floor
    share -= 1.0
    share *= 1.0 - grading.unknown
    share -= distance
    share += 1.0
    return share


def gap(times: Times, interval: TimeInterval, *, scale_days: float = 0.0, grading: Grading = _DEFAULT) -> Scores:
    r"""Hyperbolic decay with the months between time and interval; 1 where they share a day.

    .. math:: S = 1 / (1 + \Delta / 12)

    One reading of Q-TIE's temporal score (arXiv 2609.23880). `scale_days` and `grading` play no part.

    Returns:
        Shape (n_times,), in (0, 1].

    Example:
        >>> times = Times.from_intervals([TimeInterval.year(2020), TimeInterval.year(2022)])
        >>> gap(times, TimeInterval.year(2020)).round(2)
        array([1. , 0.5])
    """
    start, end = bounds(interval)
    return _hyperbolic(np.maximum(start - times.end, times.start - end))


def anchored(times: Times, interval: TimeInterval, *, scale_days: float = 0.0, grading: Grading = _DEFAULT) -> Scores:
    r"""As `gap`, but inside an interval open on one side the score also falls with distance from the finite bound.

    .. math:: S = 1 / (1 + \Delta / 12)

    Δ in months is the gap outside, and inside ../e it is e − b (inside s/.. it is a − s) for a time a/b. The
    reading that gives Q-TIE's published example (0.1017 = 12/118 for a valid document 106 months before the end).

    Returns:
        Shape (n_times,), in (0, 1].

    Example:
        >>> anchored(Times.from_intervals([TimeInterval.day(2012, 3, 1)]), TimeInterval.parse("../2020-12")).round(4)
        array([0.1017])
    """
    start, end = bounds(interval)
    distance = np.maximum(start - times.end, times.start - end)
    if interval.start is None and interval.end is not None:
        distance = np.maximum(distance, end - times.end)
    elif interval.end is None and interval.start is not None:
        distance = np.maximum(distance, times.start - start)
    return _hyperbolic(distance)


def _hyperbolic(distance: Days) -> Scores:
    return 1.0 / (1.0 + np.clip(distance, 0.0, 1e15) / (12 * _MONTH))


def overlap(times: Times, interval: TimeInterval, *, scale_days: float = 0.0, grading: Grading = _DEFAULT) -> Scores:
    r"""Jaccard overlap of the days; open sides are clipped to the days that the batch and the interval name.

    .. math:: S = |W \cap D| / |W \cup D|

    Returns:
        Shape (n_times,), in (0, 1]: 1e-6 in place of 0.

    Example:
        >>> overlap(Times.from_intervals([TimeInterval.year(2019)]), TimeInterval.years(2018, 2019)).round(2)
        array([0.5])
    """
    starts, ends, start, end = _clipped(times, interval)
    shared = np.maximum(np.minimum(ends, end) - np.maximum(starts, start) + 1, 0)
    scores: Scores = np.maximum(shared / ((ends - starts + 1) + (end - start + 1) - shared), _LEAST)
    return scores


def berberich(times: Times, interval: TimeInterval, *, scale_days: float = 0.0, grading: Grading = _DEFAULT) -> Scores:
    r"""The likelihood that the time of a document generates the asked one, in days; open sides are clipped.

    .. math:: S = |W \cap D| / (|W| \cdot |D|)

    Berberich et al. (2010), "A language modeling approach for temporal information needs". A perfect fit scores
    1/length, which may be less than an undated document gets: for corpora in which every document is dated.

    Returns:
        Shape (n_times,), in (0, 1]: 1e-6 in place of anything below.

    Example:
        >>> berberich(Times.from_intervals([TimeInterval(0, 9)]), TimeInterval(5, 14))
        array([0.05])
    """
    starts, ends, start, end = _clipped(times, interval)
    shared = np.maximum(np.minimum(ends, end) - np.maximum(starts, start) + 1, 0)
    scores: Scores = np.maximum(shared / ((ends - starts + 1) * (end - start + 1)), _LEAST)
    return scores


def gaussian_kl(
    times: Times, interval: TimeInterval, *, scale_days: float = 0.0, grading: Grading = _DEFAULT
) -> Scores:
    r"""Intervals as normal distributions of the same mean and variance, compared by divergence; open sides are clipped.

    .. math:: S = 1 / (1 + \mathrm{KL}(W \| D)), \quad \mu = (a + b + 1) / 2, \quad \sigma^2 = (b - a + 1)^2 / 12

    TEMPS (2026).

    Returns:
        Shape (n_times,), in (0, 1].

    Example:
        >>> times = Times.from_intervals([TimeInterval.year(2019), TimeInterval.year(2018)])
        >>> gaussian_kl(times, TimeInterval.year(2019)).round(3)
        array([1.   , 0.143])
    """
    starts, ends, start, end = _clipped(times, interval)
    variance, asked_variance = (ends - starts + 1) ** 2 / 12, (end - start + 1) ** 2 / 12
    shift = (starts + ends - start - end) / 2
    divergence = (np.log(variance / asked_variance) + (asked_variance + shift**2) / variance - 1) / 2
    return 1.0 / (1.0 + np.maximum(divergence, 0.0))


def _clipped(times: Times, interval: TimeInterval) -> tuple[Days, Days, float, float]:
    """Starts and ends of the times, start and end of the interval, with open sides moved to the extent of both."""
    first, last = times.extent
    named = [day for day in (interval.start, interval.end) if day is not None]
    first, last = float(min([first, *named])), float(max([last, *named]))
    start = first if interval.start is None else float(interval.start)
    end = last if interval.end is None else float(interval.end)
    return np.clip(times.start, first, last), np.clip(times.end, first, last), start, end


KERNELS: dict[str, Kernel] = {
    "graded": graded,
    "gap": gap,
    "anchored": anchored,
    "overlap": overlap,
    "berberich": berberich,
    "gaussian_kl": gaussian_kl,
}
"""The kernels by name; `graded` is the default."""
