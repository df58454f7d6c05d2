"""The training data of a model, as far as it is recorded: `trained_on`, names of files and
datasets.

A model's attribute `trained_on` (`protocols.Trained`) is read from the card that `faithkit train`
writes: `card.json` in the model's folder, or the card inside a file of weights. For a model without
a card nothing is known; it may have been trained on a benchmark.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CARD = "card.json"


def trained_on(*models: object) -> frozenset[str]:
    """The training data of all these models together. None, and models without a record, add
    nothing."""
    return frozenset[str]().union(*(getattr(model, "trained_on", ()) for model in models))


def named_in(card: Mapping[str, Any]) -> frozenset[str]:
    """The training data that a card names: the keys of `rows` (support) or `learned` (nli, judge),
    the name of `data` (lss), and the data in the cards of the model that training started from and
    of its teachers."""
    by_file = [card.get(key) for key in ("rows", "learned")]
    names = {str(name) for files in by_file if isinstance(files, Mapping) for name in files}
    data = card.get("data")
    if isinstance(data, Mapping) and data.get("name"):
        names.add(str(data["name"]))
    for other in (card.get("start"), *card.get("teachers", ())):
        if isinstance(other, Mapping) and isinstance(other.get("card"), Mapping):
            names |= named_in(other["card"])
    return frozenset(names)


def of_folder(folder: Path) -> frozenset[str]:
    """The training data that `card.json` in a model's folder names; empty if there is no such card.
    A published checkpoint may have another file of that name."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    return named_in(card) if isinstance(card, Mapping) else frozenset()
