"""An earlier run as a baseline: no worse than before, on the rows that both have.

The difference of means is tested by the paired bootstrap over source documents of `meta.compare`;
which rows fail that did not fail before is said row by row.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from faithkit import files
from faithkit.meta.bootstrap import CONSTANT, MEAN
from faithkit.meta.compare import Comparison, Rows, compare
from faithkit.records import ConfigError, DataError, Score
from faithkit.report.marks import count_of_marks
from faithkit.run import Prepared

DRAWS = 2000
WORSE_FROM = 0.05
"""The two-sided p-value below which a lower mean is worse than before."""


@dataclass(slots=True)
class Baseline:
    """The scores of an earlier run, by metric and id; of their spans only how many are marked."""

    path: Path
    scores: dict[str, dict[str, Score]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, prepared: Sequence[Prepared]) -> Baseline:
        """Reads what `faithkit score -o` wrote. Raises DataError on another file, ConfigError
        if it has not these metrics with these settings."""
        baseline = cls(path)
        signatures = {}
        for score in files.score_lines(path):
            slim = replace(
                score, spans=(), evidence=(), signature=None, texts={},
                unlisted_marks=count_of_marks(score),
            )  # fmt: skip
            baseline.scores.setdefault(score.metric, {})[score.id] = slim
            signatures[score.metric] = score.signature
        for one in prepared:
            if one.label not in baseline.scores:
                raise ConfigError(
                    f"--baseline {path} has no rows of {one.label}, but of "
                    f"{', '.join(baseline.scores) or 'none'}"
                )
            if signatures[one.label] != one.signature:
                raise ConfigError(
                    f"--baseline {path}: its numbers of {one.label} are of other settings or of "
                    "another version; score it again with these"
                )
        return baseline

    def has_marks(self) -> bool:
        """Whether it says of each row how many spans are marked; not so of a table without that
        column."""
        return all(
            score.unlisted_marks is not None
            for scores in self.scores.values()
            for score in scores.values()
        )

    def check_numbered(self, counts: Collection[int]) -> None:
        """Raises DataError if rows would be joined by their number with those of a file of
        another length.

        counts  how many rows this run has: of its file, and as many as are scored
        """
        then = max(map(len, self.scores.values()))
        if then not in counts:
            raise DataError(
                f"--baseline {self.path} has {then} rows and this run {min(counts)}: rows without "
                "an id are joined by their number, which may be another row there; give them ids"
            )

    def before(self, score: Score) -> Score | None:
        """The score of the same row then; None of a new row."""
        return self.scores[score.metric].get(score.id)

    def compared(
        self, label: str, ids: Sequence[str], values: Sequence[float | None], groups: Sequence[str]
    ) -> Comparison:
        """Now minus then, over the rows that both have. Raises DataError if they share none.

        groups  the source document of each row, which is what is resampled
        """
        then = self.scores[label]
        rows = [number for number, identity in enumerate(ids) if identity in then]
        if not rows:
            raise DataError(f"--baseline {self.path}: no row of {label} has an id of this run")
        return compare(
            MEAN,
            [values[number] for number in rows],
            [then[ids[number]].value for number in rows],
            Rows(groups=[groups[number] for number in rows]),
            names=("now", "before"),
            draws=DRAWS,
        )


def is_worse(comparison: Comparison) -> bool:
    """Whether the mean is lower than before by more than chance explains."""
    if comparison.difference is None or comparison.difference >= 0:
        return False
    if comparison.p_value is None:
        # Every document has lost as much as every other, so that there is nothing to resample.
        return (comparison.reason or "").startswith(CONSTANT)
    return comparison.p_value < WORSE_FROM


def is_tested(comparison: Comparison) -> bool:
    """Whether the means could be compared: there are documents enough, or all changed equally."""
    if comparison.difference is None:
        return False
    return comparison.p_value is not None or (comparison.reason or "").startswith(CONSTANT)


def described(comparison: Comparison, rows: int) -> str:
    """The comparison in words.

    rows  how many this run has, of which the comparison is about those with a value in both
    """
    if comparison.difference is None:
        return f"not compared: {comparison.reason}"
    means = f"mean {comparison.first_value:.4f}, before {comparison.second_value:.4f}"
    count = (
        f"on {comparison.n} rows" if comparison.n == rows else f"on {comparison.n} of {rows} rows"
    )
    if not is_tested(comparison):
        return f"{means}, {count}; not tested: {comparison.reason}"
    if comparison.p_value is None:
        change = f"difference {comparison.difference:+.4f} in every document"
        return f"{means}, {change if comparison.difference else 'no difference'}, {count}"
    return (
        f"{means}, difference {comparison.difference:+.4f} (95% interval {comparison.low:+.4f} to "
        f"{comparison.high:+.4f}, p = {comparison.p_value:.3f}), {count}"
    )
