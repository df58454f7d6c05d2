"""Fool Me Twice (Eisenschlos et al., NAACL 2021): claims that players wrote to mislead, against the
sentences of the Wikipedia page that decide them. One JSONL file a split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from faithkit.datasets.rows import inner_rows, read_rows
from faithkit.records import Example

LABELS: Mapping[str, int] = {"SUPPORTS": 1, "REFUTES": 0}


def read(paths: Sequence[Path], *, split: str) -> Iterator[Example]:
    """The source is the gold evidence, its sentences joined by one space; the document is the page.

    `meta`: sections (of the evidence), retrieved (the sentences that a player could see), category,
    total_votes, correct_votes, split.
    """
    required = ("id", "text", "label", "gold_evidence", "wikipedia_page")
    for row in read_rows(paths[0], required):
        evidence = inner_rows(row, "gold_evidence")
        retrieved = inner_rows(row, "retrieved_evidence") if row.values.get("retrieved_evidence") \
            else []  # fmt: skip
        yield row.example(
            f"fm2/{row.name('id')}",
            " ".join(item.text("text") for item in evidence),
            row.text("text"),
            document=f"fm2/{row.name('wikipedia_page')}",
            label=row.choice("label", LABELS),
            meta={
                "sections": [item.text("section_header") for item in evidence],
                "retrieved": [item.text("text") for item in retrieved],
                "split": split,
                **row.rest(*required, "retrieved_evidence"),
            },
        )
