"""Builds ONNX graphs without weights, operation by operation as torch computes them.

torch's own exporter is not used, because it merges weights that happen to be equal and folds their
values into the graph. The weights stay in the model's safetensors file (`onnx.py`). Needs the
package onnx.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from faithkit.models.bert_files import PARTS
from faithkit.models.onnx import STEPS
from faithkit.models.shape import Shape

OPSET, IR_VERSION = 20, 9
ELSEWHERE = "model.safetensors"

LAYER_PARTS = tuple(PARTS)
"""The parts of a BERT layer; each has a weight and a bias."""


class Rows(NamedTuple):
    """Names of the two inputs that map between the sequence of all tokens and padded rows.

    spread  [rows, tokens], the index of each token in the sequence; any index for padding
    kept    [all tokens], the index of each token in the flattened rows
    """

    spread: str = "spread"
    kept: str = "kept"


class Builder:
    """Collects the nodes and initializers of a graph."""

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
        """Adds a node. Returns the name of its output."""
        output = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def constant(self, name: str, value: Any) -> str:
        """Adds an initializer with its value. Returns its name."""
        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def ints(self, name: str, *values: int) -> str:
        """Adds a vector of integers. Returns its name."""
        return self.constant(name, np.array(values, dtype=np.int64))

    def weight(self, name: str, *shape: int, kind: int = TensorProto.FLOAT) -> str:
        """Adds an initializer whose value is in the weights' file. Returns its name."""
        tensor = TensorProto(name=name, data_type=kind, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=ELSEWHERE)
        self.initializers.append(tensor)
        return name

    def linear(self, states: str, at: str, inner: int, outer: int, output: str = "") -> str:
        """A linear map from [rows, inner] to [rows, outer]; `at` is the name of its weights."""
        weight, bias = self.weight(f"{at}.weight", outer, inner), self.weight(f"{at}.bias", outer)
        return self.op("Gemm", states, weight, bias, transB=1, output=output)

    def projection(self, states: str, at: str, inner: int, outer: int) -> str:
        """A linear part of a layer, from [all tokens, inner] to [all tokens, outer]."""
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
        """Adds one BERT layer, from states [all tokens, width] to states of the same shape. The
        tokens are put into padded rows for the attention only. Returns the name of the output.

        at      the name of the weights of each of LAYER_PARTS
        asked   the tokens whose states are computed, if not of all; all tokens are attended to in
                any case. The name of the input with their indices in the sequence of all tokens,
                and the inputs that map them to rows
        hidden  the input that is added to the attention's logits, [rows, 1, 1, tokens] or
                [rows, heads, computed tokens, tokens]
        """
        width, op, tokens = shape.width, self.op, Rows()
        computed, query_rows = states, tokens
        if asked is not None:
            indices, query_rows = asked
            computed = op("Gather", states, indices)

        def by_head(states: str, part: str, rows: Rows, order: list[int]) -> str:
            projected = op("Gather", self.projection(states, at[part], width, width), rows.spread)
            return op("Transpose", op("Reshape", projected, self.by_head), perm=order)

        query = by_head(computed, "query", query_rows, [0, 2, 1, 3])
        value = by_head(states, "value", tokens, [0, 2, 1, 3])
        key = by_head(states, "key", tokens, [0, 2, 3, 1])
        weights = op("Add", op("Mul", op("MatMul", query, key), self.scale), hidden)
        mixed = op("MatMul", op("Softmax", weights, axis=-1), value)
        mixed = op("Reshape", op("Transpose", mixed, perm=[0, 2, 1, 3]), self.flat)
        mixed = op("Gather", mixed, query_rows.kept)
        attended = op("Add", self.projection(mixed, at["attended"], width, width), computed)
        computed = self.norm(attended, at["attended_norm"], width)
        inner = op("Gelu", self.projection(computed, at["inner"], width, shape.inner))
        changed = op("Add", self.projection(inner, at["outer"], shape.inner, width), computed)
        return self.norm(changed, at["outer_norm"], width, output)

    def model(
        self, name: str, inputs: list[ValueInfoProto], outputs: list[ValueInfoProto]
    ) -> ModelProto:
        """The graph of all nodes that were added."""
        graph = helper.make_graph(self.nodes, name, inputs, outputs, self.initializers)
        opset = [helper.make_opsetid("", OPSET)]
        return helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION)


class QuantisedBuilder(Builder):
    """A builder whose layers multiply integers.

    A weight is stored as int8 codes, transposed to [inner, outer], and as one step for each output
    under the name that ends in STEPS. States are rounded to 255 levels for each token by itself, so
    that the result of a token does not depend on the other tokens.
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
        """The states as integers around 128, and the step of each token. Computed once for all
        parts that read the same states."""
        if states not in self._rounded:
            op = self.op
            largest = op("ReduceMax", op("Abs", states), self.last, keepdims=1)
            step = op("Div", op("Max", largest, self.least), self.levels)
            shifted = op("Add", op("Div", states, step), self.middle)
            codes = op("Cast", op("Round", shifted), to=TensorProto.UINT8)
            self._rounded[states] = codes, step
        return self._rounded[states]


def value_info(name: str, kind: int, sizes: list[str | int]) -> ValueInfoProto:
    """The declaration of an input or output: its name, number type and sizes."""
    return helper.make_tensor_value_info(name, kind, sizes)
