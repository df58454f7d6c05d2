"""Why a row has no value: a sentence for every outcome, which says what text is empty."""

from __future__ import annotations

import pytest

from faithkit.records import Example, Outcome, Score
from faithkit.report.outcomes import reason


@pytest.mark.parametrize(
    ("source", "summary", "said"),
    [
        ("", "B.", "The source is empty, so there is nothing to compare the summary with."),
        ("A.", " \n", "The summary is empty, so there is nothing to check."),
        ("", "", "The source and the summary are empty, so there is nothing to score."),
        ("A.", "B.", "The source has nothing that the summary can be compared with."),
    ],
)
def test_no_content_says_which_text_is_empty(source: str, summary: str, said: str) -> None:
    score = Score("a", "m", None, Outcome.NO_CONTENT)
    assert reason(Example("a", source, summary), score) == said


GERMAN = "Der Stadtrat stimmte am Dienstag für den Bau einer neuen Bibliothek."


@pytest.mark.parametrize(
    ("source", "summary", "said"),
    [
        (GERMAN, "It rained.", "The source is"),
        ("It rained.", GERMAN, "The summary is"),
        (GERMAN, GERMAN, "Each of the two texts is"),
    ],
)
def test_it_says_which_text_is_in_another_language(source: str, summary: str, said: str) -> None:
    score = Score("a", "m", None, Outcome.UNSUPPORTED_LANGUAGE)
    expected = f"{said} in a language that cannot be read here."
    assert reason(Example("a", source, summary), score) == expected


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_but_ok_has_a_sentence(outcome: Outcome) -> None:
    value = 0.5 if outcome is Outcome.OK else None
    said = reason(Example("a", "A.", "B."), Score("a", "m", value, outcome))
    assert (said == "") == (outcome is Outcome.OK)
    assert outcome is Outcome.OK or said.endswith(".")


def test_a_value_in_spite_of_an_outcome_is_called_the_one_of_all_such_rows() -> None:
    said = reason(Example("a", "A.", "B."), Score("a", "m", 1.0, Outcome.NO_CLAIMS))
    assert said == (
        "The summary claims nothing that can be checked. "
        "The value is the one that the metric gives to every such row."
    )
