"""Encoders: compute token states and sentence embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from faithkit.models.protocols.base import Floats, Ints


@dataclass(frozen=True, slots=True)
class TokenStates:
    """Contextual token vectors of one text.

    vectors  [tokens, width], unit length
    offsets  [tokens, 2], character offsets into the text; special tokens have start == end
    ids      [tokens], the tokenizer's ids
    cut      tokens of the text that did not fit the model's context and were left out
    """

    vectors: Floats
    offsets: Ints
    ids: Ints
    cut: int = 0


@runtime_checkable
class TokenEncoder(Protocol):
    """A bidirectional encoder that gives the states of tokens at any of its layers (0:
    embeddings)."""

    @property
    def id(self) -> str:
        """The id in signatures, see `identity.model_id`."""
        ...

    @property
    def layers(self) -> int: ...

    @property
    def default_layer(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """The longest text in tokens, without special tokens."""
        ...

    def encode_tokens(
        self, texts: Iterable[str], *, layer: int, windows: bool = False
    ) -> list[TokenStates]:
        """The states of each text, in order. Texts are read while earlier ones are encoded. A text
        longer than `max_tokens` is truncated (`cut`); with `windows=True` it is encoded in
        consecutive windows instead, without truncation."""
        ...

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokenizer's ids of each text, without special tokens."""
        ...


@runtime_checkable
class SentenceEmbedder(Protocol):
    """Encodes texts as unit vectors whose dot product is their cosine similarity."""

    @property
    def id(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Floats:
        """[texts, width], each row of unit length."""
        ...
