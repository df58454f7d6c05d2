"""From a score to a decision: a probability map, a threshold and an abstention band.

What lives here: Platt's sigmoid and isotonic regression fitted on labels, the band of scores in
which no verdict is given, reliability tables, expected calibration error and Brier score. All of
it saves to JSON as plain numbers. What does not: choosing a threshold for a benchmark
(`detection.py`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Literal

import numpy as np

from faithkit.meta.columns import FloatColumn, take
from faithkit.meta.detection import best_cut, cut_between, one_class
from faithkit.meta.folds import grouped_folds
from faithkit.meta.sample import (
    Bools,
    Floats,
    Ints,
    Sample,
    Values,
    check_keys,
    column,
    number_list,
    sample,
)
from faithkit.records import JSON, ConfigError, DataError

Method = Literal["platt", "isotonic"]
Verdict = Literal["consistent", "inconsistent", "uncertain"]
METHODS = ("platt", "isotonic")
STRICTNESS = tuple(step / 10 for step in range(10, -1, -1))
"""Parts of the largest error rate that are tried on training rows, the loosest first."""


def least_decided(max_error: float) -> int | None:
    """The fewest held-out rows on which a verdict is accepted as wrong at most this often.

    Were it wrong more often, so many verdicts would all be right with a probability below 5%; fewer
    show nothing, even if all are right. 11 rows at .25, 29 at .1, 59 at .05; None at 0, which no
    number of rows shows. Raises ConfigError unless 0 <= max_error < 1.
    """
    _check_max_error(max_error)
    return math.ceil(math.log(0.05) / math.log1p(-max_error)) if max_error > 0 else None


def _check_max_error(max_error: float) -> None:
    if not 0 <= max_error < 1:
        raise ConfigError(f"max_error is a share in [0, 1), found {max_error}")


@dataclass(frozen=True, slots=True)
class Calibration:
    """Maps a score to P(consistent) and to a verdict. Never falls as the score rises.

    platt     P = 1 / (1 + exp(-(slope (score - centre) / scale + intercept))), slope >= 0
    isotonic  P interpolated between `knots` (scores, rising) and `levels`, constant outside
    threshold the score of the highest balanced accuracy on the labels
    lower     a score below it is inconsistent; None: no score is
    upper     a score of at least it is consistent; None: no score is; between the two: uncertain
    """

    method: Method
    threshold: float
    lower: float | None
    upper: float | None
    slope: float = 0.0
    intercept: float = 0.0
    centre: float = 0.0
    scale: float = 1.0
    knots: tuple[float, ...] = ()
    levels: tuple[float, ...] = ()

    @property
    def decides(self) -> bool:
        """Whether any score is consistent or inconsistent by it."""
        return self.lower is not None or self.upper is not None

    def apply(self, scores: Values) -> list[float | None]:
        """P(consistent) of each score, None if it is missing."""
        values, scored = column(scores, "scores")
        mapped = self._probability(values)
        return [float(p) if keep else None for p, keep in zip(mapped, scored, strict=True)]

    def _probability(self, values: Floats) -> Floats:
        if self.method == "isotonic":
            return np.asarray(np.interp(values, self.knots, self.levels))
        logits = self.slope * ((values - self.centre) / self.scale) + self.intercept
        return np.asarray(np.exp(-np.logaddexp(0, -logits)))

    def verdicts(self, scores: Values) -> list[Verdict | None]:
        """The verdict on each score, None if it is missing."""
        values, scored = column(scores, "scores")
        return [
            self._verdict(float(value)) if keep else None
            for value, keep in zip(values, scored, strict=True)
        ]

    def _verdict(self, value: float) -> Verdict:
        if self.upper is not None and value >= self.upper:
            return "consistent"
        if self.lower is not None and value < self.lower:
            return "inconsistent"
        return "uncertain"

    def to_dict(self) -> dict[str, JSON]:
        return asdict(self) | {"knots": list(self.knots), "levels": list(self.levels)}

    @classmethod
    def from_dict(cls, row: Mapping[str, JSON]) -> Calibration:
        """The inverse of `to_dict`. Raises DataError on anything that is not a calibration."""
        check_keys(row, [item.name for item in fields(cls)], "calibration")
        method = row["method"]
        if method not in METHODS:
            raise DataError(f"'method' should be one of {', '.join(METHODS)}, found {method!r}")
        numbers = {
            name: number_list([row[name]], name)[0]
            for name in ("threshold", "slope", "intercept", "centre", "scale")
        }
        lower, upper = (
            None if row[name] is None else number_list([row[name]], name)[0]
            for name in ("lower", "upper")
        )
        knots, levels = number_list(row["knots"], "knots"), number_list(row["levels"], "levels")
        if numbers["scale"] <= 0 or numbers["slope"] < 0:
            raise DataError("a calibration's scale is above 0 and its slope at least 0")
        if len(knots) != len(levels) or (method == "isotonic" and not knots):
            raise DataError(
                f"a calibration has one level per knot, found {len(knots)} and {len(levels)}"
            )
        for name, points in (("knots", knots), ("levels", levels)):
            if any(value > following for value, following in pairwise(points)):
                raise DataError(f"a calibration's {name} must rise")
        return cls(
            method="platt" if method == "platt" else "isotonic",
            lower=lower,
            upper=upper,
            **numbers,
            knots=knots,
            levels=levels,
        )


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows whose probability lies in [low, high), the last bin [low, high]; means None if empty."""

    low: float
    high: float
    n: int
    mean_probability: float | None
    share_consistent: float | None


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far probabilities hold. Numbers are None where `reason` says why.

    expected_calibration_error  mean over bins of |mean probability - share consistent|, by n
    brier                       mean squared difference of probability and label
    """

    bins: tuple[Bin, ...]
    expected_calibration_error: float | None
    brier: float | None
    n: int
    unscored: int
    unlabelled: int
    reason: str | None = None


def reliability(probabilities: Values, labels: Values, *, bins: int = 10) -> Reliability:
    """The table of a reliability diagram, over bins of equal width.

    probabilities  P(consistent) in [0, 1], None where unscored
    Raises DataError on a probability outside [0, 1] or a label that is not 0 or 1.
    """
    if bins < 1:
        raise ConfigError(f"a reliability table needs at least one bin, found {bins}")
    data = sample(probabilities, labels)
    consistent, probability = data.labels(), data.scores
    outside = np.flatnonzero((probability < 0) | (probability > 1))
    if len(outside):
        raise DataError(
            f"row {data.rows[outside[0]]}: a probability lies in [0, 1], found "
            f"{probability[outside[0]]:g}; map scores through a calibration first"
        )
    edges = np.arange(bins + 1) / bins
    bin_of_row = np.clip(np.searchsorted(edges, probability, side="right") - 1, 0, bins - 1)
    table, gap = [], 0.0
    for index in range(bins):
        rows = bin_of_row == index
        n = int(rows.sum())
        mean, share = (
            (float(probability[rows].mean()), float(consistent[rows].mean())) if n else (None, None)
        )
        table.append(Bin(float(edges[index]), float(edges[index + 1]), n, mean, share))
        if mean is not None and share is not None:
            gap += n * abs(mean - share)
    counts = (data.n, data.unscored, data.unlabelled)
    if not data.n:
        return Reliability(tuple(table), None, None, *counts, "no row has a score and a label")
    brier = float(((probability - consistent) ** 2).mean())
    return Reliability(tuple(table), gap / data.n, brier, *counts)


@dataclass(frozen=True, slots=True)
class CalibrationResult:
    """A calibration fitted on all labels, with the results of the same procedure on held-out folds.

    probabilities      [rows given], held-out P(consistent), None where the row was left out
    shares             [rows given], share of consistent rows among those that the held-out fit saw,
                       None where the row was left out; what a score that says nothing would get
    decisions          [rows given], held-out verdict: 1 consistent, 0 inconsistent, 0.5 uncertain,
                       None where the row was left out
    reliability        of the probabilities
    decided            held-out rows outside the band, with `errors` wrong among them
    wrong_consistent   share of "consistent" verdicts that were wrong on held-out rows, None if none
    wrong_inconsistent likewise
    abstained          held-out rows inside the band
    """

    calibration: Calibration
    probabilities: FloatColumn
    shares: FloatColumn
    decisions: FloatColumn
    reliability: Reliability
    n: int
    unscored: int
    unlabelled: int
    decided: int
    errors: int
    abstained: int
    wrong_consistent: float | None
    wrong_inconsistent: float | None


def fit_calibration(
    scores: Values,
    labels: Values,
    groups: Sequence[Hashable],
    *,
    method: Method = "platt",
    max_error: float | None = None,
    folds: int = 5,
    seed: int = 0,
) -> CalibrationResult:
    """Fits the map, the threshold and the band; checks all three on folds by source document.

    max_error  the largest share of wrong verdicts allowed, for each verdict on its own, on rows
               that were not fitted. The band is chosen at that rate on training folds; where it
               does not hold on their held-out rows, at a stricter rate, down to never giving the
               verdict. It is never given either where fewer than `least_decided` held-out rows
               were decided so. None: no band, the threshold decides every row.

    The rate is chosen on folds of all rows for the calibration, and for what is reported anew on
    folds inside each training fold: no reported row has a part in any choice for it.
    Raises DataError when some training fold holds only one label.
    """
    if method not in METHODS:
        raise ConfigError(f"method should be one of {', '.join(METHODS)}, found '{method}'")
    if max_error is not None:
        _check_max_error(max_error)
    data = sample(scores, labels, groups=groups)
    consistent, documents = data.labels(), take(groups, data.rows)
    splits = grouped_folds(documents, folds, seed)
    for number, (train, _) in enumerate(splits):
        if reason := one_class(consistent[train]):
            raise DataError(
                f"without fold {number}, {reason}; calibration needs both labels, "
                "so give more labelled rows or fewer folds"
            )

    def fitted(rows: Bools) -> Calibration:
        kept = data.scores[rows], consistent[rows]
        of_rows = take(documents, np.flatnonzero(rows))
        return _fit(method, *kept, _rates(*kept, of_rows, folds, seed, max_error))

    held_out, shares, verdict = (np.zeros(data.n) for _ in range(3))
    for train, test in splits:
        calibration = fitted(train)
        held_out[test] = calibration._probability(data.scores[test])
        shares[test] = consistent[train].mean()
        verdict[test] = _signs(data.scores[test], calibration.lower, calibration.upper)
    return _result(fitted(np.ones(data.n, dtype=bool)), data, labels, held_out, shares, verdict)


def _result(
    calibration: Calibration,
    data: Sample,
    labels: Values,
    held_out: Floats,
    shares: Floats,
    verdict: Floats,
) -> CalibrationResult:
    """The counts of held-out verdicts (`_signs`), with every column over the rows given."""
    consistent, rows = data.labels(), len(labels)
    probabilities = data.scattered(held_out, rows)
    yes, no = verdict > 0, verdict < 0
    wrong_yes, wrong_no = int((yes & ~consistent).sum()), int((no & consistent).sum())
    return CalibrationResult(
        calibration,
        probabilities=probabilities,
        shares=data.scattered(shares, rows),
        decisions=data.scattered((verdict + 1) / 2, rows),
        reliability=reliability(probabilities, labels),
        n=data.n,
        unscored=data.unscored,
        unlabelled=data.unlabelled,
        decided=int((verdict != 0).sum()),
        errors=wrong_yes + wrong_no,
        abstained=int((verdict == 0).sum()),
        wrong_consistent=wrong_yes / int(yes.sum()) if yes.any() else None,
        wrong_inconsistent=wrong_no / int(no.sum()) if no.any() else None,
    )


Rates = tuple[float | None, float | None]
"""Error rate at which the band's lower and upper end are chosen: None leaves the verdict out."""


