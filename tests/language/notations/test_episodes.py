"""Episodes of a series as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The Flood (S02E05), s1 e3", "The Flood (season 2, episode 5), season 1, episode 3"),
        ("the fifth episode of season two", "season 2, episode 5"),
        ("the 5th episode of the second series", "season 2, episode 5"),
        ("episode 5 of series 2", "season 2, episode 5"),
        ("Series two, episode 5", "season 2, episode 5"),
        ("the first episode, S20E, the S3 bucket", "the first episode, S20E, the S3 bucket"),
    ],
)  # fmt: skip
def test_episodes_have_one_form(text: str, plain: str) -> None:
    assert read(text).text == plain
