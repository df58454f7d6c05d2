"""BERT's tokenizer: equal to that of the package tokenizers on the same vocabulary."""

from __future__ import annotations

import json
import sys
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from faithkit import models
from faithkit.models.wordpiece import WordPiece, read_wordpiece
from faithkit.records import ModelError
from faithkit.support.files import TOKENIZER

FILE = models.resolve("support", "mini", offline=True)[0] / TOKENIZER
OURS = read_wordpiece(FILE)
THEIRS = Tokenizer.from_file(str(FILE))
THEIRS.no_padding()
THEIRS.no_truncation()
THEIRS.encode_special_tokens = True


@cache
def known() -> list[str]:
    """The characters that both know: the other's tables are those of Unicode 8."""
    return [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.ucd_3_2_0.category(chr(code)) not in ("Cn", "Cs")
        and unicodedata.ucd_3_2_0.category(chr(code)) == unicodedata.category(chr(code))
    ]


def both(*texts: str) -> list[tuple[str, list[tuple[str, tuple[int, int]]], object]]:
    """Of each text the tokens by both, where they differ."""
    expected = THEIRS.encode_batch(list(texts), add_special_tokens=False)
    return [
        (text, list(zip(other.tokens, other.offsets, strict=True)), ours)
        for text, other, ours in zip(texts, expected, map(OURS.encode, texts), strict=True)
        if (ours.ids, ours.offsets) != (other.ids, other.offsets)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "Mayor Anna Reyes' unaffable plan cost £1.9m (about $2.4m)...",
        "[CLS] a [SEP] b [MASK] [UNK] [PAD]",
        "Ça coûte 3€, señor Łukasz; İstanbul, ΣΑΣ, ﬁne, naı̈ve",
        "东京 is 東京, 서울, Москва́, नमस्ते",
        "a" * 100 + " " + "a" * 101,
        "zero\u200bwidth soft\u00adhyphen \ufffd \x00 bell\x07 tab\tline\r\nend\x1f",
        "emoji 👩‍👩‍👧 fl🇬🇧ag 1️⃣",
        "a_b a-b a/b x@y.z 50% `code` ~^|<>",
    ],
)
def test_tokens_are_those_of_the_package_tokenizers(text: str) -> None:
    assert both(text) == []


def test_characters_of_all_of_unicode_are_read_alike() -> None:
    assert both(*(f"ab{character}cd {character} x" for character in known()[::16])) == []


KNOWN = st.deferred(lambda: st.sampled_from(known()))


@given(st.text(st.one_of(st.characters(max_codepoint=0x250), KNOWN)))
def test_any_text_is_read_alike(text: str) -> None:
    assert both(text) == []


def test_pieces_are_the_longest_of_the_vocabulary() -> None:
    tokenizer = WordPiece({"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3, "una": 4, "##ff": 5})
    ids, offsets = tokenizer.encode("Unaffable un x")
    assert ids == [4, 5, 3, 1, 0]
    assert offsets == [(0, 3), (3, 5), (5, 9), (10, 12), (13, 14)]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("normalizer", "lowercase"), False),
        (("normalizer", "strip_accents"), False),
        (("normalizer", "type"), "Lowercase"),
        (("pre_tokenizer", "type"), "Whitespace"),
        (("model", "continuing_subword_prefix"), "@@"),
        (("model", "vocab"), {"a": 1}),
        (("model", "vocab"), ["a"]),
    ],
)
def test_other_tokenizers_are_refused(
    tmp_path: Path, place: tuple[str, str], value: object
) -> None:
    file = json.loads(FILE.read_text(encoding="utf-8"))
    file[place[0]][place[1]] = value
    path = tmp_path / TOKENIZER
    path.write_text(json.dumps(file), encoding="utf-8")
    with pytest.raises(ModelError, match="no tokenizer of BERT"):
        read_wordpiece(path)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match="no tokenizer of BERT"):
        read_wordpiece(path)
