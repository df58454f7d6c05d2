"""Transcripts in JSON and in tags, and other texts in these."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit.language.normalise import plain_source

TALK = [("Anna", "Good morning.\nI lost it."), ("Ben", 'I "paid" 5 €. 😀'), ("Anna", "Thanks.")]
PLAIN = 'Anna: Good morning. I lost it.\n\nBen: I "paid" 5 €. 😀\n\nAnna: Thanks.'


@pytest.mark.parametrize(
    ("name", "text"), [("speaker", "text"), ("role", "content"), ("author", "message")]
)
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("form", ["{}", '{{"turns": {}}}', "lines"])
def test_each_object_is_a_turn(name: str, text: str, ascii_only: bool, form: str) -> None:
    rows = [{"id": i, name: who, text: said} for i, (who, said) in enumerate(TALK)]
    if form == "lines":
        text_given = "\n".join(json.dumps(row, ensure_ascii=ascii_only) for row in rows)
    else:
        text_given = form.format(json.dumps(rows, ensure_ascii=ascii_only, indent=1))
    result = plain_source(text_given)
    assert " ".join(result.text.split()) == " ".join(PLAIN.split())
    for word in ("Anna", "Thanks"):
        start = result.text.index(word)
        assert text_given[slice(*result.span(start, start + len(word)))] == word


def test_the_name_may_be_behind_what_is_said() -> None:
    rows = [{"text": said, "speaker": who} for who, said in (("Anna", "Hi"), ("Ben", "Ok")) * 2]
    assert plain_source(json.dumps(rows)).text.split("\n")[0] == "Anna: Hi"


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "Anna", "age": 5}, {"name": "Ben", "age": 6}, {"name": "Jo", "age": 7}]',
        '[{"speaker": "Anna", "text": "Hi"}]',
        '[1] He wrote {"role": "user", "content": "Hi"} twice. {"role": "x", "content": "Ok"}',
        '[{"speaker": "Anna", "text": "Hi"',
        "{} [] {",
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert plain_source(text).text == text


def test_two_turns_are_a_transcript() -> None:
    text = '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ok"}]'
    assert plain_source(text).text.split() == ["user:", "Hi", "assistant:", "Ok"]


@pytest.mark.parametrize(
    "form",
    ["<{0}>{1}</{0}>", '<turn n="1" speaker="{0}">\n{1}\n</turn>', "<msg from='{0}'>{1}</msg>"],
)
@pytest.mark.parametrize("around", ["{}", "<chat>\n{}\n</chat>"])
def test_tags_are_turns(form: str, around: str) -> None:
    talk = [("agent", "Good morning."), ("customer", "I lost it."), ("agent", "Ok.")]
    text = around.format("\n".join(form.format(*turn) for turn in talk))
    result = plain_source(text)
    lines = [line for line in result.text.split("\n") if line]
    assert lines == ["agent: Good morning.", "customer: I lost it.", "agent: Ok."]
    place = result.text.index("lost")
    assert text[slice(*result.span(place, place + 4))] == "lost"


@pytest.mark.parametrize(
    "text",
    [
        "<agent>Hi</agent>",
        "Write <agent>Hi</agent> and <user>Ok</user> there.",
        "<plan>Basic</plan>\n<price>5</price>",
        "<agent>Hi</user><user>Ok</agent>",
    ],
)
def test_other_tags_stay(text: str) -> None:
    assert ": " not in plain_source(text).text


def test_a_letter_that_is_cut_in_two_is_left_out() -> None:
    row = '{"speaker": "Anna", "text": "Hi \\ud83d and \\x"}'
    assert plain_source(f"[{row}, {row}, {row}]").text.startswith("Anna: Hi and \\x")


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=20)), max_size=6), st.booleans())
def test_every_character_has_a_place_in_the_given_text(
    rows: list[tuple[str, str]], ascii_only: bool
) -> None:
    turns = [{"speaker": who, "text": said} for who, said in rows]
    text = json.dumps(turns, ensure_ascii=ascii_only)
    result = plain_source(text)
    assert len(result.text) == len(result.starts) == len(result.ends)
    places = zip(result.starts, result.ends, strict=True)
    assert all(0 <= start < end <= len(text) for start, end in places)
