"""SQLite files that several processes write at once."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

IN_MEMORY = ":memory:"

TEMPORARY = ""
"""What SQLite calls a database of its own: in memory, and in a file without a name from a few MB
on, which goes with the connection."""

SETTINGS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
"""Readers go on beside a writer; a power cut may lose the last second."""

PAUSE_SECONDS = 0.05


def open_database(path: Path | str, schema: str, wait: float) -> sqlite3.Connection:
    """A connection to the database in a file, which is made with its folder where it is missing, or
    to one that lives as long as the connection (IN_MEMORY, TEMPORARY). Statements are transactions
    of their own. It is for one thread at a time, but not always the same.

    schema  statements that change nothing if the tables exist
    wait    seconds for which a file that another process has locked is waited for

    Raises sqlite3.Error or OSError where the file cannot be used.
    """
    if isinstance(path, Path):
        path.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + wait
    while True:
        try:
            return _connected(path, schema, wait)
        except sqlite3.OperationalError as error:
            # SQLite does not wait where two processes make the same file at once.
            if "locked" not in str(error) or time.monotonic() >= end:
                raise
            time.sleep(PAUSE_SECONDS)


def _connected(path: Path | str, schema: str, wait: float) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
    try:
        database.executescript((SETTINGS if isinstance(path, Path) else "") + schema)
    except sqlite3.Error:
        database.close()
        raise
    return database
