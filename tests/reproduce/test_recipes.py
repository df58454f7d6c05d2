"""Recipes: every one of the package is whole, and a wrong field is one error that names it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.helpers.recipes import HEAD, recipe_of

from faithkit.datasets import DATASETS
from faithkit.datasets.releases import parts
from faithkit.metrics import loading
from faithkit.models import LOADERS
from faithkit.records import ConfigError, DataError
from faithkit.reproduce.kinds import annotators, distribution, judgements
from faithkit.reproduce.recipes import PAPERS, load, models_of, names, parse
from faithkit.stress.suites import SUITES

COLUMN = (
    '[datasets.a]\nname = "cliff"\n[[columns]]\ntitle = "C"\ndataset = "a"\nstatistic = "auc"\n'
)


@pytest.mark.parametrize("name", names())
def test_every_recipe_names_metrics_datasets_and_roles_that_exist(name: str) -> None:
    recipe = load(name)
    for need in recipe.datasets:
        for use in filter(None, (need.paper, need.stand_in)):
            assert all(part.partition("[")[0] in DATASETS for part in parts(use.name))
    for model in recipe.models:
        assert model.role in LOADERS
        assert model.id or model.get
    for row in recipe.rows:
        for text in filter(None, (row.metric, row.stand_in, row.lss.removeprefix("human"))):
            for model in models_of(text):
                text = text.replace("{" + model + "}", "mini")
            loading.specs_of(text)


@pytest.mark.parametrize("name", names())
def test_every_recipe_asks_for_statistics_that_its_kind_has(name: str) -> None:
    recipe = load(name)
    assert recipe.paper in PAPERS
    for column in recipe.columns:
        if recipe.kind == "judgements":
            assert column.statistic in judgements.TASKS
        if recipe.kind == "annotators":
            assert column.statistic in annotators.STATISTICS
        if recipe.kind == "stress":
            assert column.suite in SUITES
        if recipe.kind == "distribution":
            assert column.statistic in distribution.STATISTICS
            assert bool(column.part) != bool(column.metric)


@pytest.mark.parametrize("name", names())
def test_published_cells_belong_to_a_row_and_have_a_source(name: str) -> None:
    recipe = load(name)
    assert not recipe.published or recipe.source
    made = {"annotators", "all", *(" + ".join(titles) for titles in recipe.combinations)}
    assert set(recipe.published) <= {row.title for row in recipe.rows} | made


def test_every_paper_has_recipes() -> None:
    assert {load(name).paper for name in names()} == set(PAPERS)


def test_an_unknown_recipe_lists_the_nearest() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'fflm-table3'"):
        load("fflm-tabel3")


def test_a_recipe_is_read_from_a_file_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'{HEAD}kind = "judgements"\n{COLUMN}', encoding="utf-8")
    assert load(str(path)).shown == "[Mine] Table 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("limitt = 3\n" + COLUMN, "unknown field 'limitt'.*Did you mean 'limit'"),
        (COLUMN + 'part_of = "x"\n', "columns 1: unknown field 'part_of'"),
        (COLUMN.replace('dataset = "a"', 'dataset = "b"'), "there is no 'b'"),
        (COLUMN + '[[rows]]\ntitle = "R"\nmetric = "fflm:lm={big}"\n', "model: there is no 'big'"),
        (COLUMN + '[[rows]]\ntitle = "R"\n[[rows]]\ntitle = "R"\n', "two rows"),
        (COLUMN + "[published.R]\nC = 1.0\n", "published cells need a source"),
        ('combinations = [["X"]]\n' + COLUMN, "combinations: row: there is no 'X'"),
        ("", "needs columns"),
        ('codes = ["negation"]\n' + COLUMN, "'codes': a recipe of the kind coding has"),
    ],
)
def test_a_wrong_recipe_is_refused_with_the_place_and_the_field(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        recipe_of(text)
    assert "mine.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ("[]", "a recipe of the kind coding has codes"),
        ('["Other numbers", "other-numbers"]', "'other-numbers' and 'Other numbers' are the same"),
        ('["another cause"]', "'another cause' is reserved"),
        ('["State"]', "'State' is reserved"),
        ('["–"]', "has no letter"),
    ],
)
def test_wrong_codes_are_refused(codes: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"mine.toml, field 'codes': .*{message}"):
        recipe_of(f"codes = {codes}\n{COLUMN}", kind="coding")


def test_a_number_of_a_wrong_type_names_its_field() -> None:
    with pytest.raises(DataError, match="'times'"):
        recipe_of(COLUMN + 'times = "many"\n')


@pytest.mark.parametrize("scale", ["[1]", '["low", "high"]', "[5, 1]", "[1, 1]"])
def test_a_scale_is_two_numbers_the_lower_first(scale: str) -> None:
    with pytest.raises(DataError, match="'scale': expected the least and the greatest value"):
        recipe_of(f"{COLUMN}scale = {scale}\n")


def test_shared_fields_of_columns_are_a_table() -> None:
    with pytest.raises(DataError, match="'columns_default': expected a table"):
        recipe_of(f"columns_default = 3\n{COLUMN}")


def test_text_that_is_no_toml_is_refused() -> None:
    with pytest.raises(ConfigError, match="not TOML"):
        parse("paper = ", "x", "x.toml")


def test_an_unknown_kind_lists_the_kinds() -> None:
    with pytest.raises(ConfigError, match=r"there is no 'sums'.*judgements"):
        recipe_of(COLUMN, kind="sums")
