"""The plain form of a text: what it looks like, the way back to the given text, and that text which
is appended changes nothing before it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit.language.normalise import plain_source, plain_summary

SOURCE = "The bridge was disconnected from Voltera's grid. It was well-known in Tarnworth."


def summary(text: str) -> str:
    return plain_summary(text, SOURCE).text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Cafe\u0301 ﬁne ＡＢ１", "Café fine AB1"),
        ("“It’s” «so» ``he'' ‘x’", '"It\'s" "so" "he" \'x\''),
        ("a\u00a0b\u2009c\u3000d  e\tf", "a b c d e f"),
        ("in\u00adfor\u200bma\u2060tion\ufeff", "information"),
        ("5–7 − 3, well‑known", "5-7 - 3, well-known"),
        ("93 ➡️ 71 ⟶ 5 ⇒ 4 ➜ 3", "93 → 71 → 5 → 4 → 3"),
        ("he—or she — left--late", "he - or she - left - late"),
        ("So… yes", "So... yes"),
        ("10² and ½", "10² and ½"),  # NFKC would make 102 of it
        ("OR 0·71 (3·2–4·1).", "OR 0.71 (3.2-4.1)."),
        ("1·2·3, 12·05·2019, 2·10⁵, 5 · 6", "1·2·3, 12·05·2019, 2·10⁵, 5 · 6"),
        ("1\u00a0234\u202f567 and 5\u2009000.", "1234567 and 5000."),
        ("12&nbsp;345.67, 1&thinsp;234 people", "12345.67, 1234 people"),
        ("+33\u00a0123\u00a0456\u00a078 or 0800\u00a0123\u00a0456",
         "+33 123 456 78 or 0800 123 456"),
        ("5\u00a0May\u00a02019, 5\u00a0000\u00a06", "5 May 2019, 5 000 6"),
        ("one\r\ntwo words", "one\n\ntwo words"),
    ],
)  # fmt: skip
def test_characters_have_one_form(text: str, plain: str) -> None:
    assert plain_source(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**Anna** *won* `here` and __there__ _now_.", "Anna won here and there now."),
        ("***Anna*** _won_.", "Anna won."),
        ("[Anna](https://a.b/c_d) won ![pic](/x.png).", "Anna won pic."),
        ("2*3, 2 * 3, f**k, snake_case, a_b_", "2*3, 2 * 3, f**k, snake_case, a_b"),
        ("an array[i](j) of (x)", "an array[i](j) of (x)"),
        ("## Anna won\nShe left.", "Anna won\n\nShe left."),
        ("| Name | Cost |\n|---|--:|\n| Anna | 3 |", "Name | Cost\n\nAnna | 3"),
        ("***\nAnna won.", "\nAnna won."),
        ("```python\nx = 1\n```", "\nx = 1\n"),
        ("> Anna won the great race on\n> Monday.", "Anna won the great race on Monday."),
    ],
)
def test_markdown_leaves_no_mark(text: str, plain: str) -> None:
    assert plain_source(text).text == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It ran.[1] She won.[2][3] Lee[4] left", "It ran. She won. Lee left"),
        ("In 1945[2] it rose 5%[3, 4]; (so).[12]", "In 1945 it rose 5%; (so)."),
        ("It ran.[1](https://a.b/c) So.[^2] Or[citation needed]", "It ran. So. Or"),
        ("See [1]. The year [19]45", "See [1]. The year [19]45"),
        ("x[1], items[0], row[2].name, row[3](a), row[4] = 5", None),
        ("[1] Lee (2019)", None),
        ("She [sic] left [laughs]", None),
    ],
)
def test_marks_of_citations_are_left_out(text: str, plain: str | None) -> None:
    assert plain_source(text).text == (text if plain is None else plain)
    assert plain_summary(text, SOURCE).text == (text if plain is None else plain)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It&#39;s &quot;so&quot;&nbsp;&amp; &lt;5 &eacute;", 'It\'s "so" & <5 é'),
        ("It rained.<br>The door<br />opened", "It rained.\nThe door\n\nopened"),
        ("AT&T; Q&A; a & b; x < br", "AT&T; Q&A; a & b; x < br"),
    ],
)
def test_entities_of_html_are_characters(text: str, plain: str) -> None:
    assert plain_source(text).text == plain


def test_an_entity_is_at_its_place() -> None:
    text = "It&#39;s at Tom &amp; Co.&nbsp;The end.[1] So.The rest"
    result = plain_source(text)
    assert result.text == "It's at Tom & Co. The end. So. The rest"
    places = [
        text[slice(*result.span(start, start + len(word)))]
        for word in ("It's", "Tom & Co", "The end", "So.", "The rest")
        for start in [result.text.index(word)]
    ]
    assert places == ["It&#39;s", "Tom &amp; Co", "The end", "So.", "The rest"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Soup ........ 7\nTea.....£2", "Soup: 7\n\nTea: £2"),
        ("Pie . . . . . £12.00, tea: ..... 5", "Pie: £12.00, tea: 5"),
        ("Tea…………2\nManager ..... Anna Lee", "Tea: 2\n\nManager: Anna Lee"),
        ("The lounge ............. 5.10 m\nThe kitchen ............ 3.60 m\nEnd",
         "The lounge: 5.10 m\n\nThe kitchen: 3.60 m\n\nEnd"),
        ("I was like.... what... 5 of us. Name: ......... He left ... 2 days later.", None),
        ("What????.... 5. It is over. .... 6", None),
    ],
)  # fmt: skip
def test_points_between_a_name_and_its_value_are_a_colon(text: str, plain: str | None) -> None:
    assert plain_source(text).text == (text if plain is None else plain)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("• It rained • Anna won • Bob lost", "It rained\n\nAnna won\n\nBob lost"),
        ("Included: • wifi • pool", "Included: wifi\n\nIncluded: pool"),
        ("(1) sales rose; (2) costs fell.", "sales rose;\n\ncosts fell."),
        ("a) sales rose; b) costs fell", "sales rose;\n\ncosts fell"),
        ("1. Sales rose by 2. 2. Costs fell.", "Sales rose by 2.\n\nCosts fell."),
        ("It fell (twice): (1) in May; (2) in June.", "It fell (twice): in May; in June."),
        ("Home • News • Sport", None),
        ("Under (a) and (b) he pays; (c) is void.", None),
        ("- It rose by 8% - a record - in May", "It rose by 8% - a record - in May"),
    ],
)  # fmt: skip
def test_the_items_of_a_list_within_a_line_are_lines(text: str, plain: str | None) -> None:
    assert plain_source(text).text == (text if plain is None else plain)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It rained on Monday.The sun is out.", "It rained on Monday. The sun is out."),
        ("Nobody spoke.He left in 2019.This is it.", "Nobody spoke. He left in 2019. This is it."),
        ('"It is late."The men left!They did.', '"It is late." The men left! They did.'),
        ("Node.Js, U.S.A, Amazon.In it, Booking.Com, System.Out.x, file.Do", None),
        ("1.The first, 2.5.The, J.The and a@b.In x", None),
    ],
)  # fmt: skip
def test_a_missing_blank_between_sentences_is_put_in(text: str, plain: str | None) -> None:
    assert plain_source(text).text == (text if plain is None else plain)


def test_plain_text_stays_as_it_is() -> None:
    text = 'Anna won 3-1 on Monday, "at last". It cost $5 (a lot).\n\nBob: No\nAnna: Yes.'
    result = plain_source(text)
    assert result.text == text
    assert [result.span(i, i + 1) for i in range(len(text))] == [
        (i, i + 1) for i in range(len(text))
    ]


@pytest.mark.parametrize(
    ("text", "word", "given_word"),
    [
        ("A cafe\u0301 opened.", "café", "cafe\u0301"),
        ("A ˇ x\u030cy opened.", "x", "x\u030c"),  # it has no composed form
        ("A **bold** claim.", "bold", "bold"),
        ("The in\u00adfor\u00admation.", "information", "in\u00adfor\u00admation"),
        ("The e\ufb03cient way.", "efficient", "e\ufb03cient"),
        ("Sure! Anna\r\nReyes won.", "Reyes", "Reyes"),
        ("It was discon-\nnected on Monday morning.", "connected"[3:], "nected"),
    ],
)
def test_places_are_those_of_the_given_text(text: str, word: str, given_word: str) -> None:
    result = plain_summary(text, SOURCE)
    start = result.text.index(word)
    low, high = result.span(start, start + len(word))
    assert text[low:high] == given_word


FRAGMENTS = (
    "Anna won. the * ** _x_ ` ``` [a](http://b) # > - 1. | --- \n \n\n \r\n e\u0301 \u0308 “ ’ — "
    "[1] .[2] &amp; &#769; <br> .The … [1]. [Doc 【1】 ¹ (1) (2) <b> </b> <p> <td> ~~ ~~x~~ <s> "
    "</s> <!-- --> [x] [ ] ✅ 10:15 PAY-7 1.1 a. b. 4,a,b $ → 1️⃣ N/A "
    "Pros Cons: \n-\xa0x • ...... ⇒ \n>\xa05 (a) ii. \n✅ "
    "Sure! Here is a summary: In summary, Mr. é\u0301 \u200b \u00ad ﬁ Bob: and well- ("
)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
pieces = st.lists(st.sampled_from(FRAGMENTS.split(" ")), max_size=14).map(" ".join)


@given(any_text | pieces)
def test_no_place_divides_a_letter_from_its_marks(text: str) -> None:
    for result in (plain_source(text), plain_summary(text, SOURCE)):
        assert len(result.text) == len(result.starts) == len(result.ends)
        for start, end in zip(result.starts, result.ends, strict=True):
            assert 0 <= start < end <= len(text)
            assert (
                not unicodedata.category(text[start]).startswith("M")
                or start == 0
                or (text[start - 1] == "\n")
            )
            after = text[end : end + 1]
            assert not after or not unicodedata.category(after).startswith("M")


@given(any_text | pieces)
def test_normal_forms_of_unicode_are_one(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    decomposed = unicodedata.normalize("NFD", text)
    assert plain_source(composed).text == plain_source(decomposed).text


endings = st.sampled_from([".", "!", "?", '."', ".)", "…"])


@given(pieces, endings, pieces | any_text)
def test_appended_text_changes_no_finished_sentence(
    before: str, ending: str, appended: str
) -> None:
    from faithkit.language.sentences import closed_sentences

    finished = f"{before} 2014{ending}"
    alone = [sentence.text for sentence in closed_sentences(summary(finished))]
    more = [sentence.text for sentence in closed_sentences(summary(f"{finished} {appended}"))]
    assert more[: len(alone)] == alone


def test_bullets_without_a_word_take_no_time() -> None:
    text = plain_summary("• " * 8_000, "").text  # half a minute for 20,000
    assert not any(word.isalnum() for word in text)


def test_a_long_run_of_blanks_takes_no_time() -> None:
    assert plain_source(f"a{' ' * 50_000}b").text == "a b"  # took a minute
