"""The files of a support model: weights with their settings, and what it needs of its encoder.

A trained model is one safetensors file, without pickle, and needs the folder of the encoder that it
was trained on, for the tokenizer and the frozen word embeddings. `faithkit models export` puts both
beside the weights (`export.py`), so that the encoder is not needed any more. Imports no model
library.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from faithkit import models
from faithkit.models.identity import model_id
from faithkit.models.shape import Shape
from faithkit.models.tensors import read_tensors
from faithkit.models.wordpiece import WordPiece, read_wordpiece
from faithkit.records import ModelError
from faithkit.support.calibration import Calibration
from faithkit.support.evidence import ANY_LENGTH

WEIGHTS = "model.safetensors"
FORMAT = 5
"""Raised when reading, evidence, codes or network change, so that older files are refused."""

FROZEN = "words.weight"
"""The tensor that is the encoder's own."""

WORDS = "words.safetensors"
"""The encoder's word embeddings beside an exported model."""

TOKENIZER = "tokenizer.json"

ADAPTER = "adapter.json"
"""The file that makes a folder an adapter of `faithkit train nli`."""

ENCODER_WORDS = "embeddings.word_embeddings.weight"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a trained support model needs beside its weights. It is the metadata of the weights'
    file, so that the file's hash covers it.

    encoder, encoder_id  whose word embeddings and tokens it reads
    calibration          from logits to probabilities
    non_claim            logit from which a sentence claims nothing
    decision             lower and upper of `protocols.Decision`
    marked               probability from which an unsupported word is worth showing
    budget               tokens of evidence
    card                 how it was trained and what it reached
    length_power         how much a sentence's length counts where evidence is chosen
                         (`evidence.LENGTH_POWER`)
    """

    encoder: str
    encoder_id: str
    calibration: Calibration
    non_claim: float
    decision: tuple[float, float]
    marked: float
    budget: int
    card: Mapping[str, Any]
    length_power: float = ANY_LENGTH


def read_settings(folder: Path) -> Settings:
    """What the weights' file says of itself. Raises ModelError where it is no support model."""
    try:
        metadata = read_tensors(folder / WEIGHTS).metadata
    except ModelError as error:
        raise ModelError(f"{folder} holds no support model: {error}") from error
    try:
        raw = json.loads(metadata["settings"])
        if raw.pop("format") != FORMAT:
            raise ModelError(f"{folder / WEIGHTS} was made for another version of faithkit")
        parts = {name: tuple(values) for name, values in raw.pop("calibration").items()}
        raw["decision"] = tuple(raw["decision"])
        return Settings(calibration=Calibration(**parts), **raw)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{folder} holds no support model ({error!r})") from error


def read_encoder(folder: Path, name: str, settings: Settings) -> Path:
    """The folder with the tokenizer and the word embeddings of the encoder that the model in a
    folder was trained on: itself if it was exported. Raises ModelError where they are of another
    encoder.

    name  the model's, for errors
    """
    if (folder / WORDS).is_file():
        encoder = folder
        here = read_tensors(folder / WORDS).metadata.get("encoder_id", "an unnamed one")
    else:
        encoder, shown = models.resolve("tokens", settings.encoder)
        here = model_id(encoder, shown)
    if here != settings.encoder_id:
        raise ModelError(
            f"{name} was trained on the encoder {settings.encoder_id}, and {here} is here"
        )
    return encoder


MPNET_WORDS, MPNET_POSITIONS = 4, 2
"""Rows of MPNet's tables that are before BERT's: its vocabulary is BERT's behind four special
pieces, and its first two positions are of padding."""

_MPNET_SPECIAL = {101: 0, 102: 2}
"""BERT's [CLS] and [SEP], and MPNet's."""


def _is_mpnet(encoder: Path) -> bool:
    config = json.loads((encoder / "config.json").read_text(encoding="utf-8"))
    return bool(config.get("model_type") == "mpnet")


def _mpnet_shape(encoder: Path) -> Shape:
    """The sizes of an MPNet, its tables in BERT's order."""
    config = json.loads((encoder / "config.json").read_text(encoding="utf-8"))
    return Shape(
        config["hidden_size"],
        config["num_hidden_layers"],
        config["num_attention_heads"],
        config["intermediate_size"],
        config["vocab_size"] - MPNET_WORDS - 1,  # its <mask> is the last
        config["max_position_embeddings"] - MPNET_POSITIONS,
        config["relative_attention_num_buckets"],
        config["layer_norm_eps"],
    )


def in_bert_order(words: np.ndarray) -> np.ndarray:
    """[vocabulary, width], MPNet's word embeddings as BERT numbers the words."""
    ordered = words[MPNET_WORDS:-1].copy()
    for ours, theirs in _MPNET_SPECIAL.items():
        ordered[ours] = words[theirs]
    return ordered


def read_shape(encoder: Path) -> Shape:
    """The sizes of the encoder in a folder, a BERT or an MPNet, or of the one that was exported
    there. Raises ModelError."""
    if not (encoder / WORDS).is_file():
        return _mpnet_shape(encoder) if _is_mpnet(encoder) else Shape.of(encoder)
    try:
        return Shape(**json.loads(read_tensors(encoder / WORDS).metadata["shape"]))
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{encoder / WORDS} is not written by an export ({error!r})") from error


def read_words(encoder: Path) -> np.ndarray:
    """[vocabulary, width], word embeddings, mapped into memory, in the format of their file. They
    are computed with in half precision, whatever their file has. Raises ModelError."""
    exported = (encoder / WORDS).is_file()
    path, name = (encoder / WORDS, FROZEN) if exported else (encoder / WEIGHTS, ENCODER_WORDS)
    words = read_tensors(path).tensors.get(name)
    if words is None:
        raise ModelError(f"{path} has no tensor {name}")
    return words


def read_tokenizer(encoder: Path) -> WordPiece:
    """The tokenizer in an encoder's folder, with BERT's numbers. Raises ModelError where it is not
    that of an uncased BERT or an MPNet."""
    tokenizer = read_wordpiece(encoder / TOKENIZER)
    if (encoder / WORDS).is_file() or not _is_mpnet(encoder):
        return tokenizer
    numbers = {piece: id - MPNET_WORDS for piece, id in tokenizer.vocabulary.items()}
    return WordPiece(numbers)
