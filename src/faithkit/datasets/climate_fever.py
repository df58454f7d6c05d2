"""Climate-FEVER (Diggelmann et al., 2020): claims about the climate, each with five sentences of
Wikipedia, and the annotators' label of every sentence. JSONL, one claim a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from faithkit.datasets.rows import Row, inner_rows, read_rows
from faithkit.records import Example

NAMES = ("SUPPORTS", "REFUTES", "NOT_ENOUGH_INFO")
LABELS: Mapping[str, int] = {
    **{name: int(name == NAMES[0]) for name in NAMES},
    **{str(number): int(number == 0) for number in range(len(NAMES))},
}
"""Labels by name, as in the release, and by number, as in the copy on the Hugging Face hub."""


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """One example for each claim and evidence sentence; the label is 1 if the sentence supports the
    claim.

    The rows of a claim have the same document, so that they are resampled together. `meta`: nli
    (the sentence's label by name), claim_label (of the claim as a whole), article, entropy, votes.
    """
    for row in read_rows(paths[0], ("claim_id", "claim", "evidences")):
        claim = row.name("claim_id")
        for item in inner_rows(row, "evidences"):
            label = item.choice("evidence_label", LABELS)
            yield item.example(
                f"climate/{claim}/{item.name('evidence_id')}",
                item.text("evidence"),
                row.text("claim"),
                document=f"climate/{claim}",
                label=label,
                meta={
                    "nli": _name(item),
                    "claim_label": row.values.get("claim_label"),
                    **item.rest("evidence_id", "evidence_label", "evidence"),
                },
            )


def _name(item: Row) -> str:
    label = str(item.get("evidence_label")).strip()
    return NAMES[int(label)] if label.isdecimal() else label
