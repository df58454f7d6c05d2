"""A user's own file of premises and hypotheses in the shape of DocNLI (Yin et al. 2021): rows of
`premise`, `hypothesis` and `label`, as JSON (a list), JSONL, CSV, TSV or Parquet."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from faithkit.datasets.rows import read_rows
from faithkit.records import ConfigError, DataError, document_id
from faithkit.train.labels.judged import TARGETS
from faithkit.train.words import (
    ENTAILED,
    Labelled,
    Target,
    supported,
)

log = logging.getLogger("faithkit")

PREMISE, HYPOTHESIS, LABEL = "premise", "hypothesis", "label"


def parse_labels(options: list[str]) -> dict[str, Target]:
    """The target of each label, from options of the form LABEL=KIND; the names of the four kinds
    are labels too. Raises ConfigError on a malformed option."""
    meaning = dict(TARGETS)
    for text in options:
        label, equals, kind = text.rpartition("=")
        if not equals or not label or kind not in TARGETS:
            kinds = ", ".join(TARGETS)
            raise ConfigError(f"--label wants LABEL=KIND with a kind of {kinds}, found '{text}'")
        meaning[label] = TARGETS[kind]
    return meaning


def has_premises(path: Path) -> bool:
    """Whether the first row of a file has a premise and a hypothesis."""
    first = next(iter(islice(read_rows(path), 1)), None)
    return first is not None and {PREMISE, HYPOTHESIS} <= first.values.keys()


def entailed(path: Path, meaning: Mapping[str, Target]) -> Iterator[Labelled]:
    """The rows of a file; the words of entailed hypotheses are supported, those of others are
    unlabelled. Rows with a blank text are left out, with a warning that counts them.

    meaning  the target of each label
    Raises DataError, with file and line, on another label.
    """
    blank = 0
    for row in read_rows(path, (PREMISE, HYPOTHESIS, LABEL)):
        label = str(row.get(LABEL)).strip()
        if label not in meaning:
            raise DataError(
                f"{row.place}, field '{LABEL}': expected one of {', '.join(meaning)}, found "
                f"'{label}'; --label '{label}=KIND' says what it means"
            )
        premise, hypothesis = row.text(PREMISE), row.text(HYPOTHESIS)
        if not premise.strip() or not hypothesis.strip():
            blank += 1
            continue
        target = meaning[label]
        labels = supported(hypothesis) if target is ENTAILED else []
        yield Labelled(str(path), document_id(premise), premise, hypothesis, tuple(labels), target)
    if blank:
        log.warning("%s: %s rows have no premise or no hypothesis and are left out", path, blank)
