"""A run: batches of examples through metrics, with de-duplication, cache, resume and a manifest.

`score` is the library's way in; `run_to_file` is what `faithkit score -o` does. What a metric does
is in `metrics/`; reading and writing rows is in `files.py`; printing is in `cli.py`.
"""

from __future__ import annotations

import dataclasses
import errno
import json
import math
import platform
import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from faithkit import cache as stores
from faithkit import files, inputs
from faithkit.metrics import base, objects, registry
from faithkit.records import (
    JSON,
    TRANSIENT,
    ConfigError,
    Coverage,
    CutTally,
    DataError,
    Example,
    FaithkitError,
    ModelError,
    Outcome,
    Score,
    Signature,
    canonical_json,
    verdict_of,
)

if TYPE_CHECKING:
    from faithkit.models.runtime import Runtime

BATCH_SIZE = 64
"""The most examples handed to a metric at once, unless a size is given. Encoders make batches of
tokens out of them."""

LEAST_BATCH = 8
BATCH_SECONDS = 2.0
"""Where no size is given, a batch has about as many examples as take this long."""

BOUNDS_TOLERANCE = 1e-6
"""How far a value may pass a metric's bounds: what float32 leaves of a cosine of 1."""

DEFAULT_METRICS = ("support",)

Progress = Callable[[int], None]
"""Told the number of examples done so far."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A metric ready to score, with the label its rows carry, the signature of its numbers, the
    names of the data that it or its models were trained on, as far as they say so, and whether a
    chat model answers for it."""

    label: str
    metric: base.Metric
    signature: Signature
    trained_on: frozenset[str] = frozenset()
    chats: bool = False


UNKNOWN_COVERAGE = Coverage()


@dataclass(slots=True)
class Tally:
    """What a metric's rows come to: count by outcome, the mean of those that have a value, all
    values (8 bytes each), the verdicts of a metric that gives them, and how much of the texts was
    cut."""

    outcomes: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    cut: CutTally = field(default_factory=CutTally)
    valued: int = 0
    total: float = 0.0
    least: float = math.inf
    greatest: float = -math.inf
    values: array[float] = field(default_factory=lambda: array("d"))

    def add(
        self,
        value: float | None,
        outcome: str,
        parts: Mapping[str, float],
        coverage: Coverage | Mapping[str, int] = UNKNOWN_COVERAGE,
    ) -> None:
        self.outcomes[outcome] += 1
        self.cut.add(coverage)
        if (verdict := verdict_of(parts)) is not None:
            self.verdicts[verdict] += 1
        if value is not None:
            self.valued += 1
            self.values.append(value)
            self.total += value
            self.least = min(self.least, value)
            self.greatest = max(self.greatest, value)

    @property
    def rows(self) -> int:
        return self.outcomes.total()

    @property
    def mean(self) -> float | None:
        return self.total / self.valued if self.valued else None


Asked = str | base.Metric
"""A metric by its name and options (`bertscore:layer=8`), or as an object."""


def check_requests(
    requests: Asked | Iterable[Asked],
) -> dict[str, registry.MetricRequest | base.Metric]:
    """The metrics asked for by label, their names and options checked; no model is loaded. Raises
    ConfigError on an unknown name or option, on what is no metric, on none at all, and on one that
    is there twice."""
    alone = isinstance(requests, str) or not isinstance(requests, Iterable)
    found: dict[str, registry.MetricRequest | base.Metric] = {}
    for one in cast("Iterable[Asked]", [requests] if alone else requests):
        asked: registry.MetricRequest | base.Metric
        if isinstance(one, str):
            asked = registry.parse_request(one)
            label = asked.label
        else:
            asked = objects.checked(one)
            label = objects.label_of(asked)
        if label in found:
            raise ConfigError(f"Metric '{label}' is asked for twice.")
        found[label] = asked
    if not found:
        raise ConfigError("No metric is asked for.")
    for asked in found.values():
        if isinstance(asked, registry.MetricRequest):
            registry.check(asked)
    return found


