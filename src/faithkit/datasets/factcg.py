"""FactCG's training data (Lei et al., 2025): claims made from a graph of a document, JSON lines in
files named `.json` (`data/training_stage2/CG2C_doc.json`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import ONE_ZERO
from faithkit.records import DataError, Example
from faithkit.rows import Table

REQUIRED = ("text_a", "text_b", "orig_label")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """The source is text_a, the summary the one text of text_b. `meta`: task.

    Raises DataError if a claim that is labelled 1 has an empty document: in the release's file
    from MuSiQue nearly all of them do, so nothing can be learned from it, or measured on it.
    """
    table = Table(paths[0], "jsonl", str(paths[0]), quoted=False)  # whatever its ending says
    for number, row in enumerate(table.read(REQUIRED)):
        claims = row.items("text_b")
        if len(claims) != 1 or not isinstance(claims[0], str):
            raise row.wrong("text_b", "a list of one claim")
        source, label = row.text("text_a"), row.choice("orig_label", ONE_ZERO)
        if label and not source.strip():
            raise DataError(
                f"{row.place}, field 'text_a': a claim labelled as supported has an empty "
                "document, as in the release's MuSiQue file; use CG2C_doc.json"
            )
        yield row.example(
            f"cg2c_doc/{number}", source, claims[0], label=label, meta=row.rest(*REQUIRED, "text_c")
        )
