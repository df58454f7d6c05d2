"""The encoders of support models, BERT or MPNet [Song et al. 2020], as the network reads them:
sizes, tensors and tokenizers under the names and numbers of BERT. Imports no model library.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np

from faithkit.models.onnx import STEPS, threads
from faithkit.models.protocols import Ints
from faithkit.models.shape import Shape
from faithkit.models.tensors import read_tensors
from faithkit.models.wordpiece import WordPiece, read_wordpiece
from faithkit.records import ModelError
from faithkit.support.files import FROZEN, TOKENIZER, WEIGHTS, WORDS
from faithkit.support.quantised import Quantised, unpack

T = TypeVar("T")

SCALE = 2.0
"""What a low-rank change of a layer is multiplied by (`low_rank.py`). It is a part of what the
files of weights mean."""

DOWN, UP = "down", "up"

LAYERS = "layers."
"""How the names of the layers' tensors begin."""

ENCODER_WORDS = "embeddings.word_embeddings.weight"

EMBEDDINGS = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "positions",
    "embeddings.token_type_embeddings": "segments",
    "embeddings.LayerNorm": "norm",
    "encoder.relative_attention_bias": "relative",
}
BERT_LAYER = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "attended",
    "attention.output.LayerNorm": "attended_norm",
    "intermediate.dense": "inner",
    "output.dense": "outer",
    "output.LayerNorm": "outer_norm",
}
MPNET_LAYER = {
    "attention.attn.q": "query",
    "attention.attn.k": "key",
    "attention.attn.v": "value",
    "attention.attn.o": "attended",
    "attention.LayerNorm": "attended_norm",
}
LAYER = BERT_LAYER | MPNET_LAYER
"""Names of an encoder's tensors in transformers' BertModel and MPNetModel, and here."""


def renamed(weights: Mapping[str, T]) -> dict[str, T]:
    """An encoder's tensors under the names of `SupportNetwork`; others are left out."""
    names = dict(EMBEDDINGS)
    layers = {name.split(".")[2] for name in weights if name.startswith("encoder.layer.")}
    for number in layers:
        names |= {f"encoder.layer.{number}.{at}": f"layers.{number}.{ours}"
                  for at, ours in LAYER.items()}  # fmt: skip
    return {
        f"{names[at]}.{part}": value
        for name, value in weights.items()
        for at, _, part in [name.rpartition(".")]
        if at in names
    }


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


Words = np.ndarray | Quantised
"""Word embeddings, [vocabulary, width]: of some rows `words[ids]` are the values."""


def read_words(encoder: Path) -> Words:
    """[vocabulary, width], word embeddings: in half precision, mapped into memory where their file
    has them so, or quantised. Raises ModelError."""
    exported = (encoder / WORDS).is_file()
    path, name = (encoder / WORDS, FROZEN) if exported else (encoder / WEIGHTS, ENCODER_WORDS)
    tensors = read_tensors(path).tensors
    if name not in tensors:
        raise ModelError(f"{path} has no tensor {name}")
    if is_quantised(tensors):
        return unpacked(path, tensors, read_shape(encoder))[name]
    words = tensors[name]
    if not exported and _is_mpnet(encoder):
        words = in_bert_order(words)
    return np.asarray(words, dtype=np.float16)


def read_tokenizer(encoder: Path) -> WordPiece:
    """The tokenizer in an encoder's folder, with BERT's numbers. Raises ModelError where it is not
    that of an uncased BERT or an MPNet."""
    tokenizer = read_wordpiece(encoder / TOKENIZER)
    if (encoder / WORDS).is_file() or not _is_mpnet(encoder):
        return tokenizer
    numbers = {piece: id - MPNET_WORDS for piece, id in tokenizer.vocabulary.items()}
    return WordPiece(numbers)


def encoder_tensors(encoder: Path) -> dict[str, np.ndarray]:
    """The tensors of the encoder in a folder under the names of `SupportNetwork`. Raises
    ModelError."""
    tensors = renamed(read_tensors(encoder / WEIGHTS).tensors)
    if _is_mpnet(encoder):
        words = tensors[FROZEN]
        tensors[FROZEN] = in_bert_order(words)
        tensors["positions.weight"] = tensors["positions.weight"][MPNET_POSITIONS:]
        tensors["segments.weight"] = np.zeros((2, words.shape[1]), dtype=np.float32)
    return tensors


