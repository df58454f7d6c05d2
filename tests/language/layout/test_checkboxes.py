"""Ticks, crosses and boxes as `reading.read` writes them in words."""

from __future__ import annotations

import pytest

from faithkit.language.layout.checkboxes import inline_ticked_options
from faithkit.language.mapped import identity_map
from faithkit.language.normalise import plain_source
from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("SSO ✓, SAML: ✗", "SSO (yes), SAML: (no)"),
        ("A credit [✔] and a refund ❌.", "A credit (yes) and a refund (no)."),
        ("Flood | ✅ | ✗", "Flood | (yes) | (no)"),
        ("✗ Flood", "(no) Flood"),
        ("❌ Switching payment providers", "(no) Switching payment providers"),
        ("🚫 Smoking", "(no) Smoking"),
        ("What is included: ❌ Parking", "What is included: (no) Parking"),
        ("✓ breakfast ✓ wifi ✗ parking", "(yes) breakfast (yes) wifi (no) parking"),
    ],
)
def test_a_tick_or_a_cross_says_whether_it_is_so(given: str, expected: str) -> None:
    assert read(given).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "✓ Storm",
        "✓ Free shipping ✓ Returns",
        "✅ The filter is safe.",
        "❌ The filter is safe.",
        "❌ Profit fell to 37 million dollars.",
        "❌ Profits fell",
        "❌ Rollback test failed",
        "❌ Weak margins",
        "🚫 No smoking",
        "Cons: ❌ Battery life",
        "Not covered: ✗ Flood",
        "❌ Coffee stunts the growth of children",
    ],
)
def test_a_cross_that_may_only_say_that_it_is_bad_stays(text: str) -> None:
    assert read(text).text == text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("☐ Deploy it to staging", "(no) Deploy it to staging"),
        ("☑ Deploy it to staging", "(yes) Deploy it to staging"),
        ("☑ Profit fell to the limit.", "Profit fell to the limit."),
        ("☐ The plant was closed", "The plant was closed"),
        ("☐ The board closed the plant.", "The board closed the plant."),
        ("Lena: ☐ Automate the renewal by May", "Lena: Automate the renewal by May"),
        ("Covered: ☐ Theft", "Covered: ☐ Theft"),
    ],
)
def test_a_box_is_left_out_before_a_statement(given: str, expected: str) -> None:
    assert read(given).text == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Smoker ☐ Yes ☒ No", "Smoker: No"),
        ("Smoker: ☑ yes / ☐ no", "Smoker: yes"),
        ("Pets: Yes ☒ No ☐", "Pets: Yes"),
        ("Pets: No ☐, Yes ☒", "Pets: Yes"),
        ("☐ Yes ☑ No", "☐ Yes ☑ No"),
        ("Pets: ☐ Yes ☐ No", "Pets: ☐ Yes ☐ No"),
        ("Pets: ☑ Yes ☒ No", "Pets: ☑ Yes ☒ No"),
    ],
)
def test_of_yes_and_no_in_a_form_the_ticked_is_read(given: str, expected: str) -> None:
    assert read(given).text == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Payment: ☐ cash ☒ card ☐ invoice", "Payment: card"),
        ("Payment: cash ☐, card ☑.", "Payment: card"),
        ("Colour: ☐ red ☑ blue", "Colour: blue"),
        ("Toppings: ☑ ham ☑ egg ☐ basil", "Toppings: ham, egg"),
        ("Payment: ( ) cash (•) card ( ) invoice", "Payment: card"),
        ("Size: ○ S ● M ○ L", "Size: M"),
        ("Smoker: ( ) yes (x) no", "Smoker: no"),
        ("Smoker ○ Yes ● No", "Smoker: No"),
        ("Smoker: □ yes ■ no", "Smoker: no"),
    ],
)
def test_of_the_options_in_a_form_the_ticked_is_read(given: str, expected: str) -> None:
    assert read(given).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "Spice: ●●○",
        "Call f() and g(x) now.",
        "Legend: ■ sold □ free",
        "Choose: (a) red ( ) blue (x) green",
        "Seats: ( ) at the front of the old theatre hall (x) near the doors",
    ],
)
def test_other_boxes_and_circles_stay(text: str) -> None:
    assert read(text).text == text


def test_of_a_list_of_tasks_each_is_read() -> None:
    assert read("Tasks: ☑ Deploy ☐ Test").text == "Tasks: (yes) Deploy (no) Test"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            "Payment:\n[ ] cash\n[x] card\n[ ] invoice\n\nOther: 5",
            "Payment: ☐ cash ☑ card ☐ invoice",
        ),
        ("Payment:\n( ) cash\n(x) card\nPaid.", "Payment: ( ) cash (x) card"),
    ],
)
def test_options_in_lines_of_their_own_are_one_line(given: str, expected: str) -> None:
    assert plain_source(given).text.split("\n")[0] == expected


@pytest.mark.parametrize(
    "text",
    ["Tasks:\n☑ Deploy\n☐ Test", "Days:\n☑ Mon\n☑ Tue\n☐ Wed", "Plans:\n● Basic\n○ cheap\n○ slow"],
)
def test_other_lists_keep_their_lines(text: str) -> None:
    assert inline_ticked_options(identity_map(text)).text == text
