"""Pieces of ONNX graphs without weights, operation by operation as torch computes them.

Written out, since an exporter of torch merges weights that are equal when it runs and folds their
values into the graph. The weights stay in the model's safetensors file (`onnx.py`). Needs the
package onnx.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from faithkit.models.onnx import STEPS
from faithkit.models.shape import Shape

OPSET, IR_VERSION = 20, 9
ELSEWHERE = "model.safetensors"

LAYER_PARTS = (
    "query", "key", "value", "attended", "attended_norm", "inner", "outer", "outer_norm",
)  # fmt: skip
"""The parts of a BERT layer; each has a weight and a bias."""


class Rows(NamedTuple):
    """Names of the inputs that say where tokens, given one after the other, are in padded rows.

    spread  [rows, tokens], which of all tokens is there; any in place of padding
    kept    [all tokens], of each its place in the flattened rows
    """

    spread: str = "spread"
    kept: str = "kept"


class Builder:
    """The nodes and initializers of a graph as they are added."""

    def __init__(self, shape: Shape) -> None:
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []
        self.epsilon = shape.epsilon
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
        """An initializer with its value."""
        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def ints(self, name: str, *values: int) -> str:
        """A vector of integers."""
        return self.constant(name, np.array(values, dtype=np.int64))

    def weight(self, name: str, *shape: int, kind: int = TensorProto.FLOAT) -> str:
        """An initializer whose value is in the weights' file."""
        tensor = TensorProto(name=name, data_type=kind, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=ELSEWHERE)
        self.initializers.append(tensor)
        return name

    def linear(self, states: str, at: str, inner: int, outer: int, output: str = "") -> str:
        """[rows, outer] from [rows, inner]."""
        weight, bias = self.weight(f"{at}.weight", outer, inner), self.weight(f"{at}.bias", outer)
        return self.op("Gemm", states, weight, bias, transB=1, output=output)

    def projection(self, states: str, at: str, inner: int, outer: int) -> str:
        """A linear part of a layer, [all tokens, outer] from [all tokens, inner]."""
        return self.linear(states, at, inner, outer)

    def norm(self, states: str, at: str, width: int, output: str = "") -> str:
        """Layer normalisation over the last axis."""
        scale, shift = self.weight(f"{at}.weight", width), self.weight(f"{at}.bias", width)
        return self.op(
            "LayerNormalization", states, scale, shift, axis=-1, epsilon=self.epsilon, output=output
        )

    def layer(
        self,
        shape: Shape,
        states: str,
        at: Mapping[str, str],
        output: str = "",
        asked: tuple[str, Rows] | None = None,
        hidden: str = "hidden",
    ) -> str:
        """One BERT layer, [all tokens, width] from the same, with the tokens in `Rows()` for the
        attention only.

        at      LAYER_PARTS to the names of their weights
        asked   tokens whose states alone are computed, though all are attended to: the name of the
                input that says which of all tokens they are, and where they are in their rows
        hidden  what is added to the attention's logits, [rows, 1, 1, tokens] or
                [rows, heads, tokens or those that are asked for, tokens]
        """
        width, op, tokens = shape.width, self.op, Rows()
        wanted, asking = states, tokens
        if asked is not None:
            which, asking = asked
            wanted = op("Gather", states, which)

        def by_head(states: str, part: str, rows: Rows, order: list[int]) -> str:
            projected = op("Gather", self.projection(states, at[part], width, width), rows.spread)
            return op("Transpose", op("Reshape", projected, self.by_head), perm=order)

        query = by_head(wanted, "query", asking, [0, 2, 1, 3])
        value = by_head(states, "value", tokens, [0, 2, 1, 3])
        key = by_head(states, "key", tokens, [0, 2, 3, 1])
        weights = op("Add", op("Mul", op("MatMul", query, key), self.scale), hidden)
        mixed = op("MatMul", op("Softmax", weights, axis=-1), value)
        mixed = op("Reshape", op("Transpose", mixed, perm=[0, 2, 1, 3]), self.flat)
        mixed = op("Gather", mixed, asking.kept)
        attended = op("Add", self.projection(mixed, at["attended"], width, width), wanted)
        wanted = self.norm(attended, at["attended_norm"], width)
        inner = op("Gelu", self.projection(wanted, at["inner"], width, shape.inner))
        changed = op("Add", self.projection(inner, at["outer"], shape.inner, width), wanted)
        return self.norm(changed, at["outer_norm"], width, output)

    def model(
        self, name: str, inputs: list[ValueInfoProto], outputs: list[ValueInfoProto]
    ) -> ModelProto:
        """The whole graph."""
        graph = helper.make_graph(self.nodes, name, inputs, outputs, self.initializers)
        opset = [helper.make_opsetid("", OPSET)]
        return helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION)


class QuantisedBuilder(Builder):
    """A builder whose layers multiply integers.

    Of the weights the graph has the codes transposed, [inner, outer], int8, and under the name of
    the bias with STEPS in its place each output's step. A token's states are rounded to 255 levels
    of their own, so that no other token shows in them.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.levels = self.constant("levels", np.float32(127))
        self.least = self.constant("least", np.float32(1e-30))
        self.middle = self.constant("middle", np.float32(128))
        self.middle_code = self.constant("middle_code", np.uint8(128))
        self.last = self.ints("last", -1)
        self._rounded: dict[str, tuple[str, str]] = {}

    def projection(self, states: str, at: str, inner: int, outer: int) -> str:
        op = self.op
        codes, step = self._round(states)
        weight = self.weight(f"{at}.weight", inner, outer, kind=TensorProto.INT8)
        steps = self.weight(f"{at}.{STEPS}", outer)
        bias = self.weight(f"{at}.bias", outer)
        product = op("MatMulInteger", codes, weight, self.middle_code)
        product = op("Mul", op("Cast", product, to=TensorProto.FLOAT), step)
        return op("Add", op("Mul", product, steps), bias)

    def _round(self, states: str) -> tuple[str, str]:
        """The states as integers around 128, and each token's step; once for all parts that read
        them."""
        if states not in self._rounded:
            op = self.op
            largest = op("ReduceMax", op("Abs", states), self.last, keepdims=1)
            step = op("Div", op("Max", largest, self.least), self.levels)
            shifted = op("Add", op("Div", states, step), self.middle)
            codes = op("Cast", op("Round", shifted), to=TensorProto.UINT8)
            self._rounded[states] = codes, step
        return self._rounded[states]


def value_info(name: str, kind: int, sizes: list[str | int]) -> ValueInfoProto:
    """An input or output of a graph."""
    return helper.make_tensor_value_info(name, kind, sizes)
