"""Uploaded files of pairs: checked, scored batch by batch, and kept until the server ends."""

from __future__ import annotations

import asyncio
import gzip
import re
import secrets
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from faithkit import files, rows, run
from faithkit.cache import Cache
from faithkit.columns import OPTIONAL_FIELDS, Columns
from faithkit.evaluation.results import joined
from faithkit.extras import require
from faithkit.files import Rows
from faithkit.records import JSON, DataError, FaithkitError, Score
from faithkit.results import shown_metrics
from faithkit.run import Tally
from faithkit.web.answers import Refusal, log_failure
from faithkit.web.limits import Limits
from faithkit.web.saved import Saved, Shelf
from faithkit.web.scoring import Scorer

ENDINGS = tuple(rows.FORMATS)
"""What is taken."""

EXPANSION = 8
"""How many times larger an unpacked file may be than the largest file."""

LONGEST_NAME = 200
"""Bytes of a file's name on disk; most file systems take 255, with what is added to it."""

PIECE = 2**20
GZIP = b"\x1f\x8b"

BATCH_SIZE = 4
"""Rows after which a waiting request has its turn; encoders are as quick as with more."""

Status = Literal["checking", "waiting", "running", "done", "failed"]


@dataclass
class Upload:
    """An uploaded file.

    status   checking: read and validated; waiting: for another file; running: `done` of `rows`
             are scored; failed: `problem` says why
    checked  its rows, once they are validated
    tallies  of each metric, what its rows add up to so far
    """

    id: str
    name: str
    folder: Path
    status: Status = "checking"
    rows: int = 0
    done: int = 0
    problem: str | None = None
    checked: Rows | None = None
    tallies: dict[str, Tally] = field(default_factory=dict)

    @property
    def scores(self) -> Path:
        """The rows of the scores, those that are there."""
        return self.folder / "scores.jsonl"

    @property
    def pairs(self) -> Path:
        """The file as it was uploaded, but for its packing."""
        return self.folder / "pairs" / self.name.removesuffix(".gz")

    @property
    def unfinished(self) -> bool:
        """Whether there is work left."""
        return self.status in ("checking", "waiting", "running")

    def record(self) -> dict[str, JSON]:
        """The file as the API shows it."""
        return {
            "id": self.id,
            "name": self.name,
            "status": self.status,
            "rows": self.rows,
            "done": self.done,
            "problem": self.problem,
            "summary": [
                {
                    "metric": label,
                    "mean": tally.mean,
                    "scored": tally.valued,
                    "verdicts": dict(sorted(tally.verdicts.items())),
                    "outcomes": {str(name): count for name, count in tally.outcomes.items()},
                }
                for label, tally in self.tallies.items()
            ],
        }


