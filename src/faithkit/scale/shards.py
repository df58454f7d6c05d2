"""What a worker does with a shard: counts its lines, checks its rows, scores it.

Scoring is `run.run_to_file` into a folder for unfinished shards, so that a shard goes on where its
worker died. Whole, its rows are moved to the output folder; its manifest follows, with the hash of
the rows, and says that the shard is done.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from faithkit import files, manifests, run, writing
from faithkit.cache import Cache
from faithkit.columns import Columns
from faithkit.fields import id_of_system
from faithkit.metrics.spec import MetricSpec
from faithkit.models.runtime import Runtime
from faithkit.run.output import locked
from faithkit.scale import places
from faithkit.scale.isolation import Row, watched
from faithkit.scale.plan import Shard, ShardRows, count_lines
from faithkit.scale.workers import Note


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do with a shard.

    suspects, given_up  see `isolation.py`
    """

    job: Literal["count", "check", "score"]
    shard: Shard
    by_system: bool = False
    suspects: frozenset[Row] = frozenset()
    given_up: frozenset[Row] = frozenset()


@dataclass(frozen=True, slots=True)
class Checked:
    """What the check of a shard says: how many rows, the hash of what a run reads of them, and of
    each row the hashes of its id and of `ID/SYSTEM`, 8 bytes each."""

    rows: int
    sha256: str
    hashes: bytes


@dataclass
class Scorer:
    """A worker's service. Metrics are loaded at the first shard that is scored.

    output      the folder of the run
    unfinished  a local folder
    cache       the file of scores; None: only a shard's repeats are reused
    """

    specs: tuple[MetricSpec, ...]
    runtime: Runtime
    columns: Columns
    needs: frozenset[str]
    output: str
    unfinished: Path
    cache: Path | None = None
    batch_size: int | None = None
    _prepared: list[run.Prepared] = field(default_factory=list)

    def __call__(self, task: Task, note: Note) -> Any:
        """`count`: (lines, rows). `check`: `Checked`. `score`: the shard's manifest."""
        if task.job == "count":
            return count_lines(task.shard)
        rows = task.shard.read(self.columns, self.needs, task.by_system)
        with places.reaching(rows.path):
            if task.job == "check":
                return check(rows)
            # Until its rows are in place, so that a run waits for what is left of an earlier one.
            with locked(self.unfinished / f"{task.shard.output}.shard"):
                return self._score(task, rows, note)

    def _score(self, task: Task, rows: ShardRows, note: Note) -> dict[str, Any]:
        self._prepared = self._prepared or run.prepare(self.specs, self.runtime)
        prepared = [
            watched(scorer, lambda rows: note(("rows", rows)), task.suspects, task.given_up)
            for scorer in self._prepared
        ]
        self.unfinished.mkdir(parents=True, exist_ok=True)
        partial = self.unfinished / task.shard.output
        with Cache(self.cache) as store:
            tallies = run.run_to_file(
                rows, prepared, partial, store, batch_size=self.batch_size,
                progress=lambda done: note(("scored", done)),
            )  # fmt: skip
        note(("rows", []))
        gave_up = sorted([label, identity] for label, identity, _ in task.given_up)
        more = {"gave_up": gave_up} if gave_up else {}
        return publish(partial, places.place(self.output), tallies, more)


def check(rows: ShardRows) -> Checked:
    """Reads the rows once, validating each. Raises DataError, naming file, line and field."""
    hashed, hashes, count = hashlib.sha256(), array("Q"), 0
    for _, example in rows.placed():
        count += 1
        hashes.append(files.short_hash(example.id))
        hashes.append(files.short_hash(id_of_system(example)))
        files.hash_example(hashed, example, rows.needs)
    return Checked(count, hashed.hexdigest(), hashes.tobytes())


def publish(
    partial: Path, folder: Path, tallies: Mapping[str, run.Tally], more: Mapping[str, Any]
) -> dict[str, Any]:
    """Moves a shard's rows to the output folder, then its manifest. Returns the manifest."""
    unfinished = manifests.manifest_of(partial)
    manifest: dict[str, Any] = json.loads(unfinished.read_text(encoding="utf-8"))
    size, sha256 = fingerprint(partial)
    manifest["output"] = {"bytes": size, "sha256": sha256}
    manifest["tallies"] = {label: tally.record() for label, tally in tallies.items()}
    manifest |= more
    with writing.naming(folder):
        places.put(partial, folder / partial.name)
    writing.write_json(unfinished, manifest)
    places.put(unfinished, manifests.manifest_of(folder / partial.name))
    return manifest


def fingerprint(path: Path) -> tuple[int, str]:
    """Bytes and SHA-256 of a file."""
    with path.open("rb") as file:
        return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()


def finished(shard: Shard, folder: Path, metrics: Mapping[str, Any]) -> dict[str, Any] | None:
    """The manifest of a shard that is done; None where it is not, or its rows are no longer what
    was written (of a remote folder: as many bytes)."""
    output = folder / shard.output
    try:
        manifest: dict[str, Any] = json.loads(
            manifests.manifest_of(output).read_text(encoding="utf-8")
        )
        same = manifest["input"]["sha256"] == shard.sha256 and manifest["metrics"] == metrics
        expected = manifest["output"]
        if places.is_remote(folder):
            same = same and output.stat().st_size == expected["bytes"]
        else:
            same = same and fingerprint(output) == (expected["bytes"], expected["sha256"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        return None
    return manifest if same and manifest.get("status") == "complete" else None
