import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from qtie.errors import ConfigError
from qtie.retrieval.bert import Bert, read_safetensors

IDS = np.array([[2, 5, 6, 3], [2, 7, 3, 0]])
MASK = np.array([[1, 1, 1, 1], [1, 1, 1, 0]])
Tensors = dict[str, NDArray[np.float32]]
Writer = Callable[[Path, Tensors], None]


def test_agrees_with_transformers(bert_folder: Path) -> None:
    # transformers 5.24 with torch 2.13: BertModel(config).last_hidden_state of these weights, ids and mask
    hidden = Bert(bert_folder)(IDS, MASK)
    first = [-1.78285, 0.64697, 1.48109, 0.02262, -0.5543, -0.07384, 0.63274, 0.54786]
    last_before_padding = [-1.02455, 1.4038, 0.59564, -0.76002, -0.42617, 0.40084, 0.82224, -0.27658]
    np.testing.assert_allclose(hidden[0, 0], first, atol=2e-5)
    np.testing.assert_allclose(hidden[1, 2], last_before_padding, atol=2e-5)


def test_padding_changes_nothing(bert_folder: Path) -> None:
    bert = Bert(bert_folder)
    np.testing.assert_allclose(bert(IDS, MASK)[1, :3], bert(IDS[1:, :3], MASK[1:, :3])[0], atol=1e-6)


def test_names_may_start_with_bert(bert_folder: Path, bert_tensors: Tensors, write_safetensors: Writer) -> None:
    expected = Bert(bert_folder)(IDS, MASK)
    write_safetensors(bert_folder / "model.safetensors", {f"bert.{name}": t for name, t in bert_tensors.items()})
    np.testing.assert_array_equal(Bert(bert_folder)(IDS, MASK), expected)


def test_safetensors_round_trip(tmp_path: Path, write_safetensors: Writer) -> None:
    write_safetensors(tmp_path / "x.safetensors", {"a": np.array([[1, 2], [3, 4]], dtype=np.float32)})
    np.testing.assert_array_equal(read_safetensors(tmp_path / "x.safetensors")["a"], [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a model at all",
        (2**62).to_bytes(8, "little") + b"{}",
        (7).to_bytes(8, "little") + b'["list"' + b"]",
        (68).to_bytes(8, "little") + b'{"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}      ' + b"0000",
        (68).to_bytes(8, "little") + b'{"a": {"dtype": "F32", "shape": [9], "data_offsets": [0, 4]}}       ' + b"0000",
    ],
)
def test_bad_safetensors(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.safetensors").write_bytes(content)
    with pytest.raises(ConfigError, match=r"x\.safetensors"):
        read_safetensors(tmp_path / "x.safetensors")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "roberta"}, "only BERT"),
        ({"hidden_act": "relu"}, "only BERT"),
        ({"num_hidden_layers": 3}, r"no tensor 'encoder\.layer\.2"),
        ({"num_hidden_layers": None}, "not the configuration"),
    ],
)
def test_other_architectures_are_refused(bert_folder: Path, change: dict[str, object], message: str) -> None:
    config = json.loads((bert_folder / "config.json").read_text())
    (bert_folder / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(ConfigError, match=message):
        Bert(bert_folder)


def test_missing_config(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not the configuration of an encoder"):
        Bert(tmp_path)
