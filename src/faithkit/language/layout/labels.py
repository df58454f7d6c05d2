"""The labels of lists: a short heading, a label or a parent item on a line of its own, which is
read with each item below it, as "Pros: light" where "Pros" is above "- light".

What lives here: which lines are labels, and of which items. What does not: what an item is
(`lines.py`). A heading over paragraphs is no label, and neither is one that only says what sort of
text follows ("Summary", "Key points").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple, Protocol

from faithkit.language.layout.entries import is_sign
from faithkit.language.layout.phrases import is_phrase
from faithkit.language.lexicon import OPEN_WORDS, PLAIN_HEADINGS
from faithkit.language.mapped import Piece
from faithkit.language.sentences import closed_sentences, ends_sentence

MOST_WORDS, MOST_WITH_COLON, LONGEST = 6, 10, 80
"""Words of a label without and with a colon, and its characters."""

LONGEST_VALUE = 6
"""Words of a line of text that is read with the label above it: "7" below "Deaths:"."""

DEEPEST = 2
"""Labels that are read before one item: that of its list and that of its parent."""

_WORD = re.compile(r"\w[\w'’-]*")
_FIRST_WORD = re.compile(r"\w+|[^\s\w]\S*")
_IN_ROW = re.compile(r":\s|\|")
_IN_TITLE = re.compile(r"\s-\s|[(\[]")
"""What is within a row or a title, and not within a label (of a title: without a colon)."""


class Line(Protocol):
    """What is read of a line here; see `lines.py`."""

    end: int
    begin: int
    inner: int
    kind: str


class _Level(NamedTuple):
    """A line above the items of a list.

    line    its index
    indent  how far to the right it begins; -1 where it is no item
    mark    the sort of an item's mark: "1", "a" or the sign itself
    label   its words where it is a label, else nothing
    has_colon  whether it ends with one
    """

    line: int
    indent: int
    mark: str
    label: str
    has_colon: bool = False


def labelled(
    text: str, lines: Sequence[Line], pieces: Sequence[Piece], reference: str
) -> list[Piece]:
    """The pieces with labels: a label goes on in the item directly below it, and before each later
    item there is a copy of it, which is mapped to the item's first word.

    pieces     what is before each line, and others after them
    reference  the source, which may have the label as well (`phrases.is_phrase`)
    """
    changed = list(pieces)
    copies: dict[int, Piece] = {}
    levels: list[_Level] = []
    above = -1
    for place, line in enumerate(lines):
        if not line.kind or _goes_on(lines, pieces, place):
            continue
        is_whole = not _goes_on(lines, pieces, place + 1)
        label = _label(text, lines, place, reference) if is_whole else ""
        if _is_item(text, line):
            levels = _over(levels, text, line)
            labels = [level.label for level in levels if level.label]
            if labels and levels[-1].label and levels[-1].line == above:
                _join(text, lines, changed, above, place)
            elif labels and line.inner < line.end:
                copies[place] = _copy(text, line, labels[-DEEPEST:])
            levels.append(_item_level(text, line, place, label))
        elif is_whole and levels and levels[-1].label and _is_value(text, lines, above, place):
            _join(text, lines, changed, above, place)
            levels = []
        else:
            levels = [_Level(place, -1, "", label)] if label else []
        above = place
    return [
        piece
        for place, before in enumerate(changed)
        for piece in (before, *([copies[place]] if place in copies else []))
    ]


def _goes_on(lines: Sequence[Line], pieces: Sequence[Piece], place: int) -> bool:
    """Whether the line before goes on in the one at a place."""
    inside = 0 < place < len(lines)
    return inside and lines[place].kind != "" and "\n" not in pieces[place].text


def _is_item(text: str, line: Line) -> bool:
    """Whether a line is an item, or of text that begins with a picture, as items do."""
    return line.kind == "item" or (line.kind == "text" and is_sign(text[line.inner]))


def _label(text: str, lines: Sequence[Line], place: int, reference: str) -> str:
    """The words of a line that is a label; nothing of another line."""
    line = lines[place]
    written = text[line.inner : line.end]
    has_colon = written.endswith(":")
    label = written.rstrip(": -").lstrip("☐☑☒")
    while label and is_sign(label[0]):
        label = label[1:].lstrip()
    found = _WORD.findall(label)
    if not 0 < len(found) <= (MOST_WITH_COLON if has_colon else MOST_WORDS):
        return ""
    is_cut = label[-1] in ",;" or found[-1].lower() in OPEN_WORDS
    if len(label) > LONGEST or _IN_ROW.search(label):
        return ""
    if not has_colon and (is_cut or _IN_TITLE.search(label)):
        return ""
    if not has_colon and (line.kind == "turn" or _is_in_rows(text, lines, place)):
        return ""
    if line.kind in ("row", "code") or not _is_open(label):
        return ""
    return "" if found[-1].lower() in PLAIN_HEADINGS or is_phrase(label, reference) else label


def _is_open(text: str) -> bool:
    """Whether no sentence ends in a text or with it."""
    return not ends_sentence(text) and len(closed_sentences(text)) == 1


def _is_in_rows(text: str, lines: Sequence[Line], place: int) -> bool:
    """Whether a line of text is directly below another that ends no sentence, as one of several
    rows is."""
    before = lines[place - 1] if place else None
    if before is None or {before.kind, lines[place].kind} != {"text"}:
        return False
    return not ends_sentence(text[before.inner : before.end])


def _is_value(text: str, lines: Sequence[Line], above: int, place: int) -> bool:
    """Whether a line is the value of the label directly above it, which has a colon: a few words
    that no other line of text follows."""
    line = lines[place]
    if above != place - 1 or line.kind != "text" or text[lines[above].end - 1] != ":":
        return False
    written = text[line.inner : line.end]
    if written.endswith(":") or not _is_open(written) or len(written.split()) > LONGEST_VALUE:
        return False
    following = lines[place + 1 : place + 2]
    return not following or following[0].kind != "text" or text[following[0].end - 1] == ":"


def _join(text: str, lines: Sequence[Line], changed: list[Piece], above: int, place: int) -> None:
    """Lets the label at the line `above` go on in the line at a place."""
    for between in range(above + 1, place):
        changed[between] = changed[between]._replace(text="")
    has_colon = text[lines[above].end - 1] == ":"
    changed[place] = changed[place]._replace(text=" " if has_colon else ": ")


def _copy(text: str, line: Line, labels: Sequence[str]) -> Piece:
    """The labels and the first word of an item, in place of that word."""
    first = _FIRST_WORD.match(text, line.inner, line.end)
    word = first.group() if first else ""
    before = "".join(f"{label}: " for label in labels)
    return Piece(before + word, line.inner, line.inner + len(word))


def _item_level(text: str, line: Line, place: int, label: str) -> _Level:
    written = text[line.begin : line.inner]
    mark = written.strip() or text[line.inner]
    sort = "1" if any(map(str.isdigit, mark)) else "a" if any(map(str.isalpha, mark)) else mark[0]
    has_colon = text[line.end - 1] == ":"
    return _Level(place, len(written) - len(written.lstrip()), sort, label, has_colon)


def _over(levels: Sequence[_Level], text: str, line: Line) -> list[_Level]:
    """The levels that an item is below."""
    item = _item_level(text, line, 0, "")
    return list(takewhile(lambda level: _is_over(level, item), levels))


def _is_over(level: _Level, item: _Level) -> bool:
    """Whether an item is below a line: further to the right, or at the same place with another mark
    below a label, as "- light" is below "1. Pros" and "◦ light" below "• Pros:"."""
    if level.indent != item.indent:
        return level.indent < item.indent
    if not level.label or level.mark == item.mark:
        return False
    return level.has_colon or level.mark == "1" or is_sign(level.mark) > is_sign(item.mark)
