"""A plain BERT encoder by onnxruntime: float32 on the processor, without torch.

The graph is that of one layer and has no weights, so it serves every layer of every encoder of its
sizes. It is in the model's folder, where `faithkit models export` puts it, or among those that come
with faithkit (`graphs/`). Satisfies `embeddings.Engine`.
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
REMEMBERED_TOKENS = 32_768
"""Tokens whose states after the middle layer are kept: 50 MB at a width of 384."""

INPUTS = ("states", "spread", "kept", "hidden")
"""Of a layer's graph (`bert_graph.py`)."""

WEIGHTS = "model.safetensors"


def graph_name(shape: Shape) -> str:
    """The file of the graph of these sizes in GRAPHS."""
    return f"bert-layer-{shape.width}-{shape.heads}-{shape.inner}.onnx"


def read_light_bert(path: Path, config: Mapping[str, Any]) -> tuple[PlainBert, Path] | None:
    """The settings and the graph of the encoder in a folder; None where it is no plain uncased BERT
    or has no graph."""
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
    """The encoder in a folder. Raises ModelError where the graph does not fit the weights."""

    multiple = 16
    """Sums run in vectors of 8 or 16 numbers, so that other padding would change their order, and
    with it the last bits."""

    def __init__(self, path: Path, plain: PlainBert, graph: Path, middle: int = 0) -> None:
        """middle: the layer whose states are remembered for the texts that were read last, so that
        metrics over one encoder, which ask for it or for a later one, run it once; 0 for none."""
        self._graph = graph
        self._middle = middle
        self._known: dict[bytes, Floats] = {}
        self._known_tokens = 0
        self._remembering = Lock()
        self._tokenizer = read_wordpiece(path / TOKENIZER)
        self._tensors = read_tensors(path / WEIGHTS).tensors
        self._layers: list[Session] = []
        self._opening = Lock()
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
            states = self._run(self._first(ids, mask), mask, 0, layer)
        else:
            states = self._run(self._middle_states(ids, mask), mask, self._middle, layer)
        return states[in_rows(mask == 1)[0]]

    def forget(self) -> None:
        """Drops the remembered states."""
        with self._remembering:
            self._known, self._known_tokens = {}, 0

    def _middle_states(self, ids: Ints, mask: Ints) -> Floats:
        """[all tokens, width] after the middle layer; computed where they are not remembered."""
        lengths = mask.sum(axis=1)
        keys = [row[:length].tobytes() for row, length in zip(ids, lengths, strict=True)]
        known = {key: self._known.get(key) for key in keys}
        new = [row for row, key in enumerate(keys) if known[key] is None]
        if new:
            ids, mask = ids[new], mask[new]
            states = self._run(self._first(ids, mask), mask, 0, self._middle)
            found = np.split(states, np.cumsum(lengths[new])[:-1])
            known.update(zip((keys[row] for row in new), found, strict=True))
            self._remember([keys[row] for row in new], found)
        return np.concatenate([known[key] for key in keys])

    def _remember(self, keys: Sequence[bytes], states: Sequence[Floats]) -> None:
        with self._remembering:
            for key, some in zip(keys, states, strict=True):
                self._known_tokens += 0 if key in self._known else len(some)
                self._known.setdefault(key, some)
            while self._known_tokens > REMEMBERED_TOKENS:
                self._known_tokens -= len(self._known.pop(next(iter(self._known))))

    def _run(self, states: Floats, mask: Ints, start: int, stop: int) -> Floats:
        """[all tokens, width] after layer `stop`, from those after layer `start`."""
        seen = mask == 1
        spread, kept = in_rows(seen)
        hidden = np.where(seen, np.float32(0), MASKED)[:, None, None, :]
        for number in range(start, stop):
            inputs: tuple[np.ndarray, ...] = (states, spread, kept, hidden)
            (states,) = self._layer(number).run(dict(zip(INPUTS, inputs, strict=True)))
        return states

    def _first(self, ids: Ints, mask: Ints) -> Floats:
        seen = mask == 1
        return self._embed(ids[seen], np.flatnonzero(seen) % ids.shape[1])

    def _embed(self, ids: Ints, places: Ints) -> Floats:
        """[tokens, width], the first states of tokens at these positions of their rows."""
        words, places_table, kinds = (
            self._tensors[f"embeddings.{table}_embeddings.weight"]
            for table in ("word", "position", "token_type")
        )
        scale, shift = (
            self._tensors[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")
        )
        states = words[ids].astype(np.float32) + kinds[0] + places_table[places]
        states -= states.mean(axis=1, keepdims=True)
        variance = np.square(states).mean(axis=1, keepdims=True)
        normed: Floats = states / np.sqrt(variance + np.float32(NORM_EPSILON)) * scale + shift
        return normed

    def _layer(self, number: int) -> Session:
        """A layer, opened when it is first asked for."""
        with self._opening:
            while len(self._layers) <= number:
                at = f"encoder.layer.{len(self._layers)}"
                weights = {
                    f"{part}.{kind}": self._tensors[f"{at}.{name}.{kind}"]
                    for part, name in PARTS.items()
                    for kind in ("weight", "bias")
                }
                self._layers.append(Session(self._graph, weights, INPUTS))
        return self._layers[number]
