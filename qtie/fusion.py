r"""Joining the semantic and the temporal score of each document.

Why a product. Each expert gives a document an energy, E = −log S, low where it is content. Adding weighted energies
and ranking by the sum is ranking by the product of the experts' scores raised to their weights, S_sem^(1−w) · S_temp^w:
a log-linear model, whose experts combine as independent evidence does and each of which can veto. A document that is
on topic but of the wrong year keeps a high energy from one expert whatever the other says, while in a weighted sum a
high semantic score buys its way past any date. Because energies add, a factor common to all candidates
changes no order: neither score needs to be a normalized probability, only its ratios must mean something.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from qtie import defaults
from qtie.errors import ConfigError

__all__ = ["FUSIONS", "Scores", "additive_product", "product_of_experts", "reciprocal_rank", "weighted_sum"]

Scores = NDArray[np.float64]


def product_of_experts(
    semantic: Scores, temporal: Scores, *, temporal_weight: float = defaults.TEMPORAL_WEIGHT
) -> Scores:
    r"""Log-linear product of two experts: high only where both are high.

    .. math:: S = (1 - w) \log S_\text{sem} + w \log S_\text{temp}

    Hinton (2002), "Training products of experts by minimizing contrastive divergence".

    Args:
        semantic: shape (n_docs,), in (0, 1].
        temporal: shape (n_docs,), in (0, 1].
        temporal_weight: w, in [0, 1]; 0 keeps the semantic order, 1 ranks by time alone.

    Returns:
        Shape (n_docs,), in (-inf, 0]; higher is better. Its exponential is the weighted geometric mean, in (0, 1].

    Raises:
        ConfigError: a weight outside [0, 1].

    Example:
        >>> product_of_experts(np.array([0.9, 0.6]), np.array([0.01, 1.0]), temporal_weight=0.5).round(2)
        array([-2.36, -0.26])
    """
    _check_weight(temporal_weight)
    fused = np.log(semantic)
    fused *= 1 - temporal_weight
    temporal_energy = np.log(temporal)
    temporal_energy *= temporal_weight
    fused += temporal_energy
    return fused


def weighted_sum(semantic: Scores, temporal: Scores, *, temporal_weight: float = defaults.TEMPORAL_WEIGHT) -> Scores:
    r"""Weighted arithmetic mean: one high score can make up for a low one.

    .. math:: S = (1 - w) S_\text{sem} + w S_\text{temp}

    Args:
        semantic: shape (n_docs,), in (0, 1].
        temporal: shape (n_docs,), in (0, 1].
        temporal_weight: w, in [0, 1]; 0 keeps the semantic order, 1 ranks by time alone.

    Returns:
        Shape (n_docs,), in (0, 1].

    Raises:
        ConfigError: a weight outside [0, 1].

    Example:
        >>> weighted_sum(np.array([0.9, 0.6]), np.array([0.01, 1.0]), temporal_weight=0.5).round(3)
        array([0.455, 0.8  ])
    """
    _check_weight(temporal_weight)
    return (1 - temporal_weight) * semantic + temporal_weight * temporal


def reciprocal_rank(
    semantic: Scores, temporal: Scores, *, temporal_weight: float = defaults.TEMPORAL_WEIGHT, k: int = 60
) -> Scores:
    r"""Weighted reciprocal rank fusion of the semantic and the temporal order; equal scores share the better rank.

    .. math:: S = (k + 1) \left(\frac{1 - w}{k + r_\text{sem}} + \frac{w}{k + r_\text{temp}}\right)

    Cormack et al. (2009), "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods"; the
    factor k + 1 puts the best possible score at 1.

    Args:
        semantic: shape (n_docs,); only its order counts.
        temporal: shape (n_docs,); only its order counts.
        temporal_weight: w, in [0, 1]; 0 keeps the semantic order, 1 ranks by time alone.
        k: how close the first ranks lie together.

    Returns:
        Shape (n_docs,), in (0, 1].

    Raises:
        ConfigError: a weight outside [0, 1].

    Example:
        >>> reciprocal_rank(np.array([0.9, 0.6, 0.3]), np.array([0.01, 1.0, 1.0]), temporal_weight=0.5).round(3)
        array([0.984, 0.992, 0.984])
    """
    _check_weight(temporal_weight)
    return (k + 1) * ((1 - temporal_weight) / (k + _ranks(semantic)) + temporal_weight / (k + _ranks(temporal)))


def additive_product(semantic: Scores, temporal: Scores, lambda_: float) -> Scores:
    r"""The product of experts with an unbounded weight, as Q-TIE's equation 2 has it; for experiments only.

    .. math:: S = \log S_\text{sem} + \lambda \log S_\text{temp}

    The same order as `product_of_experts` with w = λ / (1 + λ). arXiv 2609.23880.

    Args:
        semantic: shape (n_docs,), in (0, 1].
        temporal: shape (n_docs,), in (0, 1].
        lambda_: λ, from 0 up.

    Returns:
        Shape (n_docs,), in (-inf, 0].

    Raises:
        ConfigError: a negative λ.

    Example:
        >>> additive_product(np.array([0.9, 0.6]), np.array([0.01, 1.0]), 1.0).round(2)
        array([-4.71, -0.51])
    """
    if not 0 <= lambda_ < np.inf:
        raise ConfigError(f"lambda must be a number from 0 up, not {lambda_}")
    return np.log(semantic) + lambda_ * np.log(temporal)


def _ranks(scores: Scores) -> Scores:
    """Ranks from 1; equal scores share the better one."""
    n_not_better = np.searchsorted(np.sort(scores), scores, side="right").astype(np.float64)
    return len(scores) - n_not_better + 1


def _check_weight(temporal_weight: float) -> None:
    if not 0 <= temporal_weight <= 1:
        raise ConfigError(f"temporal_weight must lie in [0, 1], not {temporal_weight}")


FUSIONS: dict[str, Callable[..., Scores]] = {
    "product_of_experts": product_of_experts,
    "weighted_sum": weighted_sum,
    "reciprocal_rank": reciprocal_rank,
}
"""The fusions by name; all take `temporal_weight`."""
