"""Means, outcomes and gates."""

from __future__ import annotations

from faithkit import run
from faithkit.records import Outcome, Score


def test_a_mean_leaves_out_rows_without_a_value_and_says_how_many() -> None:
    tally = tally_of(0.25, None, 0.75)
    assert (tally.rows, tally.valued, tally.mean) == (3, 2, 0.5)
    assert (tally.least, tally.greatest) == (0.25, 0.75)
    assert run.count_incomplete({"m": tally}) == 1
    assert run.Tally().mean is None


def tally_of(*values: float | None) -> run.Tally:
    tally = run.Tally()
    for value in values:
        tally.add(Score("1", "m", value, Outcome.NO_CLAIMS if value is None else Outcome.OK))
    return tally


def test_a_gate_is_for_every_metric_or_for_one_and_a_mean_of_nothing_fails_it() -> None:
    tallies = {"high": tally_of(0.75), "low": tally_of(0.2, 0.3, 0.7), "none": tally_of(None)}
    low = "low fails its gate of 0.5: the mean is 0.4, 2 of 3 scored rows are below it"
    none = "none fails its gate of {}: none of its 1 rows has a score (1 no_claims)"
    assert run.failed_gates(tallies, {}) == []
    assert run.failed_gates(tallies, {"": 0.5}) == [low, none.format(0.5)]
    assert run.failed_gates(tallies, {"": 0.5, "low": 0.1, "none": 0}) == [none.format(0)]
    assert run.failed_gates(tallies, {"none": 0}, allow_unscored=True) == [none.format(0)]
    assert run.failed_gates(tallies, {"high": 0.75}) == []


def test_rows_without_a_score_fail_a_gate_unless_they_are_allowed() -> None:
    tallies = {"m": tally_of(0.9, None, None, None)}
    assert run.failed_gates(tallies, {"m": 0.5}) == [
        "m fails its gate of 0.5: 3 of 4 rows have no score (3 no_claims); the mean of the others "
        "is 0.9. --allow-unscored leaves them out"
    ]
    assert run.failed_gates(tallies, {"m": 0.5}, allow_unscored=True) == []
    (line,) = run.failed_gates(tallies, {"m": 0.95}, allow_unscored=True)
    assert line.endswith("1 of 1 scored rows are below it; 3 more have no score (3 no_claims)")


def test_a_metric_whose_model_failed_on_every_row_has_scored_nothing() -> None:
    failed, timeout = (
        Score("1", "m", None, outcome) for outcome in (Outcome.MODEL_ERROR, Outcome.TIMEOUT)
    )
    dead, half = run.Tally(), tally_of(0.5)
    for score in (failed, timeout):
        dead.add(score)
        half.add(score)
    tallies = {"dead": dead, "half": half, "none": tally_of(None), "empty": run.Tally()}
    assert run.metrics_without_score(tallies) == ["dead"]