def _signs(scores: Floats, lower: float | None, upper: float | None) -> Ints:
    """1 consistent, -1 inconsistent, 0 uncertain."""
    yes = scores >= (np.inf if upper is None else upper)
    no = scores < (-np.inf if lower is None else lower)
    return yes.astype(np.int64) - no.astype(np.int64)


def _rates(
    scores: Floats,
    consistent: Bools,
    documents: Sequence[Hashable],
    folds: int,
    seed: int,
    max_error: float | None,
) -> Rates:
    """For each end of the band, the loosest training error rate whose held-out errors stay within
    `max_error` on enough rows. Folds whose training rows have only one label are skipped."""
    if max_error is None:
        return 1.0, 1.0
    least = least_decided(max_error)
    folds = min(folds, len(set(documents)))
    if least is None or folds < 2:
        return None, None
    tried = [share * max_error for share in STRICTNESS]
    decided, wrong = np.zeros((2, 2, len(tried)), dtype=np.int64)
    for train, test in grouped_folds(documents, folds, seed):
        if one_class(consistent[train]):
            continue
        threshold, _ = best_cut(scores[train], consistent[train])
        tails = _tails(scores[train], consistent[train], threshold)
        for index, rate in enumerate(tried):
            verdict = _signs(scores[test], *tails.band((rate, rate)))
            for end, sign in enumerate((-1, 1)):
                decided[end, index] += (verdict == sign).sum()
                wrong[end, index] += (consistent[test][verdict == sign] != (sign > 0)).sum()
    fits = (decided >= least) & (wrong / np.maximum(decided, 1) <= max_error)
    lower, upper = (tried[int(end.argmax())] if end.any() else None for end in fits)
    return lower, upper


