"""Quantised weights: what is lost, what a file of them needs, and what they give."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.tiny_support import network, read, save_mpnet, settings_of
from tests.support.test_low_rank import changed
from tests.support.test_network import CLAIMS, SOURCE
from typer.testing import CliRunner

from faithkit.cli import app
from faithkit.models.onnx import GRAPH
from faithkit.models.protocols import Floats
from faithkit.records import ConfigError, ModelError
from faithkit.support.encoders import read_words
from faithkit.support.engine import OnnxEngine
from faithkit.support.evidence import Source
from faithkit.support.export import ROUNDED, quantised
from faithkit.support.files import TOKENIZER, WEIGHTS, WORDS, read_settings
from faithkit.support.inputs import Input, attach_evidence, batch_of, encode
from faithkit.support.model import load_support
from faithkit.support.network import TorchEngine, from_encoder, logits, read_network, write
from faithkit.support.quantised import LARGEST, STEP, Quantised, pack, quantise, unpack


def normal(*shape: int) -> Floats:
    values: Floats = np.random.default_rng(0).normal(0, 0.02, shape).astype(np.float32)
    return values


def test_values_are_within_half_a_step() -> None:
    values = normal(40, 300)
    values[3] *= 100
    matrix = quantise(values)
    steps = STEP * np.sqrt((values**2).mean(axis=1))
    assert matrix.steps == pytest.approx(steps)
    assert (np.abs(matrix[:] - values) <= 0.5001 * steps[:, None]).all()
    assert np.array_equal(matrix[[3, 7]], matrix[:][[3, 7]])


def test_a_row_with_a_very_large_value_has_larger_steps() -> None:
    values = normal(2, 3000)
    values[1, 5] = 10
    matrix = quantise(values)
    assert matrix.codes[1, 5] == LARGEST
    assert matrix.steps[1] == pytest.approx(10 / LARGEST)
    assert matrix.steps[0] < 0.01


def test_products_are_nearer_where_the_inputs_are_known() -> None:
    random = np.random.default_rng(1)
    inputs = random.normal(size=(2000, 8)) @ random.normal(size=(8, 300))
    inputs += 0.1 * random.normal(size=inputs.shape)
    weights = normal(40, 300)
    plain, fitted = quantise(weights), quantise(weights, inputs.T @ inputs)
    products = [inputs @ (matrix[:] - weights).T for matrix in (plain, fitted)]
    assert np.linalg.norm(products[1]) < 0.5 * np.linalg.norm(products[0])
    assert np.array_equal(plain.steps, fitted.steps)
    assert np.abs(fitted.codes).max() <= LARGEST


def test_a_row_of_zeros_stays_one() -> None:
    assert not quantise(np.zeros((2, 5), dtype=np.float32))[:].any()


def test_packed_numbers_are_read_back_and_take_under_four_bits() -> None:
    matrix = quantise(normal(200, 3000))
    packed = pack(matrix.codes)
    assert np.array_equal(unpack(packed, 200, 3000), matrix.codes)
    assert 8 * len(packed) / matrix.codes.size < 3.6


@pytest.mark.parametrize("fault", ["cut", "other", "more", "fewer"])
def test_damaged_numbers_are_refused(fault: str) -> None:
    matrix = quantise(normal(20, 30))
    packed, columns = pack(matrix.codes), 30
    if fault == "cut":
        packed = packed[:-9]
    elif fault == "other":
        packed = packed[::-1]
    else:
        columns = 29 if fault == "more" else 31
    with pytest.raises(ModelError, match="the packed weights are"):
        unpack(packed, 20, columns)


@pytest.fixture(params=["bert", "mpnet", "changes"], scope="module")
def trained(
    request: pytest.FixtureRequest, tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A model on a BERT, on an MPNet, and changes of an MPNet's layers."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "bert":
        write(folder, settings_of(tiny_encoder), network(tiny_encoder))
        return folder
    encoder = save_mpnet(tmp_path_factory.mktemp("encoder"))
    whole = from_encoder(encoder) if request.param == "mpnet" else changed(encoder)
    write(folder, settings_of(encoder), whole)
    return folder


@pytest.fixture(scope="module")
def small(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    pairs = [(" ".join(SOURCE), claim) for claim in CLAIMS]
    assert quantised(trained, folder, pairs) <= ROUNDED
    return folder


def inputs() -> list[Input]:
    source = Source(read(*SOURCE))
    return [encode(attach_evidence(claim, source)) for claim in read(*CLAIMS)]


def test_model_needs_nothing_but_its_folder(small: Path) -> None:
    assert {path.name for path in small.iterdir()} == {WEIGHTS, WORDS, TOKENIZER, GRAPH}
    model = load_support(small, "tiny", device=None, dtype=None)
    assert model.encoder == small and isinstance(model.engine, OnnxEngine)
    assert isinstance(read_words(small), Quantised)


def test_logits_are_the_same_bits_alone_and_among_others(small: Path) -> None:
    model = load_support(small, "tiny", device=None, dtype=None)
    for one, whole in zip(inputs(), model.logits(inputs()), strict=True):
        (alone,) = model.logits([one])
        assert np.array_equal(alone[0], whole[0]) and np.array_equal(alone[1], whole[1])
        assert alone[2] == whole[2]


def test_torch_has_the_same_weights_and_an_id_of_its_own(small: Path) -> None:
    model = load_support(small, "tiny", device=None, dtype=None)
    batch = batch_of(inputs(), model.engine.multiple)
    for one, other in zip(
        model.engine.logits(batch), logits(read_network(small, small), batch), strict=True
    ):
        assert one == pytest.approx(other, abs=0.3)
        assert not np.array_equal(one, other)  # the states are rounded
    by_torch = load_support(small, "tiny", device="meta", dtype=None)
    assert by_torch.id == f"{model.id}/float32"
    half = load_support(small, "tiny", device=None, dtype="bfloat16")
    assert half.id == f"{model.id}/bfloat16" and isinstance(half.engine, TorchEngine)


def test_weights_that_lack_a_matrix_are_refused(small: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    from faithkit.models.tensors import read_tensors

    weights = load_file(small / WEIGHTS)
    del weights["layers.1.outer.weight"]
    for name in (WORDS, TOKENIZER, GRAPH):
        (tmp_path / name).write_bytes((small / name).read_bytes())
    metadata = dict(read_tensors(small / WEIGHTS).metadata)
    save_file(weights, tmp_path / WEIGHTS, metadata=metadata)
    model = load_support(tmp_path, "tiny", device=None, dtype=None)
    with pytest.raises(ModelError, match=r"safetensors: the weights have no layers\.1\.outer"):
        model.judge([("A word.", "A word.")])


def test_output_that_is_there_and_pairs_without_a_sentence_are_refused(
    trained: Path, small: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="exists; name a new folder"):
        quantised(trained, small, [("A word.", "A word.")])
    with pytest.raises(ConfigError, match="no summary of these pairs has a sentence"):
        quantised(trained, tmp_path / "new", [("A word.", " ")])
    assert not (tmp_path / "new").exists()


def test_the_command_rounds_for_pairs_or_to_the_nearest_what_was_trained_so(
    trained: Path, tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    row = {"id": "x", "source": " ".join(SOURCE), "summary": CLAIMS[0]}
    pairs.write_text(json.dumps(row) + "\n", encoding="utf-8")
    command = ["models", "quantise", str(trained)]
    refused = CliRunner().invoke(app, [*command, "-o", str(tmp_path / "new")])
    assert refused.exit_code == 2 and "was not trained with --rounded; name pairs" in refused.output
    assert not (tmp_path / "new").exists()
    settings = read_settings(trained)
    encoder = Path(settings.encoder)
    before = read_network(trained, encoder)
    so_trained = replace(settings, card={"options": {"rounded": True}})
    write(tmp_path / "rounded", so_trained, before)
    weights = {}
    for name, given in (
        ("fitted", [str(trained), str(pairs)]),
        ("nearest", [str(tmp_path / "rounded")]),
    ):
        result = CliRunner().invoke(app, ["models", "quantise", *given, "-o", str(tmp_path / name)])
        assert result.exit_code == 0 and "exported; largest difference" in result.stdout
        read_back = read_network(tmp_path / name, tmp_path / name)
        weights[name] = read_back.layers[0].get_parameter("inner.weight").detach().numpy()
    whole = before.layers[0].get_parameter("inner.weight").detach().half().float().numpy()
    assert np.array_equal(weights["nearest"], quantise(whole)[:])
    assert not np.array_equal(weights["fitted"], weights["nearest"])
