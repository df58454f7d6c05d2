"""A run into a file: rows in a journal, a manifest beside it, and resuming after a kill."""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from faithkit import cache, files, manifests, writing
from faithkit.records import JSON, ConfigError, DataError, Example, Score
from faithkit.run.batches import Progress, Scoring, _silent, scored_batches
from faithkit.run.preparation import Prepared
from faithkit.run.tally import Tally, tallies_of
from faithkit.writing import Journal, replacing

Watch = Callable[[Example, Sequence[Score]], None]
"""Called with an example and its scores, in the input's order."""


def run_to_file(
    rows: files.Rows,
    prepared: Sequence[Prepared],
    output: Path,
    store: cache.Cache,
    *,
    limit: int | None = None,
    batch_size: int | None = None,
    resume: bool = True,
    keep_columns: bool = False,
    watch: Watch | None = None,
    progress: Progress | None = None,
    scoring: Scoring = scored_batches,
) -> dict[str, Tally]:
    """Scores a checked file into `output` (JSONL, CSV, TSV or Parquet by ending), and writes
    `OUTPUT.manifest.json` beside it. Started again after a kill, it goes on where it was.

    keep_columns  whether a table (not JSONL) has the columns of the input too
    watch         called with every example and its scores, those of an earlier run too; from a
                  table that is complete these have no evidence, and of spans the number of marks
    scoring       who scores the batches
    Raises ConfigError where `output` is the input or another command's, DataError where it cannot
    be written, was changed, or is being written by another run.
    """
    total = rows.count if limit is None else min(limit, rows.count)
    saved = _Saved(rows, prepared, output, total, keep_columns)
    tallies = tallies_of(prepared)
    report = progress or _silent
    with locked(output):
        done = saved.begin(resume, tallies, watch or _unwatched)
        report(done)
        if saved.complete:
            return tallies
        started = time.monotonic()
        try:
            examples = islice(iter(rows), done, total)
            for batch, scores in scoring(
                prepared, examples, store, batch_size=batch_size, done=done, progress=report
            ):
                saved.add([score for row in scores for score in row], tallies)
                for example, row in zip(batch, scores, strict=True):
                    (watch or _unwatched)(example, row)
                done += len(batch)
            if done != total:
                raise DataError(
                    f"{rows.path}: {done} rows where there were {total} when the run began. "
                    "The file was changed; give it back its rows, or use --no-resume."
                )
            saved.export()
            saved.finish(tallies, time.monotonic() - started)
        except OSError as error:
            raise _unwritable(output, error, done) from error
        except (KeyboardInterrupt, ConfigError) as error:
            saved.note_safe_rows(error)
            raise
    return tallies


def _unwatched(_: Example, __: Sequence[Score]) -> None:
    return


@contextmanager
def locked(output: Path) -> Iterator[None]:
    """One run at a time writes to `output`. Raises DataError where another has it."""
    from filelock import FileLock, Timeout

    lock_path = output.with_name(output.name + ".lock")
    lock = FileLock(lock_path, timeout=0)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        lock_path.touch()  # else a folder that takes no file looks like a held lock
        lock.acquire()
    except Timeout:
        raise DataError(
            f"another run is writing {output}. Wait for it, or give another --output."
        ) from None
    except OSError as error:
        raise _unwritable(output, error, 0) from error
    try:
        yield
    finally:
        with suppress(OSError):  # Windows keeps a file that is open
            lock_path.unlink()
        lock.release()


def _unwritable(path: Path, error: OSError, done: int) -> DataError:
    kept = f" {done} rows are safe; run the same command again to go on." if done else ""
    return DataError(f"cannot write {path}: {writing.reason(error)}.{kept}")


