"""The metrics' columns of a judged table: scored now, or joined by id with saved scores."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from faithkit import files, manifests, run
from faithkit.cache import Cache
from faithkit.evaluation.examples import Pairs
from faithkit.evaluation.judged import NO_SCORE, JudgedTable, MetricColumn
from faithkit.metrics import loading
from faithkit.metrics.spec import MetricSpec
from faithkit.records import (
    ConfigError,
    Coverage,
    DataError,
    Example,
    Score,
    Signature,
    did_you_mean,
)


def score_columns(
    examples: Iterable[Example],
    prepared: Sequence[run.Prepared],
    store: Cache,
    *,
    batch_size: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, MetricColumn]:
    """A column for each metric, reusing what the cache has. Spans and evidence are let go.

    All metrics see a batch before the next one is begun, so those that share a model share its
    passes, and a run that is stopped has lost one batch.
    """
    if not prepared:
        return {}
    scores: list[list[Score]] = [[] for _ in prepared]
    batches = run.scored_batches(
        prepared, examples, store, batch_size=batch_size, progress=progress
    )
    for _, rows in batches:
        for row in rows:
            for column, score in zip(scores, row, strict=True):
                column.append(_slim(score))
    return {
        metric.label: _column(
            metric.label,
            column,
            metric.signature,
            unit=metric.metric.unit,
            consistent_from=metric.metric.verdict_from(metric.signature.options),
            trained_on=metric.trained_on,
        )
        for metric, column in zip(prepared, scores, strict=True)
    }


def join_results(
    pairs: Pairs, results: Sequence[Path], wanted: Sequence[str] | None = None
) -> JudgedTable:
    """The pairs with the scores that `faithkit score -o` wrote, joined by id. Scores nothing.

    wanted  the metrics' labels; None takes all there are
    Raises DataError where the results are of other pairs, or as `join_columns`; ConfigError on a
    metric they do not have. A pair without a row is counted as unscored.
    """
    table = pairs.table()
    for path in results:
        _check_same_pairs(path, pairs)
    columns = join_columns(table.ids, results)
    shown = ", ".join(map(str, results))
    if not any(column.missing().get(NO_SCORE, 0) < len(table.rows) for column in columns.values()):
        raise DataError(f"{shown}: no row has an id of {pairs.name}; were other pairs scored?")
    for label in wanted or ():
        if label not in columns:
            raise ConfigError(f"{shown}: no rows of '{label}'.{did_you_mean(label, columns)}")
    table.columns = {label: columns[label] for label in wanted or columns}
    return table


def join_columns(
    ids: Sequence[str], results: Sequence[Path], *, complete: bool = False
) -> dict[str, MetricColumn]:
    """The columns of files that `faithkit score -o` wrote, in the order of `ids`.

    What the metrics were trained on is in the manifests beside them, if these are still there.

    complete  whether every row must have a score of every metric
    Raises DataError where the results hold a row twice or under two signatures, or lack one.
    """
    scores: dict[str, dict[str, Score]] = {}
    signatures: dict[str, Signature | None] = {}
    trained_on: dict[str, list[str]] = {}
    for path in results:
        trained_on |= trained_on_of(path)
        for score in files.score_lines(path):
            by_id = scores.setdefault(score.metric, {})
            if score.id in by_id:
                raise DataError(f"{path}: two rows of {score.metric} for '{score.id}'")
            if signatures.setdefault(score.metric, score.signature) != score.signature:
                raise DataError(
                    f"{path}: the rows of {score.metric} have two signatures, so they are numbers "
                    "of two different settings; score all pairs with one"
                )
            by_id[score.id] = dataclasses.replace(_slim(score), signature=None)
    columns = {}
    for label, by_id in scores.items():
        absent = [identity for identity in ids if identity not in by_id]
        if complete and absent:
            raise DataError(
                f"{', '.join(map(str, results))}: {label} has no score for {len(absent)} of "
                f"{len(ids)} rows, the first '{absent[0]}'; were other rows scored?"
            )
        columns[label] = _column(
            label,
            [by_id.get(identity) for identity in ids],
            signatures[label],
            consistent_from=_verdict_from(label, signatures[label]),
            trained_on=trained_on.get(label),
        )
    return columns


def trained_on_of(path: Path) -> dict[str, list[str]]:
    """The training data of each metric by the manifest beside a file that `faithkit score -o`
    wrote; empty without a manifest, and without the metrics that it does not name."""
    manifest = manifests.manifest_of(path)
    try:
        trained_on = json.loads(manifest.read_text(encoding="utf-8")).get("trained_on")
    except (OSError, ValueError, AttributeError):
        return {}
    return trained_on if isinstance(trained_on, dict) else {}


def _slim(score: Score) -> Score:
    return dataclasses.replace(score, spans=(), evidence=())


def _column(
    label: str,
    scores: Sequence[Score | None],
    signature: Signature | None,
    *,
    consistent_from: float | None,
    trained_on: Iterable[str] | None,
    unit: str = "",
) -> MetricColumn:
    """Scores as a column.

    consistent_from  the value from which the metric gives the verdict "consistent", where its parts
                     hold no verdict
    """
    return MetricColumn(
        label,
        signature.short if signature else label,
        unit,
        tuple(None if score is None else score.value for score in scores),
        tuple(NO_SCORE if score is None else str(score.outcome) for score in scores),
        tuple(_verdict(score, consistent_from) for score in scores),
        tuple({} if score is None else dict(score.parts) for score in scores),
        tuple(Coverage() if score is None else score.coverage for score in scores),
        None if trained_on is None else tuple(sorted(trained_on)),
        signature,
    )


def _verdict(score: Score | None, consistent_from: float | None) -> float | None:
    if score is None:
        return None
    if "verdict" in score.parts:
        return score.parts["verdict"]
    if consistent_from is None or score.value is None:
        return None
    return float(score.value >= consistent_from)


def _verdict_from(label: str, signature: Signature | None) -> float | None:
    """`Metric.verdict_from` of the metric that gave saved scores; None where it is unknown."""
    if signature is None:
        return None
    try:
        return loading.class_of(MetricSpec.parse(label)).verdict_from(signature.options)
    except ConfigError:
        return None


def _check_same_pairs(path: Path, pairs: Pairs) -> None:
    """Row numbers fit any file, so where ids are only that, the manifest must name this file."""
    manifest = manifests.manifest_of(path)
    if pairs.sha256 is None or not manifest.is_file():
        return
    count = 0
    for count, example in enumerate(pairs.examples, start=1):
        if example.id != str(count):
            return
    try:
        scored = json.loads(manifest.read_text(encoding="utf-8"))["input"]
        # A run into a folder has hashed its shards, not the whole.
        whole = "sha256" in scored
        same = scored["sha256"] == pairs.sha256 if whole else scored["rows"] == count
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{manifest}: not the manifest of a run ({error})") from error
    if not same:
        raise DataError(
            f"{path} holds scores of {scored.get('path')}, whose texts are not those of "
            f"{pairs.name}; the rows have no ids to join them by"
        )
