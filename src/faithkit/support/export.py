"""Export of a support model: beside its weights go the network's graph, the encoder's word
embeddings in half precision and the tokenizer, so that it runs without torch and the encoder. Where
the weights are changes of the encoder's layers, the graph alone: it runs without torch then.

Every export is compared with torch. Needs torch and onnx.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np

from faithkit import models
from faithkit.language.words import Segment
from faithkit.models.identity import model_id
from faithkit.models.onnx import GRAPH
from faithkit.records import ModelError
from faithkit.support.encoders import read_rank, read_shape, read_tokenizer, read_words
from faithkit.support.engine import OnnxEngine
from faithkit.support.evidence import Source
from faithkit.support.files import FROZEN, TOKENIZER, WORDS, read_settings
from faithkit.support.inputs import Batch, batch_of, encode, read_evidence
from faithkit.support.network import TorchEngine, read_network
from faithkit.support.sentences import read_sentences

TOLERANCE = 1e-5
"""Largest difference of a logit between the engines, absolute, or relative where it is over 1."""

SOURCE = (
    "The council of Brookfield voted on Tuesday to spend 1.9 million pounds on a new library.",
    "Mayor Anna Reyes said building work would begin in March and might last two years.",
    "Critics said that the money should go to the bridge, which was closed in 2019.",
)
CLAIMS = (
    "Brookfield will build a library for £1.9m.",
    "Anna Reyes, who opposed the plan, said that the work would last at least five years, that the "
    "bridge on Route 9 had been closed by her in 2018, and that no member of the council would be "
    "asked before the spring of the year after next.",
    "No.",
)
"""What the engines are compared on: claims of several lengths beside their evidence."""


def export(folder: Path) -> float:
    """Exports the model in a folder; returns the largest difference of its logits from torch's, as
    TOLERANCE counts it. Raises ModelError where that is too large, and then leaves no graph."""
    from safetensors.numpy import save

    from faithkit.support.graph import graph_of

    settings = read_settings(folder)
    encoder, shown = models.resolve("tokens", settings.encoder)
    if (here := model_id(encoder, shown)) != settings.encoder_id:
        raise ModelError(f"{folder} was trained on {settings.encoder_id}, and {here} is here")
    shape = read_shape(encoder)
    if not read_rank(folder):
        if shape.relative:
            raise ModelError(
                f"{folder} runs by torch alone: of an MPNet only low-rank changes are exported."
            )
        words = np.array(read_words(encoder), dtype=np.float16)
        described = {"encoder_id": here, "shape": json.dumps(asdict(shape), sort_keys=True)}
        (folder / WORDS).write_bytes(save({FROZEN: words}, metadata=described))
        shutil.copyfile(encoder / TOKENIZER, folder / TOKENIZER)
    (folder / GRAPH).write_bytes(graph_of(shape).SerializeToString(deterministic=True))
    difference = compared(folder, encoder)
    if not difference <= TOLERANCE:
        (folder / GRAPH).unlink()
        raise ModelError(f"{folder}: the export differs from torch by {difference:.1e}")
    return difference


def compared(folder: Path, encoder: Path) -> float:
    """The largest difference between the logits of the two engines of an exported model."""
    batch = sample(encoder)
    own = encoder if read_rank(folder) else folder
    first = OnnxEngine(folder, own).logits(batch)
    second = TorchEngine(read_network(folder, encoder)).logits(batch)
    return max(
        float((np.abs(one - other) / np.maximum(1, np.abs(other))).max())
        for one, other in zip(first, second, strict=True)
    )


def sample(encoder: Path) -> Batch:
    """CLAIMS beside SOURCE."""
    tokenizer = read_tokenizer(encoder)
    source, claims = (
        read_sentences([Segment(0, len(text), text) for text in texts], tokenizer)
        for texts in (SOURCE, CLAIMS)
    )
    return batch_of([encode(read_evidence(claim, Source(source))) for claim in claims])
