"""Training of SummaC-Conv on labelled pairs (Laban et al. 2022 §4.2).

Here are the histograms of the pairs, the fit, and its figures on held-out documents. The definition
of a histogram, and the use and the file of the convolution are in `metrics/summac.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray

from faithkit import meta
from faithkit.metrics.summac import BINS, Convolution, histograms, judge, sigmoid
from faithkit.models.protocols import EntailmentModel
from faithkit.records import JSON, DataError, Example, Outcome
from faithkit.train.loop import ParameterGroup, TrainingOptions
from faithkit.train.loop import train as optimise

Floats = NDArray[np.float64]

STEPS = 1500
"""Least number of steps of the fit: that of the paper's 5 epochs over 10,000 pairs."""

FOLDS = 5
ROWS, RATE, DECAY = 32, 0.01, 0.01
"""Pairs in a step, learning rate and weight decay of AdamW, as in the authors' code."""

PAIRS = 64
"""Pairs in a call of the entailment model."""


@dataclass(frozen=True, slots=True)
class Table:
    """The pairs that have a label and could be judged.

    histograms  [pairs, bins], the mean over each summary's sentences
    labels      [pairs], 1 consistent, 0 not
    documents   [pairs], the source document
    left_out    number of other pairs, by reason
    """

    histograms: Floats
    labels: NDArray[np.int64]
    documents: tuple[str, ...]
    left_out: dict[str, int]


def train(
    examples: Iterable[Example],
    model: EntailmentModel,
    *,
    data: str,
    seed: int = 0,
    epochs: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Convolution:
    """A convolution fitted to all labelled pairs. The same pairs, model and seed give the same.

    examples  pairs that can be iterated over twice
    data      the name of the data in the file
    epochs    passes over the pairs; None: 5, or as many as make 1,500 steps of 32 pairs
    progress  gets the number of pairs read so far

    Its `fitted` has the figures: AUC and balanced accuracy (at probability 0.5) with intervals, in
    a cross-validation by document (`held_out`), and the same of a fit to the number of source
    sentences only (`length_alone`); None where there are fewer than two documents.
    Raises DataError where the labelled pairs are not of both labels.
    """
    _check_labels((example.label for example in examples), data)
    table = read(examples, model, progress)
    _check_labels(table.labels.tolist(), f"{data}, pairs that could be scored")
    epochs = epochs or usual_epochs(len(table.labels))
    weights, bias = fit(table.histograms, table.labels, seed=seed, epochs=epochs)
    # A histogram of counts also has the length of the source, which may be all that the fit uses.
    lengths = table.histograms.sum(axis=1, keepdims=True)
    fitted: dict[str, JSON] = {
        "data": data,
        "pairs": len(table.labels),
        "consistent": int(table.labels.sum()),
        "documents": len(set(table.documents)),
        "left_out": dict(table.left_out),
        "seed": seed,
        "epochs": epochs,
        "held_out": held_out(table.histograms, table, seed=seed, epochs=epochs),
        "length_alone": held_out(lengths, table, seed=seed, epochs=epochs),
    }
    return Convolution(tuple(weights.tolist()), bias, model.id, fitted)


def usual_epochs(pairs: int) -> int:
    """The number of epochs for this number of pairs: 5, or as many as make `STEPS` steps."""
    return max(5, math.ceil(STEPS / math.ceil(pairs / ROWS)))


def _check_labels(labels: Iterable[int | None], data: str) -> None:
    counts = Counter(label for label in labels if label is not None)
    if len(counts) < 2:
        raise DataError(
            f"{data}: training needs pairs of both labels, found {counts[1]} consistent and "
            f"{counts[0]} inconsistent"
        )


def read(
    examples: Iterable[Example],
    model: EntailmentModel,
    progress: Callable[[int], None] | None = None,
) -> Table:
    """The labelled pairs with the histograms of the model's judgements."""
    rows: list[Floats] = []
    labels: list[int] = []
    documents: list[str] = []
    left_out: Counter[str] = Counter()
    stream, done = iter(examples), 0
    while batch := list(islice(stream, PAIRS)):
        labelled = [example for example in batch if example.label is not None]
        left_out["no label"] += len(batch) - len(labelled)
        for example, judged in zip(labelled, judge(model, labelled), strict=True):
            if judged.outcome is not Outcome.OK:
                left_out[str(judged.outcome)] += 1
                continue
            rows.append(histograms(judged.entailment).mean(axis=0))
            labels.append(int(example.label or 0))
            documents.append(example.document)
        done += len(batch)
        if progress:
            progress(done)
    return Table(
        np.array(rows).reshape(-1, BINS),
        np.array(labels, dtype=np.int64),
        tuple(documents),
        {reason: count for reason, count in left_out.items() if count},
    )


def fit(
    features: Floats, labels: NDArray[np.int64], *, seed: int, epochs: int
) -> tuple[Floats, float]:
    """Kernel [bins] and bias of minimal cross-entropy, from zero, by AdamW.

    features  [pairs, bins], mean histograms. A convolution over a sentence's histogram, the mean
              over sentences and the linear layer are linear, so the mean may come first.
    """
    inputs, targets = torch.from_numpy(features), torch.from_numpy(labels).double()
    weights = torch.nn.Parameter(torch.zeros(features.shape[1], dtype=torch.float64))
    bias = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))

    def losses(rows: list[int]) -> Iterator[torch.Tensor]:
        logits = inputs[rows] @ weights + bias
        yield torch.nn.functional.binary_cross_entropy_with_logits(logits, targets[rows])

    groups = [ParameterGroup({"weights": weights}), ParameterGroup({"bias": bias}, weight_decay=0)]
    options = TrainingOptions(
        epochs=epochs, batch_size=ROWS, learning_rate=RATE, weight_decay=DECAY,
        schedule="constant", clip=None, seed=seed,
    )  # fmt: skip
    optimise(range(len(inputs)), losses, groups, options)
    return weights.detach().numpy(), float(bias.detach())


def held_out(features: Floats, table: Table, *, seed: int, epochs: int) -> dict[str, JSON] | None:
    """AUC and balanced accuracy in a cross-validation by document, or None with fewer than two
    documents.

    features  [pairs, any], the input of the fit
    """
    labelled = meta.sample(table.labels, groups=table.documents)
    folds = min(FOLDS, labelled.clusters)
    if folds < 2:
        return None
    values = np.zeros(labelled.n)
    for seen, unseen in meta.grouped_folds(table.documents, folds, seed):
        weights, bias = fit(features[seen], table.labels[seen], seed=seed, epochs=epochs)
        values[unseen] = sigmoid(features[unseen] @ weights + bias)
    data = meta.sample(values, table.labels, groups=table.documents)
    measures = {"auc": meta.AUC, "balanced_accuracy": meta.balanced_accuracy(0.5)}
    return {
        "folds": folds,
        **{
            name: meta.estimate(measure, data, draws=2000, seed=seed).to_dict()
            for name, measure in measures.items()
        },
    }
