"""An old and a new value in one form: "Rating: A → BBB" is "Rating: from A to BBB", "120 -> 90" is
"from 120 to 90", "£40 (was £55)" is "£40 (previously £55)". Arrows between names stay, for they
may be of a path or a reaction: "Settings → Wi-Fi", "fever → rest".
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule, keep_group

_ARROW = r"(?P<arrow> ?(?:→|[-=]>) ?)"
_NO_ARROW = r"(?! ?(?:→|[-=]>))"
_AMOUNT = r"[$£€¥₹]?\d[\d.,]*\d?%?"
_GRADE = r"(?:[A-D]|AAA?|BBB?|CCC?)(?:-(?:plus|minus|star))?"
_STATES = "grade|outlook|priority|rank|rating|severity|stage|stat(?:e|us)|tier"
_OF_AMOUNTS = re.compile(
    rf"(?<![\w.,$£€¥₹/:→>-])(?<![→>] )(?P<old>{_AMOUNT}(?: ?[a-zA-Z%]+)?){_ARROW}"
    rf"(?P<new>[+]?{_AMOUNT})(?![\w]*[:/-]\w)(?! ?\w* ?(?:→|[-=]>))"
)
_OF_STATES = re.compile(
    rf"(?P<label>\b(?i:{_STATES})\b:? )(?P<old>(?:\w[\w'’-]*)(?: \w[\w'’-]*){{0,2}}){_ARROW}"
    rf"(?P<new>(?:\w[\w'’-]*)(?: \w[\w'’-]*){{0,2}})(?=[.,;)]|$| \|){_NO_ARROW}"
)
_OF_GRADES = re.compile(
    rf"(?<![\w→>-])(?<![→>] )(?P<old>{_GRADE}){_ARROW}(?P<new>{_GRADE})(?![\w-]){_NO_ARROW}"
)
_FROM = re.compile(r"\bfrom $", re.IGNORECASE)
_WAS = re.compile(r"(?P<open> ?\()(?P<was>was )(?=[$£€¥₹]?\d[\d.,]*[^()]{0,30}\))")
_AMOUNT_BEFORE = re.compile(r"\d[\d.,]*(?: ?[A-Za-z%]+(?:/[a-z]+)?)?$")


def _with_to(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "120 → 90" as "from 120 to 90"."""
    start = match.start("old")
    label = (keep_group(match, "label"),) if "label" in match.re.groupindex else ()
    has_from = _FROM.search(match.string, max(0, start - 5), start)
    old = keep_group(match, "old")
    words = (old,) if has_from else (Piece("from ", *match.span("arrow")), old)
    return (*label, *words, Piece(" to ", *match.span("arrow")), keep_group(match, "new"))


def _of_grades(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "AA-minus → A" as "from AA-minus to A"; nothing of "A → B", which may be a reaction."""
    return () if len(match["old"]) == len(match["new"]) == 1 else _with_to(match)


def _was(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "£40 (was £55)" as "£40 (previously £55)"; nothing of "Mr Hale (was 50)"."""
    if not _AMOUNT_BEFORE.search(match.string, max(0, match.start() - 40), match.start()):
        return ()
    return keep_group(match, "open"), Piece("previously ", *match.span("was"))


CHANGES_CUE = re.compile(r"→|[-=]>|\(was [^a-z\s]?\d")
CHANGES = (
    Rule(_OF_STATES, _with_to, re.compile(_STATES)),
    Rule(_OF_AMOUNTS, _with_to, re.compile(r"\d[^\d→>]*(?:→|[-=]>)")),
    Rule(_OF_GRADES, _of_grades, re.compile("[a-z] ?(?:→|[-=]>) ?[a-z]")),
    Rule(_WAS, _was, re.compile(r"\(was")),
)
"""Rules for texts in which `CHANGES_CUE` is found; before those of signs and numbers, after those
of grades."""
