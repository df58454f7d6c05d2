"""Saved scores joined by id with the rows of a judged table, in few bytes a row.

Rows are read one by one; what is kept of each is its value, outcome, parts and counts, in arrays.
Scores made now: `scoring.py`.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from faithkit import files, manifests
from faithkit.evaluation.examples import Pairs
from faithkit.evaluation.judged import (
    NO_SCORE,
    CoverageColumn,
    JudgedTable,
    MetricColumn,
    PartsColumn,
)
from faithkit.evaluation.scored_texts import check_scored_texts
from faithkit.meta.columns import CodedColumn, FloatColumn
from faithkit.metrics import loading
from faithkit.metrics.spec import MetricSpec
from faithkit.records import ConfigError, DataError, Score, Signature, did_you_mean


def join_results(
    pairs: Pairs, results: Sequence[Path], wanted: Sequence[str] | None = None
) -> JudgedTable:
    """The pairs with the scores that `faithkit score -o` wrote, joined by id. Scores nothing.

    wanted  the metrics' labels; None takes all there are
    Raises DataError where the results are of other pairs, or as `join_columns`; ConfigError on a
    metric they do not have. A pair without a row is counted as unscored.
    """
    table = pairs.table()
    columns = join_columns(table, pairs, results)
    shown = ", ".join(map(str, results))
    if not any(column.missing().get(NO_SCORE, 0) < len(table.rows) for column in columns.values()):
        raise DataError(f"{shown}: no row has an id of {pairs.name}; were other pairs scored?")
    for label in wanted or ():
        if label not in columns:
            raise ConfigError(f"{shown}: no rows of '{label}'.{did_you_mean(label, columns)}")
    table.columns = {label: columns[label] for label in wanted or columns}
    return table


def join_columns(
    table: JudgedTable, pairs: Pairs | None, results: Sequence[Path], *, complete: bool = False
) -> dict[str, MetricColumn]:
    """The columns of files that `faithkit score -o` wrote, in the order of the table's rows.

    What the metrics were trained on is in the manifests beside them, if these are still there.

    pairs     the file that the rows are of; None: they are of a dataset
    complete  whether every row must have a score of every metric
    Rows of other ids are passed over. Raises DataError as `check_scored_texts`, and where the
    results hold a row twice or under two signatures, or lack one.
    """
    ids = table.ids
    if pairs is not None:
        for path in results:
            check_scored_texts(path, pairs)
    joined: dict[str, _Joined] = {}
    trained_on: dict[str, list[str]] = {}
    index = _RowIndex(ids)
    for path in results:
        trained_on |= trained_on_of(path)
        for score in files.score_lines(path):
            of_metric = joined.get(score.metric)
            if of_metric is None:
                of_metric = joined[score.metric] = _Joined(len(ids), score.signature)
            if of_metric.signature != score.signature:
                raise DataError(
                    f"{path}: the rows of {score.metric} have two signatures, so they are numbers "
                    "of two different settings; score all pairs with one"
                )
            row = index.row_of(score.id, of_metric.next)
            if row is None:
                continue
            if not of_metric.put(row, score):
                raise DataError(f"{path}: two rows of {score.metric} for '{score.id}'")
    columns = {}
    for label, of_metric in joined.items():
        absent = of_metric.absent()
        if complete and len(absent):
            raise DataError(
                f"{', '.join(map(str, results))}: {label} has no score for {len(absent)} of "
                f"{len(ids)} rows, the first '{ids[int(absent[0])]}'; were other rows scored?"
            )
        columns[label] = of_metric.column(label, trained_on.get(label))
    return columns


class _RowIndex:
    """Finds the row of an id in a table. Scores are mostly in the order of the table; an index of
    16 bytes a row is made only if they are not."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._ids = ids
        self._index: tuple[NDArray[Any], NDArray[Any]] | None = None

    def row_of(self, identity: str, expected: int) -> int | None:
        """The row of the id; None if the table does not have it. expected: the most likely row."""
        if expected < len(self._ids) and self._ids[expected] == identity:
            return expected
        hashes, rows = self._hashes()
        searched = np.uint64(files.short_hash(identity))
        for position in range(int(np.searchsorted(hashes, searched)), len(hashes)):
            if hashes[position] != searched:
                break
            if self._ids[int(rows[position])] == identity:
                return int(rows[position])
        return None

    def _hashes(self) -> tuple[NDArray[Any], NDArray[Any]]:
        if self._index is None:
            digests = array("Q", map(files.short_hash, self._ids))
            hashes = np.frombuffer(digests, dtype=np.uint64)
            rows = np.argsort(hashes, kind="stable")
            self._index = hashes[rows], rows
        return self._index


