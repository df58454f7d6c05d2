"""Training of a large encoder by low-rank changes of its layers [Hu et al. 2021, LoRA, §4.1], so
that what is learned is a few megabytes beside the encoder's own file."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from faithkit.support.encoders import SCALE

FIXED = ("layers.", "norm.", "positions.", "relative.")
"""What of a network is not trained beside low-rank changes."""


class LowRank(nn.Module):
    """A linear layer that stays as it is, and a change of its weights that is learned."""

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        self.linear = linear
        self.down = nn.Parameter(torch.empty(rank, linear.in_features))
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=5**0.5)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        change = functional.linear(functional.linear(states, self.down), SCALE * self.up)
        out: torch.Tensor = self.linear(states) + change
        return out

    def merged(self) -> nn.Linear:
        """The linear layer with its change."""
        with torch.no_grad():
            self.linear.weight += SCALE * self.up @ self.down
        return self.linear


def _layers(network: nn.Module) -> list[nn.Module]:
    return list(network.get_submodule("layers").children())


def add(network: nn.Module, rank: int) -> None:
    """Puts a change of this rank beside each linear layer of `network.layers`, in place; of the
    encoder nothing else is trained any more."""
    for name, parameter in network.named_parameters():
        if name.startswith(FIXED):
            parameter.requires_grad_(False)
    for layer in _layers(network):
        for name, part in list(layer.named_children()):
            if isinstance(part, nn.Linear):
                setattr(layer, name, LowRank(part, rank))


def merge(network: nn.Module) -> None:
    """Replaces each linear layer and its change by one layer, in place; all of the encoder that
    `add` set fast can be trained again."""
    for layer in _layers(network):
        for name, part in list(layer.named_children()):
            if isinstance(part, LowRank):
                setattr(layer, name, part.merged())
    for name, parameter in network.named_parameters():
        if name.startswith(FIXED):
            parameter.requires_grad_(True)