class _Saved:
    """What a run leaves on disk: its rows, in a journal until they are all there, and the manifest
    by which the same command recognises them."""

    def __init__(
        self,
        rows: files.Rows,
        prepared: Sequence[Prepared],
        output: Path,
        total: int,
        keep_columns: bool,
    ) -> None:
        files.format_of(output)  # raises DataError on an ending that is not written
        self.journal = Journal(manifests.journal_of(output))
        self.complete = False
        self._output = output
        self._manifest = manifests.manifest_of(output)
        self._rows = rows
        self._total = total
        self._metrics = {scorer.label: scorer.metric for scorer in prepared}
        self._labels = list(self._metrics)
        self._keep_columns = keep_columns
        needs = frozenset[str]().union(*(metric.metric.needs for metric in prepared))
        fields_hash = rows.hash_of_fields(needs, keep_columns)
        self._record: dict[str, JSON] = {
            "command": list(sys.argv),
            "status": "running",
            "input": {
                "path": str(rows.path),
                "sha256": rows.sha256,
                "rows": rows.count,
                **({"fields_sha256": fields_hash} if fields_hash else {}),
                **rows.columns.to_dict(),
            },
            "rows": total,
            "metrics": {metric.label: metric.signature.to_dict() for metric in prepared},
            "trained_on": {metric.label: [*sorted(metric.trained_on)] for metric in prepared},
            "versions": versions(),
            "started": now(),
            **({"keep_columns": True} if keep_columns else {}),
        }

    def begin(self, resume: bool, tallies: dict[str, Tally], watch: Watch) -> int:
        """How many examples are done; the journal is ready for the next."""
        done = size = 0
        if self._output.is_dir():
            raise DataError(f"cannot write {self._output}: it is a directory.")
        if self._output.exists() and self._output.samefile(self._rows.path):
            raise ConfigError(f"{self._output} is the input itself. Name another file to write.")
        ours = resume and (self._has_rows() or self._exported())
        if ours:
            self._check_same()
            if self.complete:
                self._recount(tallies, watch)
                return self._total
            done, size = self._settled(tallies, watch)
        try:
            if not ours:
                # Rows of an earlier run must never be beside the manifest of this one.
                self._manifest.unlink(missing_ok=True)
            self.journal.cut(size)
            self._save()
        except OSError as error:
            raise _unwritable(self._output, error, done) from error
        return done

    def _has_rows(self) -> bool:
        """A run that is killed before it has written its manifest leaves an empty journal."""
        return self.journal.path.exists() and self.journal.path.stat().st_size > 0

    def _exported(self) -> bool:
        return self.journal.path != self._output and self._output.exists()

    def _check_same(self) -> None:
        try:
            earlier = json.loads(self._manifest.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise ConfigError(
                f"{self._output} exists and there is no manifest of a run beside it. Give another "
                "--output, or --no-resume to replace it."
            ) from None
        ours, theirs = _compared(self._record), _compared(earlier)
        for what in ours:
            if ours[what] != theirs[what]:
                differs = "differ" if what == "metrics" else "differs"
                raise ConfigError(
                    f"{self._output} holds the rows of another run: its {what} {differs}. Give "
                    "another --output, or --no-resume to replace it."
                )
        self.complete = earlier.get("status") == "complete" and self._output.exists()

    def _recount(self, tallies: dict[str, Tally], watch: Watch) -> None:
        scores = self._complete_scores()
        for example in islice(iter(self._rows), self._total):
            row = list(islice(scores, len(self._labels)))
            if [(score.id, score.metric) for score in row] != [
                (example.id, label) for label in self._labels
            ]:
                raise self._changed()
            for score in row:
                tallies[score.metric].add(score)
            watch(example, row)
        if next(scores, None) is not None:
            raise self._changed()

    def _complete_scores(self) -> Iterator[Score]:
        """The scores of the complete output. Raises DataError on a row that cannot be read."""
        try:
            yield from files.score_lines(self._output)
        except DataError as error:
            raise DataError(
                f"{error}. The file was changed since the run ended. Use --no-resume to start over."
            ) from error

    def _changed(self) -> DataError:
        return DataError(
            f"{self._output}: expected {self._total} rows of each metric; the file was changed "
            "since the run ended. Use --no-resume to start over."
        )

    def _settled(self, tallies: dict[str, Tally], watch: Watch) -> tuple[int, int]:
        """Examples whose every row is whole in the journal, checked against the input, and the byte
        at which their rows end."""
        done = sum(1 for _ in self.journal.lines()) // len(self._labels)
        size = 0
        lines = self.journal.lines()
        for example in islice(iter(self._rows), done):
            row = []
            for label in self._labels:
                line = next(lines)
                score = _parsed(line)
                if score is None or (score.id, score.metric) != (example.id, label):
                    raise DataError(
                        f"{self.journal.path}, byte {size}: expected the row of '{example.id}' and "
                        f"{label}; the file was changed since the run stopped. Use --no-resume to "
                        "start over."
                    )
                tallies[label].add(score)
                row.append(score)
                size += len(line)
            watch(example, row)
        return done, size

    def add(self, scores: Sequence[Score], tallies: dict[str, Tally]) -> None:
        """Appends the rows of a batch. Raises OSError."""
        self.journal.append(map(files.to_line, scores))
        for score in scores:
            tallies[score.metric].add(score)

    def note_safe_rows(self, error: KeyboardInterrupt | ConfigError) -> None:
        """Notes on the error how many rows are whole in the journal: the last batch too, however
        late it was stopped."""
        if safe := sum(1 for _ in self.journal.lines()) // len(self._labels):
            again = "corrected" if isinstance(error, ConfigError) else "same"
            error.add_note(
                f"{safe} of {self._total} rows are safe in {self.journal.path}: the {again} "
                "command goes on from there"
            )

    def export(self) -> None:
        """Puts the rows into the format of the output. Raises OSError."""
        if self.journal.path != self._output:
            examples = _First(self._rows, self._total)
            files.export(
                self.journal.path, self._output, examples, self._metrics, self._keep_columns
            )

    def finish(self, tallies: Mapping[str, Tally], seconds: float) -> None:
        """Says in the manifest that the rows are all there. Raises OSError."""
        self._record["status"] = "complete"
        self._record["finished"] = now()
        self._record["seconds"] = round(seconds, 3)
        self._record["outcomes"] = {
            label: {str(outcome): n for outcome, n in sorted(tally.outcomes.items())}
            for label, tally in tallies.items()
        }
        self._save()
        if self.journal.path != self._output:
            self.journal.path.unlink()

    def _save(self) -> None:
        with replacing(self._manifest) as partial:
            partial.write_text(json.dumps(self._record, indent=2) + "\n", encoding="utf-8")


class _First:
    """The first examples of a file, each time they are walked."""

    def __init__(self, rows: files.Rows, total: int) -> None:
        self._rows = rows
        self._total = total

    def __iter__(self) -> Iterator[Example]:
        return islice(iter(self._rows), self._total)


def _compared(record: Mapping[str, Any]) -> dict[str, object]:
    """What two runs must have in common to be one, by what it is called, of a manifest."""
    read = record.get("input")
    read = read if isinstance(read, dict) else {}
    metrics = record.get("metrics")
    return {
        "input": read.get("sha256"),
        "--limit": record.get("rows"),
        "metrics": metrics,
        "order of metrics": list(metrics) if isinstance(metrics, dict) else None,
        "--keep-columns": record.get("keep_columns"),
        "input beside ids and texts": read.get("fields_sha256"),
    }


def _parsed(line: bytes) -> Score | None:
    """The score of a journal's line, None if it is not one."""
    try:
        row = json.loads(line)
        return Score.from_row(row) if isinstance(row, dict) else None
    except (ValueError, DataError):
        return None


def now() -> str:
    """The time as manifests have it: UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@lru_cache
def versions() -> dict[str, JSON]:
    """The versions of Python, faithkit and the packages that numbers depend on; None for a package
    that is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    installed: dict[str, JSON] = {"python": platform.python_version()}
    for name in ("faithkit", "torch", "transformers", "spacy", "numpy"):
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            installed[name] = None
    return installed