class Uploads:
    """The uploaded files of a server, in a temporary folder that goes with it.

    open_cache  opens the store of scores, in which a file that is uploaded again finds its own
    shelf       where a file that is done can be looked at
    """

    def __init__(self, scorer: Scorer, open_cache: Callable[[], Cache], shelf: Shelf) -> None:
        self._scorer = scorer
        self._open_cache = open_cache
        self._shelf = shelf
        self._metrics = shown_metrics(scorer.prepared)
        self._folder = tempfile.TemporaryDirectory(prefix="faithkit-app-")
        self._uploads: dict[str, Upload] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()

    def all(self) -> list[Upload]:
        """The files, the newest first."""
        return [*reversed(self._uploads.values())]

    def get(self, id: str) -> Upload:
        """The file with this id. Raises Refusal."""
        if id not in self._uploads:
            raise Refusal(404, "There is no such file; the server keeps them until it ends.")
        return self._uploads[id]

    async def add(self, name: str, columns: Columns, body: AsyncIterator[bytes]) -> Upload:
        """Takes a file and begins to score it. Raises Refusal, DataError, and ConfigError where a
        package is missing."""
        limits = self._scorer.limits
        if sum(upload.unfinished for upload in self._uploads.values()) >= limits.files:
            raise Refusal(429, f"{limits.files} files are being scored; wait for one of them.", 10)
        name = _file_name(name)
        id = secrets.token_urlsafe(9)
        upload = Upload(id, name, Path(self._folder.name) / id)
        upload.pairs.parent.mkdir(parents=True)
        self._uploads[id] = upload
        try:
            with upload.pairs.open("wb") as file:
                async for piece in body:
                    await asyncio.to_thread(file.write, piece)
            if id not in self._uploads:
                raise Refusal(404, "The file was removed before all of it was here.")
        except BaseException:
            self._forget(upload)
            raise
        self._tasks[id] = asyncio.create_task(self._work(upload, columns))
        for old in [one for one in self.all() if not one.unfinished][limits.kept :]:
            self._forget(old)
        return upload

    async def remove(self, id: str) -> None:
        """Stops scoring a file, and forgets it. Raises Refusal."""
        upload = self.get(id)
        if task := self._tasks.get(id):
            task.cancel()
            await asyncio.wait([task])
        self._forget(upload)

    def export(self, upload: Upload, target: Path) -> None:
        """Writes the scores of a file that is done in the format of the target. Raises OSError."""
        metrics = {scorer.label: scorer.metric for scorer in self._scorer.prepared}
        files.export(upload.scores, target, upload.checked or (), metrics)

    async def close(self) -> None:
        """Stops everything, and removes the files."""
        for task in self._tasks.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values())
        self._folder.cleanup()

    def _forget(self, upload: Upload) -> None:
        self._uploads.pop(upload.id, None)
        self._tasks.pop(upload.id, None)
        self._shelf.remove(upload.id)
        shutil.rmtree(upload.folder, ignore_errors=True)

    async def _work(self, upload: Upload, columns: Columns) -> None:
        try:
            checked = await asyncio.to_thread(self._checked, upload, columns)
            upload.checked = checked
            upload.rows = checked.count
            upload.status = "waiting"
            async with self._turn:
                upload.status = "running"
                await self._score(upload, checked)
            upload.status = "done"
            make = partial(self._saved, upload, checked, columns)
            self._shelf.put(upload.id, upload.name, make)
        except (FaithkitError, OSError) as error:
            upload.status = "failed"
            said = str(error).replace(f"{upload.pairs.parent}/", "")
            upload.problem = said.replace("--column ", "column ")  # no options here
        except Exception as error:
            # Left to the task, asyncio would log it with its text, once the task is forgotten.
            log_failure(f"the uploaded file {upload.id}", error)
        finally:
            if upload.unfinished:
                upload.status, upload.problem = "failed", "This failed inside faithkit."

    def _saved(self, upload: Upload, checked: Rows, columns: Columns) -> Saved:
        # Labels that cannot be read are shown as any other field of the row.
        with suppress(DataError):
            checked = checked.with_fields(OPTIONAL_FIELDS, columns)
        return Saved(self._metrics, joined(checked, [(upload.scores, {})]))

    def _checked(self, upload: Upload, columns: Columns) -> Rows:
        limits = self._scorer.limits
        path = upload.pairs
        _unpack(path, limits.file * EXPANSION)
        if rows.format_of(path) == "parquet":
            _check_parquet(path, limits)
        with files.open_pairs(str(path), columns.without(*OPTIONAL_FIELDS)) as opened:
            if opened.count > limits.file_rows:
                raise _too_many_rows(path, opened.count, limits)
            prepared = self._scorer.prepared
            needs = frozenset[str]().union(*(scorer.metric.needs for scorer in prepared))
            return opened.with_fields(needs, columns)

    async def _score(self, upload: Upload, checked: Rows) -> None:
        prepared = self._scorer.prepared
        upload.tallies = run.tallies_of(prepared)
        batches = self._batches(checked)
        ended = False
        try:
            with upload.scores.open("w", encoding="utf-8", newline="") as output:
                while scores := await self._scorer.run(lambda: next(batches, None)):
                    output.writelines(files.to_line(score) for row in scores for score in row)
                    for row in scores:
                        for score in row:
                            upload.tallies[score.metric].add(score)
                    upload.done += len(scores)
            ended = True
        finally:
            if not ended:
                # The generator holds the store, which belongs to the thread of the metrics.
                self._scorer.dismiss(batches.close)

    def _batches(self, checked: Rows) -> Generator[list[list[Score]]]:
        prepared = self._scorer.prepared
        size = None if any(scorer.chats for scorer in prepared) else BATCH_SIZE
        with self._open_cache() as store:
            for _, scores in run.scored_batches(prepared, checked, store, batch_size=size):
                yield scores


