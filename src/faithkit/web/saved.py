"""Saved results as the app shows them: columns of the list in memory, rows in a temporary file."""

from __future__ import annotations

import json
import tempfile
import threading
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

from faithkit.records import JSON, DataError, Example, Score
from faithkit.report.overview import overview
from faithkit.report.row_index import RowIndex
from faithkit.report.views import ShownMetric, row_view


class Saved:
    """Results that can be looked at.

    rows   each example with its scores
    files  what the rows came from (see `report.overview.overview`), asked for after the last row
    """

    def __init__(
        self,
        metrics: Sequence[ShownMetric],
        rows: Iterable[tuple[Example, Sequence[Score]]],
        files: Callable[[], Sequence[Mapping[str, JSON]]] = tuple,
    ) -> None:
        self._lock = threading.Lock()
        self._spool = tempfile.TemporaryFile("w+b")  # noqa: SIM115
        self._starts = array("Q", [0])
        index = RowIndex(metrics)
        for example, scores in rows:
            view = row_view(example, scores, metrics)
            index.add(view, scores)
            self._spool.write(json.dumps(view, ensure_ascii=False, allow_nan=False).encode())
            self._starts.append(self._spool.tell())
        self.data: dict[str, Any] = {
            "overview": overview(index.totals, files(), index),
            "index": index.to_dict(),
        }

    def __len__(self) -> int:
        return len(self._starts) - 1

    def row(self, number: int) -> bytes:
        """The view of a row as JSON. Raises IndexError."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        start, end = self._starts[number], self._starts[number + 1]
        with self._lock:
            self._spool.seek(start)
            return self._spool.read(end - start)

    def search(self, text: str) -> list[int]:
        """The rows whose id, summary, source or system has the text, in any case."""
        wanted = text.casefold()
        matching = []
        for number in range(len(self)):
            view = json.loads(self.row(number))
            texts = (view["id"], view["summary"], view["source"], view["system"] or "")
            if any(wanted in one.casefold() for one in texts):
                matching.append(number)
        return matching

    def close(self) -> None:
        """Removes the temporary file."""
        self._spool.close()


@dataclass
class _Kept:
    """Results on the shelf. making: held while they are made, which may take long."""

    title: str
    make: Callable[[], Saved]
    making: threading.Lock = field(default_factory=threading.Lock)
    saved: Saved | None = None


class Shelf:
    """The results of a server by their ids, each made when it is first looked at. Only `get` takes
    long, and nothing else waits for it."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._lock = threading.Lock()

    def put(self, id: str, title: str, make: Callable[[], Saved]) -> None:
        """Adds results. A title that is taken gets a number."""
        with self._lock:
            titles = [kept.title for kept in self._kept.values()]
            numbered = (f"{title} ({number})" for number in count(2))
            free = next(name for name in chain([title], numbered) if name not in titles)
            self._kept[id] = _Kept(free, make)

    def titles(self) -> dict[str, str]:
        """The titles of all, by id, in the order in which they were put here."""
        with self._lock:
            return {id: kept.title for id, kept in self._kept.items()}

    def get(self, id: str) -> Saved | None:
        """The results with this id, None if there are none. May take as long as it takes to read
        them. Raises DataError where they cannot be read."""
        with self._lock:
            kept = self._kept.get(id)
        if kept is None:
            return None
        with kept.making:
            if kept.saved is not None or not self._has(id):
                return kept.saved
            try:
                saved = kept.make()
            except (DataError, OSError):
                if self._has(id):
                    raise
                return None  # removed meanwhile, with its files
            with self._lock:
                if id in self._kept:
                    kept.saved = saved
                    return saved
        saved.close()
        return None

    def remove(self, id: str) -> None:
        """Forgets results. Those that are being made are forgotten once they are."""
        with self._lock:
            kept = self._kept.pop(id, None)
        if kept and kept.saved:
            kept.saved.close()

    def close(self) -> None:
        """Forgets all."""
        for id in list(self._kept):
            self.remove(id)

    def _has(self, id: str) -> bool:
        with self._lock:
            return id in self._kept
