"""Which line ends are wraps and which divide."""

from __future__ import annotations

import textwrap

import pytest

from faithkit.language.normalise import plain_source, plain_summary
from faithkit.language.sentences import closed_sentences, source_sentences

PROSE = (
    "The Calder Street swing bridge will reopen to traffic on Monday 14 October, eleven weeks "
    "later than planned, Tarnworth Borough Council said. Council engineer Priya Nandakumar - a "
    "Labour man says she is not - said Mr. Hartley had no well-known reason to wait until 12. "
    "March was cold in the U.S. and Dr. Lee of The Hague said: It is over. They won by two- and "
    "three-year terms."
)


@pytest.mark.parametrize("width", range(40, 101, 4))
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n  ", "\n> "])
def test_wrapped_prose_has_the_sentences_of_the_unwrapped(width: int, end: str) -> None:
    wrapped = end.strip("\r\n") + textwrap.fill(PROSE, width).replace("\n", end)
    whole = [sentence.text for sentence in closed_sentences(PROSE)]
    assert [
        sentence.text for sentence in closed_sentences(plain_summary(wrapped, "").text)
    ] == whole
    assert [sentence.text for sentence in source_sentences(plain_source(wrapped).text)] == whole


@pytest.mark.parametrize("width", [48, 60, 77])
def test_a_source_cut_within_words_is_whole_again(width: int) -> None:
    cut = "\n".join(PROSE[i : i + width] for i in range(0, len(PROSE), width))
    assert plain_source(cut).text == PROSE


def test_a_summary_cut_within_words_has_those_of_its_source() -> None:
    cut = "\n".join(PROSE[i : i + 60] for i in range(0, len(PROSE), 60))
    assert plain_summary(cut, PROSE).text == PROSE


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("A title\nIt rained.", ["A title", "It rained."]),
        ("# A title\nit rained.", ["A title", "it rained."]),
        ("Bring it all.\n- a pen\n- paper", ["Bring it all.", "a pen", "paper"]),
        ("1. Anna won\n2) Bob lost", ["Anna won", "Bob lost"]),
        ("• Anna won\n• Bob lost", ["Anna won", "Bob lost"]),
        ("a) Anna won\nb) Bob lost", ["Anna won", "Bob lost"]),
        ("- Anna won the race that was held in\n  Tarnworth\n- Bob lost", [
            "Anna won the race that was held in Tarnworth", "Bob lost"]),
        ("Anna: I baked\nBob: Are you well\nAnna: yes", [
            "Anna: I baked", "Bob: Are you well", "Anna: yes"]),
        ("#Person1#: I baked\n#Person2#: Are you well", [
            "#Person1#: I baked", "#Person2#: Are you well"]),
        ("Bridge reopens on Monday\nRepairs cost 3 million\nTraders want relief", [
            "Bridge reopens on Monday", "Repairs cost 3 million", "Traders want relief"]),
        ("The roses in the garden were red,\nand the lilies white.", [
            "The roses in the garden were red, and the lilies white."]),
        ("Anna won.\n\nBob lost", ["Anna won.", "Bob lost"]),
        ("12. March was cold.", ["12.", "March was cold."]),
        ("He scored\n45. She won.", ["He scored", "45.", "She won."]),
        ("> 20 kg cost more", ["> 20 kg cost more"]),
        ("Fees:\n>£20 none\n< £20 all", ["Fees:", ">£20 none", "< £20 all"]),
        ("> 12 people died\n> in the fire", ["12 people died in the fire"]),
        ("> 12 people died\n>\n> Nobody", ["12 people died", "Nobody"]),
        ("> The storm that came at night\n> 12 years ago.", [
            "The storm that came at night 12 years ago."]),
        (
            "x" * 300 + " and\n" + "Anna won.",
            ["x" * 300 + " and", "Anna won."],
        ),
    ],
)  # fmt: skip
def test_what_divides_a_text(text: str, pieces: list[str]) -> None:
    assert [sentence.text for sentence in closed_sentences(plain_summary(text, "").text)] == pieces
    assert [sentence.text for sentence in source_sentences(plain_source(text).text)] == pieces


@pytest.mark.parametrize(
    ("text", "reference", "plain"),
    [
        ("It was discon-\nnected.", "a disconnected line", "It was disconnected."),
        ("It was well-\nknown.", "a disconnected line", "It was well-known."),
        ("Two- and three-\nyear terms.", "", "Two- and three-year terms."),
    ],
)
def test_a_hyphen_at_a_line_end_goes_where_the_source_has_the_word_without(
    text: str, reference: str, plain: str
) -> None:
    assert plain_summary(text, f"Here is {reference} of it.").text == plain


