"""The light engine: onnxruntime runs a network, given as an ONNX graph, on the processor.

A graph file holds the operations and the names of the weights. Their values are read from the
model's safetensors file when a session is opened, so both engines use the same file of weights.
`faithkit models export` writes graphs.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from faithkit.models.protocols import Floats, Ints
from faithkit.records import ModelError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

GRAPH = "network.onnx"
"""The name of the graph file in a model's folder."""

STEPS = "steps"
"""The end of the name of a quantised weight's steps, one step a row; the weight's own name ends in
`weight`."""

ERRORS_ONLY = 3
"""onnxruntime's logging level for errors."""

MASKED = np.float32(-1e30)
"""Added to the attention logits of padding."""


class Session:
    """A graph with its weights, ready to run.

    graph    the graph file
    weights  arrays by their names in the graph; int8 is kept, any other type becomes float32
    inputs   the names of the inputs that the graph must have

    Raises ModelError if the graph does not fit the weights, or has other inputs.
    """

    def __init__(
        self, graph: Path, weights: Mapping[str, np.ndarray], inputs: Collection[str]
    ) -> None:
        self._weights = {
            name: np.ascontiguousarray(value, np.int8 if value.dtype == np.int8 else np.float32)
            for name, value in weights.items()
        }
        try:
            self._session = _session(graph, self._weights)
        except Exception as error:  # onnxruntime's have no base of their own
            raise ModelError(f"{graph} does not fit its weights: {error}") from error
        if {graph_input.name for graph_input in self._session.get_inputs()} != set(inputs):
            raise ModelError(
                f"{graph} was exported by another version of faithkit; "
                f"run: faithkit models export {graph.parent}"
            )

    def run(self, inputs: Mapping[str, np.ndarray]) -> list[Floats]:
        """The outputs, in the order of the graph."""
        outputs: list[Floats] = self._session.run(None, dict(inputs))
        return outputs


def _session(graph: Path, weights: Mapping[str, np.ndarray]) -> InferenceSession:
    from onnxruntime import InferenceSession, OrtValue, SessionOptions

    options = SessionOptions()
    options.log_severity_level = ERRORS_ONLY
    # A pass is one thread's work, and several run side by side (`batching.map_in_threads`): so no
    # thread waits for another within a pass.
    options.intra_op_num_threads = 1
    options.add_external_initializers(
        list(weights), [OrtValue.ortvalue_from_numpy(value) for value in weights.values()]
    )
    return InferenceSession(graph.read_bytes(), options, providers=["CPUExecutionProvider"])


def in_rows(is_token: np.ndarray) -> tuple[Ints, Ints]:
    """The two mappings of `graph.Rows` between the sequence of all tokens and padded rows: the
    index of each token in the sequence, [rows, tokens] (0 for padding), and the index of each token
    in the flattened rows, [all tokens].

    is_token  [rows, tokens], True for a token and False for padding
    """
    token_indices: Ints = np.where(is_token, np.cumsum(is_token).reshape(is_token.shape) - 1, 0)
    return token_indices, np.flatnonzero(is_token)


def threads() -> int:
    """How many forward passes run at a time: OMP_NUM_THREADS, as for torch; otherwise one for each
    core that this process may use."""
    number = os.environ.get("OMP_NUM_THREADS", "")
    if number.isdecimal() and int(number):
        return int(number)
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1
