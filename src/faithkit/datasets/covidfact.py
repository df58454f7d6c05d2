"""COVID-Fact (Saakyan et al., ACL 2021): claims from a forum, each followed by copies that were
falsified automatically, against the sentences of the cited page. `COVIDFACT_dataset.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from faithkit.datasets.rows import read_rows
from faithkit.records import Example

LABELS: Mapping[str, int] = {"SUPPORTED": 1, "REFUTED": 0}


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """The source is the evidence, its sentences joined by one space. A claim and the falsified
    copies after it, which have the same evidence, are a pair. `meta`: gold_source, flair."""
    previous_source, pair = None, 0
    for number, row in enumerate(read_rows(paths[0], ("claim", "label", "evidence"))):
        sentences = row.items("evidence")
        if not all(isinstance(sentence, str) for sentence in sentences):
            raise row.wrong("evidence", "a list of sentences")
        label, source = row.choice("label", LABELS), " ".join(sentences)
        if label or source != previous_source:
            pair = number
        previous_source = source
        yield row.example(
            f"covidfact/{number}",
            source,
            row.text("claim"),
            pair=f"covidfact/{pair}",
            label=label,
            meta=row.rest("claim", "label", "evidence"),
        )
