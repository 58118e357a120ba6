"""Writes an encoder as an ONNX graph of onnxruntime's fused operators (domain `com.microsoft`).

Inputs `input_ids` int64 and `attention_mask` int32, both (batch, tokens); output `embedding`
float32 (batch, width): the mean over the mask of the last layer, scaled to unit length.
"""

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from models.packed_e5 import BLOCK, Floats, PackedMatrix
from models.weights import Dense, Encoder, Layer, Norm

OPSET = 21  # the first with 4-bit tensors
FUSED = "com.microsoft"
LARGEST = 127


class _Graph:
    """Nodes and constants in the order they are added, and what holds for all of them."""

    def __init__(self, encoder: Encoder, *, int8: bool) -> None:
        self.heads, self.epsilon, self.int8 = encoder.heads, encoder.epsilon, int8
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, values: NDArray[np.generic]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def fused(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        return self.node(operator, inputs, output, domain=FUSED, **attributes)


def build(encoder: Encoder, *, name: str, int8: bool = True) -> onnx.ModelProto:
    """The graph. `int8`: the layers' weights with one scale an output column, and activations
    quantised as they come; else float32, to compare with.

    Without VNNI onnxruntime adds pairs of 8-bit products in 16 bits, which may saturate. Half the
    range (-63..63) would not, but was measured on such a processor to be worse for it: Cranfield's
    nDCG@10 is .380 instead of .382, which is the figure with VNNI too.
    """
    graph = _Graph(encoder, int8=int8)
    width = encoder.positions.shape[1]
    states = _embed(graph, encoder)
    for number, layer in enumerate(encoder.layers):
        states = _layer(graph, f"layer{number}", layer, states)
    _pool(graph, states)
    return helper.make_model(
        helper.make_graph(
            graph.nodes,
            name,
            [
                helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"]),
                helper.make_tensor_value_info(
                    "attention_mask", TensorProto.INT32, ["batch", "tokens"]
                ),
            ],
            [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", width])],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, 1)],
        ir_version=10,
        producer_name="palimpsest",
    )


def _embed(graph: _Graph, encoder: Encoder) -> str:
    words = encoder.words
    found = _packed_words(graph, words) if isinstance(words, PackedMatrix) else _words(graph, words)
    table = graph.constant("positions.table", encoder.positions)
    shape = graph.node("Shape", ["input_ids"], "positions.count", start=1, end=2)
    zero = graph.constant("positions.zero", np.array([0], np.int64))
    placed = graph.node("Slice", [table, zero, shape, zero], "positions.used")
    summed = graph.node("Add", [found, placed], "embedded")
    norm = encoder.embedding_norm
    scale = graph.constant("embedded.scale", norm.scale)
    shift = graph.constant("embedded.shift", norm.shift)
    return graph.node(
        "LayerNormalization", [summed, scale, shift], "state", epsilon=encoder.epsilon
    )


def _words(graph: _Graph, table: Floats) -> str:
    """Rows of an int8 table with one scale a row."""
    scales = np.abs(table).max(axis=1, keepdims=True) / LARGEST
    scales[scales == 0] = 1.0
    quants = np.rint(table / scales).astype(np.int8)
    rows = graph.node("Gather", [graph.constant("words.table", quants), "input_ids"], "words.rows")
    factors = graph.constant("words.scales", scales.astype(np.float32))
    factors = graph.node("Gather", [factors, "input_ids"], "words.factors")
    rows = graph.node("Cast", [rows], "words.floats", to=TensorProto.FLOAT)
    return graph.node("Mul", [rows, factors], "words")


def _packed_words(graph: _Graph, table: PackedMatrix) -> str:
    """Rows of the 4-bit table as it was delivered: two weights a byte, a scale for each 32."""
    halves = (table.quants & 0x0F).astype(np.uint8)
    data = (halves[:, 0::2] | (halves[:, 1::2] << 4)).tobytes()
    packed = helper.make_tensor("words.table", TensorProto.INT4, table.quants.shape, data, raw=True)
    graph.constants.append(packed)
    scales = graph.constant("words.scales", table.scales.astype(np.float32))
    return graph.fused(
        "GatherBlockQuantized",
        ["words.table", "input_ids", scales],
        "words",
        block_size=BLOCK,
        gather_axis=0,
        quantize_axis=1,
    )


def _layer(graph: _Graph, at: str, layer: Layer, states: str) -> str:
    attended = _attention(graph, f"{at}.attention", layer.qkv, states)
    projected = _matmul(graph, f"{at}.projection", layer.attention_output, attended)
    middle = [projected, states, graph.constant(f"{at}.middle.bias", layer.attention_output.bias)]
    states = _skip(graph, f"{at}.middle", middle, layer.attention_norm)
    inner = _matmul(graph, f"{at}.inner", layer.inner, states)
    bias = graph.constant(f"{at}.inner.bias", layer.inner.bias)
    active = graph.fused("BiasGelu", [inner, bias], f"{at}.active")
    outer = _matmul(graph, f"{at}.outer", layer.outer, active)
    end = [outer, states, graph.constant(f"{at}.state.bias", layer.outer.bias)]
    return _skip(graph, f"{at}.state", end, layer.output_norm)


def _quantise(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Symmetric int8, one scale an output column."""
    scales = np.abs(weight).max(axis=0) / LARGEST
    scales[scales == 0] = 1.0
    return np.rint(weight / scales).astype(np.int8), scales.astype(np.float32)


def _attention(graph: _Graph, at: str, qkv: Dense, states: str) -> str:
    bias = graph.constant(f"{at}.bias", qkv.bias)
    if not graph.int8:
        weight = graph.constant(f"{at}.weight", qkv.weight)
        inputs = [states, weight, bias, "attention_mask"]
        return graph.fused("Attention", inputs, at, num_heads=graph.heads)
    quants, scales = _quantise(qkv.weight)
    weight = graph.constant(f"{at}.weight", quants)
    scale = graph.constant(f"{at}.scale", scales)
    zeros = graph.constant(f"{at}.zeros", np.zeros(len(scales), np.int8))
    parts = [f"{at}.input", f"{at}.input.scale", f"{at}.input.zero"]
    graph.nodes.append(helper.make_node("DynamicQuantizeLinear", [states], parts, name=parts[0]))
    inputs = [parts[0], weight, bias, parts[1], scale, "attention_mask", parts[2], zeros]
    return graph.fused("QAttention", inputs, at, num_heads=graph.heads)


def _matmul(graph: _Graph, at: str, dense: Dense, states: str) -> str:
    if not graph.int8:
        return graph.node("MatMul", [states, graph.constant(f"{at}.weight", dense.weight)], at)
    quants, scales = _quantise(dense.weight)
    weight = graph.constant(f"{at}.weight", quants)
    scale = graph.constant(f"{at}.scale", scales)
    return graph.fused("DynamicQuantizeMatMul", [states, weight, scale], at)


def _skip(graph: _Graph, at: str, summed: list[str], norm: Norm) -> str:
    """The sum of a result, the states before it and a bias, normalised."""
    result, states, bias = summed
    scale = graph.constant(f"{at}.scale", norm.scale)
    shift = graph.constant(f"{at}.shift", norm.shift)
    inputs = [result, states, scale, shift, bias]
    return graph.fused("SkipLayerNormalization", inputs, at, epsilon=graph.epsilon)


def _pool(graph: _Graph, states: str) -> None:
    last = graph.constant("pool.last", np.array([-1], np.int64))
    tokens = graph.constant("pool.tokens", np.array([1], np.int64))
    mask = graph.node("Cast", ["attention_mask"], "pool.mask", to=TensorProto.FLOAT)
    mask = graph.node("Unsqueeze", [mask, last], "pool.weights")
    kept = graph.node("Mul", [states, mask], "pool.kept")
    # the mean's divisor would vanish in the scaling to unit length
    total = graph.node("ReduceSum", [kept, tokens], "pool.sum", keepdims=0)
    length = graph.node("ReduceL2", [total, last], "pool.length", keepdims=1)
    graph.node("Div", [total, length], "embedding")
