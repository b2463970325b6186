"""Two towers, their router, and the folder they are kept in."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qtie.errors import ConfigError
from qtie.retrieval.dense import DenseRetriever
from qtie.retrieval.encoders import BertEncoder, load_encoder
from qtie.retrieval.hybrid import HybridRetriever
from qtie.retrieval.retriever import reads_time
from qtie.retrieval.temporal.folder import DOCUMENT_TOWER, MARK, ROUTER
from qtie.retrieval.temporal.tempretriever import DatedEncoder
from qtie.retrieval.temporal.towers import Router, TwoTowerEncoder

Write = Callable[[Path, dict[str, NDArray[np.float32]]], None]


def _router(bias: float) -> dict[str, NDArray[np.float32]]:
    """Says "plain" for all queries where the bias is above 0, for none where it is below."""
    shapes = {"hidden.weight": (128, 8), "hidden.bias": (128,), "out.weight": (1, 128)}
    tensors = {name: np.zeros(shape, dtype=np.float32) for name, shape in shapes.items()}
    return tensors | {"out.bias": np.array([bias], dtype=np.float32)}


@pytest.fixture
def towers(bert_folder: Path, bert_tensors: dict[str, Any], write_safetensors: Write) -> Path:
    """A folder with a query tower beside another document tower."""
    documents = bert_folder / DOCUMENT_TOWER
    shutil.copytree(bert_folder, documents)
    others = {name: np.flip(values, axis=0).copy() for name, values in bert_tensors.items()}
    write_safetensors(documents / "model.safetensors", others)
    (bert_folder / MARK).write_text(json.dumps({"recipe": "tscontriever"}), encoding="utf-8")
    return bert_folder


@pytest.mark.parametrize(
    ("recipe", "reads"), [("dense", False), ("tempretriever", True), ("tscontriever", True), ("tsm", True)]
)
def test_the_folder_tells_whether_its_encoder_reads_time(bert_folder: Path, recipe: str, reads: bool) -> None:
    assert not reads_time(load_encoder(bert_folder))
    (bert_folder / MARK).write_text(json.dumps({"recipe": recipe}), encoding="utf-8")
    encoder = load_encoder(bert_folder)
    assert reads_time(encoder) == reads
    assert reads_time(DenseRetriever([], encoder)) == reads_time(HybridRetriever([], encoder)) == reads


def test_queries_and_documents_have_an_encoder_each(towers: Path) -> None:
    encoder, texts = load_encoder(towers), ["red apple"]
    assert isinstance(encoder, TwoTowerEncoder)
    plain = BertEncoder(towers / DOCUMENT_TOWER)
    assert np.array_equal(encoder.encode_documents(texts), plain.encode_documents(texts))
    assert not np.allclose(encoder.encode_queries(texts), plain.encode_queries(texts))


@pytest.mark.parametrize(("bias", "is_plain"), [(1.0, True), (-1.0, False)])
def test_the_router_chooses_the_tower(towers: Path, write_safetensors: Write, bias: float, is_plain: bool) -> None:
    write_safetensors(towers / ROUTER, _router(bias))
    encoder, plain = load_encoder(towers), BertEncoder(towers / DOCUMENT_TOWER)
    same = np.allclose(encoder.encode_queries(["red apple"]), plain.encode_queries(["red apple"]))
    assert same is is_plain


def test_a_router_of_three_tensors_is_refused(towers: Path, write_safetensors: Write) -> None:
    write_safetensors(towers / ROUTER, {name: value for name, value in _router(1).items() if name != "out.bias"})
    with pytest.raises(ConfigError, match=r"no tensor 'out\.bias'"):
        load_encoder(towers)


def test_a_router_compares_with_one_half() -> None:
    tensors = _router(0.0)
    tensors["hidden.weight"][0, 0] = 1
    tensors["out.weight"][0, 0] = 1
    embeddings = np.zeros((2, 8), dtype=np.float32)
    embeddings[1, 0] = 0.1
    assert Router(tensors).is_plain(embeddings).tolist() == [False, True]


def test_a_folder_says_how_it_is_used(bert_folder: Path) -> None:
    (bert_folder / MARK).write_text('{"recipe": "tempretriever", "date_fusion": "sum"}', encoding="utf-8")
    encoder = load_encoder(bert_folder)
    assert isinstance(encoder, DatedEncoder)
    assert encoder.fingerprint.startswith("sum of dates")
    (bert_folder / MARK).write_text('{"recipe": "tsm"}', encoding="utf-8")
    assert isinstance(load_encoder(bert_folder), BertEncoder)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"recipe": "splade"}', '{"recipe": ["tsm"]}'])
def test_a_damaged_mark_is_named(bert_folder: Path, text: str) -> None:
    (bert_folder / MARK).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"temporal\.json"):
        load_encoder(bert_folder)
