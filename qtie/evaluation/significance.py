"""Whether one ranker is better than another beyond chance: paired tests over queries, and intervals by bootstrap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qtie.errors import EvaluationError, require

__all__ = ["Comparison", "bootstrap_interval", "compare", "holm", "mcnemar", "paired", "wilcoxon"]

Values = NDArray[np.float64]
PerQuery = Mapping[str, float]
"""A measure's value by query_id, as `Evaluation.per_query` has them."""

_CELLS_PER_BATCH = 4_000_000


def mcnemar(values: Values, others: Values) -> float:
    r"""The two-sided exact McNemar test, for measures that are 0 or 1 such as P@1.

    .. math:: p = \min\left(1, 2 \sum_{i \le \min(b, c)} \binom{b + c}{i} 2^{-(b + c)}\right)

    b and c count the queries on which only the one and only the other is right. McNemar (1947), "Note on the sampling
    error of the difference between correlated proportions or percentages".

    Args:
        values: shape (n_queries,), 0 or 1.
        others: shape (n_queries,), 0 or 1, for the same queries in the same order.

    Returns:
        p, in (0, 1]; 1 where they never differ.

    Raises:
        EvaluationError: a value that is neither 0 nor 1, or shapes that differ.
        MissingExtraError: SciPy is not installed.

    Example:
        >>> mcnemar(np.array([1.0, 1, 1, 1, 1, 1, 0, 1]), np.array([0.0, 0, 0, 0, 0, 0, 0, 1]))
        0.03125
    """
    values, others = _checked(values, others)
    if not np.isin([values, others], (0.0, 1.0)).all():
        raise EvaluationError("McNemar's test is for values of 0 and 1; use wilcoxon for graded measures")
    wins, losses = int((values > others).sum()), int((values < others).sum())
    if wins + losses == 0:
        return 1.0
    return float(require("scipy.stats", extra="bench").binomtest(wins, wins + losses).pvalue)


