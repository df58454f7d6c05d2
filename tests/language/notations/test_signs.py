"""Signs and symbols as `reading.read` writes them in words."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source
from faithkit.language.reading import read


def as_read(text: str) -> str:
    return read(plain_source(text).text).text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("ER(+) and HER2 (-) cells", "ER positive and HER2 negative cells"),
        ("ER+/PR-/HER2- on biopsy", "ER positive/PR negative/HER2 negative on biopsy"),
        ("CD4+ T cells, HIV- controls", "CD4 positive T cells, HIV negative controls"),
        ("HER2 +ve, nodes -ve, Rh-ve", "HER2 positive, nodes negative, Rh negative"),
        ("Revenue ▲ 5% and churn ▼2%", "Revenue up 5 percent and churn down 2 percent"),
        ("Sales rose 5 ⬆ in May, 5% 📉", "Sales rose 5 up in May, 5 percent down"),
        ("a 45 year old ♀ with 3♂", "a 45 year old female with 3 male"),
        ("Rated ★★★★☆ by 5", "Rated 4 of 5 stars by 5"),
        ("Rated ⭐️⭐️⭐️⭐️⭐️, ★★★½", "Rated 5 stars, 3.5 stars"),
        ("a 4.5★ hotel", "a 4.5 stars hotel"),
        ("5¢ or 1 ¢, 35‰ salt", "5 cents or 1 cent, 35 per mille salt"),
        ("Energy costs ⬆, profit ⬇", "Energy costs up, profit down"),
        ("Costs 📈 and profit 📉.", "Costs up and profit down."),
        ("↓ Energy costs, ▲ profit", "down Energy costs, up profit"),
        ("Costs | 🔺", "Costs | up"),
        ("BP ↑ and ▲", "BP up and ▲"),
        ("status != 200, a ≠ b, x!=y", "status is not 200, a is not b, x is not y"),
        ("The outlook is 👍 for all.", "The outlook is thumbs up for all."),
        ("Status: 🟢. It is 🔴 now.", "Status: green. It is red now."),
        ("It went 5 --> 7, 6B-->7A", "It went 5 -> 7, 6B -> 7A"),
    ],
)
def test_a_sign_with_one_meaning_is_read_as_words(given: str, expected: str) -> None:
    assert as_read(given) == expected


@pytest.mark.parametrize(
    "text",
    [
        "2+ in C++ and 5- or an X+",
        "Disney+, NAD+, K+ and LGBTQ+",
        "HIV- and TB-infected people",
        "HIV- infected people",
        "(+)-limonene and a (+-) there",
        "Back to top ↑",
        "📈 Sales in the first quarter",
        "↑ He said that costs rose in the end",
        "⭐ New here ⭐",
        "Good job 👍",
        "News: 🔴 LIVE at noon",
        "5!=120",
        "A → B and Leeds ← York",
    ],
)
def test_a_sign_that_may_mean_something_else_stays(text: str) -> None:
    assert as_read(text) == text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Net income was (1,234).", "Net income was minus 1234."),
        ("Net income (loss) was (1,234).", "Net income (loss) was minus 1234."),
        ("Operating result (in dollars): (5.2)", "Operating result (in dollars): minus 5.2"),
        ("It made $(1,234) million.", "It made minus 1.234 billion dollars."),
        ("It made ($12) million.", "It made minus 12 million dollars."),
        ("EPS was ($0.12).", "EPS was minus 12 cents."),
        ("a margin of (3.2)%", "a margin of minus 3.2 percent"),
        ("Operating result for the year: (£2.3m).",
         "Operating result for the year: minus 2.3 million pounds."),
        ("Profit was ($12.5 million)", "Profit was minus 12.5 million dollars"),
        ("Operating margin: (4.1%)", "Operating margin: minus 4.1 percent"),
        ("EPS was $-0.12, then £-3m", "EPS was minus 12 cents, then minus 3 million pounds"),
    ],
)  # fmt: skip
def test_a_negative_amount_has_a_minus(given: str, expected: str) -> None:
    assert as_read(given) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The net loss was (1234) in May.",
        "5 (5) million",
        "mean (SD) 3.2 (1.1)",
        "Smith (2019) and Lee (12)",
        "The profit (1234 dollars) rose.",
        "The loss was (5 percent).",
        "The income was (2) low.",
        "See $(1)$ there.",
    ],
)
def test_a_number_in_brackets_that_may_be_positive_stays(text: str) -> None:
    assert as_read(text) == text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("r = −0.34, r=-0.34", "r = minus 0.34, r= minus 0.34"),
        ("p < -0.5 or ≤ −2.5", "p less than minus 0.5 or at most minus 2.5"),
        ("CI [-1.2, -0.4]", "CI [minus 1.2, minus 0.4]"),
        ("It was -1.2–0.4", "It was minus 1.2 to 0.4"),
        ("It was −1.2–−0.4", "It was minus 1.2 to minus 0.4"),
        ("It was -1.2 – -0.4", "It was minus 1.2 to minus 0.4"),
        ("-5°C was measured", "minus 5 degrees Celsius was measured"),
        ("Temperature: -5 degrees", "Temperature: minus 5 degrees"),
        ("at -$5-7 million", "at minus 5 million dollars to 7 million dollars"),
    ],
)
def test_a_minus_is_read_as_a_word(given: str, expected: str) -> None:
    assert as_read(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("-3 eggs", "-3 eggs"),
        ("2019--2020", "2019 to 2020"),
        ("Call 555 -1234", "Call 555 to 1234"),
        ("MiG-29 and x - 5", "MiG-29 and x - 5"),
    ],
)
def test_a_hyphen_before_a_number_is_no_minus(given: str, expected: str) -> None:
    assert as_read(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("It was 8 below zero.", "It was minus 8."),
        ("fifteen degrees below zero, 5C below zero", "minus 15 degrees, minus 5 degrees Celsius"),
        ("12°C below zero", "minus 12 degrees Celsius"),
        ("between 5 and 10 degrees below zero", "between minus 5 and minus 10 degrees"),
        ("5-10 degrees below zero", "minus 5 to minus 10 degrees"),
        ("from 3 to 10 below zero", "from 3 to 10 below zero"),
        ("It fell below zero, 5 below it.", "It fell below zero, 5 below it."),
    ],
)
def test_below_zero_is_minus(given: str, expected: str) -> None:
    assert as_read(given) == expected


@pytest.mark.parametrize(
    ("given", "words", "place"),
    [
        ("Revenue ▲ 5%", "up", "▲"),
        ("HER2 (-) cells", "negative", "(-)"),
        ("HER2-ve cells", "negative", "-ve"),
        ("Rated ★★★★☆ here", "4 of 5 stars", "★★★★☆"),
        ("A credit [✔]", "yes", "[✔]"),
        ("✗ Flood", "no", "✗"),
        ("Smoker ☐ Yes ☒ No", "No", "No"),
        ("Costs ⬆, profit", "up", "⬆"),
        ("It is 👍 here", "thumbs up", "👍"),
        ("It made $(1,234) once", "minus", "("),
        ("It made $(1,234) once", "1234", "1,234)"),
        ("It was $-5", "minus", "-"),
        ("a != b", "not", "!="),
        ("It is 8 below zero.", "minus", " below zero"),
    ],
)
def test_words_for_a_sign_are_mapped_to_it(given: str, words: str, place: str) -> None:
    form = read(given)
    start = form.text.index(words)
    first, end = form.span(start, start + len(words))
    assert given[first:end] == place
