"""Marks of citations ("[1]", "[2][3]", "[Doc 4]", "【5†report.pdf】", "¹") and where they are marks
and not words: what is appended to a text never changes how a mark in a finished sentence is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from faithkit.language.layout.markup import without
from faithkit.language.lexicon import BEFORE_MARKS
from faithkit.language.mapped import Mapped

FILE = (
    r"[\w-]+(?:[ .][\w-]+){0,8}?"
    r"\.(?:pdf|docx?|xlsx?|pptx?|txt|md|html?|csv|json|eml|msg|rtf|odt|srt|vtt)\b"
)
"""The name of a file: "gold_plan.pdf"."""
_PAGES = r"(?:, ?p(?:p|age|ages)?\.? ?\d{1,4}(?:-\d{1,4})?)?"
_NUMBERS = r"\^?[1-9]\d{0,2}(?:(?:, ?|-)[1-9]\d{0,2})*"
NAMED = (
    r"(?:doc(?:ument)?|source|src|chunk|passage|snippet|citation|cite|ref\.?|reference)s?"
    rf"[ _:#-]{{0,2}}\d{{1,3}}(?:, ?\d{{1,3}})*{_PAGES}"
)
"""A number of a text, "Doc 4, p. 2"."""
_OF_FILES = rf"{FILE}{_PAGES}(?:[;,] ?{FILE}{_PAGES})*"
_LABEL = r"(?:(?:sources?|id|refs?|reference|see|from|cf\.?):? ?)?"
_PART = (
    r"(?:#(?=\d{1,2}\b)|§{1,2} ?"
    r"|\b(?:para(?:graph)?|sec(?:tion)?|sentence|line|page|pp?)s?\.?[ _:#-]{0,2})"
    r"\d{1,4}(?:(?:, ?|-)\d{1,4})*"
)
"""A part of a text: "§2", "para. 3", "page 12", "#1"."""
_LETTERED = r"[ACDLPRS]\d{1,3}(?:(?:, ?|-)[ACDLPRS]?\d{1,3})*"
_INSIDE = r"(?:(?![.!?]\s)[^\[\]【】\n]){1,80}"
_MARK = (
    rf"(?:\[\[{_NUMBERS}\]\]|\[(?:{_NUMBERS}|{_LETTERED}|turn\d{{1,3}}[a-z]{{1,10}}\d{{1,3}}"
    rf"|\d{{1,3}}†{_INSIDE}|(?i:{NAMED}|sources?: ?{_INSIDE}|citation needed))\])"
    r"(?:\(https?:[^()\s]*\))?"
    r"|:contentReference\[oaicite:\d{1,3}\](?:\{index=\d{1,3}\})?|\ue200[^\ue200\ue201\n]*\ue201"
)
"""Those of chat models have a colon or private characters around them."""
_MARKS = rf"(?:{_MARK})(?:,? ?(?:{_MARK}))*"
_CHAT_MARK = r"cite(?:turn\d{1,3}[a-z]{1,10}\d{1,3})+"
"""A chat model's, where the private characters around it are lost."""


@lru_cache(maxsize=4)
def _citation(with_parts: bool, with_files: bool) -> re.Pattern[str]:
    """Marks of citations, and those that only a summary may have: parts of a text and files."""
    named = rf"{_LABEL}{NAMED}"
    named += rf"|(?:see )?{_PART}" if with_parts else ""
    named += rf"|{_LABEL}{_OF_FILES}" if with_files else ""
    return re.compile(
        rf"\((?:(?:(?:see|cf\.?) )?{_MARKS}|(?i:{named}))\)|\[(?i:{named})\]|【\d{_INSIDE}】"
        rf"|【\d{{1,3}}】|{_MARKS}|\b{_CHAT_MARK}|\^\d{{1,3}}\^"
        r"|[⁰¹²³⁴-⁹]+(?:[,-][⁰¹²³⁴-⁹]+)*"
    )


_PARTS = re.compile(_PART, re.IGNORECASE)
_TOLD_FILE = re.compile(
    rf"(?<=[a-z,(] )(?<!^file )(?<!^source )(?<!^document ){FILE}|\({FILE}", re.MULTILINE
)
"""A file that a source tells of, and that is not the source itself ("Source: plan.pdf")."""
_RAISED = re.compile("[¹²³⁴-⁹]")
_DOCUMENT = re.compile(
    r"\((?:see |doc|source|src|chunk|passage|snippet|cit|ref|§|para|sec|sentence|line|page|p|id|cf"
    r"|from|#|[^()\n]{1,60}\.[a-z]{2,4}\b)|\bciteturn|\^\d",
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

    source  that of a summary, whose marks may name its parts ("[§2]") unless it numbers them, and
            files ("(plan.pdf)") unless it tells of such
    """
    written = text.text
    has_raised = not written.isascii() and (
        "【" in written or "\ue200" in written or _RAISED.search(written)
    )
    if "[" in written or has_raised or _DOCUMENT.search(written):
        with_parts = source is not None and not _PARTS.search(source)
        with_files = source is not None and not _TOLD_FILE.search(source)
        return without(text, _citations(written, _citation(with_parts, with_files)))
    return text


def _citations(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        before = text[max(done, start - 40) : start]
        if match.group()[0] in "【:\ue200c" or _is_citation(match.group(), before, text, end):
            yield start, end
            done = end


def _is_citation(mark: str, before: str, text: str, end: int) -> bool:
    if mark[0] not in "[(【":
        return _is_note(before.rstrip(" ") if mark[0] == "^" else before, text, end)
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
    """Whether raised digits ("¹", "^1^") are a footnote's, and no power as in "m²" and "10⁹"."""
    if text[end : end + 1].isalnum():
        return False
    if before[-1:] in tuple(".,;:!?"):
        return before[-2:-1].isalnum() or before[-2:-1] in tuple("%\"')")
    word = re.search(r"[^\W\d_]{4,}$", before)
    return word is not None and not _MEASURES.search(word.group().lower())
