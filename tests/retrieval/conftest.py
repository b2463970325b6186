"""A made-up BERT of two layers and eight dimensions, and a stub encoder."""

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from qtie.document import Document

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "red", "apple", "pear", ":", "passage", "green", "sky"]
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": 16,
}


# Made with onnx 1.x: one Gather of a table of 12 x 3, sin(0.7 i), by input_ids.
GATHER = (
    "CAg6nQIKLAoFdGFibGUKCWlucHV0X2lkcxIQdG9rZW5fZW1iZWRkaW5ncyIGR2F0aGVyEgFnKqABCAwIAxABQgV0YWJsZUqQAQAAAABz6yQ/b0Z8P0r7"
    "XD+Rg6s+3JmzvpcfX78Egnu/sZohv069iTxGMCg/mPh8P/7GWj/cYKM+J6O7vr4zYb9kq3q/PD4ev1K4CT3taCs/cph9P92CWD9UMps+3Z7Dvpg3Y7+g"
    "wnm/U9YavwWITj0rlS4/8CV+PxAvVj+R+JI+a4zLvgArZb/Ix3i/NWMXv1odCglpbnB1dF9pZHMSEAoOCAcSCgoDEgFiCgMSAW5iKAoQdG9rZW5fZW1i"
    "ZWRkaW5ncxIUChIIARIOCgMSAWIKAxIBbgoCCANCBAoAEA0="
)


def _tensor(name: str, *shape: int) -> NDArray[np.float32]:
    values = np.sin(np.arange(np.prod(shape)) * 0.7 + len(name)).astype(np.float32).reshape(shape) * np.float32(0.5)
    return values + np.float32("LayerNorm.weight" in name)


def _bert_tensors() -> dict[str, NDArray[np.float32]]:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (12, 8),
        "embeddings.position_embeddings.weight": (16, 8),
        "embeddings.token_type_embeddings.weight": (2, 8),
    }
    modules: dict[str, tuple[int, ...]] = {"embeddings.LayerNorm": (8,)}
    for layer in ("encoder.layer.0.", "encoder.layer.1."):
        modules |= {f"{layer}attention.self.{part}": (8, 8) for part in ("query", "key", "value")}
        modules |= {f"{layer}attention.output.dense": (8, 8), f"{layer}attention.output.LayerNorm": (8,)}
        modules |= {f"{layer}intermediate.dense": (16, 8), f"{layer}output.dense": (8, 16)}
        modules |= {f"{layer}output.LayerNorm": (8,)}
    for module, shape in modules.items():
        shapes |= {f"{module}.weight": shape, f"{module}.bias": shape[:1]}
    return {name: _tensor(name, *shape) for name, shape in shapes.items()}


def _write_safetensors(path: Path, tensors: dict[str, NDArray[np.float32]]) -> None:
    header, data = {}, b""
    for name, values in tensors.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(values.shape),
            "data_offsets": [len(data), len(data) + values.nbytes],
        }
        data += values.tobytes()
    text = json.dumps({"__metadata__": {"format": "pt"}} | header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def _write_tokenizer(path: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: i for i, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(path))


@pytest.fixture
def bert_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny-bert"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG))
    _write_safetensors(folder / "model.safetensors", _bert_tensors())
    _write_tokenizer(folder / "tokenizer.json")
    return folder


@pytest.fixture
def write_safetensors() -> Callable[[Path, dict[str, NDArray[np.float32]]], None]:
    return _write_safetensors


@pytest.fixture
def bert_tensors() -> dict[str, NDArray[np.float32]]:
    return _bert_tensors()


@pytest.fixture
def onnx_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny-onnx"
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(base64.b64decode(GATHER))
    _write_tokenizer(folder / "tokenizer.json")
    return folder


class HashEncoder:
    """Each word is a direction of its own, as good as random; counts how many documents it encoded."""

    fingerprint = "hash"

    def __init__(self) -> None:
        self.n_encoded = 0

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, hashlib.sha256(word.encode()).digest()[0] % 64] += 1
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(norms, 1e-9), dtype=np.float32)

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.n_encoded += len(texts)
        return self.encode_queries(texts)


@pytest.fixture
def hash_encoder() -> HashEncoder:
    return HashEncoder()


@pytest.fixture
def fruit() -> list[Document]:
    return [
        Document(doc_id="a", text="red apples and a pear"),
        Document(doc_id="b", text="the sky", title="Green pear"),
        Document(doc_id="c", text="cloud"),
    ]
