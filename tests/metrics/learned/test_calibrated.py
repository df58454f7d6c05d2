"""A saved calibration as a metric: its verdicts, and when it refuses to score."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers import tiny_calibration, tiny_combination
from tests.helpers.paths import HELPERS
from typer.testing import CliRunner

from faithkit import ConfigError, DataError, Example, ModelError, Outcome
from faithkit.cli import app
from faithkit.models.runtime import Runtime
from faithkit.run import Prepared, prepare

TINY = HELPERS / "tiny_metrics.py"
SOURCE = "The council voted on Tuesday to spend money on a new library in Brookfield."
PAIRS = [
    Example("good", SOURCE, "The council voted on Tuesday to spend money."),
    Example("middle", SOURCE, "The council approved money on Friday."),
    Example("bad", SOURCE, "Paris approved a stadium."),
]


def calibrated(file: Path, options: str = "") -> Prepared:
    (one,) = prepare([f"calibrated:file={file}{options}"], Runtime(offline=True))
    return one


def test_the_value_is_the_metrics_own_and_the_verdict_that_of_the_file(tmp_path: Path) -> None:
    file = tiny_calibration.write(tmp_path / "c.json")
    (alone,) = prepare(["novelty"])
    for own, score in zip(
        alone.metric.score(PAIRS), calibrated(file).metric.score(PAIRS), strict=True
    ):
        assert own.value is not None
        assert (score.metric, score.value, score.spans) == ("calibrated", own.value, own.spans)
        assert (score.outcome, score.coverage) == (own.outcome, own.coverage)
        chance = 1 / (1 + math.exp(1 - 2 * own.value))
        verdict = 1.0 if own.value >= 0.8 else 0.0 if own.value < 0.3 else 0.5
        assert score.parts == {
            **own.parts, "probability": pytest.approx(chance), "verdict": verdict,
        }  # fmt: skip
    found = [score.parts["verdict"] for score in calibrated(file).metric.score(PAIRS)]
    assert found == [1.0, 0.5, 0.0]


def test_it_takes_the_place_of_a_metrics_own_verdict(tmp_path: Path, tiny_support: Path) -> None:
    request = f"support:model={tiny_support}"
    never = replace(tiny_calibration.SIGMOID, lower=-1.0, upper=None, slope=0.0, intercept=0.0)
    file = tiny_calibration.write(tmp_path / "c.json", request, calibration=never.to_dict())
    (own,) = prepare([request], Runtime(offline=True))
    (before,), (after,) = (one.metric.score(PAIRS[:1]) for one in (own, calibrated(file)))
    assert "probability" not in before.parts and before.value != 0.5
    assert (after.parts["verdict"], after.parts["probability"]) == (0.5, 0.5)
    assert (after.value, after.evidence) == (before.value, before.evidence)


def test_a_row_without_a_value_has_no_verdict(tmp_path: Path) -> None:
    file = tiny_calibration.write(tmp_path / "c.json", f"{TINY}:Flaky")
    (score,) = calibrated(file).metric.score(PAIRS[:1])
    assert (score.outcome, score.value) == (Outcome.TIMEOUT, None)
    assert "verdict" not in score.parts


def test_a_combination_can_be_calibrated(tmp_path: Path) -> None:
    file = tiny_combination.write(tmp_path / "both.json", {"rouge2": 1.0, "novelty": 1.0})
    request = f"combine:file={file}"
    (alone,) = prepare([request])
    one = calibrated(tiny_calibration.write(tmp_path / "c.json", request))
    assert [s.value for s in one.metric.score(PAIRS)] == [
        s.value for s in alone.metric.score(PAIRS)
    ]


def test_a_metric_that_is_not_what_it_was_is_refused_with_what_differs(tmp_path: Path) -> None:
    then = replace(prepare(["novelty"])[0].signature, version="0.0.9").to_dict()
    file = tiny_calibration.write(tmp_path / "c.json", signature=then)
    with pytest.raises(
        ConfigError, match=r"version: 0\.0\.9 then.*faithkit calibrate.*drift=allow"
    ):
        calibrated(file)
    assert calibrated(file, ",drift=allow").metric.score(PAIRS)[0].outcome is Outcome.OK


def test_the_signature_holds_the_map_and_the_metrics_digest(tmp_path: Path) -> None:
    file = tiny_calibration.write(tmp_path / "c.json")
    moved = tiny_calibration.write(tmp_path / "moved.json")
    other = tiny_calibration.write(
        tmp_path / "other.json",
        calibration=replace(tiny_calibration.SIGMOID, threshold=0.6).to_dict(),
    )
    one, same, different = (calibrated(path).signature for path in (file, moved, other))
    assert one.digest == same.digest != different.digest
    digest = prepare(["novelty"])[0].signature.digest
    assert one.options["metric"] == f"novelty@{digest[:12]}"


def test_it_needs_what_its_metric_needs(tmp_path: Path) -> None:
    (alone,) = prepare(["novelty"])
    assert calibrated(tiny_calibration.write(tmp_path / "c.json")).metric.needs == (
        alone.metric.needs
    )


def test_a_metric_that_fails_is_named(tmp_path: Path) -> None:
    file = tiny_calibration.write(tmp_path / "c.json", f"{TINY}:Crashing")
    with pytest.raises(ModelError, match=r"Crashing' of .*c\.json failed"):
        calibrated(file).metric.score(PAIRS)


@pytest.mark.parametrize(
    ("fields", "kind", "message"),
    [
        ({"kind": "faithkit combination"}, DataError, "not a saved calibration"),
        ({"weights": {"prior_y": 1.0}}, ConfigError, "--save-weights"),
        ({"signature": None}, ConfigError, "did not say what made them"),
        ({"signature": {"name": "novelty"}}, DataError, "not a whole calibration"),
        ({"calibration": {"method": "platt"}}, DataError, "not a whole calibration"),
        ({"metric": 3}, DataError, "'metric' should be text"),
        ({"metric": "noveltee"}, ConfigError, "noveltee"),
    ],
)
def test_a_file_that_does_not_serve_is_named_with_why(
    fields: dict[str, Any], kind: type[Exception], message: str, tmp_path: Path
) -> None:
    file = tiny_calibration.write(tmp_path / "c.json", **fields)
    with pytest.raises(kind, match=message):
        calibrated(file)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000])
def test_a_file_that_is_no_calibration_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(text)
    with pytest.raises(DataError, match=r"c\.json"):
        calibrated(file)


def test_without_a_file_it_says_what_makes_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="faithkit calibrate -o"):
        prepare(["calibrated"])
    with pytest.raises(DataError, match="cannot be read"):
        calibrated(tmp_path / "absent.json")


def test_a_calibration_of_a_calibration_is_refused(tmp_path: Path) -> None:
    inner = tiny_calibration.write(tmp_path / "inner.json")
    outer = tiny_calibration.write(tmp_path / "outer.json", f"calibrated:file={inner}")
    with pytest.raises(ConfigError, match="calibrated itself"):
        calibrated(outer)


def test_what_calibrate_writes_is_used_as_it_says(tmp_path: Path) -> None:
    """The two commands one after the other, as a user would run them."""
    rows: list[dict[str, Any]] = [
        {"id": f"{label}{i}", "source": f"{SOURCE} {i}", "label": label,
         "summary": PAIRS[0 if label else 2].summary + (" More." if i % 3 == 0 else "")}
        for i in range(30) for label in (0, 1)
    ]  # fmt: skip
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = tmp_path / "calibration.json"

    def faithkit(*arguments: str) -> str:
        found = CliRunner().invoke(app, [*arguments, "--no-cache"])
        assert found.exit_code == 0, found.stderr
        return found.stdout

    said = faithkit("calibrate", str(pairs), "-m", "novelty", "-o", str(made))
    use = said.strip().splitlines()[-1].removeprefix("Use it: -m ")
    scored = tmp_path / "scores.jsonl"
    told = faithkit("score", str(pairs), "-m", use, "-o", str(scored))
    found = {row["id"]: row["parts"] for row in map(json.loads, scored.read_text().splitlines())}
    assert all(found[row["id"]]["verdict"] == row["label"] for row in rows)
    assert "30 consistent, 30 not consistent" in told
