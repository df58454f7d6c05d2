"""A word encoder that is made up and networks of random weights, for the tests of the support
model. No test is in here."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
import torch

from faithkit.language.words import words
from faithkit.models.protocols import TokenStates
from faithkit.support.evidence import GROUPS
from faithkit.support.model import Settings
from faithkit.support.network import SupportNetwork

WIDTH = 12
SHOWN = tuple(name for some in GROUPS.values() for name in some)
"""The features of the shipped model."""


class Words:
    """Satisfies `TokenEncoder`: a token a word, its vector a random one of the word.

    read  the texts that were encoded
    """

    id = "words@111111111111"
    layers = default_layer = 2
    max_tokens = 100

    def __init__(self) -> None:
        self.read: list[str] = []

    def encode_tokens(
        self, texts: Sequence[str], *, layer: int, windows: bool = False
    ) -> list[TokenStates]:
        assert windows and layer == 2
        self.read += texts
        return [self._states(text) for text in texts]

    def _states(self, text: str) -> TokenStates:
        tokens = words(text)
        seeds = [0, *(crc32(word.text.lower().encode()) for word in tokens), 0]
        vectors = np.stack([np.random.default_rng(seed).normal(size=WIDTH) for seed in seeds])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        offsets = [(0, 0), *((word.start, word.end) for word in tokens), (0, 0)]
        ids = [101, *(1996 + seed % 20_000 for seed in seeds[1:-1]), 102]
        return TokenStates(vectors.astype(np.float32), np.array(offsets), np.array(ids))

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._states(text).ids[1:-1].tolist() for text in texts]


def network(seed: int, width: int, hidden: int = 8, features: int = len(SHOWN)) -> SupportNetwork:
    """Weights three times as large as usual, so that everything shows."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        made = SupportNetwork(features, width, hidden)
        with torch.no_grad():
            for weight in made.parameters():
                weight.mul_(3)
    return made.eval()


def settings_of(encoder: str, encoder_id: str, width: int, hidden: int = 8) -> Settings:
    return Settings(
        encoder=encoder,
        layer=2,
        encoder_id=encoder_id,
        features=SHOWN,
        width=width,
        hidden=hidden,
        word=(0.7, 0.5, -0.1),
        claim=-1e9,
        decision=(0.4, 0.6, 3.0, -1.5),
        card={"options": {"seed": 1}, "rows": {"a": 3}},
    )
