"""Centuries in one form, "the fourteenth century", "C14th" and "the 1300s" as "the 14th century",
and "AD 79" as "79 AD"; and a century of a summary as the year of the source that it stands for, "in
the late 14th century" as "in 1387". What does not live here: decades (`dates.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from faithkit.language import lexicon
from faithkit.language.calendar_words import MONTH, PART, PartOfPeriod
from faithkit.language.mapped import Mapped, Piece, Rule, keep_group, replace_match, replace_pieces
from faithkit.language.notations.numerals import suffixed
from faithkit.language.words import plain_letters

# Centuries in figures

_VALUES = {word: int(value) for word, value in lexicon.ORDINALS.items() if int(value) < 30}
_WORD = "|".join(sorted(_VALUES, key=len, reverse=True))
_FIGURE = r"(?:1?\dth|1st|2nd|3rd|2[0-4](?:st|nd|rd|th))"
_NEXT = rf"(?: (?:and|or|to)(?: the)?(?: (?:{PART}))?[ -](?:{_WORD}|{_FIGURE}))?[ -]centur"
_IN_WORDS = re.compile(
    rf"(?<![\w-])(?P<part>(?:{PART})[ -])?(?P<word>{_WORD})(?={_NEXT})", re.IGNORECASE
)
_HYPHENS = re.compile(
    rf"(?<![\w-])(?P<part>(?:{PART})-)?(?P<figure>{_FIGURE})(?P<hyphen>-)?(?=(?(hyphen)|"
    r"(?(part) |(?!)))century\b)",
    re.IGNORECASE,
)
_SHORT = re.compile(
    rf"(?<![\w-])(?:C(?P<number>1\d|20)th(?: ?[Cc]entury)?(?![\w-])"
    rf"|(?P<figure>{_FIGURE}) ?[Cc](?:ent)?(?!\w|\.? ?[A-Z\d-]|\.\w)\.?(?=[ ,;:)]|$))"
)
_HUNDREDS = re.compile(r"(?<![\w$£€'’.,-])(?P<hundreds>1[0-8])00['’]?s(?![\w-])")


def _in_figures(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the fourteenth century" as "the 14th century", "mid-fourteenth" as "mid 14th"."""
    number = Piece(suffixed(_VALUES[plain_letters(match["word"])]), *match.span("word"))
    if not match["part"]:
        return (number,)
    start, end = match.span("part")
    return Piece(match["part"][:-1], start, end - 1), Piece(" ", end - 1, end), number


