"""Sentences that say nothing: those that are, and those that say something in as few words."""

from __future__ import annotations

import pytest

from faithkit.language.fillers import says_nothing


@pytest.mark.parametrize(
    "sentence",
    [
        "Yes.",
        "No",
        "Hello.",
        "Hi there!",
        "Nothing.",
        "Oh yes, yes.",
        "Yes, it is.",
        "No, they did not.",
        "Good morning!",
        "Good morning everyone.",
        "Something happened.",
        "Some people did some things.",
        "Someone said something about someone.",
        "Things change.",
        "Various topics are discussed.",
        "Once upon a time.",
        "It is what it is.",
    ],
)
def test_greetings_yes_and_no_and_indefinite_statements_say_nothing(sentence: str) -> None:
    assert says_nothing(sentence)
    assert says_nothing(sentence, before="The plane landed in Oslo.")


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Nothing was found.",
        "Nothing happened.",
        "Nobody was hurt.",
        "No people were there.",
        "All people changed.",
        "200 people changed.",
        "They changed.",
        "The people changed.",
        "It rained.",
        "Yes, it rained.",
        "No, they did not pay.",
        "He died.",
        "Prices fell.",
        "Yes, the plan passed.",
        "No change.",
        "Good.",
        "People",
        "Hello Anna.",
        "Once upon a time there was a king.",
    ],
)
def test_a_word_of_content_a_name_a_number_or_a_negation_says_something(sentence: str) -> None:
    assert not says_nothing(sentence)


@pytest.mark.parametrize("before", ["Did the plan pass?", "Complications", "Deaths:", "A1."])
def test_an_answer_to_a_question_or_under_a_heading_says_something(before: str) -> None:
    assert not says_nothing("No.", before)
    assert not says_nothing("Nothing.", before)
    assert not says_nothing("No, it did not.", before)
    assert says_nothing("Something happened.", before)
