"""What the commands calibrate, combine, agree and leaderboard print. Reads results, computes none.

Readable without colour; every row that is left out is counted on the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from textwrap import shorten

import typer

from faithkit.cli import terminal
from faithkit.cut_tally import CutTally
from faithkit.evaluation import leaderboard, learning
from faithkit.evaluation.annotations import AgreementReport
from faithkit.evaluation.judged import JudgedTable
from faithkit.evaluation.leaderboard import Board
from faithkit.evaluation.learning import CalibrationReport, CombinationReport, Learned, PartWeights
from faithkit.meta import Agreement, Estimate

PAIRS_SHOWN = 45
"""Rows of a table of pairs on the screen; ten annotators or summarisers have so many."""


def show_rows(table: JudgedTable) -> None:
    """How many rows, documents and judgements, and which rows have no score."""
    documents = len(set(table.documents))
    labels = sum(label is not None for label in table.labels)
    ratings = sum(rating is not None for rating in table.ratings)
    typer.echo(
        f"{table.name}: {len(table.rows)} rows, {documents} documents, {labels} labels, "
        f"{ratings} ratings"
    )
    if table.used:
        typer.echo(f"{table.used} (--all-rows takes them too)")
    for name in table.columns:
        for outcome, ids in table.unscored(name).items():
            shown = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
            typer.echo(f"{name}: {len(ids)} unscored, {outcome}: {shown}")
    show_cut([table])


def show_cut(tables: Sequence[JudgedTable]) -> None:
    """Of each metric, how much of all the tables' texts it did not see, where any was cut."""
    for name in tables[0].columns:
        tally = CutTally()
        for table in tables:
            table.columns[name].cut(tally)
        if tally.rows_cut:
            typer.echo(f"{name}, cut because it did not fit: {tally}")


def show_written(*paths: str | None) -> None:
    for path in filter(None, paths):
        typer.echo(f"Wrote {path}")


def show_learned(learned: Learned) -> None:
    """The weights of the parts and the calibration, where there are any."""
    if learned.weights:
        show_weights(learned.weights)
    if learned.calibrated:
        show_calibration(learned.calibrated, learned.settings.max_error, learned.settings.folds)


def show_weights(weights: PartWeights) -> None:
    search = weights.search
    typer.echo("")
    terminal.print_rows(
        ["part", "weight"],
        [[part, f"{weight:.1f}"] for part, weight in search.weights.items()],
        False,
    )
    kind = search.objective.replace("_", " ")
    held_out = "undefined" if weights.held_out is None else f"{weights.held_out:.3f}"
    typer.echo(
        f"{kind} {search.value:.3f} on the {search.n} rows searched ({search.tried} "
        f"weightings), {held_out} on held-out folds"
    )
    if search.unscored or search.unlabelled:
        typer.echo(
            f"left out: {search.unscored} rows without every part, {search.unlabelled} "
            "without a judgement"
        )


def show_calibration(calibrated: CalibrationReport, max_error: float, folds: int) -> None:
    result, fitted = calibrated.result, calibrated.result.calibration
    auc = calibrated.auc
    typer.echo(
        f"\n{calibrated.metric}: fitted on {result.n} rows, {calibrated.positives} consistent; "
        f"left out: {result.unscored} unscored, {result.unlabelled} unlabelled"
    )
    typer.echo(f"AUC {_spanned(auc)}")
    typer.echo(
        f"Threshold {fitted.threshold:.4g}: balanced accuracy {calibrated.accuracy:.3f} on these "
        "rows"
    )
    if max_error < 1:
        lower, upper = fitted.lower, fitted.upper
        typer.echo(
            f"Abstention band, at most {max_error:.0%} of either verdict wrong: "
            + ("never not consistent" if lower is None else f"not consistent below {lower:.4g}")
            + ", "
            + ("never consistent" if upper is None else f"consistent from {upper:.4g}")
        )
        if lower is None or upper is None:
            typer.echo(learning.never_given(max_error))
    _show_held_out(calibrated, folds)


