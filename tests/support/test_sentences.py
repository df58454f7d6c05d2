"""Sentences of the support model: words with their kinds and places, tokens with their words."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.tiny_support import read, tokenizer

from faithkit.language.sentences import closed_sentences
from faithkit.language.words import Segment
from faithkit.support.evidence import Source
from faithkit.support.inputs import attach_evidence
from faithkit.support.sentences import (
    LONGEST,
    Kind,
    read_sentences,
    read_source,
    read_summary,
    stem,
)

TEXT = "He didn't pay £5m to Anna Reyes, in Paris."


def test_sentence_has_words_with_keys_kinds_and_places() -> None:
    (sentence,) = read(TEXT)
    assert sentence.form.text == "He did not pay 5 million pounds to Anna Reyes, in Paris."
    assert sentence.keys == (
        "he", "do", "not", "pay", "5000000", "million", "pound", "to", "anna", "rey", "in", "pari",
    )  # fmt: skip
    names = [Kind(kind).name[0] for kind in sentence.kinds.tolist()]
    assert "".join(names) == "FFFCNCCFNNFN"
    assert sentence.kinds[4] == Kind.NUMBER and sentence.kinds[8] == Kind.NAME
    shown = [TEXT[start:end] for start, end in sentence.char_offsets().tolist()]
    assert " ".join(shown) == "He did n't pay 5 m £ to Anna Reyes in Paris"


def test_places_are_those_of_the_whole_text() -> None:
    text = "One came. Two dogs left."
    sentences = read_sentences(closed_sentences(text), tokenizer())
    assert [(one.start, one.end) for one in sentences] == [(0, 9), (10, 24)]
    assert [text[a:b] for a, b in sentences[1].char_offsets().tolist()] == ["Two", "dogs", "left"]


def test_capital_at_the_beginning_makes_no_name() -> None:
    (sentence,) = read("Dogs of Lyon bark")
    assert sentence.kinds.tolist() == [Kind.CONTENT, Kind.FUNCTION, Kind.NAME, Kind.CONTENT]


def test_negations_and_modal_verbs_can_be_wrong_by_themselves_though_they_have_no_content() -> None:
    (sentence,) = read("He may not be in Paris, NOR was she.")
    shown = [sentence.form.text[start:end] for start, end in sentence.offsets]
    content = [word for word, is_content in zip(shown, sentence.content, strict=True) if is_content]
    checkable = [word for word, tells in zip(shown, sentence.checkable, strict=True) if tells]
    assert content == ["Paris"]
    assert checkable == ["may", "not", "Paris", "NOR"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The Council of Leeds Approved Plans for Housing", 0),
        ("THE COUNCIL OF LEEDS APPROVED PLANS FOR HOUSING", 0),
        ("The Council of Leeds approved plans for housing", 2),
        ("He said that Anna Kovacs met Peter Lindqvist", 4),
        ("Dogs of Lyon Bark", 2),
    ],
)
def test_capitals_tell_no_names_in_a_headline(text: str, names: int) -> None:
    (sentence,) = read(text)
    assert (sentence.kinds == Kind.NAME).sum() == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The bridge may open next May, or May 3, or on 3 May.", ["May", "May", "May"]),
        ("He asked whether May may come.", []),
        ("The WHO said who it was.", ["WHO"]),
        ("It is for IT staff, and NOT for ALL.", ["IT"]),
        ("WHO WAS IT IN MAY", []),
        ("He saw Thomas More, and Will more so; More came.", ["Thomas", "More"]),
    ],
)
def test_a_month_and_an_acronym_are_no_function_words(text: str, names: list[str]) -> None:
    (sentence,) = read(text)
    words = [sentence.form.text[start:end] for start, end in sentence.offsets]
    shown = [word for word, kind in zip(words, sentence.kinds, strict=True) if kind == Kind.NAME]
    assert shown == names


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("She has hepatitis A under section 4(2)(a) and (i) of Party A.", ["A", "a", "A"]),
        ("She took part in World War I, and I met a class A player.", ["A"]),
        ("He has leukaemia (ALL), and (as he says) all (or none).", ["ALL"]),
        ("In the third section I argue that a group (a team) won.", []),
        ("Her grade was A, and it was a high one: A.", ["A", "A"]),
    ],
)
def test_a_letter_and_an_acronym_may_be_a_label(text: str, labels: list[str]) -> None:
    (sentence,) = read(text)
    words = [sentence.form.text[start:end] for start, end in sentence.offsets]
    content = [word for word, has in zip(words, sentence.content, strict=True) if has]
    assert [word for word in content if word.lower() in ("a", "i", "all", "as", "or")] == labels


def test_numbers_are_equal_by_value() -> None:
    keys = [read(text)[0].keys[0] for text in ("12,000 books", "12000 books", "twelve books")]
    assert keys[0] == keys[1] != keys[2]
    assert read("twelve books")[0].keys == read("12 books")[0].keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("500mcg", "500mg"),
        ("A12", "B12"),
        ("Q3", "H3"),
        ("BA256", "AI256"),
        ("MiG-29", "Su-29"),
        ("3:42", "3:59"),
        ("2.5.1", "2.5.9"),
        ("03/04/2019", "03/11/2021"),
        ("1990s", "1990"),
        ("Su-30", "Mi-30"),
        ("agent 007", "agent 7"),
        ("a 10-month", "a 10-year"),
    ],
)
def test_codes_and_times_that_share_a_number_are_other_words(one: str, other: str) -> None:
    assert read(f"See {one} there.")[0].keys[1:] != read(f"See {other} there.")[0].keys[1:]


@pytest.mark.parametrize(
    ("one", "other"),
    [("COVID-19", "Covid19"), ("G-7", "G7"), ("21st", "21"), ("1,200", "1200"), ("2019's", "2019")],
)
def test_spellings_of_a_number_or_code_are_one_word(one: str, other: str) -> None:
    assert read(f"See {one} there.")[0].keys == read(f"See {other} there.")[0].keys


def test_a_year_in_a_compound_is_the_year() -> None:
    assert read("It opened in mid-2019.")[0].keys[-1] == read("It opened in 2019.")[0].keys[-1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It fell to -5.", "It fell to 5."),
        ("The bank is BBB+ now.", "The bank is BBB- now."),
        ("It closes?", "It closes."),
        ("Parking ✅", "Parking ❌"),
        ("We use C++ here.", "We use C# here."),
        ("Grade A (-) in May.", "Grade A (+) in May."),
        ("ER and HER2+ there.", "ER+ and HER2 there."),
        ("Reflexes were +++ there.", "Reflexes were + there."),
        ("protein ++, blood -, nitrite +.", "protein ++, blood, nitrite +."),
        ("Leeds → York", "Leeds ← York"),
        ("It cost ₪500.", "It cost ₺500."),
        ("A × B and x ≪ 5", "A ÷ B and x ≪ 5"),
        ("An admin && a user", "An admin || a user"),
        ("It needs C# now.", "It needs C now."),
        ("Remove ./build/* now.", "Remove /build/* now."),
        ("The sum is 5 * 6.", "The sum is 5 6."),
        ("Take 1 @ 8 o'clock", "Take 1 8 o'clock"),
        ("No fever / cough", "No fever cough"),
        ("The tax was (1,234).", "The tax was 1,234."),
        ("Search is 😀 today", "Search is 😡 today"),
        ("The dose was 2 mSv.", "The dose was 2 MSv."),
        ("It has 100 Mbps there.", "It has 100 MBps there."),
        ("Type aB3xQ9 here.", "Type Ab3Xq9 here."),
        ("It was 5 D there", "It was 5 d there"),
    ],
)
def test_a_sentence_with_another_sign_is_no_copy(one: str, other: str) -> None:
    source = Source(read(one))
    assert source.has(read(one)[0]) and not source.has(read(other)[0])


def test_clauses_begin_after_a_comma_and_with_a_coordinator() -> None:
    (sentence,) = read("The pump, which is new, is red and the well - here - is dry.")
    assert sentence.clauses.tolist() == [0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('"Well - it closes", he said.', "Well, it closes: he said!"),
        ("Acme® sells *Brio*™ • today", "Acme sells Brio today"),
        ("🚀 The new flow is live 🎉", "The new flow is live"),
        ("Great job 👏🏽", "Great job 👏"),
        ("→ Launch in Portugal", "Launch in Portugal"),
        ("The drug* was approved.", "The drug was approved."),
        ("Thanks @anna for #climate", "Thanks anna for climate"),
        ("THE DOSE WAS 2 MSV", "The dose was 2 mSv"),
        ("see the iphone 5s and 3 iphones", "See the iPhone 5s and 3 iPhones"),
        ("Two-Year Deal for 12 Men", "two-year deal for 12 men"),
        ("I like YouTube and vitamin b12", "I like Youtube and vitamin B12"),
        ("It cost £5 (about $6).", "It cost 5 pounds, about 6 dollars."),
        ("I was going to -", "I was going to"),
    ],
)
def test_typography_makes_no_difference_to_a_copy(one: str, other: str) -> None:
    assert Source(read(one)).has(read(other)[0])
    assert Source(read(other)).has(read(one)[0])


def test_every_token_belongs_to_its_word_and_punctuation_to_none() -> None:
    (sentence,) = read("Reyes' motorcyclists, unbelievably, left.")
    pieces = {id: piece for piece, id in tokenizer().vocabulary.items()}
    tokens = [pieces[token] for token in sentence.ids.tolist()]
    for token, owner in zip(tokens, sentence.owner.tolist(), strict=True):
        if owner < 0:
            assert not any(map(str.isalnum, token))
        else:
            start, end = sentence.offsets[owner]
            assert token.removeprefix("##") in sentence.form.text[start:end].lower()
    owners = [owner for owner in sentence.owner.tolist() if owner >= 0]
    assert owners == sorted(owners) and set(owners) == set(range(len(sentence.keys)))
    assert len(owners) > len(sentence.keys)  # a word of several tokens


@pytest.mark.parametrize(
    ("text", "is_meta_statement"),
    [
        ("the document discusses", True),
        ("The passages mention this.", True),
        ("This is a faithful and factually consistent account.", True),
        ("The document discusses the bridge.", False),
        ("The report cost 3 pounds.", False),
        ("She answered at once.", False),  # names no text
        ("That is true.", False),
        ("He was there.", False),
    ],
)
def test_talk_names_a_text_and_has_no_other_content(text: str, is_meta_statement: bool) -> None:
    (one,) = read(text)
    assert one.is_meta_statement(np.zeros(len(one.keys), dtype=np.int64)) is is_meta_statement


REPORT = "Ray Hill wrote a report on the mine. The mayor discussed it with the writer."


@pytest.mark.parametrize(
    ("text", "is_meta_statement"),
    [
        ("The report was accurate.", False),
        ("The reports were not accurate.", False),
        ("The writer answered the question.", False),
        ("The document confirms the report.", False),
        ("The document discusses.", True),  # the source has the verb, no document
        ("The article is accurate.", True),
    ],
)
def test_a_text_that_the_source_tells_of_is_no_talk(text: str, is_meta_statement: bool) -> None:
    source = Source(read(REPORT))
    (claim,) = read(text)
    assert claim.is_meta_statement(attach_evidence(claim, source).in_source) is is_meta_statement


def test_text_without_a_word_is_left_out() -> None:
    assert read("...", "", "?! –", " ") == []
    assert [one.start for one in read("...", "a word")] == [0]


def test_long_sentence_is_read_in_pieces_that_end_between_words_and_lose_none() -> None:
    text = " ".join(f"word{number}" for number in range(300)) + "."
    sentences = read(text)
    assert len(sentences) > 3
    assert all(len(one.ids) <= LONGEST for one in sentences)
    words = [text[start:end] for one in sentences for start, end in one.char_offsets().tolist()]
    assert words == [f"word{number}" for number in range(300)]
    assert all(a.end < b.start for a, b in pairwise(sentences))  # no piece has the blank


def test_long_row_of_letters_is_cut_in_the_middle() -> None:
    text = "a-" * 400
    sentences = read(text)
    assert all(len(one.ids) <= LONGEST for one in sentences)
    places = {p for one in sentences for a, b in one.char_offsets().tolist() for p in range(a, b)}
    assert {place for place, letter in enumerate(text) if letter == "a"} <= places


def test_letters_of_a_special_token_are_text() -> None:
    (sentence,) = read("It says [SEP] and [CLS] [PAD]")
    assert not {0, 101, 102} & set(sentence.ids.tolist())
    assert len(sentence.keys) == 6


def test_case_and_quotes_change_neither_tokens_nor_keys() -> None:
    text = 'The "Council" of Brookfield said it\'s done, and Anna Reyes left.'
    curly = text.replace(' "', " “").replace('"', "”").replace("'", "’")
    for other in (text.lower(), text.upper(), curly):
        (one,), (changed,) = read(text), read(other)
        assert changed.keys == one.keys
        assert changed.ids[changed.owner >= 0].tolist() == one.ids[one.owner >= 0].tolist()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("organised", "organizes"),
        ("colour", "color"),
        ("colours", "color"),
        ("favourite", "favorite"),
        ("organisations", "organization"),
        ("analysed", "analyze"),
        ("went", "go"),
        ("anna's", "anna"),
        ("voted", "votes"),
        ("it’s", "it"),
    ],
)
def test_forms_of_a_word_share_a_stem(first: str, second: str) -> None:
    assert stem(first) == stem(second)


def test_names_that_end_in_s_are_no_plurals() -> None:
    assert stem("carlos") != stem("carlo")
    assert stem("carlos's") == stem("carlos’") == stem("carlos")


@pytest.mark.parametrize(("first", "second"), [("four", "for"), ("hour", "hor"), ("rise", "rize")])
def test_short_words_are_no_spelling_variants(first: str, second: str) -> None:
    assert stem(first) != stem(second)


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_any_text_is_read_within_its_bounds(text: str) -> None:
    for sentence in read_sentences([Segment(7, 7 + len(text), text)], tokenizer()):
        count = len(sentence.keys)
        assert count == len(sentence.kinds) == len(sentence.offsets) > 0
        assert len(sentence.ids) == len(sentence.owner)
        assert ((sentence.owner >= -1) & (sentence.owner < count)).all()
        places = sentence.char_offsets()
        assert (places[:, 0] >= sentence.start).all() and (places[:, 1] <= sentence.end).all()
        assert (places[:, 0] < places[:, 1]).all() and sentence.start >= 7
        assert all(sentence.keys) and set(np.unique(sentence.kinds)) <= set(Kind)


# --- speakers ------------------------------------------------------------------------------------

CHAT = "Anna Reyes: Are you in? I have £5.\nBen: No. I left.\nAnna Reyes: Fine."


def test_sentence_of_a_dialogue_is_read_with_its_speaker() -> None:
    plain, named = read_source(CHAT, tokenizer()), read_source(CHAT, tokenizer(), named=True)
    assert [one.form.text for one in named][:2] == [
        "Anna Reyes: Are you in?", "Anna Reyes: I have 5 pounds.",
    ]  # fmt: skip
    second = named[1]
    assert (second.named, second.keys[:3]) == (2, ("anna", "rey", "i"))
    assert second.wording == plain[1].wording == ("i", "have", "5", "pounds")
    assert [(one.start, one.end) for one in named] == [(one.start, one.end) for one in plain]
    shown = [CHAT[start:end] for start, end in second.char_offsets().tolist()]
    assert shown == ["I", "I", "I", "have", "5", "£"]  # the name is at the first character
    assert [one.named for one in plain] == [0] * len(plain)


def test_a_copied_sentence_of_a_turn_is_found_without_its_speaker() -> None:
    source = Source(read_source(CHAT, tokenizer(), named=True))
    (claim,) = read("I left.")
    assert source.has(claim)


def test_a_long_sentence_of_a_turn_is_named_in_each_of_its_pieces() -> None:
    text = CHAT.replace("I have £5.", "yes " * (LONGEST + 40) + "no.")
    named = read_source(text, tokenizer(), named=True)
    assert [one.named for one in named][:3] == [0, 2, 2]


def test_a_sentence_without_a_word_is_left_out_whoever_speaks_it() -> None:
    assert len(read_source(CHAT.replace("I left.", "..."), tokenizer(), named=True)) == 4


@pytest.mark.parametrize("text", ["It landed", 'She said "no"', "It grew (by 5%)"])
def test_a_sentence_of_a_summary_without_a_mark_is_read_with_a_point(text: str) -> None:
    (one,) = read_summary(text, tokenizer())
    (other,) = read_summary(f"{text}.", tokenizer())
    assert one.form.text == other.form.text
    assert one.ids.tolist() == other.ids.tolist() and one.end == len(text)


@pytest.mark.parametrize("text", ["Did it land?", 'She said "no."', "They left -", "in the U.S."])
def test_a_sentence_of_a_summary_with_a_mark_stays(text: str) -> None:
    assert [sentence.form.text for sentence in read_summary(text, tokenizer())] == [text]
