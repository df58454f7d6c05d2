"""What is named as left out of a text: its words, never its form."""

from __future__ import annotations

import pytest

from faithkit.language.left_out import LONGEST_QUOTE, describe_left_out, find_left_out
from faithkit.language.mapped import Mapped
from faithkit.language.normalise import plain_source, plain_summary

SOURCE = "The bridge opened in May 2019. It cost 4 million."


def describe(summary: str, source: str) -> str:
    return describe_left_out(
        list(find_left_out(summary, plain_summary(summary, source))),
        list(find_left_out(source, plain_source(source))),
    )


@pytest.mark.parametrize(
    ("summary", "parts"),
    [
        ("The bridge opened in May.\n\nConfidence: 95%", ["Confidence: 95%"]),
        (
            "The documents do not mention the architect. The bridge opened in May.",
            ["The documents do not mention the architect."],
        ),
        (
            '{"summary": "The bridge opened in May.", "status": "final"}',
            ['", "status": "final"}'],
        ),
        (
            "The bridge opened in May [1].\n\nSources:\n- [1] https://a.example/bridge",
            ["Sources:\n- [1] https://a.example/bridge"],
        ),
        ("Sure! Here is a summary:", ["Sure! Here is a summary:"]),
        ("TL;DR: It cost ~~5~~ 4 million (Doc 3).", ["TL;DR:", "(Doc 3)"]),
    ],
)
def test_words_that_are_not_read_are_named(summary: str, parts: list[str]) -> None:
    assert list(find_left_out(summary, plain_summary(summary, SOURCE))) == parts


@pytest.mark.parametrize(
    "summary",
    [
        SOURCE,
        "",
        "# It opened\n\n1. The **bridge** opened [1].\n2. It  cost\u200b 4 million.¹\n\n---",
        "<p>The <b>bridge</b> opened.</p><ul><li>It cost 4 million.</li></ul>",
        "The bridge\nopened in May, which was la-\nte. “It cost 4 million” — so they said…",
        '{"summary": "The bridge opened in May."}',
    ],
)
def test_form_is_not_named(summary: str) -> None:
    assert list(find_left_out(summary, plain_summary(summary, SOURCE))) == []
    assert list(find_left_out(summary, plain_source(summary))) == []


def test_both_texts_are_named_with_their_characters() -> None:
    prompt = f"Context:\n{SOURCE}\n\nQuestion: When did the bridge open?\n"
    assert describe("The bridge opened.", SOURCE) == ""
    assert describe("The bridge opened.\n\nConfidence: 95%", prompt) == (
        "15 characters of the summary (“Confidence: 95%”); "
        "35 of the source (“Question: When did the bridge open?”)"
    )
    assert describe("The bridge opened.", prompt).startswith("35 characters of the source (")


def test_many_and_long_parts_are_cut_and_counted() -> None:
    parts = [f"left {number} " + "x" * 90 for number in range(5)]
    given = "".join(f"kept {number}{part}" for number, part in enumerate(parts))
    starts = [given.index(f"kept {number}") + place for number in range(5) for place in range(6)]
    plain = Mapped("kept 0kept 1kept 2kept 3kept 4", starts, [start + 1 for start in starts])
    assert list(find_left_out(given, plain)) == parts
    text = describe_left_out(parts, [])
    first = f"“left 0 {'x' * (LONGEST_QUOTE - 8)}…”"
    assert text.startswith(f"485 characters of the summary ({first}, ")
    assert text.endswith("…” and 2 more)")
