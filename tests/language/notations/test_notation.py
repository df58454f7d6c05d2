"""Notations of numbers as `reading.read` writes them: points, groups, powers."""

from __future__ import annotations

import pytest

from faithkit.language.mapped import identity_map
from faithkit.language.notations.notation import in_powers_of
from faithkit.language.reading import read
from faithkit.language.words import words


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("was .71.", "was 0.71."),
        ("p<.05, P = .03, r=-.34", "p less than 0.05, P = 0.03, r= minus 0.34"),
        (".5 mg and $.50", "0.5 milligrams and 50 cents"),
        ("said.5 people, v.5, ...5, 1.2.3, a.com/.5", "said.5 people, v.5, ...5, 1.2.3, a.com/.5"),
    ],
)
def test_a_leading_point_has_a_zero(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("5,00,000, ₹1,23,456 and 1,00,00,000", "500000, 123456 rupees and 10 million"),
        ("1'200'000 and CHF 1'500, CHF1'500",
         "1.2 million and 1500 Swiss francs, 1500 Swiss francs"),
        ("5 000 000 people, 10 000 people", "5 million people, 10000 people"),
        ("$5 000, $1 234 567", "5000 dollars, 1234567 dollars"),
        ("$5 100 times, 555 123 000, 020 000 000", "5 dollars 100 times, 555 123 000, 020 000 000"),
        ("10,20,30 and 5'10\" and 1 234 567", "10,20,30 and 5 feet 10 inches and 1 234 567"),
    ],
)  # fmt: skip
def test_groups_of_digits_are_one_number(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1 840 kJ, 1 299 €", "1.84 million joules, 1299 euros"),
        ("2 750 tonnes of it", "2750 tonnes of it"),
        ("It costs € 1 299.", "It costs 1299 euros."),
        ("On July 5 300 people died, in group 5 300 people.",
         "On July 5 300 people died, in group 5 300 people."),
        ("2 500 mg tablets, 65 535", "2 500 milligrams tablets, 65 535"),
    ],
)  # fmt: skip
def test_blanks_group_thousands_where_no_other_number_is_meant(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("349.000 €, EUR 12.500, €12.900, 12.900 kr",
         "349000 euros, 12500 euros, 12900 euros, 12900 kr"),
        ("€ 1.250.000, 1.299,00 EUR, 1.299,50",
         "1.25 million euros, 1299 euros, 1299.50"),
        ("EUR 2,00, 100,00 EUR, 12,50 €", "2 euros, 100 euros, 12.5 euros"),
        ("2.450,- €, 50.– EUR", "2450 euros, 50 euros"),
        # Decimals, whatever the money, and what is no money.
        ("Petrol costs 1.659 € a litre.", "Petrol costs 1.659 euros a litre."),
        ("A pound bought €1.165.", "A pound bought 1.165 euros."),
        ("€1.299 and €1,200, €0.923, €12.500 million",
         "1.299 euros and 1200 euros, 0.923 euros, 12.5 million euros"),
        ("$12.500, 3.141, 1.250.000, 10,20,30 €, 192.168.100.200",
         "12.5 dollars, 3.141, 1.250.000, 10,20,30 €, 192.168.100.200"),
    ],
)  # fmt: skip
def test_amounts_of_the_continent_are_written_as_in_english(text: str, plain: str) -> None:
    assert read(text).text == plain


