"""BUMP (Ma et al., ACL 2023): `task1_dataset.json`, pairs of a reference summary and its edit.

Each item has an article, its reference summary and the same with one error put in by hand:
the two are a pair. Seven pairs share an article.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import Names, read_rows
from faithkit.records import DataError, Example

REQUIRED = ("id", "article", "reference_summary", "edited_summary", "error_type")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """Two examples an item: the reference (label 1), then the edit (0).

    `meta`: side, error_types (the error the writer was asked for, on both sides),
    corrected_error_type (what it was found to be) and the published metric scores of the side.
    """
    named = Names()
    for row in read_rows(paths[0], REQUIRED):
        pair, source = row.name("id"), row.text("article")
        if named(pair) != pair:
            raise DataError(f"{row.place}: the id '{pair}' is in the file twice")
        for side, label in (("reference", 1), ("edited", 0)):
            scores = row.values.get("scores") or {}
            ending = f"_{side}"
            yield row.example(
                f"bump1/{pair}/{side}",
                source,
                row.text(f"{side}_summary"),
                pair=pair,
                label=label,
                meta={
                    "side": side,
                    "error_types": [row.name("error_type")],
                    "corrected_error_type": row.values.get("corrected_error_type"),
                    "published": {
                        name.removesuffix(ending): value
                        for name, value in scores.items()
                        if name.endswith(ending)
                    },
                },
            )
