"""DeFacto (Liu et al., ACL 2023): XSum summaries of one system with human feedback.

An annotator says whether a summary has an error, intrinsic or extrinsic, names the evidence, and
corrects the summary. One JSONL file a split (`data/` of microsoft/DeFacto).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from faithkit.datasets.rows import flag, nested, read_rows
from faithkit.datasets.spans import removed_words, union
from faithkit.records import Example

REQUIRED = (
    "article", "candidate", "doc_id", "has_error", "intrinsic_error", "extrinsic_error", "feedback",
)  # fmt: skip


def read(paths: Sequence[Path], *, split: str) -> Iterator[Example]:
    """The label is 1 if the summary has no error.

    `spans`: the words of the summary that the correction removes or replaces. `meta`: error_types
    (intrinsic, extrinsic), correction (of a summary with an error), evidence_text, explanation,
    instructions, reference (XSum's own summary), split.
    """
    for number, row in enumerate(read_rows(paths[0], REQUIRED)):
        feedback = nested(row, "feedback")
        summary, wrong = row.text("candidate"), flag(row, "has_error")
        meta: dict[str, Any] = {
            "error_types": [k for k in ("intrinsic", "extrinsic") if flag(row, f"{k}_error")],
            "evidence_text": feedback.text("evidence"),
            "explanation": feedback.text("explanation"),
            "instructions": feedback.items("instruction_list"),
            "reference": row.values.get("abstract"),
            "split": split,
        }
        spans = []
        if wrong:
            meta["correction"] = correction = feedback.text("summary")
            spans = [(*span, "corrected") for span in removed_words(summary, correction)]
            meta["spans"] = [list(span) for span in spans]
        yield row.example(
            f"defacto/{split}/{number}",
            row.text("article"),
            summary,
            document=f"defacto/{row.name('doc_id')}",
            label=int(not wrong),
            spans=union(summary, spans),
            meta=meta,
        )
