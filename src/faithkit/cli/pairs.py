"""What the commands over judged pairs share: options, where scores come from, the last checks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faithkit.cli.common import INCOMPLETE, say_trained_on

if TYPE_CHECKING:
    from faithkit.evaluation.examples import Pairs
    from faithkit.evaluation.judged import JudgedTable
    from faithkit.files import Columns

PAIRS_HELP = (
    "JSONL, JSON, CSV, TSV, Parquet or XLSX by ending, plain or .gz; - for stdin; or a dataset's "
    "name: DATASET[split=val] takes one split, DATASET[key=value,...] the rows whose field has the "
    "value."
)

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
SeedOption = Annotated[int, typer.Option(help="Seed of folds and draws.")]
DrawsOption = Annotated[int, typer.Option(min=10, help="Bootstrap draws, by source document.")]
AllRowsOption = Annotated[
    bool,
    typer.Option(
        "--all-rows",
        help="Learn from all rows. Default: from the validation split where there is one, so that "
        "the others stay for testing.",
    ),
]
PlotOption = Annotated[str | None, typer.Option(help="Draw it: .png or .svg.")]
CutOption = Annotated[
    float | None,
    typer.Option(help="Labels from ratings: consistent from this rating up."),
]


class Scoring:
    """Where the scores come from: metrics to run, or files that an earlier run wrote."""

    def __init__(
        self,
        metrics: list[str] | None,
        results: list[str] | None,
        batch_size: int | None,
        device: str | None,
        dtype: str | None,
        offline: bool,
        cache: str | None,
        no_cache: bool,
    ) -> None:
        from faithkit.metrics.spec import MetricSpec
        from faithkit.records import ConfigError

        if not metrics and not results:
            raise ConfigError("name a metric with -m, or saved scores with --from")
        self._metrics = [MetricSpec.parse(text) for text in metrics or ()]
        self._results = [Path(path) for path in results or ()]
        self._batch_size = batch_size
        self._device, self._dtype, self._offline = device, dtype, offline
        self._cache = cache, no_cache

    def wants(self, least: int, most: int | None = None) -> None:
        """Refuses another number of metrics before any is run."""
        from faithkit.records import ConfigError

        found = len(self._metrics)
        if found and (found < least or found > (most or found)):
            wanted = f"{least} metrics or more" if most is None else "one metric"
            labels = ", ".join(spec.label for spec in self._metrics)
            raise ConfigError(f"this needs {wanted}, found {found}: {labels}")

    def table(
        self,
        pairs: str,
        columns: Columns,
        data_dir: str | None,
        stdin_format: str,
        check: Callable[[JudgedTable], object],
        all_rows: bool = False,
    ) -> JudgedTable:
        """One file or dataset with its scores; all results files are of it.

        check     raises where the judgements cannot serve; called before anything is scored
        all_rows  whether the rows outside the validation split are taken too
        """
        from faithkit.evaluation import examples

        select = (lambda opened: opened) if all_rows else examples.validation_rows
        if self._results:
            return self._joined(pairs, self._results, columns, data_dir, stdin_format, select)
        (found,) = self.tables(
            [pairs], columns, data_dir, stdin_format, lambda tables: check(tables[0]), select
        )
        return found

    def tables(
        self,
        outputs: Sequence[str],
        columns: Columns,
        data_dir: str | None,
        stdin_format: str,
        check: Callable[[list[JudgedTable]], object],
        select: Callable[[Pairs], Pairs] = lambda opened: opened,
    ) -> list[JudgedTable]:
        """Each file with its scores; with saved ones, the n-th results are of the n-th file.

        select  which of the rows are taken
        """
        from contextlib import ExitStack

        from faithkit import run
        from faithkit.cli import terminal
        from faithkit.cli.common import open_store
        from faithkit.evaluation import examples, scoring
        from faithkit.models.runtime import Runtime

        if self._results:
            return self._all_joined(outputs, columns, data_dir, stdin_format)
        with ExitStack() as stack:
            opened = [
                select(
                    stack.enter_context(
                        examples.open_pairs(
                            one, columns, data_dir=data_dir, stdin_format=stdin_format
                        )
                    )
                )
                for one in outputs
            ]
            for note in filter(None, (one.note for one in opened)):
                typer.echo(f"faithkit: {note}", err=True)
            tables = [one.table() for one in opened]
            check(tables)
            prepared = run.prepare(self._metrics, Runtime(self._device, self._dtype, self._offline))
            needs = frozenset[str]().union(*(one.metric.needs for one in prepared))
            opened = [one.with_fields(needs, columns) for one in opened]
            say_trained_on({one.label: one.trained_on for one in prepared}, outputs)
            store = stack.enter_context(open_store(*self._cache))
            total = sum(one.count for one in opened)
            progress = stack.enter_context(terminal.rows_progress(total))
            done = 0
            for one, table in zip(opened, tables, strict=True):
                table.columns = scoring.score_columns(
                    one, prepared, store, batch_size=self._batch_size,
                    progress=partial(_advance, progress, done),
                )  # fmt: skip
                done += one.count
            return tables

    def _all_joined(
        self, outputs: Sequence[str], columns: Columns, data_dir: str | None, stdin_format: str
    ) -> list[JudgedTable]:
        from faithkit.records import ConfigError

        if len(self._results) != len(outputs):
            raise ConfigError(
                f"--from is given {len(self._results)} times for {len(outputs)} files; give one "
                "for each, in their order"
            )
        found = [
            self._joined(one, [path], columns, data_dir, stdin_format)
            for one, path in zip(outputs, self._results, strict=True)
        ]
        if any(set(table.columns) != set(found[0].columns) for table in found):
            raise ConfigError(
                "the files of --from hold different metrics; choose some that all have with -m"
            )
        return found

    def _joined(
        self,
        pairs: str,
        results: Sequence[Path],
        columns: Columns,
        data_dir: str | None,
        stdin_format: str,
        select: Callable[[Pairs], Pairs] = lambda opened: opened,
    ) -> JudgedTable:
        from faithkit.evaluation import examples, scoring

        wanted = [spec.label for spec in self._metrics] or None
        for path in results:
            say_trained_on(scoring.trained_on_of(path), [pairs])
        opened = examples.open_pairs(pairs, columns, data_dir=data_dir, stdin_format=stdin_format)
        with opened as one:
            return scoring.join_results(select(one), results, wanted)


def _advance(tell: Callable[[int], None], before: int, rows: int) -> None:
    tell(before + rows)


def columns_of(
    source: str,
    summary: str,
    id: str,
    document: str,
    pair: str,
    system: str,
    label: str,
    rating: str,
    labels: str | None = None,
) -> Columns:
    from faithkit.files import Columns, parse_labels

    return Columns(
        source=source,
        summary=summary,
        id=id,
        document=document,
        pair=pair,
        system=system,
        label=label,
        rating=rating,
        labels=None if labels is None else parse_labels(labels),
    )


def one_of(option: str, given: str, allowed: Sequence[str]) -> None:
    from faithkit.records import ConfigError, did_you_mean

    if given not in allowed:
        raise ConfigError(f"{option} cannot be '{given}'.{did_you_mean(given, allowed)}")


def listed(text: str) -> list[str]:
    return [piece.strip() for piece in text.split(",") if piece.strip()]


def check_writable(*outputs: str | None, ending: str) -> None:
    """Refuses, before anything is scored, a place that cannot be written; the last is a plot."""
    from faithkit.records import ConfigError, DataError
    from faithkit.report import plots

    *records, plot = outputs
    for record in filter(None, records):
        if ending and Path(record).suffix.lower() != ending:
            raise ConfigError(f"{record}: this is written as {ending}")
    if plot:
        plots.check_ending(Path(plot))
    for path in filter(None, outputs):
        if not Path(path).absolute().parent.is_dir():
            raise DataError(f"cannot write {path}: there is no folder {Path(path).parent}")


def end_strict(table: JudgedTable, strict: bool, *more: JudgedTable) -> None:
    columns = [column for judged in (table, *more) for column in judged.columns.values()]
    missing = sum(column.incomplete() for column in columns)
    if strict and missing:
        typer.echo(f"faithkit: {missing} rows have no score (--strict)", err=True)
        sys.exit(INCOMPLETE)


def print_json(record: Mapping[str, Any] | Sequence[Any]) -> None:
    typer.echo(json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False))
