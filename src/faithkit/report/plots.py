"""Plots of saved results: reliability, growth of a combination, metric × metric, estimates, over-
and under-prediction.

This module draws numbers that were computed elsewhere; the same numbers give the same bytes. It
computes no statistic and no score. Colours are from the palette of Okabe and Ito, for colour-blind
readers; every number is also written out. The file's ending decides between PNG and SVG; plots are
900 points wide, or wider if a table needs it.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faithkit.records import JSON, ConfigError, DataError

if TYPE_CHECKING:
    from faithkit.meta import CorrelationMatrix, Reliability

BLUE, ORANGE, GREY, INK = "#0072B2", "#D55E00", "#8A8A8A", "#222222"
ENDINGS = (".png", ".svg")
WIDTH = 9.0
"""Inches; at 100 points an inch a figure is 900 wide."""

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "axes.titlesize": 13,
    "axes.labelsize": 11,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    # Without a fixed salt an SVG gets random ids, so the same plot would differ.
    "svg.hashsalt": "faithkit",
}

SHOWN = {
    "spearman": "Spearman ρ",
    "pearson": "Pearson r",
    "kendall": "Kendall τ",
    "auc": "AUC",
    "balanced_accuracy": "balanced accuracy",
    "ranking_accuracy": "share of pairs ranked right",
    "mean": "mean score",
}
CHANCE = {"auc": 0.5, "balanced_accuracy": 0.5, "ranking_accuracy": 0.5}
"""The value at chance; 0 for correlations."""


SHARES = ("auc", "balanced_accuracy", "ranking_accuracy", "share", "flip rate")
CORRELATIONS = ("spearman", "pearson", "kendall", "system_spearman", "system_pearson",
                "system_kendall")  # fmt: skip


def _bounds(statistic: str) -> tuple[float, float]:
    """The least and the greatest possible value of a statistic; an axis does not extend beyond
    them."""
    name = statistic.lower()
    if name.startswith(SHARES):
        return 0.0, 1.0
    return (-1.0, 1.0) if name in CORRELATIONS else (-math.inf, math.inf)


def check_ending(path: Path) -> None:
    """Raises ConfigError on an ending other than .png and .svg."""
    if path.suffix.lower() not in ENDINGS:
        raise ConfigError(f"{path}: a plot is written as {' or '.join(ENDINGS)}")


@contextmanager
def figure_file(path: Path, width: float, height: float) -> Iterator[Any]:
    """A figure, which is saved at the end of the context without a date in it. Opens no window and
    uses no global state. Raises ConfigError on an unknown ending, DataError if it cannot be
    written."""
    check_ending(path)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), dpi=200, layout="constrained")
        yield figure
        svg = path.suffix.lower() == ".svg"
        try:
            figure.savefig(
                path,
                format="svg" if svg else "png",
                facecolor="white",
                metadata={"Date": None} if svg else {"Software": None},
            )
        except OSError as error:
            raise DataError(f"cannot write {path}: {error.strerror}") from error


def add_caption(figure: Any, text: str) -> None:
    """A line of text below a figure, wrapped."""
    figure.supxlabel(textwrap.fill(text, 110), x=0.01, ha="left", fontsize=9, color="#555555")


def reliability_plot(
    path: Path,
    after: Reliability,
    before: Reliability | None = None,
    *,
    title: str = "Reliability on held-out folds",
) -> None:
    """The share of consistent rows by predicted probability, in bins, with the number of rows.

    after   the reliability of the calibrated probabilities
    before  the reliability of the scores, read as probabilities

    Raises DataError if no bin has a row.
    """
    if after.reason is not None:
        raise DataError(f"nothing to draw: {after.reason}")
    with figure_file(path, WIDTH, 7.8) as figure:
        top, bottom = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [4, 1]})
        top.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label="as promised")
        if before is not None:
            _curve(top, before, ORANGE, "s", ":", "score itself")
        _curve(top, after, BLUE, "o", "-", "calibrated", counts=True)
        top.set(xlim=(0, 1), ylim=(0, 1), ylabel="share of rows that are consistent")
        top.set_title(title, loc="left", pad=22)
        width = after.bins[0].high - after.bins[0].low
        middles = [(item.low + item.high) / 2 for item in after.bins]
        bottom.bar(middles, [item.n for item in after.bins], width=width * 0.9, color=BLUE)
        for middle, item in zip(middles, after.bins, strict=True):
            if item.n:
                bottom.annotate(
                    str(item.n),
                    (middle, item.n),
                    ha="center",
                    va="bottom",
                    xytext=(0, 2),
                    textcoords="offset points",
                    fontsize=9.5,
                )
        bottom.margins(y=0.3)
        bottom.set(xlabel="probability of being consistent", ylabel="rows")
        figure.legend(loc="outside lower left", frameon=False)


def _curve(
    axes: Any,
    table: Reliability,
    colour: str,
    marker: str,
    line: str,
    name: str,
    *,
    counts: bool = False,
) -> None:
    points = [
        (item.mean_probability, item.share_consistent)
        for item in table.bins
        if item.mean_probability is not None and item.share_consistent is not None
    ]
    label = name
    if table.expected_calibration_error is not None and table.brier is not None:
        label += (
            f" (calibration error {table.expected_calibration_error:.3f}, "
            f"Brier {table.brier:.3f}, n = {table.n})"
        )
    axes.plot(
        *zip(*points, strict=True),
        color=colour,
        marker=marker,
        linestyle=line,
        label=label,
        markersize=7,
        clip_on=False,
    )
    if counts:
        shares = [y for _, y in points]
        for index, (x, y) in enumerate(points):
            beside = shares[max(index - 1, 0) : index + 2]
            valley = y == min(beside) < max(beside) and y > 0.05
            axes.annotate(
                f"{y:.2f}",
                (x, y),
                xytext=(0, -19 if valley else 9),
                textcoords="offset points",
                ha="center",
                color=colour,
                fontsize=9.5,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6},
            )


def growth_plot(
    path: Path,
    steps: Sequence[Mapping[str, Any]],
    *,
    title: str = "A growing combination of metrics",
    caption: str = "",
) -> None:
    """The mean Spearman correlation over folds as metrics are added, and the value of each fold.

    steps  `added` (the metric), `mean_spearman` and `fold_spearman` (None if undefined), as in
           `growth` of a saved combination

    Raises DataError if no step has a value.
    """
    drawn = [step for step in steps if step["mean_spearman"] is not None]
    if not drawn:
        raise DataError("nothing to draw: no step of the combination has a value")
    names = [("" if i == 0 else "+ ") + str(step["added"]) for i, step in enumerate(drawn)]
    with figure_file(path, WIDTH, 5.2) as figure:
        axes = figure.subplots()
        for x, step in enumerate(drawn):
            _folds(axes, x, [value for value in step["fold_spearman"] if value is not None])
        _means(axes, [step["mean_spearman"] for step in drawn])
        axes.set_xticks(range(len(names)), [_wrapped(name, 22) for name in names])
        if len(names) > 6:
            axes.tick_params(axis="x", rotation=30)
        axes.set_xlim(-0.4, len(drawn) - 0.4)
        axes.set(ylabel="Spearman ρ with human ratings", xlabel="metrics in the combination")
        axes.grid(axis="y", color="#E4E4E4")
        axes.set_axisbelow(True)
        low, high = axes.get_ylim()
        axes.set_ylim(max(low, -1), min(high + 0.14 * (high - low), 1))
        axes.legend(ncols=3, frameon=False, fontsize=9.5)
        axes.set_title(title, loc="left")
        if caption:
            add_caption(figure, caption)


def _folds(axes: Any, x: int, values: Sequence[float]) -> None:
    """Draws the values of a step's folds and their range at `x`."""
    labels = ("from the worst fold to the best", "one fold") if x == 0 else (None, None)
    axes.plot([x, x], [min(values), max(values)], color=BLUE, alpha=0.25, linewidth=6,
              solid_capstyle="round", label=labels[0])  # fmt: skip
    axes.plot([x] * len(values), sorted(values), linestyle="none", marker="_", color=BLUE,
              alpha=0.7, markersize=11, label=labels[1])  # fmt: skip


