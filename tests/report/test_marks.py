"""Marks and their evidence as they are shown."""

import pytest

from faithkit.records import Evidence, Example, Score, Span, scored
from faithkit.report.explained import quoted_text
from faithkit.report.marks import marks_of


def marked(summary: str, words: list[str]) -> list[str]:
    start, spans = 0, []
    for word in words:
        start = summary.index(word, start)
        spans.append(Span(start, start + len(word), score=0.2))
        start += len(word)
    score: Score = scored(Example("x", "A source.", summary), "metric", 0.5, spans=spans)
    marks = sorted(marks_of(summary, [score]), key=lambda mark: mark.start)
    return [summary[mark.start : mark.end] for mark in marks]


@pytest.mark.parametrize(
    ("summary", "words", "shown"),
    [
        ("She left on Friday. Ravi stayed.", ["Friday", "Ravi"], ["Friday", "Ravi"]),
        ("She left on 3 May, 2019.", ["3 May", "2019"], ["3 May, 2019"]),
        ("Dr. Lee left.", ["Dr", "Lee"], ["Dr. Lee"]),
        ("She left, he stayed.", ["left", "stayed"], ["left", "stayed"]),
    ],
)
def test_marks_side_by_side_in_a_sentence_are_one(
    summary: str, words: list[str], shown: list[str]
) -> None:
    assert marked(summary, words) == shown


DIALOGUE = "Ann: Hello. I am late.\nBen: No hurry. See you.\nAnn: Thanks.\nBen: Bye."


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("I am late.", "Ann: “I am late.”"),
        ("Ben: No hurry.", "“Ben: No hurry.”"),
        ("See you.", "Ben: “See you.”"),
    ],
)
def test_evidence_of_a_dialogue_says_who_speaks(words: str, shown: str) -> None:
    start = DIALOGUE.index(words)
    item = Evidence(start, start + len(words), 0, 1)
    assert quoted_text(DIALOGUE, item, 100) == shown


def test_evidence_of_another_text_names_nobody() -> None:
    text = "Ann was late. Ben said: no hurry."
    assert quoted_text(text, Evidence(0, 13, 0, 1), 100) == "“Ann was late.”"
    assert quoted_text(text, Evidence(0, 13, 0, 1), 5) == "“Ann …”"
