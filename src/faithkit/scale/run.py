"""A sharded run: plan, check, score, with every step kept in the output folder.

`plan.json` says which rows there are and with what they are scored; it is written once all rows are
checked. A shard has its rows in `NNNNNN.jsonl` and is done when its manifest is beside it. The same
command goes on after any death, on any machine that sees the folder.
"""

from __future__ import annotations

import dataclasses
import logging
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from faithkit import manifests, run, writing
from faithkit.columns import OPTIONAL_FIELDS, Columns
from faithkit.metrics.spec import MetricSpec
from faithkit.models.runtime import DEFAULT_RUNTIME, Runtime
from faithkit.records import JSON, ConfigError, DataError
from faithkit.run.output import locked, now, versions
from faithkit.scale import places
from faithkit.scale.ids import Ids
from faithkit.scale.ids import check as check_ids
from faithkit.scale.ids import records as id_records
from faithkit.scale.isolation import Row, Suspicion
from faithkit.scale.plan import (
    Plan,
    Shard,
    check_apart,
    differences,
    divide,
    files_of,
    numbered,
    read_plan,
    touched,
    with_rows,
)
from faithkit.scale.ray_pool import RayPool
from faithkit.scale.shards import Checked, Scorer, Task, finished
from faithkit.scale.workers import Pool

