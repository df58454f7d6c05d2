"""Synonyms and antonyms of words of the news, and the file that they are read from."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faithkit.language.lexicon import LIGHT_VERBS, STOP_WORDS
from faithkit.language.thesaurus import entries, opposites, senses

UNKNOWN = [
    "",
    " ",
    "2019",
    "1,200",
    "qwxyz",
    "Paris",
    "a.n",
    ".n",
    "!",
    "=go.v",
    "n1",
    "é",
    "new york",
]

_WORDS = """
rise rose risen fell falling win won lost buy bought purchased began starts commence hot cold found
find discovered father mother children kids say told early late high lower good bad
"""
some_words = st.sampled_from(_WORDS.split())


def lemmas(word: str) -> set[str]:
    return {entry.rpartition(".")[0] for entry in entries(word)}


def are_synonyms(first: str, second: str) -> bool:
    return (
        bool(senses(first) & senses(second))
        and not are_antonyms(first, second)
        and not same(first, second)
    )


def are_antonyms(first: str, second: str) -> bool:
    return bool(opposites(first) & entries(second)) and not same(first, second)


def same(first: str, second: str) -> bool:
    """Forms of one word, which share their senses: a caller matches these first."""
    return bool(lemmas(first) & lemmas(second))


def line_of(word: str) -> str:
    packed = resources.files("faithkit.language").joinpath("thesaurus.txt.gz").read_bytes()
    text = gzip.decompress(packed).decode("ascii")
    return next(line for line in text.splitlines() if line.startswith(f"{word} "))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("buy", "purchased"),
        ("began", "started"),
        ("kids", "children"),
        ("big", "large"),
        ("car", "automobile"),
        ("movie", "films"),
        ("organisation", "organization"),
        ("replied", "answered"),
        ("quickly", "rapidly"),
        ("attempts", "tried"),
    ],
)
def test_words_that_mean_the_same_are_synonyms(first: str, second: str) -> None:
    assert are_synonyms(first, second)
    assert are_synonyms(second, first)
    assert not are_antonyms(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("rise", "fell"),
        ("rose", "falling"),
        ("won", "lost"),
        ("increase", "decrease"),
        ("increased", "decreases"),
        ("hot", "cold"),
        ("dead", "alive"),
        ("higher", "lowest"),
        ("longer", "short"),
        ("accepted", "rejects"),
        ("bought", "selling"),
        ("guilty", "innocent"),
        ("sisters", "brother"),
    ],
)
def test_words_that_mean_the_contrary_are_antonyms(first: str, second: str) -> None:
    assert are_antonyms(first, second)
    assert are_antonyms(second, first)
    assert not are_synonyms(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("have", "give"),
        ("take", "make"),
        ("get", "become"),
        ("bank", "river"),
        ("london", "paris"),
        ("increased", "fallen"),
        ("girls", "misses"),
        ("seed", "understand"),
        ("number", "asleep"),
        ("is", "exists"),
        ("buy", "bought"),
        ("buy", "buy"),
    ],
)
def test_other_words_and_forms_of_one_word_are_neither(first: str, second: str) -> None:
    assert not are_synonyms(first, second)
    assert not are_antonyms(first, second)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("went", set()),  # a light verb
        ("children", {"child"}),
        ("wives", {"wife", "wive"}),
        ("found", {"find", "found"}),
        ("stopped", {"stop", "stopped"}),
        ("discusses", {"discuss"}),
        ("agreed", {"agree", "agreed"}),
        ("worse", {"worse", "bad"}),
        ("lowest", {"low", "lowest"}),
        ("rated", {"rate"}),
        ("hated", {"hate", "hated"}),
        ("seed", {"seed"}),
        ("discuss", {"discuss"}),
        ("number", {"number"}),
        ("running", {"running"}),
    ],
)
def test_base_forms_are_those_of_the_lexicon(word: str, expected: set[str]) -> None:
    assert lemmas(word) == expected


def test_an_antonym_belongs_to_the_part_of_speech_that_the_word_can_be() -> None:
    assert opposites("fell") == {"rise.v"}
    assert opposites("falls") == {"rise.v", "rise.n"}
    assert entries("fell") >= {"fall.v", "fell.v"}
    assert "fall.n" not in entries("fell")


@pytest.mark.parametrize("word", sorted(STOP_WORDS | LIGHT_VERBS))
def test_stop_words_and_light_verbs_have_no_relations(word: str) -> None:
    assert not senses(word)
    assert not opposites(word)


@pytest.mark.parametrize("word", UNKNOWN)
def test_an_unknown_word_has_no_base_form_and_no_relation(word: str) -> None:
    assert not lemmas(word)
    assert not entries(word)
    assert not senses(word)
    assert not opposites(word)
    for other in ("rise", word):
        assert not are_synonyms(word, other)
        assert not are_antonyms(other, word)


@given(st.text(max_size=12))
def test_any_text_may_be_asked_for(word: str) -> None:
    assert not are_synonyms(word, word)
    assert not are_antonyms(word, word)


@given(some_words, some_words)
def test_opposites_are_so_both_ways(first: str, second: str) -> None:
    assert bool(opposites(first) & entries(second)) == bool(opposites(second) & entries(first))


@pytest.mark.slow
def test_the_file_is_sorted_plain_and_holds_no_names() -> None:
    packed = resources.files("faithkit.language").joinpath("thesaurus.txt.gz").read_bytes()
    assert len(packed) < 600_000
    assert packed[4:8] == bytes(4), "a time of making"
    lines = gzip.decompress(packed).decode("ascii").splitlines()
    words = [line.partition(" ")[0] for line in lines]
    assert words == sorted(set(words))
    field = re.compile(r"[nvar](\d*,){0,2}\d*|[!=][a-z-]+\.[nvar]")
    assert all(field.fullmatch(first) for line in lines for first in line.split()[1:])
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", word) for word in words)
    assert not {"london", "paris", "obama", "britain"} & set(words)
    assert line_of("went") == "went =go.v"


@pytest.mark.slow
def test_every_load_gives_the_same() -> None:
    program = (
        "from faithkit.language.thesaurus import senses, opposites\n"
        "for word in ('rose', 'won', 'children', 'quickly'):\n"
        "    print(*map(sorted, (senses(word), opposites(word))))"
    )
    related = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    }
    assert len(related) == 1


def test_the_licence_lies_beside_the_file() -> None:
    text = resources.files("faithkit.language").joinpath("thesaurus.LICENSE.txt").read_text("utf-8")
    assert "WordNet 3.1 Copyright 2011 by Princeton University.  All rights reserved." in text
    assert "WordNet 3.0 Copyright 2006" in text
