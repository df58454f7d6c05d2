"""The table of embedded models."""

from __future__ import annotations

import pytest

from faithkit.models import pulling, store
from faithkit.models.identity import digest, model_id, settings_digest
from faithkit.models.store import Wheels
from faithkit.records import ConfigError

pytestmark = pytest.mark.usefixtures("empty_cache")


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


def test_get_takes_a_name_or_role_and_name_and_lists_the_nearest() -> None:
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


def test_the_support_model_has_the_hashes_of_the_table() -> None:
    shipped = store.get("support-mini")
    found = store.status(shipped)
    assert found.path is not None
    assert digest([found.path / shipped.weights]) == shipped.sha256
    assert settings_digest(found.path) == shipped.settings
    size = sum(file.stat().st_size for file in found.path.iterdir() if file.is_file())
    assert size == shipped.size == found.size
    assert model_id(found.path) == f"support-mini@{shipped.sha256[:12]}"


# Pulling
