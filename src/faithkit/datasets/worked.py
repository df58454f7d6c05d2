"""Examples for a few-shot judge, drawn from a dataset's validation split: for each origin one
consistent and one inconsistent summary [FCLLM §3]. `metrics/judge/prompts/examples.py` puts them
into prompts.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from faithkit.datasets import is_validation
from faithkit.records import DataError, Example

WORDS = 400
"""The most words of a document; every prompt holds two documents."""


def draw(
    name: str, examples: Iterable[Example], *, seed: int = 0, words: int = WORDS
) -> list[Example]:
    """Draws two examples for each origin, the consistent one first, in the order in which the
    origins first appear.

    Candidates are labelled rows of the validation split whose document has at most `words` words.
    The two examples are about different documents. The same seed draws the same rows. Raises
    DataError if the dataset has no validation split, or an origin has no such two rows.
    """
    rows = [row for row in examples if row.label is not None and is_validation(row)]
    if not rows:
        raise DataError(
            f"{name}: no labelled row is of a validation split, and rows that a judge is measured "
            "on must not be its examples. Write a file of your own: JSONL with source, summary, "
            "label and origin"
        )
    drawn: list[Example] = []
    for origin in dict.fromkeys(map(_origin, rows)):
        short = [r for r in rows if _origin(r) == origin and len(r.source.split()) <= words]
        random.Random(f"{seed} {origin}").shuffle(short)
        good = next((row for row in short if row.label == 1), None)
        bad = next((r for r in short if r.label == 0 and good and r.source != good.source), None)
        if good is None or bad is None:
            raise DataError(
                f"{name}: of origin '{origin}' there is no consistent and inconsistent summary of "
                f"two documents of at most {words} words in the validation split; allow more words"
            )
        drawn += [good, bad]
    return drawn


def _origin(example: Example) -> str:
    return str(example.meta.get("origin") or "")
