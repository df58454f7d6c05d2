"""Plots are drawn from saved numbers, say what they show, and come out the same every time."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from faithkit import ConfigError, DataError, meta
from faithkit.report import plots

RNG = np.random.default_rng(0)
PROBABILITIES = RNG.uniform(size=200).tolist()
LABELS = [int(RNG.uniform() < p) for p in PROBABILITIES]
TABLE = meta.reliability(PROBABILITIES, LABELS)
STEPS = [
    {"added": "novelty", "mean_spearman": 0.383, "fold_spearman": [0.3, 0.42, None]},
    {"added": "rouge2", "mean_spearman": 0.412, "fold_spearman": [0.36, 0.45, None]},
]
MATRIX = meta.correlation_matrix(
    {"a": [1.0, 2.0, 3.0, 4.0], "b": [4.0, 3.0, 2.0, 1.0], "constant": [1.0] * 4,
     "c": [1.0, None, 3.0, 2.0]}
)  # fmt: skip
ESTIMATES = [
    ("qags", "rouge2", {"statistic": "spearman", "value": 0.312, "low": 0.2, "high": 0.4, "n": 9}),
    ("qags", "bleu", {"statistic": "spearman", "value": None, "n": 9, "reason": "all constant"}),
    ("wice", "rouge2", {"statistic": "auc", "value": 0.7, "low": None, "high": None, "n": 5}),
]

CURVES = {
    "rouge2": {"raw": ([-0.9, -0.5, 0.0, 0.25], None), "quantile": ([-0.25, 0.25], None)},
    "cop": {"raw": ([], "the metric's values run from -3 to 0"), "quantile": ([-0.5, 0.5], None)},
}

PLOTS: dict[str, Callable[[Path], None]] = {
    "reliability": lambda path: plots.reliability_plot(path, TABLE, TABLE, title="Held out"),
    "growth": lambda path: plots.growth_plot(path, STEPS),
    "matrix": lambda path: plots.matrix_plot(path, MATRIX),
    "estimates": lambda path: plots.estimates_plot(path, "Agreement", ESTIMATES),
    "predictions": lambda path: plots.prediction_plot(path, CURVES, title="Metric − human"),
}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """The file of a plot of PLOTS with an ending, which is drawn once."""
    folder = tmp_path_factory.mktemp("drawn")

    def first(name: str, ending: str) -> Path:
        path = folder / f"{name}.{ending}"
        if not path.exists():
            PLOTS[name](path)
        return path

    return first


def texts(path: Path, monkeypatch: pytest.MonkeyPatch, draw: Callable[[Path], None]) -> str:
    """The words of a plot, from an SVG whose text is kept as text."""
    monkeypatch.setitem(plots.STYLE, "svg.fonttype", "none")
    draw(path)
    return path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_same_numbers_give_the_same_bytes(
    name: str, ending: str, drawn: Callable[[str, str], Path], tmp_path: Path
) -> None:
    first, second = drawn(name, ending), tmp_path / f"2.{ending}"
    PLOTS[name](second)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes()[:4] == {"png": b"\x89PNG", "svg": b"<?xm"}[ending]


@pytest.mark.slow
def test_predictions_say_the_shares_over_and_under_and_why_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = texts(tmp_path / "p.svg", monkeypatch, PLOTS["predictions"])
    assert "over 25%, under 50%, n = 4" in shown and "over 50%, under 50%, n = 2" in shown
    assert "the metric's values run from -3 to 0" in shown and "by construction" in shown
    with pytest.raises(DataError, match="nothing to draw"):
        plots.prediction_plot(tmp_path / "p.svg", {}, title="")


@pytest.mark.slow
@pytest.mark.parametrize("name", PLOTS)
def test_a_png_is_wide_enough_to_read_at_900_pixels(
    name: str, drawn: Callable[[str, str], Path]
) -> None:
    width = int.from_bytes(drawn(name, "png").read_bytes()[16:20], "big")
    assert width >= 1800


def limits(
    path: Path, monkeypatch: pytest.MonkeyPatch, draw: Callable[[Path], None]
) -> list[tuple[float, float, float, float]]:
    """What the axes of a plot cover: (left, right, bottom, top) of each. Nothing is written."""
    from matplotlib.figure import Figure

    shown: list[tuple[float, float, float, float]] = []

    def recording(figure: Figure, *arguments: object, **options: object) -> None:
        shown.extend((*axes.get_xlim(), *axes.get_ylim()) for axes in figure.axes)

    monkeypatch.setattr(Figure, "savefig", recording)
    draw(path)
    return shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statistic", "low", "high", "bounds"),
    [
        ("auc", 0.9, 1.0, (0.0, 1.0)),
        ("AUC", 0.0, 1.0, (0.0, 1.0)),
        ("share that rises", 0.0, 0.9, (0.0, 1.0)),
        ("ranking_accuracy", 0.55, 0.99, (0.0, 1.0)),
        ("spearman", -0.98, 0.99, (-1.0, 1.0)),
    ],
)
def test_axis_of_a_bounded_statistic_ends_at_its_bounds(
    statistic: str, low: float, high: float, bounds: tuple[float, float],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    rows = [("a", "m", {"statistic": statistic, "value": high, "low": low, "high": high, "n": 9})]
    draw = lambda path: plots.estimates_plot(path, "Agreement", rows)  # noqa: E731
    ((left, right, _, _),) = limits(tmp_path / "p.png", monkeypatch, draw)
    assert bounds[0] <= left < right <= bounds[1]


def test_axis_of_an_unbounded_statistic_is_not_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [("a", "m", {"statistic": "mean change", "value": 3, "low": -2.5, "high": 4, "n": 9})]
    draw = lambda path: plots.estimates_plot(path, "Agreement", rows)  # noqa: E731
    ((left, right, _, _),) = limits(tmp_path / "p.png", monkeypatch, draw)
    assert left < -2.5 and right > 4


@pytest.mark.slow
def test_axes_of_shares_and_correlations_end_at_their_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, _, bottom, top), _ = limits(tmp_path / "r.png", monkeypatch, PLOTS["reliability"])
    assert (bottom, top) == (0, 1)
    steps = [{"added": "a", "mean_spearman": 0.95, "fold_spearman": [0.5, 1.0]}]
    growth = limits(tmp_path / "g.png", monkeypatch, lambda path: plots.growth_plot(path, steps))
    assert growth[0][3] <= 1


@pytest.mark.slow
def test_reliability_says_error_brier_count_and_each_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = texts(tmp_path / "p.svg", monkeypatch, PLOTS["reliability"])
    assert TABLE.brier is not None and TABLE.expected_calibration_error is not None
    assert f"calibration error {TABLE.expected_calibration_error:.3f}" in shown
    assert f"Brier {TABLE.brier:.3f}, n = 200" in shown
    for item in TABLE.bins:
        assert f"{item.share_consistent:.2f}" in shown and f">{item.n}<" in shown
    assert "Held out" in shown and "probability of being consistent" in shown


def test_the_legend_of_reliability_is_below_the_curves_and_equal_shares_have_labels_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib.figure import Figure

    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: drawn.append(figure))
    table = meta.reliability([0.1, 0.3, 0.85, 0.95] * 5, [0, 0, 1, 1] * 5)
    plots.reliability_plot(tmp_path / "p.png", table)
    (figure,) = drawn
    curves = figure.axes[0]
    assert curves.get_legend() is None and len(figure.legends) == 1
    offsets = {note.get_text(): note.xyann[1] for note in curves.texts}
    assert offsets == {"0.00": 9, "1.00": 9}


def test_growth_writes_every_mean_and_metric(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = texts(tmp_path / "p.svg", monkeypatch, PLOTS["growth"])
    for wanted in ("0.383", "0.412", "novelty", "+ rouge2", "Spearman"):
        assert wanted in shown


@pytest.mark.slow
def test_the_matrix_writes_every_cell_and_a_dash_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = texts(tmp_path / "p.svg", monkeypatch, PLOTS["matrix"])
    assert shown.count(">1.00<") == 3 + 1  # three metrics with themselves, and the colour bar
    assert shown.count(">−1.00<") == 2 + 1
    assert shown.count(">–<") == 7
    assert "n = 3 to 4 rows a cell" in shown


def test_estimates_write_values_and_reasons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = texts(tmp_path / "p.svg", monkeypatch, PLOTS["estimates"])
    for wanted in ("0.312", "0.700", "all constant", "not run", "qags (n = 9)", "AUC", "Spearman"):
        assert wanted in shown


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 14])
def test_a_matrix_of_any_size_is_drawn(size: int, tmp_path: Path) -> None:
    columns = {f"metric {i}": RNG.normal(size=20).tolist() for i in range(size)}
    plots.matrix_plot(tmp_path / "m.png", meta.correlation_matrix(columns))
    assert (tmp_path / "m.png").stat().st_size > 1000


@pytest.mark.parametrize("value", [(-0.0, "0.00"), (-0.004, "0.00"), (-0.5, "−0.50"), (None, "–")])
def test_numbers_have_a_true_minus_and_no_negative_zero(value: tuple[float | None, str]) -> None:
    assert plots._signed(value[0], 2) == value[1]


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\.png or \.svg"):
        plots.growth_plot(tmp_path / "p.jpg", STEPS)


def test_nothing_to_draw_is_said_and_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "p.png"
    empty = meta.reliability([None], [1])
    cases: list[Callable[[], None]] = [
        lambda: plots.growth_plot(
            path, [{"added": "a", "mean_spearman": None, "fold_spearman": []}]
        ),
        lambda: plots.estimates_plot(path, "t", []),
        lambda: plots.matrix_plot(path, meta.correlation_matrix({})),
        lambda: plots.reliability_plot(path, empty),
    ]
    for draw in cases:
        with pytest.raises(DataError, match="nothing to draw"):
            draw()
    assert not path.exists()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere"):
        plots.growth_plot(tmp_path / "nowhere" / "p.png", STEPS)


@pytest.mark.slow
def test_drawing_leaves_no_setting_behind(tmp_path: Path) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    PLOTS["matrix"](tmp_path / "m.png")
    after = dict(matplotlib.rcParams)
    assert {k for k in before if before[k] != after[k]} == set()
    assert math.isfinite(after["font.size"])
