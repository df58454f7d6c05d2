"""The SummaC benchmark (Laban et al., TACL 2022): six sets as `<name>_<val|test>.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import ONE_ZERO, read_rows
from faithkit.records import Example

REQUIRED = ("document", "claim", "label")


def read(paths: Sequence[Path], *, split: str, name: str) -> Iterator[Example]:
    """`meta`: dataset, split, and the fields that the set has besides.

    Raises DataError if a row's `cut` is not the file's.
    """
    for number, row in enumerate(read_rows(paths[0], REQUIRED)):
        source = row.text("document")
        if "cut" in row.values:
            row.one_of("cut", (split,))
        yield row.example(
            f"summac/{name}/{split}/{number}",
            source,
            row.text("claim"),
            system=row.optional_name("model_name"),
            label=row.choice("label", ONE_ZERO),
            meta={"split": split, **row.rest(*REQUIRED, "model_name"), "dataset": f"summac/{name}"},
        )
