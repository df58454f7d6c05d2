"""EntFA (Cao et al., ACL 2022): summaries of XSum by one system, every entity judged. One JSON
list a split (`data/train.json`, `data/test.json`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from faithkit.datasets.rows import Row, inner_rows, read_rows
from faithkit.datasets.spans import union
from faithkit.records import Example

FAITHFUL = "Non-hallucinated"
TRUE = "Factual Hallucination"
WRONG = ("Non-factual Hallucination", "Intrinsic Hallucination")
KINDS = (FAITHFUL, TRUE, *WRONG)


def read(paths: Sequence[Path], *, split: str) -> Iterator[Example]:
    """The label is 0 if an entity is a non-factual or an intrinsic hallucination. A factual one,
    which the document lacks but which is true, does not make it 0.

    `spans`: the entities but for the faithful ones. `meta`: error_types, entities (start, end,
    kind, type), reference (XSum's own summary), split.
    """
    for number, row in enumerate(read_rows(paths[0], ("source", "prediction", "entities"))):
        summary = row.text("prediction")
        entities = [_entity(item, summary) for item in inner_rows(row, "entities")]
        kinds = [entity[2] for entity in entities]
        yield row.example(
            f"entfa/{split}/{number}",
            row.text("source"),
            summary,
            label=int(not any(kind in WRONG for kind in kinds)),
            spans=union(summary, [tuple(e[:3]) for e in entities if e[2] != FAITHFUL]),
            meta={
                "error_types": sorted({kind for kind in kinds if kind in WRONG}),
                "entities": entities,
                "reference": row.values.get("reference"),
                "split": split,
            },
        )


def _entity(item: Row, summary: str) -> list[Any]:
    start, end = item.whole("start"), item.whole("end")
    if not 0 <= start < end <= len(summary):
        raise item.wrong("end", f"a span of the {len(summary)} characters, after {start}")
    return [start, end, item.one_of("label", KINDS), item.values.get("type")]
