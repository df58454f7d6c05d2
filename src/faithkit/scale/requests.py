"""The requests of a run as files for a provider's batch API, in place of asking them one by one.

What comes back is read by the option `responses` of the metric: the same run then sends nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from faithkit import files, run, writing
from faithkit.cache import Cache
from faithkit.columns import OPTIONAL_FIELDS, Columns
from faithkit.models.chat.responses import collecting, request_line
from faithkit.records import ConfigError, DataError
from faithkit.scale import places
from faithkit.scale.plan import files_of

MOST_REQUESTS, MOST_BYTES = 50_000, 190_000_000
"""Of a file: what OpenAI takes, and a little less than its 200 MB."""


@dataclass(slots=True)
class Written:
    """What was written. rows: those that were read; answered: rows' prompts that have an answer in
    the transcripts are no requests, nor are those that a row before has."""

    rows: int = 0
    requests: int = 0
    files: int = 0


@dataclass(slots=True)
class _Files:
    folder: Path
    written: Written
    stack: ExitStack
    _file: IO[bytes] | None = None
    _requests: int = 0
    _bytes: int = 0
    _seen: set[bytes] = field(default_factory=set)

    def add(self, custom_id: str, body: dict[str, Any]) -> None:
        key = bytes.fromhex(custom_id)
        if key in self._seen:
            return
        self._seen.add(key)
        line = json.dumps(request_line(custom_id, body), ensure_ascii=False).encode() + b"\n"
        if (
            self._file is None
            or self._requests >= MOST_REQUESTS
            or self._bytes + len(line) > MOST_BYTES
        ):
            self.stack.close()
            path = self.folder / f"{self.written.files:06d}.jsonl"
            self._file = self.stack.enter_context(path.open("wb"))
            self._requests = self._bytes = 0
            self.written.files += 1
        self._file.write(line)
        self._requests += 1
        self._bytes += len(line)
        self.written.requests += 1


def write_requests(
    pattern: str, prepared: Sequence[run.Prepared], folder: Path, columns: Columns
) -> Written:
    """Writes the requests of all rows that have no answer yet into a new folder, each once.

    pattern  a file, a folder, or a pattern; see `places.inputs`
    Raises ConfigError if there is no request, DataError if the folder exists already or a
    row is wrong, as `files.open_pairs`. Nothing is left then. Memory grows by about 100 bytes a
    request.
    """
    if folder.exists():
        raise DataError(f"{folder} is there already; give the requests a folder of their own")
    needs = frozenset[str]().union(*(scorer.metric.needs for scorer in prepared))
    columns = columns.without(*(name for name in OPTIONAL_FIELDS if name not in needs))
    written = Written()
    with writing.naming(folder), writing.new_folder(folder) as partial, ExitStack() as stack:
        partial.mkdir()
        out = _Files(partial, written, stack)
        with collecting(out.add), Cache(None) as store:
            for file in files_of(pattern):
                rows = files.check(places.place(file.path), file.format, columns)
                for examples, _ in run.scored_batches(prepared, rows, store):
                    written.rows += len(examples)
        if not written.requests:
            labels = ", ".join(scorer.label for scorer in prepared)
            raise ConfigError(
                f"{labels}: no request. Either no model behind an API is asked, or all of its "
                "answers are in the transcripts already"
            )
    return written
