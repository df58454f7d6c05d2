"""Detection and ranking of unfaithful summaries: thresholds, balanced accuracy, ROC AUC, pairs.

What lives here: the choice of a threshold on a validation split, balanced accuracy at a fixed
threshold, AUC, and strict pairwise ranking accuracy, as Measures the bootstrap can resample. What
does not: probability calibration and abstention (`calibration.py`). Sources: balanced accuracy
with one threshold for the benchmark [FCLLM] or one per dataset [FFLM];
ranking of sentence pairs where ties are wrong [MFAS].
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np

from faithkit.meta.sample import (
    Bools,
    Floats,
    Ints,
    Kernel,
    Measure,
    Sample,
    Values,
    cluster_sums,
    column,
    narrow,
    ranks_within,
    ratio,
    same_length,
    sample,
)
from faithkit.records import JSON


@dataclass(frozen=True, slots=True)
class Threshold:
    """A cut-off: a row is called consistent when its score is at least `value`.

    balanced_accuracy  on the rows the threshold was chosen on, in [0, 1]
    n, positives       those rows, and how many of them are consistent
    reason             why there is no threshold, else None
    """

    value: float | None
    balanced_accuracy: float | None
    n: int
    positives: int
    unscored: int = 0
    unlabelled: int = 0
    reason: str | None = None

    def to_dict(self) -> dict[str, JSON]:
        return asdict(self)


def one_class(labels: Bools) -> str | None:
    """Why detection is undefined on these labels, or None."""
    if not len(labels):
        return "no row has both a score and a label"
    if labels.all() or not labels.any():
        rows = "the only row is" if len(labels) == 1 else f"all {len(labels)} rows are"
        return f"{rows} {'consistent' if labels[0] else 'inconsistent'}"
    return None


def best_cut(scores: Floats, labels: Bools) -> tuple[float, float]:
    """The threshold of the highest balanced accuracy, and that accuracy; O(n log n).

    Candidates lie halfway between neighbouring distinct scores, at the lowest score (all
    consistent) and just above the highest (none). Counts are compared as integers, so equal
    accuracies are equal; of several best the lowest threshold is taken, which depends on the
    order of the scores alone. Both labels must occur.
    """
    distinct, inverse = np.unique(scores, return_inverse=True)
    consistent = np.bincount(inverse[labels], minlength=len(distinct))
    inconsistent = np.bincount(inverse[~labels], minlength=len(distinct))
    positives, negatives = int(consistent.sum()), int(inconsistent.sum())
    kept = positives - np.concatenate([[0], np.cumsum(consistent)])
    rejected = np.concatenate([[0], np.cumsum(inconsistent)])
    gain = kept * negatives + rejected * positives
    best = int(np.argmax(gain))
    return cut_between(distinct, best), float(gain[best] / (2 * positives * negatives))


def cut_between(distinct: Floats, cut: int) -> float:
    """A number above the first `cut` distinct scores and not above the rest."""
    if cut == 0:
        return float(distinct[0])
    if cut == len(distinct):
        return float(np.nextafter(distinct[-1], np.inf))
    low, high = float(distinct[cut - 1]), float(distinct[cut])
    middle = low / 2 + high / 2
    return middle if low < middle <= high else high


def choose_threshold(scores: Values, labels: Values) -> Threshold:
    """The threshold of the highest balanced accuracy on a validation split (see `best_cut`)."""
    data = sample(scores, labels)
    consistent = data.labels()
    reason = one_class(consistent)
    value, accuracy = (None, None) if reason else best_cut(data.scores, consistent)
    return Threshold(
        value,
        accuracy,
        n=data.n,
        positives=int(consistent.sum()),
        unscored=data.unscored,
        unlabelled=data.unlabelled,
        reason=reason,
    )


def _one_class(data: Sample) -> str | None:
    return one_class(data.labels())


def balanced_accuracy(threshold: float) -> Measure:
    """(true positive rate + true negative rate) / 2 with score >= threshold called consistent.

    The threshold stays fixed in the resamples: it was chosen on other rows.
    """

    def hits(data: Sample) -> tuple[Bools, Bools]:
        labels = data.labels()
        return labels, (data.scores >= threshold) == labels

    def point(data: Sample) -> float:
        labels, right = hits(data)
        return float((right[labels].mean() + right[~labels].mean()) / 2)

    def kernel(data: Sample) -> Kernel:
        labels, right = hits(data)
        columns = (labels & right, labels, ~labels & right, ~labels)
        sums = np.stack([cluster_sums(column.astype(float), data) for column in columns])

        def accuracy(counts: Floats) -> tuple[Floats, Bools]:
            kept, positives, rejected, negatives = sums @ counts
            sensitivity, some_positive = ratio(kept, positives)
            specificity, some_negative = ratio(rejected, negatives)
            return (sensitivity + specificity) / 2, some_positive & some_negative

        return accuracy

    return Measure("balanced_accuracy", _one_class, point, kernel)


def unscored_as_wrong(scores: Values, labels: Values, threshold: float) -> list[float | None]:
    """Decisions 1 or 0 at the threshold, the opposite of the label where unscored.

    For judges whose refusals and unreadable answers count as wrong in the benchmark [FCLLM].
    Use with `balanced_accuracy(0.5)`. Unlabelled and unscored stays None.
    """
    same_length(scores=scores, labels=labels)
    values, scored = column(scores, "scores")
    wanted, labelled = column(labels, "labels")
    decided: list[float | None] = []
    for row in range(len(values)):
        if scored[row]:
            decided.append(float(values[row] >= threshold))
        else:
            decided.append(1.0 - float(wanted[row]) if labelled[row] else None)
    return decided


def _auc(data: Sample) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(data.labels(), data.scores))


def _auc_kernel(data: Sample) -> Kernel:
    """Copies of a document are not compared with each other: pairs within a document count as often
    as it was drawn. By the square of that they would weigh double in the resamples, and where each
    document has rows of both labels they are easier than pairs across documents."""
    labels, cluster = data.labels(), data.groups()
    pairs = cluster_sums(labels.astype(float), data) * cluster_sums((~labels).astype(float), data)
    wins = cluster_sums(np.where(labels, ranks_within(data.scores, data), 0.0), data) + pairs / 2
    order = np.argsort(data.scores[~labels], kind="stable")
    lower = data.scores[~labels][order]
    # A consistent row beats all inconsistent ones below `strictly`, ties with those up to `weakly`.
    strictly = np.searchsorted(lower, data.scores[labels], side="left")
    weakly = np.searchsorted(lower, data.scores[labels], side="right")
    inconsistent, consistent = cluster[~labels][order], cluster[labels]

    def auc(counts: Floats) -> tuple[Floats, Bools]:
        below = np.zeros((len(inconsistent) + 1, counts.shape[1]))
        np.cumsum(counts[inconsistent], axis=0, out=below[1:])
        weights = counts[consistent]
        won = np.einsum("rb,rb->b", weights, below[strictly] + below[weakly]) / 2
        among_copies = counts * (counts - 1)
        compared = weights.sum(axis=0) * below[-1] - pairs @ among_copies
        return ratio(won - wins @ among_copies, compared)

    return narrow(auc, data.n)


AUC = Measure("auc", _one_class, _auc, _auc_kernel)
"""Area under the ROC curve, ties counted half; in [0, 1], 0.5 for an uninformative metric."""


INVERTED_AUC = 0.35
"""Metrics of no use get .5; so far below it, the labels are more likely the other way round."""


def looks_inverted(auc: float | None, high: float | None) -> bool:
    """Whether an AUC, with the upper end of its interval if there is one, is so low that the labels
    probably mean the opposite (0 consistent, 1 not)."""
    return auc is not None and auc < INVERTED_AUC and (high is None or high < 0.5)


def _pairs(data: Sample) -> tuple[Ints, Ints, Ints]:
    """Faithful x unfaithful pairs, by source document: all, strictly right, tied; [clusters] each.

    The rows of a pair share their subset where the sample has subsets (several pairs may be about
    one document), else their document.
    """
    cluster, labels = data.groups(), data.labels()
    unit = cluster if data.subset is None else data.subset
    total, right, tied = (np.zeros(data.clusters, dtype=np.int64) for _ in range(3))
    order = np.argsort(unit, kind="stable")
    edges = np.searchsorted(unit[order], np.arange(unit.max(initial=-1) + 2))
    for start, end in pairwise(edges.tolist()):
        rows = order[start:end]
        if not len(rows):
            continue
        group = cluster[rows[0]]
        faithful = data.scores[rows[labels[rows]]]
        unfaithful = data.scores[rows[~labels[rows]]]
        total[group] += len(faithful) * len(unfaithful)
        right[group] += int((faithful[:, None] > unfaithful).sum())
        tied[group] += int((faithful[:, None] == unfaithful).sum())
    return total, right, tied


def _no_pair(data: Sample) -> str | None:
    total, _, _ = _pairs(data)
    return None if total.sum() else "no group holds both a faithful and an unfaithful row"


def _ranking(data: Sample) -> float:
    total, right, _ = _pairs(data)
    return float(right.sum() / total.sum())


def _ranking_kernel(data: Sample) -> Kernel:
    total, right, _ = _pairs(data)
    return lambda counts: ratio(right @ counts, total @ counts)


RANKING = Measure(
    "ranking_accuracy",
    _no_pair,
    _ranking,
    _ranking_kernel,
    units=lambda data: int(_pairs(data)[0].sum()),
)
"""Share of faithful x unfaithful pairs of one subset (without subsets, of one group) in which the
faithful row scores strictly higher; a tie is wrong. `Estimate.n` counts pairs."""


@dataclass(frozen=True, slots=True)
class RankingCounts:
    """pairs = right + wrong + ties; `unscored_pairs` could not be judged, for want of a score."""

    pairs: int
    right: int
    wrong: int
    ties: int
    unscored_pairs: int
    groups_without_pair: int


def ranking_counts(scores: Values, labels: Values, groups: Sequence[Hashable]) -> RankingCounts:
    """The outcomes of the pairs in `RANKING`, ties and unscored pairs apart."""
    data = sample(scores, labels, groups=groups)
    total, right, ties = (int(part.sum()) for part in _pairs(data))
    possible, _, _ = _pairs(sample([0.0] * len(scores), labels, groups=groups))
    return RankingCounts(
        pairs=total,
        right=right,
        wrong=total - right - ties,
        ties=ties,
        unscored_pairs=int(possible.sum()) - total,
        groups_without_pair=int((possible == 0).sum()),
    )
