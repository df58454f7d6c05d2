"""Caveats of a metric's figures on a dataset: marks in the tables, and the footnotes that explain
them. `bench` and `stress` show them in the same words.

§ texts were cut; ¶ the metric was trained on rows of this release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from faithkit.cut_tally import CutTally

CUT, TRAINED = "§", "¶"


@dataclass(frozen=True, slots=True)
class Caveats:
    """What qualifies a metric's figures on a dataset.

    cut         how much of the texts was cut
    trained_on  of what the metric was trained on, the names of this release; None: unknown
    """

    cut: CutTally = field(default_factory=CutTally)
    trained_on: tuple[str, ...] | None = ()


def marks(caveats: Caveats) -> str:
    """The marks that hold for all of a metric's figures on a dataset."""
    return (CUT if caveats.cut.rows_cut else "") + (TRAINED if caveats.trained_on else "")


def caveat_lines(caveats: Sequence[tuple[str, str, Caveats]]) -> list[str]:
    """The footnotes of § and ¶. caveats: metric, dataset and its caveats."""
    cut = dict.fromkeys(f"{m} on {d} {c.cut}" for m, d, c in caveats if c.cut.rows_cut)
    seen = dict.fromkeys(
        f"{m} on {d} ({', '.join(c.trained_on)})" for m, d, c in caveats if c.trained_on
    )
    lines = []
    if cut:
        lines.append(f"{CUT} cut because it did not fit: {'; '.join(cut)}.")
    if seen:
        lines.append(
            f"{TRAINED} trained on rows of this release, so no measure of new texts: "
            f"{'; '.join(seen)}."
        )
    return lines
