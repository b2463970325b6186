"""From a trained network to the one file that ships: ONNX with 8-bit weights, tokenizer and calibration inside."""

import json
import warnings
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from qtie.errors import require
from qtie.tie.decoding import HEADS, Calibration

__all__ = ["export"]


def export(network: Any, path: Path, *, tokenizer: str, calibration: Calibration, about: dict[str, Any]) -> Path:
    """Writes the network to `path`, its weights as 8-bit integers with a scale for each output channel.

    Args:
        tokenizer: as JSON; goes into the file's metadata with `calibration` and `about`.
    """
    torch, onnx = require("torch", extra="train"), require("onnx", extra="train")
    quantization = require("onnxruntime.quantization", extra="train")
    network.eval()
    example = torch.ones((2, 7), dtype=torch.int64)
    axes = {0: "queries", 1: "pieces"}
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
    return path
