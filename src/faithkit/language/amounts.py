"""Amounts in one form: one scale, currencies and units in full after the number, ranges whose two
ends have all that they share, and signs as words ("< 5" is "less than 5").
"""

from __future__ import annotations

import re
from decimal import Decimal

from faithkit.language import lexicon
from faithkit.language.mapped import Piece, Rule, same
from faithkit.language.numerals import LARGE, LONG, NUMBER, in_scale
from faithkit.language.words import plain_letters

_CODES = "|".join(lexicon.CURRENCY_CODES)
_SIGN = rf"(?:(?<!\w)(?:{'|'.join(lexicon.DOLLARS)})?\$|[£€¥₹]|(?<!\w)(?:{_CODES}))"
_COUNTED = "|".join(lexicon.COUNTED_NOUNS)
_OF_MONEY = rf" (?:{_CODES}|dollars|euros|pounds|us dollars)\b| ?[$£€]"
"""What stands after an amount of money, where no sign stands before."""

# Money and scales

_PRICED = re.compile(
    rf"(?P<sign>{_SIGN})\s?(?P<number>{NUMBER})"
    r"(?:(?P<short>k|mm|mn|mln|mil|bn|bln|tn|m|b)\b"
    rf"|(?P<long>(?:{LARGE}|[ -](?:{LARGE}|k|mm|mn|mln|mil|bn|bln|tn|m|b))\b))?(?!\w|,\d)",
    re.IGNORECASE,
)
# Pension plans ("401k"), screens ("4K") and races ("10k") are no thousands.
_SCALED = re.compile(
    rf"(?<![\w.,$£€])(?!40[13]k\b)(?!(?-i:[48]K)\b(?! (?:{_COUNTED})\b))(?P<number>{NUMBER})"
    rf"(?:(?P<long>[ -]?(?:{LARGE})\b)|(?P<short> ?(?:mn|mln|bn|bln|tn)\b"
    rf"| ?k\b(?![ -](?:{'|'.join(lexicon.RACES)})\b)"
    rf"| ?m(?= (?:{_COUNTED})\b|{_OF_MONEY})| ?b(?={_OF_MONEY})))",
    re.IGNORECASE,
)
_PENSION = re.compile(r"(?<![\w$£€])(?P<plan>40[13])\((?P<letter>[kb])\)", re.IGNORECASE)