def test_an_escaped_sign_of_percent_is_one() -> None:
    assert read("50\\% of us").text == "50 percent of us"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("01632 960 001, 01632 960001, (01632) 960001, 01632-960-001",
         "01632960001, 01632960001, 01632960001, 01632960001"),
        ("+44 (0)1632 960001, +44 1632 960001", "01632960001, 01632960001"),
        ("0800 1200, 0900 1000 1100, 02 2019 300", "0800 1200, 0900 1000 1100, 02 2019 300"),
    ],
)  # fmt: skip
def test_a_telephone_number_is_one_number(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text", ["4 x 10^9/L", "4 x10^9/L", "4x10^9/l", "4 × 10⁹/L", "4 x 10(9)/L", "4 × 10^{9}/L"]
)
def test_a_power_of_ten_has_one_form(text: str) -> None:
    assert read(text).text == "4 times 10 to the power of 9 per litre"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("10^-5 and 10⁻⁵ but 10^5",
         "10 to the power of minus 5 and 10 to the power of minus 5 but 10 to the power of 5"),
        ("p < 10-5, P = 5 × 10-8",
         "p less than 10 to the power of minus 5, P = 5 times 10 to the power of minus 8"),
        ("1.2 × 10−5", "1.2 times 10 to the power of minus 5"),
        ("5 × 10−4 of it, 5 × 10–12 reps",
         "5 times 10 to the power of minus 4 of it, 5 × 10 to 12 reps"),
        ("1.2E-05, 3e-4",
         "1.2 times 10 to the power of minus 5, 3 times 10 to the power of minus 4"),
        ("(10^3)", "(10 to the power of 3)"),
        ("2e5, 3.2E4, 1E5 per well, 2e+05",
         "2 times 10 to the power of 5, 3.2 times 10 to the power of 4, "
         "1 times 10 to the power of 5 per well, 2 times 10 to the power of 5"),
        ("1 × 106 cells, 150 × 109/L",
         "1 times 10 to the power of 6 cells, 150 times 10 to the power of 9 per litre"),
        ("106 cells, 3 × 105 = 315, 4 × 100 m, 10 × 106 mm",
         "106 cells, 3 × 105 = 315, 4 × 100 m, 10 × 106 millimetres"),
        ("3 x 10-12 reps, 10-15 people", "3 x 10 to 12 reps, 10 to 15 people"),
        ("only 10², s. 10(5)/a, 1E5, 2010⁵, 3e4f", "only 10², s. 10(5)/a, 1E5, 2010⁵, 3e4f"),
    ],
)  # fmt: skip
def test_the_sign_of_a_power_is_a_word(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("source", "summary", "read_as"),
    [
        ("10^5 steps", "100,000 steps", "10^5 steps"),
        ("1e6 steps at 3e-4", "1 million steps at 0.0003, not 0.003",
         "1e6 steps at 3e-4, not 0.003"),
        ("2 × 10⁵ and 10^{-3}", "200000, 200,000 or 0.001", "2 × 10⁵, 2 × 10⁵ or 10^{-3}"),
        ("0.0032 Jy", "3.2e-3 Jy", "0.0032 Jy"),
        ("10^5 steps, or 100,000", "100,000 steps", "100,000 steps"),
        ("(3 ± 1) × 10^5, room 10³", "100,000 or 1000", "100,000 or 1000"),
        ("10^5", "1e5, $100,000, 5 × 100,000, 100,000%", "1e5, $100,000, 5 × 100,000, 100,000%"),
    ],
)  # fmt: skip
def test_a_number_is_read_as_the_source_writes_it(source: str, summary: str, read_as: str) -> None:
    assert in_powers_of(identity_map(summary), source).text == read_as


@pytest.mark.parametrize("power", ["10⁻³", "10^8", "10^{-3}", "10(9)"])
def test_each_word_of_a_power_points_to_all_of_it(power: str) -> None:
    text = f"is 5 x {power}/L"
    result = read(text)
    found = [text[slice(*result.span(word.start, word.end))] for word in words(result.text)]
    assert found[3:-2] == [power] * (len(found) - 5)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Part 4021-7, IEC 61131-3, 1234-9", "Part 4021-7, IEC 61131-3, 1234-9"),
        ("2014-15, 3-1, 10-15, 2014/15, 3000-5000",
         "2014 to 2015, 3 to 1, 10 to 15, 2014 to 2015, 3000 to 5000"),
    ],
)  # fmt: skip
def test_a_short_number_after_a_long_one_and_a_hyphen_ends_no_range(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It's 5 5 1 0 8 8 2.", "It is 5510882."),
        ("Order number: 4 8 2 1 3, please", "Order number: 48213, please"),
        ("The code is 5 5 1 0, 8 8 2.", "The code is 5510882."),
        ("The code is 1 2 3 4 5.", "The code is 1 2 3 4 5."),
        ("The score is 3 2 4.", "The score is 3 2 4."),
        ("North 5 4 3 3 1", "North 5 4 3 3 1"),
        ("The number is 5, 5, 1, 0, 8.", "The number is 5, 5, 1, 0, 8."),
    ],
)
def test_a_number_read_out_by_its_digits_is_one(text: str, plain: str) -> None:
    assert read(text).text == plain
