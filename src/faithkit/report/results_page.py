"""The page of saved results: overview, list and pairs, in one file that opens fast.

The page begins with the overview, the numbers by which the list is sorted and filtered, and the
texts of its first rows. The texts of the other rows of the list and the rows themselves follow in
blocks of JSON; the script parses a block when one of its rows is shown. So the work of the browser
at the start does not grow with the texts. Neither does the memory of this process, since rows are
spooled to a temporary file. A source that several rows share is stored once.
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
"""A block ends after the row that reaches one of these."""

FIRST_ROWS = 50
"""Rows on a page of the list (`PAGE_ROWS` in list.js); their texts are stored with the numbers."""

_ROWS_HERE = "<!-- rows -->"


class _Blocks:
    """Collects JSON values in script elements `NAME-0`, `NAME-1`, ...; `starts` has the number of
    the first value in each."""

    def __init__(self, name: str, spool: IO[str]) -> None:
        self.starts: list[int] = []
        self.count = 0
        self._name = name
        self._spool = spool
        self._pending: list[str] = []
        self._size = 0

    def add(self, value: Any) -> None:
        """Adds a value."""
        text = script_json(value)
        if not self._pending:
            self.starts.append(self.count)
        self._pending.append(text)
        self._size += len(text)
        self.count += 1
        if self._size >= BLOCK_CHARACTERS or len(self._pending) >= BLOCK_ROWS:
            self.end()

    def end(self) -> None:
        """Writes the values of an unfinished block."""
        if self._pending:
            name = f"{self._name}-{len(self.starts) - 1}"
            self._spool.write(_element(name, f"[{','.join(self._pending)}]"))
            self._pending, self._size = [], 0


class _Worst:
    """Collects the `most` rows with the lowest values. Rows without a value are included only if
    the others are too few; of rows with equal values the first are taken."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._heap: list[tuple[float, int, Example, RowView]] = []
        self._count = 0

    def add(self, value: float | None, example: Example, view: RowView) -> None:
        """Adds a row."""
        self._count += 1
        # The smallest item of the heap is the row that goes first.
        item = (-math.inf if value is None else -value, -self._count, example, view)
        if len(self._heap) < self.most:
            heapq.heappush(self._heap, item)
        else:
            heapq.heappushpop(self._heap, item)

    def rows(self) -> Iterator[tuple[Example, RowView]]:
        """The collected rows, in the order in which they were added."""
        for _, _, example, view in sorted(self._heap, key=lambda item: -item[1]):
            yield example, view


class ResultsPage:
    """Takes rows one by one, then writes the page. Use it in a `with` statement, which deletes the
    temporary file.

    worst  the number of rows to list, those with the lowest values of the first metric, then those
           without a value; None: all rows. The overview is of all rows in any case
    """

    def __init__(self, metrics: Sequence[ShownMetric], worst: int | None = None) -> None:
        self._metrics = list(metrics)
        self._worst = None if worst is None else _Worst(worst)
        self._index = RowIndex(metrics)
        self._spool = tempfile.TemporaryFile("w+", encoding="utf-8", newline="")  # noqa: SIM115
        self._rows = _Blocks("rows", self._spool)
        self._sources = _Blocks("sources", self._spool)
        self._source_numbers: dict[bytes, int] = {}

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
        """Adds a row with its scores; a metric may have none."""
        view = row_view(example, scores, self._metrics)
        self._index.totals.add(view, scores)
        if self._worst is None:
            self._list(example, view)
        else:
            first = self._metrics[0].label if self._metrics else ""
            value = next((score.value for score in scores if score.metric == first), None)
            self._worst.add(value, example, view)

    def _list(self, example: Example, view: RowView) -> None:
        """Adds a row to the list."""
        self._index.show(view)
        self._rows.add({**view, "source": self._source(example.source)})

    def _source(self, text: str) -> int:
        """The number of a source among the stored ones; stores it if it is new."""
        digest = hashlib.sha256(text.encode()).digest()
        if digest not in self._source_numbers:
            self._source_numbers[digest] = self._sources.count
            self._sources.add(text)
        return self._source_numbers[digest]

    def write(
        self,
        path: Path,
        *,
        title: str | None = None,
        files: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Writes the page. Raises DataError if it cannot be written.

        title  default: the metrics and the files of pairs
        files  the files of the rows, as in `evaluation.results.Results.files`
        """
        if self._worst is not None:
            for example, view in self._worst.rows():
                self._list(example, view)
        self._rows.end()
        self._sources.end()
        index = self._index
        shown = overview(index.totals, files, index)
        if len(index) < len(self):
            first = self._metrics[0].label if self._metrics else "the first metric"
            shown["notes"].insert(
                0,
                f"The list has the {len(index):,} rows with the lowest {first}, of {len(self):,}. "
                "The figures of this overview are of all rows.",
            )
        worst = index.worst(FIRST_ROWS)
        listed = [[row, *item] for row, item in zip(worst, index.listed(worst), strict=True)]
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
        """The text of the page, piece by piece. before, after: what surrounds the rows."""
        yield before
        index = self._index
        for number, start in enumerate(range(0, len(index), BLOCK_ROWS)):
            listed = index.listed(range(start, min(start + BLOCK_ROWS, len(index))))
            yield _element(f"listed-{number}", script_json(listed))
        self._spool.seek(0)
        while piece := self._spool.read(1 << 20):
            yield piece
        # The page's script looks for this element to know that the last block is complete.
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
