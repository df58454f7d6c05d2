"""What a program or a chat model puts around a whole summary: JSON (`{"summary": "..."}`), a block
of reasoning (`<think>`), tokens of roles and ends ("<|im_end|>"), a tag ("<answer>"), and
addresses with lists of sources ("Source: https://...").

It is left out of a summary before anything else is read, as it states nothing of the source.
What lives here: what is around the text as it was given. What does not: phrases in it
(`phrases.py`), marks of citations (`citations.py`), HTML (`markup.py`).
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from faithkit.language.layout.chat_words import LINK_WORDS, META_KEYS, SUMMARY_KEYS
from faithkit.language.layout.citations import FILE, NAMED
from faithkit.language.layout.escapes import unescaped
from faithkit.language.mapped import Mapped, Piece, concatenate_pieces, replace_pieces, stripped
from faithkit.language.sentences import closed_sentences


def unwrapped(text: Mapped) -> Mapped:
    """A summary without what is around it."""
    inner = _without_links(_values(_without_opening(_without_tokens(text))))
    return text if inner is text else stripped(inner)


# --- tokens, reasoning and tags ------------------------------------------------------------------

_TOKEN = re.compile(
    r"<\|(?:im_start\|>|start_header_id\|>)(?:assistant|model)(?:<\|end_header_id\|>)?"
    r"|<\|channel\|>[a-z]{1,20}<\|message\|>|<\|[a-z_]{2,30}\|>"
    r"|<(?:start_of_turn>model|end_of_turn>)|\[/INST\]"
)
_TAG = re.compile(
    r"\s*<(?P<name>think|thinking|thought|reasoning|scratchpad"
    r"|(?P<text>answer|final_answer|response|output))>",
    re.IGNORECASE,
)


@lru_cache(maxsize=16)
def _closing(name: str) -> re.Pattern[str]:
    return re.compile(f"</{name}>", re.IGNORECASE)


def _without_tokens(text: Mapped) -> Mapped:
    """The text with a line end for each token of a role or an end."""
    tokens = _TOKEN.finditer(text.text) if "<" in text.text or "/INST" in text.text else ()
    return replace_pieces(text, [Piece("\n\n", *token.span()) for token in tokens])


def _without_opening(text: Mapped) -> Mapped:
    """The text without the blocks of reasoning that it begins with, and without the tags around an
    answer. A block that does not end goes as far as the text does."""
    pieces: list[Piece] = []
    start = 0
    while tag := _TAG.match(text.text, start):
        closing = _closing(tag["name"].lower()).search(text.text, tag.end())
        if tag["text"]:
            pieces.append(Piece("", *tag.span()))
            pieces += [Piece("\n\n", *closing.span())] if closing else []
            break
        start = closing.end() if closing else len(text.text)
        pieces.append(Piece("", tag.start(), start))
    return replace_pieces(text, pieces)


# --- JSON ----------------------------------------------------------------------------------------

_BEFORE_JSON = re.compile(r"\s*(?:```(?:json)?\s*)?(?=[{\[])", re.IGNORECASE)
_AFTER_JSON = re.compile(r"\s*```(?=\s|\Z)")
_STRING = re.compile(r'"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)"(?P<is_key>\s*:)?', re.DOTALL)
_NO_LETTER = re.compile(r"[\W\d_]+")


def _values(text: Mapped) -> Mapped:
    """The strings of a JSON value that the text begins with, each on lines of its own, if all its
    keys are such as a program gives to a summary or to what is known of one ("confidence")."""
    opening = _BEFORE_JSON.match(text.text)
    if opening is None:
        return text
    try:
        _, end = json.JSONDecoder().raw_decode(text.text, opening.end())
    except (ValueError, RecursionError):
        return text
    pieces: list[Piece] = []
    key = ""
    for string in _STRING.finditer(text.text, opening.end(), end):
        if string["is_key"]:
            key = _NO_LETTER.sub("", string["text"].lower())
            if key not in SUMMARY_KEYS | META_KEYS:
                return text
        elif key not in META_KEYS:
            pieces += [
                Piece("\n\n", string.start(), string.start() + 1),
                *unescaped(text.text, *string.span("text")),
            ]
    if not pieces:
        return text
    fence = _AFTER_JSON.match(text.text, end)
    end = fence.end() if fence else end
    if end < len(text.text):
        pieces += [Piece("\n\n", end - 1, end), Piece(text.text[end:], end, len(text.text))]
    return concatenate_pieces(text, pieces)


# --- addresses and lists of sources --------------------------------------------------------------

_LINK = re.compile(r"\[(?P<text>[^\[\]\n]*)\]\((?P<address>(?:https?:|www\.)[^()\s]*)\)")
_ADDRESS = re.compile(r"\b(?:https?://|www\.)[^\s<>\[\]()]+")
_DOMAIN = re.compile(r"(?:[\w-]+\.)+[a-z]{2,6}(?:/\S*)?", re.IGNORECASE)
_ENTRY = re.compile(r"[\s>]*(?:[-*+•<\[]|\(?\d{1,3}[.)]|https?:|www\.)")
_WORD = re.compile(r"\w+")
_CITED = re.compile(rf"(?<![\w-])(?:{FILE}|{NAMED}\b)", re.IGNORECASE)
_NOTE = re.compile(r"[\s>]*\[\^?\d{1,3}\]:?\s")
_SOURCES = re.compile(
    r"[\s>#*_]*(?:sources?|references?|citations?|links?|bibliography|works cited|further reading"
    r"|read more)[\s:*_]*",
    re.IGNORECASE,
)


def _without_links(text: Mapped) -> Mapped:
    """The text without lines and sentences that are an address, and without lists of sources: a
    line "Sources:" and the lines with addresses after it. There and in a note ("[1] plan.pdf,
    p. 3") the name of a file or the number of a text is an address too."""
    if "http" not in text.text and "www." not in text.text and not _CITED.search(text.text):
        return text
    pieces: list[Piece] = []
    heading: Piece | None = None  # that of a list of sources, while only blank lines follow it
    in_list = False
    start = 0
    for line in text.text.splitlines(keepends=True):
        end = start + len(line)
        has_address = _ADDRESS.search(line) is not None or (
            (in_list or _NOTE.match(line)) and _is_cited(line)
        )
        if _SOURCES.fullmatch(line):
            heading, in_list = Piece("", start, end), True
        elif has_address and (
            (in_list and _ENTRY.match(line)) or _is_address(line) or _is_cited(line)
        ):
            pieces += [piece for piece in (heading, Piece("", start, end)) if piece]
            heading = None
        elif line.strip():
            heading, in_list = None, False
            for sentence in closed_sentences(line)[1:] if has_address else ():
                if _is_address(sentence.text):
                    pieces.append(Piece("", start + sentence.start, start + sentence.end))
        start = end
    return replace_pieces(text, pieces)


def _is_address(text: str) -> bool:
    """Whether there is no word but addresses, the numbers of notes and words such as "source"."""
    plain, links = _LINK.subn(_link_text, text)
    plain, addresses = _ADDRESS.subn(" ", plain)
    if links + addresses == 0:
        return False
    return _has_link_words(plain)


def _has_link_words(text: str) -> bool:
    return all(
        word in LINK_WORDS or (word.isdigit() and len(word) < 4)
        for word in _WORD.findall(text.lower())
    )


def _is_cited(line: str) -> bool:
    """Whether there is no word but names of files, numbers of texts and their pages."""
    plain, cited = _CITED.subn(" ", line)
    return cited > 0 and _has_link_words(plain)


def _link_text(link: re.Match[str]) -> str:
    """The text of a link, if that is no address itself."""
    return " " if _DOMAIN.fullmatch(link["text"]) else f" {link['text']} "
