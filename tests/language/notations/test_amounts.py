"""Amounts as `reading.read` writes them: money, ranges with a shared scale, and signs."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read
from faithkit.language.words import words


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("$5MM and $5 mm", "5 million dollars and 5 million dollars"),
        ("5 mm of rain", "5 millimetres of rain"),
        ("1,000ft, 2,500kg, 1,000m", "1000 feet, 2500 kilograms, 1000m"),
        ("£46million, 46million, $1.5billion",
         "46 million pounds, 46 million, 1.5 billion dollars"),
        ("10 mln, 5m USD, 5m euros", "10 million, 5 million dollars, 5 million euros"),
        ("€5, 5€, 5 €, 10 million €", "5 euros, 5 euros, 5 euros, 10 million euros"),
        ("5$ and 5k€", "5 dollars and 5000 euros"),
        ("$1, $1 million, 1 GB, 1 km/h",
         "1 dollar, 1 million dollars, 1 billion bytes, 1 kilometre per hour"),
        ("5 million US dollars", "5 million dollars"),
        ("his 401k, a 401(k), $401k", "his 401k, a 401k, 401000 dollars"),
        ("a 4K TV, 4K people, a 10k run", "a 4K TV, 4000 people, a 10k run"),
        ("5 k people, 5 k€, $5 k, 5m followers",
         "5000 people, 5000 euros, 5000 dollars, 5 million followers"),
        ("Plt 250 K/µL, 250K/uL", "Plt 250000 per microlitre, 250000 per microlitre"),
        ("Rs 5 crore, Rs. 5 crore, Rs.50,000, ₹5cr",
         "50 million rupees, 50 million rupees, 50000 rupees, 50 million rupees"),
        ("₹5 lakh, five lakh people, 1.5 lakh crore",
         "500000 rupees, 500000 people, 1.5 trillion"),
        ("5 crore rupees, US$ 5 crore", "50 million rupees, 50 million dollars"),
        ("£5 mio, €5 mrd, $1.2 bil, $1.2 tril, $2 quadrillion",
         "5 million pounds, 5 billion euros, 1.2 billion dollars, 1.2 trillion dollars, "
         "2000 trillion dollars"),
        ("S$5m, SGD 5m, 5 HKD, NZ$5, NZD 5",
         "5 million Singapore dollars, 5 million Singapore dollars, 5 Hong Kong dollars, "
         "5 New Zealand dollars, 5 New Zealand dollars"),
        ("RMB 5m, CNY 5m, 5m yuan", "5 million yuan, 5 million yuan, 5 million yuan"),
        ("SEK 5, NOK 5, 5m DKK",
         "5 Swedish kronor, 5 Norwegian kroner, 5 million Danish kroner"),
        ("PLN 200, 200 PLN, 200 zł, 49 zlotys", "200 zloty, 200 zloty, 200 zloty, 49 zloty"),
        ("£40 grand, 40 grand for us, £40-50 grand, $1.5 grand",
         "40000 pounds, 40000 for us, 40000 pounds to 50000 pounds, 1500 dollars"),
        ("2 grand pianos, 40 grand and 2 small ones", "2 grand pianos, 40 grand and 2 small ones"),
        ("61M accounts, 140M documents, 7B parameters, 7B people",
         "61 million accounts, 140 million documents, 7 billion parameters, 7 billion people"),
        ("a 50M pool, 7B of them", "a 50M pool, 7B of them"),
        ("an Audi RS 6, 5 bil, 3 tril, Highway 5 TN", "an Audi RS 6, 5 bil, 3 tril, Highway 5 TN"),
    ],
)  # fmt: skip
def test_money_and_scales_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Na 140 K 4.1, Na 131 K+ 4.9", "Na 140 K 4.1, Na 131 K+ 4.9"),
        ("the 10K filing, the 10-K, Form 10K", "the 10K filing, the 10-K, Form 10K"),
        ("clause 5 k, clause 5k, section 12k", "clause 5 k, clause 5k, section 12k"),
        ("a 5 k resistor, 77 K", "a 5 k resistor, 77 K"),
        ("Room 12K, Case 5120K, number 19374K", "Room 12K, Case 5120K, number 19374K"),
        ("Room 5B residents, class 5M voters", "Room 5B residents, class 5M voters"),
        (
            "18k gold, 18-carat gold, 9ct white gold",
            "18 carat gold, 18 carat gold, 9 carat white gold",
        ),
        ("18k goldfish", "18000 goldfish"),
        ("a temperature of 5,778K", "a temperature of 5778 kelvin"),
        ("at room temperature Na 140 K 4.1", "at room temperature Na 140 K 4.1"),
    ],
)
def test_letters_are_no_scales_of_what_is_not_counted(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("£0.85, $0.75, €0.50, 0.75 EUR", "85 pence, 75 cents, 50 cents, 75 cents"),
        ("£0.05, $0.01", "5 pence, 1 cent"),
        ("$0.85-0.95", "85 cents to 95 cents"),
        # Another number goes with it, it is a weight, or more than hundredths.
        ("$0.50 to 2, from 0.5 to 0.75 euros", "0.5 dollars to 2, from 0.5 to 0.75 euros"),
        ("0.5 pounds of butter, $0.125, £0.00", "0.5 pounds of butter, 0.125 dollars, 0 pounds"),
    ],
)
def test_less_than_one_of_a_currency_is_in_hundredths(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("20-30k, 20-30,000", "20000 to 30000, 20000 to 30000"),
        ("20 to 30 thousand", "20000 to 30000"),
        ("$5-7 million", "5 million dollars to 7 million dollars"),
        ("$5m-$7m", "5 million dollars to 7 million dollars"),
        ("£5-10 or £5-£10", "5 pounds to 10 pounds or 5 pounds to 10 pounds"),
        ("$5-€7 and 5-$7 million", "5 dollars to 7 euros and 5 million to 7 million dollars"),
        ("2m-3m people", "2 million to 3 million people"),
        ("3,000-5,000", "3000 to 5000"),
        ("1,000,000-2,000,000 people", "1 million to 2 million people"),
        # The lower end has no scale of the upper one.
        ("rose from 500 to 2 million", "rose from 500 to 2 million"),
        ("fell from 7 to 5 million", "fell from 7 to 5 million"),
        ("a scale of 1-1,000", "a scale of 1 to 1000"),
        ("2014-15 and 3-1", "2014 to 2015 and 3 to 1"),
        ("20-30 k people, 20-30 k", "20000 to 30000 people, 20 to 30 k"),
        ("5-7 lakh, ₹1,00,000-2,00,000",
         "500000 to 700000, 100000 rupees to 200000 rupees"),
        ("$1.10 to 1.15, $5 to 10 people, $1 to 5.00",
         "1.1 dollars to 1.15 dollars, 5 dollars to 10 people, 1 dollar to 5.00"),
        ("3%-5%, 4.25%–4.50%, 60% - 40%",
         "3 percent to 5 percent, 4.25 percent to 4.5 percent, 60 percent to 40 percent"),
    ],
)  # fmt: skip
def test_both_ends_of_a_range_have_what_they_share(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It was -5 degrees.", "It was minus 5 degrees."),
        ("between −5 and -10", "between minus 5 and minus 10"),
        ("95% CI -7 to -1", "95 percent CI minus 7 to minus 1"),
        ("a loss of -$5 million (-3%)", "a loss of minus 5 million dollars (minus 3 percent)"),
        ("p<0.05, p < 0.05", "p less than 0.05, p less than 0.05"),
        ("Go to Settings > 2FA", "Go to Settings > 2FA"),
        ("Open Settings > Account > 2 devices", "Open Settings > Account > 2 devices"),
        ("Size > 5GB, Sales > 500", "Size more than 5 billion bytes, Sales more than 500"),
        ("CRP >5, (≥5), <= 5", "CRP more than 5, (at least 5), at most 5"),
        ("not > 5", "at most 5"),
        ("±5, 5 +/- 2", "plus or minus 5, 5 plus or minus 2"),
        ("A ≠ B", "A is not B"),
        ("~50 people, ≈ 5", "about 50 people, about 5"),
        # A range, a list's mark, a heart, an arrow, a quotation, a name.
        ("9am -5pm, 5 km -7 km", "9 am to 5 pm, 5 kilometres -7 kilometres"),
        ("-5 eggs", "-5 eggs"),
        ("I <3 you, x -> 5, 5~7, 5 < 6", "I <3 you, x -> 5, 5~7, 5 < 6"),
        ("> 5 eggs", "more than 5 eggs"),
        ("<tove> 31 left", "<tove> 31 left"),
    ],
)
def test_signs_are_written_out_as_words(text: str, plain: str) -> None:
    assert read(text).text == plain


def test_parts_of_an_amount_point_to_their_own_characters() -> None:
    text = "$5-7 million, p<0.05 at -5"
    result = read(text)
    found = [
        (word.text, text[slice(*result.span(word.start, word.end))]) for word in words(result.text)
    ]
    assert found == [
        ("5", "5"), ("million", "million"), ("dollars", "$"), ("to", "-"),
        ("7", "7"), ("million", "million"), ("dollars", "$"), (",", ","),
        ("p", "p"), ("less", "<"), ("than", "<"), ("0.05", "0.05"),
        ("at", "at"), ("minus", "-"), ("5", "5"),
    ]  # fmt: skip
