"""Texts that English models cannot read."""

from __future__ import annotations

import json

import pytest
from tests.helpers.code_texts import CODE, ENGLISH_AS_CODE
from tests.helpers.language_texts import ENGLISH, OTHER
from tests.helpers.paths import SHARED_DATA

from faithkit.language.identification import unsupported
from faithkit.records import Outcome

DATA = SHARED_DATA / "bench"
FOREIGN = 26
"""Texts of these files that are not English, looked at one by one."""

TABLE = "2019, 3.1, 44, 5\n2020, 3.3, 41, 6\n2021, 3.9, 48, 8\n2022, 4.2, 50, 9\n2023, 5, 6, 7"


@pytest.mark.parametrize("language", OTHER)
def test_other_languages_are_recognised(language: str) -> None:
    for text in OTHER[language][1:]:
        assert unsupported(text) is Outcome.UNSUPPORTED_LANGUAGE, text
        assert unsupported(text.lower()) is Outcome.UNSUPPORTED_LANGUAGE, text


def test_most_short_texts_in_other_languages_are_recognised() -> None:
    recognised = [unsupported(some[0]) is not None for some in OTHER.values()]
    assert sum(recognised) >= 17


def test_a_word_that_two_languages_share_does_not_hide_the_other_one() -> None:
    text = "Le pont a ouvert en mai. Il a coûté trois millions."
    assert unsupported(text) is Outcome.UNSUPPORTED_LANGUAGE


@pytest.mark.parametrize(
    "text",
    [
        "Starters: soupe à l'oignon £7. Mains: steak-frites £18, moules marinières £16. "
        "Desserts: crème brûlée £8.",
        "Tapas: patatas bravas £5, gambas al ajillo £8, tortilla española £6, croquetas de jamón "
        "£6. Postres: churros con chocolate £5.",
        "Ballet: pas de deux, grand jeté, port de bras and rond de jambe à terre, 7 pm.",
        "Moules marinières, steak-frites, crème brûlée.",
    ],
)
def test_dishes_and_figures_of_a_list_are_no_other_language(text: str) -> None:
    assert unsupported(text) is None


@pytest.mark.parametrize(
    "text",
    ["Patients w/o diabetes improved.", "Coffee w/o milk", "C/o A. Lee, n/a", "𝗥𝗲𝘃𝗲𝗻𝘂𝗲 rose 8%.",
     "𝑇ℎ𝑒 𝑏𝑟𝑖𝑑𝑔𝑒 𝑟𝑒𝑜𝑝𝑒𝑛𝑠.", "Patient: 62 y.o. F. c/o cough.", "62 y.o. M c/o SOB."],
)  # fmt: skip
def test_abbreviations_and_styled_letters_are_no_other_language(text: str) -> None:
    assert unsupported(text) is None


@pytest.mark.parametrize("text", ENGLISH)
def test_names_and_quotations_are_no_other_language(text: str) -> None:
    assert unsupported(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Attending: Jean-Pierre de la Cruz, María del Carmen von Habsburg, José de los Santos, "
        "Ana da Silva, Luis y Ortega, Hans van der Berg, Karl von und zu Guttenberg.",
        "Château de la Rivière, Domaine du Comte Liger, La Romanée, Clos des Lambrays, Château "
        "Mouton Rothschild et Cie.",
        "Ludwig van Beethoven, Carl Maria von Weber, J. de la Croce, Karl von und zu Guttenberg",
    ],
)
def test_particles_of_names_are_no_other_language(text: str) -> None:
    assert unsupported(text) is None


def test_particles_between_names_do_not_hide_another_language() -> None:
    german = "Karl von und zu Guttenberg und Hans van der Berg wurden nach der Sitzung befragt."
    spanish = "María de la Cruz y Ana del Carmen fueron elegidas por el consejo de la ciudad."
    for text in (german, spanish, german.upper(), spanish.lower()):
        assert unsupported(text) is Outcome.UNSUPPORTED_LANGUAGE, text


@pytest.mark.parametrize("name", CODE)
def test_code_is_recognised(name: str) -> None:
    assert unsupported(CODE[name]) is Outcome.UNSUPPORTED_TEXT


@pytest.mark.parametrize("name", ENGLISH_AS_CODE)
def test_english_in_the_layout_of_code_or_of_a_table_is_english(name: str) -> None:
    assert unsupported(ENGLISH_AS_CODE[name]) is None


def test_tables_of_numbers_are_recognised() -> None:
    assert unsupported(TABLE) is Outcome.UNSUPPORTED_TEXT
    assert unsupported("Rovers 3 United 1; City 2 Town 2; Albion 0 Vale 4.") is None


@pytest.mark.verify
def test_english_benchmarks_are_english() -> None:
    if not DATA.is_dir():
        pytest.skip("needs the benchmark files of ../shared/data/bench")
    texts = {
        row[field]
        for path in sorted(DATA.glob("*.jsonl"))
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        for field in ("source", "summary")
    }
    recognised = [text for text in texts if unsupported(text) is not None]
    # Welsh news of XSum and two web pages of LSS (German, Japanese); nothing that is English.
    assert len(recognised) == FOREIGN