def _without_hyphens(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "mid-14th-century" as "mid 14th century"."""
    part = (Piece(f"{match['part'][:-1]} ", *match.span("part")),) if match["part"] else ()
    blank = (Piece(" ", *match.span("hyphen")),) if match["hyphen"] else ()
    return (*part, keep_group(match, "figure"), *blank)


def _short(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "C16th" and "16thC" as "16th century"."""
    return replace_match(match, f"{match['figure'] or match['number'] + 'th'} century")


def _hundreds(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the 1600s" as "the 17th century"; "the 1900s" may be a decade."""
    return replace_match(match, f"{suffixed(int(match['hundreds']) + 1)} century")


# Before and after Christ

_BEFORE_YEAR = re.compile(
    r"(?P<before>(?:^|[(,;–-]|\b(?:in|since|by|from|to|until|of|about|around|and|between|before"
    r"|after|circa|c\.|ca\.|during|year|early|late)) ?)"
    r"(?<!\d )(?<![\w.])(?P<era>A\.?D|B\.?C(?:\.?E)?)\.? ?(?P<year>[1-9]\d{0,3})"
    r"(?![\w-]|[.,]\d| ?[%°])(?! [a-z]+s\b)"
    rf"(?! (?:{MONTH})\b)",
)
_AFTER_YEAR = re.compile(
    r"(?<![\w.,])(?P<year>[1-9]\d{0,4}) ?(?P<era>(?:A\.?D|B\.?C(?:\.?E)?|C\.?E)"
    r"(?:\b(?!\.)|\.(?=[,;:)]| [a-z])|\b(?=\.)))(?!\w|['’]\w| marks?\b)"
)


def _with_era(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "AD 79" and "79 CE" as "79 AD", "580 BCE" as "minus 580 BC", so that the sign is another."""
    is_before = match["era"][0] == "B"
    start = min(match.start("era"), match.start("year"))
    before = Piece(match.string[match.start() : start], match.start(), start)
    written = f"minus {match['year']} BC" if is_before else f"{match['year']} AD"
    return before, Piece(written, start, match.end())


_RANGE = re.compile(
    r"(?<![\w.,–-])(?P<low>[1-9]\d{0,3})(?P<to> ?[–-] ?|(?: to| and) )(?=minus [1-9]\d{0,3} BC\b)"
    r"|(?<=\d BC)(?P<dash>[–-])(?=\d)"
)


def _range(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "580-560 BC" as "minus 580 BC to minus 560 BC", "27 BC-AD 14" as "minus 27 BC to 14 AD"."""
    if match["dash"]:
        return replace_match(match, " to ")
    words = match["to"].strip(" –-") or "to"
    return Piece(f"minus {match['low']} BC", *match.span("low")), Piece(
        f" {words} ", *match.span("to")
    )


_ERA_CUE = re.compile(r"(?:a\.?d|b\.?c|c\.?e)\.? ?\d|\d ?(?:a\.?d|b\.?c|c\.?e)")
CENTURIES = (
    Rule(_BEFORE_YEAR, _with_era, _ERA_CUE),
    Rule(_AFTER_YEAR, _with_era, _ERA_CUE),
    Rule(_RANGE, _range, re.compile(r"(?:[–-]| to | and ) ?minus \d+ bc|\d bc[–-]")),
    Rule(_IN_WORDS, _in_figures, re.compile("[ -]centur")),
    Rule(_SHORT, _short, re.compile(r"\bc\d|(?:th|st|nd|rd) ?c(?:ent)?\b")),
    Rule(_HYPHENS, _without_hyphens, re.compile(r"-\d|-cent|-\w+[ -]cent")),
    Rule(_HUNDREDS, _hundreds, re.compile("00['’]?s")),
)
CENTURIES_CUE = re.compile("|".join(rule.cue.pattern for rule in CENTURIES if rule.cue))
"""Rules for texts in which `CENTURIES_CUE` is found; before those of number words."""

# --- centuries of a summary as years of the source ------------------------------------------------


_PARTS = {
    "": PartOfPeriod(0, 100, 0, 100, 50),
    "early": PartOfPeriod(0, 35, 0, 40, 10),
    "mid": PartOfPeriod(35, 65, 25, 75, 50),
    "late": PartOfPeriod(65, 100, 60, 100, 90),
    "first half": PartOfPeriod(0, 50, 0, 50, 25),
    "second half": PartOfPeriod(50, 100, 50, 100, 75),
}
_CLAIMED = re.compile(
    r"(?P<before>\b(?:in|from|to|since|during|by|until|around|about) )the "
    rf"(?:(?P<part>{PART}|first half|second half)(?: of the )?[ -]?)?"
    rf"(?:(?P<century>{_FIGURE}|{_WORD})[ -]century(?! (?:AD|BC|B\.C))|(?P<hundreds>1[0-8])00s)"
    r"(?![\w-])",
    re.IGNORECASE,
)
_CENTURY = re.compile(rf"\b(?:{_FIGURE}|{_WORD})[ -]?centur|\bC\d\d|\d\d00s|\d(?:th|st|nd|rd) ?C\b")
_DATED = re.compile(
    r"(?<![\w.,$£€/:-])(?P<year>1\d{3}|20\d\d)(?P<decade>s)?(?![\w%/:-]|[.,]\d| ?(?:BC|B\.C))"
)
_BEFORE_YEARS = re.compile(
    rf"(?:\b(?:in|of|since|by|until|till|from|to|and|c\.|ca\.|circa|about|around|year|before|after"
    rf"|between|during|the|{PART}|{MONTH})|\d(?:st|nd|rd|th)?|[(,;:–-])"
    r" ?$",
    re.IGNORECASE,
)


def with_years_of_centuries(text: Mapped, source: str) -> Mapped:
    """A summary with "in 1387" for "in the late 14th century" where that is the one year of it that
    the source has. Where the only year of a source is in no such part, one in its middle stands for
    it: "in 1450" for "in the mid-15th century"."""
    if "century" not in text.text and "00s" not in text.text:
        return text
    return replace_pieces(text, list(_restated(text.text, source)))


def _restated(text: str, source: str) -> Iterator[Piece]:
    if _CENTURY.search(source):
        return
    years = _years(source)
    for match in _CLAIMED.finditer(text):
        start = 100 * (_number(match) - 1)
        part = _PARTS[plain_letters(match["part"] or "")]
        inside = [year for year in years if part.surely_has(year - start)]
        if len(inside) == 1:
            yield Piece(match["before"] + years[inside[0]], *match.span())
        elif len(years) == 1 and not part.may_have(min(years) - start):
            yield Piece(f"{match['before']}{start + part.middle}", *match.span())


def _number(match: re.Match[str]) -> int:
    if match["hundreds"]:
        return int(match["hundreds"]) + 1
    century = plain_letters(match["century"])
    return _VALUES[century] if century in _VALUES else int(century[:-2])


@lru_cache(maxsize=16)
def _years(source: str) -> dict[int, str]:
    """The years and decades of a source, each with how it is written."""
    years = {}
    for match in _DATED.finditer(source):
        start = match.start()
        if match["decade"] or _BEFORE_YEARS.search(source, max(0, start - 12), start):
            written = f"the {match.group()}" if match["decade"] else match.group()
            years[int(match["year"])] = written
    return years
