"""Conditions of `--fail-if`: their forms, and those that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.helpers import tiny_models
from tests.helpers.paths import HELPERS
from tests.helpers.tiny_metrics import Known
from tests.helpers.tiny_verdict_metric import Judged

from faithkit import Example, run
from faithkit.gates import conditions
from faithkit.gates.conditions import Condition
from faithkit.gates.gate import TRIED, Gate
from faithkit.metrics.loading import MetricLike
from faithkit.records import ConfigError, Outcome, Score, Span

USERS = f"{HELPERS / 'tiny_metrics.py'}:Known"


@pytest.fixture(scope="module")
def tiny_lm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny language model: the package's own takes seconds to load."""
    return tiny_models.save_llama(tmp_path_factory.mktemp("lm") / "tiny")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("value < .5", (None, "value", "<", 0.5, False)),
        ("not_consistent > 5%", (None, "not_consistent", ">", 5.0, True)),
        ("value<=1e-2", (None, "value", "<=", 0.01, False)),
        ("not consistent > 5%", (None, "not_consistent", ">", 5.0, True)),
        ("a.py:B no claims > 2", ("a.py:B", "no_claims", ">", 2.0, False)),
        ("no claims/a.py:B value < 1", ("no claims/a.py:B", "value", "<", 1.0, False)),
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
        ("probability < .9", "novelty", "novelty gives no probability; give a condition on its"),
        ("probability < .9", ["novelty", "rouge2"], "novelty, rouge2 gives no probability"),
        ("value < 50", Judged(), r"the bounds of judged are 0 to 1; did you mean 0.5\?"),
        ("newly_failing > 0", Judged(), "where there is a --baseline"),
    ],
)
def test_a_condition_that_no_row_can_meet_is_refused(
    text: str, metrics: MetricLike, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        conditions.check([conditions.parse(text)], run.prepare(metrics), baseline=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "not_consistant > 5%",
            "there is no kind of rows 'not_consistant'. Did you mean 'not_consistent'? Kinds: ",
        ),
        ("value < 5%", "% is for kinds of rows. Kinds: consistent, "),
    ],
)
def test_a_share_of_no_kind_of_rows_is_refused_with_the_nearest(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        conditions.parse(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("consistent < 0.5", "a number of rows, which is whole; did you mean 50%?"),
        ("not_consistent > .4", "did you mean 40%?"),
        ("not_consistent > 2.5", "a number of rows, which is whole and not below 0"),
        ("unscored > -1", "whole and not below 0"),
        ("not_consistent > 140%", "a percentage of rows is from 0 to 100%"),
        ("not_consistent > -5%", "a percentage of rows is from 0 to 100%"),
        ("not_consistent > 100%", "is never true"),
        ("consistent < 0", "is never true"),
    ],
)
def test_a_limit_that_is_no_number_or_share_of_rows_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        conditions.parse(text)
    assert str(refused.value).startswith(f"--fail-if '{text}'")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "text",
    ["not_consistent > 0", "not_consistent > 0%", "consistent < 100%", "consistent < .5%",
     "unscored > 3.0", "not_consistent >= 100%", "marks > 2.5", "value < 0.5", "sentences < .5"],
)  # fmt: skip
def test_a_limit_of_rows_and_of_numbers_of_a_row_is_accepted(text: str) -> None:
    assert conditions.parse(text).text == text


@pytest.mark.parametrize("metrics", [["novelty"], ["novelty", "rouge2"], ["bartscore"]])
def test_marks_of_metrics_that_mark_nothing_are_refused(metrics: list[str], tiny_lm: Path) -> None:
    asked = [f"{name}:lm={tiny_lm}" if name == "bartscore" else name for name in metrics]
    with pytest.raises(ConfigError, match="marks no unsupported words; give a condition on its"):
        conditions.check([conditions.parse("marks > 3")], run.prepare(asked), baseline=False)


@pytest.mark.parametrize("metrics", ["support", ["novelty", "support"], Known()])
def test_marks_of_metrics_of_which_one_marks_words_are_accepted(
    metrics: str | list[str] | MetricLike,
) -> None:
    conditions.check([conditions.parse("marks > 3")], run.prepare(metrics), baseline=False)


def test_marks_of_a_likelihood_that_marks_words_are_accepted(tiny_lm: Path) -> None:
    prepared = run.prepare(f"fflm:lm={tiny_lm}")
    conditions.check([conditions.parse("marks > 3")], prepared, baseline=False)


@pytest.mark.parametrize("metrics", ["support", ["novelty", "support"], USERS])
def test_a_probability_that_a_row_may_have_is_accepted(metrics: MetricLike) -> None:
    conditions.check([conditions.parse("probability < .9")], run.prepare(metrics), baseline=False)


def test_only_names_that_a_metric_can_have_are_offered() -> None:
    novelty, judged = run.prepare(["novelty", Judged()])
    assert conditions.conditions_on(novelty, baseline=False) == {
        "value", "unscored", *(str(outcome) for outcome in Outcome if outcome is not Outcome.OK)
    }  # fmt: skip
    assert conditions.conditions_on(judged, baseline=True) >= {
        "probability", "marks", "not_consistent", "newly_failing"
    }  # fmt: skip


def test_only_spans_that_are_shown_as_unsupported_are_counted() -> None:
    spans = (Span(0, 3), Span(4, 6, "novel"), Span(7, 9, "unsupported", 0.2))
    assert conditions.number_of(Score("a", "m", 0.5, spans=spans), "marks", "") == 2
    assert conditions.number_of(Score("a", "m", 0.5, unlisted_marks=3), "marks", "") == 3
    assert conditions.number_of(Score("a", "m", 0.5, unlisted_marks=None), "marks", "") is None


def test_a_lower_bound_names_the_scored_rows_of_other_kinds() -> None:
    too_few, too_many = map(conditions.parse, ("consistent < 50%", "consistent > 50%"))
    rows = {verdict: Score("a", "m", 0.5, parts={"verdict": verdict}) for verdict in (0.0, 0.5, 1)}
    assert [verdict for verdict, score in rows.items() if conditions.is_named(score, too_few)] == [
        0.0,
        0.5,
    ]
    assert [verdict for verdict, score in rows.items() if conditions.is_named(score, too_many)] == [
        1
    ]
    assert not conditions.is_named(Score("a", "m", None, Outcome.NO_CLAIMS), too_few)


def test_a_share_is_of_the_rows() -> None:
    condition = conditions.parse("not_consistent > 5%")
    assert not condition.exceeded(5, 100)
    assert condition.exceeded(6, 100)
    assert not condition.exceeded(0, 0)


def test_a_name_that_no_row_has_is_refused_after_a_few_rows() -> None:
    prepared = run.prepare(Judged())
    gate = Gate([conditions.parse("lenght > 3"), conditions.parse("length > 300")], prepared)
    example = Example("1", "source", "summary")
    score = Score("1", prepared[0].label, 0.5, parts={"length": 7.0, "verdict": 0.5})
    for _ in range(TRIED - 1):
        gate.add(example, [score])
    with pytest.raises(ConfigError, match=r"no row of judged has 'lenght'. Did you mean 'length'"):
        gate.add(example, [score])


def test_the_mean_is_said_to_be_that_of_another_option() -> None:
    prepared = run.prepare(Judged())
    gate = Gate([conditions.parse("mean < .5")], prepared)
    gate.add(Example("1", "source", "summary"), [Score("1", prepared[0].label, 0.5)])
    with pytest.raises(ConfigError, match=r"has 'mean'. The mean is that of --fail-under 0.5."):
        gate.verdicts()
