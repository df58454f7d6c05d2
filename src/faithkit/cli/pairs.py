"""What the commands over judged pairs share: their rows, and where the scores come from."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faithkit.cli.common import INCOMPLETE, rows_have, warn_trained_on
from faithkit.cli.options import (
    BatchOption,
    CacheOptions,
    ColumnOptions,
    DataOption,
    OneMetricOption,
    RuntimeOptions,
    SavedMetricOption,
    SeveralMetricsOption,
)

if TYPE_CHECKING:
    from faithkit.columns import Columns
    from faithkit.evaluation.examples import Pairs
    from faithkit.evaluation.judged import JudgedTable
    from faithkit.metrics.spec import MetricSpec

Selection = Callable[["Pairs"], "Pairs"]


@dataclass(frozen=True)
class PairsOptions(ColumnOptions):
    """Files of pairs and datasets."""

    data_dir: DataOption = None

    def open(self, pairs: str, columns: Columns) -> AbstractContextManager[Pairs]:
        from faithkit.evaluation import examples

        return examples.open_pairs(
            pairs, columns, data_dir=self.data_dir, stdin_format=self.input_format
        )


@dataclass(frozen=True)
class ScoreOptions(RuntimeOptions, CacheOptions):
    """Where the scores come from: metrics to run, or files that an earlier run wrote."""

    metric: SavedMetricOption = None
    results: Annotated[
        list[str] | None,
        typer.Option(
            "--from", help="Rows that `faithkit score -o` wrote, joined by id; nothing is scored."
        ),
    ] = None
    batch_size: BatchOption = None

    def specs(self) -> list[MetricSpec]:
        from faithkit.metrics.spec import MetricSpec

        return [MetricSpec.parse(text) for text in self.metric or ()]

    def check(self, least: int = 0, most: int | None = None) -> None:
        """Refuses another number of metrics before any is run."""
        from faithkit.records import ConfigError

        if not self.metric and not self.results:
            raise ConfigError("name a metric with -m, or saved scores with --from")
        metrics = [spec.label for spec in self.specs()]
        if metrics and (len(metrics) < least or len(metrics) > (most or len(metrics))):
            expected = f"{least} metrics or more" if most is None else "one metric"
            raise ConfigError(f"this needs {expected}, found {len(metrics)}: {', '.join(metrics)}")

    def table(
        self,
        pairs: str,
        source: PairsOptions,
        columns: Columns,
        check: Callable[[JudgedTable], object],
        all_rows: bool = False,
    ) -> JudgedTable:
        """One file or dataset with its scores; all results files are of it.

        check     raises where the judgements cannot serve; called before anything is scored
        all_rows  whether the rows outside the validation split are taken too
        """
        from faithkit.evaluation import examples

        select = _all_rows if all_rows else examples.validation_rows
        if self.results:
            return self._joined(pairs, self.results, source, columns, select)
        return self._scored([pairs], source, columns, lambda tables: check(tables[0]), select)[0]

    def tables(
        self,
        outputs: Sequence[str],
        source: PairsOptions,
        columns: Columns,
        check: Callable[[list[JudgedTable]], object],
    ) -> list[JudgedTable]:
        """Each file with its scores; with saved ones, the n-th results are of the n-th file."""
        from faithkit.records import ConfigError

        if not self.results:
            return self._scored(outputs, source, columns, check, _all_rows)
        if len(self.results) != len(outputs):
            raise ConfigError(
                "give one --from for each file of pairs, in their order; found "
                f"{len(self.results)} for {len(outputs)}"
            )
        tables = [
            self._joined(pairs, [path], source, columns, _all_rows)
            for pairs, path in zip(outputs, self.results, strict=True)
        ]
        if any(set(table.columns) != set(tables[0].columns) for table in tables):
            raise ConfigError(
                "the files of --from hold different metrics; choose some that all have with -m"
            )
        return tables

    def _scored(
        self,
        outputs: Sequence[str],
        source: PairsOptions,
        columns: Columns,
        check: Callable[[list[JudgedTable]], object],
        select: Selection,
    ) -> list[JudgedTable]:
        from faithkit import run
        from faithkit.cli import terminal
        from faithkit.evaluation import scoring

        with ExitStack() as stack:
            opened = [select(stack.enter_context(source.open(pairs, columns))) for pairs in outputs]
            for note in filter(None, (pairs.note for pairs in opened)):
                typer.echo(f"faithkit: {note}", err=True)
            tables = [pairs.table() for pairs in opened]
            check(tables)
            prepared = run.prepare(self.specs(), self.record())
            needs = frozenset[str]().union(*(scorer.metric.needs for scorer in prepared))
            opened = [pairs.with_fields(needs, columns) for pairs in opened]
            warn_trained_on({scorer.label: scorer.trained_on for scorer in prepared}, outputs)
            store = stack.enter_context(self.open())
            total = sum(pairs.count for pairs in opened)
            progress = stack.enter_context(terminal.rows_progress(total))
            done = 0
            for pairs, table in zip(opened, tables, strict=True):
                report = partial(_advance, progress, done)
                table.columns = scoring.score_columns(
                    pairs, prepared, store, batch_size=self.batch_size, progress=report
                )
                done += pairs.count
            return tables

    def _joined(
        self,
        pairs: str,
        results: Sequence[str],
        source: PairsOptions,
        columns: Columns,
        select: Selection,
    ) -> JudgedTable:
        from faithkit.evaluation import joining

        labels = [spec.label for spec in self.specs()] or None
        paths = list(map(Path, results))
        for path in paths:
            warn_trained_on(joining.trained_on_of(path), [pairs])
        with source.open(pairs, columns) as opened:
            return joining.join_results(select(opened), paths, labels)


@dataclass(frozen=True)
class ScoreOptionsOfOne(ScoreOptions):
    """Where the scores of one metric come from."""

    metric: OneMetricOption = None


@dataclass(frozen=True)
class ScoreOptionsOfSeveral(ScoreOptions):
    """Where the scores of two metrics or more come from."""

    metric: SeveralMetricsOption = None


def _all_rows(pairs: Pairs) -> Pairs:
    return pairs


def _advance(report: Callable[[int], None], before: int, rows: int) -> None:
    report(before + rows)


def end_strict(strict: bool, *tables: JudgedTable) -> None:
    """Exits with 3 where rows have no score and --strict was given."""
    missing = sum(column.incomplete() for table in tables for column in table.columns.values())
    if strict and missing:
        typer.echo(f"faithkit: {rows_have(missing)} no score (--strict)", err=True)
        sys.exit(INCOMPLETE)
