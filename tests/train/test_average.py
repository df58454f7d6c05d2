"""The mean of models' weights (`tools/average_support.py`)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file
from tests.helpers.paths import ROOT
from tests.helpers.tiny_support import settings_of

from faithkit.support.files import WEIGHTS, read_settings
from faithkit.support.network import from_encoder, write

sys.path.insert(0, str(ROOT / "tools"))

import average_support


def averaged(monkeypatch: pytest.MonkeyPatch, *arguments: Path | str) -> None:
    monkeypatch.setattr(sys, "argv", ["average_support.py", *map(str, arguments)])
    average_support.main()


def test_weights_are_the_mean_and_the_card_says_of_what(
    tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["first", "second", "third"]
    for number, name in enumerate(names):
        card = {"rows": {"bump1": number}}
        write(tmp_path / name, settings_of(tiny_encoder, card=card), from_encoder(tiny_encoder))
    averaged(monkeypatch, *(tmp_path / name for name in names), "-o", tmp_path / "mean")
    every = [load_file(tmp_path / name / WEIGHTS) for name in names]
    changed = "word.0.weight"  # which is drawn at random
    assert not every[0][changed].equal(every[1][changed])
    for name, value in load_file(tmp_path / "mean" / WEIGHTS).items():
        middle = sum(weights[name].float() for weights in every) / 3
        assert value.float().numpy() == pytest.approx(middle.numpy(), abs=1e-3)
    card = read_settings(tmp_path / "mean").card
    assert card["rows"] == {"bump1": 2}
    assert [one.partition("@")[0] for one in card["mean_of"]] == names


def test_models_of_other_tensors_are_refused(
    tiny_encoder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = from_encoder(tiny_encoder)
    write(tmp_path / "first", settings_of(tiny_encoder), whole)
    whole.word.requires_grad_(False)
    write(tmp_path / "second", settings_of(tiny_encoder), whole)
    with pytest.raises(SystemExit):
        averaged(monkeypatch, tmp_path / "first", tmp_path / "second", "-o", tmp_path / "mean")
    assert "other tensors" in capsys.readouterr().err
    assert not (tmp_path / "mean").exists()
