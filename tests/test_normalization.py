"""Semantic scores on the common scale: worked values, order kept, bad numbers refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qtie.defaults import COSINE_TEMPERATURE, LEAST_SEMANTIC_SCORE, RANK_OFFSET
from qtie.errors import ConfigError, DocumentError
from qtie.normalization import NORMALIZATIONS, guess_normalization, normalize

E = LEAST_SEMANTIC_SCORE
RANGES = {
    "cosine": (-1.0, 1.0),
    "bm25": (0.0, 80.0),
    "logits": (-30.0, 30.0),
    "rrf": (1e-4, 0.1),
    "rank": (-1e6, 1e6),
    "min_max": (-1e308, 1e308),
    "corpus": (-1e308, 1e308),
    "probability": (0.0, 1.0),
}


def test_every_normalization_is_tested():
    assert RANGES.keys() == NORMALIZATIONS.keys()


@pytest.mark.parametrize("name", NORMALIZATIONS)
@given(data=st.data())
def test_scores_lie_in_the_half_open_unit_interval_and_keep_their_order(name, data):
    scores = np.array(data.draw(st.lists(st.floats(*RANGES[name], allow_subnormal=False), max_size=8)))
    before = scores.copy()
    found = normalize(scores, name)
    assert found.shape == scores.shape
    assert ((found > 0) & (found <= 1)).all()
    assert (np.diff(found[np.argsort(scores, kind="stable")]) >= 0).all()
    assert (scores == before).all()


@pytest.mark.parametrize("name", ["auto", *NORMALIZATIONS])
def test_equal_scores_stay_equal(name):
    found = normalize(np.array([0.05, 0.05, 0.05]), name)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("name", ["auto", *NORMALIZATIONS])
def test_no_scores(name):
    assert normalize(np.array([]), name).shape == (0,)


@pytest.mark.parametrize("name", ["auto", *NORMALIZATIONS])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(name, bad):
    with pytest.raises(DocumentError, match="candidate 2"):
        normalize(np.array([0.5, bad]), name)


@pytest.mark.parametrize(("name", "bad"), [("probability", 1.1), ("probability", -0.1), ("rrf", 0.0)])
def test_scores_of_another_kind_are_refused(name, bad):
    with pytest.raises(DocumentError, match="auto"):
        normalize(np.array([0.5, bad]), name)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ConfigError, match="auto, cosine, bm25"):
        normalize(np.array([1.0]), "softmax")


class TestEnergies:
    def test_cosine_differences_are_energies(self):
        found = np.log(normalize(np.array([0.7, 0.6, 0.2]), "cosine"))
        assert found == pytest.approx(np.array([0, -0.1, -0.5]) / COSINE_TEMPERATURE)

    def test_bm25_is_the_share_of_the_best(self):
        assert normalize(np.array([30.0, 15.0, 0.0]), "bm25") == pytest.approx([1, E + (1 - E) / 2, E])

    def test_bm25_may_be_negative_where_idf_is(self):
        assert normalize(np.array([3.0, 1.0, -1.0]), "bm25") == pytest.approx([1, E + (1 - E) / 2, E])

    def test_logits_are_log_odds(self):
        found = normalize(np.array([-8.0, -9.0]), "logits")
        assert np.diff(np.log(found))[0] == pytest.approx(-1, abs=1e-3)

    def test_rrf_of_one_list_is_the_rank_prior(self):
        ranks = np.arange(1.0, 6.0)
        assert normalize(1 / (60 + ranks), "rrf") == pytest.approx(normalize(-ranks, "rank"))

    def test_rank_prior_by_hand(self):
        found = normalize(np.array([9.0, 9.0, 1.0]), "rank")
        assert found == pytest.approx([1, 1, (RANK_OFFSET + 1) / (RANK_OFFSET + 3)])

    def test_min_max_by_hand(self):
        assert normalize(np.array([-3.0, 1.0, 5.0]), "min_max") == pytest.approx([E, E + (1 - E) / 2, 1])


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.0328, 0.0161], "rrf"),
        ([0.91, 0.3, -0.2], "cosine"),
        ([14.2, 0.0], "bm25"),
        ([7.1, -11.0], "logits"),
        ([0.0, 0.0], "cosine"),
        ([], "cosine"),
    ],
)
def test_guess(scores, expected):
    assert guess_normalization(np.array(scores)) == expected
