"""The release of [LSS]: WAFER claims with their longest supported subsequence and a rating."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import Names
from faithkit.datasets.rows import read as read_rows
from faithkit.records import Example

REQUIRED = ("reference", "claim", "lss", "lss_star", "rating")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """The source is the reference, the summary is the claim. Rating 1 to 5.

    `meta`: lss (empty where nothing is supported), lss_star, and what else a row has. Rows of
    several annotators on one claim keep their order: their ids end in `#2`, `#3`.
    """
    named = Names()
    for number, row in enumerate(read_rows(paths[0], REQUIRED)):
        source = row.text("reference")
        yield row.example(
            named(f"lss/{row.optional_name('id') or number}"),
            source,
            row.text("claim"),
            rating=row.number("rating", 1, 5),
            meta={
                "lss": row.text("lss"),
                "lss_star": row.text("lss_star"),
                **row.rest(*REQUIRED, "id"),
            },
        )
