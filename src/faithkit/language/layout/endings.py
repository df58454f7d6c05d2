"""Stray marks after the one that ends a sentence of a summary ("people.?", "people..", "people.;",
an unopened quote), or at the end of a text that has none ("people,", "people (?)"): they are left
out, so that none changes a value.

A pause ("people ...") stays, for a word may be cut there (`cut_words.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language.mapped import Mapped, Piece, replace_pieces
from faithkit.language.sentences import closed_sentences, ends_sentence
from faithkit.language.words import Segment

_MARKS = " \t\n.!?,;:%&+*/\\|#~_^=()[]-'\""
_END = re.compile(
    r"""(?:(?<=\d)[ ]?%)?+ [+*\#-]*+ ["')\]]*+
    (?P<mark> [ ]?(?:[!?]++|(?P<points>(?!\.\.\.(?!\.))\.++)) | )
    (?P<closers>[)\]]*+ ["']?)""",
    re.VERBOSE,
)
"""What may follow the last word of a sentence: the sign of "5%" or "HER2+", what closes quotes and
brackets, the mark, and what closes after it."""
_STRAY = re.compile(r"(?:[\s,;]|(?<=\s)[*/|#~_]|(?<=[^\W\d])%|\([?!]++\))*+")
"""What is left out where no mark ends a text."""
_OPENED = re.compile(r"(?<!\w)'(?=\w)")


def without_stray_marks(text: Mapped) -> Mapped:
    """The text without these marks."""
    pieces = list(_find_stray(text.text))
    return replace_pieces(text, pieces) if pieces else text


def _find_stray(text: str) -> Iterator[Piece]:
    sentences = closed_sentences(text)
    is_open = {'"': False, "'": False}
    for place, sentence in enumerate(sentences, 1):
        is_open['"'] ^= sentence.text.rstrip("\"'").count('"') % 2 == 1
        is_open["'"] |= _OPENED.search(sentence.text) is not None
        yield from _stray(text, sentence, is_open, is_last=place == len(sentences))
        is_open['"'] ^= sentence.text.endswith('"')


def _stray(
    text: str, sentence: Segment, is_open: dict[str, bool], *, is_last: bool
) -> Iterator[Piece]:
    """Nothing in place of the stray marks of one sentence.

    is_open  whether a quote of each kind was opened before the end
    """
    start = sentence.start + len(sentence.text.rstrip(_MARKS))
    match = _END.match(text, start, sentence.end)
    if match is None or start == sentence.start:
        return
    if not match["mark"]:
        if is_last and _STRAY.fullmatch(text, match.end(), sentence.end):
            yield Piece("", match.end(), sentence.end)
        return
    mark_end, end = match.end("mark"), match.end()
    if match["points"]:
        mark_end = match.start("points") + 1
        if not ends_sentence(text[sentence.start : mark_end]):
            return
    quote = match["closers"][-1:]
    if quote in is_open and not is_open[quote]:
        end -= 1
    if mark_end < match.end("mark"):
        yield Piece("", mark_end, match.end("mark"))
    if end < sentence.end:
        yield Piece("", end, sentence.end)
