"""Several fields on one line, as forms and reports have them: "Insured: No     Damaged: Yes" and
"Filed: 3 May / Granted: 9 July" are a line for each, so that no value is read with the next label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language.mapped import Mapped, Piece, replace_pieces

_LABEL = r"[A-Z][\w'’&()-]*(?: [\w'’&()-]+){0,4}:"
_BETWEEN = re.compile(
    rf"(?:(?<![.!?\s])(?:[ ]{{2,}}|[ ]*\t[ \t]*)|(?<=\S)(?P<sign> [/|] ))(?={_LABEL}[ \t]+\S)"
)
"""What is between a field's value and the next label."""
_FIRST = re.compile(rf"[ \t]*(?:[-*•] )?{_LABEL}[ \t]+\S")
_SIGN = re.compile(r" [/|] ")
_SENTENCE_END = re.compile(r"(?<=[a-z]{3}[.!?]) ")


def with_fields_apart(text: Mapped) -> Mapped:
    """The text with two line ends between the fields of a line that begins with one."""
    return replace_pieces(text, list(_line_ends(text.text)))


def _line_ends(text: str) -> Iterator[Piece]:
    start = 0
    for line in text.split("\n"):
        if line.count(":") > 1 and _FIRST.match(line):
            for match in _fields(line):
                yield Piece("\n\n", start + match.start(), start + match.end())
        start += len(line) + 1


def _fields(line: str) -> list[re.Match[str]]:
    """What is between the fields of a line; nothing where a bar or a stroke stands before no label
    as far as the first finished sentence: it may be within a value."""
    ends = list(_BETWEEN.finditer(line))
    finished = _SENTENCE_END.search(line)
    last = finished.start() if finished else len(line)
    signs = sum(match["sign"] is not None and match.start() < last for match in ends)
    return ends if len(_SIGN.findall(line, 0, last)) == signs else []
