"""Amounts as `reading.read` writes them: money, units, ranges with a shared scale, and signs."""

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
         "1 dollar, 1 million dollars, 1 gigabyte, 1 kilometre per hour"),
        ("5 million US dollars", "5 million dollars"),
        ("his 401k, a 401(k), $401k", "his 401k, a 401k, 401000 dollars"),
        ("a 4K TV, 4K people, a 10k run", "a 4K TV, 4000 people, a 10k run"),
    ],
)  # fmt: skip
def test_money_and_scales_have_one_form(text: str, plain: str) -> None:
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
        # The lower end has no scale of the upper one.
        ("rose from 500 to 2 million", "rose from 500 to 2 million"),
        ("fell from 7 to 5 million", "fell from 7 to 5 million"),
        ("a scale of 1-1,000", "a scale of 1 to 1000"),
        ("2014-15 and 3-1", "2014 to 2015 and 3 to 1"),
    ],
)
def test_both_ends_of_a_range_have_what_they_share(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("5mg, 5 mg, 500ml", "5 milligrams, 5 milligrams, 500 millilitres"),
        ("10g, 5 g, 5g of sugar", "10 grams, 5 grams, 5 grams of sugar"),
        ("a 5g mast, 5G", "a 5g mast, 5G"),
        ("5 lbs, 5lb, 3 oz", "5 pounds, 5 pounds, 3 ounces"),
        ("256GB, 5 MB, 100 Mb", "256 gigabytes, 5 megabytes, 100 Mb"),
        ("2TB, 2 TB of data, 2 TB cases", "2 terabytes, 2 terabytes of data, 2 TB cases"),
        ("30 MW, 5 kWh", "30 megawatts, 5 kilowatt hours"),
        ("30°, 30°C", "30 degrees, 30 degrees Celsius"),
        ("5'10\" tall, 5’10 tall", "5 feet 10 inches tall, 5 feet 10 inches tall"),
        ("5ft 10in, 6 ft 2 in.", "5 feet 10 inches, 6 feet 2 inches."),
        ("'5' and 6'40\"", "'5' and 6'40\""),
    ],
)
def test_units_are_written_out(text: str, plain: str) -> None:
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
        ("Size > 5GB, Sales > 500", "Size more than 5 gigabytes, Sales more than 500"),
        ("CRP >5, (≥5), <= 5", "CRP more than 5, (at least 5), at most 5"),
        ("not > 5", "at most 5"),
        ("±5, 5 +/- 2", "plus or minus 5, 5 plus or minus 2"),
        ("A ≠ B", "A is not B"),
        ("~50 people, ≈ 5", "about 50 people, about 5"),
        # A range, a list's mark, a heart, an arrow, a quotation, a name.
        ("9am -5pm, 5 km -7 km", "9 am to 5 pm, 5 kilometres -7 kilometres"),
        ("-5 eggs", "-5 eggs"),
        ("I <3 you, x -> 5, 5~7, 5 < 6", "I <3 you, x -> 5, 5~7, 5 < 6"),
        ("> 5 eggs", "> 5 eggs"),
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
