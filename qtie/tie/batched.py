"""The exported graph for many queries at once, each of as many word pieces: its weights stay in the exported file.

Activations are rounded to 8 bits with a scale for each query, so that its logits are those it has alone, bit for bit;
ONNX's own operator has one scale for all that it is given.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qtie.errors import require
from qtie.tie.encoder import batched_path

__all__ = ["export_batched"]

_DOMAIN = "qtie"
_LINEAR = """
<domain: "qtie", opset_import: ["": 17]>
Linear (x, weight, weight_step, weight_sum, bias) => (y)
{
    rows = Constant <value = int64[2] {0, -1}> ()
    each = Constant <value = int64[3] {-1, 1, 1}> ()
    all = Constant <value = int64[3] {1, 1, -1}> ()
    zero = Constant <value = float {0}> ()
    tiny = Constant <value = float {1e-30}> ()
    levels = Constant <value = float {255}> ()
    row = Reshape (x, rows)
    lowest = ReduceMin <axes = [1], keepdims = 0> (row)
    highest = ReduceMax <axes = [1], keepdims = 0> (row)
    least = Min (lowest, zero)
    most = Max (highest, tiny)
    range = Sub (most, least)
    step = Div (range, levels)
    below = Div (least, step)
    above = Neg (below)
    origin = Round (above)
    byte = Cast <to = 2> (origin)
    rounded = QuantizeLinear <axis = 0> (x, step, byte)
    product = MatMulInteger (rounded, weight)
    exact = Cast <to = 1> (product)
    origin_each = Reshape (origin, each)
    step_each = Reshape (step, each)
    too_much = Mul (origin_each, weight_sum)
    unit = Mul (step_each, weight_step)
    counted = Sub (exact, too_much)
    scaled = Mul (counted, unit)
    bias_all = Reshape (bias, all)
    y = Add (scaled, bias_all)
}
"""
"""A linear layer of (n_queries, n_pieces, n) activations: `DynamicQuantizeLinear` and what follows, query by query.

The sums of products are integers below 2**24 and so exact as floats; the operations are those of the runtime's kernel
for one query, in its order. A bias of one dimension would be added after the residual: the runtime fuses them so.
"""


def export_batched(path: Path) -> Path:
    """Writes beside an exported file its graph for many queries, which refers to the weights in it.

    Args:
        path: ONNX of ids and kinds (1, n_pieces), its linear layers quantized dynamically.
    """
    onnx = require("onnx", extra="train")
    model, exported = onnx.load(path), path.read_bytes()
    graph = model.graph
    nodes, sums = list(_for_many(onnx, graph)), list(_column_sums(onnx, graph))
    used = {name for node in nodes for name in node.input}
    tensors = [tensor for tensor in graph.initializer if tensor.name in used]
    for tensor in tensors:
        if len(tensor.dims) > 1:
            _refer(tensor, path.name, exported.index(tensor.raw_data))
    for value in (*graph.input, *graph.output, *graph.value_info):
        shape = value.type.tensor_type.shape.dim
        if len(shape) > 1:
            shape[0].dim_param = "queries"
    many = onnx.helper.make_graph(
        nodes, graph.name, graph.input, graph.output, [*tensors, *sums], value_info=graph.value_info
    )
    batched = onnx.helper.make_model(
        many,
        ir_version=model.ir_version,
        opset_imports=[*model.opset_import, onnx.helper.make_opsetid(_DOMAIN, 1)],
        functions=[onnx.parser.parse_function(_LINEAR)],
    )
    onnx.helper.set_model_props(batched, {"weights": hashlib.sha256(exported).hexdigest()})
    onnx.save(batched, batched_path(path))
    return batched_path(path)


def _for_many(onnx: Any, graph: Any) -> Iterator[Any]:
    """The nodes, with a `Linear` in the place of every linear layer's and shapes that begin with any number."""
    readers = {name: node for node in graph.node for name in node.input}
    linear, inner = {}, set()
    for rounding in (node for node in graph.node if node.op_type == "DynamicQuantizeLinear"):
        product, steps = (readers[name] for name in rounding.output[:2])
        cast = readers[product.output[0]]
        scaled = readers[cast.output[0]]
        added = readers[scaled.output[0]]
        weight, bias = product.input[1], added.input[0]
        inputs = [rounding.input[0], weight, steps.input[1], _sum_of(weight), bias]
        linear[added.output[0]] = onnx.helper.make_node("Linear", inputs, added.output, domain=_DOMAIN)
        inner |= {node.output[0] for node in (rounding, product, steps, cast, scaled)}
    shapes = {node.input[1] for node in graph.node if node.op_type == "Reshape"}
    for node in graph.node:
        name = node.output[0]
        if name in shapes:
            shape = onnx.numpy_helper.to_array(node.attribute[0].t)
            yield onnx.helper.make_node("Constant", [], [name], value_ints=[0, 0, *shape[2:]])
        elif name not in inner:
            yield linear.get(name, node)


def _column_sums(onnx: Any, graph: Any) -> Iterator[Any]:
    """For each product, what a step by which its activations' zero lies above 0 adds to it."""
    weights = {node.input[1] for node in graph.node if node.op_type == "MatMulInteger"}
    for tensor in graph.initializer:
        if tensor.name in weights:
            sums = onnx.numpy_helper.to_array(tensor).sum(axis=0, dtype="int32").astype("float32")
            yield onnx.numpy_helper.from_array(sums, _sum_of(tensor.name))


def _sum_of(weight: str) -> str:
    return f"{weight}_sum"


def _refer(tensor: Any, file: str, offset: int) -> None:
    """Leaves of a tensor where its numbers stand in a file."""
    place = {"location": file, "offset": offset, "length": len(tensor.raw_data)}
    tensor.ClearField("raw_data")
    tensor.data_location = tensor.EXTERNAL
    for key, value in place.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = key, str(value)
