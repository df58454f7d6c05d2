"""Marks of citations ("[1]", "[2][3]", "[Doc 4]", "【5†report.pdf】", "¹") and where they are marks
and not words: what is appended to a text never changes how a mark in a finished sentence is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language.lexicon import BEFORE_MARKS
from faithkit.language.mapped import Mapped
from faithkit.language.markup import without

_NUMBERS = r"\^?[1-9]\d{0,2}(?:(?:, ?|-)[1-9]\d{0,2})*"
_NAMED = (
    r"(?:doc(?:ument)?|source|src|chunk|passage|snippet|citation|cite|ref\.?|reference)s?"
    r"[ _:#-]{0,2}\d{1,3}(?:, ?\d{1,3})*(?:, ?p(?:p|age|ages)?\.? ?\d{1,4}(?:-\d{1,4})?)?"
)
_PART = (
    r"(?:§{1,2} ?|\b(?:para(?:graph)?|sec(?:tion)?|sentence|line|page|pp?)s?\.?[ _:#-]{0,2})"
    r"\d{1,4}(?:(?:, ?|-)\d{1,4})*"
)
"""A part of a text: "§2", "para. 3", "page 12"."""
_LETTERED = r"[ACDLPRS]\d{1,3}(?:(?:, ?|-)[ACDLPRS]?\d{1,3})*"
_INSIDE = r"(?:(?![.!?]\s)[^\[\]【】\n]){1,80}"
_MARK = (
    rf"(?:\[\[{_NUMBERS}\]\]|\[(?:{_NUMBERS}|{_LETTERED}|turn\d{{1,3}}[a-z]{{1,10}}\d{{1,3}}"
    rf"|(?i:{_NAMED}|sources?: ?{_INSIDE}|citation needed))\])(?:\(https?:[^()\s]*\))?"
    r"|:contentReference\[oaicite:\d{1,3}\](?:\{index=\d{1,3}\})?|\ue200[^\ue200\ue201\n]*\ue201"
)
"""Those of chat models have a colon or private characters around them."""
_MARKS = rf"(?:{_MARK})(?:,? ?(?:{_MARK}))*"
_CITATION, _CITATION_OR_PART = (
    re.compile(
        rf"\((?:(?:see )?{_MARKS}|(?i:{named}))\)|\[(?i:{named})\]|【\d{_INSIDE}】|【\d{{1,3}}】"
        rf"|{_MARKS}|[⁰¹²³⁴-⁹]+(?:[,-][⁰¹²³⁴-⁹]+)*"
    )
    for named in (_NAMED, rf"{_NAMED}|(?:see )?{_PART}")
)
_PARTS = re.compile(_PART, re.IGNORECASE)
_RAISED = re.compile("[¹²³⁴-⁹]")
_DOCUMENT = re.compile(
    r"\((?:see |doc|source|src|chunk|passage|snippet|cit|ref|§|para|sec|sentence|line|page|p)",
    re.IGNORECASE,
)

_AFTER_MARK = re.compile(r"(?![\w(\[]|\.\w|\s*=)")
"""Not of an index as in "x[1].y"."""

_AFTER_BLANK = re.compile(
    r"[ \t]*(?:$|\n|[.,;:!?)\"'](?!\w)|-[ \t]"
    r"|(?:and|but|or|while|which|whereas|although|because)\b)"
)
_NEXT_SENTENCE = re.compile(r"[ \t]*(?:$|\n)|[ \t]+[\"'(*_]*[^\W\d_a-z]")

_MEASURES = re.compile(r"(?:met(?:er|re)|inche?|f[eo]{2}t|mile|yard|acre|cosec|sinh|cosh|tanh)s?$")
"""Words that have a power after them ("metres²")."""

_LAST_WORD = re.compile(r"[\w'-]+$")


def without_citations(text: Mapped, source: str | None = None) -> Mapped:
    """The text without the marks of its citations.

    source  that of a summary, whose marks may name its parts ("[§2]") unless it numbers them
    """
    written = text.text
    has_raised = not written.isascii() and (
        "【" in written or "\ue200" in written or _RAISED.search(written)
    )
    if "[" in written or has_raised or _DOCUMENT.search(written):
        with_parts = source is not None and not _PARTS.search(source)
        return without(text, _citations(written, _CITATION_OR_PART if with_parts else _CITATION))
    return text


def _citations(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        before = text[max(done, start - 40) : start]
        if match.group()[0] in "【:\ue200" or _is_citation(match.group(), before, text, end):
            yield start, end
            done = end


def _is_citation(mark: str, before: str, text: str, end: int) -> bool:
    if mark[0] not in "[(【":
        return _is_note(before, text, end)
    last = before[-1:]
    if mark[0] == "[" and (last.isalnum() or (last and last in "_.,;:!?)\"'%")):
        word = _LAST_WORD.search(before)
        single = word is not None and len(word.group()) == 1 and last.isalpha()
        return not single and _AFTER_MARK.match(text, end) is not None
    words = before.rstrip(" \t")
    last = words[-1:]
    if words == before or not (last.isalnum() or (last and last in ".,;:!?)\"'%")):
        return False
    if words.rstrip("\"')")[-1:] in tuple(".!?"):
        return _NEXT_SENTENCE.match(text, end) is not None
    word = _LAST_WORD.search(words)
    names = mark[0] != "(" and word is not None and word.group().lower() in BEFORE_MARKS
    return not names and _AFTER_BLANK.match(text, end) is not None


def _is_note(before: str, text: str, end: int) -> bool:
    """Whether raised digits are a footnote's, and no power as in "m²" and "10⁹"."""
    if text[end : end + 1].isalnum():
        return False
    if before[-1:] in tuple(".,;:!?"):
        return before[-2:-1].isalnum() or before[-2:-1] in tuple("%\"')")
    word = re.search(r"[^\W\d_]{4,}$", before)
    return word is not None and not _MEASURES.search(word.group().lower())