ROWS = [
    "2024-03-04 10:15:12 ERROR Payment failed for order 44871\n"
    "2024-03-04 10:16:01 INFO Refund issued for order 44862",
    "10:15 Anna arrived at the office in Leeds\n10:30 Ben left the office in Hull for lunch",
    "ERROR Payment failed for order 44871 today\nINFO Refund issued for order 44862 today",
    "✅ Anna approved the budget for the Leeds office\n⏳ Carla postponed that for the York office",
    "44871 shipped with DHL to Leeds on Monday\n44862 returned by the customer in Hull",
    "id,customer,status,carrier,total\n44871,Anna Reyes,shipped,DHL,59.90",
    "order: 44871\nstatus: shipped\ncarrier: DHL\ntotal: 59.9",
    "pets_allowed: no\nsmoking_allowed: yes\nphone_required: no",
    "docker compose -f prod.yml pull\ndocker compose -f prod.yml up -d\ncd /srv/app",
    "§1 The company hired 40 engineers in Leeds\n§2 Its churn fell to three percent in 2023",
    "PAY-101 The refund button fails on mobiles\nPAY-102 The invoice shows the wrong amount",
    "v2.3.1 The refund button works on mobiles\nv2.3.0 The invoice shows the right amount",
    "#12 Anna fixed the payment bug in the shop\n#13 Ben fixed the login bug in the app",
    "@anna please send the lease to the owner\n@ben cancel the courier trial by Friday",
    "10.0.0.1 failed to answer the health check\n10.0.0.2 answered the health check in time",
    "/var/log/app/error.log has the errors of it\n/var/log/app/access.log has the requests",
]


@pytest.mark.parametrize("text", ROWS)
def test_rows_that_open_alike_are_sentences(text: str) -> None:
    rows = text.split("\n")
    assert [sentence.text for sentence in source_sentences(plain_source(text).text)] == rows
    plain = plain_summary(text, text).text
    assert [sentence.text for sentence in closed_sentences(plain)] == rows


@pytest.mark.parametrize("marks", [
    ("a. ", "b. "), ("i. ", "ii. "), ("5. ", "6. "), ("(1) ", "(2) "), ("1️⃣ ", "2️⃣ "), ("➤ ", "➤ "),
    ("→ ", "→ "), ("① ", "② "), ("1.1 ", "1.2 "), ("1.1. ", "1.2. ")])  # fmt: skip
def test_enumerators_of_a_summary_are_left_out(marks: tuple[str, str]) -> None:
    rows = ["The company hired 40 engineers in Leeds", "Its churn fell to 3% in the last year"]
    text = "\n".join(mark + row for mark, row in zip(marks, rows, strict=True))
    assert [sentence.text for sentence in closed_sentences(plain_summary(text, "").text)] == rows


def test_a_list_of_a_summary_begins_with_any_number() -> None:
    text = "4. Anna won\n6. Bob lost.\n\n10. It rained."
    assert plain_summary(text, "").text == "Anna won\n\nBob lost.\n\nIt rained."
    assert plain_source(text).text == text.replace("won\n6", "won\n\n6")


def test_the_numbers_of_a_source_s_sections_stay() -> None:
    text = "1.1 The tenant pays the rent\n1.2 The owner pays the taxes"
    assert plain_source(text).text.split("\n\n") == text.split("\n")
    assert plain_summary(text, text).text.split("\n\n") == text.split("\n")


@pytest.mark.parametrize(
    "text",
    [
        "He said that the price of the tickets rose to\n"
        "2.5 million pounds in the year that ended in\n"
        "2019 and that the number of visitors rose by\n30 percent, to 400,000 at the museum.",
        "the company hired forty engineers in leeds and\n"
        "its churn fell to three percent in the year to\nmarch, while its sales rose.",
        "The meeting that was to begin in the morning at\n"
        "10:15 was moved by the chair of the board to\n11:30 because of the train from London.",
        "The bug that was reported on Friday by the team\nas PAY-101 and by another as\n"
        "PAY-102 was mended in the new release.",
    ],
)  # fmt: skip
def test_prose_that_is_wrapped_before_a_number_is_joined(text: str) -> None:
    joined = text.replace("\n", " ")
    assert plain_source(text).text == joined
    assert plain_summary(text, "").text == joined


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    ["a b\n", "- x\n", "Anna: hi\n", "\n", "> q\n", "> 5\n", "4. x\n", "word " * 9 + "\n"],
)
def test_many_lines_take_no_time(line: str) -> None:
    assert plain_source(line * 8_000).text  # it was quadratic: minutes for 20,000


def test_rows_with_amounts_whose_currency_is_in_the_header_are_sentences() -> None:
    text = "id,name,hired,salary_eur\n1041,Anna Lind,2019,58000\n1042,Piet Maas,2020,61000"
    assert [sentence.text for sentence in source_sentences(plain_source(text).text)] == [
        "id,name,hired,salary_eur",
        "1041,Anna Lind,2019, 58000 EUR",
        "1042,Piet Maas,2020, 61000 EUR",
    ]


@pytest.mark.parametrize(
    "line", ["|" + "- " * 40 + "x", "|" + "-" * 60 + "x", "|" + ":-" * 40 + "x"]
)
def test_a_line_of_a_table_that_is_none_takes_no_time(line: str) -> None:
    assert plain_source(line).text.endswith("x")


@pytest.mark.parametrize(
    "text",
    [
        "Police\nfound nothing when they searched the aircraft for four hours.",
        "Police found nothing\nwhen they searched the aircraft for four hours.",
        "Police found\nnothing when\nthey searched\nthe aircraft\nfor four\nhours.",
    ],
)
def test_a_sentence_of_a_summary_on_short_lines_is_one(text: str) -> None:
    assert plain_summary(text, "").text == text.replace("\n", " ")


@pytest.mark.parametrize(
    "text",
    [
        "Key risks\nhigh cost.\nlow margin.",
        "Budget\ncouncil approved",
        "Ward: 5\nwas searched by the police when they found nothing in it.",
        "Police\nfound: nothing at all when they searched it on Monday.",
    ],
)
def test_short_lines_that_may_be_a_list_or_have_a_label_stay(text: str) -> None:
    assert "\n" in plain_summary(text, "").text
