"""What a recipe needs, where it is to be had, and what takes its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.helpers.recipes import KNOWN, recipe_of

from faithkit.records import ConfigError
from faithkit.reproduce import plans
from faithkit.reproduce.recipes import Recipe

RECIPE = f"""
[models.big]
role = "lm"
get = "ask its authors"
stand_in = "smollm2-135m"

[models.judge]
role = "chat"
get = "ask its authors"

[datasets.there]
name = "PAIRS"

[datasets.far]
name = "frank"
stand_in = "PAIRS"

[datasets.lost]
name = "treatfact"

[[rows]]
title = "known"
metric = "{KNOWN}"

[[rows]]
title = "likelihood"
metric = "fflm:lm={{big}}"

[[rows]]
title = "judge"
metric = "judge:model={{judge}}"

[[rows]]
title = "replaced whole"
metric = "judge:model={{judge}}"
stand_in = "{KNOWN}"

[[columns]]
title = "C"
dataset = "there"
statistic = "auc"
"""


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    monkeypatch.delenv("FAITHKIT_DATA", raising=False)
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"source": "a", "summary": "a", "label": 1}\n', encoding="utf-8")
    return recipe_of(RECIPE.replace("PAIRS", str(pairs)))


def test_needs_say_what_is_missing_and_where_to_get_it(recipe: Recipe) -> None:
    needs = {need.name: need for need in plans.needs(recipe)}
    assert needs["frank"].state == plans.MISSING
    assert "github.com/artidoro/frank" in needs["frank"].get
    assert "DATA/frank/benchmark_data.json" in needs["frank"].get
    assert needs["frank"].ready
    assert needs["big"].get == "ask its authors; name a folder with --model big=PATH"
    (pairs,) = [need for need in needs.values() if need.name.endswith("pairs.jsonl")]
    assert pairs.state == plans.THERE


def test_a_model_is_there_once_its_folder_is_named(recipe: Recipe, tmp_path: Path) -> None:
    needs = {need.name: need for need in plans.needs(recipe, given={"big": str(tmp_path)})}
    assert needs["big"].state == plans.THERE
    missing = {need.name: need for need in plans.needs(recipe, given={"big": "/no/such"})}
    assert "'/no/such' cannot be loaded" in missing["big"].get


def test_without_stand_ins_everything_that_is_missing_is_one_error(recipe: Recipe) -> None:
    with pytest.raises(ConfigError) as caught:
        plans.plan(recipe)
    message = str(caught.value)
    assert all(name in message for name in ("frank", "treatfact", "big", "judge", "--stand-in"))


def test_stand_ins_take_the_place_of_what_is_missing_and_the_rest_is_left_out(
    recipe: Recipe,
) -> None:
    plan = plans.plan(recipe, stand_in=True)
    assert plan.metrics == {"known": KNOWN, "likelihood": "fflm:lm=smollm2-135m",
                            "replaced whole": KNOWN}  # fmt: skip
    assert set(plan.datasets) == {"there", "far"}
    assert any("big: smollm2-135m" in line for line in plan.replaced)
    assert any("replaced whole" in line for line in plan.replaced)
    assert plan.left_out == (
        "dataset treatfact is not here", "row judge: the model judge is not here"
    )  # fmt: skip
    assert not plan.complete


def test_offline_a_stand_in_that_would_be_downloaded_is_left_out(
    recipe: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans, "_not_ready", lambda role, name: True)
    plan = plans.plan(recipe, stand_in=True, offline=True)
    assert list(plan.metrics) == ["known", "replaced whole"]
    (line,) = [line for line in plan.left_out if "likelihood" in line]
    assert line.endswith("nor its stand-in smollm2-135m: `faithkit models pull smollm2-135m`")
    assert not any("big" in line for line in plan.replaced)


def test_one_split_needs_its_own_file_only(tmp_path: Path) -> None:
    release = tmp_path / "defacto" / "val.jsonl"
    release.parent.mkdir()
    release.write_text("{}\n", encoding="utf-8")
    column = '[[columns]]\ntitle = "C"\ndataset = "d"\nstatistic = "auc"\n'
    for name, state in (("defacto[split=val]", plans.THERE), ("defacto", plans.MISSING)):
        recipe = recipe_of(f'[datasets.d]\nname = "{name}"\n{column}')
        (need,) = plans.needs(recipe, str(tmp_path))
        assert need.state == state


def test_a_rewriter_that_is_not_here_leaves_nothing_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"source": "a", "summary": "a", "label": 1}\n', encoding="utf-8")
    text = (f'rewriter = "chat"\nchecker = "nli"\n[models.chat]\nrole = "chat"\nget = "ask"\n'
            f'[models.nli]\nrole = "nli"\nid = "mini"\n[datasets.d]\nname = "{pairs}"\n'
            f'[[rows]]\ntitle = "k"\nmetric = "{KNOWN}"\n[[columns]]\ntitle = "C"\n'
            'dataset = "d"\nstatistic = "mean change"\nsuite = "edits"\n')  # fmt: skip
    recipe = recipe_of(text, kind="stress")
    with pytest.raises(ConfigError, match="row of the rewriter: the model chat is not here"):
        plans.plan(recipe, stand_in=True)
    plan = plans.plan(recipe, given={"chat": str(tmp_path)})
    assert (plan.rewriter, plan.checker) == (str(tmp_path), "mini")
    with pytest.raises(ConfigError, match="a rewriter needs a checker"):
        recipe_of(text.replace('checker = "nli"\n', ""), kind="stress")


def test_a_named_model_is_put_into_the_metric(recipe: Recipe, tmp_path: Path) -> None:
    plan = plans.plan(recipe, given={"big": str(tmp_path)}, stand_in=True)
    assert plan.metrics["likelihood"] == f"fflm:lm={tmp_path}"


def test_only_the_rows_that_are_asked_for_are_needed(recipe: Recipe) -> None:
    plan = plans.plan(recipe, stand_in=True, only=["known"])
    assert list(plan.metrics) == ["known"]
    assert plan.left_out[-1].startswith("rows not asked for: likelihood")
    with pytest.raises(ConfigError, match=r"no row 'knwon'.*Did you mean 'known'"):
        plans.plan(recipe, only=["knwon"])


@pytest.mark.parametrize(
    ("text", "message"),
    [("big", "wants NAME=PATH"), ("bug=/x", "no model 'bug'.*Did you mean 'big'")],
)
def test_a_model_option_that_fits_nothing_is_refused(
    recipe: Recipe, text: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        plans.parse_models([recipe], [text])
