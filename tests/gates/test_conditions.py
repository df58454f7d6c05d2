"""Conditions of `--fail-if`: their forms, and those that are refused."""

from __future__ import annotations

import pytest
from tests.helpers.tiny_metrics import Known
from tests.helpers.tiny_verdict_metric import Judged

from faithkit import run
from faithkit.gates import conditions
from faithkit.gates.conditions import Condition
from faithkit.metrics.loading import MetricLike
from faithkit.records import ConfigError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("value < .5", (None, "value", "<", 0.5, False)),
        ("not_consistent > 5%", (None, "not_consistent", ">", 5.0, True)),
        ("value<=1e-2", (None, "value", "<=", 0.01, False)),
        (" unscored >= 3 ", (None, "unscored", ">=", 3.0, False)),
        ("a.py:B marks > 2", ("a.py:B", "marks", ">", 2.0, False)),
        ("bertscore:layer=8 value < -0.5", ("bertscore:layer=8", "value", "<", -0.5, False)),
    ],
)
def test_a_condition_has_a_metric_a_name_and_a_limit(
    text: str, expected: tuple[str | None, str, str, float, bool]
) -> None:
    assert conditions.parse(text) == Condition(text.strip(), *expected)


@pytest.mark.parametrize("text", ["", "value", "value .5", "value < x", "value == 1", "< 1",
                                  "value < 5%", "value < .5 or marks > 2"])  # fmt: skip
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--fail-if"):
        conditions.parse(text)


@pytest.mark.parametrize(
    ("text", "metrics", "message"),
    [
        ("knwn value < 1", Known(), r"names 'knwn'. Did you mean 'known'"),
        ("not_consistent > 5%", Known(), "known gives no verdict"),
        ("value < 50", Judged(), r"the bounds of judged are 0 to 1; did you mean 0.5\?"),
        ("newly_failing > 0", Judged(), "where there is a --baseline"),
    ],
)
def test_a_condition_that_no_row_can_meet_is_refused(
    text: str, metrics: MetricLike, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        conditions.check([conditions.parse(text)], run.prepare(metrics), baseline=False)


def test_a_share_is_of_the_rows() -> None:
    condition = conditions.parse("not_consistent > 5%")
    assert not condition.exceeded(5, 100)
    assert condition.exceeded(6, 100)
    assert not condition.exceeded(0, 0)
