"""What a benchmark knows of its rows (Truth), what a metric said of them (Column), and both
together (Table). No texts, no files, no statistics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from faithkit.records import NO_VERDICT, TRANSIENT, Coverage, CutTally


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a benchmark row besides its texts.

    document      what the bootstrap resamples
    pair          rows that are compared with each other in ranking, None if absent
    error_types, error_groups
                  names of the errors that people found, by the finer and the coarser scheme
    subset        part of the benchmark (origin/era), None where the release has no parts
    outside       true for a row that belongs to no part of a release that has them (AggreFact's
                  human-written and lead-3 summaries are of no era): it counts for the whole set,
                  and in no part, no average by part and no choice of a threshold
    validation    true for rows that thresholds may be chosen on
    """

    id: str
    document: str
    pair: str | None = None
    system: str | None = None
    label: int | None = None
    rating: float | None = None
    error_types: tuple[str, ...] = ()
    error_groups: tuple[str, ...] = ()
    subset: str | None = None
    outside: bool = False
    validation: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One metric's values on a dataset's rows, in their order; None where there is none.

    verdicts    the metric's own: 1 consistent, 0 not, 0.5 undecided, None if absent
    parts       what the value is made of, or stands beside it, by name
    coverages   what the metric saw of the texts, and what was cut
    trained_on  names of the data that the metric or its models were trained on; None where that
                is not known
    """

    label: str
    signature: str
    unit: str
    values: tuple[float | None, ...]
    outcomes: tuple[str, ...]
    verdicts: tuple[float | None, ...] = ()
    parts: tuple[dict[str, float], ...] = ()
    coverages: tuple[Coverage, ...] = ()
    trained_on: tuple[str, ...] | None = ()

    def counted_wrong(self) -> list[bool]:
        """Whether a judge gave no verdict, which counts as a wrong one in detection [FCLLM §4];
        rows without a value for another reason are left out and counted."""
        return [outcome in NO_VERDICT for outcome in self.outcomes]

    def is_final(self) -> bool:
        """False where another try may change an outcome (a server that timed out, say)."""
        return TRANSIENT.isdisjoint(self.outcomes)

    def missing(self) -> dict[str, int]:
        """Count by outcome of the rows that have no value."""
        pairs = zip(self.values, self.outcomes, strict=True)
        return dict(Counter(outcome for value, outcome in pairs if value is None))

    def cut(self) -> CutTally:
        """How much of the texts the metric did not see, over all rows."""
        tally = CutTally()
        for coverage in self.coverages:
            tally.add(coverage)
        return tally

    def take(self, numbers: Sequence[int]) -> Column:
        """The rows with these numbers."""
        kept: dict[str, Any] = {
            name: tuple(getattr(self, name)[number] for number in numbers)
            for name in ("values", "outcomes", "verdicts", "parts", "coverages")
            if getattr(self, name)
        }
        return replace(self, **kept)


@dataclass(slots=True)
class Table:
    """A dataset's truth and the metrics' columns on it.

    notes  what was left out before any statistic, in words
    """

    name: str
    tasks: tuple[str, ...]
    truth: list[Truth]
    columns: list[Column] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def has_validation_split(truth: Sequence[Truth]) -> bool:
    """Whether thresholds can be chosen on validation rows and tested on others: both sides hold
    both labels."""
    sides = {(t.validation, t.label) for t in truth if t.label is not None and not t.outside}
    return len(sides) == 4


def tested_rows(tasks: Sequence[str], truth: Sequence[Truth]) -> list[int]:
    """The numbers of the rows that count where no threshold is chosen: of a detection set with a
    validation split the others, else all."""
    if "detection" in tasks and has_validation_split(truth):
        return [number for number, t in enumerate(truth) if not t.validation]
    return list(range(len(truth)))


def without_validation(table: Table) -> Table:
    """The table without the validation rows that nothing is chosen on; a note says how many."""
    kept = tested_rows(table.tasks, table.truth)
    if len(kept) == len(table.truth):
        return table
    return Table(
        table.name,
        table.tasks,
        [table.truth[number] for number in kept],
        [column.take(kept) for column in table.columns],
        [*table.notes, validation_note(len(table.truth) - len(kept))],
    )


def validation_note(rows: int) -> str:
    return f"{rows} validation rows are left out: no threshold is chosen on them"
