"""Truecasing of summaries without capitals."""

from __future__ import annotations

import pytest
from hypothesis import example as with_example
from hypothesis import given
from hypothesis import strategies as st

from faithkit import Example
from faithkit.language.case import truecased, with_case
from faithkit.language.words import words
from faithkit.metrics.facts import Ner, NerOverlap

pytestmark = pytest.mark.slow


any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


cased_text = st.text(st.sampled_from("aAbBßẞİiıIΣσςǅŉ é.!?'’-\n"), max_size=60)


@given(any_text | cased_text, any_text | cased_text)
@with_example("ß ŉ İ", "SS ʼN i̇")
def test_truecasing_keeps_the_length_and_every_letter_but_for_its_case(
    text: str, reference: str
) -> None:
    found = truecased(text, reference)
    assert len(found) == len(text)
    assert found.casefold() == text.casefold()
    assert [(w.start, w.end) for w in words(found)] == [(w.start, w.end) for w in words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("anna reyes spoke.", "Anna Reyes spoke."),
        ("she met reyes. the mayor left", "She met Reyes. The mayor left"),
        ('"nasa" pays', '"NASA" pays'),
        ("unknown names stay: zoe", "Unknown names stay: zoe"),
    ],
)
def test_truecasing_takes_the_source_s_usual_case(text: str, expected: str) -> None:
    # "Will" and "The" are capitals at sentence starts only; "may" is a verb twice, "May" once.
    source = (
        "Will the mayor, Anna Reyes, go? The paper asked Reyes, and NASA, in May. We may, may we?"
    )
    assert truecased(text, source) == expected
    assert truecased("he may", source) == "He may"


def test_truecasing_is_for_summaries_without_a_capital() -> None:
    source = "We met Anna in Paris."
    assert with_case("anna left", source, "auto") == "Anna left"
    assert with_case("anna left Paris", source, "auto") == "anna left Paris"
    assert with_case("anna left Paris", source, "on") == "Anna left Paris"
    assert with_case("anna left", source, "off") == "anna left"
    assert with_case("2019", source, "auto") == "2019"


def test_ner_finds_the_names_of_a_summary_in_lower_case() -> None:
    source = "In June we met Maria Silva in Lisbon. Then Maria Silva flew to Berlin."
    example = Example("x", source, "maria silva flew from lisbon to berlin")
    (score,) = Ner(similarity="exact").score([example])
    assert (score.value, score.parts["summary_entities"]) == (1.0, 3)
    (off,) = Ner(similarity="exact", truecase="off").score([example])
    assert off.parts["summary_entities"] < 3
    (overlap,) = NerOverlap().score([example])
    assert (overlap.value, overlap.parts["summary_entities"]) == (1.0, 3)
