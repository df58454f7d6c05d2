"""Fitting of the classifier behind the difficulty suite [STRESS]: a network with
layers of 100 and 50 units (learning rate .001) over six shallow features of labelled rows.

What the features are, how a fitted classifier is read and used is in `stress/suites/difficulty.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from faithkit import meta
from faithkit.records import JSON, DataError
from faithkit.stress.suites.difficulty import Difficulty, standardised

LAYERS, RATE = (100, 50), 0.001
FOLDS = 5

Features = Sequence[Sequence[float | None]]
"""[rows][6], None where a feature is missing."""


def train(
    features: Features, labels: Sequence[int], documents: Sequence[str], *, data: str, seed: int = 0
) -> Difficulty:
    """A classifier fitted to a development set. Its card has the numbers of rows, and AUC and
    accuracy in a cross-validation by document.

    features   of `stress.difficulty.features_of`
    labels     1 consistent, 0 not
    documents  the source document of each row
    data       the name of the data in the card
    Raises DataError where the rows are not of both labels. The same rows and seed give the same
    weights.
    """
    held_out: JSON = None
    if len(set(documents)) > 1:
        predicted = crossfit(features, labels, documents, seed=seed)
        sample = meta.sample(predicted, labels, groups=documents)
        held_out = {
            measure.name: meta.estimate(measure, sample, draws=1000, seed=seed).to_dict()
            for measure in (meta.AUC, meta.balanced_accuracy(0.5))
        }
    card: dict[str, JSON] = {
        "data": data,
        "rows": len(labels),
        "documents": len(set(documents)),
        "consistent": sum(labels),
        "seed": seed,
        "layers": list(LAYERS),
        "learning_rate": RATE,
        "held_out": held_out,
    }
    return _fit(features, labels, seed, card)


def crossfit(
    features: Features, labels: Sequence[int], documents: Sequence[str], *, seed: int
) -> list[float]:
    """The probability of each row to be consistent, by a classifier fitted on other documents: a
    cross-validation of FOLDS folds of documents, or of as many as there are documents.

    Raises DataError where there is only one document, or a fold leaves rows of one label.
    """
    data = meta.sample(labels, groups=documents)
    if data.clusters < 2:
        raise DataError("difficulty needs rows of two documents at least, or --difficulty FILE")
    folds = min(FOLDS, data.clusters)
    probabilities = [0.0] * len(labels)
    for train, test in meta.grouped_folds(documents, folds, seed):
        seen, unseen = (np.flatnonzero(fold).tolist() for fold in (train, test))
        model = _fit([features[row] for row in seen], [labels[row] for row in seen], seed, {})
        predicted = model.probabilities([features[row] for row in unseen])
        for row, probability in zip(unseen, predicted, strict=True):
            probabilities[row] = probability
    return probabilities


def _fit(features: Features, labels: Sequence[int], seed: int, card: dict[str, JSON]) -> Difficulty:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    if set(labels) != {0, 1}:
        raise DataError(
            f"difficulty learns from rows of both labels; these {len(labels)} are of one"
        )
    columns = [[v for v in column if v is not None] for column in zip(*features, strict=True)]
    means = tuple(float(np.mean(column)) if column else 0.0 for column in columns)
    scales = tuple((float(np.std(column)) if column else 0.0) or 1.0 for column in columns)
    model = MLPClassifier(LAYERS, learning_rate_init=RATE, random_state=seed)
    with warnings.catch_warnings():
        # 200 passes, which may not converge, are scikit-learn's default; it is kept for simplicity.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(standardised(features, means, scales), list(labels))
    return Difficulty(means, scales, tuple(model.coefs_), tuple(model.intercepts_), card)
