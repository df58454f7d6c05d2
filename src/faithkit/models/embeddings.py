"""Encoders: compute token states at any layer, and sentence embeddings.

An `Engine` runs the network: onnxruntime for a plain BERT in float32 on the processor
(`bert_onnx.py`), torch for every other encoder, device and number format (`embeddings_torch.py`).
Where models are stored is in `store.py`; what the vectors are used for, in the metrics. Imports no
model library.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from faithkit.models.batching import (
    TokenBudget,
    batches_for_threads,
    map_in_threads,
    padded,
    windows,
)
from faithkit.models.bert_files import PlainBert
from faithkit.models.bert_onnx import OnnxBert, read_light_bert
from faithkit.models.identity import model_id, read_config
from faithkit.models.protocols import ENGLISH, Floats, Ints, TokenStates
from faithkit.models.store import ARTEFACTS
from faithkit.records import ConfigError, ModelError

BUDGET = TokenBudget(512, 4096)
"""A few hundred tokens keep a core busy. Larger batches pad short sentences to the longest (4,096
tokens took 1.3 to 1.9 times as long on one core)."""

WINDOW = 4
"""Texts are sorted by length within this many batches for each thread."""

CHARACTERS = 4096
"""Characters of text that are tokenised at a time, for each thread."""

# The default layer of an encoder for token matching. `mini`: a sweep on bump1 and qags_xsum
# (bench/layers.py). `base`: an earlier trial on other data, not repeated. The published one: [MFAS]
# for roberta-large-mnli. Any other: two thirds of its depth.
DEFAULT_LAYERS = {"mini": 5, "base": 4, "roberta-large-mnli": 8}


class Engine(Protocol):
    """A loaded encoder.

    width        the width of its states
    context      the longest input in tokens, special tokens included
    front, back  ids of the special tokens before and after a text
    multiple     rows are padded to a multiple of this length
    threads      how many batches may run at a time
    """

    width: int
    context: int
    front: list[int]
    back: list[int]
    multiple: int
    threads: int

    def tokenize(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """The ids and character offsets of the tokens of each text, without special tokens.
        Characters that spell one, such as "[SEP]", are treated as ordinary text."""
        ...

    def states(self, ids: Ints, mask: Ints, layer: int) -> Floats:
        """States [rows, tokens, width] after a layer, 0 for the embeddings.

        ids   [rows, tokens]
        mask  [rows, tokens], 1 for a token and 0 for padding
        """
        ...


class Encoder:
    """A transformer encoder in a folder. Satisfies TokenEncoder and SentenceEmbedder.

    The weights are read when the first text is encoded, so a run with all scores in the cache
    starts at once. Raises ModelError if the folder has no config.json of an encoder.
    """

    def __init__(
        self, path: Path, *, id: str, device: str | None = None, dtype: str | None = None
    ) -> None:
        self.id = id
        self.language = ENGLISH if _is_english(id) else None
        self._path, self._device, self._dtype = path, device or "cpu", dtype or "float32"
        config = read_config(path, id)
        try:
            self.layers = int(config.get("num_hidden_layers") or config["n_layers"])
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{id}: {path} has no config.json of an encoder: {error!r}") from error
        self.default_layer = DEFAULT_LAYERS.get(
            id.partition("@")[0].rpartition("/")[2], max(1, round(self.layers * 2 / 3))
        )
        self._config = config

    @cached_property
    def engine(self) -> Engine:
        """The engine that runs the network, opened at its first use."""
        light = _light(self._path, self._config, self._dtype) if self._device == "cpu" else None
        if light is not None:
            return OnnxBert(self._path, *light, middle=self.default_layer)
        from faithkit.models.embeddings_torch import TorchEngine

        return TorchEngine(self._path, self._config, self.id, self._device, self._dtype)

    def forget(self) -> None:
        """Drops the states that the engine has cached."""
        forget = getattr(self.__dict__.get("engine"), "forget", None)
        if forget is not None:
            forget()

    def __getstate__(self) -> dict[str, Any]:
        """The state without the engine: a copy opens its own."""
        return {name: value for name, value in self.__dict__.items() if name != "engine"}

    @property
    def max_tokens(self) -> int:
        """See `protocols.TokenEncoder`."""
        engine = self.engine
        return engine.context - len(engine.front) - len(engine.back)

    @cached_property
    def _pooling(self) -> str:
        settings = self._path / "1_Pooling" / "config.json"
        cls = settings.is_file() and json.loads(settings.read_text()).get("pooling_mode_cls_token")
        return "cls" if cls else "mean"

    def encode_tokens(
        self, texts: Iterable[str], *, layer: int, windows: bool = False
    ) -> list[TokenStates]:
        """See `protocols.TokenEncoder`. layer: from 0 (embeddings) to `layers`; raises ConfigError
        on any other."""
        if not 0 <= layer <= self.layers:
            raise ConfigError(f"{self.id} has layers 0 to {self.layers}, asked for {layer}")
        encodings: list[tuple[list[int], list[tuple[int, int]]]] = []
        pieces: list[tuple[int, int, int]] = []

        def inputs() -> Iterator[list[int]]:
            for ids, offsets in self._tokenized(texts):
                index = len(encodings)
                encodings.append((ids, offsets))
                stop = len(ids) if windows else min(len(ids), self.max_tokens)
                for start in range(0, max(stop, 1), self.max_tokens):
                    pieces.append((index, start, min(start + self.max_tokens, stop)))
                    yield ids[slice(*pieces[-1][1:])]

        parts: dict[int, list[TokenStates]] = {}
        for number, vectors, ids in self._forward(inputs(), layer):
            index, start, end = pieces[number]
            offsets = np.zeros((len(ids), 2), dtype=np.int64)
            front = len(self.engine.front)
            if end > start:
                offsets[front : front + end - start] = encodings[index][1][start:end]
            # _forward gives pieces out of order; `start` puts a text's windows back in order.
            parts.setdefault(index, []).append(TokenStates(vectors, offsets, ids, cut=start))
        return [
            _joined(sorted(parts[index], key=lambda part: part.cut),
                    0 if windows else max(0, len(ids) - self.max_tokens))
            for index, (ids, _) in enumerate(encodings)
        ]  # fmt: skip

    def embed(self, texts: Sequence[str]) -> Floats:
        """See `protocols.SentenceEmbedder`. A text longer than the context is embedded window by
        window and the windows' vectors are averaged by their length."""
        width = self.engine.width
        total: Floats = np.zeros((len(texts), width), dtype=np.float32)
        pieces: list[tuple[int, list[int]]] = []
        for index, (ids, _) in enumerate(self.engine.tokenize(texts)):
            for start in range(0, max(len(ids), 1), self.max_tokens):
                pieces.append((index, ids[start : start + self.max_tokens]))
        inputs = [ids for _, ids in pieces]
        pooled = np.zeros((len(pieces), width), dtype=np.float32)
        for number, vectors, ids in self._forward(inputs, self.layers, unit=False):
            vector = vectors[0] if self._pooling == "cls" else vectors.mean(axis=0)
            pooled[number] = vector * len(ids)
        # Summed in the order of the text, so that the result does not depend on the batch.
        for (index, _), vector in zip(pieces, pooled, strict=True):
            total[index] += vector
        return _unit(total)

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """See `protocols.TokenEncoder`."""
        return [ids for ids, _ in self.engine.tokenize(texts)]

    def _tokenized(self, texts: Iterable[str]) -> Iterator[tuple[list[int], list[tuple[int, int]]]]:
        """As `Engine.tokenize`, a window of texts at a time."""
        for window in windows(texts, len, self._window(CHARACTERS)):
            yield from self.engine.tokenize(window)

    def _window(self, size: int) -> float:
        """How much is read before the network runs: `size` for each thread, or everything if there
        is only one thread, as nothing could run in the meantime."""
        return size * self.engine.threads if self.engine.threads > 1 else math.inf

    def _forward(
        self, inputs: Iterable[list[int]], layer: int, unit: bool = True
    ) -> Iterator[tuple[int, Floats, Any]]:
        """For each input, in any order: its position, its states [tokens, width] after the layer,
        and its ids with special tokens. Inputs are read while the network runs on earlier ones.

        unit  whether states are scaled to unit length
        """
        engine = self.engine
        sequences: list[list[int]] = []
        budget = BUDGET.on(self._device.partition(":")[0])

        def work() -> Iterator[list[int]]:
            for window in windows(inputs, len, self._window(WINDOW * budget)):
                start = len(sequences)
                sequences.extend([*engine.front, *ids, *engine.back] for ids in window)
                for batch in batches_for_threads(
                    list(map(len, sequences[start:])), budget, engine.threads
                ):
                    yield [start + number for number in batch]

        def run(batch: list[int]) -> tuple[list[int], Floats]:
            longest = len(sequences[batch[0]])
            width = min(-(-longest // engine.multiple) * engine.multiple, engine.context)
            # Padding is masked, so any id will do.
            ids, mask = padded([sequences[number] for number in batch], 0, width=width)
            states = engine.states(ids, mask, layer)
            if unit:
                norms = np.linalg.norm(states, axis=-1, keepdims=True)
                states = states / np.maximum(norms, 1e-12)
            return batch, states

        for batch, states in map_in_threads(run, work(), engine.threads):
            for row, number in enumerate(batch):
                length = len(sequences[number])
                yield number, states[row, :length], np.array(sequences[number])


def _joined(parts: Sequence[TokenStates], cut: int) -> TokenStates:
    """The windows of a text as one; cut: how many of its tokens were left out."""
    return TokenStates(
        np.concatenate([part.vectors for part in parts]),
        np.concatenate([part.offsets for part in parts]),
        np.concatenate([part.ids for part in parts]),
        cut,
    )


def _unit(vectors: Floats) -> Floats:
    """The rows scaled to unit length."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = (vectors / np.maximum(norms, 1e-12)).astype(np.float32)
    return unit


def _is_english(id: str) -> bool:
    """Whether the model id has the hash of an embedded encoder, whatever its name. All embedded
    encoders are for English only."""
    digest = id.rpartition("@")[2].partition("/")[0]
    embedded = (item for item in ARTEFACTS if "tokens" in item.roles)
    return bool(digest) and any(item.sha256.startswith(digest) for item in embedded)


def _light(
    path: Path, config: Mapping[str, Any], dtype: str | None
) -> tuple[PlainBert, Path] | None:
    """The settings and the graph for onnxruntime; None if it cannot run this encoder."""
    return read_light_bert(path, config) if dtype in (None, "float32") else None


def runs_light(path: Path, dtype: str | None) -> bool:
    """Whether onnxruntime can run the encoder in a folder on the processor. Raises ModelError if
    the folder has no config.json."""
    return _light(path, read_config(path, path.name), dtype) is not None


def load_encoder(path: Path, name: str, *, device: str | None, dtype: str | None) -> Encoder:
    """The encoder in a folder of safetensors, config and tokenizer. Raises ModelError."""
    return Encoder(path, id=model_id(path, name, dtype), device=device, dtype=dtype)
