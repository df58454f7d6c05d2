"""The reader of files that `faithkit export` wrote from a team's annotations."""

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
"""The family of a user's files."""


def is_file(name: str) -> bool:
    """Whether a name is the path of a user's file, which has an extension; names of releases have
    none."""
    return Path(name).suffix != ""


def exported(name: str) -> Iterator[Labelled]:
    """The rows of a file. A word's label is 1 where most annotators marked it; where words were
    struck out, it is the share of annotators who did that. Where no word is marked, those of a
    consistent summary are supported, and those of another one are unlabelled. A row without a label
    has no target. Raises DataError where the file is missing or broken."""
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
    annotators = max(1, len(example.meta.get("annotations", ())))
    labels: Labels = []
    for word in words(example.summary):
        marked_by = {mark[3] for mark in marks if len(mark) > 3
                     and mark[0] < word.end and mark[1] > word.start}  # fmt: skip
        removed_by = [annotator for annotator in marked_by if isinstance(annotator, int)]
        share = len(removed_by) / annotators if removed_by else float(bool(marked_by))
        if share > 1:
            raise DataError(f"{name}, row '{example.id}': more annotators than 'annotations' has")
        labels.append((word.start, word.end, share))
    return without_edge_punctuation(example.summary, labels)
