"""The files of a support model: weights with their settings, and which encoder they need.

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

from faithkit import models
from faithkit.models.identity import model_id
from faithkit.models.tensors import read_tensors
from faithkit.records import ModelError
from faithkit.support.calibration import Calibration
from faithkit.support.evidence import ANY_LENGTH

WEIGHTS = "model.safetensors"
FORMAT = 10
"""Raised when reading, evidence, codes, network or calibration change, so that older files are
refused."""

FROZEN = "words.weight"
"""The tensor that is the encoder's own."""

WORDS = "words.safetensors"
"""The encoder's word embeddings beside an exported model."""

TOKENIZER = "tokenizer.json"

ADAPTER = "adapter.json"
"""The file that makes a folder an adapter of `faithkit train nli`."""


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
    named                whether each sentence of a dialogue is read with who speaks it
                         (`sentences.read_source`)
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
    named: bool = False


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
        parts = raw.pop("calibration")
        parts |= {name: tuple(parts[name]) for name in ("word", "sentence")}
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
