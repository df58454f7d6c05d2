"""The signs of a life in words: "* 3 May 1881 Linz, † 9 June 1944 Graz" as "born on 3 May 1881 in
Linz, died on 9 June 1944 in Graz". What does not live here: "(1881-1944)" (`persons.py`).
"""

from __future__ import annotations

import re

from faithkit.language.calendar_words import MONTH_LIKE
from faithkit.language.mapped import Mapped, Piece, keep_group, substitute

_DAY = (
    rf"(?P<day>\d{{1,2}}\.? {MONTH_LIKE}\.? |{MONTH_LIKE}\.? \d{{1,2}},? |\d{{1,2}}\.\d{{1,2}}\.)?"
)
_DATE = rf"(?P<date>{_DAY}(?:1\d|20)\d\d)(?![\w*.]\d|[\w*])"
_PLACE = r"(?P<in> (?=[A-ZÀ-Þ][a-zà-ÿ]))?"
_DIED = re.compile(rf"(?<![\w.†✝✞])(?P<sign>[†✝✞]\ufe0e? ?){_DATE}{_PLACE}")
_BORN = re.compile(
    rf"(?:(?P<bracket>\()|(?<=[\w.),;] )|(?<=[,;]))(?<![\d=] )(?P<sign>\* ?){_DATE}{_PLACE}"
)


def with_life_signs(text: Mapped) -> Mapped:
    """The text with such signs in words. A star is one in brackets, before a day, or in a text with
    daggers: others are emphasis, or bullets at the beginning of a line."""
    has_daggers = _DIED.search(text.text) is not None
    text = substitute(text, _DIED, lambda match: _in_words(match, "died"))
    if "*" not in text.text:
        return text

    def born(match: re.Match[str]) -> tuple[Piece, ...]:
        sure = has_daggers or match["bracket"] or match["day"]
        return _in_words(match, "born") if sure else ()

    return substitute(text, _BORN, born)


def _in_words(match: re.Match[str], verb: str) -> tuple[Piece, ...]:
    sign = Piece(f"{verb} {'on' if match['day'] else 'in'} ", *match.span("sign"))
    before = Piece(match.string[match.start() : match.start("sign")], match.start(), sign.start)
    place = (Piece(" in ", *match.span("in")),) if match["in"] else ()
    return before, sign, keep_group(match, "date"), *place
