"""Comparison with an earlier run, the baseline, on the rows that both runs have.

The difference of means is tested by the paired bootstrap over source documents of `meta.compare`.
Rows that fail and did not fail before are listed one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from faithkit import files
from faithkit.meta.bootstrap import CONSTANT, MEAN
from faithkit.meta.compare import Comparison, SharedRows, compare
from faithkit.records import ConfigError, DataError, Score
from faithkit.report.marks import count_of_marks
from faithkit.run import Prepared

DRAWS = 2000
WORSE_FROM = 0.05
"""A lower mean counts as worse if the two-sided p-value is below this."""


@dataclass(slots=True)
class Baseline:
    """The scores of an earlier run, by metric and id. Of their spans only the number of marks is
    kept."""

    path: Path
    scores: dict[str, dict[str, Score]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, prepared: Sequence[Prepared]) -> Baseline:
        """Reads a file that `faithkit score -o` wrote. Raises DataError on any other file, and
        ConfigError if it lacks one of the metrics or has it with other settings."""
        baseline = cls(path)
        signatures = {}
        for score in files.score_lines(path):
            slim = replace(
                score, spans=(), evidence=(), signature=None, texts={},
                unlisted_marks=count_of_marks(score),
            )  # fmt: skip
            baseline.scores.setdefault(score.metric, {})[score.id] = slim
            signatures[score.metric] = score.signature
        for scorer in prepared:
            if scorer.label not in baseline.scores:
                raise ConfigError(
                    f"--baseline {path} has no rows of {scorer.label}, but of "
                    f"{', '.join(baseline.scores) or 'none'}"
                )
            if signatures[scorer.label] != scorer.signature:
                raise ConfigError(
                    f"--baseline {path}: its numbers of {scorer.label} are of other settings or of "
                    "another version; score it again with these"
                )
        return baseline

    def has_marks(self) -> bool:
        """Whether the number of marks is known for each row; it is unknown if the file is a table
        without that column."""
        return all(
            score.unlisted_marks is not None
            for scores in self.scores.values()
            for score in scores.values()
        )

    def check_numbered(self, counts: Collection[int]) -> None:
        """Raises DataError if the baseline has another number of rows than this run, so that rows
        without an id cannot be joined by their number.

        counts  the number of rows in the file of this run, and the number of scored rows
        """
        rows = max(map(len, self.scores.values()))
        if rows not in counts:
            raise DataError(
                f"--baseline {self.path} has {rows} rows and this run {min(counts)}: rows without "
                "an id are joined by their number, which may be another row there; give them ids"
            )

    def before(self, score: Score) -> Score | None:
        """The score of the same row in the baseline; None for a new row."""
        return self.scores[score.metric].get(score.id)

    def without(self, label: str, ids: Iterable[str]) -> int:
        """How many rows of the baseline are not among those with these ids."""
        return len(self.scores[label].keys() - set(ids))

    def compared(
        self, label: str, ids: Sequence[str], values: Sequence[float | None], groups: Sequence[str]
    ) -> Comparison:
        """The comparison of this run with the baseline, over the rows that both have. Raises
        DataError if they have no row in common.

        groups  the source document of each row, the unit of resampling
        """
        baseline = self.scores[label]
        rows = [number for number, identity in enumerate(ids) if identity in baseline]
        if not rows:
            raise DataError(f"--baseline {self.path}: no row of {label} has an id of this run")
        return compare(
            MEAN,
            [values[number] for number in rows],
            [baseline[ids[number]].value for number in rows],
            SharedRows(groups=[groups[number] for number in rows]),
            names=("now", "before"),
            draws=DRAWS,
        )


def is_worse(comparison: Comparison) -> bool:
    """Whether the mean is lower than before by more than chance explains."""
    if comparison.difference is None or comparison.difference >= 0:
        return False
    if comparison.p_value is None:
        # The difference is the same in every document, so resampling cannot vary it.
        return (comparison.reason or "").startswith(CONSTANT)
    return comparison.p_value < WORSE_FROM


def is_tested(comparison: Comparison) -> bool:
    """Whether the difference could be tested: there are enough documents, or all changed
    equally."""
    if comparison.difference is None:
        return False
    return comparison.p_value is not None or (comparison.reason or "").startswith(CONSTANT)


def described(comparison: Comparison, rows: int) -> str:
    """The comparison as a sentence.

    rows  the number of rows of this run; the comparison covers those with a value in both runs
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
