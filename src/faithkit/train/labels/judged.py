"""Readers of files that label a summary or claim as a whole: by grades, votes, labels or entailment
classes. All words of a supported one are supported; those of others are unlabelled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from faithkit.records import DataError, Example
from faithkit.train.labels.rows import examples, probable, row
from faithkit.train.words import (
    CONTRADICTED,
    ENTAILED,
    NEUTRAL,
    UNSUPPORTED,
    Labelled,
    Target,
    supported,
)


def _judged(file: str, example: Example, target: Target, pair: str = "") -> Labelled:
    labels = supported(example.summary) if target is ENTAILED else []
    return row(file, example, labels, target, pair=pair)


def by_label(name: str) -> Callable[[Path], Iterator[Labelled]]:
    """The reader of a file with labels, 1 supported and 0 not."""

    def read(data: Path) -> Iterator[Labelled]:
        for example in examples(name, data):
            if example.label is not None:
                yield _judged(name, example, ENTAILED if example.label == 1 else UNSUPPORTED)

    return read


def cliff(data: Path) -> Iterator[Labelled]:
    """Targets by label; the file's name has the origin of the documents."""
    for example in examples("cliff", data):
        file = f"cliff[origin={example.meta['origin']}]"
        yield _judged(file, example, ENTAILED if example.label == 1 else UNSUPPORTED)


TARGETS: dict[str, Target] = {
    "entailment": ENTAILED,
    "neutral": NEUTRAL,
    "contradiction": CONTRADICTED,
    "not_entailment": UNSUPPORTED,
}


def entailment(name: str) -> Callable[[Path], Iterator[Labelled]]:
    """The reader of a file with the field `nli`; rows of one pair differ minimally."""

    def read(data: Path) -> Iterator[Labelled]:
        for example in examples(name, data):
            relation = example.meta.get("nli")
            if relation not in TARGETS:
                wanted = f"one of {', '.join(TARGETS)}"
                raise DataError(
                    f"{name}, row '{example.id}', field 'nli': expected {wanted}, "
                    f"found {relation!r}"
                )
            yield _judged(name, example, TARGETS[relation], example.pair or "")

    return read


UNSUPPORTED_GRADES = {"Consistent": 0.0, "Benign": 0.5, "Questionable": 0.5, "Unwanted": 1.0}
"""FaithBench's grades as probabilities of being unsupported. Benign is a hallucination that readers
accept, Questionable one about which they are not sure."""


def faithbench(data: Path) -> Iterator[Labelled]:
    """The target is the mean of the worst and the best judgement, because annotators disagree on
    half of the rows."""
    name = "faithbench_dev"
    for example in examples(name, data):
        worst, best = (example.meta.get(field) for field in ("worst", "best"))
        if worst not in UNSUPPORTED_GRADES or best not in UNSUPPORTED_GRADES:
            raise DataError(
                f"{name}, row '{example.id}': expected worst and best of "
                f"{', '.join(UNSUPPORTED_GRADES)}, found {worst!r} and {best!r}"
            )
        unsupported = (UNSUPPORTED_GRADES[worst] + UNSUPPORTED_GRADES[best]) / 2
        yield _judged(name, example, probable(1 - unsupported))


def summeval(data: Path) -> Iterator[Labelled]:
    """The target is the share of the three experts who rated 5, every sentence supported. It is
    estimated from the mean: each point below 5 counts as one expert who saw an error."""
    name = "summeval_dev"
    for example in examples(name, data):
        if example.rating is None:
            raise DataError(f"{name}, row '{example.id}': expected a score, found none")
        experts = round(3 * max(0.0, example.rating - 4))
        yield _judged(name, example, probable(experts / 3))


def qags_xsum(data: Path) -> Iterator[Labelled]:
    """The target is the share of annotators who call the sentence consistent, from the original
    release, because the unified file has only the majority."""
    for example in examples("qags_xsum_release", data):
        yield _judged("qags_xsum", example, probable(example.meta["share"]))
