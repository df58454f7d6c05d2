"""Dollars of the United States by name, where a text is about other dollars too: in one with "HK$5"
"US$5" is "5 American dollars". Elsewhere they are "5 dollars", as "$5" is (`amounts.py`).
"""

from __future__ import annotations

import re

from faithkit.language import lexicon
from faithkit.language.mapped import Mapped, Piece, keep_group, substitute

_OTHERS = [name.strip() for name in lexicon.DOLLARS.values() if name not in ("", "American ")]
_OTHER_SIGNS = [sign.upper() for sign, name in lexicon.DOLLARS.items() if name.strip() in _OTHERS]
_OTHER_DOLLARS = re.compile(
    rf"(?<!\w)(?:{'|'.join(_OTHER_SIGNS)})\$ ?\d|\b(?:AUD|CAD|NZD|HKD|SGD)\b"
    rf"|\b(?:{'|'.join(sorted(set(_OTHERS)))}) dollars?\b"
)
_BARE_SIGN = re.compile(r"(?<![A-Za-z.])\$ ?\d")
_NUMBER = r"\d{1,3}(?:,\d{3})++(?:\.\d++)?|\d++(?:\.\d++)?"
_AMERICAN = re.compile(
    r"(?<![\w.])(?P<sign>U\.?S\.?\$|USD) ?(?=\d)"
    rf"|(?<![\w.,$£€¥₹])(?P<number>(?:{_NUMBER})(?: ?(?:k|m|mn|bn|thousand|million|billion))?)"
    r"(?P<unit> ?(?:USD|(?:US|U\.S\.) dollars?))(?!\w)"
)


def name_dollars(text: Mapped, source: str) -> Mapped:
    """The text with American dollars by name, where the source has other dollars and none that it
    gives no country."""
    if not _OTHER_DOLLARS.search(source) or _BARE_SIGN.search(source):
        return text
    return substitute(text, _AMERICAN, _american)


def _american(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "US$5m" and "5m USD" as "USA$5m"."""
    if match["sign"]:
        return (Piece("USA$", *match.span()),)
    return Piece("USA$", *match.span("unit")), keep_group(match, "number")
