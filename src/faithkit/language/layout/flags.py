"""What is false in JSON: '"garage_parking": false' as 'no "garage parking" (false)', which says of
a thing, too, that it is not there.
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule

_FALSE = re.compile(r'"(?P<key>[A-Za-z][\w -]{0,60})"\s?:\s?false(?=\s?(?:[,}\]]|$))')


def _false(match: re.Match[str]) -> tuple[Piece, ...]:
    start, end = match.span("key")
    return (
        Piece('no "', match.start(), start),
        Piece(match["key"].replace("_", " "), start, end),
        Piece('" (false)', end, match.end()),
    )


FLAGS_CUE = re.compile(r'"\s?:\s?false')
FLAGS = (Rule(_FALSE, _false),)
"""Rules for texts in which `FLAGS_CUE` is found."""
