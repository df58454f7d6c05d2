"""Marks after the one that ends a sentence, and those that are kept."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_summary

PEOPLE = "The plane carried 200 people"


@pytest.mark.parametrize(
    "marks", [".?", ".!?", "..", "....", ".;", ".,", ".%", ".-", ".*", ".'", '."', ".(?)"]
)
def test_marks_after_the_point_of_a_sentence_are_left_out(marks: str) -> None:
    assert plain_summary(f"{PEOPLE}{marks}", "").text == f"{PEOPLE}."


@pytest.mark.parametrize("marks", [",", ";", " ;", "(?)", " (?)", "%"])
def test_stray_marks_at_the_end_of_a_text_without_a_point_are_left_out(marks: str) -> None:
    assert plain_summary(f"{PEOPLE}{marks}", "").text == PEOPLE


def test_stray_marks_within_a_text_are_left_out_too() -> None:
    assert plain_summary(f"{PEOPLE}.? It landed..", "").text == f"{PEOPLE}. It landed."


@pytest.mark.parametrize(
    "text",
    [
        'She said "no."',
        'She said "no".',
        "She said 'no.'",
        '"I left. I ran."',
        "He left (in 2019.)",
        "It grew 5%",
        "It grew 5 %",
        "She is HER2+",
        "It was rated BBB-",
        "Those are the workers'",
        "Is it in the U.S.?",
        "Did he leave?!",
        "A trawler off ko ...",
        "They landed .",
        "1.) Anna left.",
        "...",
        "",
    ],
)
def test_marks_that_say_or_close_something_stay(text: str) -> None:
    assert plain_summary(text, "").text == text


def test_a_long_row_of_marks_takes_no_time() -> None:
    for marks in ("?" * 20_000, " ," * 20_000, ".'" * 20_000, "(?)" * 12_000):
        assert plain_summary(f"People{marks}", "").text.startswith("People")
