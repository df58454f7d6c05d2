"""How cells and tables of a recipe are shown."""

from __future__ import annotations

import pytest
from tests.helpers.recipes import recipe_of

from faithkit.reproduce.plans import Plan
from faithkit.reproduce.tables import WIDEST, Cell, Filled, Reproduced, lines_of


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (Cell("r", "c", 56.04, 52.11, 59.8), "56.0 (52.1–59.8)"),
        (Cell("r", "c", 0.5, -0.0001, 0.75), "0.500 (0.000–0.750)"),
        (Cell("r", "c", -0.0004), "0.000"),
        (Cell("r", "c", 0.0), "0"),
        (Cell("r", "c", 1215), "1,215"),
        (Cell("r", "c", 0.25, unscored=3, marks="¶"), "0.250 †¶"),
        (Cell("r", "c", None, reason="one label only"), "– (one label only)"),
    ],
)
def test_a_cell_has_the_places_of_its_size(cell: Cell, shown: str) -> None:
    assert cell.shown() == shown


@pytest.mark.parametrize("wide", [False, True])
def test_a_table_of_many_columns_is_turned(wide: bool) -> None:
    columns = [f"c{i}" for i in range(WIDEST + 1 if wide else 3)]
    recipe = recipe_of(
        '[datasets.d]\nname = "cliff"\n[[rows]]\ntitle = "R"\n'
        '[[columns]]\ntitle = "c0"\ndataset = "d"\nstatistic = "auc"\n'
    )
    filled = Filled(["R"], columns, [Cell("R", name, float(i)) for i, name in enumerate(columns)])
    plan = Plan(recipe, {}, {}, {})
    header, body = lines_of(Reproduced(plan, filled, "", None, 10, 0, 0.0, {}))
    if wide:
        assert header == ["", "R"] and [row[0] for row in body] == columns
        assert body[3] == ["c3", "3.0"]
    else:
        assert header == ["", *columns] and body == [["R", "0", "1.000", "2.0"]]


def test_figures_times_100_have_one_decimal_and_others_those_of_their_size() -> None:
    recipe = recipe_of(
        '[datasets.d]\nname = "cliff"\n[[rows]]\ntitle = "R"\n[columns_default]\ndataset = "d"\n'
        '[[columns]]\ntitle = "ρ"\nstatistic = "spearman"\n'
        '[[columns]]\ntitle = "τ"\nstatistic = "kendall"\npart = "*"\n'
        '[[columns]]\ntitle = "Δ"\nstatistic = "mean"\ntimes = 1\n'
    )
    columns = ["ρ", "τ xsum", "Δ"]
    filled = Filled(["R"], columns, [Cell("R", name, 0.431, -0.02, 1.5) for name in columns])
    _, body = lines_of(Reproduced(Plan(recipe, {}, {}, {}), filled, "", None, 10, 0, 0.0, {}))
    assert body == [["R", "0.4 (0.0–1.5)", "0.4 (0.0–1.5)", "0.431 (-0.020–1.500)"]]
