"""Plots of what was learned from labels: the distribution of scores by label with the verdicts of a
calibration, and the weights of a combination. The reliability diagram is in `plots.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from faithkit.records import DataError
from faithkit.report.plots import BLUE, GREY, INK, ORANGE, WIDTH, figure_file

BINS = 30


def band_plot(
    path: Path,
    consistent: Sequence[float],
    inconsistent: Sequence[float],
    *,
    threshold: float,
    lower: float | None,
    upper: float | None,
) -> None:
    """A histogram of the scores by label, with the threshold and the range of each verdict.

    lower, upper  scores below `lower` are not consistent, scores from `upper` on are consistent;
                  None: no score gets that verdict

    Raises DataError if there is no score.
    """
    scores = [*consistent, *inconsistent]
    if not scores:
        raise DataError("nothing to draw: no row has a score and a label")
    low, high = min(scores), max(scores)
    margin = 0.03 * (high - low or 1.0)
    low, high = low - margin, high + margin
    with figure_file(path, WIDTH, 4.6) as figure:
        axes = figure.subplots()
        edges = [low + (high - low) * edge / BINS for edge in range(BINS + 1)]
        axes.hist(
            [inconsistent, consistent],
            bins=edges,
            color=[ORANGE, BLUE],
            label=[f"labelled not consistent ({len(inconsistent)} rows)",
                   f"labelled consistent ({len(consistent)} rows)"],
        )  # fmt: skip
        top = axes.get_ylim()[1] * 1.16
        axes.set(xlim=(low, high), ylim=(0, top), xlabel="score", ylabel="rows")
        left = low if lower is None else min(max(lower, low), high)
        right = high if upper is None else min(max(upper, low), high)
        for start, end, verdict, colour in (
            (low, left, "not consistent", ORANGE),
            (left, right, "undecided", GREY),
            (right, high, "consistent", BLUE),
        ):
            if end > start:
                axes.axvspan(start, end, color=colour, alpha=0.1, linewidth=0)
            if end - start > 0.03 * (high - low):
                narrow = end - start < 0.17 * (high - low)
                axes.text((start + end) / 2, top * 0.97, verdict, ha="center", va="top", color=INK,
                          rotation=90 if narrow else 0, fontsize=9 if narrow else None)  # fmt: skip
        axes.axvline(threshold, color=INK, linewidth=1.4, linestyle="--",
                     label=f"threshold {threshold:.4g}")  # fmt: skip
        axes.set_title("Scores by label, and the verdict they get", loc="left")
        figure.legend(loc="outside lower left", ncols=3, frameon=False, fontsize=9.5)


def weights_plot(path: Path, rows: Sequence[tuple[str, float, float | None, float | None]]) -> None:
    """The weight of each metric, with its interval if it has one.

    rows  name, weight, and the lower and upper end of the interval, or None
    """
    with figure_file(path, WIDTH, 1.6 + 0.42 * len(rows)) as figure:
        axes = figure.subplots()
        axes.axvline(0, color=GREY, linewidth=1)
        for row, (_, weight, low, high) in enumerate(rows):
            if low is not None and high is not None:
                axes.plot([low, high], [row, row], color=BLUE, alpha=0.45, linewidth=5,
                          solid_capstyle="butt")  # fmt: skip
            axes.plot([weight], [row], marker="o", color=ORANGE, markersize=7)
            axes.annotate(f"{weight:+.3f}", (weight, row), xytext=(0, 7), fontsize=9.5,
                          textcoords="offset points", ha="center", color="#A84600")  # fmt: skip
        axes.set_yticks(range(len(rows)), [name for name, *_ in rows])
        axes.set_ylim(len(rows) - 0.4, -0.75)
        reach = max(abs(number) for row in rows for number in row[1:] if number is not None) or 1.0
        step = 10 ** math.floor(math.log10(reach))
        least = min(0.0, *(number for row in rows for number in row[1:] if number is not None))
        axes.set_xlim(least - 0.15 * step if least else -0.05 * reach, None)
        axes.set(xlabel="weight of the metric in standard deviations")
        axes.grid(axis="x", color="#E4E4E4")
        axes.set_axisbelow(True)
        axes.set_title("Weights, with 95% intervals", loc="left")