def _file_name(name: str) -> str:
    """The name as it is used on disk: no folder, no sign that means something there."""
    plain = re.sub(r"[^\w .()-]", "_", name.replace("\\", "/").rpartition("/")[2])[-100:].strip()
    plain = plain.encode()[-LONGEST_NAME:].decode(errors="ignore")
    ending = Path(plain.lower().removesuffix(".gz")).suffix
    if ending not in ENDINGS or plain.startswith("."):
        raise DataError(f"'{name}' should end in one of {', '.join(ENDINGS)}, plain or with .gz.")
    if ending == ".parquet":
        require(["pyarrow"], "A Parquet file")
    return plain


def _unpack(path: Path, limit: int) -> None:
    """Puts what a gzip file holds into its place, at most `limit` bytes, and refuses an XLSX file
    that holds more. Raises DataError."""
    too_large = _too_large(path, limit)
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith(GZIP):
        unpacked = path.with_name(path.name + ".unpacked")
        size = 0
        try:
            with gzip.open(path) as packed, unpacked.open("wb") as target:
                while piece := packed.read(PIECE):
                    if size == 0 and piece.startswith(GZIP):
                        raise DataError(f"{path}: compressed twice; decompress it once")
                    size += len(piece)
                    if size > limit:
                        raise too_large
                    target.write(piece)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataError(f"{path}: gzip file is cut short or damaged ({error})") from error
        unpacked.replace(path)
        with path.open("rb") as file:
            start = file.read(4)
    if start.startswith(b"PK"):
        try:
            with zipfile.ZipFile(path) as archive:
                if sum(item.file_size for item in archive.infolist()) > limit:
                    raise too_large
        except zipfile.BadZipFile as error:
            raise DataError(f"{path}: not a whole XLSX file ({error})") from error


def _check_parquet(path: Path, limits: Limits) -> None:
    """Refuses a Parquet file with too many rows or bytes, before many of its rows are in memory: a
    value that is stored once may be that of thousands of rows. Of lists even one row may be any
    number of values. Raises DataError; a file that cannot be read is left to its reader."""
    import pyarrow
    import pyarrow.parquet

    limit = limits.file * EXPANSION
    with (
        suppress(pyarrow.ArrowException, OSError),
        pyarrow.parquet.ParquetFile(path) as file,
    ):
        metadata = file.metadata
        if metadata.num_rows > limits.file_rows:
            raise _too_many_rows(path, metadata.num_rows, limits)
        for column in map(file.schema.column, range(len(file.schema))):
            if column.max_repetition_level:
                raise DataError(
                    f"{path}: the column '{column.path.partition('.')[0]}' has lists, which the "
                    "app takes in JSONL only. `faithkit score` takes them."
                )
        groups = map(metadata.row_group, range(metadata.num_row_groups))
        if sum(group.total_byte_size for group in groups) > limit:
            raise _too_large(path, limit)
        size = 0
        for row in file.iter_batches(batch_size=1):
            size += row.nbytes
            if size > limit:
                raise _too_large(path, limit)


def _too_large(path: Path, limit: int) -> DataError:
    return DataError(f"{path}: larger than {limit // 2**20} MB when it is unpacked")


def _too_many_rows(path: Path, count: int, limits: Limits) -> DataError:
    return DataError(
        f"{path}: {count:,} rows; the app takes {limits.file_rows:,} at most. `faithkit score` "
        "takes any number."
    )
