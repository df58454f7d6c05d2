"""Recognises the folder of a plain BERT encoder and reads its settings. The engines that run it are
in `bert.py` (torch) and `bert_onnx.py`. Imports no model library.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOKENIZER = "tokenizer.json"
CLS, SEP = "[CLS]", "[SEP]"

PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "attended_norm": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "outer_norm": "output.LayerNorm",
}
"""The parts of a layer: name in our graphs to name in transformers' BertModel. Each part has a
weight and a bias."""


@dataclass(frozen=True, slots=True)
class PlainBert:
    """The settings of a plain BERT encoder.

    context    the longest input in tokens, special tokens included
    layers     number of layers
    tokenizer  the text of tokenizer.json
    """

    context: int
    layers: int
    tokenizer: str


def read_plain_bert(path: Path, config: Mapping[str, Any]) -> PlainBert | None:
    """The settings, if the folder holds a plain BERT encoder with BERT's own tokenizer; None for
    any other encoder, which transformers reads."""
    try:
        settings = json.loads((path / "tokenizer_config.json").read_text(encoding="utf-8"))
        tokenizer = (path / TOKENIZER).read_text(encoding="utf-8")
        if not (_plain_model(config) and _plain_tokenizer(json.loads(tokenizer), settings)):
            return None
        context = min(int(config["max_position_embeddings"]), int(settings["model_max_length"]))
        return PlainBert(context, int(config["num_hidden_layers"]), tokenizer)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # transformers reads it, or says what is wrong with it


def tensor_names(layers: int) -> set[str]:
    """The names of the tensors that the forward pass reads."""
    tables = ("word", "position", "token_type")
    parts = [
        f"encoder.layer.{number}.{part}" for number in range(layers) for part in PARTS.values()
    ]
    return {f"embeddings.{table}_embeddings.weight" for table in tables} | {
        f"{part}.{kind}" for part in ("embeddings.LayerNorm", *parts) for kind in ("weight", "bias")
    }


def _plain_model(config: Mapping[str, Any]) -> bool:
    """Whether config.json describes a BERT encoder without variations."""
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder")
        and "quantization_config" not in config
    )


def _plain_tokenizer(split: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Whether transformers, which reads both files, would build the tokenizer of tokenizer.json
    alone.

    split     the contents of tokenizer.json
    settings  the contents of tokenizer_config.json
    """
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "cls", "sep", "pad", "mask")}
    model = split["model"]
    return (
        settings.get("tokenizer_class") in ("BertTokenizer", "BertTokenizerFast")
        and all(settings.get(key, name) == name for key, name in names.items())
        and {token["content"] for token in split["added_tokens"]} == set(names.values())
        and split["normalizer"]
        == {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": settings.get("tokenize_chinese_chars", True),
            "strip_accents": settings.get("strip_accents"),
            "lowercase": settings.get("do_lower_case", True),
        }
        and split["pre_tokenizer"] == {"type": "BertPreTokenizer"}
        and model.get("type", "WordPiece") == "WordPiece"
        and model["continuing_subword_prefix"] == "##"
        and model["max_input_chars_per_word"] == 100
        and _framed(split["post_processor"])
    )


def _framed(processor: Mapping[str, Any]) -> bool:
    """Whether a text gets [CLS] before it and [SEP] after it."""
    if processor["type"] == "BertProcessing":
        return (processor["cls"][0], processor["sep"][0]) == (CLS, SEP)
    pieces = [next(iter(piece.items())) for piece in processor["single"]]
    return [(kind, piece["id"]) for kind, piece in pieces] == [
        ("SpecialToken", CLS), ("Sequence", "A"), ("SpecialToken", SEP),
    ]  # fmt: skip
