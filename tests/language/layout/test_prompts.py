"""The user's question in a prompt, and other questions."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source

QUESTION = "Why did Ann leave?"


@pytest.mark.parametrize(
    "text",
    [
        "Our policy changed.\n\n### Question\n{}", "Our policy changed.\n\nQuestion: {}",
        "Our policy changed.\n\nUser question: {}\n\nAnswer:", "Our policy changed.\n\nQuery: {}",
        "Question: {}\n\nContext: It is due.", "Question: {}\nContext: It is due.",
        "Use the context.\n\n## Context\nIt is due.\n\n**Question:** {}\n\n**Answer:**",
        "[1] It takes ten days.\n[2] It is due.\n\nQ: {} A:", "Document 1: due\n\nQ:\n\n{}",
        "<context>It is due.</context>\n<question>{}</question>",
        "Question: Where?\nAnswer: Leeds.\n\nContext: I owe it.\nQuestion: {}\nAnswer:",
    ],
)  # fmt: skip
def test_a_users_question_is_left_out(text: str) -> None:
    assert "Ann" not in (plain := plain_source(text.format(QUESTION)).text)
    assert any(part in plain for part in ("due", "changed", "owe"))


@pytest.mark.parametrize(
    "text",
    [
        "Question: {}\nAnswer: Nobody knows.", "Q: {}\nA: No.\nQ: Is parking free?\nA: Yes.",
        "### Question\n{}\n\n### Answer\nNobody knows.", "Question: {} Answer: Nobody knows.",
        "Question: {}\n\nNobody knows.", "Context: It is due.\nQuestion: {}\nAnswer: Unknown.",
        "Name: Ben\nMail: b@x.org\nQuestion: {}", "Name: Ben\nMail: b@x.org\n\nQuestion: {}",
        "The customer called.\n\nQuery: {}", "I met Ann in May.\n\nQuestion: {}",
        "Our policy changed.\n\nQ: {}",
        "It is the question: {} Nobody knows.", "Question: {}",
        "It is due.\n\nQuestion: {}\n\nQuestion: Who pays?",
    ],
)  # fmt: skip
def test_other_questions_stay(text: str) -> None:
    assert QUESTION in plain_source(text.format(QUESTION)).text


def test_what_stays_keeps_its_places() -> None:
    text = f"Question: {QUESTION}\n\nContext: It is due."
    plain = plain_source(text)
    at = plain.text.index("due")
    assert text[slice(*plain.span(at, at + 3))] == "due"
