"""Ages, sexes and lives in short, as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.mapped import apply_rules, identity_map
from faithkit.language.notations.persons import AGES, LIVES
from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("45M with cough since Monday.", "45 year old male with cough since Monday."),
        ("HPI: 62F w/ h/o CAD", "HPI: 62 year old female with h/o CAD"),
        ("Pt is a 62M, presenting late", "Pt is a 62 year old male, presenting late"),
        ("62F with fever", "62 year old female with fever"),
        ("a 62 y.o. F with CAD", "a 62 year old female with CAD"),
        ("62yof, 62 y/oM, 62 YO F.", "62 year old female, 62 year old male, 62 year old female."),
        ("70 yo female, 5 y/o boy", "70 year old female, 5 year old boy"),
        ("She is 62 y.o.", "She is 62 years old."),
        ("62 y/o with a cough", "62 years old with a cough"),
        ("the 62-yr-old man", "the 62 year old man"),
        ("a 62-year-old F", "a 62 year old female"),
        ("Sex: M. Gender = F; sex | F", "Sex: male. Gender = female; sex | female"),
        ("Age/Sex: 54/M", "Age/Sex: 54 year old male"),
        ("I (24M) told my roommate (23f)",
         "I (24 year old male) told my roommate (23 year old female)"),
        ("my (24M) wife [F31]", "my (24 year old male) wife [31 year old female]"),
    ],
)  # fmt: skip
def test_ages_and_sexes_are_in_full(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "45M with no power", "45M with diabetes worldwide", "Raised 45M with help from the ED",
        "revenue (45M), seat (23F), the M25 (M25)", "my account (45M)", "my son (6M)",
        "62F with rain and a cough", "Sex: M/F, Sex: M or F", "I (M) and my dad (62)",
        "5 yo-yos", "the 45 year old F. Scott", "a 3 year old M Series",
    ],
)  # fmt: skip
def test_amounts_initials_and_other_things_are_no_persons(text: str) -> None:
    assert "male" not in read(text).text and "years old" not in read(text).text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Mary Hale (12 May 1911 – 3 June 1990) sang.",
         "Mary Hale (born on May 12 1911 and died on June 3 1990) sang."),
        ("Mary Hale ( 4 March 1902 - 19 November 1987 ) sang",
         "Mary Hale ( born on March 4 1902 and died on November 19 1987 ) sang"),
        ("mary hale ( may 12 , 1911 - june 3 , 1990 ) sang",
         "mary hale ( born on may 12 , 1911 and died on June 3 1990 ) sang"),
        ("Jan van der Berg (née Lee; c. 1911 – 3 June 1990)",
         "Jan van der Berg (née Lee; born in about 1911 and died on June 3 1990)"),
        ("Mary Hale (1911–1990) was an English painter.",
         "Mary Hale (born in 1911 and died in 1990) was an English painter."),
        ("Voltaire (21 November 1694 – 30 May 1778) was a French writer.",
         "Voltaire (born on November 21 1694 and died on May 30 1778) was a French writer."),
    ],
)  # fmt: skip
def test_years_of_a_life_are_those_of_birth_and_death(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "The Soviet Union (30 December 1922 - 26 December 1991) was a country.",
        "Penn Station (4 May 1910 – 28 October 1963) was a station.",
        "Penn Station (1910-1963) was a railway station.",
        "Elizabeth I (17 November 1558 – 24 March 1603) was a queen.",
        "Queen Victoria (20 June 1837 – 22 January 1901) reigned.",
        "Gerald Ford (9 August 1974 – 20 January 1977) served.",
        "Mary Hale (1911-1990), Ann Lee (reigned 1911-1990)",
        "the soviet union ( 30 december 1922 - 26 december 1991 )",
        "Mary Hale (3 June 1990 - 12 May 1911)",
    ],
)
def test_other_years_in_brackets_are_no_lives(text: str) -> None:
    form = read(text).text
    assert "born" not in form and "died" not in form


def test_a_full_form_points_to_the_short_one() -> None:
    text = "My sister (62F) met Mary Hale (12 May 1911 – 3 June 1990)."
    result = read(text)
    for word, short in (("female", "62F"), ("died", "3 June 1990")):
        start = result.text.index(word)
        assert text[slice(*result.span(start, start + len(word)))] == short


def test_long_texts_are_read_in_linear_time() -> None:
    for part in ("(1911 - ", "Mary Hale ", ": 45M with ", "I (24M) ", "62 y.o. ", "Hale (1911, "):
        text = part * 2_000
        assert apply_rules(identity_map(text), (*AGES, *LIVES)).text
