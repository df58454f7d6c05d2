"""Exports a layer of a BERT encoder as an ONNX graph without weights. Every export is compared with
torch. Needs torch and the package onnx.
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
"""The largest allowed difference of a state between the engines: absolute, or relative for a state
above 1."""

TEXTS = (
    "The council of Brookfield voted on Tuesday to spend 1.9 million pounds on a new library.",
    "Critics said that the money should go to the bridge, which was closed in 2019, or to one of "
    "the seven schools whose roofs the mayor, Anna Reyes, had promised to mend before the winter.",
    "No.",
)
"""The texts on which the engines are compared: several lengths in one batch."""


def graph_of(shape: Shape) -> ModelProto:
    """The graph of one layer. Only the attention works on padded rows; everything else is computed
    for the tokens alone.

    Inputs (int64 unless noted):
    states  [all tokens, width], float32: the tokens of all rows in one sequence
    spread  [rows, tokens], the index of each token in that sequence; any index for padding
    kept    [all tokens], the index of each token in the flattened rows
    hidden  [rows, 1, 1, tokens], float32, added to the attention's logits: -1e30 for padding, else
            0

    Output: `changed`, the states after the layer. The initializers have the names of LAYER_PARTS;
    their values are external.
    """
    builder = Builder(shape)
    builder.layer(shape, "states", {part: part for part in LAYER_PARTS}, "changed")
    integers, floats = TensorProto.INT64, TensorProto.FLOAT
    inputs = [
        value_info("states", floats, ["all", shape.width]),
        value_info("spread", integers, ["rows", "tokens"]),
        value_info("kept", integers, ["all"]),
        value_info("hidden", floats, ["rows", 1, 1, "tokens"]),
    ]
    return builder.model("bert", inputs, [value_info("changed", floats, ["all", shape.width])])


def export(path: Path, graph: Path | None = None) -> float:
    """Writes the graph for the BERT encoder in a folder. Returns the largest difference between its
    states and torch's, measured as for TOLERANCE. Raises ModelError, and leaves no graph, if the
    folder does not hold a plain uncased BERT encoder or the difference is too large.

    graph  the file to write; default: beside the weights
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
    onnx = OnnxBert(path, light[0], graph)
    torch_engine = TorchEngine(path, config, path.name, "cpu", "float32")
    limit = onnx.context - len(onnx.front) - len(onnx.back)
    rows = [[*onnx.front, *ids[:limit], *onnx.back] for ids, _ in onnx.tokenize(TEXTS)]
    ids, mask = padded(rows, 0)
    is_token = mask == 1
    differences = []
    for layer in range(light[0].layers + 1):
        onnx_states = onnx.states(ids, mask, layer)
        torch_states = torch_engine.states(ids, mask, layer)
        scale = np.maximum(1, np.abs(torch_states))
        differences.append(float((np.abs(onnx_states - torch_states) / scale)[is_token].max()))
    return max(differences)
