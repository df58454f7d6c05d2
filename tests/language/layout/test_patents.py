"""The claims of a patent in the plain form."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            "1. A pump with a rotor.\n2. The pump of claim 1, wherein the rotor is new.",
            ["Claim 1: A pump with a rotor.", "Claim 2: The pump of 1, wherein the rotor is new."],
        ),
        (
            "1. A lamp with a foot. 2. The lamp of claim 1, further comprising a bulb.",
            ["Claim 1: A lamp with a foot.", "Claim 2: The lamp of 1, further comprising a bulb."],
        ),
        (
            "1. Read claim 3.\n2. The payment of claim 1, which was late, was made.",
            ["Read claim 3.", "The payment of claim 1, which was late, was made."],
        ),
        (
            "1. The pump of claim 4, wherein it is new.\n2. A lamp.",
            ["The pump of claim 4, wherein it is new.", "A lamp."],
        ),
    ],
)
def test_a_numbered_claim_says_its_number(text: str, plain: list[str]) -> None:
    assert [line for line in plain_source(text).text.split("\n") if line] == plain
