"""Saved scores joined with the pairs that they are of, row by row, for the page and the app.

A run leaves scores without texts; its manifest says which file of pairs was scored, and how its
columns were read. Several files of scores of the same pairs become columns side by side; those of
other pairs (another system's outputs) become further rows. Rows are streamed: both files are in the
same order, that of the pairs.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faithkit import files, manifests
from faithkit.columns import FIELDS, Columns
from faithkit.evaluation.joining import trained_on_of
from faithkit.metrics import loading
from faithkit.metrics.registry import packaged
from faithkit.metrics.spec import MetricSpec
from faithkit.records import JSON, DataError, Example, Score, Signature
from faithkit.report.views import ShownMetric


@dataclass(frozen=True, slots=True)
class SavedScores:
    """A file that `faithkit score -o` wrote.

    rows      the pairs that it scores
    names     by the label of a metric in the file, the label it is shown by
    finished  when the run ended; "" if unknown
    unfinished  what is said of a run that has not ended; "" if it has
    """

    path: Path
    rows: files.Rows
    signatures: Mapping[str, Signature | None]
    names: Mapping[str, str]
    finished: str = ""
    unfinished: str = ""


class Results:
    """Rows with their scores, from one or more files: walked with `for example, scores in ...`.

    metrics  all that occur, in the order of the files
    """

    def __init__(self, saved: Sequence[SavedScores]) -> None:
        self.metrics = _metrics(saved)
        self._by_pairs: dict[str, list[SavedScores]] = {}
        for scores in saved:
            self._by_pairs.setdefault(scores.rows.sha256, []).append(scores)
        self._shown: Counter[str] = Counter()

    def __iter__(self) -> Iterator[tuple[Example, list[Score]]]:
        """Raises DataError where scores are not of these pairs."""
        self._shown.clear()
        for digest, saved in self._by_pairs.items():
            rows = saved[0].rows
            for example, scores in joined(rows, [(file.path, file.names) for file in saved]):
                self._shown[digest] += 1
                if len(self._by_pairs) > 1 and not (example.system or example.meta.get("system")):
                    example = dataclasses.replace(example, system=rows.path.stem)
                yield example, scores

    def files(self) -> list[dict[str, JSON]]:
        """What the rows came from, after they were walked: by file of pairs `pairs`, `scores` (its
        files of scores), `rows` that were shown, `unscored` ones that were not, `finished`, and of
        runs that have not ended what is said of them."""
        return [
            {
                "pairs": saved[0].rows.path.name,
                "scores": [file.path.name for file in saved],
                "rows": self._shown[digest],
                "unscored": saved[0].rows.count - self._shown[digest],
                "finished": max(file.finished for file in saved),
                "unfinished": [
                    f"{file.path.name}: {file.unfinished}." for file in saved if file.unfinished
                ],
            }
            for digest, saved in self._by_pairs.items()
        ]


def open_results(
    paths: Sequence[Path], pairs: Path | None = None, columns: Columns | None = None
) -> Results:
    """Saved scores with their pairs, checked but for the rows themselves.

    pairs    the file that was scored; None: the one that each manifest names
    columns  what its columns hold; None: as the manifest says, else their default names
    Raises DataError where a file or its pairs are missing or the pairs have changed since, or two
    files hold the same scores.
    """
    opened = []
    for path in paths:
        unfinished = manifests.unfinished(path)
        manifest = _manifest(path)
        described = manifest.get("input") or {}
        rows = _pairs(pairs or _named_pairs(path, described), columns or _columns(described))
        if described.get("sha256") not in (None, rows.sha256):
            raise DataError(
                f"{path}: its scores are not of {rows.path} as it is now; it was changed since, or "
                "its columns are read differently. Score it again, or name the file that was "
                "scored with --pairs"
            )
        signatures = _signatures(path, manifest)
        finished = str(manifest.get("finished") or "")
        opened.append(SavedScores(path, rows, signatures, {}, finished, unfinished))
    names = _names(opened)
    return Results(
        [
            dataclasses.replace(saved, names=shown)
            for saved, shown in zip(opened, names, strict=True)
        ]
    )


def joined(
    rows: files.Rows, saved: Sequence[tuple[Path, Mapping[str, str]]]
) -> Iterator[tuple[Example, list[Score]]]:
    """Each example that has a score, with its scores.

    saved  files of scores, each with the labels that its metrics are shown by (those that are not
           named keep theirs)
    Raises DataError where a file has a row that is not among the pairs, or in another order.
    """
    readers = [_InOrder(path, names) for path, names in saved]
    for example in rows:
        scores = [score for reader in readers for score in reader.of(example.id)]
        if scores:
            yield example, scores
    for reader in readers:
        reader.check_ended(rows.path)


class _InOrder:
    """The scores of a file, to be requested in the order of the file."""

    def __init__(self, path: Path, names: Mapping[str, str]) -> None:
        self._path = path
        self._names = names
        self._scores = files.score_lines(path)
        self._next = next(self._scores, None)

    def of(self, identity: str) -> list[Score]:
        scores: list[Score] = []
        while self._next is not None and self._next.id == identity:
            label = self._names.get(self._next.metric, self._next.metric)
            if any(score.metric == label for score in scores):
                raise DataError(f"{self._path}: two rows of {self._next.metric} for '{identity}'")
            scores.append(dataclasses.replace(self._next, metric=label))
            self._next = next(self._scores, None)
        return scores

    def check_ended(self, pairs: Path) -> None:
        if self._next is not None:
            raise DataError(
                f"{self._path}: the row '{self._next.id}' is not in {pairs}, or not in the same "
                "order; rows of scores stay in the order of the pairs"
            )


def _metrics(saved: Sequence[SavedScores]) -> list[ShownMetric]:
    shown: dict[str, ShownMetric] = {}
    for scores in saved:
        for metric in metrics_of(scores.path, scores.signatures, scores.names):
            shown.setdefault(metric.label, metric)
    return list(shown.values())


def metrics_of(
    path: Path, signatures: Mapping[str, Signature | None], names: Mapping[str, str] | None = None
) -> list[ShownMetric]:
    """The metrics of saved scores as the page shows them.

    names  by label, what each is shown by; those that are not named keep their label
    """
    trained_on = trained_on_of(path)
    return [
        _declared(
            ShownMetric(
                (names or {}).get(label, label),
                signature=signature,
                trained_on=tuple(trained_on[label]) if label in trained_on else None,
            )
        )
        for label, signature in signatures.items()
    ]


def _declared(metric: ShownMetric) -> ShownMetric:
    """With what a metric of the package declares. Another's class is not loaded to show a file: its
    unit is unknown, and its range is what occurs."""
    if metric.signature is None or metric.signature.metric not in packaged():
        return metric
    declared = loading.class_of(MetricSpec.parse(metric.signature.metric))
    bounds = getattr(declared, "bounds", None)
    return dataclasses.replace(
        metric,
        unit=declared.unit if isinstance(getattr(declared, "unit", None), str) else "",
        bounds=bounds if isinstance(bounds, tuple) else None,
    )


def _names(opened: Sequence[SavedScores]) -> list[dict[str, str]]:
    """For each file, the labels by which its metrics are shown: the metric's own label, followed by
    the file's name if two signatures have the same label."""
    by_label: dict[str, set[str]] = {}
    for saved in opened:
        for label, signature in saved.signatures.items():
            by_label.setdefault(label, set()).add(_digest(signature))
    seen: dict[tuple[str, str, str], Path] = {}
    names = []
    for saved in opened:
        shown = {}
        for label, signature in saved.signatures.items():
            key = (saved.rows.sha256, label, _digest(signature))
            if key in seen:
                raise DataError(
                    f"{seen[key]} and {saved.path} both hold the scores of {label}, with the same "
                    "signature and of the same pairs; give one of them"
                )
            seen[key] = saved.path
            alone = len(by_label[label]) == 1
            shown[label] = label if alone else f"{label} ({saved.path.stem})"
        names.append(shown)
    return names


