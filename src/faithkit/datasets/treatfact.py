"""TreatFact ([FCLLM]): summaries of clinical abstracts, annotated by its protocol.

The layout of the released file is unknown. This reader takes one column for each question of the
protocol, in JSONL or CSV, which is also the format of an exported annotation by this protocol.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from faithkit.datasets.rows import Names, Row, read_rows
from faithkit.records import Example

ELEMENTS = ("population", "intervention", "comparison", "outcomes")
YES_NO_NA: Mapping[str, tuple[str, ...]] = {
    **{f"{element}_{part}": ("yes", "no") for element in ELEMENTS
       for part in ("mentioned", "consistent")},
    "strength_right": ("yes", "no", "NA"),
    "direction_right": ("yes", "no", "NA"),
}  # fmt: skip
STRENGTHS = ("strong", "moderate", "weak", "no evidence", "no claim")
DIRECTIONS = ("positive", "negative", "no effect")
CHOICES: Mapping[str, tuple[str, ...]] = {
    **YES_NO_NA,
    "strength_summary": STRENGTHS,
    "strength_abstract": STRENGTHS,
    "direction_summary": DIRECTIONS,
    "direction_abstract": DIRECTIONS,
}


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """Required: abstract, summary, overall (0 to 3). Rating: overall; label 1 if it is 3.

    Optional: id, document, model, annotator, other_span and other_truth (a misrepresentation), and
    the protocol's columns (`CHOICES`), empty if it does not apply; all of them in
    `meta["protocol"]`.
    """
    named = Names()
    for number, row in enumerate(read_rows(paths[0], ("abstract", "summary", "overall"))):
        source, overall = row.text("abstract"), row.number("overall", 0, 3)
        if overall != int(overall):
            raise row.wrong("overall", "0, 1, 2 or 3")
        yield row.example(
            named(f"treatfact/{row.optional_name('id') or number}"),
            source,
            row.text("summary"),
            document=row.optional_name("document") or "",
            system=row.optional_name("model"),
            label=int(overall == 3),
            rating=overall,
            meta={
                "protocol": _protocol(row),
                **row.rest("abstract", "summary", "overall", "id", "document", "model", *CHOICES),
            },
        )


def _protocol(row: Row) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for field, allowed in CHOICES.items():
        if row.values.get(field) not in (None, ""):
            answers[field] = row.one_of(field, allowed)
    return answers
