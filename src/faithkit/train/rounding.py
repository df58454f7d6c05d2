"""Quantisation-aware training: a network's matrices are rounded in the forward pass as in a
quantised file [Jacob et al. 2018, §3.1], and the gradient ignores the rounding [Bengio et al. 2013,
§3].
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn
from torch.nn.utils import parametrize

from faithkit.support.encoders import is_packed
from faithkit.support.files import FROZEN
from faithkit.support.network import SupportNetwork
from faithkit.support.quantised import LARGEST, STEP, quantise


class Rounding(nn.Module):
    """A matrix, [rows, columns], as `quantised.quantise` rounds it to the nearest."""

    def forward(self, matrix: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            values = matrix.float()
            steps = torch.maximum(
                STEP * values.pow(2).mean(dim=1).sqrt(), values.abs().amax(dim=1) / LARGEST
            )
            steps = torch.where(steps == 0, 1, steps)[:, None]
            change = torch.round(values / steps) * steps - values
        return matrix + change


@contextmanager
def rounded(network: SupportNetwork) -> Iterator[None]:
    """Rounds the network's large matrices until the end of the context. Then trained matrices have
    their unrounded values, from which `quantise` makes the same rounded ones, and the word
    embeddings, which belong to the encoder, are restored."""
    words = network.words.weight.detach().clone()
    network.words.weight.data = torch.from_numpy(quantise(words.cpu().numpy())[:]).to(words.device)
    parts = [
        part
        for name, part in network.named_modules()
        if isinstance(part, nn.Linear | nn.Embedding)
        and f"{name}.weight" != FROZEN
        and is_packed(f"{name}.weight", tuple(part.weight.shape))
    ]
    for part in parts:
        parametrize.register_parametrization(part, "weight", Rounding())
    try:
        yield
    finally:
        for part in parts:
            parametrize.remove_parametrizations(part, "weight", leave_parametrized=False)
        network.words.weight.data = words
