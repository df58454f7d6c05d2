"""Fixtures shared by the tests. No test reaches a network; models are embedded, tiny or faked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

os.environ["HF_HUB_OFFLINE"] = "1"

# Examples of a property test that names no number: few for `make quick`, many for `make verify`.
for name, examples in {"quick": 20, "default": 60, "thorough": 500}.items():
    settings.register_profile(name, max_examples=examples, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The tests' own cache folder, so that they neither read nor leave anything in the user's."""
    folder = tmp_path_factory.mktemp("faithkit-cache")
    before = os.environ.get("FAITHKIT_CACHE")
    os.environ["FAITHKIT_CACHE"] = str(folder)
    yield folder
    if before is None:
        del os.environ["FAITHKIT_CACHE"]
    else:
        os.environ["FAITHKIT_CACHE"] = before


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny BERT encoder of random weights."""
    from tests.helpers.tiny_support import save_encoder

    return save_encoder(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture(scope="session")
def tiny_support(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path) -> Path:
    """The folder of a support model of random weights on the tiny encoder."""
    from tests.helpers.tiny_support import save_support

    return save_support(tmp_path_factory.mktemp("support") / "model", tiny_encoder)