@dataclass(frozen=True, slots=True)
class _Tails:
    """Error rates of both verdicts, for each distinct score as the limit of the verdict.

    distinct   scores, rising; `middle` of them lie below the threshold
    below      [middle], share of consistent rows at and below each
    above      [others], share of inconsistent rows at and above each
    """

    distinct: Floats
    threshold: float
    middle: int
    below: Floats
    above: Floats

    def band(self, rates: Rates) -> tuple[float | None, float | None]:
        """The narrowest band around the threshold that keeps each verdict's error rate in
        bounds."""
        lower = upper = None
        if rates[0] is not None and len(fits := np.flatnonzero(self.below <= rates[0])):
            lower = self._limit(int(fits[-1]) + 1)
        if rates[1] is not None and len(fits := np.flatnonzero(self.above <= rates[1])):
            upper = self._limit(int(fits[0]) + self.middle)
        return lower, upper

    def _limit(self, cut: int) -> float:
        return self.threshold if cut == self.middle else cut_between(self.distinct, cut)


def _tails(scores: Floats, consistent: Bools, threshold: float) -> _Tails:
    distinct, inverse = np.unique(scores, return_inverse=True)
    positives = np.cumsum(np.bincount(inverse[consistent], minlength=len(distinct)))
    negatives = np.cumsum(np.bincount(inverse[~consistent], minlength=len(distinct)))
    middle = int(np.searchsorted(distinct, threshold, side="left"))
    rows = positives + negatives
    before = np.concatenate([[0], rows])[middle:-1], np.concatenate([[0], negatives])[middle:-1]
    return _Tails(
        distinct,
        threshold,
        middle,
        below=positives[:middle] / rows[:middle],
        above=(negatives[-1] - before[1]) / (rows[-1] - before[0]),
    )


