"""Words of sport that are numbers, in the words of the source."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_summary


@pytest.mark.parametrize(
    ("source", "summary", "plain"),
    [
        ("Mbeki scored a hat-trick.", "Mbeki scored three goals.", "Mbeki scored a hat-trick."),
        ("Mbeki scored three goals.", "Mbeki got a hat trick.", "Mbeki got three goals."),
        ("Rossi got a brace.", "Rossi scored 2 goals.", "Rossi scored a brace."),
        ("Holt took silver in Oslo.", "Holt finished second in Oslo.", "Holt took silver in Oslo."),
        ("Holt won the bronze medal.", "Holt came third.", "Holt won the bronze medal."),
        # other numbers, and what is none
        ("Mbeki scored a hat-trick.", "Mbeki scored two goals.", "Mbeki scored two goals."),
        ("Holt took silver.", "Holt finished third.", "Holt finished third."),
        ("They completed a hat-trick of wins.", "They hit three goals.", "They hit three goals."),
        ("Ann scored a hat-trick, Bo scored three goals.", "Bo scored three goals.",
         "Bo scored three goals."),
        ("She took silver coins.", "She came second.", "She came second."),
        ("He took silver.", "He was the second to speak.", "He was the second to speak."),
        ("The plan has three goals.", "The plan got a hat-trick.", "The plan got a hat-trick."),
    ],
)  # fmt: skip
def test_a_feat_is_in_the_words_of_the_source(source: str, summary: str, plain: str) -> None:
    assert plain_summary(summary, source).text == plain
