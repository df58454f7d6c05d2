"""Letters of UTF-8 that were read as Windows-1252."""

from __future__ import annotations

import unicodedata

import pytest

from faithkit.language.layout.encodings import with_right_encoding
from faithkit.language.mapped import identity_map


@pytest.mark.parametrize(
    "meant", ["£92.40", "€92.40", "“Kestrel”", "didn’t", "10–15%", "café, 5°C"]
)
def test_letters_are_as_they_were_meant(meant: str) -> None:
    wrong = "".join(
        bytes([byte]).decode("cp1252") if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else chr(byte)
        for byte in meant.encode()
    )
    assert wrong != meant
    assert with_right_encoding(identity_map(wrong)).text == meant
    apart = unicodedata.normalize("NFD", wrong)
    assert with_right_encoding(identity_map(apart)).text == meant


def test_a_closing_mark_whose_last_letter_is_lost_is_one() -> None:
    assert (
        with_right_encoding(identity_map("(â€œKestrelâ€) is here.")).text == "(“Kestrel”) is here."
    )


@pytest.mark.parametrize("text", ["São Paulo, SÃO, Ângela", "château, Â £5", "5 €, à £5", "«â»"])
def test_other_letters_stay(text: str) -> None:
    assert with_right_encoding(identity_map(text)).text == text
