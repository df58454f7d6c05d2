"""Short forms of advertisements for posts; personal ones are in `test_matches.py`."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The post is perm, FT.", "The post is permanent, full-time."),
        ("The clerk is PT.", "The clerk is part-time."),
        ("PT post, temp to perm.", "part-time post, temporary to permanent."),
        ("FT or PT", "full-time or part-time"),
        ("Salary: £34k neg.", "Salary: 34000 pounds negotiable."),
        ("£34k neg. DOE.", "34000 pounds negotiable depending on experience."),
        ("Pension: 6% ee / 9% er.", "Pension: 6 percent employee / 9 percent employer."),
    ],
)
def test_posts(text: str, expected: str) -> None:
    assert read(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "She reads the FT.",
        "FT: Leeds 3 Hull 1",
        "She had a perm.",
        "HIV neg.",
        "The temp left.",
        "PT at noon.",
    ],
)
def test_other_uses_stay(text: str) -> None:
    assert read(text).text == text
