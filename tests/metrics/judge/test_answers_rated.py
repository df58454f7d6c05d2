"""What is read of ratings and of the clinical form."""

from __future__ import annotations

import pytest
from tests.helpers.scripted_judge import FORM

from faithkit import Outcome
from faithkit.metrics.judge.answers_rated import _ASPECTS, read_form, read_rating


@pytest.mark.parametrize(
    ("text", "low", "high", "rating"),
    [
        ("4", 1, 5, 4), ("Rating: 4", 1, 5, 4), ("**4/5**", 1, 5, 4), ("4 out of 5", 1, 5, 4),
        ("4.5", 1, 5, 4.5), ("80%", 0, 100, 80), ("85/100", 0, 100, 85), ("0", 0, 100, 0),
        ("10", 1, 10, 10), ("7.\nThe document names 3 people.", 1, 10, 7),
        ("It names 3 of 4 people, so the rating is 2.", 1, 5, 2),
        ("Score: 85 out of 100", 0, 100, 85), ("Rating: 4/5.0", 1, 5, 4),
        ("9/10 statements are supported. Rating: 90", 0, 100, 90),
        ("90 (9 out of 10 are supported)", 0, 100, 90),
        ("I give it a score of 5.", 1, 5, 5), ("A rating of 5 out of 5", 1, 5, 5),
        ("4 stars out of 5", 1, 5, 4), ("Rating: 4 points of 5", 1, 5, 4),
        ("The rating is 10, a score of 10/10.", 1, 10, 10),
    ],
)  # fmt: skip
def test_a_rating_is_brought_to_0_to_1(text: str, low: int, high: int, rating: float) -> None:
    found = read_rating(text, low, high)
    assert (found.outcome, found.parts) == (Outcome.OK, {"rating": rating})
    assert found.value == pytest.approx((rating - low) / (high - low))


@pytest.mark.parametrize(
    "text", ["", "6", "0", "-3", "55", "80%", "3-4", "3 to 4", "3 or 4", "four", "good", "3 but 4",
             "5 people of 2"],
)  # fmt: skip
def test_a_rating_outside_the_scale_or_two_are_unparsable(text: str) -> None:
    assert read_rating(text, 1, 5).outcome is Outcome.UNPARSABLE


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("Rating: 8/10", 0, 100), ("Rating: 8 out of 10", 0, 100), ("8 out of 10", 0, 100),
        ("I would rate it 8 out of 10.", 0, 100), ("Rating: 4 out of 10", 1, 5),
        ("Rating: 4 / 10", 1, 5), ("Rating: 4/5", 1, 10), ("8/100", 1, 10),
    ],
)  # fmt: skip
def test_a_rating_on_another_scale_is_unparsable(text: str, low: int, high: int) -> None:
    assert read_rating(text, low, high).outcome is Outcome.UNPARSABLE


@pytest.mark.parametrize(
    ("entry", "grade"),
    [
        ("2 out of 3", 2), ("1 of 3", 1), ("2/3", 2), ("2 (out of 3)", 2), ("3 (consistent)", 3),
        ("2.0", 2), ("2.", 2), ("2.5", None), ("2,5", None), ("2/5", None), ("3/10", None),
        ("2 out of 5", None), ("2/3.5", None),
    ],
)  # fmt: skip
def test_an_overall_grade_is_of_its_own_scale(entry: str, grade: int | None) -> None:
    found = read_form(f"overall: {entry}")
    assert found.outcome is (Outcome.UNPARSABLE if grade is None else Outcome.OK)
    assert found.parts == ({} if grade is None else {"overall": grade})


def test_the_clinical_form_is_read_aspect_by_aspect() -> None:
    found = read_form(FORM)
    assert found.value == pytest.approx(1 / 3)
    assert found.parts == {
        "population_mentioned": 1, "population_consistent": 0, "intervention_mentioned": 1,
        "comparison_mentioned": 0, "strength_summary": 4, "strength_abstract": 1,
        "strength_right": 0, "direction_summary": 1, "direction_abstract": 0, "direction_right": 0,
        "overall": 1,
    }  # fmt: skip
    assert found.quotes == ("in all women", "in 12 women")


@pytest.mark.parametrize("overall", ["", "overall: 4", "overall: good", "overall: 1 or 2"])
def test_a_form_without_an_overall_grade_is_unparsable_and_keeps_its_aspects(overall: str) -> None:
    found = read_form(f"population mentioned: yes\nstrength right: yes or no\n{overall}")
    assert (found.outcome, found.value) == (Outcome.UNPARSABLE, None)
    assert found.parts == {"population_mentioned": 1}


def test_the_aspects_have_the_names_of_the_dataset() -> None:
    from faithkit.datasets.treatfact import CHOICES

    assert {part for part, _ in _ASPECTS.values()} == {*CHOICES, "overall"}
