"""Letters, digits and dashes that say yes or no, in full."""

from __future__ import annotations

import pytest

from faithkit.language.layout.yes_no import expand_yes_no
from faithkit.language.mapped import identity_map


def full(text: str, *, source: bool = True) -> str:
    return expand_yes_no(identity_map(text), source=source).text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Pets allowed: N", "Pets allowed: No"),
        ("Smoker: N.", "Smoker: No."),
        ("Attorney involved? N", "Attorney involved? No"),
        ("Attorney involved (Y/N): N", "Attorney involved: No"),
        ("Insurance (Y/N)? Y", "Insurance? Yes"),
        ("Injured: Y  Hospitalised: N", "Injured: Yes  Hospitalised: No"),
        ("Injured: Y Hospitalised: N", "Injured: Yes Hospitalised: No"),
        ('{"refundable": "N", "wifi": "y"}', '{"refundable": "No", "wifi": "Yes"}'),
        ("pets_allowed: 'n'", "pets_allowed: 'No'"),
        ("Refundable: F", "Refundable: No"),
        ("email_verified: 0", "email_verified: No"),
        ('{"is_active": 1, "hasChildren": 0}', '{"is_active": Yes, "hasChildren": No}'),
    ],
)
def test_a_letter_in_a_field_is_yes_or_no(given: str, expected: str) -> None:
    assert full(given) == expected
    assert full(given, source=False) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("smoker,diabetic,age\nN,Y,40", "smoker,diabetic,age\nNo,Yes,40"),
        ("| Ticket | Refundable |\n| Basic | N |", "| Ticket | Refundable |\n| Basic | No |"),
        ("| A | Pets (Y/N) |\n| Anna | N |", "| A | Pets (Y/N) |\n| Anna | No |"),
        ("| Smoker | N |\n| Diabetic | Y |\n| Age | 4 |",
         "| Smoker | No |\n| Diabetic | Yes |\n| Age | 4 |"),
        ("|  | Leeds | York |\n| Parking | Y | N |\n| Seats | 3 | 4 |",
         "|  | Leeds | York |\n| Parking | Yes | No |\n| Seats | 3 | 4 |"),
        ("| Plan | Phone |\n| Team | - |\n| Pro | Yes |",
         "| Plan | Phone |\n| Team | No |\n| Pro | Yes |"),
        ("|  | Basic | Pro |\n| Phone | - | ✓ |", "|  | Basic | Pro |\n| Phone | No | ✓ |"),
        ("| User | is_admin |\n| Anna | 0 |", "| User | is_admin |\n| Anna | No |"),
    ],
)  # fmt: skip
def test_a_letter_or_a_dash_in_a_cell_is_yes_or_no(given: str, expected: str) -> None:
    assert full(given) == expected
    assert full(given, source=False) == given


@pytest.mark.parametrize(
    "text",
    [
        "Wind: N",
        "Sex: F",
        "Grade: F",
        "Blood type: N",
        "Middle initial: N",
        "Vitamin missing? N",
        "Who? N",
        "Anna: y",
        "Inspector: N. Achebe. Present: Anna",
        "Injured: 0",
        "Pets allowed: 0",
        "users_verified: 0",
        "seats_available: 0",
        "Location: 53.4 N. He left.",
        "He asked: N or Y?",
        "| Station | Wind |\n| Leeds | N |\n| York | N |",
        "| Node | Next |\n| A | N |",
        "| Name | Sex |\n| Anna | F |",
        "| Day | Sales |\n| Mon | - |\n| Tue | 3 |",
        "| Plan | Phone |\n| Team | - |\n| Pro | No |\n| Max | Yes |",
    ],
)
def test_another_letter_stays(text: str) -> None:
    assert full(text) == text
