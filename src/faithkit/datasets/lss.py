"""The release of [LSS] (`Data/LSS_test.csv` of facebookresearch/lss_eval): WAFER claims, each with
every annotator's longest supported subsequence and rating. One row is one annotation; the columns
are headed by the questions that the annotators were asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from faithkit.datasets.rows import Row, read_rows
from faithkit.datasets.spans import removed_words, union
from faithkit.records import Example

WORKER, CLAIM, REFERENCE = "worker_id", "Statement", "Reference"
UNRELATED = (
    "Does the statement seem unrelated or completely related to the reference text? Mark if so."
)
LSS = (
    "LSS - Remove words from the statement until it is fully supported by the text "
    "(if none of the statement is supported, then leave this empty)"
)
LSS_STAR = "LSS* - Fix any spelling or grammar errors in the LSS"
DIFFICULT = (
    "Was it difficult to turn the LSS into the LSS* by only adding filler words? Mark if so."
)
RATING = "On a scale of 1-5, how well is the Claim supported by the Reference?"

MARKED: Mapping[str, int] = {"": 0, "Yes": 1}
RATINGS: Mapping[str, int] = {
    "1 - Not Supported": 1,
    "2 - Slightly Supported": 2,
    "3 - Partially Supported": 3,
    "4 - Almost Supported": 4,
    "5 - Completely Supported": 5,
}


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """One example for each claim and reference, numbered in the order of their first rows.

    The source is the reference, the summary is the claim, the rating the annotators' mean, 1 to 5.
    `meta["annotations"]`: for each annotator, in the order of the rows, worker, lss (empty if
    nothing is supported), lss_star, rating, and the marks unrelated and star_difficult (whether
    the step from LSS to LSS* was). `spans`: the words that any annotator removed;
    `meta["spans"]`: each annotator's, as `[start, end, "unsupported", annotator]`.
    """
    items: dict[tuple[str, str], list[Row]] = {}
    required = (WORKER, CLAIM, REFERENCE, UNRELATED, LSS, LSS_STAR, DIFFICULT, RATING)
    for row in read_rows(paths[0], required):
        items.setdefault((row.text(REFERENCE), row.text(CLAIM)), []).append(row)
    for number, ((reference, claim), rows) in enumerate(items.items()):
        annotations = [_annotation(row) for row in rows]
        marks = [
            (start, end, "unsupported", annotator)
            for annotator, annotation in enumerate(annotations)
            for start, end in removed_words(claim, annotation["lss"])
        ]
        yield rows[0].example(
            f"lss/{number}",
            reference,
            claim,
            rating=sum(annotation["rating"] for annotation in annotations) / len(annotations),
            spans=union(claim, [mark[:3] for mark in marks]),
            meta={"annotations": annotations, "spans": [list(mark) for mark in marks]},
        )


def _annotation(row: Row) -> dict[str, Any]:
    return {
        "worker": row.name(WORKER),
        "lss": row.text(LSS),
        "lss_star": row.text(LSS_STAR),
        "rating": row.choice(RATING, RATINGS),
        "unrelated": bool(row.choice(UNRELATED, MARKED)),
        "star_difficult": bool(row.choice(DIFFICULT, MARKED)),
    }
