"""SummEdits (Laban et al., EMNLP 2023): `summedits_<domain>.json`, ten domains.

A seed summary of each document and edits of it, each consistent (1) or not (0). The pair is the
seed, which the release names in the first part of the id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import ONE_ZERO, read_rows
from faithkit.records import Example

REQUIRED = ("id", "doc", "summary", "label", "original_summary", "edit_types")


def read(paths: Sequence[Path], *, domain: str) -> Iterator[Example]:
    """`meta`: domain, original_summary, error_types (the edits, also of
    consistent ones), seed (True for the unedited summary), and `part`, the release's own `split`.
    """
    for row in read_rows(paths[0], REQUIRED):
        identity, source = row.name("id"), row.text("doc")
        seed, _, edit = identity.rpartition("_")
        if not seed:
            raise row.wrong("id", "SEED_EDIT")
        yield row.example(
            f"summedits/{domain}/{identity}",
            source,
            row.text("summary"),
            pair=seed,
            label=row.choice("label", ONE_ZERO),
            meta={
                "domain": domain,
                "original_summary": row.text("original_summary"),
                "error_types": row.items("edit_types"),
                "seed": edit == "og",
                "part": row.values.get("split"),
            },
        )
