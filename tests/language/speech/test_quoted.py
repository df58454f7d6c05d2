"""Messages that are quoted in a chat."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            "Anna: I broke it.\nBen: > I broke it.\nNo problem.",
            "Anna: I broke it.\nBen: No problem.",
        ),
        (
            "Anna: I broke it.\nBen: > Anna: I broke it.\nNo problem.",
            "Anna: I broke it.\nBen: No problem.",
        ),
        (
            "Anna: I broke it.\nI am sorry.\nBen: > I broke it.\n> I am sorry.\nNo problem.",
            "Anna: I broke it.\n\nI am sorry.\nBen: No problem.",
        ),
        (
            "[14:23] ben: > nova: I sold it. I need cash.\nwho bought it?",
            "nova: I sold it. I need cash.\n\n[14:23] ben: who bought it?",
        ),
        ("Ben: > I never said it.\nNo problem.", "Ben: > I never said it.\nNo problem."),
        ("Anna: Hi\nBen: > Hi\nAnna: Ok", "Anna: Hi\nBen: > Hi\nAnna: Ok"),
        ("Go to: > Settings\nThen stop.", "Go to: > Settings\n\nThen stop."),
        ("It is: > 5 and < 6.", "It is: > 5 and < 6."),
    ],
)
def test_a_quotation_is_not_said_by_who_quotes_it(text: str, plain: str) -> None:
    result = plain_source(text)
    assert result.text.split() == plain.split()
    assert len(result.text) == len(result.starts) == len(result.ends)
