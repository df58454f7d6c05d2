"""Align and score: match two lists of texts by a similarity [MFAS §3].

Pure functions over lists and similarity matrices, and the similarities the paper uses: exact
match, token F1, BERTScore F1 and the cosine of sentence embeddings. The alignment is part of the
result. What is aligned (sentences, entities) is the metrics' business.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from faithkit.language.words import words
from faithkit.models.protocols import Floats, SentenceEmbedder, TokenEncoder
from faithkit.records import JSON

Similarity = Literal["exact", "f1", "bertscore", "cosine"]

COSINES = (-1.0, 1.0)
"""Bounds of a cosine, and so of every similarity."""

Normalise = Literal["none", "words", "squad"]
"""What is done to texts before `exact` and `f1` compare them.

none   nothing; `f1` leaves out punctuation and case, `exact` case and white space
words  articles and punctuation are left out; punctuation inside a word splits it ("U.S." is "u s")
squad  articles and punctuation are deleted ("U.S." is "us"), as SQuAD's evaluation and the code
       released with [MFAS] do; two texts of which nothing is left are the same
"""

Absent = Literal["zero", "skip"]
"""What an item counts whose group (label, role) the other side lacks: 0, or it is left out."""

_PUNCTUATION = {
    "words": str.maketrans(dict.fromkeys(string.punctuation, " ")),
    "squad": str.maketrans(dict.fromkeys(string.punctuation, "")),
}


@dataclass(frozen=True, slots=True)
class Alignment:
    """Best matches between summary items and source items.

    best_source       for each summary item, the position of its best source item
    similarity        and how similar the two are
    precision         mean of `similarity`
    recall            mean over source items of their best summary item's similarity
    """

    best_source: tuple[int, ...]
    similarity: tuple[float, ...]
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        return f1(self.precision, self.recall)

    @property
    def parts(self) -> dict[str, float]:
        """Precision, recall and F1 as parts of a score."""
        return precision_recall_f1(self.precision, self.recall)


def f1(precision: float, recall: float) -> float:
    """Harmonic mean; 0 unless both are above 0 (cosines can be negative, and the harmonic mean of a
    negative and a positive number has no bound)."""
    return 2 * precision * recall / (precision + recall) if min(precision, recall) > 0 else 0.0


def precision_recall_f1(precision: float, recall: float) -> dict[str, float]:
    """Both and their F1, as parts of a score."""
    return {"precision": precision, "recall": recall, "f1": f1(precision, recall)}


def align(matrix: Floats) -> Alignment:
    """Greedy best matches in a [summary items, source items] similarity matrix, neither side
    empty. On a tie the first source item wins. Raises ValueError on an empty side."""
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(f"align needs items on both sides, found a matrix of shape {matrix.shape}")
    best = matrix.argmax(axis=1)
    similarity = matrix[np.arange(len(best)), best]
    return Alignment(
        tuple(int(position) for position in best),
        tuple(float(number) for number in similarity),
        float(similarity.mean()),
        float(matrix.max(axis=0).mean()),
    )


def normalised(text: str, how: Normalise) -> str:
    """A text as it is compared; see `Normalise`."""
    if how == "none":
        return text
    plain = text.lower().translate(_PUNCTUATION[how])
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", plain).split())


def exact(summary: Sequence[str], source: Sequence[str], normalise: Normalise = "none") -> Floats:
    """1 where two texts are the same but for case and white space, else 0."""
    left, right = (
        np.array([" ".join(normalised(text, normalise).lower().split()) for text in texts], object)
        for texts in (summary, source)
    )
    matrix: Floats = (left[:, None] == right[None, :]).astype(np.float32)
    return matrix


def token_f1(
    summary: Sequence[str], source: Sequence[str], normalise: Normalise = "none"
) -> Floats:
    """F1 of the shared lower-cased words, punctuation left out unless there is nothing else."""
    left, right = ([_bag(text, normalise) for text in texts] for texts in (summary, source))
    matrix = np.zeros((len(left), len(right)), dtype=np.float32)
    for row, bag in enumerate(left):
        for column, other_bag in enumerate(right):
            shared = sum(
                min(count, other_bag[word]) for word, count in bag.items() if word in other_bag
            )
            if shared:
                matrix[row, column] = 2 * shared / (bag.total() + other_bag.total())
            elif normalise == "squad" and not bag and not other_bag:
                matrix[row, column] = 1.0
    return matrix


def _bag(text: str, normalise: Normalise) -> Counter[str]:
    if normalise == "squad":
        return Counter(normalised(text, normalise).split())
    lower = [word.text.lower() for word in words(normalised(text, normalise))]
    return Counter([word for word in lower if word[0].isalnum()] or lower)


def models_for_similarity(options: Mapping[str, JSON]) -> dict[str, str]:
    """The model that a metric's `similarity` option needs: none, an embedder or an encoder."""
    role = {"cosine": "embed", "bertscore": "tokens"}.get(str(options["similarity"]))
    return {"model": f"{role}:mini"} if role else {}


