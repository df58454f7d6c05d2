"""The support model's file: what was written comes back, foreign and damaged ones are refused."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.helpers.tiny_support import network, settings_of

from faithkit.records import ModelError
from faithkit.support.files import FORMAT, FROZEN, WEIGHTS, read_settings
from faithkit.support.model import load_support
from faithkit.support.network import read_network, write


def test_settings_and_weights_come_back_in_half_precision(
    tiny_encoder: Path, tmp_path: Path
) -> None:
    kept, made = settings_of(tiny_encoder), network(tiny_encoder, seed=2)
    folder = tmp_path / "new" / "folder"
    assert write(folder, kept, made) == folder / WEIGHTS
    assert read_settings(folder) == kept
    stored = load_file(folder / WEIGHTS)
    assert FROZEN not in stored
    assert {value.dtype for value in stored.values()} == {torch.float16}
    again = read_network(folder, tiny_encoder)
    assert not again.training
    for name, value in made.state_dict().items():
        assert torch.equal(again.state_dict()[name], value.half().float()), name
    first = (folder / WEIGHTS).read_bytes()
    write(folder, kept, again)
    assert (folder / WEIGHTS).read_bytes() == first
    assert [path.name for path in folder.iterdir()] == [WEIGHTS]


def with_settings(folder: Path, text: str | None, weights: dict[str, torch.Tensor]) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    save_file(weights, folder / WEIGHTS, metadata=None if text is None else {"settings": text})
    return folder


def described(encoder: Path, **changed: Any) -> str:
    """Settings as a file has them; None leaves a field out."""
    raw = {"format": FORMAT, **asdict(settings_of(encoder)), **changed}
    return json.dumps({name: value for name, value in raw.items() if value is not None})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"format": FORMAT + 1}, "another version"),
        ({"format": None}, "no support model"),
        ({"calibration": None}, "no support model"),
        ({"calibration": {"word": [1, 0]}}, "no support model"),
        ({"calibration": 7}, "no support model"),
        ({"marked": None}, "no support model"),
        ({"surprise": 1}, "no support model"),
    ],
)
def test_settings_of_another_version_are_refused(
    tiny_encoder: Path, tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    weights = {"x": torch.zeros(2)}
    good = with_settings(tmp_path / "good", described(tiny_encoder), weights)
    assert read_settings(good) == settings_of(tiny_encoder)
    bad = with_settings(tmp_path / "bad", described(tiny_encoder, **changed), weights)
    with pytest.raises(ModelError, match=message):
        read_settings(bad)


@pytest.mark.parametrize("text", [None, "", "{", "7", "[]", '"format"', "null", "{}"])
def test_file_without_settings_is_refused(tmp_path: Path, text: str | None) -> None:
    folder = with_settings(tmp_path, text, {"x": torch.zeros(2)})
    with pytest.raises(ModelError, match="no support model"):
        read_settings(folder)


def test_damaged_files_are_refused(tiny_support: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no support model"):
        read_settings(tmp_path)
    whole = (tiny_support / WEIGHTS).read_bytes()
    for cut in (b"", whole[:100], whole[:-10], b"\xff" * 200):
        (tmp_path / WEIGHTS).write_bytes(cut)
        with pytest.raises(ModelError, match="no support model"):
            read_settings(tmp_path)


def test_weights_of_another_shape_are_refused(
    tiny_encoder: Path, tiny_support: Path, tmp_path: Path
) -> None:
    weights = load_file(tiny_support / WEIGHTS)
    text = described(tiny_encoder)
    fewer = {name: value for name, value in weights.items() if name != "word.0.bias"}
    wide = weights | {"codes.weight": torch.zeros(99, 32)}
    more = weights | {"surprise.weight": torch.zeros(2)}
    for number, wrong in enumerate((fewer, wide, more)):
        folder = with_settings(tmp_path / str(number), text, wrong)
        with pytest.raises(ModelError, match="do not fit"):
            load_support(folder, "m", device="cpu", dtype=None).judge([("A word.", "A word.")])
