"""Short forms of credits."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dir. Lena Voss. Ed. Max Orr. DoP Ines Gil. Mus. Tom Fay.",
         "Director: Lena Voss. Editor: Max Orr. Cinematographer: Ines Gil. Music: Tom Fay."),
        ("Joss Moon - gtr, backing vox; Pete Lunn - bs; Al Tait - dr",
         "Joss Moon - guitar, backing vocals; Pete Lunn - bass; Al Tait - drums"),
        ("Ed. Max Orr ran. Ed Hill won.", "Ed. Max Orr ran. Ed Hill won."),
        ("He lost his keys; the dr. came.", "He lost his keys; the dr. came."),
    ],
)  # fmt: skip
def test_credits(text: str, expected: str) -> None:
    assert plain_source(text).text == expected
