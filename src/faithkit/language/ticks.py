"""Ticks, crosses and boxes as words: "SSO ✓, SAML ✗" is "SSO (yes), SAML (no)", "✗ Flood" is "(no)
Flood", "Smoker ☐ Yes ☒ No" is "Smoker: No".

A sign before whole sentences may be a bullet ("❌ Profit fell.", bad news), so that it is read
before a few words alone.
"""

from __future__ import annotations

import re

from faithkit.language.inflection import verb_of
from faithkit.language.lexicon import ADVERSE, CHECK_MARKS, FINITE
from faithkit.language.mapped import Piece, Rule, same

NO = "(no)"
MOST_WORDS = 3
"""Words after a cross, or a box of several, that are read as what it is about."""

LEAST_TASK = 4
"""Words of a task under somebody's name: its open box says nothing."""

_MARKS = "".join(CHECK_MARKS)
_WORD = re.compile(r"\w[\w'’-]*")

# Of a form: the words "yes" and "no", with a box before or after each.
_OPEN = "☐"
_CHOICE = re.compile(
    r"(?P<colon>:?) (?:(?P<first>[☐☑☒]) ?(?P<one>yes|no)[ ,;/|]{1,3}"
    r"(?P<second>[☐☑☒]) ?(?P<other>yes|no)"
    r"|(?P<one_2>yes|no) ?(?P<first_2>[☐☑☒])[ ,;/|]{1,3}(?P<other_2>yes|no) ?(?P<second_2>[☐☑☒]))"
    r"(?!\w)",
    re.IGNORECASE,
)


def _choice(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Smoker ☐ Yes ☒ No" as "Smoker: No"; nothing where both or neither are chosen."""
    number = "" if match["one"] else "_2"
    first, second = match["first" + number], match["second" + number]
    if match.start() == 0 or (first == _OPEN) == (second == _OPEN):
        return ()
    name = ("one" if second == _OPEN else "other") + number
    start, end = match.span()
    colon = same(match, "colon") if match["colon"] else Piece(":", start, end)
    return colon, Piece(f" {match[name]}", *match.span(name))


# After what it is about.
_AFTER = re.compile(
    rf"(?<=[\w|])(?P<colon>:?) ?(?P<mark>\[ ?[{_MARKS}] ?\]"
    rf"|[{_MARKS}](?= ?(?:$|[^\w ])| (?:and|or|but)\b))"
)


def _after(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "SSO: ✓" as "SSO: (yes)"."""
    word = CHECK_MARKS[match["mark"].strip("[ ]")]
    return same(match, "colon"), Piece(f" {word}", *match.span("mark"))


# A single box before what it is about.
_BOX = re.compile(r"(?:^|(?<=: ))(?P<box>[☐☑]) (?P<words>\w[^☐☑☒]*)$")


def _box(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "☐ Deploy" as "(no) Deploy", and "☑ It was deployed." without the box."""
    start, end = match.start(), match.start("words")
    words = match["words"]
    if _is_statement(words):
        return Piece("", start, end), same(match, "words")
    if start == 0:
        return Piece(f"{CHECK_MARKS[match['box']]} ", start, end), same(match, "words")
    is_task = len(_WORD.findall(words)) >= LEAST_TASK
    return (Piece("", start, end), same(match, "words")) if is_task else ()


def _is_statement(text: str) -> bool:
    """Whether a text has a verb that says what is, was or will be."""
    lower = [word.lower() for word in _WORD.findall(text)][1:]
    has_verb = any(word in FINITE or verb_of(word) != word for word in lower)
    return has_verb or (text.endswith(".") and any(word.endswith("ed") for word in lower))


# Before what they are about, one or several.
_BEFORE = re.compile(rf"(?:^|(?<=[:|] ))[{_MARKS}] ?\w.*")
_ONE_BEFORE = re.compile(rf"(?P<sign>[{_MARKS}])(?P<words> ?[^{_MARKS},;|]*)")


def _before(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "✓ breakfast ✗ parking" as "(yes) breakfast (no) parking"."""
    start, end = match.span()
    label = match.string[max(0, start - 60) : start]
    if not ADVERSE.isdisjoint(map(str.lower, _WORD.findall(label))):
        return ()
    signs = list(_ONE_BEFORE.finditer(match.string, start, end))
    if len(signs) == 1 and signs[0]["sign"] in "☐☑":
        return ()
    read = [sign for sign in signs if _is_thing(sign["words"])]
    if not any(CHECK_MARKS[sign["sign"]] == NO for sign in read):
        return ()
    pieces: list[Piece] = []
    done = start
    for sign in read:
        pieces.append(Piece(match.string[done : sign.start()], done, sign.start()))
        blank = "" if sign["words"][0] == " " else " "
        pieces.append(Piece(CHECK_MARKS[sign["sign"]] + blank, *sign.span("sign")))
        done = sign.end("sign")
    return (*pieces, Piece(match.string[done:end], done, end))


def _is_thing(text: str) -> bool:
    """Whether a few words name a thing, and neither say that it is bad nor answer a question."""
    words = [word.lower() for word in _WORD.findall(text)]
    if not 0 < len(words) <= MOST_WORDS or words[0] in ("yes", "no"):
        return False
    return ADVERSE.isdisjoint(words) and not any(
        word in FINITE or verb_of(word) != word or word[0].isdigit() for word in words
    )


TICKS_CUE = re.compile(f"[{_MARKS}☒]")
TICKS = (
    Rule(_CHOICE, _choice, re.compile("[☐☑☒]")),
    Rule(_AFTER, _after, TICKS_CUE),
    Rule(_BOX, _box, re.compile("[☐☑]")),
    Rule(_BEFORE, _before, TICKS_CUE),
)
"""Rules for texts in which `TICKS_CUE` is found."""
