"""What a metric's rows add up to, and the gates that its mean must pass."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from faithkit.cut_tally import CutTally
from faithkit.records import (
    JSON,
    TRANSIENT,
    Outcome,
    Score,
    verdict_of,
)
from faithkit.run.preparation import Prepared


@dataclass(slots=True)
class Tally:
    """A metric's rows: count by outcome, the mean of those that have a value, the values (8 bytes
    each; none of a tally that was added from its record), the verdicts of a metric that gives them,
    and how much of the texts was cut."""

    valued: int = 0
    """Rows that have a value."""
    outcomes: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    cut: CutTally = field(default_factory=CutTally)
    total: float = 0.0
    least: float = math.inf
    greatest: float = -math.inf
    values: array[float] = field(default_factory=lambda: array("d"))

    def add(self, score: Score) -> None:
        """One row more."""
        self.outcomes[score.outcome] += 1
        self.cut.add(score.coverage)
        if (verdict := verdict_of(score.parts)) is not None:
            self.verdicts[verdict] += 1
        if score.value is not None:
            self.valued += 1
            self.values.append(score.value)
            self.total += score.value
            self.least = min(self.least, score.value)
            self.greatest = max(self.greatest, score.value)

    @property
    def rows(self) -> int:
        return self.outcomes.total()

    @property
    def mean(self) -> float | None:
        return self.total / self.valued if self.valued else None

    def record(self) -> dict[str, JSON]:
        """Everything but the values, for `add_record`."""
        return {
            "valued": self.valued,
            "total": self.total,
            "least": self.least if self.valued else None,
            "greatest": self.greatest if self.valued else None,
            "outcomes": {str(outcome): n for outcome, n in sorted(self.outcomes.items())},
            "verdicts": dict(sorted(self.verdicts.items())),
            "cut": asdict(self.cut),
        }

    def add_record(self, record: Mapping[str, Any]) -> None:
        """The rows of another tally, by its record."""
        self.valued += record["valued"]
        self.total += record["total"]
        if record["valued"]:
            self.least = min(self.least, record["least"])
            self.greatest = max(self.greatest, record["greatest"])
        self.outcomes.update(record["outcomes"])
        self.verdicts.update(record["verdicts"])
        self.cut.add_tally(CutTally(**record["cut"]))

    @property
    def failures(self) -> str:
        """The outcomes without a score and their counts, in words; "" if there are none."""
        others = sorted((o, n) for o, n in self.outcomes.items() if o != Outcome.OK)
        return ", ".join(f"{n} {outcome}" for outcome, n in others)


def tallies_of(prepared: Sequence[Prepared], scores: Iterable[Score] = ()) -> dict[str, Tally]:
    """A Tally for each metric's label, with these scores added."""
    tallies = {metric.label: Tally() for metric in prepared}
    for score in scores:
        tallies[score.metric].add(score)
    return tallies


def count_incomplete(tallies: Mapping[str, Tally]) -> int:
    """Rows whose outcome is not ok."""
    return sum(tally.rows - tally.outcomes[Outcome.OK] for tally in tallies.values())


def metrics_without_score(tallies: Mapping[str, Tally]) -> list[str]:
    """The metrics that have rows and no value, because their model or its server failed on every
    row."""
    return [
        label
        for label, tally in tallies.items()
        if tally.rows and not tally.valued and set(tally.outcomes) <= TRANSIENT
    ]


def failed_gates(
    tallies: Mapping[str, Tally], gates: Mapping[str, float], *, allow_unscored: bool = False
) -> list[str]:
    """A line for each metric that fails its gate (the key "" applies to every metric), saying why:
    its mean is below it, no row has a value, or, unless allowed, some rows have none."""
    lines = []
    for label, tally in tallies.items():
        gate = gates.get(label, gates.get(""))
        if gate is None:
            continue
        unscored = tally.rows - tally.valued
        failed = f"{label} fails its gate of {gate:g}"
        if tally.mean is None:
            lines.append(f"{failed}: none of its {tally.rows} rows has a score ({tally.failures})")
        elif tally.mean < gate:
            below = sum(value < gate for value in tally.values)
            more = f"; {unscored} more have no score ({tally.failures})" if unscored else ""
            rows = f", {below} of {tally.valued} scored rows are below it" if tally.values else ""
            lines.append(f"{failed}: the mean is {tally.mean:.6g}{rows}{more}")
        elif unscored and not allow_unscored:
            lines.append(
                f"{failed}: {unscored} of {tally.rows} rows have no score ({tally.failures}); the "
                f"mean of the others is {tally.mean:.6g}. --allow-unscored leaves them out"
            )
    return lines
