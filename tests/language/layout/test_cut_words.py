"""Words that a summary ends in the middle of."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_summary

SOURCE = (
    "Nine men left a trawler off Kodiak, Alaska, on Tuesday in daylight. Kodiak was illustrated."
)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("nine men off kod ...", "nine men off kodiak ..."),
        ("NINE MEN OFF KODI...", "NINE MEN OFF KODIAK..."),
        ("Nine men left Alas", "Nine men left Alas"),
        ("Nine men off Kodia…", "Nine men off Kodiak..."),
        ("They left all day ... and", "They left all day ... and"),
        ("He was ill ...", "He was ill ..."),
        ("He was on ...", "He was on ..."),
        ("nine men off ko ...", "nine men off ko ..."),
        ("off Kodiak ...", "off Kodiak ..."),
        ("off Kodiaks ...", "off Kodiaks ..."),
    ],
)
def test_a_start_that_is_no_word_is_the_one_word_that_starts_so(text: str, whole: str) -> None:
    assert plain_summary(text, SOURCE).text == whole


def test_a_start_of_several_words_stays() -> None:
    assert plain_summary("He met alb ...", "Albert met Alba.").text == "He met alb ..."


def test_the_whole_word_has_the_place_of_its_start() -> None:
    plain = plain_summary("off kod ...", SOURCE)
    assert plain.span(4, 10) == (4, 7)
