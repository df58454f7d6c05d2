r"""Texts in the form of released data sets: what a tokeniser or a program that prepares texts for a
model has written otherwise than an author would: "-LRB- 2008 -RRB-", "12 @,@ 400", "1\/2",
"3 . 5 million", "[CLS]", "NEWLINE_CHAR".

Blanks before full stops and commas stay where they are in no number: they change no reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language import lexicon
from faithkit.language.calendar_words import MONTH
from faithkit.language.mapped import Mapped, Piece, replace_match, replace_pieces, substitute
from faithkit.language.notations import measures
from faithkit.language.notations.notation import AFTER_LABEL
from faithkit.language.notations.numerals import LARGE
from faithkit.language.notations.units import CASED, UNIT


def detokenise(text: Mapped) -> Mapped:
    """The text as its author may have written it, but for blanks around marks of punctuation."""
    if _SPACED.search(text.text):
        text = replace_pieces(text, [*_joined(text.text)])
    if _CODES.search(text.text):
        text = substitute(text, _CODED, _coded)
    if "#" in text.text:
        text = substitute(text, _HASH, _pounds)
    if _TOKENS.search(text.text):
        text = substitute(text, _LINE_END, _line_end)
        text = substitute(text, _SPECIAL, _special)
    return text


# --- codes for signs -----------------------------------------------------------------------------

_CODES = re.compile(r"- ?(?:[LR][RSC]B|[lr][rsc]b|COLON) ?-| @.@ |\\[/']")
_CODED = re.compile(
    r"(?<![^\W_])- ?(?P<opening>L[RSC]B|l[rsc]b) ?- ?"
    r"| ?- ?(?P<closing>R[RSC]B|r[rsc]b) ?-(?![^\W_])"
    r"| ?-COLON-|(?<=\w) @(?P<inner>[.,:/-])@ (?=\w)|(?<=\w)\\(?P<escaped>[/'])(?=\w)"
)
_BRACKETS = {"lrb": "(", "rrb": ")", "lsb": "[", "rsb": "]", "lcb": "{", "rcb": "}"}


def _coded(match: re.Match[str]) -> tuple[Piece, ...]:
    r""" "-LRB- 2008 -RRB-" as "(2008)", "10-COLON-30" as "10:30", "12 @,@ 400" as "12,400", "1\/2"
    as "1/2"."""
    bracket = match["opening"] or match["closing"]
    if bracket:
        return replace_match(match, _BRACKETS[bracket.lower()])
    return replace_match(match, match["inner"] or match["escaped"] or ":")


_HASH = re.compile(
    r"(?:(?<=[^\s#] )|(?<=[(\"']))#"
    rf"(?= (?P<number>\d[\d,.]*)(?P<scale> ?(?:{LARGE})\b|(?:m|bn|k)\b)?)"
)
_BEFORE_POUNDS = re.compile(
    rf"(?:\b(?:{'|'.join(sorted(lexicon.PREPOSITIONS))}|a|an|the|and|or|than|pays?|paid|costs?|won"
    r"|[a-z]+ed) |\()$"
)


def _pounds(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "a # 325m track" and "worth more than # 100,000" as "£ 325m" and "£ 100,000"; "visitor #
    100,000", "room # 12" and a heading stay."""
    before = match.string[max(0, match.start() - 12) : match.start()]
    has_marks = not match["number"].rstrip(",.").isdigit()
    is_money = match["scale"] or (has_marks and _BEFORE_POUNDS.search(before))
    return replace_match(match, "£") if is_money else ()


# --- numbers, times and initials in pieces -------------------------------------------------------

_SPACED = re.compile(r"\w [.,:'] \w")
_ATTACHED = re.compile(
    r"\w[.,:;!?]+[\"')]*(?:\s|$)|\d[.,:/]\d|[^\W\d_]['’-][^\W\d_]|(?<!\S)'[a-z]|-[LlRr][RSCrsc][Bb]-"
    r"| @.@ "
)
"""A mark that a tokeniser of single marks would have set apart, as that of BERT."""

