"""What is within a line: inline Markdown, boxes, marks of lists and citations, missing blanks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language.layout.citations import without_citations
from faithkit.language.lexicon import STOP_WORDS
from faithkit.language.mapped import Mapped, Piece, replace_match, replace_pieces, substitute
from faithkit.language.notations.grades import with_stars

# Each mark is judged by its neighbours alone, never by a partner further on: what is appended to a
# text must not change how the text before it is read. A link holds no end of a sentence, for the
# same reason.
_LINK = re.compile(
    r"!?\[(?P<text>(?:(?![.!?][\"'”’)]*\s)[^\[\]\n])*)\]\((?:https?:|www\.|mailto:|[/#.])[^()\s]*\)"
)
_EMPHASIS = re.compile(
    r"(?<![\w*\\])\*{1,3}(?=[^\s*])|(?<=[^\s*\\])\*{1,3}(?![\w*])"
    r"|(?<![\w\\])_{1,3}(?=[^\W_])|(?<=[^\W_])_{1,3}(?!\w)|(?<=[.!?,;:\"')])_{1,3}(?!\w)"
    r"|~~(?=\S)|(?<=\S)~~|(?<!`)`{1,2}(?!`)"
)

_LEADER = re.compile(
    r"(?<=[^\s.?!:]):?(?:[ \t]*+\.{4,}+[ \t]*(?=[$£€¥₹+-]?\d)|(?<!:)[ \t]++\.{5,}+[ \t]+(?=\w)"
    r"|[ \t]++(?:\.[ \t]++){3,}+(?=[$£€¥₹+-]?\w))"
)
"""The points between a name and its value, "Soup ........ 7": of a pause in prose there are fewer,
or no blanks around them."""

_BOX = re.compile(r"\[(?P<tick>[ xX✓✔])\](?=[ \t]+\S)")
_BEFORE_BOX = re.compile(r"(?:^|\n)[ \t>]*(?:(?:[-*+•]|\d{1,2}[.)])[ \t]+)?$|[:|] $")
_AFTER_ENUMERATOR = re.compile(r"(?:\)|(?<=\d)\.)[ \t]+(?=\S)")
_ENUMERATOR = re.compile(
    r"(?P<before>^|\n[ \t]*|(?:[.;:,!?][\"')]?|\band|\bor) )\(?(?P<sign>\d|[a-h])$"
)
_BULLETED = re.compile(r"^[ \t]*(?P<label>[^\n•]{1,60}:[ \t]+)?•[ \t][^\n]*•[ \t]", re.MULTILINE)
_BULLET = re.compile(r"(?<=\S)[ \t]+(?=•[ \t])")


def _capitalised_pattern(words: list[str]) -> str:
    return "|".join(sorted(word.capitalize() for word in words))


_LONG_STARTS = _capitalised_pattern([word for word in STOP_WORDS if len(word) > 2])
_SHORT_STARTS = _capitalised_pattern([word for word in STOP_WORDS if len(word) == 2])
_MISSING_BLANK = re.compile(rf"[.!?][\"')]?(?=(?:(?P<long>{_LONG_STARTS})|{_SHORT_STARTS})[ ,'])")
_BEFORE_LONG = re.compile(r"(?:[a-z%)\"']|\d{3})\Z")
_BEFORE_SHORT = re.compile(r"(?<![\w.@/])[a-z]{3,}\Z")
"""What a sentence ends with that another follows without a blank: not as in "Amazon.In"."""


def unify_inline_marks(text: Mapped, source: str | None = None) -> Mapped:
    """The text without the marks of citations, emphasis, code and links, with signs for boxes and a
    blank between sentences.

    source  that of a summary, which says what may be a citation; None for a source itself
    """
    text = without_citations(text, source)
    text = replace_pieces(text, [*_replace_boxes(text.text)])
    text = replace_pieces(text, [*_replace_enumerators(text.text)])
    text = replace_pieces(text, [*_split_bullets(text.text)])
    text = replace_pieces(text, [*_replace_leaders(text.text)])
    text = with_stars(substitute(text, _LINK, _keep_link_text))
    # Three backticks are the fence of a block of code: see `lines.py`.
    text = substitute(text, _EMPHASIS, lambda match: replace_match(match, ""))
    return substitute(text, _MISSING_BLANK, _add_blank)


def _replace_boxes(text: str) -> Iterator[Piece]:
    """Signs for the boxes of a list of tasks or of a form: "- [x] Deploy", "Smoker: [ ] yes"."""
    box_end = 0
    for match in _BOX.finditer(text):
        start, end = match.span()
        follows = 0 < box_end < start and "\n" not in text[box_end:start]
        if follows or _BEFORE_BOX.search(text[max(0, start - 20) : start]):
            yield Piece("☐" if match["tick"] == " " else "☑", start, end)
            box_end = end


def _replace_enumerators(text: str) -> Iterator[Piece]:
    """A line end before "(2)", "2)", "2." and "b)" within a line that begins with the first of
    them, which is left to `lines.py`; else nothing for "(2)" and "2)" after "(1)" and "1)"."""
    number, last_end, is_list = 0, 0, False
    for mark in _AFTER_ENUMERATOR.finditer(text):
        first = max(0, mark.start() - 8)
        match = _ENUMERATOR.search(text[first : mark.start()])
        if match is None:
            continue
        start, end = first + match.end("before"), mark.end()
        sign, before = match["sign"], match["before"].strip()
        if "\n" in text[last_end:start]:
            number, is_list = 0, False
        if (int(sign) if sign.isdigit() else ord(sign) - ord("a") + 1) != number + 1:
            continue
        is_point = text[mark.start()] == "."
        if before and is_point and before[0] in ",:":
            continue
        if not before:
            is_list = True
        elif is_list:
            yield Piece("\n", start - 1, start)
        elif sign.isdigit() and not is_point:
            yield Piece("", start, end)
        else:
            continue
        number, last_end = number + 1, end


def _replace_leaders(text: str) -> Iterator[Piece]:
    """A colon for the points between a name and its value, and two line ends after its line, which
    is a row however long it is."""
    row_end = -1
    for leader in _LEADER.finditer(text):
        if row_end < leader.start():
            if row_end > -1:
                yield Piece("\n\n", row_end, row_end + 1)
            row_end = text.find("\n", leader.end()) % (len(text) + 1)
        yield Piece(": ", *leader.span())
    if -1 < row_end < len(text):
        yield Piece("\n\n", row_end, row_end + 1)


def _split_bullets(text: str) -> Iterator[Piece]:
    """A line end before each bullet within a line that begins with one, or with a label before
    it: "• wifi • pool"."""
    for line in _BULLETED.finditer(text):
        start = line.end("label") - 1 if line["label"] else line.start()
        for bullet in _BULLET.finditer(text, start, line.end()):
            yield Piece("\n", *bullet.span())


def _add_blank(match: re.Match[str]) -> tuple[Piece, ...]:
    start, end = match.span()
    before = _BEFORE_SHORT if match["long"] is None else _BEFORE_LONG
    if before.search(match.string, max(0, start - 30), start) is None:
        return ()
    return (Piece(match.group(), start, end), Piece(" ", end - 1, end))


def _keep_link_text(match: re.Match[str]) -> tuple[Piece, ...]:
    start, end = match.span("text")
    words = (Piece(match["text"], start, end),) if match["text"] else ()
    return (Piece("", match.start(), start), *words, Piece("", end, match.end()))
