"""Ticks, crosses and boxes as words: "SSO ✓, SAML ✗" is "SSO (yes), SAML (no)", "✗ Flood" is "(no)
Flood", "Smoker ☐ Yes ☒ No" is "Smoker: No", "Payment: ( ) cash (x) card" is "Payment: card".

A sign before whole sentences may be a bullet ("❌ Profit fell.", bad news), so that it is read
before a few words alone.
"""

from __future__ import annotations

import re

from faithkit.language.inflection import verb_of
from faithkit.language.lexicon import ADVERSE, CHECK_MARKS, FINITE, word_set
from faithkit.language.mapped import (
    Mapped,
    Piece,
    Rule,
    apply_rules,
    identity_map,
    keep_group,
    substitute,
)

NO = "(no)"
MOST_WORDS = 3
"""Words after a cross, or a box of several, that are read as what it is about."""

LEAST_TASK = 4
"""Words of a task under somebody's name: its open box says nothing."""

_MARKS = "".join(CHECK_MARKS)
_WORD = re.compile(r"\w[\w'’-]*")
_BOXES = frozenset("☐☑☒")

_OPEN = "☐"

# Of a form: the words "yes" and "no", with a box before or after each.
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
    colon = keep_group(match, "colon") if match["colon"] else Piece(":", start, end)
    return colon, Piece(f" {match[name]}", *match.span(name))


# Of a form: several options with a box before or after each.
_OPTIONS = re.compile(r"^(?P<label>[^☐☑☒:]{1,80})(?P<colon>:) (?P<row>[^:]*[☐☑☒][^:]*)$")
_BOX_OR_WORDS = re.compile(r"[☐☑☒]|[^☐☑☒]+")
_PUNCTUATION = " ,;/|."
MOST_IN_OPTION = 5
"""Words of an option."""

_OF_LISTS = word_set("""
    action actions amenities checklist contents coverage covered do done extras facilities features
    included includes key legend next open pending progress services status steps task tasks todo
""")
"""Words of labels above what is there or done and what is not, or what signs mean."""


