"""The score store: one SQLite file, keyed by what made a number and what it is about.

A key is the SHA-256 of the metric's signature and the example's texts; a value is the score's JSON.
No pickle. Several processes may write at once. What is worth storing is decided in `run/`. A
store that cannot be used stops no run: there is one warning, and the run continues without it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from faithkit.database import TEMPORARY, open_database
from faithkit.records import DataError

BUSY_SECONDS = 5.0
"""How long a store that another program has locked is waited for."""

SCHEMA = "CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, row TEXT NOT NULL) WITHOUT ROWID"

log = logging.getLogger("faithkit")


def default_folder() -> Path:
    """The user's cache directory for faithkit; `FAITHKIT_CACHE` overrides it."""
    from platformdirs import user_cache_path

    folder = os.environ.get("FAITHKIT_CACHE")
    return Path(folder) if folder else user_cache_path("faithkit")


def key(signature_digest: str, texts: Sequence[str]) -> bytes:
    """The key of a score: a hash of the metric's signature and of the texts it read."""
    hashed = hashlib.sha256(signature_digest.encode())
    for text in texts:
        data = text.encode()
        hashed.update(f"|{len(data)}|".encode())
        hashed.update(data)
    return hashed.digest()


class Cache:
    """A content-addressed store of score rows. Use as a context manager.

    path      the SQLite file, or None for one that lives only as long as this object
    required  whether a file that cannot be used (locked, damaged, unwritable, or on a full disk)
              raises DataError. Otherwise there is a warning, the file is left unchanged, and scores
              stored after that live as long as this object, or are not kept if there is no room
    """

    def __init__(self, path: Path | None, *, required: bool = False) -> None:
        self.path = path
        self.stored = 0
        """Rows that this object has put into the file."""
        self._required = required
        self._lost = False
        self._temporary = False
        self._database: sqlite3.Connection | None = None
        if path is None:
            self._open_temporary()
            return
        try:
            self._database = open_database(path, SCHEMA, BUSY_SECONDS)
        except (sqlite3.Error, OSError) as error:
            self.give_up(error)

    @property
    def lost(self) -> bool:
        """Whether the file could not be used."""
        return self._lost

    def give_up(self, error: Exception) -> None:
        """Continues without the file because of this error, with a warning. Raises DataError if
        the file is required."""
        explained = self.explain(error)
        self.close()
        if self._required:
            raise explained from error
        if self.path is not None and not self._lost:
            log.warning("%s. Going on without it.", explained)
            self._lost = True
            self._open_temporary()

    def _open_temporary(self) -> None:
        self._temporary = True
        try:
            self._database = open_database(TEMPORARY, SCHEMA, BUSY_SECONDS)
        except sqlite3.Error as error:
            log.warning("No temporary file for scores (%s): equal rows are scored again.", error)
            self.close()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, dict[str, Any]]:
        """The rows that are stored, by key."""
        rows: dict[bytes, dict[str, Any]] = {}
        if self._database is None:
            return rows
        try:
            for start in range(0, len(keys), 500):
                chunk = keys[start : start + 500]
                marks = ",".join("?" * len(chunk))
                query = f"SELECT key, row FROM scores WHERE key IN ({marks})"
                for key, row in self._database.execute(query, chunk):
                    rows[key] = json.loads(row)
        except (sqlite3.Error, ValueError) as error:
            self.give_up(error)
            return {}
        return rows

    def put(self, rows: Mapping[bytes, Mapping[str, Any]] | Iterable[tuple[bytes, Any]]) -> None:
        """Stores rows in one transaction; a key that another writer stored meanwhile is kept."""
        items = rows.items() if isinstance(rows, Mapping) else rows
        values = [(item, json.dumps(row, ensure_ascii=False)) for item, row in items]
        while self._database is not None and values:
            try:
                _insert(self._database, values)
            except sqlite3.Error as error:
                self.give_up(error)
            else:
                self.stored += 0 if self._temporary else len(values)
                return

    def explain(self, error: Exception) -> DataError:
        """The error to raise instead: names the store and says what to do."""
        text = str(error)
        if "locked" in text:
            advice = "another program holds it; wait, or give another --cache"
        elif "full" in text:
            advice = "the disk is full; free some space and run the same command again"
        elif "not a database" in text:
            advice = "this is not a score cache; give another --cache"
        elif "malformed" in text or isinstance(error, ValueError | DataError):
            advice = "it is damaged; delete it (only time is lost) or give another --cache"
        else:
            advice = "give another place with --cache, or --no-cache"
        return DataError(f"score cache {self.path}: {text}: {advice}")

    def close(self) -> None:
        """Closes the file, and forgets what lives only as long as this object."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, KeyboardInterrupt) and self.stored:
            error.add_note(f"{self.stored} scores are kept in {self.path}")
        self.close()


def _insert(database: sqlite3.Connection, values: Sequence[tuple[bytes, str]]) -> None:
    try:
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT OR IGNORE INTO scores VALUES (?, ?)", values)
        database.execute("COMMIT")
    except sqlite3.Error:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
