"""BERT's forward pass on weights straight from safetensors.

Importing transformers' models takes longer than checking a summary, so the most common encoder is
run without them. `bert_files.py` decides which folders hold one; every other encoder is run by
transformers (`embeddings_torch.py`). A test checks that both give the same states.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional

from faithkit.models.bert_files import read_plain_bert, tensor_names

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class Bert:
    """A BERT encoder [Devlin et al. 2019, §3] without its pooler.

    config   `hidden_size`, `num_attention_heads`, `layer_norm_eps`
    weights  tensors by their names in transformers' BertModel
    """

    def __init__(self, config: Mapping[str, Any], weights: Mapping[str, torch.Tensor]) -> None:
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config.get("layer_norm_eps", 1e-12))
        self._weights = weights
        self.width = int(config["hidden_size"])

    def __call__(self, ids: torch.Tensor, mask: torch.Tensor, layer: int) -> torch.Tensor:
        """Hidden states [rows, tokens, width] after `layer` layers.

        ids   [rows, tokens]
        mask  [rows, tokens], 1 for a token and 0 for padding
        """
        tables = [f"embeddings.{kind}_embeddings.weight" for kind in ("word", "token_type")]
        words, kinds = (self._weights[name] for name in tables)
        positions = self._weights["embeddings.position_embeddings.weight"]
        states = self._norm("embeddings", words[ids] + kinds[0] + positions[: ids.shape[1]])
        attention_mask = None if bool(mask.all()) else mask[:, None, None, :].bool()
        for number in range(layer):
            states = self._layer(f"encoder.layer.{number}", states, attention_mask)
        return states

    def _layer(
        self, prefix: str, states: torch.Tensor, attention_mask: torch.Tensor | None
    ) -> torch.Tensor:
        """States [rows, tokens, width] after one layer, whose weights' names begin with `prefix`.

        attention_mask  [rows, 1, 1, tokens], True for a token; None if there is no padding
        """
        query, key, value = (
            self._linear(f"{prefix}.attention.self.{part}", states)
            .view(*states.shape[:2], self._heads, -1)
            .transpose(1, 2)
            for part in ("query", "key", "value")
        )
        attended = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=attention_mask
        )
        attended = self._linear(
            f"{prefix}.attention.output.dense", attended.transpose(1, 2).flatten(2)
        )
        states = self._norm(f"{prefix}.attention.output", attended + states)
        inner = functional.gelu(self._linear(f"{prefix}.intermediate.dense", states))
        return self._norm(
            f"{prefix}.output", self._linear(f"{prefix}.output.dense", inner) + states
        )

    def _linear(self, prefix: str, states: torch.Tensor) -> torch.Tensor:
        weights = self._weights
        return functional.linear(states, weights[f"{prefix}.weight"], weights[f"{prefix}.bias"])

    def _norm(self, prefix: str, states: torch.Tensor) -> torch.Tensor:
        scale, shift = (self._weights[f"{prefix}.LayerNorm.{name}"] for name in ("weight", "bias"))
        return functional.layer_norm(states, scale.shape, scale, shift, self._epsilon)


def read_bert(
    path: Path, config: Mapping[str, Any], *, device: str, dtype: str
) -> tuple[Bert, Tokenizer, int] | None:
    """The model, its tokenizer and its context in tokens, if the folder holds a plain BERT encoder
    with BERT's own tokenizer; None for any other encoder, which transformers reads."""
    from safetensors import SafetensorError, safe_open
    from tokenizers import Tokenizer

    plain = read_plain_bert(path, config)
    if plain is None:
        return None
    try:
        with safe_open(path / "model.safetensors", "pt") as file:
            weights = {
                name: file.get_tensor(name).to(device, getattr(torch, dtype))
                for name in tensor_names(plain.layers)
            }
    except (OSError, ValueError, KeyError, TypeError, SafetensorError):
        return None  # transformers reads it, or says what is wrong with it
    return Bert(config, weights), Tokenizer.from_str(plain.tokenizer), plain.context
