"""The network of the support model, over one summary sentence and its evidence, and its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from faithkit.models.protocols import Floats
from faithkit.support import evidence


class SupportNetwork(nn.Module):
    """The network over one summary sentence and its evidence.

    Every word looks for its counterpart among the evidence's words (attention over the cosine of
    frozen states and of a learned projection), is compared with what it finds (product and
    difference), and together with the word's features this runs through two convolutions over the
    sentence. Heads: unsupported (one logit a word), entailment / neutral / contradiction, and
    whether some words claim anything (`claim_inputs`), which does not see the source.
    """

    mean: torch.Tensor
    spread: torch.Tensor

    def __init__(self, features: int, width: int, hidden: int, dropout: float = 0.2) -> None:
        super().__init__()
        self.project = nn.Linear(width, hidden, bias=False)
        self.sharpness = nn.Parameter(torch.tensor(10.0))
        self.learned = nn.Parameter(torch.tensor(1.0))
        self.join = nn.Linear(features + 2 * hidden + 2, hidden)
        self.near = nn.Conv1d(hidden, hidden, 3, padding=1)
        self.wide = nn.Conv1d(hidden, hidden, 3, padding=1)
        self.word = nn.Linear(hidden, 1)
        self.sentence = nn.Sequential(
            nn.Linear(2 * hidden, hidden), nn.GELU(), nn.Linear(hidden, 3)
        )
        self.claim = nn.Linear(width + 2, 1)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("spread", torch.ones(features))

    def forward(
        self,
        features: torch.Tensor,
        words: torch.Tensor,
        found: torch.Tensor,
        is_word: torch.Tensor,
        is_found: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Word logits [batch, words] and sentence logits [batch, 3].

        features [batch, words, features], words and found [batch, words or evidence words, width],
        is_word and is_found: False where a row is padding.
        """
        own, other = 4 * self.project(words), 4 * self.project(found)
        cosine = words @ found.transpose(1, 2)
        unit = nn.functional.normalize
        learned = unit(own, dim=-1) @ unit(other, dim=-1).transpose(1, 2)
        strength = self.sharpness * cosine + self.learned * learned
        weights = strength.masked_fill(~is_found[:, None, :], -1e4).softmax(-1)
        met = weights @ other
        similarity = (weights * cosine).sum(-1, keepdim=True)
        certainty = weights.amax(-1, keepdim=True)
        scaled = (features - self.mean) / self.spread
        inputs = torch.cat([scaled, own * met, (own - met).abs(), similarity, certainty], dim=-1)
        mask = is_word[..., None]
        hidden = nn.functional.gelu(self.join(self.dropout(inputs))) * mask
        for layer in (self.near, self.wide):
            step = layer(self.dropout(hidden).transpose(1, 2)).transpose(1, 2)
            hidden = hidden + nn.functional.gelu(step) * mask
        average = hidden.sum(1) / mask.sum(1).clamp(min=1)
        greatest = hidden.masked_fill(~mask, -1e4).amax(1)
        return self.word(hidden).squeeze(-1), self.sentence(torch.cat([average, greatest], dim=-1))


CLAIM_WINDOW = 10
"""Words that the claim head sees at once: talk that is joined to a claim does not hide it."""


def claim_inputs(sentence: evidence.Sentence) -> Floats:
    """[windows, width + 2]: of every ten words of the sentence, each window half over the last, the
    mean vector, the mean rarity and the share of capitals behind the first word."""
    rows = []
    count = len(sentence.stems)
    for start in range(0, max(1, count - CLAIM_WINDOW // 2), CLAIM_WINDOW // 2):
        part = slice(start, start + CLAIM_WINDOW)
        capitals = sentence.capital[part][0 if start else 1 :]
        extra = [
            float(sentence.rarity[part].mean()),
            float(capitals.mean()) if len(capitals) else 0,
        ]
        rows.append(np.append(sentence.vectors[part].mean(axis=0), extra))
    return np.stack(rows).astype(np.float32)


def padded(
    features: Sequence[NDArray[Any]], words: Sequence[NDArray[Any]], found: Sequence[NDArray[Any]]
) -> tuple[torch.Tensor, ...]:
    """The input of `SupportNetwork` for a batch of sentences: of each one its features
    [words, features], its words' vectors and those of its evidence [words or evidence words,
    width]."""

    def rectangle(rows: Sequence[NDArray[Any]]) -> tuple[torch.Tensor, torch.Tensor]:
        longest = max(map(len, rows))
        filled = np.zeros((len(rows), longest, rows[0].shape[1]), dtype=np.float32)
        for place, row in zip(filled, rows, strict=True):
            place[: len(row)] = row
        lengths = np.array([len(row) for row in rows])
        return torch.from_numpy(filled), torch.from_numpy(np.arange(longest) < lengths[:, None])

    columns, is_word = rectangle(features)
    others, is_found = rectangle(found)
    return columns, rectangle(words)[0], others, is_word, is_found
