"""Worked examples for a few-shot judge, drawn from a dataset's validation split: for each origin
one consistent summary and one inconsistent [FCLLM §3]. What a judge makes of them is
`metrics/judge/prompts/examples.py`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from faithkit.records import DataError, Example

WORDS = 400
"""The most words of a document that is shown; every prompt holds two of them."""

VALIDATION = ("val", "valid", "validation", "dev")


def draw(
    name: str, examples: Iterable[Example], *, seed: int = 0, words: int = WORDS
) -> list[Example]:
    """Two for each origin, the consistent one first, in the origins' order of appearance.

    Only labelled rows of the validation split with a document of at most `words` words are drawn
    from; the two are about different documents. The same seed draws the same rows. Raises DataError
    where the dataset has no validation split, or an origin nothing to draw from.
    """
    rows = [one for one in examples if one.label is not None]
    held = [one for one in rows if _split(one) in VALIDATION]
    if not held:
        raise DataError(
            f"{name}: no labelled row is of a validation split, and rows that a judge is measured "
            "on must not be its examples. Write a file of your own: JSONL with source, summary, "
            "label and origin"
        )
    found: list[Example] = []
    for origin in dict.fromkeys(str(one.meta.get("origin") or "") for one in held):
        own = [one for one in held if str(one.meta.get("origin") or "") == origin]
        short = [one for one in own if len(one.source.split()) <= words]
        random.Random(f"{seed} {origin}").shuffle(short)
        good = next((one for one in short if one.label == 1), None)
        bad = next(
            (one for one in short if one.label == 0 and good and one.source != good.source), None
        )
        if good is None or bad is None:
            raise DataError(
                f"{name}: of origin '{origin}' there is no consistent and inconsistent summary of "
                f"two documents of at most {words} words in the validation split; allow more words"
            )
        found += [good, bad]
    return found


def _split(example: Example) -> str:
    return str(example.meta.get("split") or example.meta.get("cut") or "")