class _Joined:
    """The scores of one metric at the rows of a table; a column of parts or of counts is made when
    the first row has one."""

    def __init__(self, rows: int, signature: Signature | None) -> None:
        self.signature = signature
        self.next = 0
        """The row after the one that was put last."""
        self._rows = rows
        self._values = np.full(rows, np.nan)
        self._outcomes: dict[str, int] = {NO_SCORE: 0}
        self._codes = np.zeros(rows, dtype=np.uint8)
        self._parts: dict[str, NDArray[np.float64]] = {}
        self._counts: dict[str, NDArray[np.int32]] = {}

    def put(self, row: int, score: Score) -> bool:
        """False where the row has a score already."""
        self.next = row + 1
        if self._codes[row]:
            return False
        self._codes[row] = self._outcomes.setdefault(str(score.outcome), len(self._outcomes))
        if score.value is not None:
            self._values[row] = score.value
        for name, part in score.parts.items():
            if name not in self._parts:
                self._parts[name] = np.full(self._rows, np.nan)
            self._parts[name][row] = part
        for name, count in score.coverage.counts().items():
            if name not in self._counts:
                self._counts[name] = np.zeros(self._rows, dtype=np.int32)
            self._counts[name][row] = count
        return True

    def absent(self) -> NDArray[Any]:
        """The rows without a score."""
        return np.flatnonzero(self._codes == 0)

    def column(self, label: str, trained_on: Sequence[str] | None) -> MetricColumn:
        """The column; unit and range of saved scores are not known."""
        return MetricColumn(
            label,
            self.signature.short if self.signature else label,
            "",
            FloatColumn(self._values),
            CodedColumn(self._codes, list(self._outcomes)),
            FloatColumn(self._verdicts(_verdict_from(label, self.signature))),
            PartsColumn(
                {name: FloatColumn(part) for name, part in self._parts.items()}, self._rows
            ),
            CoverageColumn(self._counts, self._rows),
            None if trained_on is None else tuple(sorted(trained_on)),
            self.signature,
        )

    def _verdicts(self, consistent_from: float | None) -> NDArray[np.float64]:
        """The metric's own verdicts; without any, the values compared with the threshold that the
        metric declares."""
        given = self._parts.get("verdict", np.full(self._rows, np.nan))
        if consistent_from is None:
            return given
        by_value = np.where(np.isnan(self._values), np.nan, self._values >= consistent_from)
        return np.where(np.isnan(given), by_value, given)


def trained_on_of(path: Path) -> dict[str, list[str]]:
    """The training data of each metric by the manifest beside a file that `faithkit score -o`
    wrote; empty without a manifest, and without the metrics that it does not name."""
    manifest = manifests.manifest_of(path)
    try:
        trained_on = json.loads(manifest.read_text(encoding="utf-8")).get("trained_on")
    except (OSError, ValueError, AttributeError):
        return {}
    return trained_on if isinstance(trained_on, dict) else {}


def _verdict_from(label: str, signature: Signature | None) -> float | None:
    """`Metric.verdict_from` of the metric that gave saved scores; None where it is unknown."""
    if signature is None:
        return None
    try:
        return loading.class_of(MetricSpec.parse(label)).verdict_from(signature.options)
    except ConfigError:
        return None
