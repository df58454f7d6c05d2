"""What is learned from judged pairs: a calibration, weights for a metric's parts, a
linear combination of metrics.

What lives here: the statistics of `meta/` applied to a judged table, and the records that hold the
result. What does not: how that table is made (`judged.py`), the comparison of
summarisers (`leaderboard.py`) and of annotators (`annotations.py`). Papers: [FCLLM] (threshold),
[FFLM §3] (weights by grid), [MFAS Table 4] (combination).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from faithkit import meta
from faithkit.evaluation.judged import JudgedTable, Numbers, judgements_of, labels_of
from faithkit.meta import Objective
from faithkit.records import JSON, ConfigError, DataError


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """A calibration of one column, and what it was fitted on.

    positives  rows with a value and a label that are consistent
    accuracy   balanced accuracy at the threshold, on the rows it was chosen on
    auc        of the score itself, with its interval
    before     the score read as a probability, None where it leaves [0, 1]
    constant   what always saying the share of consistent rows would give, held out as well
    max_error  the largest share of wrong verdicts asked for; None: no abstention band
    """

    metric: str
    result: meta.CalibrationResult
    max_error: float | None
    positives: int
    accuracy: float | None
    auc: meta.Estimate
    before: meta.Reliability | None
    constant: meta.Reliability

    def warnings(self) -> list[str]:
        """Reasons against using this calibration, as sentences."""
        result, lines = self.result, []
        if meta.looks_inverted(self.auc.value, self.auc.high):
            lines.append(f"The labels look inverted (AUC {self.auc.value:.3f}): {INVERTED}")
        elif result.calibration.method == "platt" and result.calibration.slope == 0:
            lines.append(
                "The score does not rise with the labels, so every row gets the same probability."
            )
        lines += self._verdict_warnings()
        for name, other, advice in (
            ("the score itself", self.before, "use the score as it is, or give more labels"),
            ("always giving the share of consistent rows", self.constant,
             "the score tells nothing of these labels, or there are too few"),
        ):  # fmt: skip
            if worse := _worse(result.reliability, other):
                lines.append(f"Held out, the calibrated probability is worse than {name} "
                             f"({worse}): {advice}.")  # fmt: skip
        return lines

    def _verdict_warnings(self) -> list[str]:
        """Warnings about verdicts that are not confirmed on held-out rows."""
        result, lines = self.result, []
        for name, limit, wrong in (
            ("consistent", result.calibration.upper, result.wrong_consistent),
            ("inconsistent", result.calibration.lower, result.wrong_inconsistent),
        ):
            if self.max_error is None or (limit is None and wrong is None):
                continue
            if limit is None:
                lines.append(
                    f"Fits on some folds called rows {name}, which the calibration itself never "
                    "does; the held-out figures count them."
                )
            elif wrong is None:
                lines.append(
                    f"No held-out row was called {name}, so how often that is wrong is not known: "
                    "give more labels."
                )
            elif wrong > self.max_error:
                lines.append(
                    f"Held out, {wrong:.1%} of '{name}' were wrong, more than the "
                    f"{self.max_error:.0%} asked for: expect that on new rows."
                )
        return lines

    def to_dict(self) -> dict[str, JSON]:
        result = self.result
        return {
            "calibration": result.calibration.to_dict(),
            "rows": result.n,
            "consistent": self.positives,
            "unscored": result.unscored,
            "unlabelled": result.unlabelled,
            "warnings": [*self.warnings()],
            "balanced_accuracy_fitted": self.accuracy,
            "auc": self.auc.to_dict(),
            "held_out": {
                "decided": result.decided,
                "errors": result.errors,
                "abstained": result.abstained,
                "wrong_consistent": result.wrong_consistent,
                "wrong_inconsistent": result.wrong_inconsistent,
            },
            "reliability": {
                "before": None if self.before is None else dataclasses.asdict(self.before),
                "constant": dataclasses.asdict(self.constant),
                "after": dataclasses.asdict(result.reliability),
            },
        }


INVERTED = "a label of 1 means consistent, 0 not; use --labels 1=0,0=1 if yours mean the opposite."
"""What to do about labels that `meta.looks_inverted` finds."""


def never_given(max_error: float) -> str:
    """Explains why a verdict may never be given at this largest error rate."""
    least = meta.least_decided(max_error)
    if least is None:
        return "No number of rows shows that a verdict is never wrong, so none is given."
    return (
        f"A verdict needs {least} or more held-out rows that get it, at most {max_error:.0%} of "
        "them wrong; more labels or a larger --max-error may allow more."
    )


def _worse(after: meta.Reliability, other: meta.Reliability | None) -> str:
    """Both Brier scores in words if the first is worse, else "". Brier is compared, not the
    calibration error, because a good probability cannot lose by it (the calibration error of a
    constant share only says how the folds differ)."""
    if other is None or after.brier is None or other.brier is None or after.brier <= other.brier:
        return ""
    return f"Brier {after.brier:.4f} against {other.brier:.4f}"


def calibrate(
    name: str,
    values: Sequence[float | None],
    labels: Sequence[int | None],
    groups: Sequence[str],
    *,
    method: Literal["platt", "isotonic"] = "platt",
    max_error: float | None = 0.1,
    folds: int = 5,
    seed: int = 0,
    draws: int = 2000,
) -> CalibrationReport:
    """Fits threshold, abstention band and probability map; see `meta.fit_calibration`.

    Raises DataError where the rows with a value hold one label only.
    """
    data = meta.sample(values, labels, groups=groups)
    threshold = meta.choose_threshold(values, labels)
    if threshold.reason:
        raise DataError(f"{name}: {threshold.reason}; a calibration needs both labels")
    result = meta.fit_calibration(
        values, labels, groups, method=method, max_error=max_error, folds=folds, seed=seed
    )
    inside = bool(((data.scores >= 0) & (data.scores <= 1)).all())
    return CalibrationReport(
        name,
        result,
        max_error,
        positives=threshold.positives,
        accuracy=threshold.balanced_accuracy,
        auc=meta.estimate(meta.AUC, data, draws=draws, seed=seed),
        before=meta.reliability(values, labels) if inside else None,
        constant=meta.reliability(result.shares, labels),
    )


@dataclass(frozen=True, slots=True)
class PartWeights:
    """Weights of a metric's parts fitted on all rows, and the accuracy of the same search held out.

    held_out  on folds by source: balanced accuracy of all held-out decisions, or mean Spearman
    values    the weighted sum on each row
    """

    metric: str
    search: meta.WeightSearch
    held_out: float | None
    values: tuple[float | None, ...]

    def to_dict(self) -> dict[str, JSON]:
        row: dict[str, JSON] = dataclasses.asdict(self.search)
        return row | {"weights": dict(self.search.weights), "held_out": self.held_out}


def search_parts(
    table: JudgedTable,
    metric: str,
    parts: Sequence[str],
    human: Sequence[float | int | None],
    *,
    objective: Objective = "balanced_accuracy",
    folds: int = 5,
    seed: int = 0,
) -> PartWeights:
    """The best weights in steps of .1 that sum to 1, over parts of one metric [FFLM §3].

    Raises ConfigError on an unknown part, DataError where no weights can be fitted.
    """
    columns = {part: table.column(metric).part(part) for part in parts}
    search = meta.search_weights(columns, human, objective=objective)
    if search.value is None:
        raise DataError(f"{table.name}: no weights for {metric}: {search.reason}")
    return PartWeights(
        metric,
        search,
        meta.held_out_search(
            columns, human, table.documents, objective=objective, folds=folds, seed=seed
        ),
        tuple(search.combination().apply(columns)),
    )


@dataclass(frozen=True, slots=True)
class CombinationReport:
    """A learned combination beside its metrics alone [MFAS Table 4].

    target    `rating` or `label`: what was fitted
    alone     mean Spearman over the folds of each metric as it is, on the same rows, with its
              interval
    held_out  Spearman over all rows, each from the fit that did not see it, with its interval
    weights   of the standardised metrics, each with its interval
    inverted  a warning of labels that look inverted, if any do
    growth    the best metric, then the one that helps it most, ...; empty where not asked for
    """

    target: str
    result: meta.CombinationResult
    alone: Mapping[str, meta.Estimate]
    held_out: meta.Estimate
    weights: Mapping[str, meta.Estimate]
    inverted: tuple[str, ...]
    growth: tuple[meta.CombinationResult, ...] = ()

    def better_alone(self) -> str | None:
        """The best metric alone, where held-out rows are ranked better by it than by all."""
        together = self.result.mean.value or 0.0
        better = {name: alone.value for name, alone in self.alone.items()
                  if alone.value is not None and alone.value > together}  # fmt: skip
        return max(better, key=lambda name: better[name], default=None)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reasons against using this combination, as sentences."""
        if (best := self.better_alone()) is None:
            return self.inverted
        return (*self.inverted, f"Held out, all together rank worse than {best} alone "
                f"({self.result.mean.value:.4f} against {self.alone[best].value:.4f}): use {best} "
                "as it is, or give more rows.")  # fmt: skip

    def to_dict(self) -> dict[str, JSON]:
        return {
            "target": self.target,
            "warnings": list(self.warnings),
            **self.result.to_dict(),
            "alone": {name: alone.value for name, alone in self.alone.items()},
            "alone_estimates": {name: alone.to_dict() for name, alone in self.alone.items()},
            "held_out": self.held_out.to_dict(),
            "weights": {name: weight.to_dict() for name, weight in self.weights.items()},
            "growth": [
                {
                    "added": step.combination.names[-1],
                    "mean_spearman": step.mean_spearman,
                    "mean": step.mean.to_dict(),
                    "fold_spearman": list(step.fold_spearman),
                }
                for step in self.growth
            ],
        }


