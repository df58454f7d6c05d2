"""How a line of a log, a list or a table of rows opens ("2024-03-04 10:15:12 ERROR", "PAY-101",
"1.1 ", "order: ", an emoji): lines that open alike divide a text though they look as if they had
been wrapped.
"""

from __future__ import annotations

import re
import unicodedata

from faithkit.language.calendar_words import SHORT_MONTH
from faithkit.language.lexicon import COMMANDS

SIGN = "sign"
"""The opening of a line that begins with an emoji, an arrow or a box: no wrapped line does."""

_TIME = r"\d{1,2}:\d\d(?::\d\d)?(?![\d:])"
_DAY = (
    r"(?:\d{4}-\d\d-\d\d|\d{4}/\d\d/\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    rf"|(?:{SHORT_MONTH}) +\d{{1,2}} +\d\d:\d\d)(?!\d)"
)
SECTION = r"(?:§ ?\d[\d.]*|\d{1,2}(?:\.\d{1,2})+\.?)[ \t]+(?=[\"'(]?[A-Z])"
"""The number of a section: "1.1 The ...", but not "1.1 million"."""

_OPENINGS = {
    "date": rf"[\[(]?{_DAY}",
    "time": rf"[\[(]?{_TIME}",
    "section": SECTION,
    "address": r"\d{1,3}(?:\.\d{1,3}){3}\b",
    "code": r"#?[A-Z]{2,10}-\d+\b",
    "hash": r"#\w",
    "account": r"@\w",
    "version": r"[vV]\d+(?:\.\d+)+",
    "level": r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b",
    "path": r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.$~-]+[/\\]",
    "setting": r"\w[\w.]*=\S",
    "label": r"[a-z_][\w.-]*:[ \t]+\S",
    "field": r'"[\w $.-]+": ',
    "command": rf"(?:\$ |(?:{'|'.join(sorted(COMMANDS))}) )\S",
    "number": r"\d{3,}\b(?![.,]\d)",
}
_OPENING = re.compile("|".join(f"(?P<{kind}>{form})" for kind, form in _OPENINGS.items()))
_SENTENCE_END = re.compile(r"[.!?][\"')]*\s")
_AMOUNT_IN_ROW = re.compile(
    r", (?=-?[\d.]+ (?:[a-z]+illion |thousand )?(?:[A-Z]{3}|[a-z]+)(?:,|$))"
)
"""The comma before an amount in a row whose unit is behind it (`currencies.py`)."""
_LETTER_BY_COMMA = re.compile(r"[^\W\d],\S|\S,[^\W\d]")


def opening_of(text: str) -> str:
    """The kind of a line's opening, which is the same for rows of one kind; "" of running text.
    That of a number has its digits, that of a row of values separated by commas how many."""
    if is_sign(text[:1]):
        return SIGN
    row = _SENTENCE_END.split(text, maxsplit=1)[0] if text.count(",") > 1 else ""
    row = _AMOUNT_IN_ROW.sub(",", row)
    if row.count(",") > 1 and ", " not in row and _LETTER_BY_COMMA.search(row):
        return f"row{row.count(',')}"
    opening = _OPENING.match(text)
    kind = (opening.lastgroup or "") if opening else ""
    return f"number{len(opening['number'])}" if opening and kind == "number" else kind


def is_sign(letter: str) -> bool:
    """Whether a character is an emoji, an arrow, a star or another picture."""
    return letter >= "\u2190" and (letter <= "\u21ff" or unicodedata.category(letter) == "So")
