"""The commands calibrate, combine, agree and leaderboard: arguments in, tables and files out.

Nothing is computed here. The work is in `judged.py`, `evaluation.py`, `annotations.py` and
`leaderboard.py`, the plots in `report.py`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from faithkit.annotations import AgreementReport
    from faithkit.evaluation import Calibrated, Combining, PartWeights
    from faithkit.files import Columns
    from faithkit.judged import Table
    from faithkit.leaderboard import Board

INCOMPLETE = 3
PAIRS_SHOWN = 45
"""Rows of a table of pairs on the screen; ten annotators or summarisers have so many."""

PAIRS_HELP = "JSONL, CSV, TSV or Parquet by ending, - for stdin, or a dataset's name."

MetricOption = Annotated[
    list[str] | None,
    typer.Option("-m", "--metric", help="NAME[:key=value,...] or path.py:Class; repeatable."),
]
FromOption = Annotated[
    list[str] | None,
    typer.Option(
        "--from", help="Rows that `faithkit score -o` wrote, joined by id; nothing is scored."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON on standard output.")]
SeedOption = Annotated[int, typer.Option(help="Seed of folds and draws.")]
DrawsOption = Annotated[int, typer.Option(min=10, help="Bootstrap draws, by source document.")]
StrictOption = Annotated[bool, typer.Option("--strict", help="Exit 3 if a row has no score.")]
PlotOption = Annotated[str | None, typer.Option(help="Draw it: .png or .svg.")]
CutOption = Annotated[
    float | None,
    typer.Option(help="Labels from ratings: consistent from this rating up."),
]
SourceOption = Annotated[str, typer.Option(help="Column of the source text.")]
SummaryOption = Annotated[str, typer.Option(help="Column of the summary.")]
IdOption = Annotated[str, typer.Option(help="Column of the id. Without one: row numbers.")]
GroupOption = Annotated[
    str, typer.Option(help="Column of the source's identity. Without one: the source's text.")
]
SystemOption = Annotated[str, typer.Option(help="Column of the summariser.")]
LabelOption = Annotated[str, typer.Option(help="Column of the label, 1 or 0.")]
RatingOption = Annotated[str, typer.Option(help="Column of the human rating.")]
FormatOption = Annotated[str, typer.Option(help="Format of standard input: jsonl, csv or tsv.")]
DataOption = Annotated[
    str | None, typer.Option(help="Folder with the datasets' files; FAITHKIT_DATA does the same.")
]
BatchOption = Annotated[int, typer.Option(min=1, help="Rows handed to a metric at once.")]
DeviceOption = Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, mps.")]
DtypeOption = Annotated[str | None, typer.Option(help="float32, bfloat16 or float16.")]
OfflineOption = Annotated[bool, typer.Option("--offline", help="Never touch the network.")]
CacheOption = Annotated[str | None, typer.Option(help="SQLite file of scores.")]
NoCacheOption = Annotated[bool, typer.Option("--no-cache", help="Keep no scores.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this file to the program."""
    for command in (calibrate, combine, agree, leaderboard):
        app.command()(command)


