"""Amounts in one form: one scale, currencies in full after the number, ranges whose two ends
have all that they share, and signs as words ("< 5" is "less than 5"). What does not live here:
units (`units.py`).
"""

from __future__ import annotations

import re
from decimal import Decimal

from faithkit.language import lexicon
from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.notations.numerals import LARGE, LONG, NUMBER, in_scale
from faithkit.language.notations.units import AFTER_LABEL, CASED, LETTERS, UNIT, UNITS, singular
from faithkit.language.words import plain_letters

_CODES = "|".join(lexicon.CURRENCY_CODES)
MONEY_SIGN = rf"(?:(?<!\w)(?:{'|'.join(lexicon.DOLLARS)})?\$|[£€¥₹])"
_SIGN = rf"(?:{MONEY_SIGN}|(?<!\w)(?:{_CODES})|(?<!\w)(?-i:Rs)\.?)"
_COUNTED = "|".join(lexicon.COUNTED_NOUNS)
_OF_MONEY = rf" (?:{_CODES}|dollars|euros|pounds|rupees|yen|yuan|us dollars)\b| ?[$£€]"
"""What stands after an amount of money, where no sign stands before."""

# Money and scales

_ANYWHERE = "mn|mln|mio|bn|bln|mrd|(?!(?-i:TN))tn"
_OF_PRICES = f"k|mm|mil|m|b|bil|tril|cr|grand|{_ANYWHERE}"
_PRICED = re.compile(
    rf"(?P<sign>{_SIGN})\s?(?P<number>{NUMBER})"
    rf"(?:(?P<short>{_OF_PRICES})\b"
    rf"|(?P<long>(?:{LARGE}|[ -](?:{LARGE}|{_OF_PRICES}))\b))?(?!\w|,\d)",
    re.IGNORECASE,
)
# Without a sign, "40 grand" may be pianos.
_AFTER_GRAND = (
    "a|an|at|by|each|for|from|in|into|less|more|off|on|out|per|than|this|to|was|with|worth"
)
# " K" is a thousand before what is counted alone: "77 K" are kelvins, "K 4.1" is potassium.
_SCALED = re.compile(
    rf"(?<![\w.,$£€])(?P<number>{NUMBER})"
    rf"(?:(?P<long>[ -]?(?:{LARGE})\b)|(?P<short> ?(?:{_ANYWHERE})\b(?:\.(?={_OF_MONEY}))?"
    rf"|k\b(?![ -](?:{'|'.join(lexicon.RACES)})\b)| k(?= (?:{_COUNTED})\b|{_OF_MONEY})"
    rf"| ?k(?=/(?:[uµμ]l|mm3)\b)| ?[mb](?= (?:{_COUNTED})\b|{_OF_MONEY})"
    rf"| grand\b(?=[.,;:!?)]|$| (?:{_AFTER_GRAND})\b)))",
    re.IGNORECASE,
)
# Pension plans, screens, forms and clauses are counted by no thousands.
_PLANS = re.compile(r"40[13]k", re.IGNORECASE)
_SCREENS = re.compile(rf"[48]K(?! (?:{_COUNTED})\b)")
_FORMS = re.compile(r"(?:6|8|10|11)K(?= (?:filing|report|form|statement)s?\b)")
_CARATS = re.compile(
    r"(?<![\w.,-])(?P<number>9|10|14|18|2[124])(?P<unit>[ -]?(?:kt?|karats?|carats?|ct))"
    r"(?= (?:(?:rose|white|yellow|solid) )?gold\b)",
    re.IGNORECASE,
)
_PENSION = re.compile(r"(?<![\w$£€])(?P<plan>40[13])\((?P<letter>[kb])\)", re.IGNORECASE)


