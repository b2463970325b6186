from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qtie.document import Document
from qtie.errors import ConfigError
from qtie.normalization import NORMALIZATIONS
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.dense import DenseRetriever
from qtie.retrieval.hybrid import RETRIEVERS, HybridRetriever, make_retriever
from qtie.retrieval.retriever import Retriever


def test_the_weight_leads_from_bm25_to_dense(fruit: list[Document], hash_encoder: Any) -> None:
    query = "green pear"
    lexical = HybridRetriever(fruit, hash_encoder, dense_weight=0).scores(query)
    dense = HybridRetriever(fruit, hash_encoder, dense_weight=1).scores(query)
    bm25 = Bm25Retriever(fruit).scores(query)
    cosines = DenseRetriever(fruit, hash_encoder).scores(query)
    np.testing.assert_allclose(lexical, bm25 / bm25.max())
    np.testing.assert_allclose(dense, (cosines - cosines.min()) / np.ptp(cosines))
    mixed = HybridRetriever(fruit, hash_encoder, dense_weight=0.25).scores(query)
    np.testing.assert_allclose(mixed, 0.75 * lexical + 0.25 * dense)


def test_batches_agree_with_single_queries(fruit: list[Document], hash_encoder: Any) -> None:
    retriever = HybridRetriever(fruit, hash_encoder)
    queries = ["green pear", "", "unheard"]
    rows = retriever.batch_scores(queries)
    for row, query in zip(rows, queries, strict=True):
        np.testing.assert_allclose(row, retriever.scores(query))
    assert ((rows >= 0) & (rows <= 1)).all()
    assert retriever.batch_scores([]).shape == (0, 3)
    assert HybridRetriever([], hash_encoder).scores("x").shape == (0,)


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_weights_outside_the_unit_interval(fruit: list[Document], hash_encoder: Any, weight: float) -> None:
    with pytest.raises(ConfigError, match=r"dense_weight must lie in \[0, 1\]"):
        HybridRetriever(fruit, hash_encoder, dense_weight=weight)


@pytest.mark.parametrize("name", list(RETRIEVERS))
def test_every_retriever_by_name(name: str, fruit: list[Document], hash_encoder: Any, tmp_path: Path) -> None:
    retriever = make_retriever(name, fruit, encoder=hash_encoder, dense_weight=0.5, cache_folder=tmp_path)
    assert isinstance(retriever, Retriever)
    assert retriever.normalization in NORMALIZATIONS
    assert retriever.scores("green pear").argmax() == 1


def test_names_and_encoders_are_checked(fruit: list[Document]) -> None:
    with pytest.raises(ConfigError, match="unknown retriever 'splade'; one of bm25, dense, hybrid"):
        make_retriever("splade", fruit)
    for name in ("dense", "hybrid"):
        with pytest.raises(ConfigError, match=f"the {name} retriever needs an encoder, such as minilm"):
            make_retriever(name, fruit)
    assert isinstance(make_retriever("bm25", fruit), Bm25Retriever)