def _fit(method: Method, scores: Floats, consistent: Bools, rates: Rates) -> Calibration:
    threshold, _ = best_cut(scores, consistent)
    lower, upper = _tails(scores, consistent, threshold).band(rates)
    if method == "isotonic":
        from sklearn.isotonic import IsotonicRegression

        model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        model.fit(scores, consistent.astype(float))
        return Calibration(
            "isotonic",
            threshold,
            lower,
            upper,
            knots=tuple(float(v) for v in model.X_thresholds_),
            levels=tuple(float(v) for v in model.y_thresholds_),
        )
    slope, intercept, centre, scale = _platt(scores, consistent)
    return Calibration("platt", threshold, lower, upper, slope, intercept, centre, scale)


def _platt(scores: Floats, consistent: Bools) -> tuple[float, float, float, float]:
    """Slope, intercept, centre and scale of Platt's sigmoid, with his smoothed targets.

    The targets (n + 1) / (n + 2) and 1 / (n + 2) keep the slope finite where the score separates
    the labels. A falling sigmoid would contradict the verdicts, so the slope is then 0.
    """
    from scipy.special import logit
    from sklearn.linear_model import LogisticRegression

    positives, negatives = int(consistent.sum()), int((~consistent).sum())
    target = np.where(consistent, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    base = float(logit(target.mean()))
    centre, spread = float(scores.mean()), float(scores.std())
    scale = spread if spread > 0 else 1.0
    if scores.min() == scores.max():
        return 0.0, base, centre, scale
    # A soft target is a row of each label, weighted: the same likelihood.
    x = np.tile((scores - centre) / scale, 2)[:, None]
    y = np.repeat([1, 0], len(scores))
    weight = np.concatenate([target, 1 - target])
    model = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000)
    model.fit(x, y, sample_weight=weight)
    slope, intercept = float(model.coef_[0, 0]), float(model.intercept_[0])
    return (slope, intercept, centre, scale) if slope > 0 else (0.0, base, centre, scale)