def _show_held_out(calibrated: CalibrationReport, folds: int) -> None:
    """Verdicts and probabilities on the folds that the calibration did not see."""
    result = calibrated.result
    wrong = [
        f"{share:.1%} of '{name}' wrong"
        for name, share in (
            ("consistent", result.wrong_consistent),
            ("not consistent", result.wrong_inconsistent),
        )
        if share is not None
    ]
    typer.echo(
        f"Held out ({folds} folds): {result.decided} decided, {result.errors} wrong"
        + (f" ({', '.join(wrong)})" if wrong else "")
        + f", {result.abstained} abstained\n"
    )
    tables = [
        ("score itself", calibrated.before),
        ("share of consistent, held out", calibrated.constant),
        ("calibrated, held out", result.reliability),
    ]
    rows = [
        [name, "–", "–"]
        if table is None
        else [name, f"{table.expected_calibration_error:.3f}", f"{table.brier:.3f}"]
        for name, table in tables
    ]
    terminal.print_rows(["probability", "calibration error", "Brier"], rows)
    if calibrated.before is None:
        typer.echo("The score leaves 0 to 1, so it cannot be read as a probability itself.")
    for warning in calibrated.warnings():
        typer.echo(warning)
    typer.echo("")
    bins = [
        [
            f"{bin.low:.1f} to {bin.high:.1f}",
            str(bin.n),
            _short(bin.mean_probability),
            _short(bin.share_consistent),
        ]
        for bin in result.reliability.bins
    ]
    terminal.print_rows(["held-out probability", "rows", "mean", "share consistent"], bins)


def _spanned(estimate: Estimate) -> str:
    """The value with its interval, or with why there is none."""
    why = f" (no interval: {estimate.interval_reason})" if estimate.interval_reason else ""
    return f"{_bare(estimate)}{why}"


def _bare(estimate: Estimate, *, signed: bool = False) -> str:
    """The value with its interval, if it has one."""
    form = "+z.3f" if signed else "z.3f"
    value = "–" if estimate.value is None else f"{estimate.value:{form}}"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} [{estimate.low:{form}}, {estimate.high:{form}}]"


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def show_combination(learned: CombinationReport, folds: int) -> None:
    result, held_out = learned.result, learned.held_out
    typer.echo(
        f"\nFitted to each row's {learned.target} on {result.n} rows of {result.groups} "
        f"documents; left out: {result.unscored} without every metric, "
        f"{result.unlabelled} without a {learned.target}"
    )
    terminal.print_rows(
        ["metric", "Spearman alone", "weight (standardised)"],
        [
            [name, _bare(alone), _bare(learned.weights[name], signed=True)]
            for name, alone in learned.alone.items()
        ],
        False,
    )
    typer.echo(
        f"All together: mean Spearman over {folds} folds {_bare(result.mean)}; "
        f"over all held-out rows {_bare(held_out)}"
    )
    estimates = [*learned.alone.values(), *learned.weights.values(), result.mean, held_out]
    for reason in dict.fromkeys(filter(None, (one.interval_reason for one in estimates))):
        typer.echo(f"No interval: {reason}")
    for warning in learned.warnings:
        typer.echo(warning)
    if not learned.growth:
        return
    typer.echo("")
    rows = []
    for place, step in enumerate(learned.growth):
        values = [value for value in step.fold_spearman if value is not None]
        spread = f"{min(values):.3f} to {max(values):.3f}" if values else "–"
        added = step.combination.names[-1]
        rows.append([f"+ {added}" if place else added, _bare(step.mean), spread])
    terminal.print_rows(["growing", "mean Spearman", "folds"], rows)
    typer.echo("Each step is chosen on the same folds, so it is slightly optimistic.")


