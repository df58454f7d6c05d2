"""Sentence re-ranking (Falke et al., ACL 2019): `val_sentence_pairs.json`.

373 items of a source sentence with a correct and an incorrect summary sentence. A metric is right
on an item if the correct one scores strictly higher ([MFAS], section 5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faithkit.datasets.rows import read_rows
from faithkit.records import Example

REQUIRED = ("article_sent", "correct_sent", "incorrect_sent")


def read(paths: Sequence[Path]) -> Iterator[Example]:
    """Two examples an item: the correct sentence (label 1), then the incorrect one (0).

    The item is the pair. `meta`: side.
    """
    for number, row in enumerate(read_rows(paths[0], REQUIRED)):
        source, pair = row.text("article_sent"), str(number)
        for side, label in (("correct", 1), ("incorrect", 0)):
            yield row.example(
                f"reranking/{pair}/{side}",
                source,
                row.text(f"{side}_sent"),
                pair=pair,
                label=label,
                meta={
                    "side": side,
                    **row.rest(*REQUIRED),
                },
            )