_IN_PIECES = re.compile(
    r"(?<!\S)(?<!\d [.,:/] )(?:(?P<grouped>\d{1,3}(?: , \d{3})+(?: \. \d{1,3})?)"
    r"|(?P<decimal>\d{1,3} \. \d{1,3})|(?P<time>\d{1,2} : [0-5]\d))(?!\S)(?! [.,:/] \d)"
    r"|(?<!\S)(?P<initials>(?:[A-Za-z] \. )+[A-Za-z] \.)(?!\S)"
    r"|(?<=\w)(?P<apostrophe> ' )(?:(?<=n ' )t|s|re|ve|ll|d|m)(?!\S)"
)
_FULL_UNITS = {full.split()[0] for full in (measures.UNITS | measures.CASED_UNITS).values()}
_COUNTED = "|".join(
    sorted(
        {*_FULL_UNITS, *measures.COUNTED_BY_PARTS, "per", "times", "magnitude", "tons", "tonnes"}
    )
)
_OF_MONEY = re.compile(r"[$£€¥₹] $")
_AFTER_DECIMAL = re.compile(
    r"(?: (?:and|to|or|-) \d{1,3} \. \d{1,3})?"
    rf" (?:(?:{UNIT}|{CASED}|{_COUNTED}|{LARGE}|[gml])(?!\w)"
    r"(?! (?:later|earlier|ago|after|before)\b)|[.;)](?!\S))|\s*\Z",
    re.IGNORECASE,
)
_IN_LIST = re.compile(r" (?:and|or|to|-) \d{1,3}(?! , \d{3}(?!\S))(?!\S)")
_MONTH = re.compile(rf"\b(?:{MONTH}) $", re.IGNORECASE)
_BEFORE_TIME = re.compile(r"\b(?:at|from|until|till|by|before|after|around|about|since) $")
_HALF_OF_DAY = re.compile(r" [ap] ?\.? ?m\b")


def _joined(text: str) -> Iterator[Piece]:
    """ "45 , 600", "3 . 5 million", "10 : 30 a . m ." and "u . s ." without the blanks, up to the
    first mark that has none before it: then a point between numbers ends a sentence."""
    attached = _ATTACHED.search(text)
    end = attached.start() if attached else len(text)
    for match in _IN_PIECES.finditer(text):
        if match.start() >= end:
            return
        if _is_one(match):
            for place in range(*match.span()):
                if text[place] == " ":
                    yield Piece("", place, place + 1)


def _is_one(match: re.Match[str]) -> bool:
    """Whether the pieces are surely parts of one number, time or word."""
    text, start, end = match.string, *match.span()
    before = text[max(0, start - 20) : start]
    if match["time"]:
        return bool(_BEFORE_TIME.search(before) or _HALF_OF_DAY.match(text, end))
    if match["initials"] or match["apostrophe"] or _OF_MONEY.search(before):
        return True
    if match["decimal"]:
        return match.group()[:2] == "0 " or _AFTER_DECIMAL.match(text, end) is not None
    if _IN_LIST.match(text, end):
        return False
    if match.group().count(",") > 1:
        return True
    return not (before.endswith(", ") or AFTER_LABEL.search(before) or _MONTH.search(before))


# --- special tokens and separators ---------------------------------------------------------------

_TOKENS = re.compile(
    r"NEWLINE_CHAR|story_separator_special_tag|\\n|"
    r"\[(?:CLS|SEP|PAD|UNK|[EB]O[SD]|X_SEP|unused)|<(?:cls|sep|pad|unk|[eb]os|extra_id_)",
    re.IGNORECASE,
)
_LINE_END = re.compile(
    r" ?(?:NEWLINE_CHAR|(?P<story>story_separator_special_tag)) ?"
    r"| ?(?<!:)(?:\\r)?\\n(?=\s|\\[nr]|[A-Z\d•*#\[-]|$) ?"
)
_SPECIAL = re.compile(
    r"(?:\s?(?:\[(?:CLS|SEP|PAD|UNK|[EB]O[SD]|X_SEP|unused\d{1,3})\]"
    r"|<(?:cls|sep|pad|unk|[eb]os|extra_id_\d{1,3})>))+\s?+(?!(?:is|are|was|tokens?)\b)",
    re.IGNORECASE,
)


def _line_end(match: re.Match[str]) -> tuple[Piece, ...]:
    r"""A line end for "NEWLINE_CHAR" and for a "\n" in two characters."""
    return replace_match(match, "\n\n" if match["story"] else "\n")


def _special(match: re.Match[str]) -> tuple[Piece, ...]:
    """A line end for "[SEP]" and the like between sentences or at the end; "The [CLS] token" tells
    of one."""
    start, end = match.span()
    before, after = match.string[max(0, start - 1) : start], match.string[end : end + 1]
    if not before or not after:
        return replace_match(match, "")
    return replace_match(match, "\n") if before in ".!?\"')\n" or after == "\n" else ()
