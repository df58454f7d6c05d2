"""FaithBench (Bao et al., NAACL 2025): `FaithBench.csv`, summaries by ten modern LLMs.

Label as the release's own script makes it: 0 if the worst annotation is Questionable or
Unwanted, else 1. A Benign hallucination is one that the reader's knowledge of the world supports.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import read_rows
from faithkit.records import Example

LABELS = {"Consistent": 1, "Benign": 1, "Questionable": 0, "Unwanted": 0}
REQUIRED = ("source", "summary", "LLM", "worst-label", "best-label")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """`meta`: grade (the worst label), best_label, and what else a row has."""
    for number, row in enumerate(read_rows(paths[0], REQUIRED)):
        source = row.text("source")
        row.choice("best-label", LABELS)
        yield row.example(
            f"faithbench/{number}",
            source,
            row.text("summary"),
            system=row.name("LLM"),
            label=row.choice("worst-label", LABELS),
            meta={
                "grade": row.text("worst-label").strip(),
                "best_label": row.text("best-label").strip(),
                **row.rest(*REQUIRED),
            },
        )
