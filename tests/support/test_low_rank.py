"""Low-rank changes of an encoder's layers, and the file that has them alone."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.helpers.tiny_support import read, settings_of
from tests.support.test_network import CLAIMS, SOURCE

from faithkit.records import ModelError
from faithkit.support import low_rank
from faithkit.support.encoders import UP, rank_of
from faithkit.support.evidence import Source
from faithkit.support.export import export
from faithkit.support.files import WEIGHTS
from faithkit.support.inputs import Batch, attach_evidence, batch_of, encode
from faithkit.support.network import SupportNetwork, from_encoder, logits, read_network, write

RANK = 3


@pytest.fixture
def batch() -> Batch:
    source = Source(read(*SOURCE))
    return batch_of([encode(attach_evidence(claim, source)) for claim in read(*CLAIMS)])


def changed(encoder: Path, seed: int = 0) -> SupportNetwork:
    """A network whose changes are not zero."""
    torch.manual_seed(seed)
    network = from_encoder(encoder)
    low_rank.add(network, RANK)
    with torch.no_grad():
        for name, value in network.named_parameters():
            if name.endswith(f".{UP}"):
                value.normal_(0, 0.3)
    return network.eval()


def test_a_new_change_changes_nothing(tiny_encoder: Path, batch: Batch) -> None:
    network = from_encoder(tiny_encoder).eval()
    before = logits(network, batch)
    low_rank.add(network, RANK)
    for one, other in zip(before, logits(network, batch), strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_layers_and_tables_stay_and_changes_codes_and_heads_learn(tiny_encoder: Path) -> None:
    network = changed(tiny_encoder)
    learned = {name for name, value in network.named_parameters() if value.requires_grad}
    assert {"codes.weight", "segments.weight", "word.0.weight", "layers.1.outer.up"} <= learned
    assert all(name.endswith((".up", ".down")) for name in learned if name.startswith("layers."))
    assert not learned & {"words.weight", "positions.weight", "norm.weight"}
    sizes = {name: value.shape for name, value in network.named_parameters()}
    assert rank_of(sizes) == RANK


def test_merged_layers_are_the_layers_with_their_changes(tiny_encoder: Path, batch: Batch) -> None:
    network = changed(tiny_encoder)
    before = logits(network, batch)
    plain = logits(from_encoder(tiny_encoder).eval(), batch)
    low_rank.merge(network)
    assert not [name for name, _ in network.named_parameters() if name.endswith(".up")]
    for one, other in zip(before, logits(network, batch), strict=True):
        assert one == pytest.approx(other, abs=1e-5)
    assert abs(before[0] - plain[0]).max() > 1e-3


def test_file_has_what_was_learned_and_needs_the_encoder(
    tiny_encoder: Path, tmp_path: Path, batch: Batch
) -> None:
    network = changed(tiny_encoder)
    write(tmp_path, settings_of(tiny_encoder), network)
    kept = load_file(tmp_path / WEIGHTS)
    assert kept.keys() == {n for n, value in network.named_parameters() if value.requires_grad}
    whole = read_network(tmp_path, tiny_encoder)
    parts = read_network(tmp_path, tiny_encoder, merged=False)
    assert rank_of({name: value.shape for name, value in parts.named_parameters()}) == RANK
    for one, other, theirs in zip(
        logits(whole, batch), logits(parts, batch), logits(network, batch), strict=True
    ):
        assert one == pytest.approx(other, abs=1e-5)
        assert one == pytest.approx(theirs, abs=1e-2)  # the file is in half precision


def test_file_that_lacks_a_change_is_refused(tiny_encoder: Path, tmp_path: Path) -> None:
    write(tmp_path, settings_of(tiny_encoder), changed(tiny_encoder))
    kept = load_file(tmp_path / WEIGHTS)
    kept.pop("layers.0.inner.up")
    save_file(kept, tmp_path / WEIGHTS)
    with pytest.raises(ModelError, match="other tensors than its encoder needs"):
        read_network(tmp_path, tiny_encoder)


def test_changes_are_exported_quantised_alone(tiny_encoder: Path, tmp_path: Path) -> None:
    write(tmp_path, settings_of(tiny_encoder), changed(tiny_encoder))
    with pytest.raises(ModelError, match=f"faithkit models quantise {tmp_path} PAIRS -o"):
        export(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [WEIGHTS]
