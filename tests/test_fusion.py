"""Fusion: worked values, the two ends of the weight, and the product as energies that add."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.errors import ConfigError
from qtie.fusion import FUSIONS, additive_product, product_of_experts, reciprocal_rank, weighted_sum

unit = st.floats(1e-6, 1)
pairs = st.lists(st.tuples(unit, unit), min_size=1, max_size=8)
weights = st.floats(0, 1)


def arrays(rows):
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def ordered(scores):
    return np.argsort(-scores, kind="stable").tolist()


@pytest.mark.parametrize("fusion", FUSIONS.values())
@given(rows=pairs)
def test_weight_zero_ranks_by_topic_and_weight_one_by_time(fusion, rows):
    semantic, temporal = arrays(rows)
    assert ordered(fusion(semantic, temporal, temporal_weight=0)) == ordered(fusion(semantic, semantic))
    assert ordered(fusion(semantic, temporal, temporal_weight=1)) == ordered(fusion(temporal, temporal))


@pytest.mark.parametrize("fusion", FUSIONS.values())
@given(rows=pairs, weight=weights)
def test_better_in_both_is_never_worse(fusion, rows, weight):
    semantic, temporal = arrays(rows)
    fused = fusion(semantic, temporal, temporal_weight=weight)
    better = (semantic[:, None] >= semantic) & (temporal[:, None] >= temporal)
    assert (fused[:, None] >= fused)[better].all()


@pytest.mark.parametrize("fusion", FUSIONS.values())
@pytest.mark.parametrize("weight", [-0.01, 1.01, np.nan])
def test_a_weight_outside_the_unit_interval_is_refused(fusion, weight):
    with pytest.raises(ConfigError, match="temporal_weight"):
        fusion(np.ones(2), np.ones(2), temporal_weight=weight)


@pytest.mark.parametrize("fusion", FUSIONS.values())
def test_no_documents(fusion):
    assert fusion(np.array([]), np.array([])).shape == (0,)


@given(rows=pairs, weight=weights)
def test_the_product_is_a_weighted_geometric_mean(rows, weight):
    semantic, temporal = arrays(rows)
    mean = semantic ** (1 - weight) * temporal**weight
    assert np.exp(product_of_experts(semantic, temporal, temporal_weight=weight)) == pytest.approx(mean)


@given(rows=pairs, lambda_=st.floats(0, 20))
def test_the_additive_product_is_the_convex_one_rescaled(rows, lambda_):
    semantic, temporal = arrays(rows)
    convex = product_of_experts(semantic, temporal, temporal_weight=lambda_ / (1 + lambda_))
    assert additive_product(semantic, temporal, lambda_) / (1 + lambda_) == pytest.approx(convex)


def test_a_negative_lambda_is_refused():
    with pytest.raises(ConfigError):
        additive_product(np.ones(1), np.ones(1), -1)


def test_the_product_vetoes_what_the_sum_lets_pass():
    semantic, temporal = np.array([1.0, 0.4]), np.array([0.01, 0.5])
    assert ordered(product_of_experts(semantic, temporal)) == [1, 0]
    assert ordered(weighted_sum(semantic, temporal)) == [0, 1]


def test_reciprocal_rank_by_hand():
    found = reciprocal_rank(np.array([0.9, 0.8]), np.array([0.1, 0.2]), temporal_weight=0.25, k=9)
    assert found == pytest.approx([10 * (0.75 / 10 + 0.25 / 11), 10 * (0.75 / 11 + 0.25 / 10)])


def test_reciprocal_rank_gives_equal_scores_the_better_rank():
    assert reciprocal_rank(np.ones(3), np.ones(3)) == pytest.approx([1, 1, 1])


def test_input_stays_as_it_is():
    semantic, temporal = np.array([0.9, 0.6]), np.array([0.01, 1.0])
    for fusion in FUSIONS.values():
        fusion(semantic, temporal)
    assert semantic.tolist() == [0.9, 0.6]
    assert temporal.tolist() == [0.01, 1.0]
