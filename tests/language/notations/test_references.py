"""Numbers that name a thing as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Art. 5 para. 2, Article 5, paragraph 2", "Article 5(2), Article 5(2)"),
        ("section 3 subsection 7 of the Act", "section 3(7) of the Act"),
        ("Art. 6 para. 1 lit. b", "Article 6(1)(b)"),
        ("Article 6(1) point (b), Article 5 para. 2(b)", "Article 6(1)(b), Article 5(2)(b)"),
        ("paragraph 2 of Article 5, subsection (7) of section 3", "Article 5(2), section 3(7)"),
        ("paragraph 2(b) of Article 5", "Article 5(2)(b)"),
        ("Section 3 points out 5 paragraphs, section 5 paragraphs 2 and 3",
         "Section 3 points out 5 paragraphs, section 5 paragraphs 2 and 3"),
        ("section 2 paragraph a day, Rule 3, number 4, state of the art. 5 men",
         "section 2 paragraph a day, Rule 3, number 4, state of the art. 5 men"),
    ],
)  # fmt: skip
def test_a_part_of_a_law_has_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("AB1234, AB-1234 and INV20931", "AB-1234, AB-1234 and INV-20931"),
        ("Card 4929 1234 5678 9012", "Card 4929123456789012"),
        ("IBAN DE89 3704 0044 0532 0130 00", "IBAN DE89370400440532013000"),
        ("UTR 61820 44917, account 1234 5678", "UTR 6182044917, account 12345678"),
        ("Sort code 20-45-77, sort code: 20 45 77", "Sort code 204577, sort code: 204577"),
    ],
)
def test_a_long_number_is_one_word(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "B12, PM10, COVID19, A1234, RM5000 and AB1234567890",
        "ref. 2019 2020, the reference 12 34, 4929 1234 5678 9012",
        "see /AB1234, AB1234/5 and #AB1234",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert read(text).text == text
