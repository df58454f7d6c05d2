"""Times of show notes in words."""

from __future__ import annotations

import pytest

from faithkit.language.layout.timestamps import with_durations
from faithkit.language.mapped import identity_map
from faithkit.language.normalise import plain_summary

NOTES = "[05:10] Weather\n[17:45] Farming news\n[29:00] Close"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (NOTES, "5 minutes and 10 seconds: Weather\n17 minutes and 45 seconds: Farming news\n"
                "29 minutes: Close"),
        ("21:05 Ads\n41:12 Quiz\n01:02:15 Bees", "21 minutes and 5 seconds: Ads\n"
         "41 minutes and 12 seconds: Quiz\n62 minutes and 15 seconds: Bees"),
        ("Podcast\n\n0:00 Intro\n1:01 Talk",
         "Podcast\n\n0 minutes: Intro\n1 minute and 1 second: Talk"),
    ],
)  # fmt: skip
def test_times_into_a_recording_are_durations(text: str, plain: str) -> None:
    assert with_durations(identity_map(text)).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "10:00 Coffee\n11:00 Talk\n23:00 Bed", "00:00 News\n02:00 Film", "29:00 Close",
        "[00:05] Anna: hi\n[30:10] Ben: ho", "29:00 A\n28:00 B", "3:1 won\n30:2 lost",
    ],
)  # fmt: skip
def test_other_times_stay(text: str) -> None:
    assert with_durations(identity_map(text)).text == text


def test_a_summary_of_show_notes_has_durations_too() -> None:
    summary = "Farming news is at 17:45, not at 5:45pm or 18:00."
    plain = "Farming news is at 17 minutes and 45 seconds, not at 5:45pm or 18:00."
    assert plain_summary(summary, NOTES).text == plain
    assert plain_summary(summary, "10:00 Tea\n17:45 Farming").text == summary
