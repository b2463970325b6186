"""BERT's forward pass in NumPy: a sentence encoder from a safetensors folder, with neither torch nor ONNX.

Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding".
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qtie.errors import ConfigError

__all__ = ["Bert", "read_safetensors"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_DTYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}


def read_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    """The named tensors of a safetensors file, as views of the file on disk.

    Raises:
        ConfigError: the file is not one, or holds a type that NumPy has not (bfloat16, 8-bit floats).
    """
    try:
        with path.open("rb") as file:
            header_bytes = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(header_bytes))
        data = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + header_bytes)
        return {
            name: data[slice(*entry["data_offsets"])].view(_DTYPES[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except KeyError as error:
        raise ConfigError(f"{path}: tensors of type {error} cannot be read; one of {', '.join(_DTYPES)}") from None
    except (OSError, ValueError, AttributeError, MemoryError, OverflowError) as error:
        raise ConfigError(f"{path}: not a safetensors file: {error}") from None


class Bert:
    """A BERT encoder read from a folder with `config.json` and `model.safetensors`.

    Raises:
        ConfigError: the folder holds another architecture, or a file of it cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        config = _read_config(folder / "config.json")
        self.n_layers = int(config["num_hidden_layers"])
        self.n_heads = int(config["num_attention_heads"])
        self.n_positions = int(config["max_position_embeddings"])
        self._epsilon = np.float32(config.get("layer_norm_eps", 1e-12))
        tensors = read_safetensors(folder / "model.safetensors")
        self._weights = {
            name.removeprefix("bert."): np.asarray(tensor, dtype=np.float32)
            for name, tensor in tensors.items()
            if tensor.dtype.kind == "f"
        }
        missing = [name for name in _expected(self.n_layers) if name not in self._weights]
        if missing:
            raise ConfigError(f"{folder / 'model.safetensors'}: no tensor {missing[0]!r}; not a BERT encoder")

    def __call__(self, ids: Ints, mask: Ints) -> Floats:
        """Token embeddings of the last layer.

        Args:
            ids: token ids, shape (n_texts, n_tokens).
            mask: 1 for tokens and 0 for padding, of the same shape.

        Returns:
            Shape (n_texts, n_tokens, n_dimensions).
        """
        weights = self._weights
        hidden = weights["embeddings.word_embeddings.weight"][ids]
        hidden += weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        hidden += weights["embeddings.token_type_embeddings.weight"][0]
        hidden = self._layer_norm(hidden, "embeddings.LayerNorm")
        bias = np.where(mask[:, None, None, :] > 0, np.float32(0), np.float32(-1e9))
        for layer in range(self.n_layers):
            hidden = self._layer(hidden, bias, f"encoder.layer.{layer}.")
        return hidden

    def _layer(self, hidden: Floats, bias: Floats, name: str) -> Floats:
        context = self._linear(self._attention(hidden, bias, name + "attention.self."), name + "attention.output.dense")
        hidden = self._layer_norm(hidden + context, name + "attention.output.LayerNorm")
        inner = _gelu(self._linear(hidden, name + "intermediate.dense"))
        return self._layer_norm(hidden + self._linear(inner, name + "output.dense"), name + "output.LayerNorm")

    def _attention(self, hidden: Floats, bias: Floats, name: str) -> Floats:
        n_texts, n_tokens, n_dimensions = hidden.shape
        size = n_dimensions // self.n_heads
        query, key, value = (
            self._linear(hidden, name + part).reshape(n_texts, n_tokens, self.n_heads, size).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        weights = query @ key.transpose(0, 1, 3, 2)
        weights *= np.float32(size**-0.5)
        weights += bias
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        context = np.asarray(weights @ value, dtype=np.float32)
        return context.transpose(0, 2, 1, 3).reshape(hidden.shape)

    def _linear(self, hidden: Floats, name: str) -> Floats:
        weight = self._weights[name + ".weight"]
        result = hidden.reshape(-1, hidden.shape[-1]) @ weight.T  # one large product is faster than one per text
        result += self._weights[name + ".bias"]
        linear: Floats = result.reshape(*hidden.shape[:-1], len(weight))
        return linear

    def _layer_norm(self, hidden: Floats, name: str) -> Floats:
        centred: Floats = hidden - hidden.mean(axis=-1, keepdims=True)
        variance = np.einsum("...i,...i->...", centred, centred)[..., None] / np.float32(hidden.shape[-1])
        centred /= np.sqrt(variance + self._epsilon)
        centred *= self._weights[name + ".weight"]
        centred += self._weights[name + ".bias"]
        return centred


def _gelu(x: Floats) -> Floats:
    """x·Φ(x), in place; erf by Abramowitz & Stegun 7.1.26 (error below 2e-7), in blocks that fit the cache."""
    flat = x.reshape(-1)
    for start in range(0, flat.size, 65_536):
        block = flat[start : start + 65_536]
        z = np.abs(block) * np.float32(2**-0.5)
        t = 1 / (1 + np.float32(0.3275911) * z)
        polynomial = np.full_like(t, 1.061405429)
        for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            polynomial *= t
            polynomial += np.float32(coefficient)
        tail = polynomial * t * np.exp(-z * z) * np.float32(0.5)  # 1 − Φ(|x|)
        block *= np.where(block < 0, tail, 1 - tail)
    return x


def _expected(n_layers: int) -> list[str]:
    names = [f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type")]
    modules = ["embeddings.LayerNorm"]
    parts = ("query", "key", "value")
    for layer in range(n_layers):
        prefix = f"encoder.layer.{layer}."
        modules += [f"{prefix}attention.self.{part}" for part in parts]
        modules += [prefix + part for part in ("attention.output.dense", "attention.output.LayerNorm")]
        modules += [prefix + part for part in ("intermediate.dense", "output.dense", "output.LayerNorm")]
    return names + [f"{module}.{kind}" for module in modules for kind in ("weight", "bias")]


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        kind = config.get("model_type"), config.get("hidden_act"), config.get("position_embedding_type", "absolute")
        _ = [int(config[name]) for name in ("num_hidden_layers", "num_attention_heads", "max_position_embeddings")]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path}: not the configuration of an encoder: {error!r}") from None
    if kind != ("bert", "gelu", "absolute"):
        raise ConfigError(f"{path}: only BERT with GELU and absolute positions is read from safetensors, not {kind}")
    return config  # type: ignore[no-any-return]
