r"""What tokenisers and programs that prepare data sets write otherwise than authors do: "-LRB-",
"@,@", "1\/2", "3 . 5", "[SEP]"."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source, plain_summary


def check(text: str, plain: str | None) -> None:
    """Sources and summaries are read alike. `plain`: None where the text stays."""
    expected = text if plain is None else plain
    assert plain_source(text).text == expected
    assert plain_summary(text, "").text == expected


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The mast -LRB- 281 m high -RRB- was built .", "The mast (281 m high) was built ."),
        ("-lrb-cnn-rrb- kyle -lrb- 31 -rrb- was", "(cnn) kyle (31) was"),
        ("Leeds -LSB- liːdz -RSB- - lrb - bbc - rrb - is", "Leeds [liːdz] (bbc) is"),
        ("the CSK-RCB-MI tie, a non-LRB-coding one, LRB", None),
        ("at 10-COLON-30 p.m. Batman -COLON- Return", "at 10:30 p.m. Batman: Return"),
        ("the semi-colon-separated -colon- cancer", None),
        ("lost 12 @,@ 400 men , 3 @.@ 5 % in a two @-@ day fight",
         "lost 12,400 men , 3.5 % in a two-day fight"),
        ("mail anna @ home, @-@ and @.@", None),
        ("3 1\\/2 hours and\\/or japan\\'s", "3 1/2 hours and/or japan's"),
        ("C:\\new and \\/ alone", None),
    ],
)  # fmt: skip
def test_codes_are_the_signs_they_stand_for(text: str, plain: str | None) -> None:
    check(text, plain)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a # 325m track for # 5 million (# 530,000)",
         "a £ 325m track for £ 5 million (£ 530,000)"),
        ("pay # 46million , worth more than # 100,000",
         "pay £ 46million , worth more than £ 100,000"),
        ("between # 1,200 and # 1,250, paid # 12.50", "between £ 1,200 and £ 1,250, paid £ 12.50"),
        ("visitor # 100,000 in room # 12, for # 13.", None),
        ("rose # high, version # 1.2, #5m", None),
    ],
)  # fmt: skip
def test_a_hash_before_an_amount_is_pounds(text: str, plain: str | None) -> None:
    check(text, plain)


def test_a_heading_has_no_pounds() -> None:
    check("It ran.\n\n# 5 million people", "It ran.\n\n5 million people")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("it is 2 . 4 km long .", "it is 2.4 km long ."),
        ("it cost 3 . 5 million pounds , a score of 4 . 5 .",
         "it cost 3.5 million pounds , a score of 4.5 ."),
        ("it weighs between 5 . 8 and 6 . 4 kg .", "it weighs between 5.8 and 6.4 kg ."),
        ("it rose 4 . 2 % to $ 3 . 99 in all .", "it rose 4.2 % to $ 3.99 in all ."),
        ("a dose of 0 . 05 was", "a dose of 0.05 was"),
        ("it holds 45 , 600 people .", "it holds 45,600 people ."),
        ("between 45 , 600 and 46 , 200 people", "between 45,600 and 46,200 people"),
        ("paid $ 1 , 268 , 400 for it , sold 1 , 200 , 000 copies",
         "paid $ 1,268,400 for it , sold 1,200,000 copies"),
        ("at 10 : 30 a . m . and 9 : 15 pm", "at 10:30 a.m. and 9:15 pm"),
        ("the u . s . army didn ' t take anna ' s car .",
         "the u.s. army didn't take anna's car ."),
    ],
)  # fmt: skip
def test_numbers_and_words_in_pieces_are_one(text: str, plain: str) -> None:
    check(text, plain)


@pytest.mark.parametrize(
    "text",
    [
        "anna is 30 . 5 people came .",
        "he was second in 2012 . 12 miles on he fell .",
        "it took 20 . 10 minutes later he left .",
        "rooms 101 , 102 and 103 were full .",
        "on may 5 , 200 people died .",
        "kyle brandt , 31 , 200 miles from home .",
        "it rose by 12 , 500 people left .",
        "version 1 . 2 . 3 km",
        "they lost 2 : 5 , a ratio of 10 : 30 in all .",
        "It 's 12 . 5 miles on he fell .",
        "A well-known man of 12 . 5 miles on he fell .",
        "In 2008, he sold 45 , 600 people left .",
        "The list: a . b",
    ],
)
def test_numbers_that_a_mark_parts_stay_apart(text: str) -> None:
    check(text, None)


OPENED = "The museum opened ."


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (f"{OPENED} [SEP] it has 40 rooms . [SEP]", f"{OPENED}\nit has 40 rooms ."),
        ("[CLS] ron was told [SEP]", "ron was told"),
        ("[unused0] ron was [unused1]", "ron was"),
        (f"<pad> {OPENED}</s>", OPENED),
        (f"{OPENED} <sep> <unk> it has . [PAD] [PAD]", f"{OPENED}\nit has ."),
        (f"{OPENED} NEWLINE_CHAR It has .", f"{OPENED}\nIt has ."),
        (f"{OPENED} story_separator_special_tag it has .", f"{OPENED}\n\nit has ."),
        (f"{OPENED}\\nIt has 40.\\n", f"{OPENED}\nIt has 40."),
        ("#Person1#: Hi!\\n#Person2#: Yes?", "#Person1#: Hi!\n\n#Person2#: Yes?"),
        ("The [CLS] token is before a [SEP] token.", None),
        ("It ends. [SEP] is a token.", None),
        ("a magnitude [UNK] earthquake", None),
        ("C:\\new ..\\node \\nabla C:\\nA", None),
    ],
)
def test_special_tokens_are_left_out_between_sentences(text: str, plain: str | None) -> None:
    found = plain_source(text).text, plain_summary(text, "").text
    expected = text if plain is None else plain
    assert tuple(form.strip("\n") for form in found) == (expected, expected)


def test_places_are_those_of_the_given_text() -> None:
    text = "kyle - lrb - 31 - rrb - paid $ 1 , 268 ."
    plain = plain_summary(text, "")
    for part, given in (("31", "31"), ("(31)", "- lrb - 31 - rrb -"), ("1,268", "1 , 268")):
        start = plain.text.index(part)
        first, last = plain.span(start, start + len(part))
        assert text[first:last] == given
