"""What a training writes: a new folder, whole or not at all, with a card that describes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from faithkit.models.cards import CARD
from faithkit.records import JSON, ConfigError


def check_new(folder: Path) -> None:
    """Raises ConfigError where the folder exists."""
    if folder.exists():
        raise ConfigError(f"{folder} is there already; name a folder that is not")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to write to that gets its name when the block ends without an error."""
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=parent) as place:
        written = Path(place) / folder.name
        yield written
        written.rename(folder)


def write_card(folder: Path, card: Mapping[str, JSON]) -> None:
    text = json.dumps(card, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / CARD).write_text(text + "\n", encoding="utf-8")


def versions(*packages: str) -> dict[str, JSON]:
    """The installed version of faithkit, torch, transformers and of these packages."""
    return {name: version(name) for name in ("faithkit", "torch", "transformers", *packages)}
