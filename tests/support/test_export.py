"""The exported support model: without torch and the encoder it gives the numbers of torch, and no
batch shows in them."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from tests.helpers.tiny_support import read, settings_of

from faithkit import models
from faithkit.models.onnx import GRAPH
from faithkit.models.shape import Shape
from faithkit.records import ModelError
from faithkit.support import export as exporting
from faithkit.support.encoders import read_shape, read_tokenizer
from faithkit.support.engine import OnnxEngine
from faithkit.support.evidence import Source
from faithkit.support.export import ROUNDED, compared, export
from faithkit.support.files import (
    FROZEN,
    TOKENIZER,
    WEIGHTS,
    WORDS,
    read_encoder,
    read_settings,
)
from faithkit.support.graph import graph_of
from faithkit.support.inputs import Input, attach_evidence, encode
from faithkit.support.model import Support, load_support
from faithkit.support.network import TorchEngine, write

SHIPPED, _ = models.resolve("support", "mini", offline=True)
SOURCE = ("The council met on Tuesday.", "Mayor Anna Reyes opened the new library in Lyon.")
CLAIMS = (
    "Anna opened it.",
    "On Tuesday the motorcyclists met, said 5 of 7 members, who had not been asked before.",
    "No.",
    *(f"In {year} Anna Reyes met the {'old ' * (year % 9)}council of Lyon." for year in range(60)),
)


def inputs(*claims: str) -> list[Input]:
    source = Source(read(*SOURCE))
    return [encode(attach_evidence(claim, source)) for claim in read(*claims)]


@pytest.fixture(scope="session")
def exported(tiny_support: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    shutil.copy(tiny_support / WEIGHTS, folder)
    export(folder)
    return folder


def loaded(folder: Path) -> Support:
    return load_support(folder, "tiny", device=None, dtype=None)


def test_export_needs_no_encoder_any_more(exported: Path) -> None:
    settings = read_settings(exported)
    assert read_encoder(exported, "tiny", settings) == exported
    assert {path.name for path in exported.iterdir()} == {WEIGHTS, GRAPH, WORDS, TOKENIZER}


def test_exported_model_runs_by_onnxruntime_unless_a_device_is_named(
    exported: Path, tiny_support: Path
) -> None:
    assert isinstance(loaded(exported).engine, OnnxEngine)
    assert isinstance(loaded(tiny_support).engine, TorchEngine)


def test_engines_agree(exported: Path, tiny_support: Path) -> None:
    texts = [(" ".join(SOURCE), " ".join(CLAIMS)), ("", CLAIMS[0]), (SOURCE[0], "")]
    for one, other in zip(loaded(exported).judge(texts), loaded(tiny_support).judge(texts),
                          strict=True):  # fmt: skip
        assert len(one.sentences) == len(other.sentences)
        for first, second in zip(one.sentences, other.sentences, strict=True):
            assert first.supported == pytest.approx(second.supported, abs=1e-5)
            assert first.unsupported == pytest.approx(second.unsupported, abs=1e-5)
            assert first.probabilities == pytest.approx(second.probabilities, abs=1e-5)
            assert first.evidence == second.evidence
    assert len({round(one.supported, 5) for one in loaded(exported).judge(texts)[0].sentences}) > 9


@pytest.mark.parametrize("folder", ["tiny", "shipped"])
def test_logits_are_the_same_bits_alone_and_among_others(exported: Path, folder: str) -> None:
    model = loaded(exported if folder == "tiny" else SHIPPED)
    together = inputs(*CLAIMS)
    for one, whole in zip(together[:9], model.logits(together), strict=False):
        (alone,) = model.logits([one])
        assert np.array_equal(alone[0], whole[0])
        assert np.array_equal(alone[1], whole[1])
        assert alone[2] == whole[2]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_logits_are_the_same_bits_by_any_number_of_threads(exported: Path, threads: int) -> None:
    model = loaded(exported)
    before = model.logits(inputs(*CLAIMS))
    model.engine.threads = threads
    for one, other in zip(before, model.logits(iter(inputs(*CLAIMS))), strict=True):
        assert np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1])
        assert one[2] == other[2]


def test_texts_are_read_while_the_network_runs(
    exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = loaded(exported)
    model.engine.threads = 2
    ran = threading.Event()
    whole = model.engine.logits
    monkeypatch.setattr(model.engine, "logits", lambda batch: ran.set() or whole(batch))

    def texts() -> Iterator[Input]:
        yield from inputs(*CLAIMS) * 3  # more than a window
        assert ran.wait(10)
        yield inputs("No.")[0]

    assert len(model.logits(texts())) == 3 * len(CLAIMS) + 1


def test_shipped_files_are_those_of_an_export() -> None:
    shape = Shape(768, 12, 12, 3072, 30_522, 512, 32, 1e-5)
    assert read_shape(SHIPPED) == shape
    graph = graph_of(shape, quantised=True)
    assert (SHIPPED / GRAPH).read_bytes() == graph.SerializeToString(deterministic=True)
    mini, _ = models.resolve("tokens", "mini", offline=True)
    assert read_tokenizer(SHIPPED).vocabulary == read_tokenizer(mini).vocabulary
    assert compared(SHIPPED, SHIPPED) <= ROUNDED


def test_export_that_differs_from_torch_is_refused(
    tiny_support: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(tiny_support / WEIGHTS, tmp_path)
    whole = TorchEngine.logits

    def other(self: TorchEngine, batch: object) -> tuple[np.ndarray, ...]:
        words, sentence, non_claim = whole(self, batch)  # type: ignore[arg-type]
        return words, sentence + 2e-4, non_claim

    monkeypatch.setattr(TorchEngine, "logits", other)
    with pytest.raises(ModelError, match="differs from torch by"):
        export(tmp_path)
    assert not (tmp_path / GRAPH).exists()


def test_words_of_another_encoder_are_refused(exported: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(exported, folder)
    encoder = Path(read_settings(exported).encoder)
    network = exporting.read_network(exported, exported)
    write(folder, settings_of(encoder, encoder_id="mini@0123"), network)
    with pytest.raises(ModelError, match="trained on the encoder mini@0123"):
        loaded(folder)


@pytest.mark.parametrize("change", ["missing", "more", "wide"])
def test_weights_that_do_not_fit_the_graph_are_refused(
    exported: Path, tmp_path: Path, change: str
) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(exported / WEIGHTS)
    metadata = {"settings": settings_text(exported)}
    if change == "missing":
        del weights["word.0.bias"]
    else:
        name = "codes.weight" if change == "wide" else "surprise.weight"
        weights[name] = torch.zeros(99, 32)
    folder = tmp_path / "model"
    shutil.copytree(exported, folder)
    save_file(weights, folder / WEIGHTS, metadata=metadata)
    with pytest.raises(ModelError, match="does not fit its weights"):
        loaded(folder).judge([("A word.", "A word.")])


def test_graph_of_an_earlier_version_is_refused(exported: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(exported, folder)
    graph = onnx.load(folder / GRAPH, load_external_data=False)
    for node in graph.graph.node:
        node.input[:] = ["vectors" if name == "embedded" else name for name in node.input]
    next(one for one in graph.graph.input if one.name == "embedded").name = "vectors"
    (folder / GRAPH).write_bytes(graph.SerializeToString())
    with pytest.raises(ModelError, match=f"run: faithkit models export {folder}"):
        loaded(folder).judge([("A word.", "A word.")])


def settings_text(folder: Path) -> str:
    from faithkit.models.tensors import read_tensors

    return read_tensors(folder / WEIGHTS).metadata["settings"]


def test_exported_words_keep_the_tensors_name(exported: Path) -> None:
    from faithkit.models.tensors import read_tensors

    file = read_tensors(exported / WORDS)
    assert set(file.tensors) == {FROZEN} and file.tensors[FROZEN].dtype == np.float16
