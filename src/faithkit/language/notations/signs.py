"""Signs and symbols as words: "ER+" is "ER positive", "▲ 5%" is "up 5%", "★★★★☆" is "4 of 5 stars",
"$(5)" and "$-5" are "minus $5". What does not live here: ticks and boxes (`checkboxes.py`),
comparisons and amounts (`amounts.py`).
"""

from __future__ import annotations

import re

from faithkit.language import lexicon
from faithkit.language.layout.checkboxes import TICKS, TICKS_CUE
from faithkit.language.mapped import Form, Piece, Rule, keep_group, replace_match
from faithkit.language.notations.amounts import MONEY_SIGN

_NEEDS_BLANK = re.compile(r"[\w$£€¥₹+(]|\.\d")


def _in_words(match: re.Match[str], words: str) -> tuple[Piece, ...]:
    """The words in place of the match, mapped to its group "sign", with blanks around them."""
    start, end = match.span()
    before = "" if start == 0 or match.string[start - 1] in " ([" else " "
    after = " " if _NEEDS_BLANK.match(match.string, end) else ""
    return (Piece(f"{before}{words}{after}", *match.span("sign")),)


def _from(table: dict[str, str]) -> Form:
    return lambda match: _in_words(match, table[match["sign"]])


# Stars

_STAR_ROW = re.compile(r"(?<![★☆⭐] )(?<![★☆⭐])(?P<sign>[★☆⭐](?: ?[★☆⭐½]){1,9})(?! ?[★☆⭐½])")
_STARS = re.compile(r"(?<![\w.,])(?P<number>\d(?:\.\d)?)(?P<sign>[★⭐])(?! ?[★☆⭐])")


