"""What a model was trained on, as far as it says so: `trained_on`, the names of files and datasets.

A model's attribute `trained_on` (`protocols.Trained`) is read off the card that `faithkit train`
writes: `card.json` beside the weights, or the card inside a weights' file. A model without a card
says nothing, which is no promise that it has not seen a benchmark.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CARD = "card.json"


def trained_on(*models: object) -> frozenset[str]:
    """What any of these models was trained on; None and models that do not say add nothing."""
    return frozenset[str]().union(*(getattr(model, "trained_on", ()) for model in models))


def named_in(card: Mapping[str, Any]) -> frozenset[str]:
    """The names in a card: the files of `rows` (support) or `learned` (nli, judge) with how many of
    each, the name of `data` (lss), and what is named in the cards of the model it started from and
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
    """The names in the `card.json` of a model's folder; none if there is no such card of ours
    (a published checkpoint may have a file of that name)."""
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    return named_in(card) if isinstance(card, Mapping) else frozenset()