UNFINISHED = "unfinished"
WRITTEN = re.compile(r"\d{6,}\.jsonl(\.manifest\.json)?|plan\.json|manifest\.json")
ORPHAN_SECONDS = 60.0
"""How long the workers of a run that was killed are waited for."""

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, and how much of it is done of how much in all."""

log = logging.getLogger("faithkit")


@dataclass(frozen=True, slots=True)
class Settings:
    """How a sharded run works; none of it changes a number.

    workers      processes that score
    cache        the file of scores; None: only a shard's repeats are reused
    batch_size   examples handed to a metric at once; None: as many as take about two seconds
    resume       go on with what is in the output folder, else replace it
    repeats      let ids be used twice
    shard_bytes  the size of a shard; None: see `plan.py`
    engine       local: processes of this machine; ray: actors of a Ray cluster, each with a GPU if
                 the device is cuda. All its machines must see the inputs and the output folder
    address      of the Ray cluster; None: that of RAY_ADDRESS, or one started here
    """

    workers: int = 1
    cache: Path | None = None
    batch_size: int | None = None
    resume: bool = True
    repeats: bool = False
    shard_bytes: int | None = None
    engine: Literal["local", "ray"] = "local"
    address: str | None = None

    def pool(self, scorer: Scorer) -> Pool[Task] | RayPool[Task]:
        """The workers."""
        if self.engine == "local":
            return Pool(scorer, self.workers)
        gpus = float("cuda" in (scorer.runtime.device or ""))
        return RayPool(scorer, self.workers, self.address, gpus)


def score_files(
    pattern: str,
    specs: Sequence[MetricSpec],
    prepared: Sequence[run.Prepared],
    output: str,
    *,
    columns: Columns | None = None,
    runtime: Runtime = DEFAULT_RUNTIME,
    settings: Settings = Settings(),
    progress: Progress | None = None,
) -> dict[str, run.Tally]:
    """Scores files into a folder, shard by shard, in worker processes. Returns the tallies, which
    hold no values.

    pattern   a file, a folder, or a pattern; see `places.inputs`
    prepared  the metrics of `specs`, made ready: their names and models are checked before any
              worker starts
    Raises ConfigError where `output` holds another run, saying what differs; DataError as
    `files.open_pairs`, and where rows cannot be written; ModelError where a metric fails.
    """
    check_budget(specs, settings.workers)
    needs = frozenset[str]().union(*(scorer.metric.needs for scorer in prepared))
    columns = columns or Columns()
    columns = columns.without(*(name for name in OPTIONAL_FIELDS if name not in needs))
    folder = places.place(output)
    if not places.is_remote(folder):
        folder = folder.absolute()
    with ExitStack() as stack:
        unfinished = stack.enter_context(_unfinished(folder))
        scorer = Scorer(
            tuple(specs), runtime, columns, needs, str(folder), unfinished, settings.cache,
            settings.batch_size,
        )  # fmt: skip
        pool = settings.pool(scorer)
        stack.enter_context(pool)
        sharded = _Run(folder, unfinished, pool, prepared, settings, progress or _silent)
        try:
            return sharded.go(pattern, columns, needs)
        except KeyboardInterrupt as error:
            error.add_note(f"finished shards are safe in {output}: the same command goes on")
            raise


def _silent(_step: str, _done: int, _total: int) -> None:
    return


LIMITS = ("max_requests", "max_total_tokens", "max_cost", "per_minute")
"""Options of chat models that are meant for all workers together."""


def check_budget(specs: Sequence[MetricSpec], workers: int) -> None:
    """Raises ConfigError where several workers would each count a limit by themselves."""
    for spec in specs:
        limits = [name for name in LIMITS if name in spec.options]
        if workers > 1 and limits and "budget" not in spec.options:
            raise ConfigError(
                f"{spec.label}: {limits[0]} is for all workers together; name a file in which they "
                "count, budget=FILE, or use --workers 1 and concurrency=N, requests at once"
            )


@contextmanager
def _unfinished(folder: Path) -> Iterator[Path]:
    """The local folder of shards that are being scored: inside a local output folder, which one run
    at a time has, so that they survive; else a temporary one."""
    if places.is_remote(folder):
        with tempfile.TemporaryDirectory(prefix="faithkit-") as temporary:
            yield Path(temporary)
        return
    with locked(folder):
        unfinished = folder / UNFINISHED
        with writing.naming(folder):
            unfinished.mkdir(parents=True, exist_ok=True)
        _wait_for_orphans(unfinished)
        yield unfinished


def _wait_for_orphans(unfinished: Path) -> None:
    """Workers end when their run is killed, but not at once."""
    from filelock import FileLock, Timeout

    for lock in unfinished.glob("*.lock"):
        try:
            with FileLock(lock, timeout=ORPHAN_SECONDS):
                lock.unlink(missing_ok=True)
        except Timeout:
            raise DataError(
                f"a process of an earlier run is still writing {lock.with_suffix('')}; end it"
            ) from None


@dataclass(slots=True)
class _Run:
    folder: Path
    unfinished: Path
    pool: Pool[Task] | RayPool[Task]
    prepared: Sequence[run.Prepared]
    settings: Settings
    progress: Progress
    metrics: dict[str, JSON] = field(init=False)
    started: str = field(default_factory=now)

    def __post_init__(self) -> None:
        self.metrics = {scorer.label: scorer.signature.to_dict() for scorer in self.prepared}

    def go(self, pattern: str, columns: Columns, needs: frozenset[str]) -> dict[str, run.Tally]:
        began = time.monotonic()
        plan = self._plan(pattern, columns, needs)
        tallies = run.tallies_of(self.prepared)
        self._save_manifest(pattern, plan, "running", tallies, 0.0)
        self._score(plan, tallies)
        self._save_manifest(pattern, plan, "complete", tallies, time.monotonic() - began)
        if not places.is_remote(self.folder):
            shutil.rmtree(self.unfinished, ignore_errors=True)
        return tallies

    # The plan

    def _plan(self, pattern: str, columns: Columns, needs: frozenset[str]) -> Plan:
        """The plan in the folder, if it is of the same run; else a new one, checked and saved."""
        inputs = files_of(pattern)
        check_apart(inputs, self.folder)
        named = dataclasses.asdict(columns)
        repeats = self.settings.repeats
        wanted = Plan(tuple(inputs), (), self.metrics, named, repeats=repeats, needs=needs)
        saved = self._saved() if self.settings.resume else None
        if saved is not None:
            return self._same(saved, wanted)
        written = self._written()
        shards = self._counted(divide(inputs, self.settings.shard_bytes))
        shards, by_system = self._checked(shards, columns)
        self._clear(written)
        plan = dataclasses.replace(wanted, shards=tuple(shards), by_system=by_system)
        self._write(manifests.PLAN, plan.to_dict())
        return plan

    def _saved(self) -> Plan | None:
        path = self.folder / manifests.PLAN
        with places.reaching(path):
            return read_plan(path) if path.exists() else None

    def _same(self, saved: Plan, wanted: Plan) -> Plan:
        """The saved plan. Raises ConfigError where the run that is wanted differs from it."""
        differ = differences(saved, wanted)
        if differ:
            more = f", and {len(differ) - 5} more" if len(differ) > 5 else ""
            raise ConfigError(
                f"{self.folder} holds another run: {'; '.join(differ[:5])}{more}. Give another "
                "--output, or --no-resume to replace it."
            )
        paths = {file.name: file for file in wanted.files}
        shards = [dataclasses.replace(shard, file=paths[shard.file.name]) for shard in saved.shards]
        written_again = touched(saved, wanted)
        if written_again:
            again = [shard for shard in shards if shard.file.name in written_again]
            for shard, checked in self._results("check", again, "checking again"):
                if (checked.rows, checked.sha256) != (shard.rows, shard.sha256):
                    raise ConfigError(
                        f"{self.folder} holds another run: rows of {shard.file.name} were changed "
                        f"({self._row_range(shard)}). Give another --output, or --no-resume to "
                        "replace it."
                    )
        plan = dataclasses.replace(saved, files=wanted.files, shards=tuple(shards))
        if written_again:
            self._write(manifests.PLAN, plan.to_dict())
        return plan

    def _row_range(self, shard: Shard) -> str:
        first = shard.part.rows + 1 if shard.part else 1
        return f"among rows {first} to {first + shard.rows - 1}"

    def _written(self) -> list[str]:
        """The files of an earlier run in the folder, in the order in which a new run removes them.
        Raises ConfigError where it holds what no run wrote."""
        with places.reaching(self.folder):
            entries = list(self.folder.iterdir()) if self.folder.exists() else []
            names = {path.name for path in entries} - {UNFINISHED}
            others = [name for name in sorted(names) if not WRITTEN.fullmatch(name)]
            if others or (names and manifests.PLAN not in names):
                raise ConfigError(
                    f"{self.folder} holds {(others or sorted(names))[0]}, which no run into this "
                    "folder wrote. Give another --output."
                )
        # What says that shards are done goes first, and the plan last.
        return sorted(names, key=lambda name: (name == manifests.PLAN, name.endswith(".jsonl")))

    def _clear(self, names: Sequence[str]) -> None:
        """Removes these files of an earlier run, and its unfinished shards."""
        with places.reaching(self.folder):
            for name in names:
                (self.folder / name).unlink()
        shutil.rmtree(self.unfinished, ignore_errors=True)
        self.unfinished.mkdir(exist_ok=True)

    def _results(self, job: Any, shards: Sequence[Shard], step: str) -> Iterator[tuple[Shard, Any]]:
        """The results of a job on shards, as workers finish them. A job whose worker dies is tried
        again."""
        deaths: dict[int, Suspicion] = {}
        done = 0
        self.progress(step, done, len(shards))
        for event in self.pool.run(Task(job, shard) for shard in shards):
            if event.kind == "died":
                suspicion = deaths.setdefault(event.task.shard.number, Suspicion())
                suspicion.died([], event.value, str(event.task.shard.file.path))
                self.pool.again(event.task)
            elif event.kind == "done":
                done += 1
                self.progress(step, done, len(shards))
                yield event.task.shard, event.value

    def _counted(self, shards: Sequence[Shard]) -> list[Shard]:
        """The shards with the lines and rows before each."""
        parts = [s for s in shards if s.part is not None and s.file.format == "jsonl"]
        counts = {shard.number: count for shard, count in self._results("count", parts, "counting")}
        return numbered(shards, counts)

    def _checked(self, shards: Sequence[Shard], columns: Columns) -> tuple[list[Shard], bool]:
        """The shards that have rows, every row checked, and whether ids repeat across systems.
        Raises DataError on an id that is used twice."""
        results: dict[int, tuple[int, str]] = {}
        by_system = False
        with Ids(self.unfinished) as ids:
            checked: Checked
            for shard, checked in self._results("check", shards, "checking"):
                results[shard.number] = checked.rows, checked.sha256
                if not self.settings.repeats:
                    ids.add(id_records(shard.number, checked.hashes))
            by_system, suspects = ids.repeated()
            if suspects:
                check_ids(suspects, dict(enumerate(shards)), columns)
        return with_rows(shards, results), by_system

    # The scores

    def _score(self, plan: Plan, tallies: Mapping[str, run.Tally]) -> None:
        total = sum(shard.rows for shard in plan.shards)
        done, waiting = 0, []
        for shard in plan.shards:
            manifest = finished(shard, self.folder, self.metrics)
            if manifest is None:
                waiting.append(Task("score", shard, plan.by_system))
            else:
                done += shard.rows
                self._add(tallies, manifest)
        under_way: dict[int, int] = {}
        hands: dict[int, Sequence[Row]] = {}
        suspicions: dict[int, Suspicion] = {}
        self.progress("scoring", done, total)
        for event in self.pool.run(waiting):
            shard = event.task.shard
            if event.kind == "note":
                kind, value = event.value
                if kind == "rows":
                    hands[shard.number] = value
                else:
                    under_way[shard.number] = value
            elif event.kind == "died":
                suspicion = suspicions.setdefault(shard.number, Suspicion())
                rows = hands.pop(shard.number, ())
                suspicion.died(rows, event.value, f"{shard.file.path}, {self._row_range(shard)}")
                self.pool.again(
                    dataclasses.replace(
                        event.task, suspects=suspicion.suspects, given_up=suspicion.given_up
                    )
                )
            else:
                done += shard.rows
                for by_shard in (under_way, hands, suspicions):
                    by_shard.pop(shard.number, None)
                self._add(tallies, event.value)
            self.progress("scoring", done + sum(under_way.values()), total)

    def _add(self, tallies: Mapping[str, run.Tally], manifest: Mapping[str, Any]) -> None:
        for label, record in manifest["tallies"].items():
            tallies[label].add_record(record)
        for label, identity in manifest.get("gave_up", ()):
            log.warning(
                "%s: the row '%s' ended its process each time; it has no score (model_error)",
                label, identity,
            )  # fmt: skip

    def _save_manifest(
        self,
        pattern: str,
        plan: Plan,
        status: str,
        tallies: Mapping[str, run.Tally],
        seconds: float,
    ) -> None:
        record: dict[str, JSON] = {
            "command": list(sys.argv),
            "status": status,
            "input": {
                "path": pattern,
                "files": len(plan.files),
                "rows": sum(shard.rows for shard in plan.shards),
            },
            "shards": len(plan.shards),
            "metrics": self.metrics,
            "trained_on": {s.label: [*sorted(s.trained_on)] for s in self.prepared},
            "versions": versions(),
            "started": self.started,
        }
        if status == "complete":
            record |= {
                "finished": now(),
                "seconds": round(seconds, 3),
                "tallies": {label: tally.record() for label, tally in tallies.items()},
            }
        self._write("manifest.json", record)

    def _write(self, name: str, record: Mapping[str, JSON]) -> None:
        writing.write_json(
            self.unfinished / name, record, indent=None if name == manifests.PLAN else 2
        )
        places.put(self.unfinished / name, self.folder / name)
