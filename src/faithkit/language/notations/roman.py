"""Roman numerals as numbers: "type II" is "type 2", "Louis XIV", "Louis the Fourteenth" and "Louis
the 14th" are "Louis 14", "Super Bowl XLII" is "Super Bowl 42", "MCMLXXIV" is "1974".

Letters alone are mostly something else ("I", "Malcolm X", "vitamin C"), and so are "XL", "MD", "CV"
and "IV" in a clinical note. So what stands before a numeral has to tell. "I" after a name stays.
"""

from __future__ import annotations

import re

from faithkit.language import lexicon
from faithkit.language.calendar_words import MONTH
from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.notations import measures
from faithkit.language.words import plain_letters

_DIGITS = (
    ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"),
    ("", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"),
    ("", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"),
    ("", "M", "MM"),
)


def numeral_of(number: int) -> str:
    """ "XLII" of 42; of numbers below 3000."""
    places = enumerate(reversed(str(number)))
    return "".join(reversed([_DIGITS[place][int(digit)] for place, digit in places]))


_VALUES = {numeral_of(number): number for number in range(1, 90)}
_YEARS = {numeral_of(year): year for year in range(1500, 2100)}
LEAST_OF_YEAR = 4
"""Letters of a year in Roman numerals: "MD" and "MDI" are something else."""

# After the nouns that are numbered

_SIZES = ("L", "XL")
_ROMAN = "|".join(sorted(_VALUES.keys() - set(_SIZES), key=len, reverse=True))
_BEYOND_ONE = "|".join(numeral for numeral in _ROMAN.split("|") if numeral != "I")
_NOUNS = "|".join([*measures.NUMBERED, "scene", "vol\\.", "ch\\."])
_NUMBERED = re.compile(
    rf"\b(?P<noun>(?i:{_NOUNS}|world war)s?) "
    rf"(?P<numerals>(?P<first>{_ROMAN})[A-Ca-c]?"
    rf"(?:[/–-](?:{_ROMAN})[A-Ca-c]?\b|(?: and | or | to |, )(?:{_BEYOND_ONE})[A-Ca-c]?\b(?!-))*)"
    r"(?![\w'’]|[./-]\w)"
)
_NUMERAL = re.compile(rf"\b(?:{_ROMAN})(?=[A-Ca-c]?\b)")
# "I" is mostly the pronoun: "the type I like".
_AFTER_ONE = re.compile(
    rf"[.,;:)\]/–-]|$| (?:{'|'.join(measures.AFTER_FIRST)})\b| (?:and|or|to) (?:{_BEYOND_ONE})\b"
)
_WITH_LETTERS = ("type", "stage", "phase", "class", "grade")
"""After these "X" is mostly a letter."""
_SCENE = re.compile(
    r"\b(?P<noun>[Ss]cene )(?P<numeral>i(?=[.,;:)]|$)|i{2,3}|iv|vi{0,3}|ix)(?![\w'’-])"
)
_ONE = re.compile(
    r"\b(?P<noun>(?:Act|Scene|Chapter|Book|Part|Volume|Episode|Season|Series|World War) )"
    r"[Oo]ne(?![\w'’-])"
)
_ABBREVIATED = re.compile(r"\b(?P<first>[Vv]ol|[Cc]h)\. ?(?=[IVXLC\d]+\b)")


_OF_VEINS = re.compile(
    r"\b(?:mg|mcg|ml|doses?|infus\w+|antibiotics?|fluids?|saline|drip|bolus|patients?|given"
    r"|started|intravenous\w*|oral\w*|catheter|drugs?|access|cannula|line|push|therapy|hospital"
    r"|po|im|vancomycin|ceftriaxone|morphine|steroids?)\b",
    re.IGNORECASE,
)


def _is_of_veins(match: re.Match[str]) -> bool:
    """Whether "IV" may say that something is given into a vein."""
    near = match.string[max(0, match.start() - 60) : match.end() + 60]
    return _OF_VEINS.search(near) is not None


def _roman(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "type II" as "type 2", "stages IIIa and IV" as "stages 3a and 4"."""
    noun, numerals = plain_letters(match["noun"]), match["numerals"]
    if numerals == "I" and noun != "world war" and not _AFTER_ONE.match(match.string, match.end()):
        return ()
    if numerals == "X" and noun.startswith(_WITH_LETTERS):
        return ()
    if numerals == "IV" and noun == "volume" and _is_of_veins(match):
        return ()
    start, end = match.span("numerals")
    pieces = [Piece(match.string[match.start() : start], match.start(), start)]
    for numeral in _NUMERAL.finditer(match.string, start, end):
        between = pieces[-1].end, numeral.start()
        pieces += [
            Piece(match.string[slice(*between)], *between),
            Piece(str(_VALUES[numeral.group()]), *numeral.span()),
        ]
    return (*pieces, Piece(match.string[pieces[-1].end : end], pieces[-1].end, end))


def _scene(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Scene ii" as "Scene 2"."""
    value = _VALUES[match["numeral"].upper()]
    return keep_group(match, "noun"), Piece(str(value), *match.span("numeral"))


def _one(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Act One" as "Act 1"."""
    return keep_group(match, "noun"), Piece("1", match.end("noun"), match.end())


def _in_full(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Vol. II" as "Volume II", "ch. 9" as "chapter 9"."""
    return replace_match(
        match, f"{match['first']}{'ume' if match['first'][1] == 'o' else 'apter'} "
    )


# After names

_RULERS = lexicon.word_set("""
adrian alexander alexios alfonso amenhotep andrew baldwin basil benedict boniface carl casimir
catherine charles christian christina clement constantine cyrus darius edward elizabeth eric
eugene ferdinand francis franz frederick george gregory gustaf gustav haakon hadrian harald
henri henry honorius innocent isabella ivan james john joseph julius karl katherine ladislaus
leo leopold louis ludwig manuel margaret mary maximilian mehmed mustafa napoleon nicholas otto
paul pedro peter philip philippe pius ptolemy rameses ramesses ramses richard robert rudolf
selim sigismund sixtus stephen suleiman sylvester theodosius thutmose umberto urban valentinian
wilhelm william xerxes
""")
"""First names that kings, queens and popes have had with a numeral."""
_TITLED = re.compile(
    r"\b(?:king|queen|pope|emperor|empress|tsar|tsarina|czar|sultan|shah|pharaoh|prince|princess"
    r"|duke|patriarch) $",
    re.IGNORECASE,
)
_SERIES = (
    "super bowl", "wrestlemania", "final fantasy", "grand theft auto", "rocky", "apollo",
)  # fmt: skip
_AFTER_ANY = ("II", "III", "IV", "VI", "VII", "VIII", "IX")
"""Numerals that are little else after any word: "Robert Hale III", "angiotensin II"."""
_WORD = r"(?<![\w'’.-])(?P<name>(?:[Ss]uper |[Ff]inal |[Gg]rand [Tt]heft )?[A-Za-z]{3,}) "
_FIRST_NAME = re.compile(r"\b[A-Z][\w.'’-]* $")
_MONTH_AFTER = rf"(?! (?:{MONTH})\b)"
_NAMED = re.compile(
    rf"{_WORD}(?P<numeral>[IVX]+|[LXVI]{{1,8}}|[lxvi]{{2,8}})"
    rf"(?![\w-]|['’](?!s\b)|[./]\w|(?<= [VX])\. [A-Z]){_MONTH_AFTER}"
)


def _named(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Louis XIV" as "Louis 14", "Super Bowl XLII" as "Super Bowl 42"; "Charles I", "IV fluids"
    and "England XI" stay."""
    name, written = plain_letters(match["name"]), match["numeral"]
    numeral = written.upper()
    if numeral not in _VALUES or numeral == "I" or name in lexicon.STOP_WORDS:
        return ()
    is_ruler = "L" not in numeral and _is_ruler(match)
    has_own = is_ruler or name in _SERIES
    if written.islower() and not (has_own and match["name"].islower()):
        return ()
    if not has_own and numeral not in _AFTER_ANY:
        return ()
    if numeral == "IV" and not (has_own or _has_first_name(match)):
        return ()
    if numeral == "IV" and _is_of_veins(match):
        return ()
    return keep_group(match, "name"), Piece(f" {_VALUES[numeral]}", match.end("name"), match.end())


def _has_first_name(match: re.Match[str]) -> bool:
    """Whether a name has another one before it: "Robert Hale IV"."""
    before = match.string[max(0, match.start() - 20) : match.start()]
    return match["name"][0].isupper() and _FIRST_NAME.search(before) is not None


def _is_ruler(match: re.Match[str]) -> bool:
    """Whether a name is a king's or a pope's, or has such a title before it."""
    start = match.start()
    if plain_letters(match["name"]) in _RULERS:
        return True
    return _TITLED.search(match.string, max(0, start - 12), start) is not None


_ORDINALS = {"first": "1", "second": "2", **lexicon.ORDINALS}
_ORDINAL = "|".join(word for word, value in _ORDINALS.items() if int(value) < 40)
_GOES_ON = (
    r"(?=['’]s\b|[.,;:)!?]|$| (?:was|is|had|has|and|or|in|of|at|to|on|by|as|who|from|with|for|did"
    r"|would|could|never|also|became|came|went|took|gave|made|fought|fled|fell|left|lost|met|sent"
    r"|wrote|won|built|spent|[a-z]{2,}ed)\b)"
)
_IN_ORDINALS = re.compile(
    rf"{_WORD}(?:(?P<the>the )?(?P<digits>\d{{1,2}})(?:st|nd|rd|th)"
    rf"|the (?P<word>{_ORDINAL})){_GOES_ON}",
    re.IGNORECASE,
)


def _in_ordinals(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Louis the Fourteenth", "Louis the 14th" and "Louis 14th" as "Louis 14", "Elizabeth the
    First" as "Elizabeth I"."""
    if not _is_ruler(match):
        return ()
    number = match["digits"] or _ORDINALS[plain_letters(match["word"])]
    written = "I" if number == "1" else str(int(number))
    return keep_group(match, "name"), Piece(f" {written}", match.end("name"), match.end())


# Years

_YEAR = re.compile(r"(?<![\w.'’-])M(?:CM|M|DC|D)[MDCLXVI]{0,13}(?![\w'’-])")


def _year(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "MCMLXXIV" as "1974"."""
    value = _YEARS.get(match.group()) if len(match.group()) >= LEAST_OF_YEAR else None
    return replace_match(match, str(value)) if value else ()


_CUES = (
    rf"(?:{_NOUNS}|war)s? [ivxl]",
    "scene [iv]",
    r" one\b",
    r"\b(?:vol|ch)\.",
    r"[a-z] [ivxl]+\b",
    r"[a-z] (?:the \w|\d\d?(?:st|nd|rd|th))",
    r"\bm[mcd][mdclxvi]+\b",
)
ROMAN_CUE = re.compile("|".join(_CUES))
ROMAN = (
    Rule(_ABBREVIATED, _in_full, re.compile(_CUES[3])),
    Rule(_NUMBERED, _roman, re.compile(_CUES[0])),
    Rule(_SCENE, _scene, re.compile(_CUES[1])),
    Rule(_ONE, _one, re.compile(_CUES[2])),
    Rule(_NAMED, _named, re.compile(_CUES[4])),
    Rule(_IN_ORDINALS, _in_ordinals, re.compile(_CUES[5])),
    Rule(_YEAR, _year, re.compile(_CUES[6])),
)
"""Rules for texts in which `ROMAN_CUE` is found; after those of number words."""