def prepare(requests: Asked | Iterable[Asked], runtime: Runtime | None = None) -> list[Prepared]:
    """Metrics from the text the user gave (`bertscore:layer=8`), or as objects. All names are
    checked before any model loads. Raises ConfigError on an unknown name or option and on what is
    no metric, ModelError on a missing model."""
    from faithkit import models
    from faithkit.models.runtime import DEFAULT_RUNTIME

    load = partial(models.load, runtime=runtime or DEFAULT_RUNTIME)
    prepared = []
    for label, asked in check_requests(requests).items():
        loaded: list[Any] = []
        if isinstance(asked, registry.MetricRequest):
            metric, options, ids = registry.create(asked, _noting(load, loaded))
            signature = registry.signature_of(metric, options, ids)
        else:
            metric, signature = asked, objects.signature_of(asked)
            loaded += getattr(asked, "__dict__", {}).values()
        seen = models.trained_on(metric, *loaded)
        chats = any(hasattr(model, "reply") for model in loaded)
        prepared.append(Prepared(label, metric, signature, seen, chats))
    return prepared


def _noting(load: Callable[[str], Any], loaded: list[Any]) -> Callable[[str], Any]:
    """`load`, which also appends to `loaded` what it loads: the models of a metric, and those of
    the metrics that it is made of."""

    def noting(spec: str) -> Any:
        loaded.append(load(spec))
        return loaded[-1]

    return noting


def score(
    examples: inputs.Given | Iterable[inputs.Given],
    metrics: Asked | Iterable[Asked] = DEFAULT_METRICS,
    *,
    cache: Path | None = None,
    batch_size: int | None = None,
    device: str | None = None,
    dtype: str | None = None,
    offline: bool = False,
) -> Iterator[Score]:
    """Scores examples: for each example in order, one Score for each metric in order.

    examples  each an Example, a dict with the fields of one, or a (source, summary) tuple; those
              without an id are numbered from "1". One may be given alone.
    metrics   each a name with options (`bertscore:layer=8`, `path.py:Class`) or an object with
              what a metric declares; one may be given alone
    cache     a SQLite file to reuse scores from; without it only this call's repeats are reused

    Metrics are checked and loaded at the call; rows come as they are asked for. Raises DataError,
    ConfigError, ModelError; see `inputs.examples_of` and `prepare`.
    """
    from faithkit.models.runtime import Runtime

    given = inputs.examples_of(examples)
    prepared = prepare(metrics, Runtime(device, dtype, offline))
    return _scores(given, prepared, cache, batch_size)


def _scores(
    examples: Iterable[Example],
    prepared: Sequence[Prepared],
    cache: Path | None,
    batch_size: int | None,
) -> Iterator[Score]:
    with stores.Cache(cache) as store:
        for _, rows in scored_batches(prepared, examples, store, batch_size=batch_size):
            for row in rows:
                yield from row


def scored_batches(
    prepared: Sequence[Prepared],
    examples: Iterable[Example],
    store: stores.Cache,
    *,
    batch_size: int | None = None,
    done: int = 0,
    progress: Progress | None = None,
) -> Iterator[tuple[list[Example], list[list[Score]]]]:
    """(examples, their scores [examples][metrics]), batch by batch, in order.

    batch_size  examples of a batch; None for as many as take about two seconds
    done        examples done before, which `progress` counts too
    progress    is told the number done after each batch, and while a chat model answers a batch,
                about how many are
    """
    tell = progress or _silent
    if batch_size is None and any(one.chats for one in prepared):
        # Its answers are told one by one, and it is quickest with many prompts at once.
        batch_size = BATCH_SIZE
    for batch in batched(examples, batch_size):
        told = 0

        def inside(share: float, done: int = done, size: int = len(batch)) -> None:
            nonlocal told
            if (rows := min(int(share * size), size - 1)) > told:
                told = rows
                tell(done + told)

        yield batch, score_batch(prepared, batch, store, inside)
        done += len(batch)
        tell(done)


def _silent(_: float) -> None:
    return


def score_batch(
    prepared: Sequence[Prepared],
    examples: Sequence[Example],
    store: stores.Cache,
    progress: Callable[[float], None] = _silent,
) -> list[list[Score]]:
    """[examples][metrics]. Each distinct (signature, what the metric reads) is scored once.
    progress: is told the share of the work that is done, as far as chat models answer it."""
    columns: list[list[Score]] = []
    for one in prepared:
        with _listening(one, partial(_share, progress, len(columns), len(prepared))):
            columns.append(_column(one, examples, store))
    return [list(row) for row in zip(*columns, strict=True)]


def _share(progress: Callable[[float], None], column: int, columns: int, share: float) -> None:
    progress((column + share) / columns)


def _listening(one: Prepared, tell: Callable[[float], None]) -> AbstractContextManager[None]:
    if not one.chats:
        return nullcontext()
    from faithkit.models.chat import transcripts

    return transcripts.listening(tell)