def _options(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Payment: ☐ cash ☒ card ☐ invoice" as "Payment: card"; nothing of a list of tasks."""
    parts = [
        part
        for part in _BOX_OR_WORDS.finditer(match.string, *match.span("row"))
        if part.group().strip(_PUNCTUATION)
    ]
    boxes, options = parts[::2], parts[1::2]
    if boxes[0].group() not in _BOXES:
        boxes, options = options, boxes
    chosen = [
        option
        for box, option in zip(boxes, options, strict=False)
        if box.group() in _BOXES and box.group() != _OPEN
    ]
    if not chosen or not _is_form(match["label"], boxes, options):
        return ()
    pieces = [keep_group(match, "label"), keep_group(match, "colon")]
    for option in chosen:
        comma = "" if option is chosen[-1] else ","
        pieces.append(Piece(f" {option.group().strip(_PUNCTUATION)}{comma}", *option.span()))
    return tuple(pieces)


def _is_form(label: str, boxes: list[re.Match[str]], options: list[re.Match[str]]) -> bool:
    """Whether options of a few words each have an open box or one of another sort."""
    marks = {box.group() for box in boxes}
    if len(boxes) != len(options) or len(marks) != 2 or _OPEN not in marks or not marks <= _BOXES:
        return False
    words = {word.lower() for word in _WORD.findall(label)}
    short = all(0 < len(_WORD.findall(option.group())) <= MOST_IN_OPTION for option in options)
    return short and words.isdisjoint(_OF_LISTS)


# After what it is about.
_AFTER = re.compile(
    rf"(?<=[\w|])(?P<colon>:?) ?(?P<mark>\[ ?[{_MARKS}] ?\]"
    rf"|[{_MARKS}](?= ?(?:$|[^\w ])| (?:and|or|but)\b))"
)


def _after(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "SSO: ✓" as "SSO: (yes)"."""
    word = CHECK_MARKS[match["mark"].strip("[ ]")]
    return keep_group(match, "colon"), Piece(f" {word}", *match.span("mark"))


# A single box before what it is about.
_BOX = re.compile(r"(?:^|(?<=: ))(?P<box>[☐☑]) (?P<words>\w[^☐☑☒]*)$")


def _box(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "☐ Deploy" as "(no) Deploy", and "☑ It was deployed." without the box."""
    start, end = match.start(), match.start("words")
    words = match["words"]
    if _is_statement(words):
        return Piece("", start, end), keep_group(match, "words")
    if start == 0:
        return Piece(f"{CHECK_MARKS[match['box']]} ", start, end), keep_group(match, "words")
    is_task = len(_WORD.findall(words)) >= LEAST_TASK
    return (Piece("", start, end), keep_group(match, "words")) if is_task else ()


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


# Of a form: boxes and circles of other sorts.
_SORTS = tuple(
    re.compile(rf"(?<!\w)(?:(?P<open>{open_box})|{chosen})")
    for open_box, chosen in ((r"\( ?\)", r"\([xX•*●✓]\)"), ("[○◯]", "[●◉]"), ("□", "■"))
)
_OTHER_BOXES = re.compile(r"^.*(?:\( ?\)|[○◯□]).*$", re.DOTALL)
_CHOSEN = (
    Rule(_CHOICE, _choice, re.compile("[☐☑☒]")),
    Rule(_OPTIONS, _options, re.compile("☐")),
)


def _boxes(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Payment: ( ) cash (x) card" as "Payment: ☐ cash ☒ card", if that is read as one choice."""
    text = match.string
    for sort in _SORTS:
        pieces, done = [], 0
        for box in sort.finditer(text):
            pieces.append(Piece(text[done : box.start()], done, box.start()))
            pieces.append(Piece(_OPEN if box["open"] else "☒", *box.span()))
            done = box.end()
        pieces.append(Piece(text[done:], done, len(text)))
        form = "".join(piece.text for piece in pieces)
        if apply_rules(identity_map(form), _CHOSEN).text != form:
            return tuple(pieces)
    return ()


_FORMS = (Rule(_OTHER_BOXES, _boxes, re.compile(r"\( ?\)|[○◯□]")), *_CHOSEN)

# The same, each option in a line of its own.
_LISTED = re.compile(
    r"^(?P<label>[^\n:☐☑☒]{1,80}:)"
    r"(?P<options>(?:\n[ \t]*+(?:[☐☑☒]|\([ xX•*●✓]\))[ \t][^\n:]{1,60}$){2,12}+)"
    r"(?!\n[ \t]*[☐☑☒(])",
    re.MULTILINE,
)
_LINE_END = re.compile(r"\n[ \t]*")
_LINE = re.compile(r"(?P<blank>\n[ \t]*)(?P<option>[^\n]+)")


def inline_ticked_options(text: Mapped) -> Mapped:
    """The text with the options of a form below their label in one line with it, if one of them
    is ticked."""
    return substitute(text, _LISTED, _in_line)


def _in_line(match: re.Match[str]) -> tuple[Piece, ...]:
    row = _LINE_END.sub(" ", match.group())
    read = apply_rules(identity_map(row), _FORMS).text
    if read == row or "," in read:
        return ()
    pieces = [keep_group(match, "label")]
    for option in _LINE.finditer(match.string, *match.span("options")):
        pieces += [Piece(" ", *option.span("blank")), keep_group(option, "option")]
    return tuple(pieces)


TICKS_CUE = re.compile(rf"[{_MARKS}☒○◯□]|\( ?\)")
TICKS = (
    *_FORMS,
    Rule(_AFTER, _after, TICKS_CUE),
    Rule(_BOX, _box, re.compile("[☐☑]")),
    Rule(_BEFORE, _before, TICKS_CUE),
)
"""Rules for texts in which `TICKS_CUE` is found."""
