"""ConflictBank (Su et al., NeurIPS 2024): claims and counterfactual claims, each with its evidence.

Each item becomes the four conditions of [STRESS] section 3.4 (methods, section 7): (a) factual
evidence, factual claim; (b) counterfactual evidence, counterfactual claim; (c) factual evidence,
counterfactual claim; (d) counterfactual evidence, factual claim. (a) and (b) are supported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import Row, read_rows
from faithkit.records import DataError, Example

KINDS = ("misinformation", "temporal", "semantic")
PLAIN = ("claim", "evidence", "counterfactual_claim", "counterfactual_evidence")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """Four examples for each item and kind of conflict.

    Two layouts: the fields `claim, evidence, counterfactual_claim, counterfactual_evidence` (kind
    `counterfactual`), or the release's `default_claim`, `default_evidence` and the same for its
    three kinds of conflict. The document is the item, the pair the item and kind. `meta`:
    condition (a to d), split (the kind).
    """
    for number, row in enumerate(read_rows(paths[0])):
        layouts = list(_layouts(row))
        for kind, fields in layouts:
            texts = [row.text(field) for field in fields]
            yield from _conditions(row, str(number), kind, texts)
        if not layouts:
            raise DataError(
                f"{row.place}: expected the fields {', '.join(PLAIN)}, or default_claim, "
                f"default_evidence and <{'|'.join(KINDS)}>_conflict_claim and _evidence; "
                f"found {', '.join(row.values)}"
            )


def _layouts(row: Row) -> Iterator[tuple[str, tuple[str, ...]]]:
    if "counterfactual_claim" in row.values:
        yield "counterfactual", PLAIN
    for kind in KINDS:
        claim, evidence = f"{kind}_conflict_claim", f"{kind}_conflict_evidence"
        if claim in row.values:
            # The hub's file doubles the ending of one column.
            doubled = f"{evidence}_evidence"
            chosen = doubled if doubled in row.values else evidence
            yield kind, ("default_claim", "default_evidence", claim, chosen)


def _conditions(row: Row, item: str, kind: str, texts: Sequence[str]) -> Iterator[Example]:
    claim, evidence, other_claim, other_evidence = texts
    for condition, source, summary, label in (
        ("a", evidence, claim, 1),
        ("b", other_evidence, other_claim, 1),
        ("c", evidence, other_claim, 0),
        ("d", other_evidence, claim, 0),
    ):
        yield row.example(
            f"conflictbank/{item}/{kind}/{condition}",
            source,
            summary,
            document=item,
            pair=f"{item}/{kind}",
            label=label,
            meta={"condition": condition, "split": kind},
        )
