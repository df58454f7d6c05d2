"""Values that say yes or no with a letter, a digit or a dash, in full: "Pets allowed: N" is "Pets
allowed: No", "is_active: 0" is "is_active: No", and "-" in a column of "Yes" is "No".

Only a whole value of a field or cell is read, and only where its label asks for yes or no: "Wind:
N" is north. What does not live here: ticks and boxes (`checkboxes.py`), "false" (`flags.py`), where
cells are (`grids.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter

from faithkit.language.layout.grids import Cell, column, tables
from faithkit.language.lexicon import CHECK_MARKS, word_set
from faithkit.language.mapped import Mapped, Piece, replace_pieces

LONGEST, MOST_WORDS = 80, 8
"""Characters before a value that are read as its label, and words of one."""

_FLAGS = {"Y": "Yes", "N": "No"}
_TRUTHS = {"T": "Yes", "F": "No"}
_DIGITS = {"1": "Yes", "0": "No"}
_YES = frozenset(
    ["yes", "included", *(mark for mark, word in CHECK_MARKS.items() if "yes" in word)]
)
_NO_FLAGS = word_set("""
    abnormal aspect author axis bearing block blood category chapter chromosome class code column
    compass direction drive drug element facing form gate gen gender generation grade group heading
    hemisphere initial initials key lat latitude letter level lon longitude model name note option
    orientation parameter platform pole quality reflexes result results row section series sex side
    size statistic status surname symbol test type unit variable vitamin what when where which who
    why how wind zone
""")
"""Words of labels whose values are letters: "Wind: N", "Vitamin: K", "Grade: F"."""
_STATES = word_set("""
    accepted activated active admin approved archived blocked cancelled confirmed deleted disabled
    discontinued enabled expired hidden insured locked paid public published refundable required
    returnable signed subscribed taxable transferable verified
""")
"""What something is or is not, as keys with 0 or 1 say it."""
_HELPERS = word_set("is has was are can does did allow allows should")
"""First words of keys that ask for yes or no: "is_active", "hasChildren"."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_KEY = re.compile(r"[a-z][a-z\d]*(?:_[a-z\d]+)+|[a-z]+(?:[A-Z][a-z\d]+)+")
_VALUE = re.compile(
    r"(?P<choice>[ \t]?[(\[]?\b[Yy] ?/ ?[Nn]\b[)\]]?)?[ \t]?(?:(?P<asked>\?)[ \t]*|[:=][ \t]*)"
    r"(?P<quote>[\"']?)(?P<value>[YNTFyn01])(?P=quote)"
    r"(?=[ \t]*(?:[,;|}\]\n]|$|\.[ \t]*(?:\n|$)|[ \t]{2}|(?<= )[A-Z][a-z ]{1,40}:))"
)
_CUE = re.compile(r"[:=?][ \t]*[\"']?[YNTFyn01](?!\w)")
"""What a text has in which a letter or digit may say yes or no behind a label."""
_YES_OR_NO = re.compile(r"\by ?/ ?n\b", re.IGNORECASE)
_LABEL_START = re.compile(r"[\n{|;,.]|[ \t]{2,}|[ \t][YN][ \t]")


def expand_yes_no(text: Mapped, *, source: bool) -> Mapped:
    """The text with "Yes" and "No" where a letter, a digit or a dash stands for them. Columns are
    read in a source alone, since text that is appended to a summary may change what they say."""
    pieces = {piece.start: piece for piece in _of_fields(text.text)}
    if source:
        for piece in _of_tables(text.text):
            pieces.setdefault(piece.start, piece)
    return replace_pieces(text, sorted(pieces.values(), key=attrgetter("start")))


def _words(label: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(label)]


def _asks(label: str) -> bool:
    """Whether yes or no may be the value of a label."""
    words = _words(label)
    return 0 < len(words) <= MOST_WORDS and len(label) > 1 and _NO_FLAGS.isdisjoint(words)


def _is_state(label: str) -> bool:
    """Whether a label asks for nothing but yes or no: "Refundable", "is_active"."""
    words = _words(label)
    if not _asks(label):
        return False
    last = words[-1]
    return words[0] in _HELPERS or last in _STATES or last.endswith(("able", "ible", "ed"))


def _is_flag(label: str) -> bool:
    """Whether 0 and 1 are no and yes for a key: "is_active", "email_verified"; not how many, as of
    "seats_available" and "users_verified"."""
    words = _words(label)
    if not _KEY.fullmatch(label) or not _asks(label):
        return False
    return words[0] in _HELPERS or (words[-1] in _STATES and not words[-2].endswith("s"))


def _of_fields(text: str) -> Iterator[Piece]:
    """Letters and digits behind a label: "Smoker: N", "Injured? Y", '"refundable": "F"'."""
    for match in _VALUE.finditer(text) if _CUE.search(text) else ():
        before = text[max(0, match.start() - LONGEST) : match.start()]
        label = _LABEL_START.split(before)[-1].strip(" \t\"'-*`")
        if word := _full(match, label):
            if match["choice"]:
                yield Piece("", *match.span("choice"))
            yield Piece(word, *match.span("value"))


def _full(match: re.Match[str], label: str) -> str:
    """The word that a value stands for; nothing where it may be something else."""
    value = match["value"]
    if value in _DIGITS:
        return _DIGITS[value] if _is_flag(label) else ""
    if value in _TRUTHS:
        return _TRUTHS[value] if _is_state(label) else ""
    is_plain = value in _FLAGS or match["quote"] or match["choice"] or _KEY.fullmatch(label)
    return _FLAGS[value.upper()] if is_plain and _asks(label) else ""


# --- tables ---------------------------------------------------------------------------------------


def _of_tables(text: str) -> Iterator[Piece]:
    """Cells of the columns and rows in which all values say yes or no."""
    for table in tables(text):
        values = {cell.text for row in table for cell in row}
        for place, head in enumerate(table[0]):
            yield from _of_cells(head.text, column(table, place), values)
        if all(len(head.text) < 2 or _asks(head.text) for head in table[0][1:]):
            for row in table:
                yield from _of_cells(row[0].text, row[1:], values)


def _of_cells(label: str, cells: Sequence[Cell], known: set[str]) -> Iterator[Piece]:
    """The cells with one label, in full."""
    values = {cell.text for cell in cells if cell.text}
    words = _words_for(label, values, known) if values else {}
    for cell in cells:
        if cell.text in words:
            yield Piece(words[cell.text], cell.start, cell.end)


def _words_for(label: str, values: set[str], known: set[str]) -> dict[str, str]:
    """What stands for yes and no among the values of a column or row. A letter alone does where the
    table has (`known`) the other one too, or where the label asks for nothing else."""
    is_state = _is_state(label)
    if values <= {"Y", "N", "Yes", "No"} and _asks(label):
        return _FLAGS if is_state or {"Y", "N"} <= known or _YES_OR_NO.search(label) else {}
    if values <= {"T", "F"} and is_state:
        return _TRUTHS
    if values <= {"0", "1"} and _is_flag(label):
        return _DIGITS
    marks = {value.lower() for value in values} - {"-"}
    return {"-": "No"} if "-" in values and marks and marks <= _YES else {}