def rank_of(shapes: Mapping[str, Sequence[int]]) -> int:
    """The rank of the changes in a file of weights, from its tensors' names and shapes; 0 where it
    has whole layers."""
    return next((shape[0] for name, shape in shapes.items() if name.endswith(f".{DOWN}")), 0)


def read_rank(folder: Path) -> int:
    """`rank_of` the weights of the model in a folder. Raises ModelError."""
    tensors = read_tensors(folder / WEIGHTS).tensors
    return rank_of({name: value.shape for name, value in tensors.items()})


PACKED = 100_000
"""Numbers of a matrix from which a quantised file has it packed; those of the layers always are."""


def is_packed(name: str, shape: Sequence[int]) -> bool:
    """Whether a quantised file has the tensor of this name and shape as a quantised matrix."""
    return len(shape) == 2 and (name.startswith(LAYERS) or math.prod(shape) >= PACKED)


def is_quantised(tensors: Mapping[str, np.ndarray]) -> bool:
    """Whether the weights in a file are quantised."""
    return any(name.endswith(f".{STEPS}") for name in tensors)


def unpacked(path: Path, tensors: Mapping[str, np.ndarray], shape: Shape) -> dict[str, Quantised]:
    """The quantised matrices among a file's tensors, by the names of their weights. Those of layers
    are packed transposed, as they are multiplied. Raises ModelError."""

    def one(at: str) -> tuple[str, Quantised]:
        # A copy, so that the packed file does not stay in memory.
        name, steps = f"{at}.weight", np.array(tensors[f"{at}.{STEPS}"], dtype=np.float32)
        if name not in tensors:
            raise ModelError(f"the weights have no {name}")
        columns = {"outer": shape.inner, "sentence.0": 2 * shape.width}
        size = next((columns[end] for end in columns if at.endswith(end)), shape.width)
        if at.startswith(LAYERS):
            return name, Quantised(unpack(tensors[name], size, len(steps)).T, steps)
        return name, Quantised(unpack(tensors[name], len(steps), size), steps)

    packed = [name.removesuffix(f".{STEPS}") for name in tensors if name.endswith(f".{STEPS}")]
    try:
        with ThreadPoolExecutor(threads()) as pool:
            return dict(pool.map(one, packed))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def read_weights(folder: Path, encoder: Path) -> tuple[dict[str, np.ndarray], Words]:
    """The network's tensors but for the word embeddings, as the exported graph reads them (of
    quantised layers the codes transposed, and the steps), and these, [vocabulary, width].
    Raises ModelError."""
    with ThreadPoolExecutor(1) as pool:
        words = pool.submit(read_words, encoder)
        weights, matrices = _read(folder)
        for name, matrix in matrices.items():
            if name.startswith(LAYERS):
                weights[name] = matrix.codes.T
                weights[f"{name.removesuffix('weight')}{STEPS}"] = matrix.steps
            else:
                weights[name] = matrix[:]
        return weights, words.result()


def read_values(folder: Path) -> dict[str, np.ndarray]:
    """The values of the tensors in the weights' file of a folder, by name. Raises ModelError."""
    weights, matrices = _read(folder)
    return weights | {name: matrix[:] for name, matrix in matrices.items()}


def _read(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, Quantised]]:
    """The tensors of the weights' file in a folder, the quantised ones apart."""
    path = folder / WEIGHTS
    tensors = read_tensors(path).tensors
    matrices = unpacked(path, tensors, read_shape(folder)) if is_quantised(tensors) else {}
    plain = {name: value for name, value in tensors.items()
             if name not in matrices and not name.endswith(f".{STEPS}")}  # fmt: skip
    return plain, matrices


FARTHEST = 128
"""Words from which on all distances are one class."""


def distance_classes(tokens: int, classes: int) -> Ints:
    """[tokens, tokens], the class of the distance from each token to each other [Song et al. 2020,
    MPNet, whose are T5's, Raffel et al. 2020, §2.1]: half of the classes for either direction, of
    these half for the nearest distances one by one, and half for wider and wider ranges."""
    position = np.arange(tokens)
    distance = position[None, :] - position[:, None]
    half = classes // 2
    away, single = np.abs(distance), half // 2
    ratio = np.log(np.maximum(away, 1).astype(np.float32) / np.float32(single))
    share = ratio / np.float32(math.log(FARTHEST / single))
    wide = np.minimum(single + (share * (half - single)).astype(np.int64), half - 1)
    classes_of: Ints = half * (distance > 0) + np.where(away < single, away, wide)
    return classes_of