def combine(
    table: JudgedTable, *, folds: int = 10, seed: int = 0, growing: bool = False, draws: int = 2000
) -> CombinationReport:
    """Least squares over all of the table's metrics, cross-validated by source document.

    Raises ConfigError with fewer than two metrics, DataError where no row has all of them or the
    judgements do not differ, over all rows or in any fold.
    """
    if len(table.columns) < 2:
        raise ConfigError(f"a combination needs two metrics or more, found {len(table.columns)}")
    target, human = judgements_of(table)
    columns = {label: column.values for label, column in table.columns.items()}
    rows = zip(human, *columns.values(), strict=True)
    complete = [all(value is not None for value in row) for row in rows]
    if not any(complete):
        raise DataError(f"{table.name}: no row has a {target} and a value of every metric")
    judged: Numbers = [value if keep else None for value, keep in zip(human, complete, strict=True)]
    used = [value for value in judged if value is not None]
    if len(set(used)) == 1:
        left_out = len(human) - human.count(None) - len(used)
        where = f" of the rows that every metric scored ({left_out} left out)" if left_out else ""
        raise DataError(
            f"{table.name}: every {target}{where} is {used[0]:g}, so there is nothing to learn; a "
            f"combination needs rows whose {target}s differ"
        )
    result = meta.learn_combination(
        columns, human, table.documents, folds=folds, seed=seed, draws=draws
    )
    if result.reason:
        raise DataError(
            f"{table.name}: {result.reason}: the {target}s, or all metrics, are constant there; "
            "give more rows or fewer --folds"
        )
    alone = {
        label: meta.spearman_alone(
            values, judged, table.documents, folds=folds, seed=seed, draws=draws
        )[1]
        for label, values in columns.items()
    }
    held_out = meta.sample(result.held_out, human, groups=table.documents)
    weights = meta.weight_estimates(
        result.combination, columns, human, table.documents, draws=draws, seed=seed
    )
    growth = (
        meta.growing_combinations(
            columns, human, table.documents, folds=folds, seed=seed, draws=draws
        )
        if growing
        else ()
    )
    return CombinationReport(
        target,
        result,
        alone,
        meta.estimate(meta.SPEARMAN, held_out, draws=draws, seed=seed),
        dict(zip(result.combination.names, weights, strict=True)),
        _inverted(table, draws, seed) if target == "label" else (),
        tuple(growth),
    )


