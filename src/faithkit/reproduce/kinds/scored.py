"""What several kinds share: the plan's datasets as judged tables, and its rows as their columns."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from faithkit import run
from faithkit.caveats import caveat_lines, marks
from faithkit.evaluation import examples
from faithkit.evaluation.bench.statistics import caveats_of
from faithkit.evaluation.judged import (
    JudgedRow,
    JudgedTable,
    MetricColumn,
    Numbers,
    judged_row,
    labels_of,
)
from faithkit.evaluation.scoring import score_columns
from faithkit.metrics.likelihood import recased
from faithkit.metrics.lss import similarities
from faithkit.metrics.spec import MetricSpec
from faithkit.records import ConfigError, DataError, Example, Outcome
from faithkit.reproduce.kinds import Setting
from faithkit.reproduce.plans import Plan
from faithkit.reproduce.recipes import DatasetUse, RowSpec
from faithkit.reproduce.tables import Filled

HUMAN = "human"
DERIVED = "no metric"
"""The signature of a column that no metric gave."""


@dataclass(slots=True)
class ReadTable:
    """A dataset's judged table, without columns, and its rows with their texts."""

    table: JudgedTable
    texts: list[Example]


def read_tables(plan: Plan, setting: Setting, filled: Filled) -> dict[str, ReadTable]:
    """The plan's datasets by key, each read once; notes how many rows of each are used. Raises
    ConfigError where two keys read one dataset in two ways, as results are named by it."""
    by_use: dict[DatasetUse, ReadTable] = {}
    tables = {}
    for key, use in plan.datasets.items():
        if use not in by_use:
            if use.name in filled.used:
                raise ConfigError(
                    f"{plan.recipe.name}: dataset '{key}' reads {use.name} in another way than an "
                    "earlier one; give it a filter of its own"
                )
            by_use[use] = _read(use, setting)
        tables[key] = by_use[use]
        rows = tables[key].table
        filled.used[use.name] = (len(rows.rows), len(set(rows.documents)))
    return tables


def _read(use: DatasetUse, setting: Setting) -> ReadTable:
    tasks, texts = examples.read(use.name, setting.data_dir, setting.limit_of(use.name))
    if use.recase:
        texts = [replace(e, summary=recased(e.summary, e.source), spans=()) for e in texts]
    rows = [judged_row(example) for example in texts]
    table = JudgedTable(use.name, rows, tasks=tasks)
    if use.consistent_from is not None:
        labels = labels_of(table, use.consistent_from)
        table.rows = [replace(row, label=label)
                      for row, label in zip(rows, labels, strict=True)]  # fmt: skip
        table.tasks = tuple(dict.fromkeys([*tasks, "detection"]))
    if use.parts:
        table.rows = [_with_part(row, example, use.parts)
                      for row, example in zip(table.rows, texts, strict=True)]  # fmt: skip
    return ReadTable(table, texts)


def _with_part(row: JudgedRow, example: Example, name: str) -> JudgedRow:
    value = field_of(example, name)
    return replace(row, subset=None if value is None else str(value), outside=False)


def field_of(example: Example, name: str) -> Any:
    """A field of an example, or of its meta; `published.DAE_score` is one inside another."""
    if hasattr(example, name):
        return getattr(example, name)
    value: Any = example.meta
    for piece in name.split("."):
        value = value.get(piece) if isinstance(value, dict) else None
    return value


def score_tables(
    plan: Plan, setting: Setting, tables: dict[str, ReadTable], filled: Filled
) -> None:
    """Adds to each table a column for every row of the recipe that has values, by its title."""
    scored_rows = [row for row in plan.recipe.rows if row.title in plan.metrics]
    labels = {row.title: MetricSpec.parse(plan.metrics[row.title]).label for row in scored_rows}
    plain = dict.fromkeys(plan.metrics[row.title] for row in scored_rows if not row.lss)
    prepared = run.prepare(list(plain), setting.runtime) if plain else []
    for read in {id(read): read for read in tables.values()}.values():
        name = read.table.name
        tell = _progress(setting, name, len(read.texts))
        scored = score_columns(read.texts, prepared, setting.store, progress=tell)
        columns = {}
        for row in plan.recipe.rows:
            if row.lss and row.title in plan.metrics:
                column = _lss_column(row, plan, read, setting)
            elif row.title in labels:
                column = replace(scored[labels[row.title]], label=row.title)
            elif (derived := _derived(row, read, setting.seed)) is not None:
                column = derived
            else:
                if row.field:
                    filled.notes.append(f"{row.title}: no row of {name} has '{row.field}'.")
                continue
            columns[row.title] = column
            if column.signature != DERIVED:
                filled.signatures[row.title] = column.signature
                filled.notes += _unscored(row.title, name, column)
        read.table.columns = columns


