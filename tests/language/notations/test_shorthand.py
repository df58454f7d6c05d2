"""Everyday short forms in full."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read
from faithkit.language.sentences import source_sentences


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The Dept. is shut; the dept. said so", "The Department is shut; the department said so"),
        ("Ask the asst. mgr of the ass’n, pls.",
         "Ask the assistant manager of the association, please."),
        ("J Rees (Treas.), Cllr. Webb, Univ. of Ely",
         "J Rees (Treasurer), Councillor Webb, University of Ely"),
        ("I ring tmrw. See you at Xmas", "I ring tomorrow. See you at Christmas"),
        ("a bike in v.g.c., £45 ono", "a bike in very good condition, 45 pounds or nearest offer"),
        ("ten doz. eggs", "120 eggs"),
        ("See p. 12 and pp. 3-5", "See page 12 and pages 3 to 5"),
        ("at no. 7, Nos. 3 and 4, at No 10", "at number 7, Numbers 3 and 4, at Number 10"),
        ("c. 40 people, ca. £5, approx. 9", "about 40 people, about 5 pounds, about 9"),
        ("Ann Lee (b. 1932, b. 4 May 1932)", "Ann Lee (born 1932, born May 4 1932)"),
        ("on Mill Rd, Park St and 5th Ave.", "on Mill Road, Park Street and 5th Avenue."),
        ("opp. the bank, on Mt. Etna", "opposite the bank, on Mount Etna"),
        ("by COB on Friday, by EOD, a COB", "by close of business on Friday, by end of day, a COB"),
    ],
)  # fmt: skip
def test_short_forms_are_written_in_full(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "MTG and the DEPT, mtg.com, @mgr, #ppl, pls-x",
        "Chalfont St Peter, Great St Mary's, Great St. Mary's, The St. James, Rebecca St.",
        "Ave Maria and the rd",
        "He said no. She agrees.",
        "No 10 people came.",
        "Act 2013 c.31, p. 0.05, plan B. 1932",
        "The opp. was lost.",
    ],
)
def test_what_may_be_something_else_stays(text: str) -> None:
    assert read(text).text == text


def test_a_full_form_points_to_the_short_one() -> None:
    text = "See p. 12 of the dept. book."
    result = read(text)
    for word, short in (("page", "p. "), ("department", "dept.")):
        start = result.text.index(word)
        assert text[slice(*result.span(start, start + len(word)))] == short


@pytest.mark.parametrize("text", ["Ask the asst. manager.", "It is opp. the church."])
def test_no_sentence_ends_with_a_short_forms_point(text: str) -> None:
    assert [sentence.text for sentence in source_sentences(text)] == [text]
