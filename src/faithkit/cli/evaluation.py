"""The commands calibrate, combine, agree and leaderboard: arguments in, tables and files out.

Nothing is computed here. The work is in `judged.py`, `learning.py`, `annotations.py` and
`leaderboard.py`, the plots in `report/plots.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from faithkit.cli.common import (
    BatchOption,
    CacheOption,
    DataOption,
    DeviceOption,
    DocumentOption,
    DtypeOption,
    FormatOption,
    IdOption,
    JsonOption,
    LabelOption,
    LabelsOption,
    NoCacheOption,
    OfflineOption,
    PairOption,
    RatingOption,
    SourceOption,
    StrictOption,
    SummaryOption,
    SystemOption,
)
from faithkit.cli.pairs import (
    PAIRS_HELP,
    AllRowsOption,
    CutOption,
    DrawsOption,
    FromOption,
    MetricOption,
    PlotOption,
    Scoring,
    SeedOption,
    check_writable,
    columns_of,
    end_strict,
    listed,
    one_of,
    print_json,
)


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    for command in (calibrate, combine, agree, leaderboard):
        app.command()(command)


def calibrate(
    pairs: Annotated[str, typer.Argument(help=PAIRS_HELP)],
    metric: MetricOption = None,
    results: FromOption = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="The calibration, as JSON for -m calibrated:file=."),
    ] = None,
    plot: PlotOption = None,
    method: Annotated[
        str, typer.Option(help="platt: a sigmoid; isotonic: any rising curve.")
    ] = "platt",
    max_error: Annotated[
        float, typer.Option(help="Largest share of wrong verdicts outside the band; 1: no band.")
    ] = 0.1,
    folds: Annotated[int, typer.Option(min=2, help="Folds, by source document.")] = 5,
    parts: Annotated[
        str | None,
        typer.Option(help="Find weights for these parts of the metric first: a,b,c."),
    ] = None,
    objective: Annotated[
        str, typer.Option(help="What the weights are for: balanced_accuracy or spearman.")
    ] = "balanced_accuracy",
    save_weights: Annotated[
        str | None,
        typer.Option(help="The weighted parts as a metric: JSON for -m combine:file=."),
    ] = None,
    consistent_from: CutOption = None,
    seed: SeedOption = 0,
    draws: DrawsOption = 2000,
    all_rows: AllRowsOption = False,
    strict: StrictOption = False,
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "id",
    document_column: DocumentOption = "document",
    pair_column: PairOption = "pair",
    label_column: LabelOption = "label",
    labels: LabelsOption = None,
    rating_column: RatingOption = "score",
    input_format: FormatOption = "jsonl",
    data_dir: DataOption = None,
    batch_size: BatchOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    offline: OfflineOption = False,
    cache: CacheOption = None,
    no_cache: NoCacheOption = False,
    json_output: JsonOption = False,
) -> None:
    """From a score to a verdict: threshold, abstention band and probability, from your labels."""
    from faithkit import writing
    from faithkit.cli import terminal_evaluation as shown
    from faithkit.evaluation import learning
    from faithkit.records import ConfigError
    from faithkit.report import plots

    one_of("--method", method, ("platt", "isotonic"))
    one_of("--objective", objective, ("balanced_accuracy", "spearman"))
    check_writable(output, save_weights, plot, ending=".json")
    if save_weights and not parts:
        raise ConfigError("--save-weights saves the weights of --parts; name some")
    columns = columns_of(
        source_column,
        summary_column,
        id_column,
        document_column,
        pair_column,
        "system",
        label_column,
        rating_column,
        labels,
    ).without("system", *(["label"] if consistent_from is not None else []))
    settings = learning.CalibrationSettings(
        cast("Any", method),
        max_error,
        folds,
        seed,
        draws,
        consistent_from,
        None if parts is None else tuple(listed(parts)),
        cast("Any", objective),
        needs_labels=bool(output or plot),
    )
    scoring = Scoring(metric, results, batch_size, device, dtype, offline, cache, no_cache)
    scoring.wants(1, 1)
    table = scoring.table(pairs, columns, data_dir, input_format, settings.check, all_rows)
    learned = learning.learn(table, settings)
    if output:
        writing.write_json(Path(output), learned.to_dict())
    if save_weights:
        writing.write_json(Path(save_weights), learned.weights_as_metric())
    if plot and learned.calibrated:
        plots.reliability_plot(
            Path(plot),
            learned.calibrated.result.reliability,
            learned.calibrated.before,
            title=f"{learned.metric} on {Path(table.name).name}, held-out folds",
        )
    if json_output:
        print_json(learned.to_dict())
    else:
        shown.show_rows(table)
        shown.show_learned(learned)
        shown.show_written(output, save_weights, plot)
        if output and not parts:
            typer.echo(f"Use it: -m calibrated:file={output}")
    end_strict(table, strict)


def combine(
    pairs: Annotated[str, typer.Argument(help=PAIRS_HELP)],
    metric: MetricOption = None,
    results: FromOption = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="The combination, as JSON for -m combine:file=."),
    ] = None,
    growing: Annotated[
        bool, typer.Option("--growing", help="Also the best metric, then the next best with it.")
    ] = False,
    plot: PlotOption = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds, by source document.")] = 10,
    seed: SeedOption = 0,
    draws: DrawsOption = 2000,
    all_rows: AllRowsOption = False,
    strict: StrictOption = False,
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "id",
    document_column: DocumentOption = "document",
    pair_column: PairOption = "pair",
    label_column: LabelOption = "label",
    labels: LabelsOption = None,
    rating_column: RatingOption = "score",
    input_format: FormatOption = "jsonl",
    data_dir: DataOption = None,
    batch_size: BatchOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    offline: OfflineOption = False,
    cache: CacheOption = None,
    no_cache: NoCacheOption = False,
    json_output: JsonOption = False,
) -> None:
    """Learn a linear combination of metrics from human ratings, and save it as a metric."""
    from faithkit import writing
    from faithkit.cli import terminal_evaluation as shown
    from faithkit.evaluation import judged, learning
    from faithkit.records import ConfigError
    from faithkit.report import plots

    check_writable(output, None, plot, ending=".json")
    if plot and not growing:
        raise ConfigError("--plot draws the growing combination; ask for it with --growing")
    columns = columns_of(
        source_column,
        summary_column,
        id_column,
        document_column,
        pair_column,
        "system",
        label_column,
        rating_column,
        labels,
    ).without("system")
    scoring = Scoring(metric, results, batch_size, device, dtype, offline, cache, no_cache)
    scoring.wants(2)
    table = scoring.table(pairs, columns, data_dir, input_format, judged.judgements_of, all_rows)
    found = learning.combine(table, folds=folds, seed=seed, growing=growing, draws=draws)
    record = {
        "pairs": table.name,
        "rows_used": table.used or "all",
        "folds": folds,
        "seed": seed,
        **found.to_dict(),
    }
    if output:
        saved = learning.saved_combination(table, found.result.combination, record)
        writing.write_json(Path(output), saved)
    if plot:
        steps = cast("list[dict[str, Any]]", record["growth"])
        plots.growth_plot(
            Path(plot),
            steps,
            title=f"A growing combination on {Path(table.name).name}",
            caption=f"{folds} folds by source document over the {found.growth[0].n} rows that have "
            "every metric. The next metric is chosen on the same folds, so the curve is "
            "slightly optimistic.",
        )
    if json_output:
        print_json(record)
    else:
        shown.show_rows(table)
        shown.show_combination(found, folds)
        shown.show_written(output, None, plot)
        if output:
            typer.echo(f"Use it: -m combine:file={output}")
    end_strict(table, strict)


def agree(
    annotations: Annotated[
        str,
        typer.Argument(
            help="CSV, TSV, JSONL, Parquet or XLSX: one annotation a row (item, annotator, value), "
            "or one item a row with a column for each annotator."
        ),
    ],
    item: Annotated[
        str | None, typer.Option(help="Column of what was judged. Default: item, else id.")
    ] = None,
    annotator: Annotated[
        str | None, typer.Option(help="Column of who judged. Default: annotator.")
    ] = None,
    value: Annotated[
        str | None, typer.Option(help="Column of the judgement. Default: value.")
    ] = None,
    annotators: Annotated[
        str | None,
        typer.Option(
            help="Columns of a table with a row for each item, one an annotator: anna,ben. "
            "Default: all but the item and the columns of a file of pairs."
        ),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(help="nominal, ordinal or interval; repeatable. Default: all that fit."),
    ] = None,
    order: Annotated[
        str | None, typer.Option(help="Named grades from the lowest up: none,weak,strong.")
    ] = None,
    empty_is_answer: Annotated[
        bool, typer.Option("--empty-is-answer", help="An empty text is a judgement, not a gap.")
    ] = False,
    top: Annotated[int, typer.Option(min=0, help="Disagreements shown, the largest first.")] = 10,
    disagreements: Annotated[
        str | None, typer.Option(help="File for all disagreements: .csv, .tsv or .jsonl.")
    ] = None,
    draws: Annotated[int, typer.Option(min=10, help="Bootstrap draws, by item.")] = 2000,
    seed: SeedOption = 0,
    json_output: JsonOption = False,
) -> None:
    """How far annotators agree: alpha, kappa and same answers of each two; where they differ."""
    from faithkit.cli import terminal_evaluation as shown
    from faithkit.evaluation import annotations as evaluation

    for one in level or ():
        one_of("--level", one, evaluation.LEVELS)
    if disagreements:
        evaluation.check_ending(Path(disagreements))
        check_writable(disagreements, None, None, ending="")
    read = evaluation.read_annotations(
        Path(annotations),
        evaluation.Fields(item, annotator, value, tuple(listed(annotators or ""))),
        order=listed(order or ""),
        names=level == ["nominal"] and not order,
        empty_is_answer=empty_is_answer,
    )
    found = evaluation.agreement(read, cast("Any", level or ()), draws=draws, seed=seed)
    if disagreements:
        evaluation.write_disagreements(Path(disagreements), found)
    if json_output:
        print_json(found.to_dict())
    else:
        shown.show_agreement(found, top)
        shown.show_written(disagreements)


def leaderboard(
    outputs: Annotated[
        list[str],
        typer.Argument(
            help="A file of pairs for each summariser, or one with a system column, whose ids may "
            "repeat across systems; or a dataset's name, DATASET[split=val] for one split."
        ),
    ],
    metric: MetricOption = None,
    results: FromOption = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help=".md, .csv or .json.")
    ] = None,
    draws: DrawsOption = 10_000,
    seed: SeedOption = 0,
    strict: StrictOption = False,
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "id",
    document_column: DocumentOption = "document",
    pair_column: PairOption = "pair",
    system_column: SystemOption = "system",
    input_format: FormatOption = "jsonl",
    data_dir: DataOption = None,
    batch_size: BatchOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    offline: OfflineOption = False,
    cache: CacheOption = None,
    no_cache: NoCacheOption = False,
    json_output: JsonOption = False,
) -> None:
    """Compare summarisers: mean score with interval, paired tests, and who is above whom."""
    from faithkit.cli import terminal_evaluation as shown
    from faithkit.evaluation import leaderboard as evaluation

    if output:
        evaluation.check_ending(Path(output))
        check_writable(output, None, None, ending="")
    columns = columns_of(
        source_column,
        summary_column,
        id_column,
        document_column,
        pair_column,
        system_column,
        "label",
        "score",
    ).without("label", "rating")
    scoring = Scoring(metric, results, batch_size, device, dtype, offline, cache, no_cache)
    tables = scoring.tables(outputs, columns, data_dir, input_format, evaluation.systems_of)
    labels = list(tables[0].columns)
    boards = [evaluation.board(tables, label, draws=draws, seed=seed) for label in labels]
    written = evaluation.write(Path(output), boards) if output else []
    if json_output:
        print_json([found.to_dict() for found in boards])
    else:
        for found in boards:
            shown.show_board(found)
        shown.show_cut(tables)
        shown.show_written(*map(str, written))
    end_strict(tables[0], strict, *tables[1:])
