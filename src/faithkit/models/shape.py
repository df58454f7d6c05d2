"""The sizes of a BERT encoder, the same for every engine that runs it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from faithkit.records import ModelError

NORM_EPSILON = 1e-12
"""BERT's value of what is added to the variance in every layer normalisation."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a BERT encoder, or of an encoder that differs from BERT in the last two fields.

    relative  the number of distances between words that the attention distinguishes (MPNet); 0 for
              BERT, which distinguishes none
    epsilon   added to the variance in every layer normalisation
    """

    width: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    relative: int = 0
    epsilon: float = NORM_EPSILON

    @classmethod
    def of(cls, folder: Path) -> Shape:
        """The sizes of the encoder in a folder. Raises ModelError if it is not a plain BERT."""
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
            raise ModelError(f"{folder}: the support network starts from a BERT encoder")
        return cls(
            config["hidden_size"],
            config["num_hidden_layers"],
            config["num_attention_heads"],
            config["intermediate_size"],
            config["vocab_size"],
            config["max_position_embeddings"],
        )
