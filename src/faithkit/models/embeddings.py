"""Encoders: texts to token states at any layer, and to sentence embeddings.

Any Hugging Face encoder (BERT, RoBERTa, MPNet, DeBERTa, ...): a plain BERT is read by `bert.py`,
every other by transformers. Where a model is kept is in `store.py`; what the vectors are used for,
in the metrics.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch

from faithkit.models import hf
from faithkit.models.batching import TokenBudget, batches
from faithkit.models.bert import read_bert
from faithkit.models.identity import model_id
from faithkit.models.protocols import ENGLISH, Floats, TokenStates
from faithkit.models.store import ARTEFACTS
from faithkit.records import ConfigError, ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BUDGET = TokenBudget(512, 4096)
"""A few hundred tokens fill a core; in more, short sentences are padded to the longest (4,096 took
1.3 to 1.9 times as long on one core)."""

# The default layer of an encoder for token matching. `mini`: a sweep on bump1 and qags_xsum
# (bench/layers.py). `base`: an earlier trial on other data, not repeated. The published one: [MFAS]
# for roberta-large-mnli. Any other: two thirds of its depth.
DEFAULT_LAYERS = {"mini": 5, "base": 4, "roberta-large-mnli": 8}


class _Model(Protocol):
    """Ids and mask [rows, tokens] to hidden states [rows, tokens, width] after a layer."""

    width: int

    def __call__(self, ids: torch.Tensor, mask: torch.Tensor, layer: int) -> torch.Tensor: ...


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What an encoder needs to run. context: tokens that fit, special ones included; front, back:
    ids of the special tokens around a text."""

    model: _Model
    tokenizer: Tokenizer
    context: int
    front: list[int]
    back: list[int]