def _column(one: Prepared, examples: Sequence[Example], store: stores.Cache) -> list[Score]:
    digest = one.signature.digest
    keys = [stores.key(digest, _read_by(one.metric, example)) for example in examples]
    stored = store.get(list(dict.fromkeys(keys)))
    try:
        known = {key: Score.from_row(row) for key, row in stored.items()}
    except DataError as error:
        store.give_up(error)
        known = {}
    missing = {key: e for key, e in zip(keys, examples, strict=True) if key not in known}
    if missing:
        fresh = dict(zip(missing, _call(one, list(missing.values())), strict=True))
        known |= fresh
        store.put(
            (key, found.to_row()) for key, found in fresh.items() if found.outcome not in TRANSIENT
        )
    for key, example in zip(keys, examples, strict=True):
        _check_bounds(one, known[key].value, example.id)
    return [
        dataclasses.replace(known[key], id=e.id, metric=one.label, signature=one.signature)
        for key, e in zip(keys, examples, strict=True)
    ]


def _read_by(metric: base.Metric, example: Example) -> list[str]:
    """The texts of the fields that the metric reads, which is what its score depends on."""
    texts = [example.source, example.summary]
    for name in sorted(metric.needs - {"source", "summary"}):
        value = getattr(example, name, None)
        value = example.meta.get(name) if value is None else value
        if value is None:
            hint = getattr(metric, "lacking", {}).get(name, "")
            raise DataError(
                f"metric '{metric.name}' needs field '{name}'; '{example.id}' has none{hint}"
            )
        texts.append(repr(value) if name == "spans" else canonical_json(value))
    return texts


def _call(one: Prepared, examples: Sequence[Example]) -> list[Score]:
    try:
        scores = list(one.metric.score(examples))
    except FaithkitError:
        raise
    except Exception as error:
        raise ModelError(
            f"metric '{one.label}' failed on the {len(examples)} rows from '{examples[0].id}' to "
            f"'{examples[-1].id}': {type(error).__name__}: {error}"
        ) from error
    if len(scores) != len(examples):
        raise ModelError(
            f"metric '{one.label}' gave {len(scores)} scores for {len(examples)} examples"
        )
    for found, example in zip(scores, examples, strict=True):
        if not isinstance(found, Score):
            raise ModelError(
                f"metric '{one.label}' gave {type(found).__name__} for '{example.id}'; "
                "score() returns a list of faithkit.Score"
            )
        if found.id != example.id:
            raise ModelError(
                f"metric '{one.label}' gave the score of '{found.id}' where that of "
                f"'{example.id}' belongs; score() keeps the order of its examples"
            )
    return scores


def _check_bounds(one: Prepared, value: float | None, id: str) -> None:
    low, high = one.metric.bounds
    if value is not None and not low - BOUNDS_TOLERANCE <= value <= high + BOUNDS_TOLERANCE:
        raise ModelError(
            f"metric '{one.label}' gave {value} for '{id}', outside its bounds {low} to {high}; "
            "correct the value, or the bounds that the metric declares"
        )


def batched(examples: Iterable[Example], size: int | None = None) -> Iterator[list[Example]]:
    """Lists of at most `size` examples, in order. Without a size: of as many as whoever takes them
    needs about two seconds for, at least 8 and at most 64, those of one source together."""
    if size is None:
        yield from _paced(examples)
        return
    if size < 1:
        raise ConfigError(f"batch_size should be 1 or more, found {size}.")
    iterator = iter(examples)
    while batch := list(islice(iterator, size)):
        yield batch


def _paced(examples: Iterable[Example]) -> Iterator[list[Example]]:
    size = LEAST_BATCH
    batch: list[Example] = []
    for example in examples:
        # A metric reads a source once for all its summaries in a batch.
        ends = len(batch) >= size and example.source != batch[-1].source
        if ends or len(batch) == BATCH_SIZE:
            started = time.monotonic()
            yield batch
            rate = len(batch) / max(time.monotonic() - started, 1e-3)
            size = min(BATCH_SIZE, max(LEAST_BATCH, round(rate * BATCH_SECONDS)))
            batch = []
        batch.append(example)
    if batch:
        yield batch


