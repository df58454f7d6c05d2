"""Who wrote the text of a letter or an e-mail."""

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
    "sender",
    ["Anna Meyer", "Anna Meyer <anna@x.org>", '"Anna Meyer" <anna@x.org>', "Anna Meyer, CFO",
     "Anna Meyer (Leeds)", "Meyer, Anna <anna@x.org>", "Meyer, Anna"],
)  # fmt: skip
@pytest.mark.parametrize(
    "rest", ["To: Ben\nSubject: Key\n\n", "Sent: 3 May\nTo: Ben\n\n", "To: Ben\n\nHello Ben.\n"]
)
def test_a_letter_is_written_by_its_sender(sender: str, rest: str) -> None:
    result = written(f"From: {sender}\n{rest}I lost the red key. I am sorry.\n\nAnna")
    assert result["I lost the red key."] == result["I am sorry."] == "Anna Meyer"
    assert result[f"From: {sender}"] == result["To: Ben"] == ""


def test_each_letter_of_a_chain_has_its_own_sender() -> None:
    result = written(
        "From: Anna Meyer\nSent: 3 May\nTo: Ben Holt\n\nHi Ben, I lost it.\n\nAnna\n\n"
        "-----Original Message-----\nFrom: Ben Holt\nTo: Anna Meyer\n\nI have paid the bill.\n\nBen"
    )
    assert result["Hi Ben, I lost it."] == "Anna Meyer"
    assert result["I have paid the bill."] == "Ben Holt"
    assert result["-----Original Message-----"] == ""


def test_what_a_letter_quotes_is_not_given_to_its_sender() -> None:
    text = "From: Anna\nSubject: Key\n\nI see.\n\nOn 3 May, Ben wrote:\n> I lost it. It is red."
    assert written(text)["I see."] == "Anna"
    assert written(text)["It is red."] == ""


@pytest.mark.parametrize(
    "text",
    [
        "From: London\nTo: Paris\nDate: 5 May\n\nThe train leaves at noon. It is late.",
        "To: Ben\nSubject: Key\n\nI lost it.",
        "From: the Ministry of Roads and Bridges of Leeds\nSubject: Key\n\nWe lost it.",
        "From: where we stood the hill was dark. We went on. Subject: none.",
        "The note said: From: Anna. It was short.",
    ],
)
def test_other_texts_have_no_sender(text: str) -> None:
    assert not any(written(text).values())
