"""BERT read without transformers: the same states, and only from folders it is right for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from faithkit import models
from faithkit.models import embeddings_torch
from faithkit.models.bert import read_bert
from faithkit.models.embeddings import Encoder
from faithkit.models.identity import read_config

WORDS = "the mayor said two new schools open in june . , ##s ##ed caf ##e a"
TEXTS = [
    "The mayor said two new schools opened in June.",
    "",
    "Café [SEP] schools, unknown 日本 A",
    " ".join(["the mayor said"] * 30),
    "the",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A random BERT of three layers for texts of at most 24 tokens, as transformers saves it."""
    from transformers import BertConfig, BertModel, BertTokenizer

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: number for number, word in enumerate([*special, *WORDS.split()])}
    tokenizer = BertTokenizer(vocab=vocabulary, model_max_length=24)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=3, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=32, pad_token_id=0,
    )  # fmt: skip
    torch.manual_seed(0)
    model = BertModel(config)
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(3).add_(0.1 * torch.randn_like(weights))
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    return tmp_path


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def read(folder: Path) -> Any:
    config = json.loads((folder / "config.json").read_text())
    return read_bert(folder, config, device="cpu", dtype="float32")


def both(
    folder: Path, monkeypatch: pytest.MonkeyPatch, dtype: str = "float32"
) -> tuple[Encoder, Encoder]:
    """The encoder of a folder as it is read, and as transformers reads it."""
    fast = by_torch(folder, dtype)
    monkeypatch.setattr(embeddings_torch, "read_bert", lambda *_, **__: None)
    slow = by_torch(folder, dtype)
    names = [type(encoder.engine.model).__name__ for encoder in (fast, slow)]  # type: ignore[attr-defined]
    assert names[0] == "Bert" != names[1]
    return fast, slow


def by_torch(folder: Path, dtype: str) -> Encoder:
    encoder = Encoder(folder, id="tiny@0", dtype=dtype)
    config = read_config(folder, "tiny")
    encoder.engine = embeddings_torch.TorchEngine(folder, config, "tiny@0", "cpu", dtype)
    return encoder


def same(fast: Encoder, slow: Encoder, texts: list[str], layers: list[int]) -> None:
    assert fast.max_tokens == slow.max_tokens
    for layer in layers:
        for windows in (True, False):
            found = fast.encode_tokens(texts, layer=layer, windows=windows)
            expected = slow.encode_tokens(texts, layer=layer, windows=windows)
            for one, other in zip(found, expected, strict=True):
                assert one.ids.tolist() == other.ids.tolist()
                assert one.offsets.tolist() == other.offsets.tolist()
                assert one.cut == other.cut
                np.testing.assert_allclose(one.vectors, other.vectors, rtol=0, atol=1e-6)
    np.testing.assert_allclose(fast.embed(texts), slow.embed(texts), rtol=0, atol=1e-6)


def test_it_equals_transformers_at_every_layer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast, slow = both(folder, monkeypatch)
    assert fast.max_tokens == 22
    same(fast, slow, TEXTS, [0, 1, 2, 3])


@pytest.mark.slow
def test_the_embedded_encoder_equals_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, slow = both(models.resolve("tokens", "mini", offline=True)[0], monkeypatch)
    same(fast, slow, [*TEXTS, "Naïve 3.5% of O'Neill's [MASK]\n— “co-op” e-mails"], [5, 6])


def test_bfloat16_equals_transformers_in_bfloat16(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast, slow = both(folder, monkeypatch, dtype="bfloat16")
    one, other = (e.encode_tokens(TEXTS[:1], layer=3)[0].vectors for e in (fast, slow))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)
    exact = Encoder(folder, id="tiny@0").encode_tokens(TEXTS[:1], layer=3)[0].vectors
    assert 1e-4 < np.abs(one - exact).max() < 0.2


