"""Who writes a letter that begins with a greeting and ends with a signature."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source
from faithkit.language.sentences import source_sentences, speakers


def written(text: str) -> dict[str, str]:
    """For each sentence who wrote it."""
    plain = plain_source(text).text
    pieces = source_sentences(plain)
    return {piece.text: name for piece, name in zip(pieces, speakers(pieces, plain), strict=True)}


@pytest.mark.parametrize(
    "greeting",
    ["Dear Jean,", "Hi Jean,", "My dear Jean,", "Dear Ms Lane,", "Dear Sir,", "Hello everyone,",
     "Jean,", "Dear Jean Miller:", "Dear Jean", "Liebe Ruth, dear Paul,", "Dear Sir or Madam,",
     "Dear Diary,", "Good morning all,"],
)  # fmt: skip
@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("Love, Kate", "Kate"),
        ("Love,\nKate", "Kate"),
        ("Best wishes\nKate", "Kate"),
        ("Yours sincerely,\n\nKate Brown\nHead of Sales", "Kate Brown"),
        ("Ever yr. affecte. sister,\nFlora", "Flora"),
        ("Your loving sister,\nKate", "Kate"),
        ("Yours, Eva and Max", "Eva and Max"),
        ("Kate", "Kate"),
        ("- Kate", "Kate"),
        ("Kate xx", "Kate"),
        ("xx K.", "K."),
    ],
)
def test_a_letter_is_written_by_who_signs_it(greeting: str, signature: str, name: str) -> None:
    result = written(f"{greeting}\n\nI lost the key. It was red.\n\n{signature}")
    assert result["I lost the key."] == result["It was red."] == name
    assert result.get(signature, "") == ""


def test_each_letter_has_its_own_writer_and_a_postscript_too() -> None:
    result = written(
        "Two letters were found.\n\nDear Ben, I lost the key. Sorry! Love, Kate\n"
        "P.S. It was red.\n\nDear Kate,\n\nI have another.\n\nBest wishes,\nBen"
    )
    assert result["Two letters were found."] == ""
    assert result["Dear Ben, I lost the key."] == result["It was red."] == "Kate"
    assert result["I have another."] == "Ben"


@pytest.mark.parametrize(
    "text",
    [
        "I lost the key. It was red.\n\nLove, Kate",  # nobody is greeted
        "Dear Jean,\n\nI lost the key. It was red.",  # nobody signs
        "Dear Jean,\n\nI lost the key. It was red.\n\nThanks, Jean",
        "Dear Prudence is a song. It was written in 1968.\n\nLennon",
        "Dear me, said Kate. It rains.\n\nYours was lost.",
        "Jean, who was nine, left. It rained. Kate stayed.",
        "Hi Jean,\n\nI lost the key.\n\nHi Ben,\n\nI found it.",
    ],
)
def test_other_texts_have_no_writer(text: str) -> None:
    assert not any(written(text).values())
