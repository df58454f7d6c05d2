"""Signs of births and deaths in words."""

from __future__ import annotations

import pytest

from faithkit.language.layout.life_signs import with_life_signs
from faithkit.language.mapped import identity_map
from faithkit.language.normalise import plain_source


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Anna Kern, * 3 May 1881 Linz, † 9 June 1944 Graz",
         "Anna Kern, born on 3 May 1881 in Linz, died on 9 June 1944 in Graz"),
        ("Karl Roth (* 4 June 1902 in Bonn; † 1978)",
         "Karl Roth (born on 4 June 1902 in Bonn; died in 1978)"),
        ("✝ 2 May 2001, * 9 Jan. 1920", "died on 2 May 2001, born on 9 Jan. 1920"),
        ("Ann Lee (*1931)", "Ann Lee (born in 1931)"),
    ],
)  # fmt: skip
def test_signs_of_a_life_are_words(text: str, plain: str) -> None:
    assert plain_source(text).text == plain


@pytest.mark.parametrize(
    "text",
    [
        "see *1984* here", "the *1984 edition* here", "3 * 1900, x = * 1900", "cases† 2010",
        "* 3 May 1881: founded\n* 4 May 1882: closed", "Note * 1984 was bad",
    ],
)  # fmt: skip
def test_other_stars_and_daggers_stay(text: str) -> None:
    assert with_life_signs(identity_map(text)).text == text
