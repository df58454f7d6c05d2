"""The support network as an ONNX graph without weights, operation by operation as in `network.py`.

Written out, since an exporter of torch merges weights that are equal when it runs and folds their
values into the graph. `export.py` compares the two. Needs the package onnx.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from faithkit.support.inputs import CODES
from faithkit.support.shape import NORM_EPSILON, Shape

OPSET, IR_VERSION = 20, 9
ELSEWHERE = "model.safetensors"


def graph_of(shape: Shape) -> ModelProto:
    """Inputs, float32 where not said otherwise:

    embedded         [rows, tokens, width], the embeddings of the tokens' words
    codes, segments  [rows, tokens], int64, as in `inputs.Batch`
    hidden           [rows, 1, 1, tokens], added to the attention's logits: -1e30 of padding, else 0
    share            [rows, 1, tokens], each token's share in the mean over the claim
    pool             as in `inputs.Batch`
    Outputs: those of `SupportNetwork`. The initializers have the names of its tensors; their values
    are external.
    """
    builder = _Builder(shape)
    states, sizes = _embed(builder, shape)
    for number in range(shape.layers):
        states = _layer(builder, shape, f"layers.{number}", states, sizes)
    _heads(builder, shape, builder.op("Reshape", states, sizes))
    graph = helper.make_graph(
        builder.nodes, "support", _inputs(shape.width), _outputs(), builder.initializers
    )
    opset = [helper.make_opsetid("", OPSET)]
    return helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION)


class _Builder:
    """The nodes and initializers of a graph as they are added."""

    def __init__(self, shape: Shape) -> None:
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []
        width = shape.width // shape.heads
        self.flat = self.ints("flat", -1, shape.width)
        self.by_head = self.ints("by_head", 0, 0, shape.heads, width)
        self.scale = self.constant("scale", np.float32(width**-0.5))
        self.zero, self.one, self.two, self.three = (self.ints(f"int_{i}", i) for i in range(4))

    def op(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """A node; returns the name of its output."""
        output = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def constant(self, name: str, value: Any) -> str:
        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def ints(self, name: str, *values: int) -> str:
        return self.constant(name, np.array(values, dtype=np.int64))

    def weight(self, name: str, *shape: int) -> str:
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=ELSEWHERE)
        self.initializers.append(tensor)
        return name

    def linear(self, states: str, at: str, inner: int, outer: int, output: str = "") -> str:
        """[rows, outer] from [rows, inner]."""
        weight, bias = self.weight(f"{at}.weight", outer, inner), self.weight(f"{at}.bias", outer)
        return self.op("Gemm", states, weight, bias, transB=1, output=output)

    def norm(self, states: str, at: str, width: int) -> str:
        scale, shift = self.weight(f"{at}.weight", width), self.weight(f"{at}.bias", width)
        return self.op("LayerNormalization", states, scale, shift, axis=-1, epsilon=NORM_EPSILON)


def _embed(builder: _Builder, shape: Shape) -> tuple[str, str]:
    """The first states, [rows × tokens, width], and the sizes [rows, tokens, width]."""
    width = shape.width
    sizes = builder.op("Shape", "embedded")
    tokens = builder.op("Slice", sizes, builder.one, builder.two)
    table = builder.weight("positions.weight", shape.positions, width)
    states = "embedded"
    for name, rows in (("codes", CODES), ("segments", 2)):
        added = builder.op("Gather", builder.weight(f"{name}.weight", rows, width), name)
        states = builder.op("Add", states, added)
    places = builder.op("Slice", table, builder.zero, tokens, builder.zero)
    states = builder.norm(builder.op("Add", states, places), "norm", width)
    return builder.op("Reshape", states, builder.flat), sizes


def _layer(builder: _Builder, shape: Shape, at: str, states: str, sizes: str) -> str:
    """One layer, [rows × tokens, width] from the same."""
    width, op = shape.width, builder.op

    def by_head(part: str, order: list[int]) -> str:
        projected = op("Reshape", builder.linear(states, f"{at}.{part}", width, width), sizes)
        return op("Transpose", op("Reshape", projected, builder.by_head), perm=order)

    query, value = (by_head(part, [0, 2, 1, 3]) for part in ("query", "value"))
    key = by_head("key", [0, 2, 3, 1])
    weights = op("Add", op("Mul", op("MatMul", query, key), builder.scale), "hidden")
    mixed = op("MatMul", op("Softmax", weights, axis=-1), value)
    mixed = op("Reshape", op("Transpose", mixed, perm=[0, 2, 1, 3]), builder.flat)
    attended = op("Add", builder.linear(mixed, f"{at}.attended", width, width), states)
    states = builder.norm(attended, f"{at}.attended_norm", width)
    inner = op("Gelu", builder.linear(states, f"{at}.inner", width, shape.inner))
    changed = op("Add", builder.linear(inner, f"{at}.outer", shape.inner, width), states)
    return builder.norm(changed, f"{at}.outer_norm", width)


def _heads(builder: _Builder, shape: Shape, states: str) -> None:
    """The three outputs from states [rows, tokens, width]."""
    width, op, linear = shape.width, builder.op, builder.linear
    zero, one, two = builder.zero, builder.one, builder.two
    sizes = op("Shape", "pool")
    claim = op("Slice", sizes, two, builder.three)
    pooled = op("MatMul", "pool", op("Slice", states, zero, claim, one))
    words = op("Gelu", linear(op("Reshape", pooled, builder.flat), "word.0", width, width // 2))
    words = linear(words, "word.2", width // 2, 1)
    op("Reshape", words, op("Slice", sizes, zero, two), output="words")
    mean = op("Squeeze", op("MatMul", "share", states), one)
    cls = op("Squeeze", op("Slice", states, zero, one, one), one)
    both = op("Concat", cls, mean, axis=1)
    sentence = op("Gelu", linear(both, "sentence.0", 2 * width, width))
    linear(sentence, "sentence.2", width, 3, output="sentence")
    op("Squeeze", linear(mean, "non_claim", width, 1), one, output="non_claim")


def _inputs(width: int) -> list[ValueInfoProto]:
    integers, floats = TensorProto.INT64, TensorProto.FLOAT
    sizes: dict[str, tuple[int, list[str | int]]] = {
        "embedded": (floats, ["rows", "tokens", width]),
        "codes": (integers, ["rows", "tokens"]),
        "segments": (integers, ["rows", "tokens"]),
        "hidden": (floats, ["rows", 1, 1, "tokens"]),
        "share": (floats, ["rows", 1, "tokens"]),
        "pool": (floats, ["rows", "words", "claim"]),
    }
    return [helper.make_tensor_value_info(name, *kind) for name, kind in sizes.items()]


def _outputs() -> list[ValueInfoProto]:
    sizes = {"words": ["rows", "words"], "sentence": ["rows", 3], "non_claim": ["rows"]}
    return [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, size) for name, size in sizes.items()
    ]