def test_states_are_those_of_a_plain_forward_pass(folder: Path) -> None:
    from transformers import BertModel, BertTokenizer

    inputs = BertTokenizer.from_pretrained(folder)(TEXTS[0], return_tensors="pt")
    with torch.no_grad():
        states = BertModel.from_pretrained(folder)(**inputs, output_hidden_states=True)
    for layer, expected in enumerate(states.hidden_states):
        (found,) = Encoder(folder, id="tiny@0").encode_tokens(TEXTS[:1], layer=layer)
        unit = torch.nn.functional.normalize(expected[0], dim=-1).numpy()
        np.testing.assert_allclose(found.vectors, unit, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "change",
    [{"hidden_act": "relu"}, {"model_type": "electra"}, {"is_decoder": True}],
)  # fmt: skip
def test_other_encoders_are_left_to_transformers(folder: Path, change: dict[str, Any]) -> None:
    assert read(folder) is not None
    edit(folder / "config.json", **change)
    assert read(folder) is None


@pytest.mark.parametrize(
    "change",
    [{"do_lower_case": False}, {"strip_accents": False}, {"cls_token": "the"},
     {"tokenizer_class": "XLNetTokenizer"}],
)  # fmt: skip
def test_other_tokenizers_are_left_to_transformers(folder: Path, change: dict[str, Any]) -> None:
    edit(folder / "tokenizer_config.json", **change)
    assert read(folder) is None


def test_an_encoder_left_to_transformers_works(folder: Path) -> None:
    edit(folder / "config.json", hidden_act="relu")
    plain = Encoder(folder, id="tiny@0").encode_tokens(TEXTS, layer=2)
    edit(folder / "config.json", hidden_act="gelu")
    other = Encoder(folder, id="tiny@0").encode_tokens(TEXTS, layer=2)
    assert np.abs(plain[0].vectors - other[0].vectors).max() > 1e-3


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "tokenizer_config.json"])
def test_a_folder_without_one_of_its_files_is_left_to_transformers(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert read(folder) is None


def test_weights_under_other_names_are_left_to_transformers(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    renamed = {f"bert.{name}": tensor for name, tensor in weights.items()}
    save_file(renamed, folder / "model.safetensors", metadata={"format": "pt"})
    assert read(folder) is None
    # transformers knows the prefix.
    Encoder(folder, id="tiny@0").encode_tokens(TEXTS, layer=3)


@pytest.mark.slow
def test_a_check_imports_neither_transformers_nor_scipy(tmp_path: Path) -> None:
    for name, text in (("x", "The mayor opened two schools. It rained."), ("y", "It rained.")):
        (tmp_path / name).write_text(text)
    code = (
        "import sys\n"
        "from faithkit.cli import app\n"
        "app(sys.argv[1:], standalone_mode=False)\n"
        "print([m for m in ('transformers', 'scipy', 'sklearn', 'pandas') if m in sys.modules])"
    )
    texts = ["--source", str(tmp_path / "x"), "--summary", str(tmp_path / "y")]
    options = ["-m", "bertscore", "--device", "cpu", "--offline", "--no-cache"]
    program = [sys.executable, "-c", code, "check", *texts, *options]
    done = subprocess.run(program, check=True, capture_output=True, text=True)
    assert done.stdout.rstrip().endswith("[]")


@pytest.mark.slow
@pytest.mark.parametrize(("gate", "code"), [("0", 0), ("1", 1)])
def test_a_command_that_ends_at_once_has_written_all_and_keeps_its_exit_code(
    tmp_path: Path, gate: str, code: int
) -> None:
    pairs, output = tmp_path / "pairs.jsonl", tmp_path / "scores.csv"
    rows = [{"id": str(i), "source": f"It cost {i} pounds.", "summary": "It cost 7 pounds."}
            for i in range(100)]  # fmt: skip
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    script = (
        "import atexit, sys, torch; from faithkit.cli import main; "
        "atexit.register(lambda: print('the end', file=sys.stderr)); main()"
    )
    asked = ["score", str(pairs), "-m", "novelty", "-o", str(output), "--no-cache", "--json"]
    program = [sys.executable, "-c", script, *asked, "--fail-under", gate, "--offline"]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert done.stderr.endswith("the end\n")
    assert "novelty" in str(json.loads(done.stdout))
    assert len(output.read_text().splitlines()) == 101
    assert not list(tmp_path.glob("*.lock"))
