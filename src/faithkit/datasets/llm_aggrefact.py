"""LLM-AggreFact (Tang et al., EMNLP 2024): documents and claims out of eleven sets.

Read from a file in JSONL, CSV or Parquet; from the hub it is `hf:lytang/LLM-AggreFact`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import ONE_ZERO, read_rows
from faithkit.records import Example

REQUIRED = ("dataset", "doc", "claim", "label")


def read(paths: Sequence[Path], *, split: str) -> Iterator[Example]:
    """`meta`: dataset (which of the eleven), split, and what else a row has."""
    for number, row in enumerate(read_rows(paths[0], REQUIRED)):
        source = row.text("doc")
        yield row.example(
            f"llm_aggrefact/{split}/{number}",
            source,
            row.text("claim"),
            label=row.choice("label", ONE_ZERO),
            meta={**row.rest(*REQUIRED), "dataset": row.name("dataset"), "split": split},
        )
