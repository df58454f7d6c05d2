"""Totals of saved results, computed row by row in bounded memory: counts and means over all rows,
and the approximations of `sketches.py`."""

from __future__ import annotations

import copy
import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from faithkit.cut_tally import CutTally
from faithkit.records import JSON, Score
from faithkit.report.sketches import EXACT, Distinct, Quantiles, Sample
from faithkit.report.views import RowView, ShownMetric

SYSTEM = "system"
MOST_GROUPS = 40
"""A field with more distinct values (an id, a date) does not define groups."""

BINS = 20
"""The number of bars of a metric's distribution."""

DIGITS = 6
"""The significant digits of values in the list and of the edges of bars. The view of a row shows
all digits."""


def rounded(value: float) -> float:
    """A value as the list shows it."""
    return float(f"{value:.{DIGITS}g}")


class SpanTally:
    """Counts how far a metric's marks and the errors that people marked overlap, over annotated
    rows.

    A mark is confirmed if it shares a character with an error that a person marked; an error is
    found if it shares a character with a mark.
    """

    def __init__(self) -> None:
        self.rows = self.marks = self.confirmed = self.spans = self.found = 0

    def add(self, view: RowView, metric: str) -> None:
        """Adds a row, if it is annotated."""
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
        """The counts by name."""
        return dict(vars(self))


class Figures:
    """Statistics of the values and verdicts of a metric. exact: the number of values up to which
    the median is exact."""

    def __init__(self, exact: int) -> None:
        self.values = Quantiles(exact)
        self.verdicts: Counter[str] = Counter()
        self._total = self._rest = 0.0

    def add(self, value: float | None, verdict: str | None) -> None:
        """Adds the value and the verdict of a row."""
        if verdict is not None:
            self.verdicts[verdict] += 1
        if value is not None:
            self.values.add(value)
            # Neumaier's sum keeps its precision over millions of rows.
            total = self._total + value
            larger, smaller = sorted((self._total, value), key=abs, reverse=True)
            self._rest += (larger - total) + smaller
            self._total = total

    def to_dict(self) -> dict[str, Any]:
        """The figures in the form that the scripts read."""
        values = self.values
        return {
            "scored": values.count,
            "mean": (self._total + self._rest) / values.count if values.count else None,
            "median": values.median(),
            "least": values.least if values.count else None,
            "greatest": values.greatest if values.count else None,
            "verdicts": dict(self.verdicts),
        }


