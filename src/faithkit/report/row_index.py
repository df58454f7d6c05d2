"""The columns by which a list of rows is sorted and filtered, collected row by row."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Any

from faithkit.records import JSON, VERDICTS, Score
from faithkit.report.totals import SYSTEM, Totals, rounded
from faithkit.report.views import RowView, ShownMetric

SNIPPET = 160
"""The most characters of a summary that the list shows, without the ellipsis of a truncated one."""

NAMED_MARKS, MARK_LETTERS = 3, 60
"""So many marks of a row the list shows, each with so many characters at most."""

VERDICT_NAMES = tuple(VERDICTS.values())


class RowIndex:
    """The rows of a list. Every column has an entry for each row, None if a metric has not scored
    it.

    totals                      the totals of all counted rows, which may be more than the listed
                                ones
    values, outcomes, verdicts  a column for each metric, in the order of `metrics`
    marks                       how many marks each row has, of any metric
    marks_by                    how many of them each metric made, a column for each metric; a mark
                                of several metrics counts for each
    documents                   the document of each row, the unit of resampling
    marked                      the words of each row's most doubtful marks, the most doubtful first
    groups                      for each field, the value of each row, None if it has none
    """

    def __init__(self, metrics: Sequence[ShownMetric]) -> None:
        self.metrics = list(metrics)
        self.totals = Totals(metrics)
        self.ids: list[str] = []
        self.snippets: list[str] = []
        self.marked: list[list[str]] = []
        self.documents: list[str] = []
        self.marks: list[int] = []
        self.marks_by: list[list[int]] = [[] for _ in metrics]
        self.labels: list[int | None] = []
        self.ratings: list[float | None] = []
        self.values: list[list[float | None]] = [[] for _ in metrics]
        self.outcomes: list[list[str | None]] = [[] for _ in metrics]
        self.verdicts: list[list[str | None]] = [[] for _ in metrics]
        self.groups: dict[str, list[str | None]] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, view: RowView, scores: Sequence[Score]) -> None:
        """Adds a row to the totals and to the list."""
        self.totals.add(view, scores)
        self.show(view)

    def show(self, view: RowView) -> None:
        """Adds a row to the list."""
        by_metric = {score["metric"]: score for score in view["scores"]}
        for index, metric in enumerate(self.metrics):
            score = by_metric.get(metric.label)
            self.values[index].append(score["value"] if score else None)
            self.outcomes[index].append(score["outcome"] if score else None)
            self.verdicts[index].append(score["verdict"] if score else None)
            self.marks_by[index].append(sum(metric.label in mark["by"] for mark in view["marks"]))
        self._add_groups({**view["fields"], SYSTEM: view["system"]})
        self.ids.append(view["id"])
        self.snippets.append(snippet(view["summary"]))
        self.marked.append(marked_words(view))
        self.documents.append(view["document"])
        self.marks.append(len(view["marks"]))
        self.labels.append(view["label"])
        self.ratings.append(view["rating"])

    def _add_groups(self, fields: dict[str, Any]) -> None:
        """Adds a row's values of the fields that may divide the rows."""
        for name in [name for name in self.groups if name not in self.totals.groups]:
            del self.groups[name]
        for name in self.totals.groups:
            column = self.groups.setdefault(name, [None] * len(self))
            column.append(fields.get(name))

    def worst(self, most: int) -> list[int]:
        """The numbers of the first `most` rows of the list: sorted by the value of the first
        metric, rows without a value last, equal values in the order of the file."""
        values = self.values[0] if self.values else [None] * len(self)
        return heapq.nsmallest(
            most,
            range(len(self)),
            key=lambda row: (values[row] is None, _rounded(values[row]) or 0.0, row),
        )

    def to_dict(self) -> dict[str, JSON]:
        """The columns in the form that the scripts read: a list of names, and their indices in the
        rows; -1 for no name."""
        return {"listed": [*self.listed(range(len(self)))], **self.numbers()}

    def listed(self, rows: Iterable[int]) -> list[list[JSON]]:
        """Id, snippet and marked words of some rows."""
        return [[self.ids[row], self.snippets[row], [*self.marked[row]]] for row in rows]

    def numbers(self) -> dict[str, JSON]:
        """As `to_dict`, but without what is listed of each row, which is most of it."""
        outcomes = _Codes()
        verdicts = _Codes(VERDICT_NAMES)
        rated = any(rating is not None for rating in self.ratings)
        labelled = any(label is not None for label in self.labels)
        columns: dict[str, Any] = {
            "rows": len(self),
            "metrics": [metric.label for metric in self.metrics],
            "marks": self.marks,
            "marks_by": self.marks_by if len(self.metrics) > 1 else None,
            "labels": self.labels if labelled else None,
            "ratings": self.ratings if rated else None,
            "values": [[_rounded(value) for value in column] for column in self.values],
            "outcomes": [outcomes.of(column) for column in self.outcomes],
            "outcome_names": outcomes.names,
            "verdicts": [verdicts.of(column) for column in self.verdicts],
            "verdict_names": verdicts.names,
            "groups": [self._group(name) for name in self.totals.group_fields()],
        }
        return columns

    def _group(self, field: str) -> dict[str, Any]:
        codes = _Codes(sorted(name for name in self.totals.groups[field] if name is not None))
        return {"field": field, "codes": codes.of(self.groups[field]), "names": codes.names}


def snippet(summary: str) -> str:
    """The beginning of a summary on one line, truncated after a word, with an ellipsis. A word
    longer than half of SNIPPET (in a script without spaces) is truncated itself."""
    beginning = summary[: 8 * SNIPPET]
    text = " ".join(beginning.split())
    if len(text) <= SNIPPET and not summary[len(beginning) :].strip():
        return text
    words = text[: SNIPPET + 1].rpartition(" ")[0].rstrip(" ,;:–—-")
    return f"{words if len(words) > SNIPPET // 2 else text[:SNIPPET]}…"


def marked_words(view: RowView) -> list[str]:
    """The words of the NAMED_MARKS most doubtful marks of a row, each on one line and truncated
    after MARK_LETTERS characters."""
    text = view["summary"].encode("utf-16-le")  # its code units are what offsets count
    found = []
    for mark in sorted(view["marks"], key=lambda mark: mark["number"])[:NAMED_MARKS]:
        words = " ".join(text[2 * mark["start"] : 2 * mark["end"]].decode("utf-16-le").split())
        found.append(words if len(words) <= MARK_LETTERS else f"{words[:MARK_LETTERS].rstrip()}…")
    return found


class _Codes:
    """Replaces names by their indices in the list `names`, which grows with new names."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = list(names)

    def of(self, column: Sequence[str | None]) -> list[int]:
        """The index of each name; -1 for None."""
        indices = {name: index for index, name in enumerate(self.names)}
        codes = []
        for name in column:
            if name is not None and name not in indices:
                indices[name] = len(self.names)
                self.names.append(name)
            codes.append(-1 if name is None else indices[name])
        return codes


def _rounded(value: float | None) -> float | None:
    return None if value is None else rounded(value)