def calibrate(
    pairs: Annotated[str, typer.Argument(help=PAIRS_HELP)],
    metric: MetricOption = None,
    results: FromOption = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="The calibration, as JSON.")
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
    strict: StrictOption = False,
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "id",
    group_column: GroupOption = "group",
    label_column: LabelOption = "label",
    rating_column: RatingOption = "score",
    input_format: FormatOption = "jsonl",
    data_dir: DataOption = None,
    batch_size: BatchOption = 64,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    offline: OfflineOption = False,
    cache: CacheOption = None,
    no_cache: NoCacheOption = False,
    json_output: JsonOption = False,
) -> None:
    """From a score to a verdict: threshold, abstention band and probability, from your labels."""
    from faithkit import evaluation, judged, report
    from faithkit.records import ConfigError

    _one_of("--method", method, ("platt", "isotonic"))
    _one_of("--objective", objective, ("balanced_accuracy", "spearman"))
    _writable(output, save_weights, plot, ending=".json")
    if save_weights and not parts:
        raise ConfigError("--save-weights saves the weights of --parts; name some")
    if not 0 <= max_error <= 1:
        raise ConfigError(f"--max-error is a share from 0 to 1, found {max_error:g}")
    columns = _columns(
        source_column,
        summary_column,
        id_column,
        group_column,
        "system",
        label_column,
        rating_column,
    )
    scoring = _Scoring(metric, results, batch_size, device, dtype, offline, cache, no_cache)
    table = scoring.table(pairs, columns, data_dir, input_format)
    name = _only(table)
    rating = objective == "spearman" and parts is not None
    search = None
    values = table.values(name)
    if parts is not None:
        human = (
            judged.judgements_of(table)[1] if rating else judged.labels_of(table, consistent_from)
        )
        search = evaluation.search_parts(
            table,
            name,
            _listed(parts),
            human,
            objective=cast("Any", objective),
            folds=folds,
            seed=seed,
        )
        values = list(search.values)
    found = None
    if not rating or consistent_from is not None or any(v is not None for v in table.labels):
        found = evaluation.calibrate(
            name,
            values,
            judged.labels_of(table, consistent_from),
            table.groups,
            method=cast("Any", method),
            max_error=None if max_error == 1 else max_error,
            folds=folds,
            seed=seed,
            draws=draws,
        )
    elif plot or output:
        raise ConfigError(
            "ratings alone give weights but no calibration: name the least rating "
            "that is consistent with --consistent-from, or leave out -o and --plot"
        )
    record = _calibration_record(table, name, found, search, consistent_from, folds, seed)
    if output:
        evaluation.write_json(Path(output), record)
    if save_weights and search:
        fitted = {"pairs": table.name, **search.to_dict()}
        combined = evaluation.part_combination(search.search.weights)
        evaluation.write_json(
            Path(save_weights), evaluation.saved_combination(table, combined, fitted, part_of=name)
        )
    if plot and found:
        report.reliability_plot(
            Path(plot),
            found.result.reliability,
            found.before,
            title=f"{name} on {Path(table.name).name}, held-out folds",
        )
    if json_output:
        _json(record)
    else:
        _show_rows(table)
        if search:
            _show_weights(search)
        if found:
            _show_calibration(found, max_error, folds)
        _show_written(output, save_weights, plot)
    _end_strict(table, strict)


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
    strict: StrictOption = False,
    source_column: SourceOption = "source",
    summary_column: SummaryOption = "summary",
    id_column: IdOption = "id",
    group_column: GroupOption = "group",
    label_column: LabelOption = "label",
    rating_column: RatingOption = "score",
    input_format: FormatOption = "jsonl",
    data_dir: DataOption = None,
    batch_size: BatchOption = 64,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    offline: OfflineOption = False,
    cache: CacheOption = None,
    no_cache: NoCacheOption = False,
    json_output: JsonOption = False,
) -> None:
    """Learn a linear combination of metrics from human ratings, and save it as a metric."""
    from faithkit import evaluation, report
    from faithkit.records import ConfigError

    _writable(output, None, plot, ending=".json")
    if plot and not growing:
        raise ConfigError("--plot draws the growing combination; ask for it with --growing")
    columns = _columns(
        source_column,
        summary_column,
        id_column,
        group_column,
        "system",
        label_column,
        rating_column,
    )
    scoring = _Scoring(metric, results, batch_size, device, dtype, offline, cache, no_cache)
    scoring.at_least(2)
    table = scoring.table(pairs, columns, data_dir, input_format)
    found = evaluation.combine(table, folds=folds, seed=seed, growing=growing, draws=draws)
    record = {"pairs": table.name, "folds": folds, "seed": seed, **found.to_dict()}
    if output:
        saved = evaluation.saved_combination(table, found.result.combination, record)
        evaluation.write_json(Path(output), saved)
    if plot:
        steps = cast("list[dict[str, Any]]", record["growth"])
        report.growth_plot(
            Path(plot),
            steps,
            title=f"A growing combination on {Path(table.name).name}",
            caption=f"{folds} folds by source document over the {found.growth[0].n} rows that have "
            "every metric. The next metric is chosen on the same folds, so the curve is "
            "slightly optimistic.",
        )
    if json_output:
        _json(record)
    else:
        _show_rows(table)
        _show_combination(found, folds)
        _show_written(output, None, plot)
        if output:
            typer.echo(f"Use it: -m combine:file={output}")
    _end_strict(table, strict)


