"""Symmetric FEVER (Schuster et al., EMNLP 2019), version 0.2: claims and evidence sentences that
occur with both labels, so that neither tells the label alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from faithkit.datasets.rows import read_rows
from faithkit.records import Example

LABELS: Mapping[str, int] = {"SUPPORTS": 1, "REFUTES": 0}


def read(paths: Sequence[Path], *, split: str) -> Iterator[Example]:
    """Rows of one id are a pair: the release numbers them by the row of FEVER that they are made
    of. `meta`: split."""
    for number, row in enumerate(read_rows(paths[0], ("id", "claim", "evidence", "label"))):
        yield row.example(
            f"fever_symmetric/{split}/{number}",
            row.text("evidence"),
            row.text("claim"),
            pair=f"fever_symmetric/{row.name('id')}",
            label=row.choice("label", LABELS),
            meta={"split": split},
        )