def _priced(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "£2.5m" as "2.5 million pounds"."""
    sign = match["sign"]
    money = lexicon.CURRENCY_CODES.get(plain_letters(sign))
    if not money:
        money = lexicon.DOLLARS.get(plain_letters(sign[:-1]), "") + lexicon.CURRENCIES[sign[-1]]
    name = "short" if match["short"] else "long"
    if not match[name]:
        unit = _of_number(match["number"], money)
        return same(match, "number"), Piece(f" {unit}", *match.span("sign"))
    return (*_amount(match, name), Piece(f" {money}", *match.span("sign")))


def _of_number(number: str, unit: str) -> str:
    """The unit in the singular after 1."""
    if number != "1":
        return unit
    words = unit.split()
    place = 0 if words[-1] in ("hour", "Celsius", "Fahrenheit") else -1
    words[place] = "foot" if words[place] == "feet" else words[place].removesuffix("s")
    return " ".join(words)


def _scaled(match: re.Match[str]) -> tuple[Piece, ...]:
    return _amount(match, "short" if match["short"] else "long")


def _amount(match: re.Match[str], name: str) -> tuple[Piece, ...]:
    """The groups "number" and `name`, its scale, as "2.5 million", or "80000" below a million."""
    number, scale = in_scale(Decimal(match["number"]) * _scale(match[name]))
    if not scale:
        return (Piece(number, match.start("number"), match.end(name)),)
    return Piece(number, *match.span("number")), Piece(f" {scale}", *match.span(name))


def _scale(written: str) -> int:
    word = plain_letters(written.strip(" -"))
    return lexicon.SHORT_SCALES.get(word) or lexicon.SCALES[word]


def _pension(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "401(k)" as "401k"."""
    start, end = match.span("letter")
    return same(match, "plan"), Piece(match["letter"], start - 1, end + 1)


# Units

_UNIT = "|".join(sorted(map(re.escape, lexicon.UNITS), key=len, reverse=True))
_CASED = "|".join(sorted(lexicon.CASED_UNITS, key=len, reverse=True))
# "5G" is a network, and "TB" and "L" after a blank are often no units.
_LETTERS = (
    r"(?-i:(?P<grams>(?:(?<=\d\d)|(?<=[01789])|(?=g of\b)|[ ])g)|(?P<litres> ?l|L)"
    r"|(?P<terabytes>TB| TB(?= of\b|[.,;)]|$)))"
    rf"|(?P<metres>[ -]?m)(?=[ -](?:{'|'.join(lexicon.DIMENSIONS)})\b)"
)
_MEASURED = re.compile(
    rf"(?P<number>(?<![\w.,])\d[\d.]*(?: (?:million|billion|trillion))?)"
    rf"(?:(?P<unit>[ -]?(?:{_UNIT}))|(?P<cased>[ -]?(?-i:{_CASED}))|{_LETTERS})(?!\w)",
    re.IGNORECASE,
)
_FEET = re.compile(
    r"(?<![\w.,])(?P<feet>[3-8])(?:['’′](?P<marked> ?(?:1[01]|\d))(?: ?[\"”″]| ?''|(?=\s|-tall))"
    r"|(?P<foot> ?(?:ft|foot|feet)\.? ?)(?P<inches>1[01]|\d)"
    r"(?P<inch>(?: ?ins?| ?inch(?:es)?)(?=[.,;:]| tall|$)| inch(?:es)?|in)\b)",
    re.IGNORECASE,
)


def _measured(match: re.Match[str]) -> tuple[Piece, ...]:
    name = match.lastgroup or ""
    written = match[name].strip(" -")
    full = lexicon.CASED_UNITS.get(written) or lexicon.UNITS.get(plain_letters(written)) or name
    unit = _of_number(match["number"], full)
    return same(match, "number"), Piece(f" {unit}", *match.span(name))


def _feet(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5'10"" as "5 feet 10 inches"."""
    feet = same(match, "feet")
    if match["marked"]:
        start, inches = match.start("marked"), match["marked"].strip()
        return feet, Piece(" feet ", feet.end, start), Piece(f"{inches} inches", start, match.end())
    foot, inch = Piece(" feet ", *match.span("foot")), Piece(" inches", *match.span("inch"))
    return feet, foot, same(match, "inches"), inch


# Ranges whose ends share a currency or a scale

_GROUPED_NUMBER = rf"(?:\d{{1,3}}(?:,\d{{3}})++|{NUMBER})"
_SHORT = "k|mm|mn|mln|mil|bn|bln|tn|m|b"
_SHARED = re.compile(
    rf"(?:(?P<sign>{_SIGN}) ?|(?<![\w.,:/$£€¥₹–-]))(?P<low>{_GROUPED_NUMBER})"
    rf"(?P<low_scale>[ -]?(?:{LARGE})| ?(?:{_SHORT}))?(?P<to> ?[–-] ?| to )"
    rf"(?P<again>{_SIGN} ?)?(?P<high>{_GROUPED_NUMBER})"
    rf"(?P<scale>[ -](?:{LARGE})\b| ?(?:k|mn|mln|bn|bln|tn)\b| ?m(?= (?:{_COUNTED})\b|{_OF_MONEY})"
    rf"|(?(sign) ?(?:mm|mil|m|b)\b|(?!)))?(?![\w/:–-]|[.,]\d)",
    re.IGNORECASE,
)


def _shared(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "$5-7 million" as "$5 million to $7 million", "20-30,000" as "20,000 to 30,000": what one
    end has is meant of both."""
    low, high = (Decimal(match[name].replace(",", "")) for name in ("low", "high"))
    dash = match["to"] != " to "
    thousands = match["high"].endswith(",000") and match["low"].isdigit()
    near = low < high and (dash or high < 10 * low)
    sign, scale = match["sign"] or "", match["scale"]
    middle = Piece(" to ", *match.span("to"))
    if match["low_scale"] and not scale:
        return ()
    if thousands and not scale and dash and low < high / 1000 < 10 * low:
        lower = [Piece(f"{match['low']},000", *match.span("low"))]
        upper = [same(match, "high")]
    elif scale and (match["low_scale"] or near):
        lower = [same(match, "low"), _scale_word(match, "low_scale")]
        upper = [same(match, "high"), _scale_word(match, "scale")]
    elif not scale and sign and match["to"] in ("-", "–") and low < high:
        lower, upper = [same(match, "low")], [same(match, "high")]
    else:
        return ()
    if sign:
        lower.insert(0, same(match, "sign"))
    if sign or match["again"]:
        upper.insert(0, same(match, "again" if match["again"] else "sign"))
    return (*lower, middle, *upper)


def _scale_word(match: re.Match[str], name: str) -> Piece:
    """The scale of one end in full, that of the other where it has none."""
    name = name if match[name] else "scale"
    value = _scale(match[name])
    word = next(word for word, size in lexicon.SCALES.items() if size == value)
    return Piece(f" {word}", *match.span(name))


# Signs

_COMPARISONS = {"<": "less than", ">": "more than", "<=": "at most", "≤": "at most", "⩽": "at most",
                ">=": "at least", "≥": "at least", "⩾": "at least"}  # fmt: skip
_START = rf"(?= ?(?:minus )?(?:{_SIGN})?\d)"
# Not of a heart, "<3".
_COMPARED = re.compile(
    rf"(?<![<>=~\d-])(?<!\d ) ?(?P<sign><=|>=|[<>≤≥⩽⩾])(?!(?<=<)3(?![\d.,%])){_START} ?",
    re.IGNORECASE,
)
_ABOUT = re.compile(rf"(?<![\w~])(?P<sign>[~≈]){_START} ?", re.IGNORECASE)
_PLUS_OR_MINUS = re.compile(r" ?(?P<sign>±|\+/[-–−]) ?(?=\d)")


def _compared(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "p<0.05" as "p less than 0.05"; a ">" that begins a text is a quotation's, and that
    of "<tove> 5" a name's."""
    start, end = match.span("sign")
    letters = match.string[max(0, start - 1)] + match.string[end]
    if match["sign"] == ">" and (start == 0 or (letters[0].isalnum() and letters[1] == " ")):
        return ()
    return _in_words(match, _COMPARISONS[match["sign"]])


def _in_words(match: re.Match[str], words: str) -> tuple[Piece, ...]:
    """The words in place of the sign, with blanks around them."""
    first = match.start() == 0 or match.string[match.start() - 1] in "(["
    return (Piece(f"{words} " if first else f" {words} ", *match.span("sign")),)


def _about(match: re.Match[str]) -> tuple[Piece, ...]:
    return (Piece("about ", *match.span("sign")),)


def _plus_or_minus(match: re.Match[str]) -> tuple[Piece, ...]:
    return _in_words(match, "plus or minus")


_MONEY_CUE = re.compile(rf"[$£€¥₹]|{_CODES}")
RANGES = (
    Rule(_COMPARED, _compared, re.compile("[<>≤≥⩽⩾]")),
    Rule(_ABOUT, _about, re.compile("[~≈]")),
    Rule(_PLUS_OR_MINUS, _plus_or_minus, re.compile(r"±|\+/")),
    Rule(_SHARED, _shared, re.compile(r"(?:[–-] ?|\bto )[^\s\w]?\d")),
)
AMOUNTS = (
    Rule(_PRICED, _priced, _MONEY_CUE),
    Rule(_PENSION, _pension, re.compile(r"\d\(\w\)")),
    Rule(_SCALED, _scaled),
    *LONG,
    Rule(_FEET, _feet, re.compile(r"\d ?(?:f|['’′])")),
    Rule(_MEASURED, _measured),
)
