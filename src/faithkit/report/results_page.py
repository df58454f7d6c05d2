"""The page of saved results: overview, list and pairs, in one file that opens fast.

The page begins with the overview, the numbers that the list is sorted and filtered by, and the
texts of its first rows; then come the texts of the list's other rows, and the rows themselves, in
blocks of JSON, and the script reads a block when a row of it is shown. So what a browser does at
the start does not grow with the texts, and neither does the memory here: rows are spooled to a
temporary file. A source that several rows share is stored once.
"""

from __future__ import annotations

import hashlib
import heapq
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from faithkit import writing
from faithkit.records import Example, Score
from faithkit.report.overview import overview
from faithkit.report.pages import render_results, script_json
from faithkit.report.row_index import RowIndex
from faithkit.report.views import RowView, ShownMetric, row_view

BLOCK_CHARACTERS = 500_000
BLOCK_ROWS = 500
"""A block ends with the row that reaches either."""

FIRST_ROWS = 50
"""Rows on a page of the list (`PAGE_ROWS` of list.js): their texts come with the numbers."""

_ROWS_HERE = "<!-- rows -->"


class _Blocks:
    """JSON values gathered into script elements `NAME-0`, `NAME-1`, ...; `starts` is the number of
    the first value in each."""

    def __init__(self, name: str, spool: IO[str]) -> None:
        self.starts: list[int] = []
        self.count = 0
        self._name = name
        self._spool = spool
        self._pending: list[str] = []
        self._size = 0

    def add(self, value: Any) -> None:
        text = script_json(value)
        if not self._pending:
            self.starts.append(self.count)
        self._pending.append(text)
        self._size += len(text)
        self.count += 1
        if self._size >= BLOCK_CHARACTERS or len(self._pending) >= BLOCK_ROWS:
            self.end()

    def end(self) -> None:
        if self._pending:
            name = f"{self._name}-{len(self.starts) - 1}"
            self._spool.write(_element(name, f"[{','.join(self._pending)}]"))
            self._pending, self._size = [], 0


class _Worst:
    """The rows with the lowest values, and if these are too few, rows without one; the first of
    equal ones. In the order in which they came."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._heap: list[tuple[float, int, Example, RowView]] = []
        self._count = 0

    def add(self, value: float | None, example: Example, view: RowView) -> None:
        """One row more."""
        self._count += 1
        # The smallest item of the heap is the row that goes first.
        item = (-math.inf if value is None else -value, -self._count, example, view)
        if len(self._heap) < self.most:
            heapq.heappush(self._heap, item)
        else:
            heapq.heappushpop(self._heap, item)

    def rows(self) -> Iterator[tuple[Example, RowView]]:
        for _, _, example, view in sorted(self._heap, key=lambda item: -item[1]):
            yield example, view


class ResultsPage:
    """Rows are added one by one, then the page is written. Used with `with`, so that the temporary
    file goes in the end.

    worst  how many rows are listed, those with the lowest values of the first metric (then those
           without a value); the overview is of all rows. None: all are listed
    """

    def __init__(self, metrics: Sequence[ShownMetric], worst: int | None = None) -> None:
        self._metrics = list(metrics)
        self._worst = None if worst is None else _Worst(worst)
        self._index = RowIndex(metrics)
        self._spool = tempfile.TemporaryFile("w+", encoding="utf-8", newline="")  # noqa: SIM115
        self._rows = _Blocks("rows", self._spool)
        self._sources = _Blocks("sources", self._spool)
        self._places: dict[bytes, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._spool.close()

    def __len__(self) -> int:
        return self._index.totals.rows

    def add(self, example: Example, scores: Sequence[Score]) -> None:
        """One row more, with its scores (those of metrics that have none may be absent)."""
        view = row_view(example, scores, self._metrics)
        self._index.totals.add(view, scores)
        if self._worst is None:
            self._list(example, view)
        else:
            first = self._metrics[0].label if self._metrics else ""
            value = next((score.value for score in scores if score.metric == first), None)
            self._worst.add(value, example, view)

    def _list(self, example: Example, view: RowView) -> None:
        self._index.show(view)
        self._rows.add({**view, "source": self._source(example.source)})

    def _source(self, text: str) -> int:
        digest = hashlib.sha256(text.encode()).digest()
        if digest not in self._places:
            self._places[digest] = self._sources.count
            self._sources.add(text)
        return self._places[digest]

    def write(
        self,
        path: Path,
        *,
        title: str | None = None,
        files: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Writes the page. Raises DataError if it cannot be written.

        title  by default the metrics and the files of pairs
        files  what the rows came from, as `evaluation.results.Results.files` says it
        """
        if self._worst is not None:
            for example, view in self._worst.rows():
                self._list(example, view)
        self._rows.end()
        self._sources.end()
        index, listed = self._index, []
        shown = overview(index.totals, files, index)
        if len(index) < len(self):
            first = self._metrics[0].label if self._metrics else "the first metric"
            shown["notes"].insert(
                0,
                f"The list has the {len(index):,} rows with the lowest {first}, of {len(self):,}. "
                "The figures of this overview are of all rows.",
            )
        for place in index.worst(FIRST_ROWS):
            listed.append([place, index.ids[place], index.snippets[place]])
        blocks: dict[str, Any] = {
            "listed": list(range(0, len(index), BLOCK_ROWS)),
            "rows": self._rows.starts,
            "sources": self._sources.starts,
        }
        before, _, after = render_results(
            title=title or self._title(files),
            lines=[_described(file) for file in files],
            overview=script_json(shown),
            index=script_json({**index.numbers(), "first": listed, "blocks": blocks}),
            rows_here=_ROWS_HERE,
        ).partition(_ROWS_HERE)
        writing.write_text(path, self._pieces(before, after))

    def _title(self, files: Sequence[Mapping[str, Any]]) -> str:
        shown = ", ".join(metric.label for metric in self._metrics)
        return f"{shown}: {', '.join(str(file['pairs']) for file in files)}" if files else shown

    def _pieces(self, before: str, after: str) -> Iterator[str]:
        yield before
        index = self._index
        for number, start in enumerate(range(0, len(index), BLOCK_ROWS)):
            block = slice(start, start + BLOCK_ROWS)
            listed = list(zip(index.ids[block], index.snippets[block], strict=True))
            yield _element(f"listed-{number}", script_json(listed))
        self._spool.seek(0)
        while piece := self._spool.read(1 << 20):
            yield piece
        # What the page's script looks for behind the last block, to know that it is whole.
        yield "<div></div>"
        yield after


def _element(name: str, json: str) -> str:
    return f'<script type="application/json" id="{name}">{json}</script>\n'


def _described(file: Mapping[str, Any]) -> str:
    """`51 rows of pairs.jsonl, in scores.jsonl, finished 2026-11-23`."""
    parts = [f"{file['rows']:,} rows of {file['pairs']}"]
    if file["scores"]:
        parts.append(f"scores in {', '.join(file['scores'])}")
    if file["finished"]:
        parts.append(f"scored {file['finished'][:10]}")
    return "; ".join(parts)
