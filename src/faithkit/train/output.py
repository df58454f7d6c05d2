"""Output of a training beside the weights: a card that describes the model."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from faithkit.models.cards import CARD
from faithkit.records import JSON, ConfigError
from faithkit.writing import write_json


def check_new(folder: Path) -> None:
    """Raises ConfigError if the folder exists."""
    if folder.exists():
        raise ConfigError(f"{folder} is there already; name a folder that is not")


def write_card(folder: Path, card: Mapping[str, JSON]) -> None:
    """Writes the card into the folder of a model."""
    write_json(folder / CARD, card)


def versions(*packages: str) -> dict[str, JSON]:
    """The installed version of faithkit, torch, transformers and of these packages."""
    return {name: version(name) for name in ("faithkit", "torch", "transformers", *packages)}
