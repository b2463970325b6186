"""From a trained network to the file that ships, and back: ONNX with 8-bit weights, tokenizer and calibration."""

import json
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from qtie.errors import ConfigError, require
from qtie.tie.batched import export_batched
from qtie.tie.decoding import HEADS, Calibration
from qtie.tie.network import NetworkSize, TieNetwork

__all__ = ["export", "restored"]


def export(network: Any, path: Path, *, tokenizer: str, calibration: Calibration, about: dict[str, Any]) -> Path:
    """Writes the network to `path`, its weights as 8-bit integers with a scale for each output channel.

    Its graph for many queries at once is written beside it.

    Args:
        tokenizer: as JSON; goes into the file's metadata with `calibration` and `about`.
    """
    torch, onnx = require("torch", extra="train"), require("onnx", extra="train")
    quantization = require("onnxruntime.quantization", extra="train")
    network.eval()
    example = torch.ones((1, 7), dtype=torch.int64)
    axes = {1: "pieces"}
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exact = Path(folder) / "exact.onnx"
        torch.onnx.export(
            network,
            (example, example),
            str(exact),
            input_names=["ids", "kinds"],
            output_names=["logits"],
            dynamic_axes=dict.fromkeys(("ids", "kinds", "logits"), axes),
            opset_version=17,
            dynamo=False,
        )
        quantization.quantize_dynamic(
            exact,
            path,
            per_channel=True,
            reduce_range=True,  # processors without VNNI add pairs of products in 16 bits
            weight_type=quantization.QuantType.QInt8,
        )
    model = onnx.load(path)
    texts = {
        "tokenizer": tokenizer,
        "heads": json.dumps(HEADS),
        "calibration": json.dumps(asdict(calibration)),
        "about": json.dumps(about),
    }
    for key, value in texts.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, path)
    export_batched(path)
    return path


def restored(path: Path, *, dropout: float = 0.1) -> tuple[TieNetwork, str]:
    """The network of a file that `export` wrote, with its rounded weights, and its tokenizer as JSON.

    Raises:
        ConfigError: it is no such file.
    """
    onnx, torch = require("onnx", extra="train"), require("torch", extra="train")
    try:
        model = onnx.load(path)
        tokenizer = {entry.key: entry.value for entry in model.metadata_props}["tokenizer"]
        tensors = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        weights = {name: torch.tensor(weight) for name, weight in _rounded(tensors)}
        plain = {name: torch.tensor(tensors[name]) for name in tensors if name.endswith((".weight", ".bias"))}
        n_layers = sum(name.endswith(".inner.bias") for name in plain)
        network = TieNetwork(NetworkSize(len(weights["pieces.weight"]), n_layers=n_layers), dropout=dropout)
        linear = [name for name, part in network.named_modules() if isinstance(part, torch.nn.Linear)]
        products = [weight.T for name, weight in weights.items() if name.startswith("onnx::MatMul")]
        named = {name: weight for name, weight in weights.items() if not name.startswith("onnx::")}
        named |= {f"{name}.weight": weight for name, weight in zip(linear, products, strict=True)}
        network.load_state_dict(plain | named)
    except Exception as error:  # protobuf's and PyTorch's own errors share no base class
        raise ConfigError(f"{path}: not a model that `qtie train tie` wrote: {error}") from error
    return network, tokenizer


def _rounded(tensors: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The weights that are kept in 8 bits, each with its name, in the order in which the network uses them."""
    for name, tensor in tensors.items():
        if name.endswith("_quantized"):
            weight = name.removesuffix("_quantized")
            zero = tensors[f"{weight}_zero_point"].astype("float32")
            yield weight, (tensor.astype("float32") - zero) * tensors[f"{weight}_scale"]
