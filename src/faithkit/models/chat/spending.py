"""The budget of a chat model behind an API, and the rate of requests to a server, shared by all
processes that name the same SQLite file. If the file cannot be used, no request is sent.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faithkit.database import IN_MEMORY, open_database
from faithkit.models.chat.limits import Limits
from faithkit.records import DataError

BUSY_SECONDS = 60.0
"""How long to wait for a file that another process has locked."""

BYTES_A_TOKEN = 3
"""For the estimate of a prompt's tokens before it is sent; English has about four."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS spent (
    one INTEGER PRIMARY KEY CHECK (one = 1), requests INTEGER, tokens INTEGER, cost REAL);
INSERT OR IGNORE INTO spent VALUES (1, 0, 0, 0);
CREATE TABLE IF NOT EXISTS hosts (host TEXT PRIMARY KEY, next REAL);
"""


class Spent(Exception):
    """The next request would exceed a limit; the message names the limit as the user gave it."""


class Budget:
    """Counts the requests, tokens and dollars spent. Every method raises DataError if the file
    cannot be used, since nothing may be spent without being counted.

    path   the file; "": in memory, for this process only
    clock  gives the time in seconds
    """

    def __init__(self, path: str = "", clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = path, clock
        self._lock = threading.Lock()
        with self._explained():
            database = Path(path).expanduser() if path else IN_MEMORY
            self._database = open_database(database, SCHEMA, BUSY_SECONDS)

    def __reduce__(self) -> tuple[Any, ...]:
        return Budget, (self._path,)

    def take(self, limits: Limits, prompt: str, answer_tokens: int) -> tuple[int, int]:
        """Counts a request with an upper estimate of its tokens, and returns the estimate, (input,
        output), for `settle`. Raises Spent if the request would exceed a limit."""
        expected = len(prompt.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN, answer_tokens
        tokens, cost = sum(expected), _cost(limits, expected)
        with self._transaction():
            (spent,) = self._database.execute("SELECT requests, tokens, cost FROM spent")
            for name, remaining, needed in (
                ("max_requests", _remaining(limits.max_requests, spent[0]), 1),
                ("max_total_tokens", _remaining(limits.max_total_tokens, spent[1]), tokens),
                ("max_cost", _remaining(limits.max_cost, spent[2]), cost),
            ):
                if remaining is not None and needed > remaining:
                    raise Spent(f"{name}={getattr(limits, name):.15g}")
            self._add(1, tokens, cost)
        return expected

    def settle(self, limits: Limits, expected: tuple[int, int], used: tuple[int, int]) -> None:
        """Replaces the estimated tokens of a request by the used ones, both (input, output)."""
        difference = used[0] - expected[0], used[1] - expected[1]
        with self._transaction():
            self._add(0, sum(difference), _cost(limits, difference))

    def _add(self, requests: int, tokens: int, cost: float) -> None:
        self._database.execute(
            "UPDATE spent SET requests = requests + ?, tokens = tokens + ?, cost = cost + ?",
            (requests, tokens, cost),
        )

    def spent(self) -> tuple[int, int, float]:
        """The requests, tokens and dollars so far."""
        with self._transaction():
            (row,) = self._database.execute("SELECT requests, tokens, cost FROM spent")
        return row[0], row[1], row[2]

    def turn(self, host: str, per_minute: float) -> float:
        """Counts a request to the server and returns 0 if it may be sent now; otherwise the seconds
        to wait. If the clock is set back, the wait is at most one interval."""
        interval = 60 / per_minute
        with self._transaction():
            now = self._clock()
            row = self._database.execute("SELECT next FROM hosts WHERE host = ?", (host,))
            following = next(row, (now,))[0]
            if now < following <= now + interval:
                return float(following - now)
            self._database.execute(
                "INSERT OR REPLACE INTO hosts VALUES (?, ?)", (host, now + interval)
            )
        return 0.0

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, self._explained():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            finally:
                self._database.execute("COMMIT")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise DataError(
                f"budget {self._path or 'in memory'}: {error}; nothing is asked that cannot be "
                "counted. Give another budget=FILE"
            ) from error


def _remaining(limit: float | None, spent: float) -> float | None:
    return None if limit is None else limit - spent


def _cost(limits: Limits, tokens: tuple[int, int]) -> float:
    """The price of (input, output) tokens in dollars; 0 without prices."""
    if limits.token_prices is None:
        return 0.0
    price_in, price_out = limits.token_prices
    return (tokens[0] * price_in + tokens[1] * price_out) / 1e6
