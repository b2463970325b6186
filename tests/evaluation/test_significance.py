"""Paired tests against values worked out by hand, published examples and SciPy."""

import math
from itertools import product

import numpy as np
import pytest

from qtie.errors import EvaluationError
from qtie.evaluation.significance import bootstrap_interval, compare, holm, mcnemar, paired, wilcoxon

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")


def _binary(wins: int, losses: int, both: int = 3, neither: int = 2) -> tuple[np.ndarray, np.ndarray]:
    ours = [1.0] * wins + [0.0] * losses + [1.0] * both + [0.0] * neither
    theirs = [0.0] * wins + [1.0] * losses + [1.0] * both + [0.0] * neither
    return np.array(ours), np.array(theirs)


@pytest.mark.parametrize(("wins", "losses"), [(7, 1), (1, 7), (5, 5), (12, 0), (1, 0), (30, 11)])
def test_mcnemar_is_the_binomial_tail_on_the_discordant_queries(wins: int, losses: int) -> None:
    n = wins + losses
    tail = sum(math.comb(n, i) for i in range(min(wins, losses) + 1)) / 2**n
    assert mcnemar(*_binary(wins, losses)) == pytest.approx(min(1.0, 2 * tail), rel=1e-12)


def test_mcnemar_of_equal_rankers_is_one() -> None:
    assert mcnemar(*_binary(0, 0)) == 1.0


def test_mcnemar_refuses_graded_values() -> None:
    with pytest.raises(EvaluationError, match="use wilcoxon"):
        mcnemar(np.array([0.5, 1.0]), np.array([0.0, 1.0]))


def test_wilcoxon_counts_all_signs_of_the_ranks() -> None:
    differences = np.array([0.11, -0.22, 0.35, 0.41, -0.53, 0.67])  # ranks 1 to 6; the negative ones sum to 7
    sums = [
        sum(rank for rank, sign in zip(range(1, 7), signs, strict=True) if sign) for signs in product((0, 1), repeat=6)
    ]
    expected = min(1.0, 2 * sum(each <= 7 for each in sums) / len(sums))
    assert wilcoxon(differences, np.zeros(6)) == pytest.approx(expected, rel=1e-12)


def test_wilcoxon_is_symmetric_and_agrees_with_scipy_where_values_tie() -> None:
    random = np.random.default_rng(3)
    ours, theirs = random.integers(0, 4, 200) / 4, random.integers(0, 3, 200) / 4
    assert wilcoxon(ours, theirs) == pytest.approx(wilcoxon(theirs, ours))
    assert wilcoxon(ours, theirs) == pytest.approx(stats.wilcoxon(ours, theirs, method="asymptotic").pvalue)


def test_wilcoxon_takes_rounding_for_no_difference() -> None:
    assert wilcoxon(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 1.0])) == 1.0


def test_wilcoxon_of_one_difference_is_one() -> None:
    assert wilcoxon(np.array([0.5, 0.2]), np.array([0.5, 0.1])) == 1.0


def test_holm_by_hand() -> None:
    # sorted 0.001, 0.013, 0.02, 0.3 times 4, 3, 2, 1 is 0.004, 0.039, 0.04, 0.3
    assert holm([0.02, 0.3, 0.001, 0.013]) == pytest.approx([0.04, 0.3, 0.004, 0.039])


def test_holm_keeps_order_and_stops_at_one() -> None:
    assert holm([0.5, 0.5, 0.9]) == [1.0, 1.0, 1.0]
    assert holm([0.04, 0.021]) == pytest.approx([0.042, 0.042])  # a larger p is never corrected below a smaller
    assert holm([]) == []


@pytest.mark.parametrize("p", [math.nan, -0.1, 1.1])
def test_holm_refuses_what_is_no_p_value(p: float) -> None:
    with pytest.raises(EvaluationError, match="p-values"):
        holm([0.5, p])


def test_bootstrap_finds_the_normal_interval_of_many_values() -> None:
    values = np.random.default_rng(7).normal(0.5, 0.2, 2000)
    low, high = bootstrap_interval(values)
    half = 1.96 * values.std() / math.sqrt(len(values))
    assert low == pytest.approx(values.mean() - half, abs=0.0005)
    assert high == pytest.approx(values.mean() + half, abs=0.0005)


def test_bootstrap_draws_both_rankers_together() -> None:
    values = np.random.default_rng(1).random(50)
    low, high = bootstrap_interval(values + 0.1, values)
    assert (low, high) == pytest.approx((0.1, 0.1))


def test_bootstrap_depends_on_the_seed_alone() -> None:
    values = np.random.default_rng(1).random(50)
    assert bootstrap_interval(values, seed=4) == bootstrap_interval(values, seed=4)
    assert bootstrap_interval(values, seed=4) != bootstrap_interval(values, seed=5)


@pytest.mark.parametrize("options", [{"confidence": 1.0}, {"confidence": math.nan}, {"n_samples": 0}])
def test_bootstrap_refuses_options_out_of_range(options: dict[str, float]) -> None:
    with pytest.raises(EvaluationError, match="confidence"):
        bootstrap_interval(np.array([1.0]), **options)  # type: ignore[arg-type]


def test_bootstrap_needs_queries() -> None:
    with pytest.raises(EvaluationError, match="no queries"):
        bootstrap_interval(np.array([]))


@pytest.mark.parametrize("test", [mcnemar, wilcoxon, bootstrap_interval])
def test_nan_and_other_lengths_are_refused(test: object) -> None:
    assert callable(test)
    with pytest.raises(EvaluationError, match="NaN"):
        test(np.array([1.0, math.nan]), np.array([0.0, 1.0]))
    with pytest.raises(EvaluationError, match="same length"):
        test(np.array([1.0, 0.0]), np.array([1.0]))


def test_paired_values_are_matched_by_query() -> None:
    ours, theirs = paired({"b": 1.0, "a": 0.5}, {"a": 0.25, "b": 0.75})
    assert (ours.tolist(), theirs.tolist()) == ([0.5, 1.0], [0.25, 0.75])
    with pytest.raises(EvaluationError, match=r"one ranker only: a"):
        paired({"a": 1.0, "b": 1.0}, {"b": 1.0})
    with pytest.raises(EvaluationError, match="no queries"):
        paired({}, {})


def test_compare_corrects_across_all_baselines() -> None:
    ours = {str(i): 1.0 for i in range(20)}
    none = {str(i): float(i < 5) for i in range(20)}  # 15 wins: p = 2^-14
    close = {str(i): float(i != 3) for i in range(20)}  # one win: p = 1
    found = compare(ours, {"none": none, "close": close, "same": ours})
    assert {comparison.test for comparison in found.values()} == {"mcnemar"}
    assert found["none"].p == pytest.approx(2**-14)
    assert found["none"].corrected_p == pytest.approx(3 * 2**-14)
    assert found["none"].is_significant(0.001)
    assert found["close"].corrected_p == found["same"].corrected_p == 1.0
    assert found["same"].interval == (0.0, 0.0)
    assert found["none"].interval[0] < found["none"].difference == 0.75 < found["none"].interval[1]


def test_compare_takes_wilcoxon_for_graded_measures() -> None:
    random = np.random.default_rng(0)
    ours = {str(i): value for i, value in enumerate(random.random(40))}
    theirs = {key: value / 2 for key, value in ours.items()}
    found = compare(ours, {"half": theirs})["half"]
    assert found.test == "wilcoxon"
    assert found.p == pytest.approx(2 * 2.0**-40)