def run_to_file(
    rows: files.Rows,
    prepared: Sequence[Prepared],
    output: Path,
    store: stores.Cache,
    *,
    limit: int | None = None,
    batch_size: int | None = None,
    resume: bool = True,
    progress: Progress | None = None,
) -> dict[str, Tally]:
    """Scores a checked file into `output` (JSONL, CSV, TSV or Parquet by ending), and writes
    `OUTPUT.manifest.json` beside it. Started again after a kill, it goes on where it was.

    Raises ConfigError where `output` is the input or another command's, DataError where it cannot
    be written, was changed, or is being written by another run.
    """
    total = rows.count if limit is None else min(limit, rows.count)
    job = _Job(rows, prepared, output, total)
    tallies = {one.label: Tally() for one in prepared}
    tell = progress or _silent
    with _alone(output):
        done, place = job.begin(resume, tallies)
        tell(done)
        if job.complete:
            return tallies
        started = time.monotonic()
        try:
            with files.open_append(job.journal, place) as file:
                examples = islice(iter(rows), done, total)
                scored = scored_batches(
                    prepared, examples, store, batch_size=batch_size, done=done, progress=tell
                )
                for batch, found in scored:
                    _write(file, found, tallies)
                    done += len(batch)
            if done != total:
                raise DataError(
                    f"{rows.path}: {done} rows where there were {total} when the run began. "
                    "The file was changed; give it back its rows, or use --no-resume."
                )
            if job.journal != output:
                files.export(job.journal, output)
        except OSError as error:
            raise _unwritable(output, error, done) from error
        except KeyboardInterrupt as error:
            if done:
                error.add_note(
                    f"{done} of {total} rows are safe in {job.journal}: the same command goes on "
                    "from there"
                )
            raise
        job.finish(tallies, time.monotonic() - started)
    return tallies


@contextmanager
def _alone(output: Path) -> Iterator[None]:
    """One run at a time writes to `output`. Raises DataError where another has it."""
    from filelock import FileLock, Timeout

    place = output.with_name(output.name + ".lock")
    lock = FileLock(place, timeout=0)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
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
            place.unlink()
        lock.release()


def _write(file: TextIO, batch: Sequence[Sequence[Score]], tallies: dict[str, Tally]) -> None:
    # One write a batch, so that a kill leaves whole rows and at most one torn one.
    file.write("".join(files.to_line(score) for row in batch for score in row))
    file.flush()
    for row in batch:
        for found in row:
            tallies[found.metric].add(found.value, found.outcome, found.parts, found.coverage)


def _unwritable(path: Path, error: OSError, done: int) -> DataError:
    what = "the disk is full" if error.errno == errno.ENOSPC else str(error.strerror or error)
    kept = f" {done} rows are safe; run the same command again to go on." if done else ""
    return DataError(f"cannot write {path}: {what}.{kept}")


