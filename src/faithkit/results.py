"""What Python gets of a check and of a run: `Check` and `Scores`.

Both hold texts and scores only, no model, so that they can be pickled and kept. Making them is in
`scorer.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, overload

from faithkit import flat
from faithkit.records import (
    JSON,
    ConfigError,
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
    did_you_mean,
    probability_of,
)
from faithkit.report import marked
from faithkit.report.marks import marks_of
from faithkit.report.views import ShownMetric

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped,import-not-found,unused-ignore]
    import pyarrow as pa

    from faithkit.run import Prepared

THRESHOLDS = ("undecided_from", "consistent_from")
"""Names of a verdict's thresholds in JSON."""

SHOWN = 5
"""Rows that a notebook shows of a run."""


@dataclass(frozen=True, slots=True, repr=False)
class Check:
    """One summary and the result of each metric; the properties are those of the first metric.

    Printed, it is the summary with its doubtful words marked and the evidence for each; in a
    notebook the same with colours.
    """

    example: Example
    scores: tuple[Score, ...]
    metrics: tuple[ShownMetric, ...]

    @property
    def id(self) -> str:
        """The example's id; `summary` of a single summary."""
        return self.example.id

    @property
    def score(self) -> Score:
        """The first metric's score."""
        return self.scores[0]

    @property
    def value(self) -> float | None:
        """The first metric's number, higher is better; None where it has none (see `outcome`)."""
        return self.score.value

    @property
    def outcome(self) -> Outcome:
        """`ok`, or why there is no score."""
        return self.score.outcome

    @property
    def verdict(self) -> str | None:
        """`consistent`, `not consistent` or `undecided`; None of a metric that gives no verdict,
        and of an unscored summary."""
        return self.score.verdict

    @property
    def probability(self) -> float | None:
        """The probability that the summary is consistent, in [0, 1]; None of a metric that gives
        none."""
        return probability_of(self.score, self.metrics[0].unit)

    @property
    def verdict_thresholds(self) -> tuple[float, float] | None:
        """The probabilities from which the verdict is `undecided` and `consistent`; None of a
        metric that does not say."""
        return self.metrics[0].verdict_thresholds

    @property
    def spans(self) -> tuple[Span, ...]:
        """The unsupported words, as characters of the summary."""
        return self.score.spans

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Characters of the source, each with the words of the summary that it is for."""
        return self.score.evidence

    @property
    def marked(self) -> list[str]:
        """The doubtful words of all metrics, the most doubtful first."""
        marks = marks_of(self.example.summary, self.scores)
        return [self.example.summary[mark.start : mark.end] for mark in marks]

    def __str__(self) -> str:
        return marked.as_text(self.example, self.scores, self._by_label)

    def __repr__(self) -> str:
        value = "None" if self.value is None else f"{self.value:.4f}"
        outcome = "" if self.outcome is Outcome.OK else f", outcome={str(self.outcome)!r}"
        return (
            f"Check(id={self.example.id!r}, value={value}, verdict={self.verdict!r}, "
            f"marked={self.marked!r}{outcome})"
        )

    def _repr_html_(self) -> str:
        return marked.as_html(self.example, self.scores, self._by_label)

    @property
    def _by_label(self) -> dict[str, ShownMetric]:
        return {metric.label: metric for metric in self.metrics}


def shown_metrics(prepared: Sequence[Prepared]) -> tuple[ShownMetric, ...]:
    """How metrics that are ready to score are shown, in their order. Two with the same title have
    their labels as titles."""
    titles = [scorer.metric.title or scorer.metric.name for scorer in prepared]
    return tuple(
        ShownMetric(
            label=scorer.label,
            unit=scorer.metric.unit,
            bounds=scorer.metric.bounds,
            signature=scorer.signature,
            trained_on=tuple(sorted(scorer.trained_on)),
            title=title if titles.count(title) == 1 else scorer.label,
            verdict_thresholds=scorer.verdict_thresholds,
            marks_words=scorer.metric.marks_words,
        )
        for scorer, title in zip(prepared, titles, strict=True)
    )


def check_fields(
    example: Example, score: Score, unit: str, thresholds: tuple[float, float] | None
) -> dict[str, JSON]:
    """What `faithkit check --json` and the API say of a score beside its numbers: the verdict with
    its probability and thresholds, and spans and evidence with the words that are there.

    unit, thresholds  of the metric
    """
    return {
        "verdict": score.verdict,
        "probability": probability_of(score, unit),
        "limits": None if thresholds is None else dict(zip(THRESHOLDS, thresholds, strict=True)),
        "spans": [
            {**asdict(span), "text": example.summary[span.start : span.end]} for span in score.spans
        ],
        "evidence": [
            {**asdict(item), "text": example.source[item.start : item.end]}
            for item in score.evidence
        ],
    }


@dataclass(frozen=True, repr=False)
class Scores(Sequence[Score]):
    """The scores of a run: a sequence with, for each example in order, one Score for each metric.

    checks   the same by example
    metrics  the metrics, in order
    """

    checks: tuple[Check, ...]
    metrics: tuple[ShownMetric, ...]
    _rows: tuple[Score, ...] = field(init=False)

    def __post_init__(self) -> None:
        rows = tuple(score for check in self.checks for score in check.scores)
        object.__setattr__(self, "_rows", rows)

    @overload
    def __getitem__(self, index: int) -> Score: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Score, ...]: ...
    def __getitem__(self, place: int | slice) -> Score | tuple[Score, ...]:
        return self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Score]:
        return iter(self._rows)

    def worst(self, count: int = 20, metric: str | None = None) -> list[Check]:
        """The checks with the least values of a metric (by default the first), the least first.
        Unscored rows have no value and are not among them. Raises ConfigError on a metric that was
        not run, and on a negative count."""
        if count < 0:
            raise ConfigError(f"count should be 0 or more, found {count}.")
        column = self._column(metric)
        valued = [
            (score.value, check)
            for check in self.checks
            for score in check.scores
            if score.metric == column and score.value is not None
        ]
        return [check for _, check in sorted(valued, key=lambda pair: pair[0])[:count]]

    def unscored(self, metric: str | None = None) -> list[Check]:
        """The checks without a value of a metric (by default the first)."""
        column = self._column(metric)
        return [
            check
            for check in self.checks
            if any(score.metric == column and score.value is None for score in check.scores)
        ]

    def to_arrow(self, keep_columns: bool = False) -> pa.Table:
        """A flat table: the columns that `faithkit score -o out.parquet` writes.

        keep_columns  whether it has the texts and the other columns of the input too
        """
        import pyarrow as pa

        header = flat.header_of(((c.example, c.scores) for c in self.checks), keep_columns)
        metrics = {metric.label: metric for metric in self.metrics}
        rows = [
            flat.cells(score, check.example, header, metrics[score.metric])
            for check in self.checks
            for score in check.scores
        ]
        return pa.Table.from_pylist(rows, schema=flat.arrow_schema(header))

    def to_pandas(self, keep_columns: bool = False) -> pd.DataFrame:
        """As `to_arrow`, as a pandas data frame; needs the package pandas."""
        return self.to_arrow(keep_columns).to_pandas()

    def report(self, path: str | Path) -> None:
        """Writes the page that `faithkit score --html` writes: an overview, a list, and each text
        with its marks and their evidence, in one .html file. Raises ConfigError on another ending,
        DataError where it cannot write."""
        from faithkit.report.results_page import ResultsPage

        if Path(path).suffix.lower() != ".html":
            raise ConfigError(f"{path}: this is written as .html")
        with ResultsPage(self.metrics) as page:
            for check in self.checks:
                page.add(check.example, check.scores)
            page.write(Path(path))

    @property
    def _title(self) -> str:
        count = len(self.checks)
        return f"Scores of {count} example{'' if count == 1 else 's'}"

    def __repr__(self) -> str:
        lines = [self._title]
        return "\n".join([*lines, *(f"  {line}" for line in self._summaries())])

    def _repr_html_(self) -> str:
        from html import escape

        lines = "<br>".join(map(escape, self._summaries()))
        worst = "".join(
            f"<details><summary>{escape(check.example.id)}: {check.value:.4f}</summary>"
            f"{check._repr_html_()}</details>"
            for check in self.worst(SHOWN)
        )
        return f"<p><strong>{self._title}</strong><br>{lines}</p>{worst}"

    def _summaries(self) -> Iterator[str]:
        """A line for each metric: rows, mean, verdicts, outcomes."""
        from faithkit.run import Tally

        for metric in self.metrics:
            tally = Tally()
            for score in self:
                if score.metric == metric.label:
                    tally.add(score)
            mean = "no value" if tally.mean is None else f"mean {tally.mean:.4f}"
            verdicts = [f"{count} {name}" for name, count in sorted(tally.verdicts.items())]
            failures = [tally.failures] if tally.failures else []
            yield f"{metric.title}: " + ", ".join(
                [mean, f"{tally.valued} of {tally.rows} scored", *verdicts, *failures]
            )

    def _column(self, metric: str | None) -> str:
        labels = [shown.label for shown in self.metrics]
        if metric is not None and metric not in labels:
            raise ConfigError(f"'{metric}' was not run.{did_you_mean(metric, labels)}")
        return metric or labels[0]
