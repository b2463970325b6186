"""The best documents first, without sorting all, are those of a whole sort."""

import numpy as np
import pytest

from qtie.ordering import best_first, places


def _drawn(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.integers(0, 6, n).astype(float), random.integers(0, 3, n).astype(float), random.permutation(n)


@pytest.mark.parametrize("k", [1, 5, 40, 60, 100, None])
def test_the_best_are_those_of_a_whole_sort(k: int | None) -> None:
    for seed, n in enumerate([*range(1, 12), 60, 333, 700]):
        scores, semantic, tie_break = _drawn(seed, n)
        expected = sorted(range(n), key=lambda at: (-scores[at], -semantic[at], tie_break[at]))[:k]
        assert best_first(scores, semantic, tie_break, k=k).tolist() == expected


def test_what_scores_minus_infinity_is_not_ranked() -> None:
    tie_break = np.arange(3)
    assert best_first(np.array([-np.inf, 1.0, -np.inf]), np.zeros(3), tie_break, k=2).tolist() == [1]
    assert best_first(np.full(3, -np.inf), np.zeros(3), tie_break, k=2).tolist() == []
    assert best_first(np.full(3, -np.inf), np.zeros(3), tie_break).tolist() == []


@pytest.mark.parametrize("n_chosen", [0, 1, 3, 30, 60])
def test_places_are_those_of_a_whole_sort(n_chosen: int) -> None:
    for seed in range(20):
        scores, _, tie_break = _drawn(seed)
        order = sorted(range(60), key=lambda at: (-scores[at], tie_break[at]))
        chosen = np.random.default_rng(seed).permutation(60)[:n_chosen]
        assert places(chosen, scores, tie_break).tolist() == [order.index(at) + 1 for at in chosen]