def agree(
    annotations: Annotated[
        str, typer.Argument(help="One annotation a row: CSV, TSV, JSONL, Parquet or XLSX.")
    ],
    item: Annotated[str, typer.Option(help="Column of what was judged.")] = "item",
    annotator: Annotated[str, typer.Option(help="Column of who judged.")] = "annotator",
    value: Annotated[str, typer.Option(help="Column of the judgement.")] = "value",
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
    json_output: JsonOption = False,
) -> None:
    """How far annotators agree: alpha, kappa of each two, and the shares of equal answers."""
    from faithkit import annotations as rooms

    for one in level or ():
        _one_of("--level", one, rooms.LEVELS)
    read = rooms.read_annotations(
        Path(annotations),
        rooms.Fields(item, annotator, value),
        order=_listed(order or ""),
        names=level == ["nominal"] and not order,
        empty_is_answer=empty_is_answer,
    )
    found = rooms.agreement(read, cast("Any", level or ()))
    if json_output:
        _json(found.to_dict())
    else:
        _show_agreement(found)


def leaderboard(
    outputs: Annotated[
        list[str],
        typer.Argument(help="A file of pairs for each summariser, or one with a system column."),
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
    group_column: GroupOption = "group",
    system_column: SystemOption = "system",
    input_format: FormatOption = "jsonl",
    data_dir: DataOption = None,
    batch_size: BatchOption = 64,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    offline: OfflineOption = False,
    cache: CacheOption = None,
    no_cache: NoCacheOption = False,
    json_output: JsonOption = False,
) -> None:
    """Compare summarisers: mean score with interval, paired tests, and who is above whom."""
    from faithkit import leaderboard as rooms

    if output:
        rooms.check_ending(Path(output))
        _writable(output, None, None, ending="")
    columns = _columns(
        source_column, summary_column, id_column, group_column, system_column, "label", "score"
    )
    scoring = _Scoring(metric, results, batch_size, device, dtype, offline, cache, no_cache)
    tables = scoring.tables(outputs, columns, data_dir, input_format)
    labels = list(tables[0].scores)
    boards = [rooms.board(tables, label, draws=draws, seed=seed) for label in labels]
    written = rooms.write(Path(output), boards) if output else []
    if json_output:
        _json([found.to_dict() for found in boards])
    else:
        for found in boards:
            _show_board(found)
        _show_written(*map(str, written))
    _end_strict(tables[0], strict, *tables[1:])


class _Scoring:
    """Where the scores come from: metrics to run, or files that an earlier run wrote."""

    def __init__(
        self,
        metrics: list[str] | None,
        results: list[str] | None,
        batch_size: int,
        device: str | None,
        dtype: str | None,
        offline: bool,
        cache: str | None,
        no_cache: bool,
    ) -> None:
        from faithkit.records import ConfigError

        if not metrics and not results:
            raise ConfigError("name a metric with -m, or saved scores with --from")
        self._metrics = metrics or []
        self._results = [Path(path) for path in results or ()]
        self._batch_size = batch_size
        self._load = {"device": device, "dtype": dtype, "offline": offline}
        self._cache = cache, no_cache

    def at_least(self, count: int) -> None:
        """Refuses fewer metrics before any is run."""
        from faithkit.records import ConfigError

        if self._metrics and len(self._metrics) < count:
            raise ConfigError(f"this needs {count} metrics or more: -m A -m B")

    def table(self, pairs: str, columns: Columns, data_dir: str | None, stdin_format: str) -> Table:
        """One file or dataset with its scores; all results files are of it."""
        if self._results:
            return self._joined(pairs, self._results, columns, data_dir, stdin_format)
        (found,) = self.tables([pairs], columns, data_dir, stdin_format)
        return found

    def tables(
        self, outputs: Sequence[str], columns: Columns, data_dir: str | None, stdin_format: str
    ) -> list[Table]:
        """Each file with its scores; with saved ones, the n-th results are of the n-th file."""
        from contextlib import ExitStack

        from faithkit import cli, judged, run, terminal
        from faithkit.records import ConfigError

        if self._results:
            if len(self._results) != len(outputs):
                raise ConfigError(
                    f"--from is given {len(self._results)} times for {len(outputs)} "
                    "files; give one for each, in their order"
                )
            both = zip(outputs, self._results, strict=True)
            found = [
                self._joined(one, [path], columns, data_dir, stdin_format) for one, path in both
            ]
            labels = [set(table.scores) for table in found]
            if any(one != labels[0] for one in labels):
                raise ConfigError(
                    "the files of --from hold different metrics; choose some that "
                    "all of them have with -m"
                )
            return found
        with ExitStack() as stack:
            opened = [
                stack.enter_context(
                    judged.open_pairs(one, columns, data_dir=data_dir, stdin_format=stdin_format)
                )
                for one in outputs
            ]
            prepared = run.prepare(self._metrics, **self._load)  # type: ignore[arg-type]
            store = stack.enter_context(cli.open_store(*self._cache))
            total = sum(one.count for one in opened)
            progress = stack.enter_context(terminal.rows_progress(total))
            found, done = [], 0
            for one in opened:
                found.append(
                    judged.score_pairs(
                        one,
                        prepared,
                        store,
                        batch_size=self._batch_size,
                        progress=lambda rows, before=done: progress(before + rows),
                    )
                )  # type: ignore[misc]
                done += one.count
            return found

    def _joined(
        self,
        pairs: str,
        results: Sequence[Path],
        columns: Columns,
        data_dir: str | None,
        stdin_format: str,
    ) -> Table:
        from faithkit import judged
        from faithkit.metrics import parse_request

        wanted = [parse_request(text).label for text in self._metrics] or None
        opened = judged.open_pairs(pairs, columns, data_dir=data_dir, stdin_format=stdin_format)
        with opened as one:
            return judged.join_results(one, results, wanted)


def _columns(
    source: str, summary: str, id: str, group: str, system: str, label: str, rating: str
) -> Columns:
    from faithkit.files import Columns

    return Columns(
        source=source,
        summary=summary,
        id=id,
        group=group,
        system=system,
        label=label,
        rating=rating,
    )


def _one_of(option: str, given: str, allowed: Sequence[str]) -> None:
    from faithkit.records import ConfigError, did_you_mean

    if given not in allowed:
        raise ConfigError(f"{option} cannot be '{given}'.{did_you_mean(given, allowed)}")


def _listed(text: str) -> list[str]:
    return [piece.strip() for piece in text.split(",") if piece.strip()]


def _writable(*outputs: str | None, ending: str) -> None:
    """Refuses, before anything is scored, a place that cannot be written; the last is a plot."""
    from faithkit import report
    from faithkit.records import ConfigError, DataError

    *records, plot = outputs
    for record in filter(None, records):
        if ending and Path(record).suffix.lower() != ending:
            raise ConfigError(f"{record}: this is written as {ending}")
    if plot:
        report.check_ending(Path(plot))
    for path in filter(None, outputs):
        if not Path(path).absolute().parent.is_dir():
            raise DataError(f"cannot write {path}: there is no folder {Path(path).parent}")


def _only(table: Table) -> str:
    from faithkit.records import ConfigError

    if len(table.scores) != 1:
        names = ", ".join(table.scores)
        raise ConfigError(f"calibrate works on one metric; found {names}: choose one with -m")
    return next(iter(table.scores))


def _end_strict(table: Table, strict: bool, *more: Table) -> None:
    from faithkit.judged import incomplete

    missing = sum(incomplete(one) for one in (table, *more))
    if strict and missing:
        typer.echo(f"faithkit: {missing} rows have no score (--strict)", err=True)
        sys.exit(INCOMPLETE)


def _calibration_record(
    table: Table,
    name: str,
    found: Calibrated | None,
    search: PartWeights | None,
    consistent_from: float | None,
    folds: int,
    seed: int,
) -> dict[str, Any]:
    """What the calibration file holds, and what --json prints."""
    signature = table.signatures[name]
    return {
        "kind": "faithkit calibration",
        "metric": name,
        "signature": None if signature is None else signature.to_dict(),
        "pairs": table.name,
        "consistent_from": consistent_from,
        "folds": folds,
        "seed": seed,
        "weights": None if search is None else search.to_dict(),
        **({} if found is None else found.to_dict()),
        "unscored_rows": table.unscored(name),
        "unlabelled_rows": _unlabelled(table, consistent_from),
    }


def _unlabelled(table: Table, consistent_from: float | None) -> list[str]:
    rows = (
        table.ratings
        if consistent_from is not None or not any(label is not None for label in table.labels)
        else table.labels
    )
    return [identity for identity, human in zip(table.ids, rows, strict=True) if human is None]


def _json(record: Mapping[str, Any] | Sequence[Any]) -> None:
    typer.echo(json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False))


