"""calibrate, combine and leaderboard name wrong input before anything is scored."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.helpers.judged_pairs import judged_rows, refused, write_rows
from tests.helpers.paths import HELPERS

pytestmark = pytest.mark.slow

TINY = HELPERS / "tiny_metrics.py"

WRONG = [
    (("calibrate", "PAIRS"), "name a metric with -m"),
    (("calibrate", "PAIRS", "-m", "rouge2", "-m", "novelty"), "one metric, found 2"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--method", "plat"), "Did you mean 'platt'"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--max-error", "20"), "from 0 to 1, found 20"),
    (("calibrate", "PAIRS", "-m", "CRASH", "-o", "cal.yaml"), "written as .json"),
    (("calibrate", "PAIRS", "-m", "CRASH", "-o", "nowhere/c.json"), "no folder nowhere"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--plot", "x.jpg"), ".png or .svg"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--parts", "a"), "two or more different parts"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--save-weights", "w.json"), "name some"),
    (("calibrate", "PAIRS", "-m", "CRASH", "--column", "label=gold"), "no field 'gold'"),
    (("calibrate", "UNJUDGED", "-m", "CRASH"), "no row has a label or a rating"),
    (("calibrate", "RATED", "-m", "CRASH"), "--consistent-from"),
    (("calibrate", "qags_xsun", "-m", "CRASH"), "Did you mean 'qags_xsum'"),
    (("calibrate", "qags_xsum", "-m", "CRASH", "--column", "id=key"), "reader of its own"),
    (("calibrate", "gone.jsonl", "-m", "CRASH"), "no such file"),
    (("calibrate", "PAIRS", "-m", "rogue2"), "Did you mean 'rouge"),
    (("calibrate", "PAIRS", "-m", "novelty", "--parts", "coverage,densty"), "mean 'density'"),
    (("calibrate", "PAIRS", "-m", "rouge2", "--folds", "50"), "or --folds 2 to 20"),
    (("combine", "PAIRS", "-m", "CRASH"), "2 metrics or more, found 1"),
    (("combine", "UNJUDGED", "-m", "CRASH", "-m", "rouge2"), "no row has a rating or a label"),
    (("combine", "PAIRS", "-m", "CRASH", "-m", "rouge2", "--plot", "g.png"), "--growing"),
    (("leaderboard", "PAIRS", "-m", "CRASH", "-o", "x.xlsx"), ".md, .csv, .json"),
    (
        ("leaderboard", "PAIRS", "--from", "a", "--from", "b"),
        "in their order; found 2 for 1",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input_is_named_before_anything_is_scored(
    arguments: tuple[str, ...], message: str, pairs: Path, tmp_path: Path
) -> None:
    names = {
        "PAIRS": pairs,
        "RATED": write_rows(tmp_path / "rated.jsonl", judged_rows(), drop=("label",)),
        "UNJUDGED": write_rows(tmp_path / "unjudged.jsonl", judged_rows(), drop=("label", "score")),
        "CRASH": f"{TINY}:Crashing",
    }
    assert message in refused(*(names.get(argument, argument) for argument in arguments))
