"""GenAudit (Krishna et al., 2024) and LLM-dialogue (Ramprasad et al., 2024): summaries by language
models and what annotators corrected of them; [STRESS] edits both.

The layout of the released files could not be seen; this reads what they hold as one row a summary,
in JSONL or CSV: source, summary, corrected, and where known id, document and system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import Names, read_rows
from faithkit.datasets.spans import removed_words, union
from faithkit.records import Example

REQUIRED = ("source", "summary", "corrected")


def read(paths: Sequence[Path], *, name: str) -> Iterator[Example]:
    """The label is 1 if the correction keeps the summary as it is, but for white space.

    `spans`: the words that the correction does not keep. `meta`: correction (of a summary with an
    error), and the other fields.
    """
    named = Names()
    for number, row in enumerate(read_rows(paths[0], REQUIRED)):
        summary, corrected = row.text("summary"), row.text("corrected")
        right = summary.split() == corrected.split()
        places = [] if right else removed_words(summary, corrected)
        yield row.example(
            named(f"{name}/{row.optional_name('id') or number}"),
            row.text("source"),
            summary,
            document=row.optional_name("document") or "",
            system=row.optional_name("system"),
            label=int(right),
            spans=union(summary, [(*place, "corrected") for place in places]),
            meta=({} if right else {"correction": corrected})
            | row.rest(*REQUIRED, "id", "document", "system"),
        )
