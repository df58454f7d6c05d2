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
    """

    encoder: str
    encoder_id: str
    calibration: Calibration
    non_claim: float
    decision: tuple[float, float]
    marked: float
    budget: int
    card: Mapping[str, Any]


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


def read_shape(encoder: Path) -> Shape:
    """The sizes of the encoder in a folder, or of the one that was exported there. Raises
    ModelError."""
    if not (encoder / WORDS).is_file():
        return Shape.of(encoder)
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
    """The tokenizer in an encoder's folder. Raises ModelError where it is not that of an uncased
    BERT."""
    return read_wordpiece(encoder / TOKENIZER)
