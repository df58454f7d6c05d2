"""The pages of `calibrate` and `combine`: what was learned, from which rows, and how it did on rows
that it did not see. Reads results; the only statistics are intervals of figures that are shown.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from faithkit import meta
from faithkit.cut_tally import CutTally
from faithkit.evaluation.judged import JudgedTable
from faithkit.evaluation.learning import (
    CalibrationReport,
    CombinationReport,
    Learned,
    PartWeights,
    never_given,
)
from faithkit.report import learned_plots, pages, plots
from faithkit.report.pages import Section, Table

DECISIONS = ((1.0, "consistent"), (0.5, "undecided"), (0.0, "not consistent"))


def calibration_page(path: Path, learned: Learned) -> None:
    """The page of a calibration, as one HTML file. Raises DataError where it cannot be written."""
    table, calibrated = learned.table, learned.calibrated
    sections: list[Section] = []
    warnings: list[str] = []
    with tempfile.TemporaryDirectory(prefix="faithkit-") as folder:
        if calibrated is not None:
            warnings = calibrated.warnings()
            sections += _calibrated(learned, calibrated, Path(folder))
        if learned.weights is not None:
            sections.append(_part_weights(learned.weights))
        sections += [
            _data_section(table, learned.settings.folds, _judged(learned)),
            _signatures(table),
        ]
        title = f"Calibration of {learned.metric}"
        pages.tables_page(path, title, sections, [_rows_of(table)], warnings)


def combination_page(
    path: Path, learned: CombinationReport, table: JudgedTable, *, folds: int, seed: int
) -> None:
    """The page of a combination, as one HTML file. Raises DataError where it cannot be written."""
    with tempfile.TemporaryDirectory(prefix="faithkit-") as folder:
        sections = [
            _held_out(learned, folds),
            _weights(learned, Path(folder)),
            *_growth(learned, Path(folder)),
            _data_section(table, folds, f"fitted to each row's {learned.target}, seed {seed}"),
            _signatures(table),
        ]
        title = f"A combination of {len(table.columns)} metrics"
        pages.tables_page(path, title, sections, [_rows_of(table)], learned.warnings)


def _rows_of(table: JudgedTable) -> str:
    documents = len(set(table.documents))
    labels = sum(label is not None for label in table.labels)
    ratings = sum(rating is not None for rating in table.ratings)
    return (
        f"{Path(table.name).name}: {len(table.rows)} rows, {documents} documents, {labels} labels, "
        f"{ratings} ratings. Intervals are 95%, by a bootstrap of documents."
    )


def _judged(learned: Learned) -> str:
    settings = learned.settings
    least = settings.consistent_from
    labels = "labels" if least is None else f"ratings, consistent from {least:g}"
    return f"fitted to {labels}; method {settings.method}, seed {settings.seed}"


def _calibrated(learned: Learned, calibrated: CalibrationReport, folder: Path) -> list[Section]:
    result = calibrated.result
    values = learned.table.columns[learned.metric].values
    if learned.weights is not None:
        values = learned.weights.values
    labels = learned.settings.labels(learned.table) or []
    band = folder / "scores by label.png"
    by_label: tuple[list[float], list[float]] = ([], [])
    for value, label in zip(values, labels, strict=True):
        if value is not None and label is not None:
            by_label[label].append(value)
    fitted = result.calibration
    learned_plots.band_plot(
        band, by_label[1], by_label[0],
        threshold=fitted.threshold, lower=fitted.lower, upper=fitted.upper,
    )  # fmt: skip
    reliability = folder / "reliability.png"
    plots.reliability_plot(reliability, result.reliability, calibrated.before)
    return [
        Section(
            "Which verdict a score gets",
            _band_lines(calibrated, learned.settings.max_error),
            _verdicts(learned, labels),
            [band],
        ),
        Section(
            "Whether the probabilities hold",
            [
                "Every row has the probability of the fit that did not see it. "
                "On the dashed line a probability is the share of rows that are consistent."
            ],
            [_scores(learned, calibrated, labels), _bins(learned, labels)],
            [reliability],
        ),
    ]


def _band_lines(calibrated: CalibrationReport, max_error: float) -> list[str]:
    if max_error == 1:
        return ["No abstention band: the threshold decides every row."]
    lines = [
        f"Abstention band: at most {max_error:.0%} of either verdict are to be wrong on rows that "
        "the fit did not see; between its ends no verdict is given."
    ]
    fitted = calibrated.result.calibration
    if fitted.lower is None or fitted.upper is None:
        lines.append(never_given(max_error))
    return lines


def _verdicts(learned: Learned, labels: Sequence[int | None]) -> list[Table]:
    assert learned.calibrated is not None
    calibrated = learned.calibrated
    fitted, decisions = calibrated.result.calibration, calibrated.result.decisions
    ranges = {
        "consistent": "never" if fitted.upper is None else f"from {fitted.upper:.4g}",
        "not consistent": "never" if fitted.lower is None else f"below {fitted.lower:.4g}",
        "undecided": _between(fitted.lower, fitted.upper),
    }
    rows = []
    for decision, name in DECISIONS:
        of_verdict = [decided == decision for decided in decisions]
        shares = [
            float(label != decision) if decided and label is not None else None
            for decided, label in zip(of_verdict, labels, strict=True)
        ]
        wrong = "–" if decision == 0.5 else _spanned(_mean(learned, shares), ".1%")
        rows.append([name, ranges[name], str(sum(of_verdict)), wrong])
    auc, accuracy = calibrated.auc, calibrated.accuracy
    figures = [
        ["area under the ROC curve", _spanned(auc), "the score itself, all rows"],
        [
            f"balanced accuracy at {fitted.threshold:.4g}",
            "–" if accuracy is None else f"{accuracy:.3f}",
            "the rows the threshold was chosen on, so it is optimistic",
        ],
    ]
    notes = [reason for reason in (auc.interval_reason,) if reason]
    return [
        Table("Verdicts", ["verdict", "score", "rows, held out", "of them wrong"], rows),
        Table("Score", ["figure", "value", "on"], figures, [f"No interval: {n}." for n in notes]),
    ]


def _between(lower: float | None, upper: float | None) -> str:
    if lower is None and upper is None:
        return "every score"
    if lower is None:
        return f"below {upper:.4g}"
    if upper is None:
        return f"from {lower:.4g}"
    return "none" if lower == upper else f"from {lower:.4g} to below {upper:.4g}"


def _mean(learned: Learned, values: Sequence[float | None]) -> meta.Estimate:
    data = meta.sample(list(values), groups=learned.table.documents)
    settings = learned.settings
    return meta.estimate(meta.MEAN, data, draws=settings.draws, seed=settings.seed)


def _scores(learned: Learned, calibrated: CalibrationReport, labels: Sequence[int | None]) -> Table:
    """Brier scores with intervals, and calibration errors."""
    result = calibrated.result
    values: Sequence[float | None] = learned.table.columns[learned.metric].values
    if learned.weights is not None:
        values = learned.weights.values
    rows = []
    for name, table, probabilities in (
        ("calibrated, held out", result.reliability, result.probabilities),
        ("the score itself", calibrated.before, values),
        ("share of consistent rows, held out", calibrated.constant, result.shares),
    ):
        if table is None:
            rows.append([name, "–", "–"])
            continue
        squares = [
            None if p is None or label is None else (p - label) ** 2
            for p, label in zip(probabilities, labels, strict=True)
        ]
        brier = _mean(learned, squares)
        rows.append([name, _spanned(brier), _short(table.expected_calibration_error)])
    notes = ["Less is better. The Brier score is the mean squared difference of probability and "
             "label; the calibration error the mean gap of the bins."]  # fmt: skip
    if calibrated.before is None:
        notes.append("The score leaves 0 to 1, so it is no probability itself.")
    return Table("Error", ["probability", "Brier score", "calibration error"], rows, notes)


def _bins(learned: Learned, labels: Sequence[int | None]) -> Table:
    assert learned.calibrated is not None
    result = learned.calibrated.result
    rows = []
    for number, bin in enumerate(result.reliability.bins):
        last = number == len(result.reliability.bins) - 1
        inside: list[float | None] = [
            None if p is None or label is None or not (bin.low <= p < bin.high or (last and p == 1))
            else float(label)
            for p, label in zip(result.probabilities, labels, strict=True)
        ]  # fmt: skip
        share = "–" if not bin.n else _spanned(_mean(learned, inside), ".1%")
        mean = "–" if bin.mean_probability is None else f"{bin.mean_probability:.1%}"
        rows.append([f"{bin.low:.0%} to {bin.high:.0%}", str(bin.n), mean, share])
    header = ["probability, held out", "rows", "mean probability", "consistent in fact"]
    notes = ["A share without an interval rests on fewer than ten documents, or on rows of one "
             "label."]  # fmt: skip
    return Table("Bins", header, rows, notes)


def _part_weights(weights: PartWeights) -> Section:
    search = weights.search
    kind = search.objective.replace("_", " ")
    lines = [
        f"Weights in steps of .1 that sum to 1, {search.tried} tried. {kind.capitalize()} "
        f"{_short(search.value)} on the {search.n} rows searched, {_short(weights.held_out)} on "
        f"held-out folds. Left out: {search.unscored} rows without every part, "
        f"{search.unlabelled} without a judgement."
    ]
    rows = [[part, f"{weight:.1f}"] for part, weight in search.weights.items()]
    return Section("Weights of the parts", lines, [Table("", ["part", "weight"], rows)])


def _held_out(learned: CombinationReport, folds: int) -> Section:
    result = learned.result
    rows = [
        ["all together", _spanned(result.mean), _spanned(learned.held_out)],
        *([name, _spanned(alone), "–"] for name, alone in learned.alone.items()),
    ]
    notes = [
        f"Spearman's rank correlation with the {learned.target}. Every row has the value of the "
        "fit that did not see its document."
    ]
    estimates = [result.mean, learned.held_out, *learned.alone.values()]
    reasons = dict.fromkeys(e.interval_reason for e in estimates if e.interval_reason)
    notes += [f"No interval: {reason}." for reason in reasons]
    header = ["metric", f"mean over {folds} folds", "all held-out rows together"]
    each = ", ".join(map(_short, result.fold_spearman))
    return Section(
        "How well it ranks, on rows it did not see",
        [],
        [Table("", header, rows, [*notes, f"All together, fold by fold: {each}."])],
    )


def _weights(learned: CombinationReport, folder: Path) -> Section:
    combination = learned.result.combination
    plot = folder / "weights.png"
    drawn = [(name, estimate.value or 0.0, estimate.low, estimate.high)
             for name, estimate in learned.weights.items()]  # fmt: skip
    learned_plots.weights_plot(plot, drawn)
    rows = [
        [name, _spanned(estimate, "+.3f"), f"{mean:.4g}", f"{scale:.4g}"]
        for (name, estimate), mean, scale in zip(
            learned.weights.items(), combination.means, combination.scales, strict=True
        )
    ]
    reasons = dict.fromkeys(
        estimate.interval_reason for estimate in learned.weights.values()
        if estimate.interval_reason
    )  # fmt: skip
    notes = [f"No interval: {reason}." for reason in reasons]
    header = ["metric", "weight", "mean", "standard deviation"]
    lines = [
        f"Value = {combination.intercept:.4g} + the sum of weight × (score − mean) / standard "
        f"deviation, fitted on {learned.result.n} rows of {learned.result.groups} documents.",
        "Metrics that say the same share a weight as chance has it: look at the intervals.",
    ]
    return Section("Weights", lines, [Table("", header, rows, notes)], [plot])


def _growth(learned: CombinationReport, folder: Path) -> list[Section]:
    if not learned.growth:
        return []
    plot = folder / "growing combination.png"
    steps = [
        {
            "added": step.combination.names[-1],
            "mean_spearman": step.mean_spearman,
            "fold_spearman": step.fold_spearman,
        }
        for step in learned.growth
    ]
    plots.growth_plot(plot, steps)
    rows = []
    for number, step in enumerate(learned.growth):
        values = [value for value in step.fold_spearman if value is not None]
        spread = f"{min(values):.3f} to {max(values):.3f}" if values else "–"
        name = step.combination.names[-1]
        rows.append([f"+ {name}" if number else name, _spanned(step.mean), spread])
    table = Table("", ["metrics", "mean Spearman", "folds"], rows)
    lines = ["The best metric, then the one that helps it most, and so on; each step is chosen on "
             "the same folds, so it is slightly optimistic."]  # fmt: skip
    return [Section("One metric after the other", lines, [table], [plot])]


def _data_section(table: JudgedTable, folds: int, how: str) -> Section:
    """Which rows were used for what, and which were left out."""
    lines = [
        f"{Path(table.name).name}: {table.used or 'all rows were used'}.",
        *table.notes,
        f"What is applied to new rows was {how}. Figures that are called held out come from "
        f"{folds} folds: fits on the other folds' documents.",
    ]
    rows = []
    for name, column in table.columns.items():
        missing = ", ".join(f"{n} {o}" for o, n in sorted(column.missing().items())) or "0"
        tally = column.cut(CutTally())
        trained = column.trained_on
        rows.append([
            name,
            str(sum(value is not None for value in column.values)),
            missing,
            str(tally) if tally.rows_cut else "–",
            "unknown" if trained is None else ", ".join(trained) or "no data",
        ])  # fmt: skip
    header = ["metric", "scored", "unscored", "cut because it did not fit", "itself trained on"]
    return Section("Data", lines, [Table("", header, rows)])


def _signatures(table: JudgedTable) -> Section:
    rows = [[name, column.signature] for name, column in table.columns.items()]
    return Section("Signatures", [], [Table("", ["metric", "signature"], rows)])


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _spanned(estimate: meta.Estimate, form: str = ".3f") -> str:
    """The value with its interval, if it has one, each in this format, without a negative zero."""
    form = form.replace(".", "z.")
    if estimate.value is None:
        return "–"
    shown = f"{estimate.value:{form}}"
    if estimate.low is None or estimate.high is None:
        return shown
    return f"{shown} [{estimate.low:{form}},\N{NO-BREAK SPACE}{estimate.high:{form}}]"
