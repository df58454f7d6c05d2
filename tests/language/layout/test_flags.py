"""Settings of JSON that are false, as `reading.read` writes them."""

from __future__ import annotations

import pytest

from faithkit.language.reading import read


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('{"garage": false, "valet_parking":false}',
         '{no "garage" (false), no "valet parking" (false)}'),
        ('"garage": false', 'no "garage" (false)'),
    ],
)  # fmt: skip
def test_what_is_false_is_not_there(text: str, plain: str) -> None:
    assert read(text).text == plain


@pytest.mark.parametrize(
    "text", ['"street": true', 'He said of "garage": false hopes.', '"answer": "false"']
)
def test_other_values_stay(text: str) -> None:
    assert read(text).text == text
