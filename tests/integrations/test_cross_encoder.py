"""The shape of a cross-encoder."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from qtie.errors import ConfigError, DocumentError
from qtie.integrations.cross_encoder import TemporalCrossEncoder
from qtie.reranker import TemporalReranker

TEXTS = ["Apples were ripe in May 2014.", "The budget of 9 May 2016 passed.", "The budget of 12 May 2019 passed."]


class Overlap:
    """Logits, from the words that query and text share, in an array as cross-encoders give them."""

    def predict(self, pairs: list[tuple[str, str]]) -> Any:
        return np.array([4.0 * ("budget" in query and "budget" in text) - 2.0 for query, text in pairs], np.float32)


def test_rank_has_the_shape_of_a_cross_encoders() -> None:
    hits = TemporalCrossEncoder(Overlap()).rank("budget in 2019", TEXTS, top_k=2, return_documents=True)
    assert [hit["corpus_id"] for hit in hits] == [2, 1]
    assert hits[0]["text"] == TEXTS[2]
    assert hits[0]["score"] > hits[1]["score"]
    assert hits[0]["temporal"]["relation"] == "during"
    assert [set(hit) for hit in TemporalCrossEncoder().rank("in 2019", TEXTS)] == [
        {"corpus_id", "score", "temporal"}
    ] * 3
    assert TemporalCrossEncoder().rank("in 2019", []) == []


def test_records_bring_their_times(in_2019: dict[str, Any]) -> None:
    records = [{"text": "Budget", "date": "2016-05-09"}, {"text": "Budget", "metadata": in_2019}]
    before = deepcopy(records)
    hits = TemporalCrossEncoder(Overlap()).rank("budget in 2019", records, return_documents=True)
    assert [hit["corpus_id"] for hit in hits] == [1, 0]
    assert hits[0]["text"] is records[1]
    assert records == before


@pytest.mark.parametrize("query", ["budget", "budget of room 2099"])
def test_atemporal_queries_keep_the_models_order_and_scores(query: str) -> None:
    hits = TemporalCrossEncoder(Overlap()).rank(query, TEXTS)
    assert [(hit["corpus_id"], hit["score"]) for hit in hits] == [(1, 2.0), (2, 2.0), (0, -2.0)]
    assert TemporalCrossEncoder(Overlap()).predict([(query, text) for text in TEXTS]) == [-2.0, 2.0, 2.0]


def test_predict_scores_pairs_of_several_queries() -> None:
    of_2016, of_2019 = TEXTS[1:]
    pairs = [("in 2016", of_2019), ("in 2019", of_2019), ("in 2016", of_2016), ("budget", of_2016)]
    alone = TemporalCrossEncoder().predict(pairs)
    assert alone[0] < min(alone[1:3]) <= max(alone[1:3]) <= alone[3] == 1.0
    with_model = TemporalCrossEncoder(Overlap(), reranker=TemporalReranker(missing="estimate", normalization="logits"))
    assert with_model.predict(pairs) == with_model.predict(pairs[::-1])[::-1]
    assert with_model.predict(pairs)[0] == with_model.predict(pairs[:1])[0]
    assert TemporalCrossEncoder().predict([]) == []


def test_bad_input_is_one_error() -> None:
    with pytest.raises(ConfigError, match="k must be at least 1"):
        TemporalCrossEncoder().rank("in 2019", TEXTS, top_k=0)
    with pytest.raises(DocumentError, match="document 1: field 'text': missing"):
        TemporalCrossEncoder().rank("in 2019", ["a text", {"date": "2019"}])
