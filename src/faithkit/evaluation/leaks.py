"""Does a dataset leak its labels? Baselines that see the claim alone, or the source alone.

A claim cannot tell whether its source supports it, so what a classifier reaches on claims alone is
a shortcut: the words, the length, the manner in which unfaithful claims were made. Both baselines
are logistic regressions over words and pairs of words, fitted on four fifths of the documents and
tested on the last, five times; a third sees the claim's length alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from faithkit import extras, meta
from faithkit.records import JSON, DataError, Example

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Folds = Sequence[tuple[Ints, Ints]]
"""Rows that a baseline is fitted on, and those it is tested on."""

FOLDS, SEED = 5, 0
WORDS = 20_000
"""The most frequent words and pairs of words that a baseline sees."""
SUSPICIOUS = 0.55
"""A lower end of the interval above this is a leak."""


@dataclass(frozen=True, slots=True)
class Leak:
    """The result of one baseline, on documents that it was not fitted on.

    sees  "claim", "source" or "claim length"
    auc   with its interval by document
    balanced_accuracy  where the classifier says which label is the likelier
    """

    sees: str
    auc: meta.Estimate
    balanced_accuracy: float | None

    @property
    def leaks(self) -> bool:
        """Whether it is above chance beyond doubt. An AUC that is the same in all resamples, as 1
        is, has no interval and is its own lower end."""
        lowest = self.auc.value if self.auc.low is None else self.auc.low
        return lowest is not None and lowest > SUSPICIOUS

    def to_dict(self) -> dict[str, JSON]:
        """As JSON."""
        row: dict[str, JSON] = asdict(self)
        return {**row, "auc": self.auc.to_dict(), "leaks": self.leaks}


@dataclass(frozen=True, slots=True)
class LeakReport:
    """The baselines on a dataset's labelled rows, of which `consistent` have the label 1."""

    rows: int
    consistent: int
    documents: int
    leaks: tuple[Leak, ...]

    def to_dict(self) -> dict[str, JSON]:
        """As JSON."""
        return {"rows": self.rows, "consistent": self.consistent, "documents": self.documents,
                "baselines": [leak.to_dict() for leak in self.leaks]}  # fmt: skip


def leak_test(examples: Sequence[Example], *, draws: int = 1000) -> LeakReport:
    """The three baselines on the labelled rows.

    Rows of one document, and of one pair, are kept in one fold, so that no baseline has seen the
    text that it is tested on. Raises DataError on fewer than ten groups or a single label.
    """
    extras.require(("sklearn", "scipy"), "A leak test")
    labelled = [example for example in examples if example.label is not None]
    labels = np.array([example.label for example in labelled], dtype=np.int64)
    if len(set(labels.tolist())) < 2:
        raise DataError(f"a leak test needs both labels; {len(labelled)} rows have one or none")
    groups = _groups(labelled)
    if len(set(groups)) < 2 * FOLDS:
        raise DataError(
            f"a leak test needs {2 * FOLDS} documents or more, found {len(set(groups))}"
        )
    folds = [(np.flatnonzero(fitting), np.flatnonzero(testing))
             for fitting, testing in meta.grouped_folds(groups, FOLDS, SEED)]  # fmt: skip
    texts: dict[str, Callable[[Example], str]] = {
        "claim": lambda example: example.summary,
        "source": lambda example: example.source,
    }
    scores = {name: _by_words([text_of(e) for e in labelled], labels, folds)
              for name, text_of in texts.items()}  # fmt: skip
    lengths = np.array([[np.log1p(len(e.summary.split()))] for e in labelled])
    scores["claim length"] = _by_length(lengths, labels, folds)
    return LeakReport(
        len(labelled),
        int(labels.sum()),
        len({example.document for example in labelled}),
        tuple(_leak(name, values, labels, groups, draws) for name, values in scores.items()),
    )


def _groups(examples: Sequence[Example]) -> list[str]:
    """A group name for each row; rows that share a document or a pair, also indirectly, have the
    same group."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for example in examples:
        document = root(f"document {example.document}")
        if example.pair is not None:
            pair = root(f"pair {example.pair}")
            parent[max(pair, document)] = min(pair, document)
    return [root(f"document {example.document}") for example in examples]


def _by_words(texts: Sequence[str], labels: Ints, folds: Folds) -> Floats:
    """Score − threshold of each row, from the fit that did not see it; [rows]."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    margins = np.zeros(len(texts))
    for fitting, testing in folds:
        words = TfidfVectorizer(ngram_range=(1, 2), max_features=WORDS, sublinear_tf=True,
                                token_pattern=r"(?u)\b\w+\b")  # fmt: skip
        x = words.fit_transform([texts[i] for i in fitting])
        margins[testing] = _fitted(x, labels[fitting])(words.transform([texts[i] for i in testing]))
    return margins


def _by_length(lengths: Floats, labels: Ints, folds: Folds) -> Floats:
    margins = np.zeros(len(lengths))
    for fitting, testing in folds:
        margins[testing] = _fitted(lengths[fitting], labels[fitting])(lengths[testing])
    return margins


def _fitted(x: Any, labels: Ints) -> Callable[[Any], Floats]:
    """The decision function of a logistic regression with balanced classes; positive margins mean
    consistent. If all labels are the same, all margins are 0."""
    from sklearn.linear_model import LogisticRegression

    if len(set(labels.tolist())) < 2:
        return lambda rows: np.zeros(rows.shape[0])
    model = LogisticRegression(class_weight="balanced", max_iter=1000).fit(x, labels)
    return lambda rows: np.asarray(model.decision_function(rows), dtype=float)


def _leak(
    name: str,
    margins: Floats,
    labels: Ints,
    groups: Sequence[str],
    draws: int,
) -> Leak:
    data = meta.sample(margins.tolist(), labels.tolist(), groups=groups)
    auc = meta.estimate(meta.AUC, data, draws=draws, seed=SEED)
    return Leak(name, auc, meta.estimate(meta.balanced_accuracy(0.0), data).value)
