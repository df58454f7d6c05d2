"""The scores of a folder of shards with the rows that they are of, shard by shard, for pages.

Each shard's scores are joined with its part of the input files, which are checked again as they are
read. `evaluation/results.py` does the same for files of scores.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from faithkit import files, manifests
from faithkit.columns import Columns
from faithkit.evaluation.results import metrics_of
from faithkit.records import JSON, DataError, Example, Score, Signature
from faithkit.report.views import ShownMetric
from faithkit.scale.plan import Plan, files_of, read_plan


@dataclass(slots=True)
class FolderResults:
    """Rows with their scores: walked with `for example, scores in ...`, in the order of the input.

    pairs     what was scored, in words
    finished  when the run ended
    """

    folder: Path
    plan: Plan
    columns: Columns
    metrics: list[ShownMetric]
    pairs: str
    finished: str

    def __iter__(self) -> Iterator[tuple[Example, list[Score]]]:
        """Raises DataError where the input was changed since, or scores are not of its rows."""
        labels = list(self.plan.metrics)
        for shard, path in zip(self.plan.shards, manifests.shards_of(self.folder), strict=True):
            scores = files.score_lines(path)
            for example in shard.read(self.columns, self.plan.needs, self.plan.by_system):
                row = list(islice(scores, len(labels)))
                if [(score.id, score.metric) for score in row] != [
                    (example.id, label) for label in labels
                ]:
                    raise DataError(
                        f"{path}: expected the scores of '{example.id}' of {shard.file.path}; it "
                        "was changed since the run. The command that wrote it scores it again"
                    )
                yield example, row

    def files(self) -> list[dict[str, JSON]]:
        """As `evaluation.results.Results.files`."""
        rows = sum(shard.rows for shard in self.plan.shards)
        return [
            {
                "pairs": self.pairs,
                "scores": [self.folder.name],
                "rows": rows,
                "unscored": 0,
                "finished": self.finished,
            }
        ]


def open_folder(
    folder: Path, pairs: str | None = None, columns: Columns | None = None
) -> FolderResults:
    """The results of a complete run into a folder.

    pairs    where its input is now, as `places.inputs` reads it; None: where it was
    columns  what its columns hold; None: as the run read them, and the fields that it did not read
             by their default names
    Raises DataError where the run is not complete, or an input is missing or of another size.
    """
    next(manifests.shards_of(folder))  # says what is wrong
    manifest: dict[str, Any] = json.loads(manifests.manifest_of(folder).read_text(encoding="utf-8"))
    plan = read_plan(folder / manifests.PLAN)
    paths = [file.path for file in plan.files]
    files = files_of(pairs) if pairs else [file for path in paths for file in files_of(path)]
    # A file alone is named without its folder.
    named = dict(zip(paths, files, strict=True)) if len(files) == len(paths) else {}
    for file in plan.files:
        if named.get(file.path, file).size != file.size or not named:
            raise DataError(
                f"{folder}: its scores are of {len(plan.files)} files such as {file.path}, "
                f"{file.size} bytes; they are not there as they were. Say where they are with "
                "--pairs"
            )
    shards = tuple(dataclasses.replace(shard, file=named[shard.file.path]) for shard in plan.shards)
    several = len(plan.files) > 1
    return FolderResults(
        folder,
        dataclasses.replace(plan, shards=shards),
        columns or _columns(plan),
        metrics_of(folder, {name: Signature(**made) for name, made in _signatures(plan)}),
        f"{len(plan.files)} files" if several else Path(plan.files[0].name).name,
        str(manifest.get("finished") or ""),
    )


def _signatures(plan: Plan) -> Iterator[tuple[str, dict[str, Any]]]:
    for label, signature in plan.metrics.items():
        if not isinstance(signature, dict):
            raise DataError(f"{label}: not a signature")
        yield label, signature


def _columns(plan: Plan) -> Columns:
    """The columns of the run, and those with default names for what a page shows of a row."""
    named = {field: name for field, name in plan.columns.items() if name is not None}
    return Columns(**named)  # type: ignore[arg-type]  # as the plan has them
