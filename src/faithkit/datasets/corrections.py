"""GenAudit (Krishna et al., 2024) and LLM-dialogue (Ramprasad et al., 2024): summaries by language
models and what annotators corrected of them; [STRESS] edits both.

The layout of the released files is unknown. This reader takes their content as one row for each
summary, in JSONL or CSV: source, summary, corrected, and if known id, document and system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import Names, read_rows
from faithkit.datasets.spans import removed_words, union
from faithkit.records import Example

REQUIRED = ("source", "summary", "corrected")


def read(paths: Sequence[Path], *, name: str) -> Iterator[Example]:
    """The label is 1 if the correction differs from the summary in white space only.

    `spans`: the words that the correction removes or replaces. `meta`: correction (of a summary
    with an error), and the other fields.
    """
    named = Names()
    for number, row in enumerate(read_rows(paths[0], REQUIRED)):
        summary, corrected = row.text("summary"), row.text("corrected")
        is_correct = summary.split() == corrected.split()
        removed = [] if is_correct else removed_words(summary, corrected)
        yield row.example(
            named(f"{name}/{row.optional_name('id') or number}"),
            row.text("source"),
            summary,
            document=row.optional_name("document") or "",
            system=row.optional_name("system"),
            label=int(is_correct),
            spans=union(summary, [(*span, "corrected") for span in removed]),
            meta=({} if is_correct else {"correction": corrected})
            | row.rest(*REQUIRED, "id", "document", "system"),
        )
