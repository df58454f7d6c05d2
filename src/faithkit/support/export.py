"""Export of a support model, so that it runs without torch and the encoder: beside its weights go
the network's graph, the encoder's word embeddings and the tokenizer. Weights stay as they are
(`export`) or are quantised (`quantised`).

Every export is compared with torch. Needs torch and onnx.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import nn

from faithkit import models
from faithkit.language.words import Segment
from faithkit.models.identity import model_id
from faithkit.models.onnx import GRAPH, STEPS
from faithkit.models.tensors import read_tensors
from faithkit.records import ConfigError, ModelError
from faithkit.support.encoders import (
    LAYERS,
    is_packed,
    is_quantised,
    read_rank,
    read_shape,
    read_tokenizer,
    read_words,
)
from faithkit.support.engine import OnnxEngine
from faithkit.support.evidence import Source
from faithkit.support.files import FROZEN, TOKENIZER, WEIGHTS, WORDS, read_settings
from faithkit.support.graph import graph_of
from faithkit.support.inputs import Batch, Input, attach_evidence, batch_of, encode
from faithkit.support.network import SupportNetwork, TorchEngine, logits, read_network
from faithkit.support.quantised import pack, quantise
from faithkit.support.sentences import read_sentences, read_source, read_summary

TOLERANCE = 1e-5
"""Largest difference of a logit between the engines, absolute, or relative where it is over 1."""

ROUNDED = 1.0
"""The same of quantised weights, where torch does not round what they are multiplied with. The
non-claim logit of "No." differs most, by up to .8."""

READ = 500
"""Pairs at most for whose inputs weights are rounded."""

TOGETHER = 8
"""Inputs of a pass over them."""

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
    encoder, encoder_id = _encoder_of(folder)
    if read_rank(folder) or read_shape(encoder).relative:
        raise ModelError(
            f"{folder}: the layers of an MPNet, and changes of layers, are exported "
            f"quantised alone; run: faithkit models quantise {folder} PAIRS -o NEW_FOLDER"
        )
    from safetensors.numpy import save

    words = {FROZEN: np.asarray(read_words(encoder)[:])}
    (folder / WORDS).write_bytes(save(words, metadata=_described(encoder, encoder_id)))
    shutil.copyfile(encoder / TOKENIZER, folder / TOKENIZER)
    return _finish(folder, encoder, TOLERANCE)


def quantised(folder: Path, output: Path, pairs: Sequence[tuple[str, str]] | None = None) -> float:
    """Writes the model in a folder to another one, exported, its matrices quantised
    (`quantised.py`) for the inputs of READ of these pairs of source and summary, evenly spaced;
    without pairs each number is rounded to the nearest, as in the training (`train.rounding`).
    Returns the largest difference of its logits from torch's with these weights, as ROUNDED counts
    it. Raises ModelError where that is too large, and then leaves no graph; ConfigError where the
    output is there, the pairs have no sentence, or there are none and the training was another."""
    from safetensors.numpy import save

    if output.exists() and not (output.is_dir() and not any(output.iterdir())):
        raise ConfigError(f"{output} exists; name a new folder")
    if pairs is None and not read_settings(folder).card.get("options", {}).get("rounded"):
        raise ConfigError(f"{folder} was not trained with --rounded; name pairs to round it for")
    encoder, encoder_id = _encoder_of(folder)
    network = read_network(folder, encoder)
    seen = {} if pairs is None else moments(network, _inputs(pairs, folder, encoder))
    values = {name: value.numpy() for name, value in network.state_dict().items()}
    words = _packed({FROZEN: values.pop(FROZEN)}, {})
    settings = read_tensors(folder / WEIGHTS).metadata
    output.mkdir(parents=True, exist_ok=True)
    (output / WEIGHTS).write_bytes(save(_packed(values, seen), metadata=dict(settings)))
    (output / WORDS).write_bytes(save(words, metadata=_described(encoder, encoder_id)))
    _write_tokenizer(encoder, output / TOKENIZER)
    return _finish(output, output, ROUNDED)


def _inputs(pairs: Sequence[tuple[str, str]], folder: Path, encoder: Path) -> list[Input]:
    """What the network of a folder reads of READ of these pairs, the shortest first."""
    settings, tokenizer = read_settings(folder), read_tokenizer(encoder)
    inputs = []
    for text, summary in pairs[:: max(1, len(pairs) // READ)][:READ]:
        source = Source(read_source(text, tokenizer, named=settings.named))
        for claim in read_summary(summary, tokenizer):
            reading = attach_evidence(claim, source, settings.budget, settings.length_power)
            inputs.append(encode(reading))
    if not inputs:
        raise ConfigError("no summary of these pairs has a sentence to round the weights for")
    return sorted(inputs, key=lambda encoded: len(encoded.ids))


def moments(network: SupportNetwork, inputs: Sequence[Input]) -> dict[str, np.ndarray]:
    """By the name of each weight the sum of x xᵀ over what it is multiplied with."""
    sums: dict[str, torch.Tensor] = {}

    def add(name: str, arguments: tuple[torch.Tensor, ...]) -> None:
        states = arguments[0].flatten(0, -2).float()
        sums[name] = sums.get(name, torch.zeros(())) + states.T @ states

    hooks = [
        part.register_forward_pre_hook(lambda _, inputs, name=name: add(f"{name}.weight", inputs))
        for name, part in network.named_modules()
        if isinstance(part, nn.Linear)
    ]
    for start in range(0, len(inputs), TOGETHER):
        logits(network, batch_of(inputs[start : start + TOGETHER]))
    for hook in hooks:
        hook.remove()
    return {name: total.double().numpy() for name, total in sums.items()}


def _encoder_of(folder: Path) -> tuple[Path, str]:
    """The encoder that the model in a folder was trained on, and its id. Raises ModelError."""
    settings = read_settings(folder)
    encoder, shown = models.resolve("tokens", settings.encoder)
    if (here := model_id(encoder, shown)) != settings.encoder_id:
        raise ModelError(f"{folder} was trained on {settings.encoder_id}, and {here} is here")
    return encoder, here


def _described(encoder: Path, encoder_id: str) -> dict[str, str]:
    shape = json.dumps(asdict(read_shape(encoder)), sort_keys=True)
    return {"encoder_id": encoder_id, "shape": shape}


def _packed(
    values: Mapping[str, np.ndarray], seen: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Large matrices and those of the layers quantised and packed; the rest in half precision."""
    tensors: dict[str, np.ndarray] = {}
    for name, value in values.items():
        if is_packed(name, value.shape):
            matrix = quantise(value, seen.get(name))
            tensors[name] = pack(matrix.codes.T if name.startswith(LAYERS) else matrix.codes)
            tensors[f"{name.removesuffix('.weight')}.{STEPS}"] = matrix.steps
        else:
            tensors[name] = value.astype(np.float16)
    return tensors