def _inverted(table: JudgedTable, draws: int, seed: int) -> tuple[str, ...]:
    """A warning if the AUC of some metric suggests that the labels are inverted."""
    names = []
    for label, column in table.columns.items():
        data = meta.sample(column.values, table.labels, groups=table.documents)
        auc = meta.estimate(meta.AUC, data, draws=draws, seed=seed)
        if meta.looks_inverted(auc.value, auc.high):
            names.append(f"{label} (AUC {auc.value:.3f})")
    return (f"The labels look inverted to {', '.join(names)}: {INVERTED}",) if names else ()


def saved_combination(
    table: JudgedTable,
    combination: meta.Combination,
    fitted: Mapping[str, JSON],
    *,
    part_of: str | None = None,
) -> dict[str, JSON]:
    """The record that `combine:file=` loads.

    part_of  the metric whose parts are combined; None where metrics are
    Raises DataError where the scores have no signature.
    """
    from faithkit.metrics.learned.combine import Component, SavedCombination

    components = []
    for name in combination.names:
        request, part = (name, None) if part_of is None else (part_of, name)
        signature = table.column(request).made_by
        if signature is None:
            raise DataError(
                f"the results hold no signature of '{request}', so a combination could "
                "not tell later whether it is still the same"
            )
        components.append(Component(request, part, signature))
    names = tuple(component.label for component in components)
    return SavedCombination(
        tuple(components), dataclasses.replace(combination, names=names), fitted
    ).to_dict()