class Similarities:
    """Similarity matrices of one kind, each distinct text encoded once.

    kind: exact, f1, bertscore (F1 at the encoder's default layer, special tokens left out) or
    cosine (of sentence embeddings). `model` is needed for the last two; TypeError if it cannot.
    normalise: of the first two.
    """

    def __init__(
        self,
        kind: Similarity,
        model: SentenceEmbedder | TokenEncoder | None,
        normalise: Normalise = "none",
    ) -> None:
        self._kind = kind
        self._normalise: Normalise = normalise
        self._embedder = model if kind == "cosine" and isinstance(model, SentenceEmbedder) else None
        self._encoder = model if kind == "bertscore" and isinstance(model, TokenEncoder) else None
        if kind in ("cosine", "bertscore") and not (self._embedder or self._encoder):
            raise TypeError(f"similarity '{kind}' cannot be computed with {type(model).__name__}")
        self._vectors: dict[str, Floats] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        """Encodes the texts that the matrices will be about, in one batch; forgets earlier ones."""
        unique = list(dict.fromkeys(texts))
        if self._embedder and unique:
            self._vectors = dict(zip(unique, self._embedder.embed(unique), strict=True))
        elif self._encoder and unique:
            layer = self._encoder.default_layer
            states = self._encoder.encode_tokens(unique, layer=layer, windows=True)
            self._vectors = {
                text: state.vectors[state.offsets[:, 0] < state.offsets[:, 1]]
                for text, state in zip(unique, states, strict=True)
            }

    def matrix(self, summary: Sequence[str], source: Sequence[str]) -> Floats:
        """[summary items, source items], each in [-1, 1]; both sides hold prepared texts."""
        if self._kind == "exact":
            return exact(summary, source, self._normalise)
        if self._kind == "f1":
            return token_f1(summary, source, self._normalise)
        left = [self._vectors[text] for text in summary]
        right = [self._vectors[text] for text in source]
        if self._kind == "cosine":
            cosines: Floats = np.clip(np.stack(left) @ np.stack(right).T, -1.0, 1.0)
            return cosines
        return bertscore_f1(left, right)


def bertscore_f1(summary: Sequence[Floats], source: Sequence[Floats]) -> Floats:
    """BERTScore F1 of each pair of texts, each given as unit token vectors [tokens, width]; a
    text without tokens scores 0."""
    matrix = np.zeros((len(summary), len(source)), dtype=np.float32)
    filled = [column for column, vectors in enumerate(source) if len(vectors)]
    if not filled:
        return matrix
    lengths = np.array([len(source[column]) for column in filled])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    every = np.concatenate([source[column] for column in filled])
    for row, vectors in enumerate(summary):
        if len(vectors):
            similarity = np.clip(vectors @ every.T, -1.0, 1.0)
            precision = np.maximum.reduceat(similarity, starts, axis=1).mean(axis=0)
            recall = np.add.reduceat(similarity.max(axis=0), starts) / lengths
            positive = np.minimum(precision, recall) > 0
            harmonic = 2 * precision * recall / np.where(positive, precision + recall, 1.0)
            matrix[row, filled] = np.where(positive, harmonic, 0.0)
    return matrix
