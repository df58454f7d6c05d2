"""Short forms of fixtures and match reports, letters' months and personal advertisements."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source
from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 May Corby (H), 10 May Leek (A)", "3 May Corby (home), 10 May Leek (away)"),
        ("Ashby v Leek (h), Sat 3pm", "Ashby v Leek (home), Sat 3pm"),
        ("Moss (4') headed in.", "Moss (4th minute) headed in."),
        ("Moss (12', 33') scored.", "Moss (12th minute, 33rd minute) scored."),
        ("Smith (Leeds) bt. Jones (York) 3 & 2", "Smith (Leeds) beat Jones (York) 3 & 2"),
        ("(5) T. Nkosi bt (4) B. Laurent 7-5", "(5) T. Nkosi beat (4) B. Laurent 7-5"),
        ("BT beat the forecast; 5 bt. of wool.", "BT beat the forecast; 5 bt. of wool."),
        ("Roe v Wade (a) was a case.", "Roe v Wade (a) was a case."),
        ("Group (A), Group (B), Group (H)", "Group (A), Group (B), Group (H)"),
        ("Ann Hill (6') is tall.", "Ann Hill (6') is tall."),
    ],
)
def test_fixtures_and_minutes(text: str, expected: str) -> None:
    assert plain_source(text).text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4th Sept. 1887. Yours of the 29th ult. came.", "29th August came."),
        ("January 4, 1887. Yours of the 29th ult. came.", "29th December came."),
        ("4 September 1887. We go on the 17th inst. again.", "17th September again."),
        ("4 September 1887. We go on the 5th prox. again.", "5th October again."),
        ("Yours of the 29th ult. came.", "29th ult. came."),  # nobody knows the month
    ],
)
def test_months_that_letters_count_from_their_own(text: str, expected: str) -> None:
    assert plain_source(text).text.endswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("M, 58, widowed, seeks F for walks.", "Man, 58, widowed, seeks woman for walks."),
        ("F (34) looking for M.", "Woman (34) looking for man."),
        ("F, the force, is looking for M.", "F, the force, is looking for M."),
        ("M seeks F.", "M seeks F."),
    ],
)
def test_men_and_women_in_advertisements(text: str, expected: str) -> None:
    assert read(text).text == expected