def _means(axes: Any, means: Sequence[float]) -> None:
    axes.plot(range(len(means)), means, color=ORANGE, marker="o", markersize=8,
              label="mean over folds")  # fmt: skip
    for x, mean in enumerate(means):
        axes.annotate(f"{mean:.3f}", (x, mean), xytext=(11, 5), textcoords="offset points",
                      color="#A84600", weight="bold", fontsize=10.5)  # fmt: skip


def _wrapped(name: str, width: int) -> str:
    return "\n".join(textwrap.wrap(name.replace(",", ", "), width)) or name


def matrix_plot(path: Path, matrix: CorrelationMatrix) -> None:
    """The correlation of each pair of metrics, as a heat map with numbers [MFAS].

    A cell without a value (such as one of a constant column) shows a dash. Raises DataError if
    there are no metrics.
    """
    names = matrix.names
    if not names:
        raise DataError("nothing to draw: the matrix has no metrics")
    statistic = SHOWN.get(matrix.cells[0][0].statistic, matrix.cells[0][0].statistic)
    size = len(names)
    side = max(WIDTH, 2.4 + 0.62 * size)
    with figure_file(
        path, side, max(3.4, side * 0.1 + (side - 2.4) * min(1, 0.1 + size / 12))
    ) as figure:
        axes = figure.subplots()
        values = [
            [float("nan") if cell.value is None else cell.value for cell in row]
            for row in matrix.cells
        ]
        image = axes.imshow(values, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
        for i, row in enumerate(matrix.cells):
            for j, cell in enumerate(row):
                strong = cell.value is not None and abs(cell.value) > 0.6
                text = _signed(cell.value, 2)
                axes.text(
                    j,
                    i,
                    text,
                    ha="center",
                    va="center",
                    color="white" if strong else INK,
                    fontsize=11 if size <= 12 else 9.5,
                )
        shown = [_wrapped(name, 24) for name in names]
        axes.set_xticks(
            range(size),
            shown,
            rotation=0 if size <= 6 else 40,
            ha="center" if size <= 6 else "right",
            rotation_mode="anchor" if size > 6 else "default",
        )
        axes.set_yticks(range(size), shown)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_xticks([i + 0.5 for i in range(size - 1)], minor=True)
        axes.set_yticks([i + 0.5 for i in range(size - 1)], minor=True)
        axes.grid(which="minor", color="white", linewidth=2)
        axes.tick_params(which="minor", length=0)
        axes.set(xlabel="metric", ylabel="metric")
        figure.colorbar(image, ax=axes, label=statistic, fraction=0.04, pad=0.02)
        axes.set_title(f"Metric × metric: {statistic}", loc="left")
        add_caption(figure, _counted(matrix))


def _signed(value: float | None, digits: int) -> str:
    """The value with a typographic minus sign, and without one before zero; a dash for None."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def _counted(matrix: CorrelationMatrix) -> str:
    size = range(len(matrix.names))
    counts = [matrix.cells[i][j].n for i in size for j in size]
    low, high = min(counts), max(counts)
    if low == high:
        return f"n = {low} rows in every cell."
    return f"n = {low} to {high} rows a cell: those that both metrics scored."


Prediction = tuple[Sequence[float], str | None]
"""The sorted differences, and the reason if there are none."""


def prediction_plot(
    path: Path, curves: Mapping[str, Mapping[str, Prediction]], *, title: str
) -> None:
    """The sorted differences metric − human of each metric, on the raw scale and as quantiles
    [MFAS Figure 2].

    curves  for each metric and scale (`raw`, `quantile`), the differences in ascending order, and
            the reason if there are none

    Raises DataError if there are no metrics.
    """
    if not curves:
        raise DataError("nothing to draw: no metric is compared with ratings")
    titles = {"raw": "raw scale from 0 to 1", "quantile": "as quantiles"}
    height = 2.0 * len(curves) + 1.2
    with figure_file(path, WIDTH, height) as figure:
        panels = figure.subplots(len(curves), 2, squeeze=False, sharex=True, sharey=True)
        for line, (metric, differences) in zip(panels, curves.items(), strict=True):
            for axes, (scale, name) in zip(line, titles.items(), strict=True):
                _sorted_differences(axes, *differences[scale])
                if axes in panels[0]:
                    axes.set_title(name, loc="left", fontsize=11)
            line[0].set_ylabel(_wrapped(metric, 18), fontsize=9.5)
        panels[0][0].set(xlim=(0, 1), ylim=(-1.05, 1.05))
        for axes in panels[-1]:
            axes.set_xlabel("share of rows, sorted")
        figure.suptitle(title, x=0.01, ha="left", fontsize=13)
        add_caption(
            figure,
            "Above 0 (orange) the metric is higher than people, below (blue) lower. As quantiles, "
            "about half of the rows lie above by construction.",
        )


def _sorted_differences(axes: Any, differences: Sequence[float], reason: str | None) -> None:
    axes.axhline(0, color=GREY, linestyle=":", linewidth=1.2)
    if not differences:
        text = textwrap.fill(str(reason or "no row has both"), 40)
        axes.text(0.5, 0.4, text, ha="center", va="center", color="#666666", fontsize=9)
        return
    n = len(differences)
    shares = [(index + 0.5) / n for index in range(n)]
    for colour, sign in ((ORANGE, 1), (BLUE, -1)):
        values = [max(0.0, sign * value) * sign for value in differences]
        axes.fill_between(shares, values, step="mid", color=colour, linewidth=0)
    over = sum(value > 0 for value in differences) / n
    under = sum(value < 0 for value in differences) / n
    axes.text(0.02, 0.9, f"over {over:.0%}, under {under:.0%}, n = {n}", va="top", fontsize=9.5)


def estimates_plot(
    path: Path,
    title: str,
    rows: Sequence[tuple[str, str, Mapping[str, JSON]]],
    *,
    dotted: str = "a metric that knows nothing",
) -> None:
    """One panel a dataset, one line a metric: the value with its interval, and the number.

    rows  dataset, metric, and an Estimate's fields (`statistic value low high n reason`)
    dotted  what the dotted line (chance, or 0) means
    A figure without a value says so.
    Raises DataError without rows.
    """
    if not rows:
        raise DataError("nothing to draw: no estimates")
    datasets = list(dict.fromkeys(dataset for dataset, _, _ in rows))
    metrics = list(dict.fromkeys(metric for _, metric, _ in rows))
    estimates = {(dataset, metric): estimate for dataset, metric, estimate in rows}
    across = min(3, len(datasets))
    down = -(-len(datasets) // across)
    height = down * (1.15 + 0.3 * len(metrics)) + 0.8
    with figure_file(path, WIDTH if across < 3 else 11.0, max(height, 2.6)) as figure:
        panels = figure.subplots(down, across, squeeze=False, sharey=True)
        flat = [axes for line in panels for axes in line]
        for axes, dataset in zip(flat, datasets, strict=False):
            _panel(axes, dataset, [estimates.get((dataset, metric)) for metric in metrics])
            axes.set_yticks(range(len(metrics)), [_wrapped(name, 26) for name in metrics])
            axes.set_ylim(len(metrics) - 0.4, -0.6)
            axes.tick_params(axis="y", length=0)
        for axes in flat[len(datasets) :]:
            axes.set_visible(False)
        figure.suptitle(title, x=0.01, ha="left", fontsize=13)
        levels = {row.get("level") for _, _, row in rows if row.get("low") is not None}
        if levels:
            shown = "/".join(
                f"{100 * level:g}%"
                for level in sorted(level for level in levels if isinstance(level, float))
            )
            add_caption(
                figure,
                f"Bars: {shown} bootstrap intervals by source document. Dotted: {dotted}.",
            )


def _panel(axes: Any, dataset: str, estimates: Sequence[Mapping[str, Any] | None]) -> None:
    drawn = [estimate for estimate in estimates if estimate is not None]
    statistic = str(drawn[0].get("statistic", "")) if drawn else ""
    keys = ("value", "low", "high")
    ends = [item[key] for item in drawn for key in keys if item.get(key) is not None]
    chance = CHANCE.get(statistic, 0.0)
    low, high = min([*ends, chance]), max([*ends, chance])
    margin = 0.06 * ((high - low) or 1.0)
    least, most = _bounds(statistic)
    axes.set_xlim(max(low - margin, least), min(high + margin, most))
    axes.axvline(chance, color=GREY, linestyle=":", linewidth=1.2)
    for row, estimate in enumerate(estimates):
        if estimate is None:
            _beside(axes, row, "not run", color="#666666", fontsize=9)
            continue
        if estimate.get("value") is None:
            reason = textwrap.shorten(
                str(estimate.get("reason") or "no value"), 40, placeholder="…"
            )
            axes.text(low, row, reason, va="center", color="#666666", fontsize=8.5)
            continue
        if estimate.get("low") is not None and estimate.get("high") is not None:
            axes.plot(
                [estimate["low"], estimate["high"]],
                [row, row],
                color=BLUE,
                linewidth=2.2,
                solid_capstyle="butt",
            )
        axes.plot([estimate["value"]], [row], marker="o", color=BLUE, markersize=6, clip_on=False)
        _beside(axes, row, _signed(estimate["value"], 3), fontsize=10)
    counts = sorted({item["n"] for item in drawn if isinstance(item.get("n"), int)})
    shown = "" if not counts else f" (n = {'–'.join(map(str, sorted({counts[0], counts[-1]})))})"
    axes.set_title(textwrap.fill(f"{dataset}{shown}", 36), loc="left", fontsize=11)
    axes.set_xlabel(SHOWN.get(statistic, statistic.replace("_", " ")), fontsize=10)
    axes.grid(axis="x", color="#EEEEEE")
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)


def _beside(axes: Any, row: int, text: str, **style: Any) -> None:
    """Writes a text in the column to the right of the axes, at a row of the panel."""
    axes.text(1.03, row, text, transform=axes.get_yaxis_transform(), va="center", **style)
