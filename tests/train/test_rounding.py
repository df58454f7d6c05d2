"""Training with rounded matrices: what the network computes with, and what it has afterwards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.helpers.tiny_support import settings_of
from tests.support.test_low_rank import batch
from tests.support.test_quantised import normal
from tests.train.test_support import QUICK, data, quiet

from faithkit.records import ConfigError
from faithkit.support.export import quantised
from faithkit.support.inputs import Batch
from faithkit.support.network import from_encoder, logits, read_network, write
from faithkit.support.quantised import quantise
from faithkit.train.rounding import Rounding, rounded
from faithkit.train.support import ModelFolders, fit, train
from faithkit.train.support_rows import Unit

__all__ = ["batch", "data"]


def test_it_rounds_as_quantise_does() -> None:
    values = normal(40, 300)
    values[3, 7], values[5] = 10, 0
    found = Rounding()(torch.from_numpy(values)).numpy()
    assert found == pytest.approx(quantise(values)[:], abs=1e-6)


def test_the_gradient_is_that_of_the_matrix() -> None:
    matrix = torch.from_numpy(normal(3, 4)).requires_grad_()
    (Rounding()(matrix) * torch.arange(12.0).view(3, 4)).sum().backward()
    assert matrix.grad is not None and torch.equal(matrix.grad, torch.arange(12.0).view(3, 4))


def test_inside_it_computes_as_its_quantised_file_and_afterwards_is_as_before(
    tiny_encoder: Path, batch: Batch, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    network = from_encoder(tiny_encoder).half().float().eval()  # as a file has it
    before, names = logits(network, batch), set(network.state_dict())
    with rounded(network):
        inside = logits(network, batch)
    for one, other in zip(before, logits(network, batch), strict=True):
        assert np.array_equal(one, other)
    assert set(network.state_dict()) == names
    write(
        tmp_path / "whole", settings_of(tiny_encoder, card={"options": {"rounded": True}}), network
    )
    quantised(tmp_path / "whole", tmp_path / "small")
    small = logits(read_network(tmp_path / "small", tmp_path / "small"), batch)
    for one, other, plain in zip(inside, small, before, strict=True):
        assert one == pytest.approx(other, abs=1e-5)
        assert not np.allclose(one, plain, atol=1e-3)


def test_training_moves_the_matrices_that_are_rounded(
    data: list[Unit], tiny_encoder: Path, tmp_path: Path
) -> None:
    plain, _ = fit(data, ModelFolders(tiny_encoder), QUICK, tmp_path / "plain", quiet)
    network, _ = fit(
        data, ModelFolders(tiny_encoder), replace(QUICK, rounded=True), tmp_path / "small", quiet
    )
    first, one, other = (
        net.layers[0].get_parameter("inner.weight")
        for net in (from_encoder(tiny_encoder), network, plain)
    )
    assert not torch.equal(one, first) and not torch.equal(one, other)
    assert torch.equal(network.words.weight, plain.words.weight)


def test_changes_of_a_rank_are_not_rounded(tiny_encoder: Path, tmp_path: Path) -> None:
    options = replace(QUICK, rounded=True, rank=2, leave_out=("stories",))
    with pytest.raises(ConfigError, match="use rank 0"):
        train(tmp_path / "m", tmp_path, options, quiet, encoder=str(tiny_encoder))
