"""Stems equal those of the package snowballstemmer."""

from __future__ import annotations

import re

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from faithkit.language.stemming import stem
from faithkit.language.thesaurus import _lexicon

SNOWBALL = snowballstemmer.stemmer("english")
PARTS = re.findall(
    r"\S+",
    "a e i o u y b d l t s x w é ' 's ss us ied ies ing ed eed ly edly ingly eedly ational tional "
    "ation ative alize iciti ness ful li ogi ogist bli at bl iz pp tt rr succ proc exc sion tion "
    "ement ment ent even inn arsen gener past later univers skis ll ie",
)
ENDINGS = ("", "s", "ing", "ed", "ly")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("organisations", "organis"), ("generously", "generous"), ("dying", "die"), ("by", "by"),
        ("saying", "say"), ("skies", "sky"), ("hopping", "hop"), ("hoping", "hope"), ("", ""),
        ("evening", "evening"), ("proceeding", "proceed"), ("rational", "ration"),
    ],
)  # fmt: skip
def test_stems_of_words(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_stems_of_known_words_equal_snowballs() -> None:
    words = [word + ending for word in sorted(_lexicon())[::9] for ending in ENDINGS]
    assert len(words) > 5000
    assert [word for word in words if stem(word) != SNOWBALL.stemWord(word)] == []


@given(st.lists(st.sampled_from(PARTS), max_size=6).map("".join))
def test_stems_of_any_endings_equal_snowballs(word: str) -> None:
    assert stem(word) == SNOWBALL.stemWord(word)
