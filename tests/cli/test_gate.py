"""Gates: exit codes, and what is said of a metric that fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.helpers import tiny_calibration
from tests.helpers.command_line import KNOWN, OTHER, PAIRS, faithkit, refused

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (("0.8",), 0),
        (("0.9",), 1),
        ((f"{KNOWN}=0.9",), 1),
        (("0.9", f"{KNOWN}=0.8"), 1),
        (("0.9", f"{KNOWN}=0.8", f"{OTHER}=0.8"), 0),
    ],
)
def test_a_mean_under_its_gate_ends_with_code_1(gates: tuple[str, ...], code: int) -> None:
    options = [part for gate in gates for part in ("--fail-under", gate)]
    options.append("--allow-unscored")
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN, "-m", OTHER, *options)
    assert found.exit_code == code
    below = "fails its gate of 0.9: the mean is 0.833333, 1 of 2 scored rows are below it; 1 more"
    assert (below in found.stderr) == (code == 1)


def test_a_gate_fails_where_no_row_has_a_score() -> None:
    Path("blank.jsonl").write_text('{"source": "", "summary": ""}\n')
    for more in ((), ("--allow-unscored",)):
        found = faithkit("score", "blank.jsonl", "-m", KNOWN, "--fail-under", "0", *more)
        assert found.exit_code == 1
        assert "none of its 1 rows has a score" in found.stderr


def test_a_gate_fails_where_most_rows_have_no_score() -> None:
    Path("most.jsonl").write_text(PAIRS + '{"source": "", "summary": "a"}\n' * 5)
    gate = ("score", "most.jsonl", "-m", KNOWN, "--fail-under", "0.5")
    found = faithkit(*gate)
    assert found.exit_code == 1
    assert "6 of 8 rows have no score (6 no_content)" in found.stderr
    assert faithkit(*gate, "--allow-unscored").exit_code == 0


def test_a_gate_outside_the_bounds_of_its_metric_is_refused() -> None:
    twice = ("--fail-under", "0.9", "--fail-under", "0.1")
    message = refused("score", "pairs.jsonl", "-m", KNOWN, *twice)
    assert message == "--fail-under gives all metrics two limits."
    message = refused("score", "pairs.jsonl", "-m", KNOWN, "--fail-under", "75")
    assert message == (f"--fail-under 75: the bounds of {KNOWN} are 0 to 1; did you mean 0.75?")
    message = refused("score", "pairs.jsonl", "-m", KNOWN, "--fail-under", "-1")
    assert message == f"--fail-under -1: the bounds of {KNOWN} are 0 to 1"


def test_the_bounds_of_a_calibrated_metric_are_its_own() -> None:
    file = tiny_calibration.write(Path("c.json"))
    message = refused("score", "pairs.jsonl", "-m", f"calibrated:file={file}", "--fail-under", "75")
    assert "the bounds of calibrated:file=c.json are 0 to 1; did you mean 0.75?" in message


def test_strict_ends_with_code_3_where_a_row_has_no_score_and_a_gate_goes_before() -> None:
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN, "--strict")
    assert found.exit_code == 3
    assert "1 row has no score" in found.stderr
    both = ("--strict", "--fail-under", "0.9")
    assert faithkit("score", "pairs.jsonl", "-m", KNOWN, *both).exit_code == 1
    assert faithkit("score", "pairs.jsonl", "-m", KNOWN, "--strict", "--limit", "2").exit_code == 0


def test_a_run_whose_model_failed_on_every_row_ends_with_code_3() -> None:
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN.replace("Known", "Flaky"), "--limit", "2")
    assert found.exit_code == 3
    assert "Flaky scored nothing, because its model failed" in found.stderr


@pytest.mark.parametrize("gate", ["high", "nan", "inf", f"{KNOWN}=", "knwn=0.5"])
def test_a_gate_that_is_no_number_or_for_no_metric_is_refused(gate: str) -> None:
    assert "--fail-under" in refused("score", "pairs.jsonl", "-m", KNOWN, "--fail-under", gate)


def test_a_gate_for_an_unknown_metric_names_the_nearest() -> None:
    message = refused("score", "pairs.jsonl", "-m", "rouge2", "--fail-under", "rogue2=1")
    assert message == "--fail-under names 'rogue2'. Did you mean 'rouge2'? Choices: rouge2."
