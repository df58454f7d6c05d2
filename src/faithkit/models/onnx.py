"""The light engine: a network as an ONNX graph, run by onnxruntime on the processor.

A graph file has the operations and the names of the weights, not their values: those are taken from
the model's safetensors file when a session is opened, so that a model has one file of weights for
both engines. Graphs are written by `faithkit models export`.
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
"""The graph's file in a model's folder."""

STEPS = "steps"
"""Of quantised weights, the part of their name that in place of `weight` names the step of each
row."""

ERRORS_ONLY = 3
"""onnxruntime's level of messages."""

MASKED = np.float32(-1e30)
"""Added to an attention logit of padding."""


class Session:
    """An open graph with its weights.

    graph    the file
    weights  by the graph's names; those of int8 stay so, others become float32
    inputs   names of the inputs that it should have
    Raises ModelError where they do not fit each other, or the graph has other inputs.
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
        if {one.name for one in self._session.get_inputs()} != set(inputs):
            raise ModelError(
                f"{graph} was exported by another version of faithkit; "
                f"run: faithkit models export {graph.parent}"
            )

    def run(self, inputs: Mapping[str, np.ndarray]) -> list[Floats]:
        """The graph's outputs in its order."""
        outputs: list[Floats] = self._session.run(None, dict(inputs))
        return outputs


def _session(graph: Path, weights: Mapping[str, np.ndarray]) -> InferenceSession:
    from onnxruntime import InferenceSession, OrtValue, SessionOptions

    options = SessionOptions()
    options.log_severity_level = ERRORS_ONLY
    # A pass is one thread's work, and several run side by side (`batching.side_by_side`): so no
    # thread waits for another within a pass.
    options.intra_op_num_threads = 1
    options.add_external_initializers(
        list(weights), [OrtValue.ortvalue_from_numpy(value) for value in weights.values()]
    )
    return InferenceSession(graph.read_bytes(), options, providers=["CPUExecutionProvider"])


def in_rows(seen: np.ndarray) -> tuple[Ints, Ints]:
    """Tokens that are given one after the other, in rows with padding (`graph.Rows`): which of
    them is at a place of the rows, any in place of padding, [rows, tokens], and of each its place
    in the flattened rows, [all tokens].

    seen  [rows, tokens], whether a place has a token
    """
    spread: Ints = np.where(seen, np.cumsum(seen).reshape(seen.shape) - 1, 0)
    return spread, np.flatnonzero(seen)


def threads() -> int:
    """Passes at a time: OMP_NUM_THREADS as for torch, else one for each core of this process."""
    number = os.environ.get("OMP_NUM_THREADS", "")
    if number.isdecimal() and int(number):
        return int(number)
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1