class Bars:
    """The number of values, rounded as in the list, in each of 20 equal parts of a range. A value
    on the border of two parts belongs to the upper one; the greatest value belongs to the last."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        width = (high - low) / BINS
        self.edges = [*(rounded(low + part * width) for part in range(BINS)), rounded(high)]
        self.counts = [0] * BINS

    def add(self, value: float, count: int = 1) -> None:
        """Adds a value that occurs `count` times."""
        part = bisect_right(self.edges, rounded(value)) - 1 if self.low < self.high else 0
        self.counts[min(max(part, 0), BINS - 1)] += count

    def to_dict(self) -> dict[str, Any]:
        """The figures in the form that the scripts read."""
        return {"edges": self.edges, "counts": self.counts}


class Distribution:
    """Bars over the bounds of a metric. If the bounds are unknown or not finite, over the range of
    the values, which are then taken from their quantiles. The range below 0 is left out if it has
    no values."""

    def __init__(self, bounds: tuple[float, float] | None) -> None:
        self._low, self._high = bounds or (-math.inf, math.inf)
        lows = {self._low, 0.0} if self._low < 0 < self._high else {self._low}
        finite = math.isfinite(self._low) and math.isfinite(self._high)
        self._bars = [Bars(low, self._high) for low in lows] if finite else []

    def add(self, value: float) -> None:
        """Adds a value."""
        for bars in self._bars:
            bars.add(value)

    def to_dict(self, values: Quantiles) -> dict[str, Any] | None:
        """The bars in the form that the scripts read; None without a value. values: the quantiles
        of the values that were added."""
        if not values.count:
            return None
        low = self._low if math.isfinite(self._low) else values.least
        high = self._high if math.isfinite(self._high) else values.greatest
        if low < 0 < high and values.least >= 0:
            low = 0.0
        for bars in self._bars:
            if bars.low == low:
                return bars.to_dict()
        observed = Bars(low, high)
        for value, count in values.counted():
            observed.add(value, count)
        return observed.to_dict()


class MetricTotals:
    """The totals of a metric over all rows.

    absent  the number of rows without a score
    judged  the number of rows by (human label, verdict), of rows that have both
    """

    def __init__(self, metric: ShownMetric, exact: int) -> None:
        self.metric = metric
        self.figures = Figures(exact)
        self.distribution = Distribution(metric.bounds)
        self.outcomes: Counter[str] = Counter()
        self.absent = 0
        self.cut = CutTally()
        self.spans = SpanTally()
        self.judged: Counter[tuple[int, str]] = Counter()


class Group:
    """The totals of the rows with the same value of a field."""

    def __init__(self, metrics: int, exact: int) -> None:
        self.rows = self.labelled = self.consistent = 0
        self.figures = [Figures(exact) for _ in range(metrics)]

    def add(self, label: int | None, cells: Sequence[tuple[float | None, str | None]]) -> None:
        """Adds a row. cells: the value and the verdict of each metric."""
        self.rows += 1
        if label is not None:
            self.labelled += 1
            self.consistent += label
        for figures, (value, verdict) in zip(self.figures, cells, strict=True):
            figures.add(value, verdict)


class Totals:
    """The totals of all rows.

    metrics   the totals of each metric, in order
    groups    the totals by field and value; None for rows without the field
    sample    columns: the values of each metric, the labels, the ratings
    problems  the number of rows whose human spans cannot be shown; `first_problem` has the id and
              the message of the first
    exact     the number of values up to which a figure is exact
    """

    def __init__(self, metrics: Sequence[ShownMetric], exact: int = EXACT) -> None:
        self.metrics = [MetricTotals(metric, exact) for metric in metrics]
        self.exact = exact
        self.rows = self.labelled = self.rated = 0
        self.documents = Distinct(exact)
        self.sample = Sample(len(metrics) + 2, exact)
        self.groups: dict[str, dict[str | None, Group]] = {SYSTEM: {}}
        self.problems = 0
        self.first_problem: tuple[str, str] | None = None
        self._all = self._group()
        self._dropped: set[str] = set()

    def _group(self) -> Group:
        return Group(len(self.metrics), self.exact // MOST_GROUPS)

    def add(self, view: RowView, scores: Sequence[Score]) -> None:
        """Adds a row."""
        by_metric = {score["metric"]: score for score in view["scores"]}
        coverages = {score.metric: score.coverage for score in scores}
        label, rating = view["label"], view["rating"]
        cells: list[tuple[float | None, str | None]] = []
        for totals in self.metrics:
            name = totals.metric.label
            score = by_metric.get(name)
            totals.spans.add(view, name)
            if score is None:
                totals.absent += 1
                cells.append((None, None))
                continue
            value, verdict = score["value"], score["verdict"]
            cells.append((value, verdict))
            totals.outcomes[score["outcome"]] += 1
            totals.cut.add(coverages[name])
            totals.figures.add(value, verdict)
            if value is not None:
                totals.distribution.add(value)
            if label is not None and verdict is not None:
                totals.judged[label, verdict] += 1
        self._add_groups({**view["fields"], SYSTEM: view["system"]}, label, cells)
        self.sample.add([*(value for value, _ in cells), label, rating])
        self.documents.add(view["document"])
        self.rows += 1
        self.labelled += label is not None
        self.rated += rating is not None
        if view["problem"]:
            self.problems += 1
            self.first_problem = self.first_problem or (view["id"], view["problem"])

    def _add_groups(
        self,
        fields: Mapping[str, str | None],
        label: int | None,
        cells: Sequence[tuple[float | None, str | None]],
    ) -> None:
        """Adds a row to the group of each field; drops fields with too many values."""
        for name in fields:
            if name not in self.groups and name not in self._dropped:
                # The rows before this one have no such field.
                self.groups[name] = {None: copy.deepcopy(self._all)} if self.rows else {}
        for name, groups in list(self.groups.items()):
            value = fields.get(name)
            if value not in groups:
                groups[value] = self._group()
            groups[value].add(label, cells)
            if len(groups.keys() - {None}) > MOST_GROUPS:
                del self.groups[name]
                self._dropped.add(name)
        self._all.add(label, cells)

    def group_fields(self) -> list[str]:
        """The fields that divide the rows into groups: those with 2 to 40 values, at least one of
        which occurs in several rows. An empty text is a value; a row without the field has none."""
        return [name for name, groups in self.groups.items() if _divides(groups)]

    def notes(self) -> Iterator[str]:
        """A note on the figures that are not exact, if there are any."""
        if not self.sample.is_whole:
            yield (
                f"With more than {self.exact:,} rows, a median is within 0.1% of its value "
                "(DDSketch), the bars of a metric without bounds as well, the number of documents "
                f"within {300 / math.sqrt(self.exact):.1f}%, and AUC and rank correlations are of "
                f"{self.exact:,} rows drawn at random. Counts and means are of all rows."
            )


def _divides(groups: Mapping[str | None, Group]) -> bool:
    rows = [group.rows for value, group in groups.items() if value is not None]
    return 2 <= len(rows) <= MOST_GROUPS and max(rows) > 1