def _unscored(title: str, dataset: str, column: MetricColumn) -> list[str]:
    """A line with the outcomes of the rows without a score, where there are some."""
    missing = column.missing()
    if not missing:
        return []
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(missing.items()))
    share = f"{sum(missing.values())} of {len(column.values)}"
    return [f"{title} on {dataset}: {share} rows without a score ({counts})."]


def note_caveats(tables: dict[str, ReadTable], filled: Filled) -> None:
    """Adds the footnotes of texts that were cut and of metrics trained on a release that is used
    (`judgements` has those of `bench`)."""
    filled.notes += caveat_lines([
        (label, table.name, caveats_of(table, column))
        for table in {id(read): read.table for read in tables.values()}.values()
        for label, column in table.columns.items()
    ])  # fmt: skip


def marks_of(table: JudgedTable, label: str) -> str:
    """The marks of a metric's figures on a dataset."""
    return marks(caveats_of(table, table.columns[label]))


def _progress(setting: Setting, name: str, size: int) -> Callable[[int], None]:
    return lambda done: setting.progress(name, done, size)


def derived_column(title: str, values: Sequence[float | None]) -> MetricColumn:
    """Values that no metric of this run gave, as a column."""
    outcomes = [Outcome.OK if value is not None else Outcome.NO_CONTENT for value in values]
    return MetricColumn(title, DERIVED, "", tuple(values), tuple(map(str, outcomes)))


def _derived(row: RowSpec, read: ReadTable, seed: int) -> MetricColumn | None:
    values: Numbers
    if row.field:
        values = [_number(example, row.field) for example in read.texts]
        if not any(value is not None for value in values):
            return None
    elif row.constant is not None:
        values = [row.constant] * len(read.texts)
    elif row.random:
        generator = random.Random(seed)
        values = [generator.random() for _ in read.texts]
    else:
        return None
    return derived_column(row.title, values)


def _number(example: Example, name: str) -> float | None:
    value = field_of(example, name)
    if value is None or value == "":
        return None
    if isinstance(value, list) and value and all(isinstance(item, int | float) for item in value):
        return float(min(value))  # of sentences, the least supported
    try:
        return float(value)
    except (TypeError, ValueError):
        raise DataError(
            f"row '{example.id}', field '{name}': expected a number, found {value!r}"
        ) from None


def _lss_column(row: RowSpec, plan: Plan, read: ReadTable, setting: Setting) -> MetricColumn:
    """The metric between each claim and its longest supported subsequence; of annotators' the mean
    over them."""
    (prepared,) = run.prepare(plan.metrics[row.title], setting.runtime)
    trained_on = prepared.trained_on
    if row.lss == HUMAN:
        written = [human_texts(example) for example in read.texts]
    else:
        generator = run.prepare(plan.generators[row.title], setting.runtime)
        written = _generated(generator, read, setting)
        trained_on = trained_on.union(*(metric.trained_on for metric in generator))
    numbered = [(number, text) for number, texts in enumerate(written) for text in texts]
    if not numbered:
        raise DataError(f"{read.table.name}: no row has 'annotations' with an LSS")
    claims = [read.texts[number].summary for number, _ in numbered]
    texts = [text for _, text in numbered]
    summaries, sources = (claims, texts) if row.lss_as_source else (texts, claims)
    values = similarities(prepared.metric, summaries, sources)
    by_row: dict[int, list[float]] = {}
    for (number, _), value in zip(numbered, values, strict=True):
        if value is not None:
            by_row.setdefault(number, []).append(value)
    means = [
        sum(by_row[number]) / len(by_row[number]) if number in by_row else None
        for number in range(len(read.texts))
    ]
    return replace(
        derived_column(row.title, means),
        signature=prepared.signature.short,
        trained_on=tuple(sorted(trained_on)),
    )


def _generated(
    prepared: Sequence[run.Prepared], read: ReadTable, setting: Setting
) -> list[list[str]]:
    """The LSS that the generator of an lss_* metric writes for each row; none where it cannot."""
    batches = run.scored_batches(prepared, read.texts, setting.store)
    scores = [row[0] for _, rows in batches for row in rows]
    return [[str(score.texts["lss"])] if "lss" in score.texts else [] for score in scores]


def human_texts(example: Example) -> list[str]:
    """The longest supported subsequence that each annotator made of the claim."""
    annotations = example.meta.get("annotations") or []
    return [str(item["lss"]) for item in annotations if isinstance(item, dict) and "lss" in item]
