"""Words, sentences and entities: their offsets slice back to the text, and nothing is left out."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faithkit.language.parse import entities, parse
from faithkit.language.sentences import sentences
from faithkit.language.words import is_content, numbers, word_coverage, words
from faithkit.records import Example

unicode_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
# Text with the marks that split: most random unicode has none of them.
marked_text = st.text(
    st.sampled_from("aB é.?!:;,-'’\"\n\t\r #*•0\u2028\u00a0\x1c\x00漢"), max_size=80
)


@given(unicode_text | marked_text)
def test_words_slice_back_and_hold_every_letter_and_mark(text: str) -> None:
    result = words(text)
    place = 0
    for word in result:
        assert text[word.start : word.end] == word.text
        assert text[place : word.start].strip() == ""
        assert word.start < word.end
        place = word.end
    assert text[place:].strip() == ""


@given(unicode_text | marked_text)
@example("Anna: Hi.\nBen: Bye.\n\n- one\n- two\n\n\n# Title\ntext")
@example("\x1c\x00\u2028")
def test_sentences_slice_back_do_not_overlap_and_hold_every_character(text: str) -> None:
    place = 0
    for sentence in sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.text == sentence.text.strip() != ""
        assert text[place : sentence.start].strip() == ""
        place = sentence.end
    assert text[place:].strip() == ""


@given(st.lists(unicode_text | marked_text, max_size=3))
def test_entities_slice_back(texts: list[str]) -> None:
    result = entities(texts)
    assert len(result) == len(texts)
    for text, names in zip(texts, result, strict=True):
        for entity in names:
            assert text[entity.start : entity.end] == entity.text
            assert entity.label


def test_words_keep_numbers_hyphens_and_apostrophes_whole() -> None:
    result = [word.text for word in words("Jean-Luc's 1,250.50 (3:45) don’t - end.")]
    assert result == ["Jean-Luc's", "1,250.50", "(", "3:45", ")", "don’t", "-", "end", "."]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", []),
        (" \n\t ", []),
        ("One sentence. And another one.", ["One sentence.", "And another one."]),
        ("A title\n\nThe text.", ["A title", "The text."]),
        ("Anna: are you in\nBen: yes I am", ["Anna: are you in", "Ben: yes I am"]),
        ("Dr Lee: come in\nMs Day: no", ["Dr Lee: come in", "Ms Day: no"]),
        ("- one thing\n- another", ["- one thing", "- another"]),
        ("It rained for\nthree days.", ["It rained for\nthree days."]),
    ],
)
def test_blank_lines_turns_and_bullets_begin_sentences_and_wrapped_lines_do_not(
    text: str, result: list[str]
) -> None:
    assert [sentence.text for sentence in sentences(text)] == result


def test_text_longer_than_spacy_takes_is_cut_at_white_space(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("faithkit.language.pipeline.BLOCK_CHARACTERS", 30)
    text = "Paris is in France. " * 5 + "x" * 70 + " London is in England."
    sentences.cache_clear()
    pieces = sentences(text)
    sentences.cache_clear()
    assert "".join(piece.text for piece in pieces).replace(" ", "") == text.replace(" ", "")
    assert all(text[piece.start : piece.end] == piece.text for piece in pieces)
    (result,) = entities([text])
    assert {"Paris", "France", "London", "England"} <= {entity.text for entity in result}
    assert all(text[entity.start : entity.end] == entity.text for entity in result)


def test_entities_have_labels_and_stay_with_their_text() -> None:
    result = entities(["Angela Merkel flew to Paris.", "", "Nothing here.", "It cost $5 million."])
    assert [(e.text, e.label) for e in result[0]] == [("Angela Merkel", "PERSON"), ("Paris", "GPE")]
    assert result[1] == result[2] == []
    assert [e.label for e in result[3]] == ["MONEY"]


@given(st.lists(unicode_text | marked_text, max_size=3))
def test_parsed_tokens_slice_back_hold_every_character_and_have_their_head(
    texts: list[str],
) -> None:
    result = parse(texts)
    assert len(result) == len(texts)
    for text, tokens in zip(texts, result, strict=True):
        place = 0
        for token in tokens:
            assert text[token.start : token.end] == token.text
            assert text[place : token.start].strip() == ""
            assert 0 <= token.head < len(tokens)
            place = token.end
        assert text[place:].strip() == ""


def test_a_parse_says_who_did_what() -> None:
    tokens, nothing = parse(["Ministers were bribing two judges.", ""])
    assert nothing == []
    assert [(t.text, t.lemma, t.pos, t.tag, t.dep, tokens[t.head].text) for t in tokens] == [
        ("Ministers", "minister", "NOUN", "NNS", "nsubj", "bribing"),
        ("were", "be", "AUX", "VBD", "aux", "bribing"),
        ("bribing", "bribe", "VERB", "VBG", "ROOT", "bribing"),
        ("two", "two", "NUM", "CD", "nummod", "judges"),
        ("judges", "judge", "NOUN", "NNS", "dobj", "bribing"),
        (".", ".", "PUNCT", ".", "punct", "bribing"),
    ]


def test_heads_of_a_text_longer_than_spacy_takes_stay_in_their_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("faithkit.language.pipeline.BLOCK_CHARACTERS", 16)
    (tokens,) = parse(["The cat slept. The dog barked."])
    heads = [(token.text, tokens[token.head].text) for token in tokens if token.dep == "nsubj"]
    assert heads == [("cat", "slept"), ("dog", "barked")]
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)


def test_the_same_sentences_alone_or_after_other_texts() -> None:
    text = "The minister resigned. Nobody knows why, he said."
    alone = sentences(text)
    sentences.cache_clear()
    sentences("Another text altogether. With sentences.")
    assert sentences(text) == alone


def test_stop_words_and_punctuation_are_no_content() -> None:
    shown = [word for word in ("The", "cat", ",", "’", "7", "WAS", "-", "über") if is_content(word)]
    assert shown == ["cat", "7", "über"]


def test_word_coverage_counts_both_sides() -> None:
    result = word_coverage(Example("1", "One two three.", "One."))
    assert (result.source_tokens, result.summary_tokens) == (4, 2)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It cost £2.50m, not 1,200 or 007.", ["2.5", "1200", "7"]),
        ("Four of the 21st-century ninety", ["4", "21", "90"]),
        ("no number", []),
        ("0 and 0.0", ["0", "0"]),
    ],
)
def test_numbers_have_one_spelling(text: str, values: list[str]) -> None:
    assert [value for _, value in numbers(text)] == values
    assert all(text[word.start : word.end] == word.text for word, _ in numbers(text))
