"""How much of the texts a metric did not see, added up over rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from faithkit.records import JSON, UNITS, Coverage


@dataclass(slots=True)
class CutTally:
    """How much of the texts a metric did not see, added up over rows.

    rows, rows_cut  rows added, and those of which something was cut
    seen, cut       tokens and sentences of either side, by their name in `Coverage`
    counted         what a row is called in the output
    """

    rows: int = 0
    rows_cut: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    cut: dict[str, int] = field(default_factory=dict)
    counted: str = "rows"

    def add(self, coverage: Coverage | Mapping[str, int]) -> None:
        """Adds one row. coverage: of a Score, or as an output row has it."""
        row = coverage if isinstance(coverage, Coverage) else Coverage(**coverage)
        self.rows += 1
        self.rows_cut += any(getattr(row, f"{name}_cut") for name in UNITS)
        for name in UNITS:
            self.seen[name] = self.seen.get(name, 0) + getattr(row, name)
            self.cut[name] = self.cut.get(name, 0) + getattr(row, f"{name}_cut")

    def add_tally(self, other: CutTally) -> None:
        """Adds the rows of another tally."""
        self.rows += other.rows
        self.rows_cut += other.rows_cut
        for name in UNITS:
            self.seen[name] = self.seen.get(name, 0) + other.seen.get(name, 0)
            self.cut[name] = self.cut.get(name, 0) + other.cut.get(name, 0)

    def share(self, name: str) -> float:
        """The share of one side's tokens (or sentences) that was cut, in [0, 1]."""
        cut = self.cut.get(name, 0)
        return cut / (cut + self.seen.get(name, 0)) if cut else 0.0

    def to_dict(self) -> dict[str, JSON]:
        """rows, rows_cut, and by unit the share that was cut, where any was."""
        shares = {f"{name}_cut": self.share(name) for name in UNITS if self.cut.get(name)}
        return {"rows": self.rows, "rows_cut": self.rows_cut, **shares}

    def __str__(self) -> str:
        """`30 of 40 rows (75.0%), 12.3% of source tokens`; empty where nothing was cut."""
        if not self.rows_cut:
            return ""
        shown = [f"{self.rows_cut} of {self.rows} {self.counted} ({self.rows_cut / self.rows:.1%})"]
        for name in UNITS:
            if self.cut.get(name):
                unit = name.replace("_", " ")
                # A metric that counts no sentences that it saw has no share of them.
                counted = self.seen.get(name, 0) > 0
                shown.append(f"{self.share(name):.1%} of {unit}" if counted
                             else f"{self.cut[name]} {unit}")  # fmt: skip
        return ", ".join(shown)
