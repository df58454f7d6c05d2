"""The commands calibrate, combine, agree and leaderboard: arguments in, tables and files out.

Nothing is computed here. The work is in `judged.py`, `learning.py`, `annotations.py` and
`leaderboard.py`, the plots in `report/plots.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from faithkit.cli import options
from faithkit.cli.common import check_choice, check_plot, check_writable, print_json, split_list
from faithkit.cli.options import (
    AllRowsOption,
    DrawsOption,
    FiguresPageOption,
    JsonOption,
    PairsArgument,
    PlotOption,
    SeedOption,
    StrictOption,
)
from faithkit.cli.pairs import (
    PairsOptions,
    ScoreOptions,
    ScoreOptionsOfOne,
    ScoreOptionsOfSeveral,
    end_strict,
)

if TYPE_CHECKING:
    from faithkit.evaluation import learning
    from faithkit.evaluation.annotations import Annotations


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    options.register(app, calibrate, combine, agree, leaderboard)


@dataclass(frozen=True)
class CalibrationOptions:
    """How a metric is calibrated."""

    method: Annotated[str, typer.Option(help="platt: a sigmoid; isotonic: any rising curve.")] = (
        "platt"
    )
    max_error: Annotated[
        float, typer.Option(help="Largest share of wrong verdicts outside the band; 1: no band.")
    ] = 0.1
    folds: Annotated[int, typer.Option(min=2, help="Folds, by source document.")] = 5
    parts: Annotated[
        str | None,
        typer.Option(help="Find weights for these parts of the metric first: a,b,c."),
    ] = None
    objective: Annotated[
        str, typer.Option(help="What the weights are for: balanced_accuracy or spearman.")
    ] = "balanced_accuracy"
    consistent_from: Annotated[
        float | None,
        typer.Option(help="Labels from ratings: consistent from this rating up."),
    ] = None
    seed: SeedOption = 0
    draws: DrawsOption = 2000

    def settings(self, needs_labels: bool) -> learning.CalibrationSettings:
        from faithkit.evaluation import learning

        check_choice("--method", self.method, ("platt", "isotonic"))
        check_choice("--objective", self.objective, ("balanced_accuracy", "spearman"))
        return learning.CalibrationSettings(
            cast("Any", self.method),
            self.max_error,
            self.folds,
            self.seed,
            self.draws,
            self.consistent_from,
            None if self.parts is None else tuple(split_list(self.parts)),
            cast("Any", self.objective),
            needs_labels=needs_labels,
        )


def calibrate(
    pairs: PairsArgument,
    *,
    scores: ScoreOptionsOfOne,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="The calibration, as JSON for -m calibrated:file=."),
    ] = None,
    plot: PlotOption = None,
    html: FiguresPageOption = None,
    save_weights: Annotated[
        str | None,
        typer.Option(help="The weighted parts as a metric: JSON for -m combine:file=."),
    ] = None,
    calibration: CalibrationOptions,
    all_rows: AllRowsOption = False,
    strict: StrictOption = False,
    source: PairsOptions,
    json_output: JsonOption = False,
) -> None:
    """Fit thresholds and probabilities to your own labels."""
    from faithkit import writing
    from faithkit.cli import terminal_evaluation as shown
    from faithkit.evaluation import learned_pages, learning
    from faithkit.records import ConfigError

    settings = calibration.settings(needs_labels=bool(output or plot))
    check_writable(html, ending=".html")
    inputs = [pairs, *(scores.results or ())]
    check_writable(output, save_weights, ending=".json", inputs=inputs)
    check_plot(plot)
    if save_weights and not calibration.parts:
        raise ConfigError("--save-weights saves the weights of --parts; name some")
    columns = source.columns("system")
    if calibration.consistent_from is not None:
        columns = columns.without("label")
    scores.check(1, 1)
    table = scores.table(pairs, source, columns, settings.check, all_rows)
    learned = learning.learn(table, settings)
    if output:
        writing.write_json(Path(output), learned.to_dict())
    if save_weights:
        writing.write_json(Path(save_weights), learned.weights_as_metric())
    if plot and learned.calibrated:
        _plot_reliability(Path(plot), learned.metric, table.name, learned.calibrated)
    if html:
        learned_pages.calibration_page(Path(html), learned)
    if json_output:
        print_json(learned.to_dict())
    else:
        shown.show_rows(table)
        shown.show_learned(learned)
        shown.show_written(output, save_weights, plot, html)
        if output and not calibration.parts:
            fitted = learned.calibrated.result.calibration if learned.calibrated else None
            undecided = (
                " (its verdict is always undecided)" if fitted and not fitted.decides else ""
            )
            typer.echo(f"Use it: -m calibrated:file={output}{undecided}")
    end_strict(strict, table)


def combine(
    pairs: PairsArgument,
    *,
    scores: ScoreOptionsOfSeveral,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="The combination, as JSON for -m combine:file=."),
    ] = None,
    growing: Annotated[
        bool, typer.Option("--growing", help="Also add metrics one by one, the best first.")
    ] = False,
    plot: PlotOption = None,
    html: FiguresPageOption = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds, by source document.")] = 10,
    seed: SeedOption = 0,
    draws: DrawsOption = 2000,
    all_rows: AllRowsOption = False,
    strict: StrictOption = False,
    source: PairsOptions,
    json_output: JsonOption = False,
) -> None:
    """Learn a weighted combination of metrics from ratings or labels."""
    from faithkit import writing
    from faithkit.cli import terminal_evaluation as shown
    from faithkit.evaluation import judged, learned_pages, learning
    from faithkit.records import ConfigError

    check_writable(output, ending=".json", inputs=[pairs, *(scores.results or ())])
    check_writable(html, ending=".html")
    check_plot(plot)
    if plot and not growing:
        raise ConfigError("--plot draws the growing combination; ask for it with --growing")
    columns = source.columns("system")
    scores.check(2)
    table = scores.table(pairs, source, columns, judged.judgements_of, all_rows)
    learned = learning.combine(table, folds=folds, seed=seed, growing=growing, draws=draws)
    record = {
        "pairs": table.name,
        "rows_used": table.used or "all",
        "folds": folds,
        "seed": seed,
        **learned.to_dict(),
    }
    if output:
        saved = learning.saved_combination(table, learned.result.combination, record)
        writing.write_json(Path(output), saved)
    if plot:
        _plot_growth(Path(plot), table.name, learned, record)
    if html:
        learned_pages.combination_page(Path(html), learned, table, folds=folds, seed=seed)
    if json_output:
        print_json(record)
    else:
        shown.show_rows(table)
        shown.show_combination(learned, folds)
        shown.show_written(output, plot, html)
        if output and learned.better_alone() is None:
            typer.echo(f"Use it: -m combine:file={output}")
    end_strict(strict, table)


@dataclass(frozen=True)
class AnnotationOptions:
    """How a file of annotations is read."""

    item: Annotated[
        str | None, typer.Option(help="Column of what was judged. Default: item, else id.")
    ] = None
    annotator: Annotated[
        str | None, typer.Option(help="Column of who judged. Default: annotator.")
    ] = None
    value: Annotated[str | None, typer.Option(help="Column of the judgement. Default: value.")] = (
        None
    )
    annotators: Annotated[
        str | None,
        typer.Option(
            help="Columns of a table with a row for each item, one an annotator: anna,ben. "
            "Default: all but the item and the columns of a file of pairs."
        ),
    ] = None
    order: Annotated[
        str | None, typer.Option(help="Named grades from the lowest up: none,weak,strong.")
    ] = None
    empty_is_answer: Annotated[
        bool, typer.Option("--empty-is-answer", help="An empty text is a judgement, not a gap.")
    ] = False

    def check_unused(self) -> None:
        """Raises ConfigError where any is given: a store says itself what is what."""
        from dataclasses import fields

        from faithkit.records import ConfigError

        for option in fields(self):
            if getattr(self, option.name) not in (None, False):
                name = option.name.replace("_", "-")
                raise ConfigError(f"--{name} is for tables; a store of `annotate` has its own form")

    def read(self, path: Path, nominal: bool) -> Annotations:
        """nominal: whether the values are names, not grades"""
        from faithkit.evaluation import annotations

        return annotations.read_annotations(
            path,
            annotations.Fields(
                self.item, self.annotator, self.value, tuple(split_list(self.annotators))
            ),
            order=split_list(self.order),
            names=nominal and not self.order,
            empty_is_answer=self.empty_is_answer,
        )


def _plot_reliability(
    path: Path, metric: str, name: str, calibrated: learning.CalibrationReport
) -> None:
    from faithkit.report import plots

    plots.reliability_plot(
        path,
        calibrated.result.reliability,
        calibrated.before,
        title=f"{metric} on {Path(name).name}, held-out folds",
    )


def _plot_growth(
    path: Path, name: str, learned: learning.CombinationReport, record: Mapping[str, Any]
) -> None:
    from faithkit.report import plots

    plots.growth_plot(
        path,
        record["growth"],
        title=f"A growing combination on {Path(name).name}",
        caption=f"{record['folds']} folds by source document over the {learned.growth[0].n} rows "
        "that have every metric. The next metric is chosen on the same folds, so the curve is "
        "slightly optimistic.",
    )


def agree(
    annotations: Annotated[
        str,
        typer.Argument(
            help="CSV, TSV, JSONL, Parquet or XLSX: one annotation a row (item, annotator, value), "
            "or one item a row with a column for each annotator; or a store of `annotate`."
        ),
    ],
    *,
    form: AnnotationOptions,
    level: Annotated[
        list[str] | None,
        typer.Option(help="nominal, ordinal or interval; repeatable. Default: all that fit."),
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="Disagreements shown, the largest first.")] = 10,
    disagreements: Annotated[
        str | None, typer.Option(help="File for all disagreements: .csv, .tsv or .jsonl.")
    ] = None,
    draws: Annotated[int, typer.Option(min=10, help="Bootstrap draws, by item.")] = 2000,
    seed: SeedOption = 0,
    json_output: JsonOption = False,
) -> None:
    """Measure inter-annotator agreement."""
    from faithkit.annotation.store import is_store
    from faithkit.cli import terminal_evaluation as shown
    from faithkit.cli.annotation import agree_on_store
    from faithkit.evaluation import annotations as evaluation

    for name in level or ():
        check_choice("--level", name, evaluation.LEVELS)
    if disagreements:
        evaluation.check_ending(Path(disagreements))
        check_writable(disagreements, inputs=[annotations])
    if is_store(Path(annotations)):
        form.check_unused()
        agree_on_store(Path(annotations), level, top, disagreements, draws, seed, json_output)
        return
    read = form.read(Path(annotations), nominal=level == ["nominal"])
    report = evaluation.agreement(read, cast("Any", level or ()), draws=draws, seed=seed)
    if disagreements:
        evaluation.write_disagreements(Path(disagreements), report)
    if json_output:
        print_json(report.to_dict())
    else:
        shown.show_agreement(report, top)
        shown.show_written(disagreements)


def leaderboard(
    outputs: Annotated[
        list[str],
        typer.Argument(
            help="A file of pairs for each summariser, or one with a system column, whose ids may "
            "repeat across systems; or a dataset's name, DATASET[split=val] for one split."
        ),
    ],
    *,
    scores: ScoreOptions,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help=".md, .csv, .json or .html (a page).")
    ] = None,
    draws: DrawsOption = 10_000,
    seed: SeedOption = 0,
    strict: StrictOption = False,
    source: PairsOptions,
    json_output: JsonOption = False,
) -> None:
    """Compare summarisers with intervals and paired tests."""
    from faithkit.cli import terminal_evaluation as shown
    from faithkit.evaluation import leaderboard as evaluation

    if output:
        written_to = evaluation.check_ending(Path(output))
        check_writable(*map(str, written_to), inputs=[*outputs, *(scores.results or ())])
    columns = source.columns("label", "rating")
    scores.check()
    tables = scores.tables(outputs, source, columns, evaluation.systems_of)
    labels = list(tables[0].columns)
    boards = [evaluation.board(tables, label, draws=draws, seed=seed) for label in labels]
    written = evaluation.write(Path(output), boards) if output else []
    if json_output:
        print_json([board.to_dict() for board in boards])
    else:
        for board in boards:
            shown.show_board(board)
        shown.show_cut(tables)
        shown.show_written(*map(str, written))
    end_strict(strict, *tables)
