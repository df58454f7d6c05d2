"""Parts of one unit as decimals, and shares in the words of the source."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_summary
from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a year and a half, a year-and-a-half", "1.5 years, 1.5 years"),
        ("an hour and a half, two hours and a quarter", "1.5 hours, 2.25 hours"),
        ("half an hour, 1/2 hr, 0.5 hours", "0.5 hours, 0.5 hours, 0.5 hours"),
        ("three quarters of an hour and a quarter of an hour", "0.75 hours and 0.25 hours"),
        ("half a mile, a quarter of a mile", "0.5 miles, 0.25 miles"),
        ("half a percentage point, two tenths of a percentage point",
         "0.5 percentage points, 0.2 percentage points"),
        ("50 basis points, by 25bps", "0.5 percentage points, by 0.25 percentage points"),
        ("a quarter-point rate cut", "a 0.25 percentage points rate cut"),
        ("a day and a half-day, an hour and a half hour",
         "a day and a half-day, an hour and a half hour"),
        ("half an eye, half a point, half an hour's walk",
         "half an eye, half a point, half an hour's walk"),
        ("half a teaspoon, the first quarter of a year",
         "half a teaspoon, the first quarter of a year"),
    ],
)  # fmt: skip
def test_parts_of_one_unit_are_decimals(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("source", "summary", "plain"),
    [
        ("50% of voters agreed.", "Half of the voters agreed.", "50% of the voters agreed."),
        ("50% of voters agreed.", "Half the voters agreed.", "50% of the voters agreed."),
        ("Fifty percent agreed.", "In all half of voters agreed.",
         "In all fifty percent of voters agreed."),
        ("Half the voters agreed.", "We hear 50% of voters did.", "We hear half of voters did."),
        ("One in five adults smokes.", "20% of adults smoke.", "One in five adults smoke."),
        ("One in five adults smokes.", "20% of the adults smoke.",
         "One in five of the adults smoke."),
        ("20% of adults smoke.", "One in five adults smokes, a fifth of men.",
         "20% of adults smokes, 20% of men."),
        ("90% were well.", "Nine out of ten were well.", "90% were well."),
        ("33.3% of them left.", "A third of them left.", "33.3% of them left."),
        ("Three quarters of schools shut.", "75% of schools shut.",
         "Three quarters of schools shut."),
        ("Score: 8/10", "The score was 80%.", "The score was 8/10."),
        ("It scored 80% with critics.", "It scored 8/10.", "It scored 80%."),
        ("It was given a mark of 4/5.", "It got 80 per cent.", "It got 4/5."),
        # other shares, and what is no share
        ("It was rated 8/10; 80% liked it.", "It got 80%.", "It got 80%."),
        ("On 8/10 the score fell.", "It fell by 80%.", "It fell by 80%."),
        ("She scored on 3/5.", "She did so in 60% of games.", "She did so in 60% of games."),
        ("Score: 8/10", "The score was 60%.", "The score was 60%."),
        ("40% of voters agreed.", "Half of voters agreed.", "Half of voters agreed."),
        ("34% of them left.", "A third of them left.", "A third of them left."),
        ("50% of boys and half of girls left.", "Half of boys left.", "Half of boys left."),
        ("Half of it sank.", "Profit fell 50%.", "Profit fell 50%."),
        ("Sales rose 25% in May.", "In the third quarter of the year, a quarter of a mile.",
         "In the third quarter of the year, a quarter of a mile."),
        ("50% of it, 20% of it.", "The first half of it, two in ten minutes.",
         "The first half of it, two in ten minutes."),
    ],
)  # fmt: skip
def test_a_share_is_in_the_words_of_the_source(source: str, summary: str, plain: str) -> None:
    assert plain_summary(summary, source).text == plain
