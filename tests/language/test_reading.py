"""What the support model reads: one form of contractions, numbers, dates, ranges and negations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit.language.reading import read, values
from faithkit.language.words import words


def parts(text: str) -> list[tuple[str, str]]:
    """Each word of the reading, and what it stands for."""
    result = read(text)
    return [
        (word.text, text[slice(*result.span(word.start, word.end))]) for word in words(result.text)
    ]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("He didn't go.", "He did not go."),
        ("He did n’t go; I can't, WON'T.", "He did not go; I can not, will not."),
        ("We cannot.", "We can not."),
        ("It's here, they're there, I'm", "It is here, they are there, I am"),
        ("we've you’ll", "we have you will"),
        ("He didnt, mustnt, NEEDNT, mightnt", "He did not, must not, NEED not, might not"),
        ("The Hunt isn a student’s dent.", "The Hunt isn a student’s dent."),
        ("Anna's dog's 'red' n't", "Anna's dog's 'red' not"),
        ("No contraction.", "No contraction."),
        ("Tea w/o milk, W/ sugar.", "Tea without milk, with sugar."),
        ("A b/w film w/o 5 kg.", "A b/w film w/o 5 kilograms."),
        ("", ""),
    ],
)
def test_contractions_are_written_out(text: str, plain: str) -> None:
    assert read(text).text == plain


def test_a_sharp_s_is_a_double_one() -> None:
    assert read("Weiß, STRAẞE").text == "Weiss, STRASSE"


def test_a_contractions_parts_point_to_their_own_letters() -> None:
    result = [pair for pair in parts("She didn't, he ca n't, we've") if pair[0].isalpha()]
    assert result == [
        ("She", "She"), ("did", "did"), ("not", "n't"),
        ("he", "he"), ("can", "ca"), ("not", " n't"),
        ("we", "we"), ("have", "'ve"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("two of twenty-five, Twenty five and one", "2 of 25, 25 and one"),
        ("two hundred and fifty, a hundred, 18 hundred", "250, 100, 1800"),
        ("1,200 and 10,20 and 1.5", "1200 and 10,20 and 1.5"),
        ("2.5m people, 2,500,000 people", "2.5 million people, 2.5 million people"),
        ("a million, half a million", "1 million, 500000"),
        ("80k, 80 thousand, 80,000", "80000, 80000, 80000"),
        ("1,500 million and 1.5bn", "1.5 billion and 1.5 billion"),
        ("£5, £2.5m, $ 3 million", "5 pounds, 2.5 million pounds, 3 million dollars"),
        ("US$1.2bn, A$50 and €3.", "1.2 billion dollars, 50 Australian dollars and 3 euros."),
        ("EUR 1,250, USD3m and 5 GBP.", "1250 euros, 3 million dollars and 5 pounds."),
        ("CHF 20bn; neur 5 stays", "20 billion Swiss francs; neur 5 stays"),
        ("5%, 5 per cent, 10-15%", "5 percent, 5 percent, 10 to 15 percent"),
        ("a 3.45 mi road, a 3.45-mile road", "a 3.45 miles road, a 3.45 mile road"),
        ("5km, 5 kilometers, 70mph", "5 kilometres, 5 kilometres, 70 miles per hour"),
        ("nineteen-year-old, 19-year-old", "19 year old, 19 year old"),
        ("post-1945, web-02 and a 10-month", "post 1945, web 02 and a 10 month"),
        ("Su-30, 3-in-1, T-1000, x-5y-2", "Su-30, 3-in-1, T-1000, x-5y-2"),
        ("1234567 and 555-1234-567", "1234567 and 555-1234-567"),
        ("a 100m race, 5m tall", "a 100m race, 5 metres tall"),
    ],
)
def test_amounts_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    ["February 3 2019", "February 3, 2019", "3 February 2019", "Feb. 3rd, 2019", "3 feb 2019",
     "the 3rd of February, 2019", "03 February 2019", "2019-02-03", "2019-2-3",
     "3rd February , 2019"],
)  # fmt: skip
def test_a_date_is_one_however_it_is_written(text: str) -> None:
    result = read(f"On {text} it rained.")
    assert result.text == "On February 3 2019 it rained."
    assert [value for _, value in values(result.text)] == ["3 February", "2019"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("On May 29 he may go", "On May 29 he may go"),
        ("it may 3 times march 4", "it may 3 times march 4"),
        ("in Sept. 2014", "in September 2014"),
        ("20-21 November", "November 20 to November 21"),
        ("2014-15, 2014/15 and 24/7", "2014 to 2015, 2014 to 2015 and 24/7"),
        ("won 2–1, aged 5 - 7", "won 2 to 1, aged 5 to 7"),
        ("at 17:30, 5.30pm and 5:30 p.m.", "at 5:30 pm, 5:30 pm and 5:30 pm"),
        ("at 9:30, 12am", "at 9:30, midnight"),
        ("at 1930 GMT, 0730 UTC", "at 7:30 pm GMT, 7:30 am UTC"),
        ("1930 people, 2475 GMT", "1930 people, 2475 GMT"),
        ("on  3\nFebruary\t2019", "on February 3 2019"),
    ],
)
def test_times_and_ranges_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It is not true that he did not go home.", "he went home."),
        ("It isn't the case that the team wasn't late.", "the team was late."),
        ("It is false that she never won.", "she won."),
        ("It is not true that Ann Lee, the mayor, did not go.", "Ann Lee, the mayor, went."),
        ("She did not fail to score.", "She scored."),
        ("He failed to win, and it fails to start.", "He did not win, and it does not start."),
        ("No fewer than 5 and no more than six", "at least 5 and at most 6"),
        # What judges a fact does not deny it.
        ("It was wrong that she did not pay.", "It was wrong that she did not pay."),
        ("It is not right that he never won.", "It is not right that he never won."),
        # One negation stays, and so do two that are not about the same.
        ("It is not true that he went.", "It is not true that he went."),
        ("It is not true that the man who did not pay won.",
         "It is not true that the man who did not pay won."),
        ("It is not true that he won, he did not.", "It is not true that he won, he did not."),
        ("He has failed to win.", "He has failed to win."),
    ],
)  # fmt: skip
def test_negations_that_cancel_are_gone(text: str, plain: str) -> None:
    assert read(text).text == plain


def test_words_are_mapped_to_what_was_read_as_them() -> None:
    assert parts("It is not true that he did not go on the 3rd of May for £2.5m.") == [
        ("he", "It is not true that he"),
        ("went", "did not go"),
        ("on", "on"),
        ("May", "May"),
        ("3", "the 3rd of"),
        ("for", "for"),
        ("2.5", "2.5"),
        ("million", "m"),
        ("pounds", "£"),
        (".", "."),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.5 million or 2500000", ["2500000", "2500000"]),
        ("3 thousand, 1.5 billion", ["3000", "1500000000"]),
        ("in June 2019", ["2019"]),
        ("on June 20", ["20 June"]),
        ("the 3rd, not the twelfth", ["12", "3"]),
    ],
)
def test_values_have_their_scale_and_month(text: str, expected: list[str]) -> None:
    assert sorted(value for _, value in values(read(text).text)) == sorted(expected)


_PHRASES = """
It is not true that|he|did not|didn't|fail to|go|wasn't|failed to|never|3|25|£|$|m|million|February|
the 3rd of|2019|,|.|-|–|/|two|hundred|and|twenty|one|%|km|5.30|pm|no more than|17:30|1,200|k|5m|May|
ß|’s|it’s|ſec|mıllion|Aprıl|ſıxty|uſ$|١٢|K|it ıſ falſe that|doeſ not|faıled to|²|no leſſ than|
half a|dozen|½|⅔|and a half|hundred and|thousand|nineteen|eighty-four|in|one-third|2/3 of|<|≥|±|≠
|~|(|-5|'|10"|ft|g|MB|401(k)|€|USD|lakh|crore|Rs.|.5|10^-5|10⁻⁵|x 10|(9)|/L|/kg|mg|bd|b.i.d.|q8h
|twice daily|type II|type I|FY24|1'200|5,00|5 000 000|bps|mM|K|31-Dec-23|half past|
quarter to|at|noon|midday|13/05/2019|the nineties|'90s
|to|and
"""
PHRASES = st.sampled_from(_PHRASES.replace("\n", "").split("|"))
WRITTEN = st.lists(st.tuples(PHRASES, st.sampled_from([" ", ""])), max_size=12)


@given(WRITTEN)
def test_every_word_of_a_text_belongs_to_a_word_of_its_reading(some: list[tuple[str, str]]) -> None:
    text = "".join(part for pair in some for part in pair)
    result = read(text)
    assert len(result.text) == len(result.starts) == len(result.ends)
    assert all(0 <= a < b <= len(text) for a, b in zip(result.starts, result.ends, strict=True))
    covered = {i for a, b in zip(result.starts, result.ends, strict=True) for i in range(a, b)}
    lost = [i for i, letter in enumerate(text) if letter.isalnum() and i not in covered]
    assert not lost, (text, result.text, "".join(text[i] for i in lost))
