"""Fixtures of the tests of metrics."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.helpers import tiny_models


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("checkpoints")
    names = ("alignscore", "minicheck", "unieval", "factcc", "hhem", "lettucedetect")
    found = {name: tiny_models.save_checkpoint(place / name, name) for name in names}
    for kind in ("roberta", "deberta"):
        labels = ("not_entailment", "entailment")
        found[kind] = tiny_models.save_classifier(place / kind, kind, labels)
    return found