def _digest(signature: Signature | None) -> str:
    return signature.digest if signature else ""


def _manifest(path: Path) -> dict[str, Any]:
    try:
        text = path.with_name(f"{path.name}.manifest.json").read_text(encoding="utf-8")
        manifest = json.loads(text)
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _signatures(path: Path, manifest: Mapping[str, Any]) -> dict[str, Signature | None]:
    """The signature of each metric by label, from the manifest, or from the rows if there is
    none."""
    try:
        named = manifest["metrics"]
        return {label: Signature(**signature) for label, signature in named.items()}
    except (KeyError, TypeError, AttributeError):
        pass
    signatures: dict[str, Signature | None] = {}
    for score in files.score_lines(path):
        if signatures.setdefault(score.metric, score.signature) != score.signature:
            raise DataError(
                f"{path}: the rows of {score.metric} have two signatures, so they are numbers of "
                "two different settings; score all pairs with one"
            )
    if not signatures:
        raise DataError(f"{path}: it has no rows")
    return signatures


def _named_pairs(path: Path, described: Mapping[str, Any]) -> Path:
    """The file of pairs that a manifest names: as it was given, or beside the scores."""
    if not described.get("path"):
        raise DataError(
            f"{path}: there is no manifest beside it that names the file of pairs; name it with "
            "--pairs"
        )
    pairs = manifests.input_of(path, described["path"])
    if pairs is None:
        raise DataError(
            f"{path}: the file that was scored, {described['path']}, is not there; say where it is "
            "with --pairs"
        )
    return pairs


def _pairs(pairs: Path, columns: Columns) -> files.Rows:
    with files.open_pairs(str(pairs), columns) as rows:
        return rows


def _columns(described: Mapping[str, Any]) -> Columns:
    """The columns as the run read them."""
    named = described.get("columns")
    if not isinstance(named, dict):
        return Columns()
    labels = described.get("labels")
    return dataclasses.replace(
        Columns(),
        labels=labels if isinstance(labels, dict) else None,
        **{field: name for field, name in named.items() if field in FIELDS},
    )