def _show_rows(table: Table) -> None:
    """How many rows, documents and judgements, and which rows have no score."""
    documents = len(set(table.groups))
    labels = sum(label is not None for label in table.labels)
    ratings = sum(rating is not None for rating in table.ratings)
    typer.echo(
        f"{table.name}: {len(table.ids)} rows, {documents} documents, {labels} labels, "
        f"{ratings} ratings"
    )
    for name in table.scores:
        for outcome, ids in table.unscored(name).items():
            some = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
            typer.echo(f"{name}: {len(ids)} unscored, {outcome}: {some}")


def _show_written(*paths: str | None) -> None:
    for path in filter(None, paths):
        typer.echo(f"Wrote {path}")


def _show_weights(found: PartWeights) -> None:
    from faithkit import terminal

    search = found.search
    typer.echo("")
    terminal.print_rows(
        ["part", "weight"],
        [[part, f"{weight:.1f}"] for part, weight in search.weights.items()],
        False,
    )
    kind = search.objective.replace("_", " ")
    held_out = "undefined" if found.held_out is None else f"{found.held_out:.3f}"
    typer.echo(
        f"{kind} {search.value:.3f} on the {search.n} rows searched ({search.tried} "
        f"weightings), {held_out} on held-out folds"
    )
    if search.unscored or search.unlabelled:
        typer.echo(
            f"left out: {search.unscored} rows without every part, {search.unlabelled} "
            "without a judgement"
        )


