"""Financial ratios in one form: an interest cover of "2.00 to 1.00", "2:1" and "2x" is "2 to
1". What does not live here: odds, scores and scales ("3 to 1").
"""

from __future__ import annotations

import re
from decimal import Decimal

from faithkit.language.mapped import Piece, Rule, keep_group
from faithkit.language.notations.numerals import plain_number

_RATIO = re.compile(
    r"(?<![\w.,:/$£€-])(?<!\bfrom )(?P<number>\d{1,3}(?:\.\d{1,3})?)"
    r"(?P<one>(?: to |: ?)1(?:\.0{1,3})?| ?x(?=[.,;)]|$| (?:and|or|at|in|on|for)\b))"
    r"(?![\w:]|[.,]\d| to \d)",
    re.IGNORECASE,
)
_OF_FINANCE = re.compile(
    r"\bratios?\b|\bleverage\b|\bgearing\b|\b(?:interest|dividend|debt|service|charge|asset)"
    r" cover(?:age)?\b",
    re.IGNORECASE,
)


def _ratio(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "2.00 to 1.00" and "2x" as "2 to 1" in a sentence about such a ratio."""
    if not _OF_FINANCE.search(match.string):
        return ()
    number = plain_number(Decimal(match["number"]))
    first = keep_group(match, "number") if number == match["number"] else None
    return (
        first or Piece(number, *match.span("number")),
        Piece(" to 1", *match.span("one")),
    )


RATIOS = (Rule(_RATIO, _ratio, re.compile("ratio|leverage|gearing|cover")),)
"""Rules for texts with digits; before those of times."""
