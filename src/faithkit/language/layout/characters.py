"""Characters in one form: entities of HTML, encodings, letters with marks, blanks, quotes, dashes.

Unicode has many characters for one; which of them a text has changes no value.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from faithkit.language.layout.encodings import with_right_encoding
from faithkit.language.layout.tokenised import detokenise
from faithkit.language.mapped import (
    Mapped,
    Piece,
    is_mark,
    replace_match,
    replace_pieces,
    substitute,
)

_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,30});", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_BEYOND_ASCII = re.compile(r"[^\n]?[^\x00-\x7f]+")
_SPACES = re.compile(r"[^\S\n\t ]")
_TAB = re.compile(r"\t")
_BLANKS = re.compile(r" {2,}")
_TYPED_QUOTE = re.compile(r"(?<!`)``(?!`)|''")
_TYPED_DASH = re.compile(r"(?:(?<![ \t])[ \t]+)?(?:[—―]+|(?<![-|:])--(?![-|:>]))[ \t]*")

_NEGATIVE = re.compile(r"(?<![^\s(\[])-\d[\d.]*%?\Z")

_SPEAKER = re.compile(r"(?<![\w-])s(?:peaker|pk)(?:_0?| 0)(?P<number>\d{1,2})(?!\w)", re.IGNORECASE)

_UNIFIED = {
    **dict.fromkeys("‘’‚‛‹›ʹʻʼʽ′´＇", "'"),
    **dict.fromkeys("“”„‟«»″〝〞〟＂", '"'),
    **dict.fromkeys("‐‑‒–−﹣－", "-"),
    **dict.fromkeys("⇒⟶➔➜➝➞➡", "→"),
    "⁄": "/",
    "…": "...",
}
_MIDDLE_DOT = re.compile(r"·(?<=\d·)(?<!·\d·)(?<!·\d\d·)(?=\d)(?!\d{1,2}·|10[\^⁻⁰¹²³⁴⁵⁶⁷⁸⁹])")
"""A decimal point, as in "0·71"; not one of several between numbers, nor before a power of ten."""
_NARROW_BLANK = re.compile(r"[\u00a0\u2009\u202f]")
_IN_NARROW_BLANKS = re.compile(
    rf"(?<![\w.,])(?<!\d\s)[1-9]\d{{0,2}}(?:{_NARROW_BLANK.pattern}\d{{3}})+(?!\w|\s\d|[.,]\d{{3}})"
)
_DIGITS = re.compile(r"\d+")
_COMPATIBLE = re.compile("[\uff01-\uff5e\ufb00-\ufb06\U0001d400-\U0001d7ff\u2126\u212a\u212b]")
"""Full-width letters, ligatures, mathematical letters: NFKC makes plain ones of them. Of others
(superscripts, fractions) it would change the meaning."""


def unify_characters(text: Mapped) -> Mapped:
    """One line end, one blank, one quote, one dash, one arrow; letters with their marks composed
    (NFC); "SPEAKER_01" and "spk_1", as programs call a voice, as "Speaker 1"."""
    text = substitute(text, _ENTITY, _unescape)
    text = with_right_encoding(text)
    if not text.text.isascii():
        text = substitute(text, _MIDDLE_DOT, lambda match: replace_match(match, "."))
        if _NARROW_BLANK.search(text.text):
            text = substitute(text, _IN_NARROW_BLANKS, _join_digits)
        text = replace_pieces(text, list(_compose_letters(text.text)))
    text = substitute(text, _LINE_END, lambda match: replace_match(match, "\n"))
    text = substitute(text, _INVISIBLE, lambda match: replace_match(match, ""))
    text = substitute(text, _SPACES, lambda match: replace_match(match, " "))
    text = substitute(text, _TYPED_QUOTE, lambda match: replace_match(match, '"'))
    text = substitute(
        text, _SPEAKER, lambda match: replace_match(match, f"Speaker {match['number']}")
    )
    return detokenise(substitute(text, _TYPED_DASH, _space_dash))


def _join_digits(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1 234 567" without the no-break or thin blanks that group its digits."""
    groups = _DIGITS.finditer(match.string, match.start(), match.end())
    return tuple(Piece(group.group(), *group.span()) for group in groups)


def _unescape(match: re.Match[str]) -> tuple[Piece, ...]:
    """What an entity of HTML stands for, where that is one character."""
    letter = html.unescape(match.group())
    return replace_match(match, letter) if len(letter) == 1 else ()


def _space_dash(match: re.Match[str]) -> tuple[Piece, ...]:
    """A dash between words has blanks around it; one that begins a line has no blank before it.
    In "-2--1" it is a range's and a minus."""
    start, end = match.span()
    before_digit = match.group() == "--" and match.string[end : end + 1].isdigit()
    if before_digit and _NEGATIVE.search(match.string, max(0, start - 12), start):
        return ()
    first = start == 0 or match.string[start - 1] == "\n"
    return replace_match(match, "- " if first else " - ")


def _compose_letters(text: str) -> Iterator[Piece]:
    """A piece for each character with marks, which belong together, and for each that has another
    form here."""
    done = 0
    for run in _BEYOND_ASCII.finditer(text):
        start = max(run.start(), done)
        while start < run.end():
            end = start + 1
            while end < len(text) and is_mark(text[end]):
                end += 1
            given = text[start:end]
            form = _unify_letter(given)
            if form != given or end - start > 1:
                yield Piece(form, start, end, whole=True)
            start = done = end


@lru_cache(maxsize=4096)
def _unify_letter(given: str) -> str:
    """A character with its marks in one form: "…" as "...", "é" composed, "Ａ" as "A"."""
    form = unicodedata.normalize("NFC", given)
    if _COMPATIBLE.match(form):
        form = unicodedata.normalize("NFKC", form)
    return "".join(_UNIFIED.get(letter, letter) for letter in form)


def replace_tabs(text: Mapped) -> Mapped:
    """The text with a blank for each tab."""
    return substitute(text, _TAB, lambda match: replace_match(match, " "))


def merge_blanks(text: Mapped) -> Mapped:
    """The text with one blank for several in a row."""
    return substitute(text, _BLANKS, lambda match: replace_match(match, " "))
