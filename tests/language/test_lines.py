"""Which line ends are wraps and which divide."""

from __future__ import annotations

import textwrap

import pytest

from faithkit.language.normalise import plain_source, plain_summary
from faithkit.language.sentences import closed_sentences, source_sentences

PROSE = (
    "The Calder Street swing bridge will reopen to traffic on Monday 14 October, eleven weeks "
    "later than planned, Tarnworth Borough Council said. Council engineer Priya Nandakumar - a "
    "Labour man says she is not - said Mr. Hartley had no well-known reason to wait until 12. "
    "March was cold in the U.S. and Dr. Lee of The Hague said: It is over. They won by two- and "
    "three-year terms."
)


@pytest.mark.parametrize("width", range(40, 101, 4))
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n  ", "\n> "])
def test_wrapped_prose_has_the_sentences_of_the_unwrapped(width: int, end: str) -> None:
    wrapped = end.strip("\r\n") + textwrap.fill(PROSE, width).replace("\n", end)
    whole = [sentence.text for sentence in closed_sentences(PROSE)]
    assert [
        sentence.text for sentence in closed_sentences(plain_summary(wrapped, "").text)
    ] == whole
    assert [sentence.text for sentence in source_sentences(plain_source(wrapped).text)] == whole


@pytest.mark.parametrize("width", [48, 60, 77])
def test_a_source_cut_within_words_is_whole_again(width: int) -> None:
    cut = "\n".join(PROSE[i : i + width] for i in range(0, len(PROSE), width))
    assert plain_source(cut).text == PROSE


def test_a_summary_cut_within_words_has_those_of_its_source() -> None:
    cut = "\n".join(PROSE[i : i + 60] for i in range(0, len(PROSE), 60))
    assert plain_summary(cut, PROSE).text == PROSE


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("A title\nIt rained.", ["A title", "It rained."]),
        ("# A title\nit rained.", ["A title", "it rained."]),
        ("Bring\n- a pen\n- paper", ["Bring", "a pen", "paper"]),
        ("1. Anna won\n2) Bob lost", ["Anna won", "Bob lost"]),
        ("• Anna won\n• Bob lost", ["Anna won", "Bob lost"]),
        ("a) Anna won\nb) Bob lost", ["Anna won", "Bob lost"]),
        ("- Anna won the race that was held in\n  Tarnworth\n- Bob lost", [
            "Anna won the race that was held in Tarnworth", "Bob lost"]),
        ("Anna: I baked\nBob: Are you well\nAnna: yes", [
            "Anna: I baked", "Bob: Are you well", "Anna: yes"]),
        ("#Person1#: I baked\n#Person2#: Are you well", [
            "#Person1#: I baked", "#Person2#: Are you well"]),
        ("Bridge reopens on Monday\nRepairs cost 3 million\nTraders want relief", [
            "Bridge reopens on Monday", "Repairs cost 3 million", "Traders want relief"]),
        ("The roses in the garden were red,\nand the lilies white.", [
            "The roses in the garden were red, and the lilies white."]),
        ("Anna won.\n\nBob lost", ["Anna won.", "Bob lost"]),
        ("12. March was cold.", ["12.", "March was cold."]),
        (
            "x" * 300 + " and\n" + "Anna won.",
            ["x" * 300 + " and", "Anna won."],
        ),
    ],
)  # fmt: skip
def test_what_divides_a_text(text: str, pieces: list[str]) -> None:
    assert [sentence.text for sentence in closed_sentences(plain_summary(text, "").text)] == pieces
    assert [sentence.text for sentence in source_sentences(plain_source(text).text)] == pieces


@pytest.mark.parametrize(
    ("text", "reference", "plain"),
    [
        ("It was discon-\nnected.", "a disconnected line", "It was disconnected."),
        ("It was well-\nknown.", "a disconnected line", "It was well-known."),
        ("Two- and three-\nyear terms.", "", "Two- and three-year terms."),
    ],
)
def test_a_hyphen_at_a_line_end_goes_where_the_source_has_the_word_without(
    text: str, reference: str, plain: str
) -> None:
    assert plain_summary(text, f"Here is {reference} of it.").text == plain


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["a b\n", "- x\n", "Anna: hi\n", "\n", "> q\n", "word " * 9 + "\n"]
)
def test_many_lines_take_no_time(line: str) -> None:
    assert plain_source(line * 20_000).text  # minutes where it was quadratic
