"""What a speaker takes back at once."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source
from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it is on tuesday no wait wednesday", "it is on wednesday"),
        ("It is on Tuesday - no, wait, Wednesday.", "It is on Wednesday."),
        ("It is on Tues, sorry, Weds.", "It is on Weds."),
        ("on friday i mean on saturday", "on saturday"),
        ("in march sorry i mean may", "in may"),
        ("thirteen no sorry thirty tickets", "30 tickets"),
        ("it costs forty pounds i mean fifty pounds", "it costs 50 pounds"),
        ("at nine no sorry at ten", "at 10"),
        ("at 9pm, no, 10pm", "at 10 pm"),
        ("He went to Leeds, I mean Hull.", "He went to Hull."),
    ],
)
def test_a_word_that_is_taken_back_does_not_count(text: str, expected: str) -> None:
    assert read(text).text == expected


def test_the_word_that_counts_stands_for_what_it_corrects() -> None:
    form = read("on tuesday no wait wednesday now")
    start = form.text.index("wednesday")
    assert form.span(start, start + 9) == (3, 28)


@pytest.mark.parametrize(
    "text",
    [
        "not on Friday, I mean Saturday",
        "He did not say Friday, I mean Saturday.",
        "I told Ann, sorry Ben, that it rains.",
        "by 9 sorry at 10",
        "We saw 5 dogs, no 6 cats.",
        "Tuesday and, I mean, Wednesday",
        "He went to Leeds, sorry.",
        "I can wait Wednesday",
        "He may, I mean might, come.",
    ],
)
def test_other_words_stay(text: str) -> None:
    assert read(text).text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann: see you at 7\nAnn: *8 sorry\nBo: ok", "Ann: see you at 8\nAnn: 8 sorry\nBo: ok"),
        ("Ann: it's on Tues\nAnn: *Weds\nBo: ok", "Ann: it's on Weds\nAnn: Weds\nBo: ok"),
        ("Meeting Tues *Weds 10am", "Meeting Weds 10am"),
        ("Ann: at 7 or 9\nAnn: *8\nBo: ok", "Ann: at 7 or 9\nAnn: 8\nBo: ok"),
        ("Ann: at 7\nBo: *8\nAnn: ok", "Ann: at 7\nBo: 8\nAnn: ok"),
        ("Open Mon *Tue Wed", "Open Mon Tue Wed"),
    ],
)
def test_a_star_corrects_the_message_before(text: str, expected: str) -> None:
    assert plain_source(text).text == expected