def wilcoxon(values: Values, others: Values) -> float:
    """The two-sided Wilcoxon signed-rank test, for graded measures such as nDCG@10.

    Queries without a difference are left out, and equal differences share their mean rank (Wilcoxon, 1945,
    "Individual comparisons by ranking methods"). Up to 50 differences, all of them distinct, the test is exact;
    otherwise it is the normal approximation with the correction for ties. Differences below 1e-12 are rounding.

    Args:
        values: shape (n_queries,).
        others: shape (n_queries,), for the same queries in the same order.

    Returns:
        p, in [0, 1]; 1 where they never differ.

    Raises:
        EvaluationError: a value that is not finite, or shapes that differ.
        MissingExtraError: SciPy is not installed.

    Example:
        >>> wilcoxon(np.array([0.9, 0.8, 0.7, 0.6, 0.55]), np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
        0.0625
    """
    differences = np.round(np.subtract(*_checked(values, others)), 12)
    differences = differences[differences != 0]
    if not len(differences):
        return 1.0
    distinct = len(np.unique(np.abs(differences))) == len(differences)
    method = "exact" if distinct and len(differences) <= 50 else "asymptotic"
    return float(require("scipy.stats", extra="bench").wilcoxon(differences, method=method).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    r"""p-values corrected for the number of comparisons: below α all at once, the family-wise error stays below α.

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min\left(1, (m - j + 1)\, p_{(j)}\right)

    Holm (1979), "A simple sequentially rejective multiple test procedure".

    Args:
        p_values: m of them, in [0, 1].

    Returns:
        The corrected ones in the same order, in [0, 1].

    Raises:
        EvaluationError: one lies outside [0, 1] or is NaN.

    Example:
        >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03, 0.005])]
        [0.03, 0.06, 0.06, 0.02]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if not ((p >= 0) & (p <= 1)).all():
        raise EvaluationError(f"p-values lie in [0, 1], unlike one of {list(p_values)}")
    order = np.argsort(p, kind="stable")
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return [float(value) for value in corrected]


def bootstrap_interval(
    values: Values,
    others: Values | None = None,
    *,
    confidence: float = 0.95,
    n_samples: int = 10_000,
    seed: int = 0,
) -> tuple[float, float]:
    """The percentile interval of a mean over queries, or of the mean difference of two paired rankers.

    Queries are drawn with replacement, both rankers' values together (Efron, 1979, "Bootstrap methods").

    Args:
        values: shape (n_queries,).
        others: shape (n_queries,), for the same queries in the same order.
        confidence: share of the samples that lie inside, in (0, 1).
        n_samples: how often all queries are drawn.
        seed: the same seed gives the same interval.

    Returns:
        Lower and upper bound.

    Raises:
        EvaluationError: no queries, a value that is not finite, shapes that differ, or an option out of range.

    Example:
        >>> bootstrap_interval(np.array([0.5, 0.5, 0.5]), np.array([0.25, 0.25, 0.25]))
        (0.25, 0.25)
    """
    if not 0 < confidence < 1 or n_samples < 1:
        raise EvaluationError(f"confidence must lie in (0, 1) and n_samples be positive: {confidence}, {n_samples}")
    values, others = _checked(values, np.zeros_like(values) if others is None else others)
    differences = values - others
    n_queries = len(differences)
    if not n_queries:
        raise EvaluationError("no queries to draw from")
    random = np.random.default_rng(seed)
    means = np.empty(n_samples)
    width = max(1, _CELLS_PER_BATCH // n_queries)
    for at in range(0, n_samples, width):
        size = (min(width, n_samples - at), n_queries)
        means[at : at + width] = differences[random.integers(0, n_queries, size=size)].mean(axis=1)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One ranker against another on one measure."""

    n_queries: int
    mean: float
    """The first ranker's mean."""
    other_mean: float
    interval: tuple[float, float]
    """The 95 % bootstrap interval of the difference."""
    test: Literal["mcnemar", "wilcoxon"]
    p: float
    """As the test gives it."""
    corrected_p: float
    """By Holm, over all comparisons that were made together."""

    @property
    def difference(self) -> float:
        """The first mean minus the other."""
        return self.mean - self.other_mean

    def is_significant(self, level: float = 0.05) -> bool:
        """Whether the corrected p lies below the level."""
        return self.corrected_p < level


def compare(values: PerQuery, baselines: Mapping[str, PerQuery], *, seed: int = 0) -> dict[str, Comparison]:
    """One ranker against each of several, with Holm's correction across them.

    Measures that are 0 or 1 on every query are compared by McNemar's test, others by Wilcoxon's.

    Args:
        values: the ranker's value by query_id.
        baselines: by name, the same measure of the same queries.
        seed: of the bootstrap.

    Raises:
        EvaluationError: a baseline has other queries, or a value is not finite.
        MissingExtraError: SciPy is not installed.

    Example:
        >>> found = compare({"a": 1.0, "b": 1.0}, {"none": {"a": 1.0, "b": 0.0}})
        >>> found["none"].test, found["none"].difference, found["none"].corrected_p
        ('mcnemar', 0.5, 1.0)
    """
    pairs = {name: paired(values, others) for name, others in baselines.items()}
    binary = all(np.isin(pair, (0.0, 1.0)).all() for pair in pairs.values())
    p_values = [mcnemar(*pair) if binary else wilcoxon(*pair) for pair in pairs.values()]
    return {
        name: Comparison(
            n_queries=len(ours),
            mean=float(ours.mean()),
            other_mean=float(theirs.mean()),
            interval=bootstrap_interval(ours, theirs, seed=seed),
            test="mcnemar" if binary else "wilcoxon",
            p=p,
            corrected_p=corrected,
        )
        for (name, (ours, theirs)), p, corrected in zip(pairs.items(), p_values, holm(p_values), strict=True)
    }


def paired(values: PerQuery, others: PerQuery) -> tuple[Values, Values]:
    """Both rankers' values in the order of the query_ids.

    Raises:
        EvaluationError: they have different queries, or none.
    """
    if values.keys() != others.keys():
        unpaired = sorted(values.keys() ^ others.keys())
        raise EvaluationError(f"values of one ranker only: {', '.join(unpaired[:3])} ({len(unpaired)} queries in all)")
    if not values:
        raise EvaluationError("no queries to compare on")
    query_ids = sorted(values)
    return np.array([values[q] for q in query_ids], float), np.array([others[q] for q in query_ids], float)


def _checked(values: Values, others: Values) -> tuple[Values, Values]:
    values, others = np.asarray(values, dtype=np.float64), np.asarray(others, dtype=np.float64)
    if values.ndim != 1 or values.shape != others.shape:
        raise EvaluationError(f"expected two rows of the same length, not shapes {values.shape} and {others.shape}")
    if not (np.isfinite(values).all() and np.isfinite(others).all()):
        raise EvaluationError("a value of the measure is NaN or infinite")
    return values, others
