"""The columns of all rows that a list is sorted and filtered by, gathered row by row."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from faithkit.records import JSON, VERDICTS, Score
from faithkit.report.totals import SYSTEM, Totals, rounded
from faithkit.report.views import RowView, ShownMetric

SNIPPET = 160
"""Characters of a summary that the list shows at most, without the ellipsis of one that is cut."""

VERDICT_NAMES = tuple(VERDICTS.values())


class RowIndex:
    """The rows of a list: one entry a row in every column; a metric without a score of a row has
    None there.

    totals                      of the rows that were counted, which may be more than are listed
    values, outcomes, verdicts  by metric, in the order of `metrics`
    documents                   of each row, what it is sampled by
    groups                      by field, the value of each row, None if it has none
    """

    def __init__(self, metrics: Sequence[ShownMetric]) -> None:
        self.metrics = list(metrics)
        self.totals = Totals(metrics)
        self.ids: list[str] = []
        self.snippets: list[str] = []
        self.documents: list[str] = []
        self.marks: list[int] = []
        self.labels: list[int | None] = []
        self.ratings: list[float | None] = []
        self.values: list[list[float | None]] = [[] for _ in metrics]
        self.outcomes: list[list[str | None]] = [[] for _ in metrics]
        self.verdicts: list[list[str | None]] = [[] for _ in metrics]
        self.groups: dict[str, list[str | None]] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, view: RowView, scores: Sequence[Score]) -> None:
        """One row more, counted and listed."""
        self.totals.add(view, scores)
        self.show(view)

    def show(self, view: RowView) -> None:
        """One row more of the list."""
        by_metric = {score["metric"]: score for score in view["scores"]}
        for place, metric in enumerate(self.metrics):
            score = by_metric.get(metric.label)
            self.values[place].append(score["value"] if score else None)
            self.outcomes[place].append(score["outcome"] if score else None)
            self.verdicts[place].append(score["verdict"] if score else None)
        self._add_groups({**view["fields"], SYSTEM: view["system"]})
        self.ids.append(view["id"])
        self.snippets.append(snippet(view["summary"]))
        self.documents.append(view["document"])
        self.marks.append(len(view["marks"]))
        self.labels.append(view["label"])
        self.ratings.append(view["rating"])

    def _add_groups(self, fields: dict[str, Any]) -> None:
        """A column for each field that may divide the rows."""
        for name in [name for name in self.groups if name not in self.totals.groups]:
            del self.groups[name]
        for name in self.totals.groups:
            column = self.groups.setdefault(name, [None] * len(self))
            column.append(fields.get(name))

    def worst(self, most: int) -> list[int]:
        """The rows that a list begins with: the lowest values of the first metric, those without
        one last, equal ones in the order of the file."""
        values = self.values[0] if self.values else [None] * len(self)
        return heapq.nsmallest(
            most,
            range(len(self)),
            key=lambda row: (values[row] is None, _rounded(values[row]) or 0.0, row),
        )

    def to_dict(self) -> dict[str, JSON]:
        """The columns as the scripts read them: names once, and codes of them in the rows; -1
        stands for no name."""
        return {"ids": [*self.ids], "snippets": [*self.snippets], **self.numbers()}

    def numbers(self) -> dict[str, JSON]:
        """The same without the rows' own texts, which are most of it."""
        outcomes = _Codes()
        verdicts = _Codes(VERDICT_NAMES)
        rated = any(rating is not None for rating in self.ratings)
        labelled = any(label is not None for label in self.labels)
        columns: dict[str, Any] = {
            "rows": len(self),
            "metrics": [metric.label for metric in self.metrics],
            "marks": self.marks,
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
    """The beginning of a summary on one line. It is cut after a whole word, with an ellipsis.
    A word that is longer than half of it (a script without spaces) is cut itself."""
    read = summary[: 8 * SNIPPET]
    text = " ".join(read.split())
    if len(text) <= SNIPPET and not summary[len(read) :].strip():
        return text
    words = text[: SNIPPET + 1].rpartition(" ")[0].rstrip(" ,;:–—-")
    return f"{words if len(words) > SNIPPET // 2 else text[:SNIPPET]}…"


class _Codes:
    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = list(names)

    def of(self, column: Sequence[str | None]) -> list[int]:
        places = {name: place for place, name in enumerate(self.names)}
        codes = []
        for name in column:
            if name is not None and name not in places:
                places[name] = len(self.names)
                self.names.append(name)
            codes.append(-1 if name is None else places[name])
        return codes


def _rounded(value: float | None) -> float | None:
    return None if value is None else rounded(value)