def _show_calibration(found: Calibrated, max_error: float, folds: int) -> None:
    from faithkit import terminal

    result, fitted = found.result, found.result.calibration
    auc = found.auc
    span = "" if auc.low is None else f" [{auc.low:.3f}, {auc.high:.3f}]"
    typer.echo(
        f"\n{found.metric}: fitted on {result.n} rows, {found.positives} consistent; left "
        f"out: {result.unscored} unscored, {result.unlabelled} unlabelled"
    )
    typer.echo(f"AUC {auc.value:.3f}{span}")
    typer.echo(
        f"Threshold {fitted.threshold:.4g}: balanced accuracy {found.accuracy:.3f} on these rows"
    )
    if max_error < 1:
        lower, upper = fitted.lower, fitted.upper
        typer.echo(
            f"Abstention band, at most {max_error:.0%} of either verdict wrong: "
            + ("never inconsistent" if lower is None else f"inconsistent below {lower:.4g}")
            + ", "
            + ("never consistent" if upper is None else f"consistent from {upper:.4g}")
        )
    wrong = [
        f"{share:.1%} of '{name}' wrong"
        for name, share in (
            ("consistent", result.wrong_consistent),
            ("inconsistent", result.wrong_inconsistent),
        )
        if share is not None
    ]
    typer.echo(
        f"Held out ({folds} folds): {result.decided} decided, {result.errors} wrong"
        + (f" ({', '.join(wrong)})" if wrong else "")
        + f", {result.abstained} abstained\n"
    )
    known = [
        ("score itself", found.before),
        ("always the share of consistent", found.constant),
        ("calibrated, held out", result.reliability),
    ]
    rows = [
        [name, "–", "–"]
        if table is None
        else [name, f"{table.expected_calibration_error:.3f}", f"{table.brier:.3f}"]
        for name, table in known
    ]
    terminal.print_rows(["probability", "calibration error", "Brier"], rows, False)
    if found.before is None:
        typer.echo("The score leaves 0 to 1, so it cannot be read as a probability itself.")
    typer.echo("")
    bins = [
        [
            f"{one.low:.1f} to {one.high:.1f}",
            str(one.n),
            _short(one.mean_probability),
            _short(one.share_consistent),
        ]
        for one in result.reliability.bins
    ]
    terminal.print_rows(["held-out probability", "rows", "mean", "share consistent"], bins, False)


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _show_combination(found: Combining, folds: int) -> None:
    from faithkit import terminal

    result, held_out = found.result, found.held_out
    typer.echo(
        f"\nFitted to each row's {found.target} on {result.n} rows of {result.groups} "
        f"documents; left out: {result.unscored} without every metric, "
        f"{result.unlabelled} without a {found.target}"
    )
    weights = dict(zip(result.combination.names, result.combination.weights, strict=True))
    terminal.print_rows(
        ["metric", "Spearman alone", "weight (standardised)"],
        [[name, _short(alone), f"{weights[name]:+.4f}"] for name, alone in found.alone.items()],
        False,
    )
    span = "" if held_out.low is None else f" [{held_out.low:.3f}, {held_out.high:.3f}]"
    typer.echo(
        f"All together: mean Spearman over {folds} folds {_short(result.mean_spearman)}; "
        f"over all held-out rows {_short(held_out.value)}{span}"
        + (f" ({result.reason})" if result.reason else "")
    )
    if not found.growth:
        return
    typer.echo("")
    rows = []
    for place, step in enumerate(found.growth):
        known = [value for value in step.fold_spearman if value is not None]
        spread = f"{min(known):.3f} to {max(known):.3f}" if known else "–"
        added = step.combination.names[-1]
        rows.append([f"+ {added}" if place else added, _short(step.mean_spearman), spread])
    terminal.print_rows(["growing", "mean Spearman", "folds"], rows, False)
    typer.echo("Each step is chosen on the same folds, so it is slightly optimistic.")