@dataclass(frozen=True, slots=True)
class CalibrationSettings:
    """How a metric is calibrated.

    max_error        largest share of wrong verdicts outside the abstention band; 1: no band
    consistent_from  the least rating that counts as consistent; then ratings make the labels
    parts            parts of the metric that are weighted first, with what as the aim
    needs_labels     whether weights alone are not enough
    """

    method: Literal["platt", "isotonic"] = "platt"
    max_error: float = 0.1
    folds: int = 5
    seed: int = 0
    draws: int = 2000
    consistent_from: float | None = None
    parts: tuple[str, ...] | None = None
    objective: Objective = "balanced_accuracy"
    needs_labels: bool = True

    def check(self, table: JudgedTable) -> None:
        """Raises, before anything is scored, where the settings or judgements cannot serve."""
        if not 0 <= self.max_error <= 1:
            raise ConfigError(f"--max-error is a share from 0 to 1, found {self.max_error:g}")
        if self.parts is not None and (
            len(self.parts) < 2 or len(set(self.parts)) < len(self.parts)
        ):
            raise ConfigError(
                f"--parts wants two or more different parts, found '{','.join(self.parts)}'"
            )
        if self.labels(table) is None:
            judgements_of(table)

    def labels(self, table: JudgedTable) -> Sequence[int | None] | None:
        """The labels; None where ratings are enough and there are no labels."""
        by_rating = self.parts is not None and self.objective == "spearman"
        has_labels = any(label is not None for label in table.labels)
        if by_rating and not self.needs_labels and self.consistent_from is None and not has_labels:
            return None
        return labels_of(table, self.consistent_from)


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of `learn`: the weights, if parts were named, and the calibration."""

    table: JudgedTable
    metric: str
    settings: CalibrationSettings
    weights: PartWeights | None
    calibrated: CalibrationReport | None

    def to_dict(self) -> dict[str, JSON]:
        """The contents of the calibration file; `meta.Calibration.from_dict` reads its
        `calibration`."""
        signature = self.table.column(self.metric).made_by
        return {
            "kind": "faithkit calibration",
            "metric": self.metric,
            "signature": None if signature is None else signature.to_dict(),
            "pairs": self.table.name,
            "rows_used": self.table.used or "all",
            "consistent_from": self.settings.consistent_from,
            "folds": self.settings.folds,
            "seed": self.settings.seed,
            "weights": None if self.weights is None else self.weights.to_dict(),
            **({} if self.calibrated is None else self.calibrated.to_dict()),
            "unscored_rows": {why: [*ids] for why, ids in self.table.unscored(self.metric).items()},
            "unlabelled_rows": [*self._unlabelled()],
        }

    def _unlabelled(self) -> list[str]:
        labels = self.settings.labels(self.table)
        human = self.table.ratings if labels is None else labels
        return [i for i, value in zip(self.table.ids, human, strict=True) if value is None]

    def weights_as_metric(self) -> dict[str, JSON]:
        """The weighted parts as a combination. Raises ConfigError where no parts were weighted."""
        if self.weights is None:
            raise ConfigError("no parts were weighted, so there is nothing to save")
        fitted = {"pairs": self.table.name, **self.weights.to_dict()}
        combination = self.weights.search.combination()
        return saved_combination(self.table, combination, fitted, part_of=self.metric)


def learn(table: JudgedTable, settings: CalibrationSettings) -> Learned:
    """Weights for the parts, if any are named, then threshold, band and probability map.

    Raises ConfigError with more than one metric, and as the steps do.
    """
    settings.check(table)
    if len(table.columns) != 1:
        raise ConfigError(
            f"calibrate works on one metric; found {', '.join(table.columns)}: choose one with -m"
        )
    ((name, column),) = table.columns.items()
    labels = settings.labels(table)
    values, label, weights = column.values, name, None
    if settings.parts is not None:
        rated = settings.objective == "spearman"
        human = judgements_of(table)[1] if rated else labels_of(table, settings.consistent_from)
        weights = search_parts(
            table, name, settings.parts, human,
            objective=settings.objective, folds=settings.folds, seed=settings.seed,
        )  # fmt: skip
        values, label = weights.values, f"{name}, parts weighted"
    calibrated = None
    if labels is not None:
        calibrated = calibrate(
            label, values, labels, table.documents,
            method=settings.method,
            max_error=None if settings.max_error == 1 else settings.max_error,
            folds=settings.folds, seed=settings.seed, draws=settings.draws,
        )  # fmt: skip
    return Learned(table, name, settings, weights, calibrated)