class Encoder:
    """A transformer encoder in a folder. Satisfies TokenEncoder and SentenceEmbedder.

    The weights are read at the first text, so a run whose every score is cached starts at once.
    """

    def __init__(
        self, path: Path, *, id: str, device: str | None = None, dtype: str | None = None
    ) -> None:
        self.id = id
        self.language = ENGLISH if _is_english(id) else None
        self._path, self._device, self._dtype = path, device or "cpu", dtype or "float32"
        config = hf.read_config(path, id)
        try:
            self.layers = int(config.get("num_hidden_layers") or config["n_layers"])
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{id}: {path} has no config.json of an encoder: {error!r}") from error
        self.default_layer = DEFAULT_LAYERS.get(
            id.partition("@")[0].rpartition("/")[2], max(1, round(self.layers * 2 / 3))
        )
        self._config = config

    @cached_property
    def _loaded(self) -> _Loaded:
        bert = read_bert(self._path, self._config, device=self._device, dtype=self._dtype)
        model, tokenizer, context = bert or self._by_transformers()
        # Texts are cut and padded here, whatever tokenizer.json says.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        plain = tokenizer.encode("a", add_special_tokens=False).ids
        around = hf.around(plain, tokenizer.encode("a").ids, self.id)
        return _Loaded(model, tokenizer, context, *around)

    def _by_transformers(self) -> tuple[_Model, Tokenizer, int]:
        """(model, tokenizer, context in tokens) of any encoder."""
        model, tokenizer = hf.read(
            "", self._path, self.id, "encoder", self._device, self._dtype, unread="pooler."
        )
        if not tokenizer.is_fast:
            raise ModelError(f"{self.id}: needs a fast tokenizer (tokenizer.json) for offsets")
        limit = hf.input_limit(model.config, tokenizer, self.id)
        return _AnyModel(model), tokenizer.backend_tokenizer, limit

    @property
    def max_tokens(self) -> int:
        loaded = self._loaded
        return loaded.context - len(loaded.front) - len(loaded.back)

    @cached_property
    def _pooling(self) -> str:
        settings = self._path / "1_Pooling" / "config.json"
        cls = settings.is_file() and json.loads(settings.read_text()).get("pooling_mode_cls_token")
        return "cls" if cls else "mean"

    def encode_tokens(
        self, texts: Sequence[str], *, layer: int, windows: bool = False
    ) -> list[TokenStates]:
        """See `protocols.TokenEncoder`. layer: 0 (embeddings) to `layers`."""
        if not 0 <= layer <= self.layers:
            raise ConfigError(f"{self.id} has layers 0 to {self.layers}, asked for {layer}")
        encodings = self._tokenize(texts)
        pieces: list[tuple[int, int, int]] = []
        for index, (ids, _) in enumerate(encodings):
            stop = len(ids) if windows else min(len(ids), self.max_tokens)
            starts = range(0, max(stop, 1), self.max_tokens)
            pieces += [(index, start, min(start + self.max_tokens, stop)) for start in starts]
        inputs = [encodings[index][0][start:end] for index, start, end in pieces]
        parts: list[list[TokenStates]] = [[] for _ in texts]
        for number, vectors, ids in self._forward(inputs, layer):
            index, start, end = pieces[number]
            offsets = np.zeros((len(ids), 2), dtype=np.int64)
            front = len(self._loaded.front)
            if end > start:
                offsets[front : front + end - start] = encodings[index][1][start:end]
            # _forward gives pieces out of order; `start` puts a text's windows back in order.
            parts[index].append(TokenStates(vectors, offsets, ids, cut=start))
        return [
            _joined(sorted(windowed, key=lambda part: part.cut),
                    0 if windows else max(0, len(encoding[0]) - self.max_tokens))
            for windowed, encoding in zip(parts, encodings, strict=True)
        ]  # fmt: skip

    def embed(self, texts: Sequence[str]) -> Floats:
        """See `protocols.SentenceEmbedder`. A text longer than the context is embedded window by
        window and the windows' vectors are averaged by their length."""
        width = self._loaded.model.width
        total: Floats = np.zeros((len(texts), width), dtype=np.float32)
        pieces: list[tuple[int, list[int]]] = []
        for index, (ids, _) in enumerate(self._tokenize(texts)):
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
        return [ids for ids, _ in self._tokenize(texts)]

    def _tokenize(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        encodings = self._loaded.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [(encoding.ids, encoding.offsets) for encoding in encodings]

    def _forward(
        self, inputs: Sequence[list[int]], layer: int, unit: bool = True
    ) -> Iterator[tuple[int, Floats, Any]]:
        """(position in inputs, [tokens, width], ids with the special ones), longest first."""
        loaded = self._loaded
        full = [[*loaded.front, *ids, *loaded.back] for ids in inputs]
        budget = BUDGET.on(torch.device(self._device).type)
        for batch in batches([len(ids) for ids in full], budget):
            # What comes after a text is masked, so any id will do.
            ids, mask = hf.pad([full[number] for number in batch], 0)
            with torch.inference_mode():
                states = loaded.model(ids.to(self._device), mask.to(self._device), layer).float()
            if unit:
                states = torch.nn.functional.normalize(states, dim=-1)
            array = states.cpu().numpy()
            for row, number in enumerate(batch):
                length = len(full[number])
                yield number, array[row, :length], np.array(full[number])


class _AnyModel:
    """A transformers encoder, run to any of its layers."""

    def __init__(self, model: Any) -> None:
        self.width = int(model.config.hidden_size)
        self._model = model
        self._layers = int(model.config.num_hidden_layers)
        self._trunks: dict[int, Any] = {}

    def __call__(self, ids: torch.Tensor, mask: torch.Tensor, layer: int) -> torch.Tensor:
        states: torch.Tensor = self._trunk(layer)(ids, attention_mask=mask).last_hidden_state
        return states

    def _trunk(self, layer: int) -> Any:
        """The model with its first `layer` layers only, sharing the weights."""
        if layer == self._layers:
            return self._model
        if layer not in self._trunks:
            self._trunks[layer] = _first_layers(self._model, layer)
        return self._trunks[layer]


def _joined(parts: Sequence[TokenStates], cut: int) -> TokenStates:
    return TokenStates(
        np.concatenate([part.vectors for part in parts]),
        np.concatenate([part.offsets for part in parts]),
        np.concatenate([part.ids for part in parts]),
        cut,
    )


def _unit(vectors: Floats) -> Floats:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = (vectors / np.maximum(norms, 1e-12)).astype(np.float32)
    return unit


def _first_layers(model: Any, layer: int) -> Any:
    """A shallow copy whose stack of layers ends early. Raises ModelError on a model whose stack
    is not at `encoder.layer` or `transformer.layer`."""
    for name in ("encoder", "transformer"):
        stack = getattr(model, name, None)
        if stack is not None and isinstance(getattr(stack, "layer", None), torch.nn.ModuleList):
            trunk, short = _shallow(model), _shallow(stack)
            short.layer = stack.layer[:layer]
            setattr(trunk, name, short)
            return trunk
    raise ModelError(f"{type(model).__name__}: do not know where its layers are, so only its last "
                     "layer can be used")  # fmt: skip


def _shallow(module: torch.nn.Module) -> Any:
    copied = copy.copy(module)
    copied._modules = dict(module._modules)
    return copied


def _is_english(id: str) -> bool:
    """Whether these are the weights of an embedded encoder, all of which know English only, by
    whatever name they are loaded."""
    digest = id.rpartition("@")[2].partition("/")[0]
    embedded = (item for item in ARTEFACTS if "tokens" in item.roles)
    return bool(digest) and any(item.sha256.startswith(digest) for item in embedded)


def load_encoder(path: Path, name: str, *, device: str | None, dtype: str | None) -> Encoder:
    """The encoder in a folder of safetensors, config and tokenizer. Raises ModelError."""
    return Encoder(path, id=model_id(path, name, dtype), device=device, dtype=dtype)