def _show_agreement(found: AgreementReport) -> None:
    from faithkit import terminal

    typer.echo(
        f"{found.items} items, {len(found.annotators)} annotators, {found.given} "
        f"annotations; {found.missing} missing (of them {found.empty} rows without a value)"
        "\n"
    )
    rows = [
        [
            alpha.statistic.replace("krippendorff_alpha_", "Krippendorff's alpha, "),
            _short(alpha.value) if alpha.reason is None else alpha.reason,
            str(alpha.items),
            str(alpha.left_out),
        ]
        for alpha in found.alphas
    ]
    terminal.print_rows(["statistic", "value", "items", "with one annotation or none"], rows, False)
    typer.echo("")
    pairs = [
        [
            kappa.first,
            kappa.second,
            _agreed(kappa.plain.value, kappa.plain.reason),
            "–" if kappa.weighted is None else _agreed(kappa.weighted.value, kappa.weighted.reason),
            str(kappa.plain.items),
        ]
        for kappa in found.kappas
    ]
    terminal.print_rows(
        ["annotator", "annotator", "Cohen's kappa", "quadratic weighted kappa", "items"],
        pairs[:PAIRS_SHOWN],
        False,
    )
    if len(pairs) > PAIRS_SHOWN:
        typer.echo(f"The first {PAIRS_SHOWN} of {len(pairs)} pairs; all of them with --json.")
    if found.shares is not None and found.shares.items:
        shares = found.shares
        typer.echo(
            f"\nOf {shares.items} items with three answers: all the same "
            f"{shares.all_same:.1%}, two the same {shares.two_same:.1%}, all different "
            f"{shares.all_different:.1%}"
        )


def _agreed(value: float | None, reason: str | None) -> str:
    return _short(value) if reason is None else reason


def _show_board(found: Board) -> None:
    from faithkit import leaderboard, terminal

    typer.echo(f"{found.metric}: {leaderboard.about(found)}")
    header, rows = leaderboard.standings_rows(found)
    terminal.print_rows(header, rows, False)
    typer.echo("")
    pairs = found.pairs
    if len(pairs) > PAIRS_SHOWN:
        names = [one.system for one in found.standings]
        beside = set(zip(names, names[1:], strict=False))
        pairs = tuple(pair for pair in pairs if (pair.first, pair.second) in beside)
    terminal.print_rows(*leaderboard.pair_rows(pairs), False)
    if len(pairs) < len(found.pairs):
        typer.echo(
            f"Neighbours only, of {len(found.pairs)} pairs; all of them with -o or --json. "
            "p (Holm) is corrected for all."
        )
    typer.echo("")
    terminal.print_rows(*leaderboard.win_rows(found.wins), False)
    typer.echo("")
