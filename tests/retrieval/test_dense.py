from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qtie.document import Document
from qtie.errors import ConfigError
from qtie.retrieval.dense import DenseRetriever
from qtie.retrieval.retriever import Retriever


def test_scores_are_cosines(fruit: list[Document], hash_encoder: Any) -> None:
    retriever = DenseRetriever(fruit, hash_encoder)
    assert isinstance(retriever, Retriever)
    np.testing.assert_allclose(retriever.scores("cloud")[2], 1, atol=1e-6)
    scores = retriever.batch_scores(["cloud", "green pear"])
    assert scores.shape == (2, 3)
    assert scores.dtype == np.float64
    assert scores[1].argmax() == 1
    assert retriever.batch_scores([]).shape == (0, 3)
    assert DenseRetriever([], hash_encoder).scores("x").shape == (0,)


def test_embeddings_are_cached_by_content_and_encoder(tmp_path: Path, fruit: list[Document], hash_encoder: Any) -> None:
    cache = tmp_path / "new" / "cache"
    first = DenseRetriever(fruit, hash_encoder, cache_folder=cache).scores("pear")
    again = DenseRetriever(fruit, hash_encoder, cache_folder=cache).scores("pear")
    np.testing.assert_array_equal(first, again)
    assert hash_encoder.n_encoded == 3
    DenseRetriever(fruit[:2], hash_encoder, cache_folder=cache)
    assert hash_encoder.n_encoded == 5
    hash_encoder.fingerprint = "another"
    DenseRetriever(fruit, hash_encoder, cache_folder=cache)
    assert hash_encoder.n_encoded == 8
    assert len(list(cache.iterdir())) == 3


def test_a_damaged_cache_is_named(tmp_path: Path, fruit: list[Document], hash_encoder: Any) -> None:
    DenseRetriever(fruit, hash_encoder, cache_folder=tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"")
    with pytest.raises(ConfigError, match="damaged cache of embeddings"):
        DenseRetriever(fruit, hash_encoder, cache_folder=tmp_path)
    np.save(file, np.zeros((2, 2)))
    with pytest.raises(ConfigError, match=r"shape \(2, 2\) for 3 texts"):
        DenseRetriever(fruit, hash_encoder, cache_folder=tmp_path)


def test_a_cache_that_cannot_be_written(tmp_path: Path, fruit: list[Document], hash_encoder: Any) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot keep embeddings here"):
        DenseRetriever(fruit, hash_encoder, cache_folder=tmp_path / "file")