def _priced(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "£2.5m" as "2.5 million pounds"."""
    sign, name = match["sign"], plain_letters(match["sign"]).rstrip(".")
    money = lexicon.CURRENCY_CODES.get(name) or lexicon.BEFORE_AMOUNTS.get(name)
    if not money:
        money = lexicon.DOLLARS.get(plain_letters(sign[:-1]), "") + lexicon.CURRENCIES[sign[-1]]
    name = "short" if match["short"] else "long"
    if not match[name]:
        if money == "pounds" and (pence := _below_one(match, money)):
            return pence
        unit = singular(match["number"], money)
        return keep_group(match, "number"), Piece(f" {unit}", *match.span("sign"))
    return (*_amount(match, name), Piece(f" {money}", *match.span("sign")))


def _scaled(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "80k" as "80000"; nothing of a plan, a screen, a form, a clause or a room."""
    if plain_letters(match["short"] or "").strip() in ("k", "m", "b") and _is_no_scale(match):
        return ()
    return _amount(match, "short" if match["short"] else "long")


def _is_no_scale(match: re.Match[str]) -> bool:
    text, start = match.string, match.start()
    if any(names.match(text, start) for names in (_PLANS, _SCREENS, _FORMS)):
        return True
    return AFTER_LABEL.search(text, max(0, start - 14), start) is not None


def _carats(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "18k gold" as "18 carat gold"."""
    return keep_group(match, "number"), Piece(" carat", *match.span("unit"))


def _amount(match: re.Match[str], name: str) -> tuple[Piece, ...]:
    """The groups "number" and `name`, its scale, as "2.5 million", or "80000" below a million."""
    number, scale = in_scale(Decimal(match["number"]) * _scale(match[name]))
    if not scale:
        return (Piece(number, match.start("number"), match.end(name)),)
    return Piece(number, *match.span("number")), Piece(f" {scale}", *match.span(name))


def _scale(written: str) -> int:
    word = plain_letters(written.strip(" -."))
    return lexicon.SHORT_SCALES.get(word) or lexicon.SCALES[word]


def _pension(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "401(k)" as "401k"."""
    start, end = match.span("letter")
    return keep_group(match, "plan"), Piece(match["letter"], start - 1, end + 1)


# Ranges whose ends share a currency or a scale

_GROUPED_NUMBER = rf"(?:\d{{1,3}}(?:,\d{{3}})++|{NUMBER})"
_SHARED = re.compile(
    rf"(?:(?P<sign>{_SIGN}) ?|(?<![\w.,:/$£€¥₹–-]))(?P<low>{_GROUPED_NUMBER})"
    rf"(?P<low_scale>[ -]?(?:{LARGE})| ?(?:{_OF_PRICES}))?(?P<to> ?[–-] ?| to )"
    rf"(?P<again>{_SIGN} ?)?(?P<high>{_GROUPED_NUMBER})"
    rf"(?P<scale>[ -](?:{LARGE})\b|k\b| ?(?:{_ANYWHERE})\b"
    rf"| ?[km](?= (?:{_COUNTED})\b|{_OF_MONEY})|(?(sign) ?(?:{_OF_PRICES})\b|(?!)))?"
    r"(?![\w:–-]|/(?![a-z])|[.,]\d)",
    re.IGNORECASE,
)

_WITH_CENTS = re.compile(r"\.\d\d$")


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
        upper = [keep_group(match, "high")]
    elif scale and (match["low_scale"] or near):
        lower = [keep_group(match, "low"), _scale_word(match, "low_scale")]
        upper = [keep_group(match, "high"), _scale_word(match, "scale")]
    elif not scale and low < high and _is_range(match):
        lower, upper = [keep_group(match, "low")], [keep_group(match, "high")]
    else:
        return ()
    if sign:
        lower.insert(0, keep_group(match, "sign"))
    if sign or match["again"]:
        upper.insert(0, keep_group(match, "again" if match["again"] else "sign"))
    return (*lower, middle, *upper)


def _is_range(match: re.Match[str]) -> bool:
    """Whether two ends without a scale are one range: of money, if "to" stands between them only
    where both have cents ("$5 to 10 people" is none); of others, only if both are grouped."""
    ends = match["low"], match["high"]
    if match["to"] not in ("-", "–"):
        return bool(match["sign"]) and all(map(_WITH_CENTS.search, ends))
    return bool(match["sign"]) or all("," in end for end in ends)


def _scale_word(match: re.Match[str], name: str) -> Piece:
    """The scale of one end in full, that of the other where it has none."""
    name = name if match[name] else "scale"
    value = _scale(match[name])
    word = next(word for word, size in lexicon.SCALES.items() if size == value)
    return Piece(f" {word}", *match.span(name))


_PERCENTS = re.compile(rf"(?<![\w.,:/–-])(?P<low>{NUMBER} ?%)(?P<to> ?[–-] ?)(?={NUMBER} ?%)")


def _percents(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "3%-5%" as "3% to 5%"."""
    return keep_group(match, "low"), Piece(" to ", *match.span("to"))


# Signs

_COMPARISONS = {"<": "less than", ">": "more than", "<=": "at most", "≤": "at most", "⩽": "at most",
                ">=": "at least", "≥": "at least", "⩾": "at least"}  # fmt: skip
_START = rf"(?= ?(?:minus )?(?:{_SIGN})?\d)"
# Not of a heart, "<3".
_COMPARED = re.compile(
    rf"(?<![<>=~\d-])(?<!\d ) ?(?P<sign><=|>=|[<>≤≥⩽⩾])(?!(?<=<)3(?![\d.,%])){_START} ?",
    re.IGNORECASE,
)
_PATH = re.compile(r"\b[A-Z]\w+ > [A-Z][\w ]{1,40}$")
_CODE_AFTER = re.compile(rf"\d+(?!(?:(?i:{UNIT}|mm|bn|mn|th|st|nd|rd)|{CASED})\b)[A-Z]{{2}}")
_ABOUT = re.compile(rf"(?<![\w~])(?P<sign>[~≈]){_START} ?", re.IGNORECASE)
_PLUS_OR_MINUS = re.compile(r" ?(?P<sign>±|\+/[-–−]) ?(?=\d)")


def _compared(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "p<0.05" as "p less than 0.05"; the ">" of "<tove> 5" is a name's, and that of "Settings >
    Account > 2FA" a path's."""
    start, end = match.span("sign")
    text = match.string
    if _PATH.search(text[max(0, start - 60) : start]) or _CODE_AFTER.match(text, match.end()):
        return ()
    letters = match.string[max(0, start - 1)] + match.string[end]
    if match["sign"] == ">" and start and letters[0].isalnum() and letters[1] == " ":
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


_MONEY_CUE = re.compile(rf"[$£€¥₹]|{_CODES}|rs\.? ?\d")
RANGES = (
    Rule(_COMPARED, _compared, re.compile("[<>≤≥⩽⩾]")),
    Rule(_ABOUT, _about, re.compile("[~≈]")),
    Rule(_PLUS_OR_MINUS, _plus_or_minus, re.compile(r"±|\+/")),
    Rule(_PERCENTS, _percents, re.compile("% ?[–-]")),
    Rule(_SHARED, _shared, re.compile(r"(?:[–-] ?|\bto )[^\s\w]?\d")),
)
_IDLE_ZEROS = re.compile(
    r"(?<![\w.,])(?P<number>\d+)(?:(?P<part>\.\d*?[1-9])0+|\.0+)"
    rf"(?= (?:percent|(?:{'|'.join(sorted({*lexicon.CURRENCY_CODES.values()}))})|{LARGE})\b)"
)


def _without_idle_zeros(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1.50 dollars" as "1.5 dollars", "5.00 pounds" as "5 pounds"; not of a version, "3.10"."""
    if not match["part"]:
        return replace_match(match, match["number"])
    return keep_group(match, "number"), Piece(match["part"], match.start("part"), match.end())


_BELOW_ONE = re.compile(r"(?<![\w.,])(?P<number>0\.\d\d?)(?P<sign> (?:dollars|euros))\b")
_CENTS = re.compile(r"0\.(?=\d?[1-9])(\d\d?)")
_SECOND_OF_TWO = re.compile(r"\d(?: (?:to|and|or) |, | ?[–-] ?)$")
_FIRST_OF_TWO = re.compile(
    r" (?:to|and|or) \d[\d.]*+(?! (?:pounds|dollars|euros|pence|cents|USD|EUR|GBP)\b| ?[€%])"
)


def _below_one(match: re.Match[str], money: str = "") -> tuple[Piece, ...]:
    """ "0.85 dollars" as "85 cents" and "£0.85" as "85 pence", unless another amount goes with it,
    "0.5 to 2 dollars"."""
    text, start = match.string, match.start()
    cents = _CENTS.fullmatch(match["number"])
    is_second = not money and _SECOND_OF_TWO.search(text, max(0, start - 8), start)
    if not cents or is_second or _FIRST_OF_TWO.match(text, match.end()):
        return ()
    number = str(int(cents[1].ljust(2, "0")))
    name = singular(number, "pence" if money == "pounds" else "cents")
    return Piece(number, *match.span("number")), Piece(f" {name}", *match.span("sign"))


AMOUNTS = (
    Rule(_PRICED, _priced, _MONEY_CUE),
    Rule(_PENSION, _pension, re.compile(r"\d\(\w\)")),
    *LETTERS,
    Rule(_CARATS, _carats, re.compile("gold")),
    Rule(_SCALED, _scaled),
    *LONG,
    *UNITS,
    Rule(_IDLE_ZEROS, _without_idle_zeros, re.compile(r"\.\d*0 ")),
    Rule(_BELOW_ONE, _below_one, re.compile(r"\b0\.\d\d? [de]")),
)