def show_agreement(report: AgreementReport, top: int) -> None:
    """Every statistic with its interval, and the `top` largest disagreements."""
    typer.echo(f"Read as {report.layout}")
    typer.echo(
        f"{report.items} items, {len(report.annotators)} annotators, {report.annotations} "
        f"annotations; {report.missing} missing (of them {report.empty} empty in the file)\n"
    )
    rows = [
        [
            alpha.statistic.replace("krippendorff_alpha_", "Krippendorff's alpha, "),
            agreed(alpha),
            str(alpha.items),
            str(alpha.left_out),
        ]
        for alpha in report.alphas
    ]
    terminal.print_rows(["statistic", "value", "items", "with one annotation or none"], rows)
    typer.echo("")
    pairs = [
        [
            kappa.first,
            kappa.second,
            agreed(kappa.raw, percent=True),
            agreed(kappa.plain),
            agreed(kappa.weighted),
            str(kappa.plain.items),
        ]
        for kappa in report.kappas
    ]
    header = ["annotator", "annotator", "same answer", "Cohen's kappa", "quadratic weighted kappa"]
    terminal.print_rows([*header, "items"], pairs[:PAIRS_SHOWN])
    if len(pairs) > PAIRS_SHOWN:
        typer.echo(f"The first {PAIRS_SHOWN} of {len(pairs)} pairs; all of them with --json.")
    for reason in _reasons(report):
        typer.echo(f"No interval: {reason}")
    if report.shares is not None and report.shares.items:
        shares = report.shares
        typer.echo(
            f"\nOf {shares.items} items with three answers: all the same "
            f"{shares.all_same:.1%}, two the same {shares.two_same:.1%}, all different "
            f"{shares.all_different:.1%}"
        )
    else:
        typer.echo("\nNo shares of equal answers: no item has three answers.")
    _show_disagreements(report, top)


def _show_disagreements(report: AgreementReport, top: int) -> None:
    shown = report.disagreements[:top]
    if not shown:
        return
    typer.echo("")
    rows = [
        [
            disagreement.item,
            *(shorten(disagreement.answers.get(name, "–"), 60) for name in report.annotators),
        ]
        for disagreement in shown
    ]
    terminal.print_rows(["item", *report.annotators], rows)
    typer.echo(
        f"The {len(shown)} largest of {len(report.disagreements)} disagreements; all of them with "
        "--disagreements FILE."
    )


def _reasons(report: AgreementReport) -> list[str]:
    """Why statistics have a value and no interval, each reason once."""
    every = [*report.alphas]
    for kappa in report.kappas:
        every += [
            statistic
            for statistic in (kappa.raw, kappa.plain, kappa.weighted)
            if statistic is not None
        ]
    return list(
        dict.fromkeys(statistic.interval_reason for statistic in every if statistic.interval_reason)
    )


def agreed(agreement: Agreement | None, *, percent: bool = False) -> str:
    """The value with its interval, or why there is none."""
    if agreement is None:
        return "–"
    if agreement.value is None:
        return agreement.reason or "–"
    shown = [
        value for value in (agreement.value, agreement.low, agreement.high) if value is not None
    ]
    texts = [f"{value:.1%}" if percent else f"{value:.3f}" for value in shown]
    return texts[0] if len(texts) == 1 else f"{texts[0]} [{texts[1]}, {texts[2]}]"


def show_board(board: Board) -> None:
    typer.echo(f"{board.metric}: {leaderboard.about(board)}")
    header, rows = leaderboard.standings_rows(board)
    terminal.print_rows(header, rows)
    typer.echo("")
    pairs = board.pairs
    if len(pairs) > PAIRS_SHOWN:
        names = [standing.system for standing in board.standings]
        beside = set(pairwise(names))
        pairs = tuple(pair for pair in pairs if (pair.first, pair.second) in beside)
    terminal.print_rows(*leaderboard.pair_rows(pairs))
    if len(pairs) < len(board.pairs):
        typer.echo(
            f"Neighbours only, of {len(board.pairs)} pairs; all of them with -o or --json. "
            "p (Holm) is corrected for all."
        )
    typer.echo("")
    terminal.print_rows(*leaderboard.win_rows(board.wins))
    for note in leaderboard.notes(board):
        typer.echo(note)
    typer.echo("")
