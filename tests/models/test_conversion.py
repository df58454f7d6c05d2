"""Pickle weights become safetensors in a process of their own, and a pickle that holds anything but
tensors does not."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tests.helpers.command_line import faithkit, refused
from tests.helpers.tiny_support import save_encoder

from faithkit import models
from faithkit.models import conversion_child
from faithkit.models.conversion import convert
from faithkit.records import ModelError

pytestmark = pytest.mark.slow
"""Each conversion is a process that imports torch, but for those of `inline`."""


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of the process is done in this one."""

    def run(command: list[str], **settings: Any) -> subprocess.CompletedProcess[str]:
        assert command[1:3] == ["-I", str(Path(conversion_child.__file__))]
        target, prefix, *files = command[3:]
        report = json.dumps(conversion_child.main(target, prefix, files))
        return subprocess.CompletedProcess(command, 0, report, "")

    monkeypatch.setattr(subprocess, "run", run)


class Runs:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_encoder(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture
def pickled(encoder: Path, tmp_path: Path) -> Path:
    """The encoder with its weights as a pickle."""
    folder = tmp_path / "pickled"
    folder.mkdir()
    for file in encoder.iterdir():
        if file.is_file() and file.suffix != ".safetensors":
            (folder / file.name).write_bytes(file.read_bytes())
    torch.save(load_file(encoder / "model.safetensors"), folder / "pytorch_model.bin")
    return folder


def test_a_converted_folder_is_the_same_model(encoder: Path, pickled: Path, tmp_path: Path) -> None:
    result = convert(pickled, tmp_path / "out")
    texts = ["a cat sat", "dogs"]
    before, after = (
        models.load(f"embed:{folder}").embed(texts) for folder in (encoder, tmp_path / "out")
    )
    assert np.array_equal(np.asarray(before), np.asarray(after))
    assert result.tensors == len(load_file(encoder / "model.safetensors"))
    card = json.loads((tmp_path / "out" / "card.json").read_text(encoding="utf-8"))
    assert card["files"] == ["pytorch_model.bin"] and card["sha256"] == result.sha256


def test_a_pickle_that_runs_code_is_refused_and_nothing_runs(pickled: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    with (pickled / "pytorch_model.bin").open("wb") as file:
        pickle.dump({"weight": torch.zeros(2), "more": Runs(ran)}, file)
    with pytest.raises(ModelError, match="cannot be read as tensors alone"):
        convert(pickled, tmp_path / "out")
    assert not ran.exists()
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("inline")
def test_tensors_of_training_code_are_found_and_lose_their_prefix(
    pickled: Path, tmp_path: Path
) -> None:
    shared = torch.arange(4.0)
    file = tmp_path / "last.ckpt"
    torch.save({"epoch": 3, "state_dict": {"model.a": shared, "model.b": shared[:2],
                                           "loss.weight": torch.ones(1)}}, file)  # fmt: skip
    result = convert(file, tmp_path / "out", settings=pickled, prefix="model.")
    tensors = load_file(tmp_path / "out" / "model.safetensors")
    assert {name: tensor.tolist() for name, tensor in tensors.items()} == {
        "a": [0, 1, 2, 3], "b": [0, 1]}  # fmt: skip
    assert result.parameters == 6
    assert "config.json" in result.settings


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "pytorch_model.bin").unlink(), "holds no pickle weights"),
        (lambda folder: (folder / "config.json").unlink(), r"lacks config\.json"),
        (lambda folder: (folder / "x.pt").touch(), "several sorts of pickles"),
        (lambda folder: torch.save([1, 2], folder / "pytorch_model.bin"), "no tensors by name"),
    ],
)
def test_what_cannot_be_converted_is_one_error(
    pickled: Path, tmp_path: Path, change: Any, message: str
) -> None:
    change(pickled)
    with pytest.raises(ModelError, match=message):
        convert(pickled, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_safetensors_need_no_conversion(encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has safetensors already"):
        convert(encoder, tmp_path / "out")


@pytest.mark.usefixtures("inline")
def test_the_command_writes_the_folder_once(
    pickled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = faithkit("models", "convert", "pickled", "-o", "new")
    assert result.exit_code == 0, result.output
    assert "Use it where an option takes a model: new" in result.stdout
    assert "is there already" in refused("models", "convert", "pickled", "-o", "new")
