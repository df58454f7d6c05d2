"""Everyday words that notices, minutes and messages cut short, in full: "the dept." is "the
department", "p. 12" is "page 12", "Mill Rd" is "Mill Road". Only short forms with one meaning; what
does not live here: units (`units.py`) and terms of prices and contracts (`terms.py`).
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule, capitalise_like, keep_group, replace_match
from faithkit.language.words import plain_letters

# Words

_FULL = """
appointment=appt;appointments=appts;assistant=asst;association=assn ass'n;birthday=b'day bday;
building=bldg;buildings=bldgs;Christmas=xmas;councillor=cllr;councillors=cllrs;department=dept;
departments=depts;dozen=doz;floor=flr;government=govt gov't;international=int'l intl;
management=mgmt;manager=mgr;managers=mgrs;meeting=mtg;meetings=mtgs;message=msg;messages=msgs;
national=nat'l natl;people=ppl;please=pls plz;received=rec'd;required=req'd;
tomorrow=tmrw tmw 2moro 2morrow;treasurer=treas;university=univ;very good condition=vgc v.g.c;
weekend=wknd;weekends=wknds;yesterday=yday
"""
_WORDS = {
    short: full.strip()
    for full, shorts in (entry.split("=") for entry in _FULL.split(";"))
    for short in shorts.split()
}
_ANY = "|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True)).replace("'", "['’]")
_POINT = r"(?-i:(?<=llr)\.|\.(?=,? [a-z\d(]|[,;:)]))?"
"""That of an abbreviation, where no sentence ends with it."""
_WORD = re.compile(rf"(?<![\w@#./'’-])(?P<short>{_ANY})(?![\w@/'’-]|\.\w){_POINT}", re.IGNORECASE)


def _word(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the Dept." as "the Department"; nothing of other things' names in capitals ("MTG")."""
    short = match["short"]
    if short.isupper():
        return ()
    full = _WORDS[plain_letters(short).replace("’", "'")]
    return replace_match(match, capitalise_like(full, short))


# Before and after names and numbers

_STREETS = {"Ave": "Avenue", "Blvd": "Boulevard", "Hwy": "Highway", "Ln": "Lane", "Rd": "Road",
            "Sq": "Square", "St": "Street"}  # fmt: skip
_STREET = re.compile(
    r"(?P<name>\b(?!(?:The|Of|And|In|At|On) )(?:[A-Z][a-z'’]+|\d{1,3}(?:st|nd|rd|th)) )"
    rf"(?P<street>(?:{'|'.join(_STREETS)})\b{_POINT})(?!(?<=St)(?:\.? [A-Z]|\.$)| [A-Z]|[\w'’-])"
)
_BEFORE = {"Mt": "Mount ", "p.": "page ", "pp.": "pages ", "no.": "number ", "nos.": "numbers ",
           "c.": "about ", "ca.": "about ", "No": "Number ",
           "approx": "about ", "b.": "born "}  # fmt: skip
_SHORT = re.compile(
    r"(?<![\w.'’/-])(?:(?P<mount>Mt)\.? (?=[A-Z][a-z])"
    r"|(?P<page>pp?\.) ?(?=\d{1,4}\b(?![.,]\d))"
    r"|(?P<number>[Nn]os?\.) ?(?=\d)|(?<=[a-z,] )(?P<capital>No) (?=\d)"
    r"|(?<!\d )(?P<about>ca?\.|approx)(?:(?<=x)\.)? (?=[£$€]?\d)"
    r"|(?P<born>b\.) ?(?=(?:\d{1,2} )?(?:[A-Z][a-z]{2,8} (?:\d{1,2},? )?)?\d{4}\b))"
)
_OFFER = re.compile(rf"(?<=\d )o\.?n\.?o\b{_POINT}", re.IGNORECASE)
_OPPOSITE = re.compile(r"\bopp\. (?=the\b|[A-Z])")
_CLOSES = {"COB": "close of business", "EOD": "end of day"}
_CLOSE = re.compile(r"\b(?P<before>(?i:by|at|before|until|till) )(?P<close>COB|EOD)\b")


def _street(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Mill Rd" as "Mill Road"; nothing of "Chalfont St Peter"."""
    full = _STREETS[match["street"].rstrip(".")]
    return keep_group(match, "name"), Piece(full, *match.span("street"))


def _short(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "p. 12" as "page 12", "no. 7" as "number 7", "c. 40" as "about 40"."""
    written = match[match.lastgroup or 0]
    full = _BEFORE.get(written) or _BEFORE[plain_letters(written)].capitalize()
    return replace_match(match, full)


def _offer(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, "or nearest offer")


def _close(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "by COB Friday" as "by close of business Friday"."""
    return keep_group(match, "before"), Piece(_CLOSES[match["close"]], *match.span("close"))


def _opposite(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, "opposite ")


SHORTHAND = (
    Rule(_WORD, _word, re.compile(rf"\b(?:{_ANY})\b")),
    Rule(_STREET, _street, re.compile(rf" (?:{'|'.join(_STREETS).lower()})\b")),
    Rule(_SHORT, _short, re.compile(r"\b(?:mt|pp?\.|nos?\.|no \d|ca?\.|approx|b\.)")),
    Rule(_OFFER, _offer, re.compile(r"\d o\.?n")),
    Rule(_OPPOSITE, _opposite, re.compile(r"\bopp\.")),
    Rule(_CLOSE, _close, re.compile(r" (?:cob|eod)\b")),
)
SHORTHAND_CUE = re.compile("|".join(rule.cue.pattern for rule in SHORTHAND if rule.cue))
"""Rules for texts in which `SHORTHAND_CUE` is found; before those of numbers."""
