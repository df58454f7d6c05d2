"""`models.load`: names, devices, the hub and what is shared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from tests.helpers.fake_artefacts import weights_bytes

import faithkit.models as models
from faithkit.models import store
from faithkit.models.runtime import Runtime
from faithkit.models.store import Artefact
from faithkit.records import ConfigError, ModelError

pytestmark = pytest.mark.usefixtures("empty_cache")


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


def test_a_name_may_repeat_its_role(fake: Artefact, loaders: None) -> None:
    runtime = Runtime("cpu")
    assert models.load("tokens:tokens:fake", runtime) is models.load("tokens:fake", runtime)


def test_two_roles_of_one_model_share_one_object(fake: Artefact, loaders: None) -> None:
    one = models.load("tokens:fake", Runtime("cpu"))
    assert models.load("tokens:fake", Runtime("cpu")) is one
    assert models.load("embed:fake-alias", Runtime("cpu")) is one
    assert models.load("tokens:fake", Runtime("cpu", "bfloat16")) is not one


@pytest.mark.parametrize("supported", [False, True])
def test_a_dtype_that_the_processor_emulates_is_warned_of(
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


def encoder_loader(path: Path, name: str, *, device: str, dtype: str | None) -> Path:
    """A model that reads another one's tokens."""
    return models.resolve("tokens", "fake")[0]


def test_what_a_loader_resolves_is_not_downloaded_either(
    fake: Artefact, loaders: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(models.LOADERS, "lm", f"{__name__}:encoder_loader")
    with pytest.raises(ModelError, match="models pull fake"):
        models.load(f"lm:{tmp_path}", Runtime("cpu", offline=True))
    with pytest.raises(ModelError, match="models pull fake"):
        models.load(f"lm:{tmp_path}", Runtime("cpu"), pull=False)
    assert models.load(f"lm:{tmp_path}", Runtime("cpu")) == store.folder_of(fake)


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
