"""The columns of all rows that a list is sorted and filtered by, gathered row by row."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

from faithkit.records import JSON, VERDICTS, CutTally, Score
from faithkit.report.views import RowView, ShownMetric

SNIPPET = 160
"""Characters of a summary that the list shows."""

SYSTEM = "system"
MOST_GROUPS = 40
"""A field of more distinct values (an id, a date) is no group."""

DIGITS = 6
"""Significant digits of a value in the list; a row's own view has all of them."""

VERDICT_NAMES = tuple(VERDICTS.values())


class SpanTally:
    """How a metric's marks and the spans of people meet, over rows that people marked.

    A mark is confirmed if it shares a character with an error that a person marked, and such an
    error is found if it shares one with a mark.
    """

    def __init__(self) -> None:
        self.rows = self.marks = self.confirmed = self.spans = self.found = 0

    def add(self, view: RowView, metric: str) -> None:
        """One row more, if people marked it."""
        if not view["annotated"]:
            return
        marks = [mark for mark in view["marks"] if metric in mark["by"]]
        spans = {(span["start"], span["end"]) for span in view["human"] if span["error"]}
        touching = [
            (mark_number, span)
            for mark_number, mark in enumerate(marks)
            for span in spans
            if span[0] < mark["end"] and mark["start"] < span[1]
        ]
        self.rows += 1
        self.marks += len(marks)
        self.spans += len(spans)
        self.confirmed += len({mark_number for mark_number, _ in touching})
        self.found += len({span for _, span in touching})

    def to_dict(self) -> dict[str, JSON]:
        """Counts, each a whole number."""
        return dict(vars(self))


class RowIndex:
    """One entry a row in every column; a metric without a score of a row has None there.

    values, outcomes, verdicts  by metric, in the order of `metrics`
    groups                      by field, the value of each row, None where it has none
    cut, spans                  what was cut, and how marks meet human spans, by metric
    """

    def __init__(self, metrics: Sequence[ShownMetric]) -> None:
        self.metrics = list(metrics)
        self.ids: list[str] = []
        self.documents: list[str] = []
        self.snippets: list[str] = []
        self.marks: list[int] = []
        self.labels: list[int | None] = []
        self.ratings: list[float | None] = []
        self.values: list[list[float | None]] = [[] for _ in metrics]
        self.outcomes: list[list[str | None]] = [[] for _ in metrics]
        self.verdicts: list[list[str | None]] = [[] for _ in metrics]
        self.groups: dict[str, list[str | None]] = {SYSTEM: []}
        self.cut = [CutTally() for _ in metrics]
        self.spans = [SpanTally() for _ in metrics]
        self.problems: list[tuple[str, str]] = []
        self._dropped: set[str] = set()

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, view: RowView, scores: Sequence[Score]) -> None:
        """One row more."""
        by_metric = {score["metric"]: score for score in view["scores"]}
        coverages = {score.metric: score.coverage for score in scores}
        for place, metric in enumerate(self.metrics):
            score = by_metric.get(metric.label)
            self.values[place].append(score["value"] if score else None)
            self.outcomes[place].append(score["outcome"] if score else None)
            self.verdicts[place].append(score["verdict"] if score else None)
            if score:
                self.cut[place].add(coverages[metric.label])
            self.spans[place].add(view, metric.label)
        self._add_groups({**view["fields"], SYSTEM: view["system"]})
        self.ids.append(view["id"])
        self.documents.append(view["document"])
        self.snippets.append(" ".join(view["summary"][: 2 * SNIPPET].split())[:SNIPPET])
        self.marks.append(len(view["marks"]))
        self.labels.append(view["label"])
        self.ratings.append(view["rating"])
        if view["problem"]:
            self.problems.append((view["id"], view["problem"]))

    def _add_groups(self, fields: dict[str, Any]) -> None:
        for name in fields:
            if name not in self.groups and name not in self._dropped:
                self.groups[name] = [None] * len(self)
        for name, column in list(self.groups.items()):
            column.append(fields.get(name))
            # Checked now and then, so that a field that differs in every row is not kept.
            if len(self) % 256 == 255 and len(set(column)) > MOST_GROUPS + 1 and name != SYSTEM:
                del self.groups[name]
                self._dropped.add(name)

    def group_fields(self) -> list[str]:
        """The fields that divide the rows: of 2 to 40 values, with more rows than values."""
        return [
            name
            for name, column in self.groups.items()
            if 2 <= len(values := set(column) - {None}) <= MOST_GROUPS and len(self) > len(values)
        ]

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
            "groups": [_group(name, self.groups[name]) for name in self.group_fields()],
        }
        return columns


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


def _group(name: str, column: Sequence[str | None]) -> dict[str, Any]:
    codes = _Codes(sorted(set(column) - {None}, key=str))  # type: ignore[arg-type]
    return {"field": name, "codes": codes.of(column), "names": codes.names}


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
