"""A mean and its deviation as `reading.read` and the plain form write them."""

from __future__ import annotations

import pytest

from faithkit.language.normalise import plain_summary
from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("3.1 (SD 1.2) and 3.1 ± 1.2", "3.1 plus or minus 1.2 (SD) and 3.1 plus or minus 1.2"),
        ("54 years (SD = 12), 12% (s.d. 3)",
         "54 years plus or minus 12 years (SD), 12 percent plus or minus 3 percent (SD)"),
        ("5 (SE 1), 5 (standard deviation, 1)", "5 plus or minus 1 (SE), 5 plus or minus 1 (SD)"),
        ("5 points (SD 3 points)", "5 points plus or minus 3 points (SD)"),
        ("54 ± 12 years, 54 years +/- 12", "54 years plus or minus 12 years, "
         "54 years plus or minus 12 years"),
        ("5 ± 2 in men, 5 ± 2 of 10", "5 plus or minus 2 in men, 5 plus or minus 2 of 10"),
        ("the mean (SD 3), 5 (SD card), 3.1 (SD)", "the mean (SD 3), 5 (SD card), 3.1 (SD)"),
        ("5 days ± 30 s", "5 days plus or minus 30 s"),
    ],
)  # fmt: skip
def test_a_deviation_has_a_sign_and_the_unit_of_its_mean(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    ("summary", "source", "plain"),
    [
        ("Age was 54 years (SD 9.8).", "Age was 54 ± 9.8 years.", "Age was 54 years ± 9.8 years."),
        ("Age was 54 (SD = 9.8).", "Age was 54 +/- 9.8.", "Age was 54 ± 9.8."),
        ("Age was 54 (SD 8.9).", "Age was 54 ± 9.8.", "Age was 54 (SD 8.9)."),
        ("Age was 54 (SE 9.8).", "Age was 54 ± 9.8.", "Age was 54 (SE 9.8)."),
        ("Age was 54 (SD 9.8).", "Age (mean ± SEM) was 54 ± 9.8.", "Age was 54 (SD 9.8)."),
        ("Age was 54 (SD 9.8).", "Age was 54 (SD 9.8).", "Age was 54 (SD 9.8)."),
    ],
)
def test_a_deviation_is_named_only_where_the_source_may_mean_another(
    summary: str, source: str, plain: str
) -> None:
    assert plain_summary(summary, source).text == plain
