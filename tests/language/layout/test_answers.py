"""Questions of a summary and their answers."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source, plain_summary

JOINED = "Was the dam cracked: No"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Was the dam cracked? No.", f"{JOINED}."),
        ("Was the dam cracked? No, it was not. It rained.", f"{JOINED}. It rained."),
        ("Did it rain a lot? Yes, it did.", "Did it rain a lot: Yes."),
        ("Was the dam cracked?\nNo", JOINED),
        ("Q: Was the dam cracked?\nA: No", JOINED),
        ("**Q1. Was the dam cracked?**\nA1. No", JOINED),
        ("- Was the dam cracked? No\n- Was it shut? Yes", f"{JOINED}\n\nWas it shut: Yes"),
    ],
)
def test_a_question_and_its_short_answer_are_one_sentence(text: str, plain: str) -> None:
    assert plain_summary(text, "").text == plain


@pytest.mark.parametrize(
    "text",
    [
        '"Was the dam cracked?" he asked.',
        "He asked: Was the dam cracked? No.",
        "Why did the dam crack? No.",
        "What cracked? The dam.",
        "The dam cracked? Yes.",
        "May sales rose? No.",
        "Isn't it clear that it cracked?",
        "Was the dam cracked?",
        "It rained. Was the dam cracked? Nobody knows.",
        "Was the dam cracked? Yes, the dam was cracked.",
        "Was the dam cracked? No one knows.",
        "Was the dam cracked? No, they left.",
        "Was the dam cracked? Yes, it was not.",
    ],
)
def test_other_questions_stay(text: str) -> None:
    assert plain_summary(text, "").text == text


def test_what_the_source_asks_stays_as_it_is() -> None:
    text = "Was the dam cracked? No."
    assert plain_source(text).text == text
    assert plain_summary(text, f"Ann: {text}").text == text


def test_a_joined_answer_keeps_its_place() -> None:
    text = "Was the dam cracked?\nA: No."
    plain = plain_summary(text, "")
    at = plain.text.index("No")
    assert text[slice(*plain.span(at, at + 2))] == "No"
