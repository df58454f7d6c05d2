"""What minutes of meetings write short."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source
from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Prop. Cllr Grant, sec. Cllr Jolley.", "Proposed by Cllr Grant, seconded by Cllr Jolley."),
        ("Grant, prop: A. Hill, sec: B. Ross.",
         "Grant, proposed by A. Hill, seconded by B. Ross."),
        ("Prop. Acme Ltd is the owner.", "Prop. Acme Ltd is the owner."),
        ("He ran 5 sec. Ann won.", "He ran 5 sec. Ann won."),
    ],
)  # fmt: skip
def test_motions(text: str, expected: str) -> None:
    assert plain_source(text).text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ayes 7, Noes 2, Abstain 1.", "The vote was 7 to 2 (Ayes 7, Noes 2), Abstain 1."),
        ("For: 4, against: 5. LOST.", "The vote was 4 to 5 (For: 4, against: 5). LOST."),
        ("Carried (Ayes 7, Noes 2).", "Carried (the vote was 7 to 2 (Ayes 7, Noes 2))."),
        ("It ran for 7, against 2 last year.", "It ran for 7, against 2 last year."),
        ("Interviews w/c 30 June.", "Interviews week beginning June 30."),
        ("In the week commencing 30 June.", "In the week beginning June 30."),
        ("Paid w/e 3 July.", "Paid week ending July 3."),
        ("Shut at the w/e for repairs.", "Shut at the w/e for repairs."),
        ("The week starting well.", "The week starting well."),
    ],
)
def test_votes_and_weeks(text: str, expected: str) -> None:
    assert read(text).text == expected
