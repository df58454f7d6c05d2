"""Several fields on one line."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source, plain_summary

FIELDS = [
    ("Refund approved: Yes     Escalated: No\tPaid: Yes",
     "Refund approved: Yes\n\nEscalated: No\n\nPaid: Yes"),
    ("Filed: 3 May 2021 / Granted: 9 May 2022", "Filed: 3 May 2021\n\nGranted: 9 May 2022"),
    ("Start: 1 May | Published online: 9 July", "Start: 1 May\n\nPublished online: 9 July"),
    ("Insured: N   Damaged: Y", "Insured: No\n\nDamaged: Yes"),
    # no fields: a space after a sentence, a stroke or bar in a value, a clause
    ("Note: he left.  Also: it rained.", "Note: he left. Also: it rained."),
    ("Size: 1.7L | Blue | Colour: Sage", "Size: 1.7L | Blue | Colour: Sage"),
    ("Start: May | End: July. She came in May | June.",
     "Start: May\n\nEnd: July. She came in May | June."),
    ("He came  Late: it rained", "He came Late: it rained"),
    ("Ratio: A / B", "Ratio: A / B"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FIELDS)
def test_fields_of_one_line_are_lines(text: str, expected: str) -> None:
    assert plain_source(text).text == expected
    assert plain_summary(text, "Another text.").text == expected
