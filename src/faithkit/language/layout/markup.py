"""HTML in a text: tags, comments and scripts are left out, blocks become lines, and so is text that
is struck through (`<del>`, "~~"), since its author has withdrawn it.

Only the tags of HTML count, in small letters or in capitals, and only with attributes that have a
value: "a <b and c> d", "<anna> hi" and "List<String>" stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language.lexicon import BLOCK_TAGS, INLINE_TAGS, TAGS_WITH_ATTRIBUTES
from faithkit.language.mapped import Mapped, Piece, replace_pieces, substitute

_CELLS = frozenset({"td", "th"})

_VALUE = r"""(?:"[^"<]*"|'[^'<]*'|[^\s"'<>=]+)"""
_ATTRIBUTES = rf"(?:\s+[\w:@.-]+=\s*{_VALUE}(?:\s+[\w:@.-]+(?:=\s*{_VALUE})?)*)"
_TAG = re.compile(
    rf"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z\d]{{0,9}})(?P<attributes>{_ATTRIBUTES})?\s*/?>"
    r"(?P<next>\s*(?=<t[dh]\b))?",
)
_DOCTYPE = re.compile(r"<!DOCTYPE [^<>]*>", re.IGNORECASE)
_HIDDEN = re.compile(r"<!--|<(?P<name>script|style)(?=[\s>])[^<>]*>", re.IGNORECASE)
_CLOSING = {
    "": re.compile("-->"),
    "script": re.compile(r"</script\s*>", re.IGNORECASE),
    "style": re.compile(r"</style\s*>", re.IGNORECASE),
}

_SUPERSCRIPT = re.compile(r"<sup\b[^<>]*>(?:<a\b[^<>]*>)?(?P<digits>[0-9]{1,3})(?:</a>)?</sup>")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_END = r"""[.!?…]["'”’)\]]*\s"""
_SENTENCE_END = re.compile(_END)
_IN_SENTENCE = rf"(?:(?!{_END})[^\n]){{1,500}}?"
_IN_PARAGRAPH = r"[^\n]{1,2000}?"
_STRUCK, _STRUCK_IN_SOURCE = (
    re.compile(
        rf"(?<![\w~\\])~~(?=[^\s~]){body}(?<=[^\s~])~~(?![\w~])"
        rf"|(?<!^)<(?P<name>s|del|strike)(?:{_ATTRIBUTES})?>{body}</(?P=name)>"
    )
    for body in (_IN_SENTENCE, _IN_PARAGRAPH)
)
"""At the beginning of a text "<s>" is a mark of language models. In a summary what is withdrawn is
within a sentence, so that text that is appended changes none before it."""


def without_markup(text: Mapped, *, source: bool) -> Mapped:
    """The text without the tags of HTML and without what is struck through."""
    if "~~" in text.text or "</" in text.text:
        pattern = _STRUCK_IN_SOURCE if source else _STRUCK
        spans = (match.span() for match in pattern.finditer(text.text))
        text = without(text, spans)
    if "<" not in text.text:
        return text
    text = replace_pieces(text, list(_hidden(text.text, source=source)))
    text = substitute(text, _DOCTYPE, lambda match: (Piece("", *match.span()),))
    text = substitute(text, _SUPERSCRIPT, _superscript)
    return substitute(text, _TAG, _tag)


def without(text: Mapped, spans: Iterator[tuple[int, int]]) -> Mapped:
    """The text without these spans, and without the blanks before one unless a word follows it
    directly."""
    pieces: list[Piece] = []
    done = 0
    for start, end in spans:
        first = start
        if not text.text[end : end + 1].isalnum():
            while first > done and text.text[first - 1] in " \t":
                first -= 1
        pieces.append(Piece("", first, end))
        done = end
    return replace_pieces(text, pieces)


def _hidden(text: str, *, source: bool) -> Iterator[Piece]:
    """Comments, scripts and styles; one without an end stays, and in a summary one in which a
    sentence ends."""
    done = 0
    open_ended: set[str] = set()
    for opening in _HIDDEN.finditer(text):
        name = (opening["name"] or "").lower()
        if opening.start() < done or name in open_ended:
            continue
        closing = _CLOSING[name].search(text, opening.end())
        if closing is None:
            open_ended.add(name)
        elif source or not _SENTENCE_END.search(text, opening.end(), closing.start()):
            done = closing.end()
            yield Piece("", opening.start(), done)


def _superscript(match: re.Match[str]) -> tuple[Piece, ...]:
    return (Piece(match["digits"].translate(_RAISED), *match.span()),)


def _tag(match: re.Match[str]) -> tuple[Piece, ...]:
    """A line end for a block, a bullet for an item, a bar between the cells of a row, nothing for
    other tags."""
    written, start, end = match["name"], match.start(), match.end()
    name = written.lower()
    if not (written.islower() or written.isupper()):
        return ()
    if name == "br":
        return (Piece("\n", start, end),)
    if name == "li" and not match["close"]:
        return (Piece("\n\n• ", start, end),)
    if name in BLOCK_TAGS:
        return (Piece("\n\n", start, end),)
    if name in _CELLS:
        is_between = match["close"] and match["next"] is not None
        return (Piece(" | " if is_between else "", start, end),)
    opens = name in TAGS_WITH_ATTRIBUTES and (match["close"] or match["attributes"])
    if not (name in INLINE_TAGS or opens) or _is_type(match) or _is_nickname(match):
        return ()
    return (Piece("", start, match.start("next") if match["next"] else end),)


def _is_type(match: re.Match[str]) -> bool:
    """Whether a tag in capitals is a type in code ("List<B>")."""
    before = match.string[max(0, match.start() - 1) : match.start()]
    return match["name"].isupper() and not match["close"] and before.isalnum()


def _is_nickname(match: re.Match[str]) -> bool:
    """Whether a tag is one who speaks in a chat ("<mark> hi")."""
    start, end = match.span()
    first = start == 0 or match.string[start - 1] == "\n"
    return first and match["name"] == "mark" and match.string[end : end + 1] == " "
