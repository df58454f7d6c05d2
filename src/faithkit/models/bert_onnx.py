"""A plain BERT encoder by onnxruntime: float32 on the processor, without torch.

A graph file holds one layer without weights, so it serves every layer of every encoder of the same
sizes. It is in the model's folder, if `faithkit models export` wrote one there, or in the package
(`graphs/`). Satisfies `embeddings.Engine`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from faithkit.models.bert_files import (
    CLS,
    PARTS,
    SEP,
    TOKENIZER,
    PlainBert,
    read_plain_bert,
    tensor_names,
)
from faithkit.models.onnx import GRAPH, MASKED, Session, in_rows, threads
from faithkit.models.protocols import Floats, Ints
from faithkit.models.shape import NORM_EPSILON, Shape
from faithkit.models.tensors import read_tensors
from faithkit.models.wordpiece import read_wordpiece
from faithkit.records import ModelError

GRAPHS = Path(__file__).with_name("graphs")
CACHED_TOKENS = 32_768
"""Tokens whose states after the middle layer are cached: 50 MB at a width of 384."""

INPUTS = ("states", "spread", "kept", "hidden")
"""The inputs of a layer's graph (`bert_graph.py`)."""

WEIGHTS = "model.safetensors"


def graph_name(shape: Shape) -> str:
    """The name of the graph file for these sizes in GRAPHS."""
    return f"bert-layer-{shape.width}-{shape.heads}-{shape.inner}.onnx"


def read_light_bert(path: Path, config: Mapping[str, Any]) -> tuple[PlainBert, Path] | None:
    """The settings and the graph file of the encoder in a folder; None if it is not a plain uncased
    BERT encoder, or if there is no graph for it."""
    plain = read_plain_bert(path, config)
    if plain is None or config.get("layer_norm_eps", NORM_EPSILON) != NORM_EPSILON:
        return None
    try:
        graphs = (path / GRAPH, GRAPHS / graph_name(Shape.of(path)))
        graph = next((graph for graph in graphs if graph.is_file()), None)
        has_weights = tensor_names(plain.layers) <= set(read_tensors(path / WEIGHTS).tensors)
        read_wordpiece(path / TOKENIZER)
    except (ModelError, KeyError):
        return None
    return (plain, graph) if graph and has_weights else None


class OnnxBert:
    """The encoder in a folder. Raises ModelError if the graph does not fit the weights."""

    multiple = 16
    """Sums are computed in vectors of 8 or 16 numbers, so padding to another length would change
    the order of summation, and with it the last bits."""

    def __init__(self, path: Path, plain: PlainBert, graph: Path, middle: int = 0) -> None:
        """middle: the layer whose states are cached for the most recent texts, so that several
        metrics that need this or a later layer run the earlier ones once; 0: nothing is cached."""
        self._graph = graph
        self._middle = middle
        self._cached: dict[bytes, Floats] = {}
        self._cached_tokens = 0
        self._cache_lock = Lock()
        self._tokenizer = read_wordpiece(path / TOKENIZER)
        self._tensors = read_tensors(path / WEIGHTS).tensors
        self._layers: list[Session] = []
        self._layers_lock = Lock()
        self.threads = threads()
        self.context = plain.context
        self.front = [self._tokenizer.vocabulary[CLS]]
        self.back = [self._tokenizer.vocabulary[SEP]]
        self.width = int(self._tensors["embeddings.LayerNorm.weight"].shape[0])

    def tokenize(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """See `embeddings.Engine`."""
        return [(encoding.ids, encoding.offsets) for encoding in map(self._tokenizer.encode, texts)]

    def states(self, ids: Ints, mask: Ints, layer: int) -> Floats:
        """See `embeddings.Engine`."""
        if not self._middle or layer < self._middle:
            states = self._run(self._embeddings(ids, mask), mask, 0, layer)
        else:
            states = self._run(self._middle_states(ids, mask), mask, self._middle, layer)
        return states[in_rows(mask == 1)[0]]

    def forget(self) -> None:
        """Empties the cache of states."""
        with self._cache_lock:
            self._cached, self._cached_tokens = {}, 0

    def _middle_states(self, ids: Ints, mask: Ints) -> Floats:
        """States [all tokens, width] after the middle layer, from the cache if they are there."""
        lengths = mask.sum(axis=1)
        keys = [row[:length].tobytes() for row, length in zip(ids, lengths, strict=True)]
        cached = {key: self._cached.get(key) for key in keys}
        missing = [row for row, key in enumerate(keys) if cached[key] is None]
        if missing:
            ids, mask = ids[missing], mask[missing]
            states = self._run(self._embeddings(ids, mask), mask, 0, self._middle)
            states_of_rows = np.split(states, np.cumsum(lengths[missing])[:-1])
            missing_keys = [keys[row] for row in missing]
            cached.update(zip(missing_keys, states_of_rows, strict=True))
            self._store(missing_keys, states_of_rows)
        return np.concatenate([cached[key] for key in keys])

    def _store(self, keys: Sequence[bytes], states: Sequence[Floats]) -> None:
        with self._cache_lock:
            for key, row_states in zip(keys, states, strict=True):
                self._cached_tokens += 0 if key in self._cached else len(row_states)
                self._cached.setdefault(key, row_states)
            while self._cached_tokens > CACHED_TOKENS:
                self._cached_tokens -= len(self._cached.pop(next(iter(self._cached))))

    def _run(self, states: Floats, mask: Ints, start: int, stop: int) -> Floats:
        """States [all tokens, width] after layer `stop`, from those after layer `start`."""
        is_token = mask == 1
        token_indices, row_positions = in_rows(is_token)
        hidden = np.where(is_token, np.float32(0), MASKED)[:, None, None, :]
        for number in range(start, stop):
            inputs: tuple[np.ndarray, ...] = (states, token_indices, row_positions, hidden)
            (states,) = self._layer(number).run(dict(zip(INPUTS, inputs, strict=True)))
        return states

    def _embeddings(self, ids: Ints, mask: Ints) -> Floats:
        """States [all tokens, width] before the first layer, of the tokens without the padding."""
        is_token = mask == 1
        positions = np.flatnonzero(is_token) % ids.shape[1]
        word_table, position_table, type_table = (
            self._tensors[f"embeddings.{table}_embeddings.weight"]
            for table in ("word", "position", "token_type")
        )
        scale, shift = (
            self._tensors[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")
        )
        words = word_table[ids[is_token]].astype(np.float32)
        states = words + type_table[0] + position_table[positions]
        states -= states.mean(axis=1, keepdims=True)
        variance = np.square(states).mean(axis=1, keepdims=True)
        normed: Floats = states / np.sqrt(variance + np.float32(NORM_EPSILON)) * scale + shift
        return normed

    def _layer(self, number: int) -> Session:
        """The session of a layer, opened at its first use."""
        with self._layers_lock:
            while len(self._layers) <= number:
                prefix = f"encoder.layer.{len(self._layers)}"
                weights = {
                    f"{part}.{kind}": self._tensors[f"{prefix}.{name}.{kind}"]
                    for part, name in PARTS.items()
                    for kind in ("weight", "bias")
                }
                self._layers.append(Session(self._graph, weights, INPUTS))
        return self._layers[number]