def _write_tokenizer(encoder: Path, path: Path) -> None:
    """The encoder's tokenizer with BERT's numbers."""
    file = json.loads((encoder / TOKENIZER).read_text(encoding="utf-8"))
    numbers = read_tokenizer(encoder).vocabulary
    size = read_shape(encoder).vocabulary
    file["model"]["vocab"] = {piece: id for piece, id in numbers.items() if 0 <= id < size}
    path.write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")


def _finish(folder: Path, encoder: Path, tolerance: float) -> float:
    """Writes the graph and compares it with torch."""
    tensors = read_tensors(folder / WEIGHTS).tensors
    graph = graph_of(read_shape(encoder), quantised=is_quantised(tensors))
    (folder / GRAPH).write_bytes(graph.SerializeToString(deterministic=True))
    difference = compared(folder, encoder)
    if not difference <= tolerance:
        (folder / GRAPH).unlink()
        raise ModelError(f"{folder}: the export differs from torch by {difference:.1e}")
    return difference


def compared(folder: Path, encoder: Path) -> float:
    """The largest difference between the logits of the two engines of an exported model."""
    batch = sample(encoder)
    first = OnnxEngine(folder, folder).logits(batch)
    second = TorchEngine(read_network(folder, encoder)).logits(batch)
    return max(
        float((np.abs(a - b) / np.maximum(1, np.abs(b))).max())
        for a, b in zip(first, second, strict=True)
    )


def sample(encoder: Path) -> Batch:
    """CLAIMS beside SOURCE."""
    tokenizer = read_tokenizer(encoder)
    source, claims = (
        read_sentences([Segment(0, len(text), text) for text in texts], tokenizer)
        for texts in (SOURCE, CLAIMS)
    )
    return batch_of([encode(attach_evidence(claim, Source(source))) for claim in claims])
