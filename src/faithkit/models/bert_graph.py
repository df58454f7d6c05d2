"""A layer of a BERT encoder as an ONNX graph without weights, and its export: the encoder is
compared with torch every time. Needs torch and the package onnx.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import ModelProto, TensorProto

from faithkit.models.batching import padded
from faithkit.models.bert_files import read_plain_bert
from faithkit.models.bert_onnx import OnnxBert, read_light_bert
from faithkit.models.embeddings_torch import TorchEngine
from faithkit.models.graph import LAYER_PARTS, Builder, value_info
from faithkit.models.identity import read_config
from faithkit.models.onnx import GRAPH
from faithkit.models.shape import Shape
from faithkit.records import ModelError

TOLERANCE = 1e-5
"""Largest difference of a state between the engines, absolute, or relative where it is over 1."""

TEXTS = (
    "The council of Brookfield voted on Tuesday to spend 1.9 million pounds on a new library.",
    "Critics said that the money should go to the bridge, which was closed in 2019, or to one of "
    "the seven schools whose roofs the mayor, Anna Reyes, had promised to mend before the winter.",
    "No.",
)
"""What the engines are compared on: texts of several lengths in one batch."""


def graph_of(shape: Shape) -> ModelProto:
    """One layer. Inputs, int64 where not said otherwise; padding is in the attention only, and
    nothing else is computed for it:

    states  [all tokens, width], float32, of all rows one after the other
    spread  [rows, tokens], which of all tokens is there; any in place of padding
    kept    [all tokens], of each its place in the flattened rows
    hidden  [rows, 1, 1, tokens], float32, added to the attention's logits: -1e30 of padding, else 0

    Output: `changed`, the states after the layer. The initializers have the names of LAYER_PARTS;
    their values are external.
    """
    builder = Builder(shape)

    at = {part: part for part in LAYER_PARTS}
    builder.layer(shape, "states", at, "changed")
    integers, floats = TensorProto.INT64, TensorProto.FLOAT
    inputs = [
        value_info("states", floats, ["all", shape.width]),
        value_info("spread", integers, ["rows", "tokens"]),
        value_info("kept", integers, ["all"]),
        value_info("hidden", floats, ["rows", 1, 1, "tokens"]),
    ]
    return builder.model("bert", inputs, [value_info("changed", floats, ["all", shape.width])])


def export(path: Path, graph: Path | None = None) -> float:
    """Writes the graph for the BERT encoder in a folder; returns the largest difference of its
    states from torch's, as TOLERANCE counts it. Raises ModelError where the folder holds no plain
    uncased BERT or the difference is too large, and then leaves no graph.

    graph  where to write it; default: beside the weights
    """
    config = read_config(path, path.name)
    if read_plain_bert(path, config) is None:
        raise ModelError(f"{path} holds no plain uncased BERT encoder, which alone can be exported")
    graph = graph or path / GRAPH
    graph.write_bytes(graph_of(Shape.of(path)).SerializeToString(deterministic=True))
    try:
        difference = compared(path, graph)
        if not difference <= TOLERANCE:
            raise ModelError(f"{path}: the export differs from torch by {difference:.1e}")
    except ModelError:
        graph.unlink()
        raise
    return difference


def compared(path: Path, graph: Path) -> float:
    """The largest difference between the states of the two engines after any layer."""
    config = read_config(path, path.name)
    light = read_light_bert(path, config)
    if light is None:
        raise ModelError(f"{path} holds no uncased BERT encoder that runs without torch")
    first = OnnxBert(path, light[0], graph)
    second = TorchEngine(path, config, path.name, "cpu", "float32")
    fits = first.context - len(first.front) - len(first.back)
    rows = [[*first.front, *ids[:fits], *first.back] for ids, _ in first.tokenize(TEXTS)]
    ids, mask = padded(rows, 0)
    seen = mask == 1
    return max(
        float((np.abs(one - other) / np.maximum(1, np.abs(other)))[seen].max())
        for layer in range(light[0].layers + 1)
        for one, other in [(first.states(ids, mask, layer), second.states(ids, mask, layer))]
    )
