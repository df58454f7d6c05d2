"""Encoders run by torch: any Hugging Face encoder (BERT, RoBERTa, MPNet, DeBERTa, ...), on any
device and in any number format. `bert.py` reads a plain BERT, transformers any other. Satisfies
`embeddings.Engine`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch

from faithkit.models import hf
from faithkit.models.bert import read_bert
from faithkit.models.protocols import Floats, Ints
from faithkit.records import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class _Model(Protocol):
    """Maps ids and mask [rows, tokens] to hidden states [rows, tokens, width] after a layer."""

    width: int

    def __call__(self, ids: torch.Tensor, mask: torch.Tensor, layer: int) -> torch.Tensor: ...


class TorchEngine:
    """The encoder in a folder. Raises ModelError if the folder does not hold one."""

    multiple = 1
    threads = 1  # torch divides each operation among threads of its own

    def __init__(
        self, path: Path, config: Mapping[str, Any], id: str, device: str, dtype: str
    ) -> None:
        bert = read_bert(path, config, device=device, dtype=dtype)
        self.model, self._tokenizer, self.context = bert or _by_transformers(
            path, id, device, dtype
        )
        self._device = device
        # Texts are cut and padded elsewhere, whatever tokenizer.json says.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        plain = self._tokenizer.encode("a", add_special_tokens=False).ids
        self.front, self.back = hf.around(plain, self._tokenizer.encode("a").ids, id)
        self._tokenizer.encode_special_tokens = True
        self.width = self.model.width

    def tokenize(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """See `embeddings.Engine`."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [(encoding.ids, encoding.offsets) for encoding in encodings]

    def states(self, ids: Ints, mask: Ints, layer: int) -> Floats:
        """See `embeddings.Engine`."""
        id_tensor, mask_tensor = (torch.from_numpy(array).to(self._device) for array in (ids, mask))
        with torch.inference_mode():
            states: Floats = self.model(id_tensor, mask_tensor, layer).float().cpu().numpy()
        return states


def _by_transformers(path: Path, id: str, device: str, dtype: str) -> tuple[_Model, Tokenizer, int]:
    """The model, its tokenizer and its context in tokens, for any encoder."""
    model, tokenizer = hf.read("", path, id, "encoder", device, dtype, unread="pooler.")
    if not tokenizer.is_fast:
        raise ModelError(f"{id}: needs a fast tokenizer (tokenizer.json) for offsets")
    limit = hf.input_limit(model.config, tokenizer, id)
    return _TransformersModel(model), tokenizer.backend_tokenizer, limit


class _TransformersModel:
    """A transformers encoder that can be stopped after any of its layers."""

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


def _first_layers(model: Any, layer: int) -> Any:
    """A shallow copy of the model with only its first layers. Raises ModelError if its layers are
    not at `encoder.layer` or `transformer.layer`."""
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
    """A copy that shares its submodules, which can be replaced in the copy alone."""
    copied = copy.copy(module)
    copied._modules = dict(module._modules)
    return copied
