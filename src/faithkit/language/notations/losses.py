"""Amounts below zero as accounts and statements write them: "negative $7.5m" is "minus $7.5m",
"£250.00-" is "minus £250.00", "£250.00 DR" is "minus £250.00 in debit". What does not live here:
signs before a number, and brackets (`signs.py`).
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule, keep_group
from faithkit.language.notations.amounts import MONEY_SIGN

_GROUPED = r"(?:\d{1,3}(?:,\d{3})++|\d++)"
_NUMBER = rf"{_GROUPED}(?:\.\d++)?+"
_UNIT = (
    r"(?: ?%| (?:percent|per cent|percentage points?|basis points?|degrees?|dollars|pounds|euros))"
)
_NEGATIVE = re.compile(
    r"(?P<before>(?:\b(?:is|are|was|were|be|been|at|to|of|from|by|and|between|an?)|:) )"
    rf"(?P<sign>negative)(?= (?:{MONEY_SIGN}{_NUMBER}"
    rf"|{_NUMBER}(?: (?:million|billion|trillion))?{_UNIT}(?! (?:of|more|less|fewer)\b)))",
    re.IGNORECASE,
)
_WITH_CENTS = rf"(?<![\w.,/$£€-])(?P<number>{MONEY_SIGN}?{_GROUPED}\.\d\d)"
_TRAILING = re.compile(rf"(?<!\bfrom ){_WITH_CENTS}(?P<sign>-)(?=\s*(?:$|[.,;|)]))")
_MARKED = re.compile(rf"{_WITH_CENTS}(?P<mark> ?(?P<name>CR|DR|OD|O/D))(?![\w/])")
_OF_ACCOUNTS = re.compile(r"\b(?:balance|account|statement|opening|closing)\b", re.IGNORECASE)
_MEANINGS = {"CR": "in credit", "DR": "in debit", "OD": "overdrawn", "O/D": "overdrawn"}


def _negative(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "was negative $7.5m" as "was minus $7.5m"; not "was negative 5% of the time"."""
    return keep_group(match, "before"), Piece("minus", *match.span("sign"))


def _trailing(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "£250.00-" as "minus £250.00"; not in "£250.00-£300.00"."""
    return Piece("minus ", *match.span("sign")), keep_group(match, "number")


def _marked(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "£250.00 DR" as "minus £250.00 in debit", "£250.00 CR" as "£250.00 in credit"."""
    if match["number"][0].isdigit() and not _OF_ACCOUNTS.search(match.string):
        return ()
    mark = match.span("mark")
    amount = keep_group(match, "number"), Piece(f" {_MEANINGS[match['name']]}", *mark)
    return amount if match["name"] == "CR" else (Piece("minus ", *mark), *amount)


LOSSES = (
    Rule(_NEGATIVE, _negative, re.compile(r"negative [^\s\w]?\w{0,2}[^\s\w]?\d")),
    Rule(_TRAILING, _trailing, re.compile(r"\.\d\d-")),
    Rule(_MARKED, _marked, re.compile(r"\.\d\d ?(?:cr|dr|od|o/d)\b")),
)
"""Rules for texts with digits; before those of `signs.py`."""
