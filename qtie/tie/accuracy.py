"""How often an extractor is right on labelled queries: `qtie tie evaluate FILE`."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from qtie.intent import TemporalIntent

__all__ = [
    "Share",
    "WrongCase",
    "accuracy_by_kind",
    "asks_for_none",
    "calibration_error",
    "is_exact",
    "is_right",
    "platt_scaling",
    "wrong_cases",
]

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Share:
    """How many of n events are so, with the 95 % interval of Wilson (1927), "Probable inference"."""

    n_so: int
    n: int

    @property
    def value(self) -> float:
        """The share, in [0, 1]; 0 of nothing."""
        return self.n_so / self.n if self.n else 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval's ends, in [0, 1]."""
        if not self.n:
            return 0.0, 1.0
        z, p, n = 1.96, self.value, self.n
        middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, (middle - half) / (1 + z * z / n)), min(1.0, (middle + half) / (1 + z * z / n))

    def __str__(self) -> str:
        """In %, such as `97.5 [96.1, 98.4] of 800`; `-` of nothing."""
        low, high = self.bounds
        return f"{100 * self.value:.1f} [{100 * low:.1f}, {100 * high:.1f}] of {self.n}" if self.n else "-"

    @classmethod
    def of(cls, events: Iterable[bool]) -> "Share":
        """Of the events given.

        Example:
            >>> print(Share.of([True] * 9 + [False]))
            90.0 [59.6, 98.2] of 10
        """
        listed = list(events)
        return cls(sum(listed), len(listed))


@dataclass(frozen=True, slots=True)
class WrongCase:
    """A query that was read otherwise than its label."""

    query: str
    kind: str
    expected: tuple[str, ...]
    found: tuple[str, ...]
    expected_preference: str | None
    found_preference: str | None


def is_exact(intent: TemporalIntent, row: Row) -> bool:
    """Whether the intervals are the row's, to the day; only their hull where the row says `hull`."""
    return _found(intent, row) == _expected(intent, row)


def is_right(intent: TemporalIntent, row: Row) -> bool:
    """Whether intervals and preference are the row's."""
    return is_exact(intent, row) and intent.preference == row.get("preference")


def asks_for_none(row: Row) -> bool:
    """Whether the row's query asks for no time."""
    return not row.get("intervals") and not row.get("preference") and not row.get("steps")


def accuracy_by_kind(intents: Sequence[TemporalIntent], rows: Sequence[Row]) -> dict[str, Share]:
    """The share of exact intervals with the right preference: of all rows, and of each kind, frequent ones first."""
    right: dict[str, list[bool]] = {}
    for intent, row in zip(intents, rows, strict=True):
        right.setdefault(_kind(row), []).append(is_right(intent, row))
    total = Share.of(event for events in right.values() for event in events)
    by_kind = sorted(right.items(), key=lambda item: (-len(item[1]), item[0]))
    return {"all": total} | {kind: Share.of(events) for kind, events in by_kind}


def wrong_cases(intents: Sequence[TemporalIntent], rows: Sequence[Row]) -> list[WrongCase]:
    """The queries that were read otherwise than their labels, in order."""
    return [
        WrongCase(
            query=str(row["query"]),
            kind=_kind(row),
            expected=_expected(intent, row),
            found=_found(intent, row),
            expected_preference=row.get("preference"),
            found_preference=intent.preference,
        )
        for intent, row in zip(intents, rows, strict=True)
        if not is_right(intent, row)
    ]


def calibration_error(judged: Iterable[tuple[float, bool]], *, n_bins: int = 15) -> float:
    """The expected calibration error, in bins of equal size.

    Naeini et al. (2015), "Obtaining well calibrated probabilities using Bayesian binning".

    Args:
        judged: confidence, in [0, 1], and whether it was right.

    Example:
        >>> round(calibration_error([(0.75, True), (0.75, True), (0.75, True), (0.75, False)], n_bins=1), 9)
        0.0
    """
    ordered = sorted(judged)
    edges = [round(at * len(ordered) / n_bins) for at in range(n_bins + 1)]
    bins = [ordered[start:end] for start, end in pairwise(edges) if end > start]
    gaps = (abs(sum(confidence for confidence, _ in rows) - sum(right for _, right in rows)) for rows in bins)
    return sum(gaps) / max(1, len(ordered))


def platt_scaling(judged: Iterable[tuple[float, bool]]) -> tuple[float, float]:
    """Slope and offset that make a score the log-odds of being right: logistic regression by Newton's method.

    Platt (1999), "Probabilistic outputs for support vector machines".

    Args:
        judged: a score, any number, and whether it was right; at least one of each kind for a slope other than 1.

    Example:
        >>> rows = [(2.0, True)] * 9 + [(2.0, False)] + [(0.0, True), (0.0, False)]
        >>> slope, offset = platt_scaling(rows)
        >>> round(2 * slope + offset, 2), round(offset, 2)  # the log-odds of 9 in 10 are 2.2, those of 1 in 2 are 0
        (2.2, 0.0)
    """
    rows = list(judged)
    features = np.array([[score, 1.0] for score, _ in rows])
    right = np.array([float(event) for _, event in rows])
    weights = np.array([1.0, 0.0])
    for _ in range(100 if 0 < right.sum() < len(right) else 0):
        predicted = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        gradient = features.T @ (right - predicted) - 1e-3 * (weights - (1.0, 0.0))
        hessian = (features * (predicted * (1 - predicted))[:, None]).T @ features + 1e-3 * np.eye(2)
        change = np.linalg.solve(hessian, gradient)
        weights = weights + change / max(1.0, float(np.abs(change).max()))
    return float(weights[0]), float(weights[1])


def _kind(row: Row) -> str:
    return str(row.get("kind", "")).split(" beside ")[0]


def _found(intent: TemporalIntent, row: Row) -> tuple[str, ...]:
    if row.get("hull") and intent.interval is not None:
        return (str(intent.interval),)
    return tuple(str(interval) for interval in intent.intervals)


def _expected(intent: TemporalIntent, row: Row) -> tuple[str, ...]:
    """The row's intervals; "latest" alone is up to the reference date."""
    intervals = tuple(row.get("intervals", ()))
    if row.get("preference") == "latest" and not intervals and intent.reference_date:
        return (f"../{intent.reference_date}",)
    return intervals