def _star_row(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "★★★★☆" as "4 of 5 stars", "⭐⭐⭐½" as "3.5 stars"."""
    row = match.group().replace(" ", "")
    full, half = row.count("★") + row.count("⭐"), row.count("½")
    number = f"{full}.5" if half else f"{full}"
    return _in_words(match, f"{number} of {len(row)} stars" if "☆" in row else f"{number} stars")


def _stars(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "4.5★" as "4.5 stars"."""
    return _counted(match, "star")


def _counted(match: re.Match[str], unit: str) -> tuple[Piece, ...]:
    plural = "" if match["number"] == "1" else "s"
    return keep_group(match, "number"), Piece(f" {unit}{plural}", match.end("number"), match.end())


# Symbols with one meaning

_CENTS = re.compile(r"(?<![\w.,])(?P<number>\d[\d.,]*) ?(?P<sign>¢)")
_PER_MILLE = re.compile(r"(?<=\d) ?(?P<sign>‰)")
# After the picture of a person it is part of that.
_SEX = re.compile(r"(?<![\U0001f300-\U0001faff⛹])(?P<sign>[♀♂])")
_UP_DOWN = "".join(lexicon.UP_DOWN)
_BEFORE_NUMBER = re.compile(rf"(?<![{_UP_DOWN}])(?P<sign>[{_UP_DOWN}]) ?(?=[+$£€¥₹]?\.?\d)")
_AFTER_NUMBER = re.compile(rf"(?<=[\d%]) ?(?P<sign>[{_UP_DOWN}])(?![{_UP_DOWN}])")
_CLAUSE = r"(?:^|(?<=[,;:|(] )|(?<= )(?=(?:and|but|while) ))"
_FEW_WORDS = r"[^\W\d][\w'’/-]*+(?: [^\W\d][\w'’/-]*+){0,3}"
_CLAUSE_ENDS = r"(?= ?(?:$|[,;|)]|\.$)| (?:and|but|while)\b)"
_AFTER_WORDS = re.compile(
    rf"{_CLAUSE}(?P<words>(?:(?:and|but|while) )?{_FEW_WORDS}) ?(?P<sign>[{_UP_DOWN}])"
    + _CLAUSE_ENDS
)
_BEFORE_WORDS = re.compile(rf"{_CLAUSE}(?P<sign>[⬆↑▲⬇↓▼]) ?(?P<words>{_FEW_WORDS}){_CLAUSE_ENDS}")
_IN_CELL = re.compile(rf"(?<=\| )(?P<sign>[{_UP_DOWN}])(?= ?(?:\||$))")
_DIRECTIONS = re.compile(r"(?:above|back|below|down|here|menu|more|next|top|up)$", re.IGNORECASE)
_PICTURE = rf"(?P<sign>[{''.join(lexicon.PICTURES)}])[🏻-🏿]?"
_AS_ANSWER = re.compile(rf"(?<=[:=] ){_PICTURE}(?= ?(?:[^\w ]|$))")
_AS_WORD = re.compile(
    r"(?P<before>\b(?:is|are|was|were|be|been|a|an|the|got|gets?|gave|as|to|from) )" + _PICTURE
)
# Not of a factorial, "5!=120".
_UNEQUAL = re.compile(
    r"(?:(?<=[^\s=]) ?(?P<sign>≠) ?|(?: |(?<=[^\s=!\d]))(?P<code>!==?) ?)(?=[^\s=])"
)

_LONG_ARROW = re.compile(r" ?(?P<sign>-->) ?")


def _beside_words(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Energy costs ⬆, profit ⬇" as "Energy costs up, profit down"; not "Back to top ↑"."""
    words = match["words"]
    if _DIRECTIONS.search(words) or words.rsplit(" ", 1)[-1].lower() in lexicon.STOP_WORDS:
        return ()
    sign = lexicon.UP_DOWN[match["sign"]]
    if match.start("sign") < match.start("words"):
        return Piece(f"{sign} ", match.start(), match.start("words")), keep_group(match, "words")
    return keep_group(match, "words"), Piece(f" {sign}", *match.span("sign"))


def _cents(match: re.Match[str]) -> tuple[Piece, ...]:
    return _counted(match, "cent")


def _per_mille(match: re.Match[str]) -> tuple[Piece, ...]:
    return _in_words(match, "per mille")


def _as_word(match: re.Match[str]) -> tuple[Piece, ...]:
    """The picture where a word is expected: "The status is 🟢"."""
    word = Piece(lexicon.PICTURES[match["sign"]], match.end("before"), match.end())
    return keep_group(match, "before"), word


def _unequal(match: re.Match[str]) -> tuple[Piece, ...]:
    return (Piece(" is not ", *match.span("sign" if match["sign"] else "code")),)


# Results of tests

_RESULTS = {"+": "positive", "-": "negative"}
_MARKER = rf"(?:{'|'.join(lexicon.MARKERS)}|CD\d{{1,3}}[a-z]?)"
# Not the hyphen of a word that follows: "HIV- and TB-infected", "HIV- infected".
_NO_HYPHEN = (
    r"(?!(?:,? [\w-]+){0,3},? (?:and|or) \w+-[a-z])"
    r"(?! (?:\w+(?:ed|ive|ing)|mutant|specific)\b)"
)
_RESULT = re.compile(
    rf"(?<=\w) ?(?P<sign>\((?P<inside>[+-])\))(?![\w-])"
    rf"|(?<![\w-])(?P<marker>{_MARKER})(?P<attached>\+|-{_NO_HYPHEN})(?![\w+-])"
    rf"|(?:^|(?<=[\s(/\d])|(?<=[A-Z]{{2}})|(?<=Rh))(?P<first>[+-])ve(?![\w-])"
)


def _result(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "HER2 (+)", "HER2+" and "HER2 +ve" as "HER2 positive"."""
    if match["marker"]:
        sign = Piece(f" {_RESULTS[match['attached']]}", *match.span("attached"))
        return keep_group(match, "marker"), sign
    if match["inside"]:
        return _in_words(match, _RESULTS[match["inside"]])
    start = match.start()
    blank = " " if start and match.string[start - 1].isalnum() else ""
    return replace_match(match, blank + _RESULTS[match["first"]])


# Negative amounts

_NUMBER = r"(?:\d{1,3}(?:,\d{3})++(?:\.\d++)?|\d++(?:\.\d++)?)"
_AMOUNT = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)"  # not of a year or a note
_SMALL = "|".join(lexicon.NUMBER_WORDS)
_SCALE = " ?(?:million|billion|trillion|k|m|mn|bn)"
_IN_BRACKETS = re.compile(
    rf"(?P<money>{MONEY_SIGN})(?: (?=\({_AMOUNT}\)))?\((?P<number_1>{_NUMBER})\)(?!\$)"
    rf"|(?<![\w)])\((?P<number_2>{MONEY_SIGN}?{_NUMBER})\)"
    r"(?= ?%| (?:million|billion|trillion)\b|(?:k|m|mn|bn)\b)"
    rf"|(?<=[a-z):] )\((?P<number_3>{MONEY_SIGN}{_NUMBER}(?:{_SCALE})?|{_AMOUNT}|{_NUMBER} ?%)\)",
    re.IGNORECASE,
)
_RESULT_WAS = re.compile(
    r"(?:\((?:loss|deficit)\)"
    r"|\b(?:income|profit|earnings|eps|ebitda?|margin|result|surplus|cash flow|growth|per share)"
    r"(?: [\w()-]+){0,6}?(?: (?:was|were|is|of|at|to)|:)) $",
    re.IGNORECASE,
)
_LESS = re.compile(
    rf"(?:(?<!\()\b(?:loss|deficit|outflow)\b.*|\b(?:{_SMALL})|\d) ?$", re.IGNORECASE
)
_AFTER_MONEY = re.compile(rf"(?<![-\d])(?P<money>{MONEY_SIGN})-(?=\.?\d)")


def _in_brackets(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "$(5)", "(5)%" and "Net income was ($5.0)" as "minus $5", "minus 5%", "minus $5.0". After a
    loss or a number in words it is the same again."""
    before = match.string[max(0, match.start() - 60) : match.start()]
    if _LESS.search(before) or (match["number_3"] and not _RESULT_WAS.search(before)):
        return ()
    name = next(name for name in ("number_1", "number_2", "number_3") if match[name])
    start, end = match.span(name)
    minus = Piece("minus ", start - 1, start)
    number = Piece(match[name], start, end + 1)
    return (minus, keep_group(match, "money"), number) if match["money"] else (minus, number)


def _after_money(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "£-3m" as "minus £3m"."""
    end = match.end()
    return Piece("minus ", end - 1, end), keep_group(match, "money")


# Minus

_PLAIN = r"(?:\d++(?:\.\d++)?+|\.\d++)"
_NOT_BEFORE = r"[^ (\[=≤≥≈~]"
_MINUS = re.compile(
    rf"(?<!{_NOT_BEFORE})[-–−](?={MONEY_SIGN}\.?\d|\d+\.\d+[–-]\d+\.\d"
    rf"|{_PLAIN}(?!:|[–-]\d| ?[ap]\.?m\b))",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"[-–−](?:\d*\.\d|\d+ ?(?:%|°|degrees\b))", re.IGNORECASE)
_AFTER_WORD = re.compile(r"(?:[(\[=≤≥≈~] ?|[^\W\dA-Z_] |[A-Z]{2} |[,:;|<>] )$")
_AFTER_AMOUNT = re.compile(r"\d ?(?!(?:and|to|or|at|from|is|was) )[\w.%]+ $")
_NEGATIVE_RANGE = re.compile(r"(?P<low>\bminus \d[\d.]*%?)(?P<to> ?[-–] ?[-–−])(?=\.?\d)")


def _minus(match: re.Match[str]) -> tuple[Piece, ...]:
    """The sign after a word or another sign; after an amount it is a range's. A text may begin with
    a bullet, so there only before a decimal or a measure."""
    start = match.start()
    before = match.string[max(0, start - 20) : start]
    if start == 0 or before.endswith(") "):
        is_minus = _MEASURED.match(match.string, start) is not None
    else:
        is_minus = bool(_AFTER_WORD.search(before)) and not _AFTER_AMOUNT.search(before)
    if not is_minus:
        return ()
    return replace_match(match, "minus " if start == 0 or before[-1] in " ([" else " minus ")


def _negative_range(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "minus 2--1" as "minus 2 to minus 1"."""
    return keep_group(match, "low"), Piece(" to minus ", *match.span("to"))


_BELOW_ZERO = re.compile(
    r"(?<![\w.,–-])(?P<range>(?P<low>\d++(?:\.\d++)?+)(?P<to> ?[–-] ?| (?:to|or|and) ))?"
    r"(?P<number>\d++(?:\.\d++)?+)"
    r"(?P<unit>(?: ?°| degrees?)?(?: ?(?:[CF]|Celsius|Fahrenheit))?)(?P<below> below zero)\b",
    re.IGNORECASE,
)
_DASH = re.compile(" ?[-–] ?")
_FROM = re.compile(r"(?:\bfrom|\bminus|[–−-]) ?$", re.IGNORECASE)


def _below_zero(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5 to 10 degrees below zero" as "minus 5 to minus 10 degrees"; nothing of "from 5 to 10
    below zero", whose first end may be above."""
    if _FROM.search(match.string[max(0, match.start() - 6) : match.start()]):
        return ()
    minus = Piece("minus ", *match.span("below"))
    below = (minus, keep_group(match, "number"), keep_group(match, "unit"))
    if not match["range"]:
        return below
    to = Piece(_DASH.sub(" to ", match["to"]), *match.span("to"))
    return (minus, keep_group(match, "low"), to, *below)


_SYMBOLS = "★☆⭐¢‰♀♂" + _UP_DOWN + "".join(lexicon.PICTURES)
SYMBOLS_CUE = re.compile(f"[{_SYMBOLS}]|{TICKS_CUE.pattern}")
SYMBOLS = (
    Rule(_STAR_ROW, _star_row, re.compile("[★☆⭐]")),
    Rule(_STARS, _stars, re.compile("[★⭐]")),
    Rule(_CENTS, _cents, re.compile("¢")),
    Rule(_PER_MILLE, _per_mille, re.compile("‰")),
    Rule(_SEX, _from({"♀": "female", "♂": "male"}), re.compile("[♀♂]")),
    *TICKS,
    Rule(_BEFORE_NUMBER, _from(lexicon.UP_DOWN), re.compile(f"[{_UP_DOWN}]")),
    Rule(_AFTER_NUMBER, _from(lexicon.UP_DOWN), re.compile(f"[{_UP_DOWN}]")),
    Rule(_AFTER_WORDS, _beside_words, re.compile(f"[{_UP_DOWN}]")),
    Rule(_BEFORE_WORDS, _beside_words, re.compile(f"[{_UP_DOWN}]")),
    Rule(_IN_CELL, _from(lexicon.UP_DOWN), re.compile(f"[{_UP_DOWN}]")),
    Rule(_AS_ANSWER, _from(lexicon.PICTURES), re.compile(f"[{''.join(lexicon.PICTURES)}]")),
    Rule(_AS_WORD, _as_word, re.compile(rf"[{''.join(lexicon.PICTURES)}]")),
)
"""Rules for texts in which `SYMBOLS_CUE` is found."""
UNEQUAL_CUE = re.compile("≠|!=|-->")
UNEQUAL = (
    Rule(_UNEQUAL, _unequal, re.compile("≠|!=")),
    Rule(_LONG_ARROW, _from({"-->": "->"}), re.compile("-->")),
)
RESULTS_CUE = re.compile(r"[+-](?:[^\w+-]|ve\b|$)")
RESULTS = (Rule(_RESULT, _result),)
NEGATIVES = (
    Rule(_IN_BRACKETS, _in_brackets, re.compile(r"\([a-z]{0,2}[^\w\s]?\d[\d,.]*(?: ?[a-z%]+)?\)")),
    Rule(_AFTER_MONEY, _after_money, re.compile(r"[$£€¥₹]-\.?\d")),
    Rule(_MINUS, _minus, re.compile(rf"[-–−](?<!{_NOT_BEFORE}.)[a-z]{{0,2}}[^\s\w]{{0,2}}\d")),
    Rule(_NEGATIVE_RANGE, _negative_range, re.compile(r"[-–] ?[-–−]\.?\d")),
    Rule(_BELOW_ZERO, _below_zero, re.compile("below zero")),
)
"""Rules for texts with digits; before those of `amounts.py`."""