class _Job:
    """What a run leaves on disk beside its rows, by which it is known again."""

    def __init__(
        self, rows: files.Rows, prepared: Sequence[Prepared], output: Path, total: int
    ) -> None:
        direct = files.format_of(output) == "jsonl"
        self.output = output
        self.journal = output if direct else output.with_name(output.name + ".partial.jsonl")
        self.manifest = output.with_name(output.name + ".manifest.json")
        self.complete = False
        self._rows = rows
        self._total = total
        self._labels = [one.label for one in prepared]
        self._record: dict[str, JSON] = {
            "command": list(sys.argv),
            "status": "running",
            "input": {"path": str(rows.path), "sha256": rows.sha256, "rows": rows.count},
            "rows": total,
            "metrics": {one.label: one.signature.to_dict() for one in prepared},
            "trained_on": {one.label: [*sorted(one.trained_on)] for one in prepared},
            "versions": _versions(),
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
        }

    def begin(self, resume: bool, tallies: dict[str, Tally]) -> tuple[int, int]:
        """How many examples are done, and the byte of the journal to go on from."""
        done = place = 0
        if self.output.is_dir():
            raise DataError(f"cannot write {self.output}: it is a directory.")
        if self.output.exists() and self.output.samefile(self._rows.path):
            raise ConfigError(f"{self.output} is the input itself. Give another --output.")
        if resume and (self.journal.exists() or self.output.exists()):
            self._check_same()
            if self.complete:
                self._recount(tallies)
                return self._total, 0
            if self.journal.exists():
                done, place = self._settled(tallies)
        try:
            if not done:
                # Rows of an earlier run must never stand beside the manifest of this one.
                self.manifest.unlink(missing_ok=True)
                self.journal.open("wb").close()
            self._save()
        except OSError as error:
            raise _unwritable(self.output, error, done) from error
        return done, place

    def _check_same(self) -> None:
        try:
            earlier = json.loads(self.manifest.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise ConfigError(
                f"{self.output} exists and there is no manifest of a run beside it. Give another "
                "--output, or --no-resume to replace it."
            ) from None
        for key, what in (("input", "input"), ("rows", "--limit"), ("metrics", "metrics")):
            mine, theirs = self._record[key], earlier.get(key)
            if key == "input":
                mine, theirs = (
                    one.get("sha256") if isinstance(one, dict) else None for one in (mine, theirs)
                )
            if mine != theirs:
                raise ConfigError(
                    f"{self.output} holds the rows of another run: its {what} differs. Give "
                    "another --output, or --no-resume to replace it."
                )
        self.complete = earlier.get("status") == "complete" and self.output.exists()

    def _recount(self, tallies: dict[str, Tally]) -> None:
        for found in files.score_lines(self.output):
            if found.metric in tallies:
                tallies[found.metric].add(found.value, found.outcome, found.parts, found.coverage)
        if any(tally.rows != self._total for tally in tallies.values()):
            raise DataError(
                f"{self.output}: expected {self._total} rows of each metric; the file was changed "
                "since the run ended. Use --no-resume to start over."
            )

    def _settled(self, tallies: dict[str, Tally]) -> tuple[int, int]:
        """Examples whose every row is whole in the journal, checked against the input."""
        lines, _ = files.whole_lines(self.journal)
        done = lines // len(self._labels)
        place = 0
        with self.journal.open("rb") as file:
            for example in islice(iter(self._rows), done):
                for label in self._labels:
                    line = file.readline()
                    place += len(line)
                    try:
                        row = json.loads(line)
                    except ValueError:
                        row = None
                    if not isinstance(row, dict) or not {"value", "outcome"} <= row.keys():
                        row = {}
                    if (row.get("id"), row.get("metric")) != (example.id, label):
                        raise DataError(
                            f"{self.journal}, byte {place - len(line)}: expected the row of "
                            f"'{example.id}' and {label}; the file was changed since the run "
                            "stopped. Use --no-resume to start over."
                        )
                    tallies[label].add(row["value"], row["outcome"], row["parts"], row["coverage"])
        return done, place

    def finish(self, tallies: Mapping[str, Tally], seconds: float) -> None:
        self._record["status"] = "complete"
        self._record["finished"] = datetime.now(UTC).isoformat(timespec="seconds")
        self._record["seconds"] = round(seconds, 3)
        self._record["outcomes"] = {
            label: {str(outcome): n for outcome, n in sorted(tally.outcomes.items())}
            for label, tally in tallies.items()
        }
        self._save()
        if self.journal != self.output:
            self.journal.unlink()

    def _save(self) -> None:
        partial = self.manifest.with_name(self.manifest.name + ".partial")
        partial.write_text(json.dumps(self._record, indent=2) + "\n", encoding="utf-8")
        partial.replace(self.manifest)


def _versions() -> dict[str, JSON]:
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, JSON] = {"python": platform.python_version()}
    for name in ("faithkit", "torch", "transformers", "spacy", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def incomplete(tallies: Mapping[str, Tally]) -> int:
    """Rows whose outcome is not ok."""
    return sum(tally.rows - tally.outcomes[Outcome.OK] for tally in tallies.values())


def failed_gates(
    tallies: Mapping[str, Tally], gates: Mapping[str, float], *, allow_unscored: bool = False
) -> list[str]:
    """Of each metric that fails its gate (the key "" is every metric's) a line that says why: its
    mean is under it, no row has a value, or, unless allowed, some have none."""
    lines = []
    for label, tally in tallies.items():
        gate = gates.get(label, gates.get(""))
        if gate is None:
            continue
        unscored = tally.rows - tally.valued
        others = {o: n for o, n in tally.outcomes.items() if o != Outcome.OK}
        why = ", ".join(f"{n} {outcome}" for outcome, n in sorted(others.items()))
        failed = f"{label} fails its gate of {gate:g}"
        if tally.mean is None:
            lines.append(f"{failed}: none of its {tally.rows} rows has a score ({why})")
        elif tally.mean < gate:
            below = sum(value < gate for value in tally.values)
            more = f"; {unscored} more have no score ({why})" if unscored else ""
            lines.append(
                f"{failed}: the mean is {tally.mean:.6g}, {below} of {tally.valued} scored rows "
                f"are below it{more}"
            )
        elif unscored and not allow_unscored:
            lines.append(
                f"{failed}: {unscored} of {tally.rows} rows have no score ({why}); the mean of the "
                f"others is {tally.mean:.6g}. --allow-unscored leaves them out"
            )
    return lines
