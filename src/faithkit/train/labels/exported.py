"""Rows that `faithkit export` wrote out of a team's own annotations: what they say of each word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from faithkit.datasets.unified import read
from faithkit.language.words import words
from faithkit.records import DataError, Example
from faithkit.train.labels.rows import row, without_edge_punctuation
from faithkit.train.words import (
    ENTAILED,
    UNSUPPORTED,
    Labelled,
    Labels,
    supported,
)

OWN = "own"
"""The family of files that are no part of a release."""


def is_file(name: str) -> bool:
    """Whether a name is that of a file, and none of the releases."""
    return Path(name).suffix != ""


def exported(name: str) -> Iterator[Labelled]:
    """A word's label is 1 where most annotators marked it; of words struck out, the share of
    annotators who did. Where nobody marked words, those of a consistent summary are supported and
    of another one nothing is known. A row without a label has no target."""
    path = Path(name)
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    for example in read([path]):
        target = {1: ENTAILED, 0: UNSUPPORTED, None: None}[example.label]
        yield row(name, example, _labels(name, example), target)


def _labels(name: str, example: Example) -> Labels:
    marks = example.meta.get("spans")
    if example.label == 1 and not marks:
        return supported(example.summary)
    if not marks:
        return []
    people = max(1, len(example.meta.get("annotations", ())))
    labels: Labels = []
    for word in words(example.summary):
        who = {mark[3] for mark in marks if len(mark) > 3
               and mark[0] < word.end and mark[1] > word.start}  # fmt: skip
        counted = [annotator for annotator in who if isinstance(annotator, int)]
        share = len(counted) / people if counted else float(bool(who))
        if share > 1:
            raise DataError(f"{name}, row '{example.id}': more annotators than 'annotations' has")
        labels.append((word.start, word.end, share))
    return without_edge_punctuation(example.summary, labels)
