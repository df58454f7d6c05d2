"""Where marks begin and end in the summary as it is written."""

import numpy as np
import pytest

from faithkit.metrics.marked_words import find_marks
from faithkit.models.protocols import SentenceVerdict


def sentence(
    summary: str, pieces: list[str], doubtful: list[str], content: list[str]
) -> SentenceVerdict:
    """Its words are the pieces, in their order in the summary."""
    places, start = [], 0
    for piece in pieces:
        start = summary.index(piece, start)
        places.append((start, start + len(piece)))
        start += len(piece)
    return SentenceVerdict(
        0, len(summary), True, (1.0, 0.0, 0.0), 0.5,
        np.array(places), np.array([0.9 if p in doubtful else 0.1 for p in pieces]), (),
        np.array([piece in content for piece in pieces]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("summary", "pieces", "doubtful", "shown"),
    [
        ("It costs €40.", ["It", "costs", "€", "40"], ["€"], ["€40"]),
        ("It costs £5m now.", ["It", "costs", "£", "5", "m", "now"], ["m"], ["£5m"]),
        ("It costs £5m now.", ["It", "costs", "£", "5", "m", "now"], ["£", "m"], ["£5m"]),
        ("Gusts of 55 mph.", ["Gusts", "of", "55", " mph"], [" mph"], ["mph"]),
        ("She is 17-year-old.", ["She", "is", "17", "year", "old"], ["old"], ["17-year-old"]),
        ("It is **60 knots**.", ["It", "is", "60", "knots"], ["60", "knots"], ["60 knots"]),
    ],
)  # fmt: skip
def test_a_mark_is_of_whole_words_and_amounts(
    summary: str, pieces: list[str], doubtful: list[str], shown: list[str]
) -> None:
    one = sentence(summary, pieces, doubtful, doubtful)
    assert [summary[mark.start : mark.end] for mark in find_marks(summary, one, 0.5)] == shown


@pytest.mark.parametrize(("text", "shown"), [("It left at 5:30 am.", ["am"]), ("I am.", [])])
def test_half_of_the_day_is_marked_after_a_time(text: str, shown: list[str]) -> None:
    one = sentence(text, text.rstrip(".").split(), ["am"], [])
    assert [text[mark.start : mark.end] for mark in find_marks(text, one, 0.5)] == shown


@pytest.mark.parametrize(
    ("text", "doubtful", "shown"),
    [
        ("On Tuesday and new.", ["Tuesday", "and", "new"], ["Tuesday", "new"]),
        ("Cards or cash.", ["Cards", "or", "cash"], ["Cards", "cash"]),
        ("It left and won.", ["and", "won"], ["won"]),
        ("It left before and after noon.", ["before", "and", "after"], ["before", "after"]),
    ],
)  # fmt: skip
def test_words_joined_by_a_conjunction_are_two_marks(
    text: str, doubtful: list[str], shown: list[str]
) -> None:
    content = [word for word in doubtful if word not in ("and", "or", "before", "after")]
    one = sentence(text, text.rstrip(".").split(), doubtful, content)
    assert [text[mark.start : mark.end] for mark in find_marks(text, one, 0.5)] == shown
