"""Posts of a forum."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source

MIA = "mia_92\nJoined: Mar 2019 · Posts: 12\nMy cat won't eat."
VET = "vetnurse (Moderator)\nPosts: 8,204\nTry warming the food."
ASKED = "cold_in_crewe\nToday, 09:02\n> PlumbBob wrote:\n> Is the pipe dripping?\nBone dry."
ODD = "PlumbBob\nToday, 09:10\nOdd."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{MIA}\n\n{VET}", ["mia_92: My cat won't eat.", "vetnurse: Try warming the food."]),
        (f"{ASKED}\n\n{ODD}", ["cold_in_crewe: Bone dry.", "PlumbBob: Odd."]),
    ],
)
def test_a_post_begins_with_its_writer(text: str, expected: list[str]) -> None:
    lines = plain_source(text).text.split("\n")
    assert [line for line in lines if line in expected] == expected


@pytest.mark.parametrize(
    "text",
    [
        MIA,  # one post
        f"{MIA}\n\n{MIA}",  # of one writer
        "Results\nFinal table\nLeeds won.\n\nNews\nFrom the club\nHull lost.",
    ],
)
def test_other_lines_stay(text: str) -> None:
    assert ": My cat" not in plain_source(text).text
    assert "Results:" not in plain_source(text).text
