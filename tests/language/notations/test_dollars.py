"""American dollars by name beside other dollars."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_source, plain_summary
from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("source", "summary", "expected"),
    [
        ("It cost HK$40m.", "It cost US$40m.", "It cost 40 million American dollars."),
        ("It cost NZ$5.", "5,000 US dollars, U.S.$6", "5000 American dollars, 6 American dollars"),
        ("It cost 5 AUD.", "It cost 5m USD.", "It cost 5 million American dollars."),
        ("It cost US$40m (A$61m).", "It cost USD 40m.", "It cost 40 million American dollars."),
        # one kind of dollars alone, or dollars of no country
        ("It cost $40m (A$61m).", "It cost US$40m.", "It cost 40 million dollars."),
        ("It cost US$40m.", "It cost US$40m.", "It cost 40 million dollars."),
        ("It cost HK$40m.", "It cost $40m.", "It cost 40 million dollars."),
    ],
)
def test_american_dollars_beside_others(source: str, summary: str, expected: str) -> None:
    assert read(plain_summary(summary, source).text).text == expected


def test_american_dollars_of_a_source() -> None:
    text = read(plain_source("It cost US$40m (A$61m).").text).text
    assert text == "It cost 40 million American dollars (61 million Australian dollars)."
