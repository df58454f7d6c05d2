"""Currencies and scales that stand beside an amount: in the label of its field, the header of its
column, a field "currency" or a sentence ("All amounts in EUR"). They are put behind the amount, as
prose has them: "Total (EUR): 40" is "Total (EUR): 40 EUR".

What lives here: what the unit of an amount is. What does not: where cells are (`grids.py`), how
amounts are read (`amounts.py`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from faithkit.language import lexicon
from faithkit.language.layout.grids import Cell, tables
from faithkit.language.mapped import Mapped, Piece, replace_pieces
from faithkit.language.notations.quantities import unit_of_label

LONGEST = 60
"""Characters before an amount that are read as its label."""

_CODES = frozenset(code.upper() for code in lexicon.CURRENCY_CODES)
_OTHER_MEANINGS = frozenset(["INR", "CAD", "NOK", "SEK", "RMB"])
"""Codes that are something else in a text that is not about money: an INR is a laboratory value."""
_CURRENCIES = {
    **{code: code for code in _CODES},
    **lexicon.CURRENCIES,
    **{f"{before.upper()}$": f"{name}dollars" for before, name in lexicon.DOLLARS.items()},
    "US dollars": "dollars",
    **{name: name for name in ("dollars", "euros", "pounds", "rupees", "yen", "yuan")},
}
"""How a unit names a currency, and how the amount is given one."""
_SCALES = {
    **dict.fromkeys(
        ("thousand", "thousands", "k", "K", "000", "000s", "'000", "'000s"), "thousand"
    ),
    **dict.fromkeys(("million", "millions", "m", "M", "mn", "mm", "mio"), "million"),
    **dict.fromkeys(("billion", "billions", "bn", "B"), "billion"),
}
_PLAIN_SCALES = frozenset(
    ["thousand", "thousands", "million", "millions", "billion", "billions", "000s", "'000s"]
)
"""Those that are scales without a currency beside them."""

_MONEY = lexicon.word_set("""
    amount amounts balance bonus budget charge cost costs deposit donation expense expenses fare fee
    fees fine income loan loss pay payment premium price prices profit refund rent revenue revenues
    salary spend spending subtotal sum total turnover wage wages
""")
"""What an amount of money may be called."""
_BESIDE = lexicon.word_set("""
    a actual all and annual average avg base basic by customer daily delivery discount due excl
    final for grand gross hourly in incl including item list max maximum min minimum month monthly
    net new of old open operating order original outstanding overall paid per planned purchase
    quarterly retail sale sales service shipping sub tax the unit vat weekly year yearly
""")
"""Words that may stand beside such a name, and change nothing of what it is; by themselves they may
name money too."""
_NO_MONEY = lexicon.word_set("""
    change conversion count exchange forex fx growth index inflation interest margin number rate
    ratio yield
""")
"""Words of labels whose numbers are no amounts, though a currency is beside them."""
_RATES = frozenset(["daily", "day", "hourly", "monthly", "room", "weekly"])
"""Words before "rate" where that is a price."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NUMBER = r"[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:[.,]\d{1,4})?"
_AMOUNT = re.compile(_NUMBER)
_WITH_CENTS = re.compile(r"\d[.,]\d\d$")
_YEAR = re.compile(r"(?:19|20)\d\d$")
_FIELD = re.compile(
    rf"[:=][ \t]*+[\"']?(?P<number>{_NUMBER})(?![\d.,]*\d)"
    r"(?=[\"']?[ \t]*(?:[,;|)}\]\n(]|$|\.(?:\s|$)|(?:per|plus|incl|excl)\b))"
)
_BRACKETED = re.compile(
    rf"(?:(?<=[:|=] )|(?<=[|=]))(?P<number>{_NUMBER})"
    r"[ \t]?[(\[](?P<unit>[^()\[\]\n]{1,5})[)\]]"
)
_LABEL_START = re.compile(r"[\n{|;,]|(?<=[a-z)])\. ")
_UNIT = re.compile(r"[(\[](?P<inside>[^()\[\]]{1,40})[)\]][ \t]*$|(?P<last> [A-Z]{3}| [$£€¥₹])$")
_KEY = re.compile(
    r"(?:(?<=[A-Za-z\d])_(?P<low>[A-Za-z]{3})|(?<=[a-z])(?P<high>U[Ss][Dd]|E[Uu][Rr]|G[Bb][Pp]))"
    r"(?:_(?P<scale>k|m|mn|bn|thousands|millions|billions))?$"
)
_TOKEN = re.compile(r"US dollars|[A-Za-z]{1,3}\$|[$£€¥₹]|'?000'?s?|[A-Za-z]+|\S")
_OF_CURRENCY = re.compile(
    r"\bcurrency(?:_code)?[\"']?(?: is|[ \t]*[:=])[ \t]*[\"']?(?P<code>[A-Z]{3})\b", re.IGNORECASE
)
_STATED = re.compile(
    r"\b(?:amounts|costs|fees|figures|prices|salaries|values)(?: (?:are|is|shown|stated|given"
    r"|quoted|expressed|listed|reported|here|below))*(?: in|:) (?P<unit>[^.\n;,()]{1,30})",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"except|unless|otherwise", re.IGNORECASE)
_OBJECT = re.compile(r"\{[^{}]*\}")
_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?![ \t]*(?:\n|- )))+")
_BEFORE_VAT = re.compile(r" \(?(?:incl|excl|includ|exclud|and|per|plus|net)")
_CURRENCY = re.compile(r"(?:currency|currency_code|ccy)$", re.IGNORECASE)
_ANY_CURRENCY = re.compile(rf"[$£€¥₹]|\b(?:{'|'.join(sorted(_CODES))})\b")


class _Scope(NamedTuple):
    """A part of a text, and the unit that its amounts have; `is_stated` where a sentence says so of
    all of them."""

    start: int
    end: int
    unit: str
    is_stated: bool = False


def with_currencies(text: Mapped, *, source: bool) -> Mapped:
    """The text with a unit behind each amount that stands apart from it. Of a summary only what is
    in one line or one object of JSON is read, so that text that is appended changes nothing."""
    given = text.text
    if not any(map(str.isdigit, given)):
        return text
    scopes = _scopes(given, source=source)
    found = [*_of_fields(given, scopes), *_of_brackets(given), *_of_codes(given)]
    if source:
        found += _of_tables(given, scopes)
    found.sort(key=attrgetter("start"))
    return replace_pieces(text, [next(same) for _, same in groupby(found, attrgetter("start"))])


# --- units ----------------------------------------------------------------------------------------


def _words(label: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(label)]


def _is_money(label: str, number: str = "") -> bool:
    """Whether a label names an amount of money and nothing else: "total_price", "Amount due"; of a
    number with cents "Shipping" does too."""
    words = _words(label)
    names = not _MONEY.isdisjoint(words) or _WITH_CENTS.search(number)
    return bool(words and names) and all(word in _MONEY or word in _BESIDE for word in words)


def _is_no_money(label: str) -> bool:
    words = _words(label)
    return "%" in label or any(
        word in _NO_MONEY and (word != "rate" or _RATES.isdisjoint(words)) for word in words
    )


def _unit_in(text: str) -> str:
    """What a unit in words and signs is behind an amount: that of "in thousands of dollars" is
    "thousand dollars", of "$k" as well; nothing of another text."""
    scale, currency = "", ""
    for token in _TOKEN.findall(text):
        if name := _CURRENCIES.get(token):
            if currency:
                return ""
            currency = name
        elif token in _SCALES or (token.lower() in _SCALES and len(token) > 2):
            if scale:
                return ""
            scale = token
        elif token.lower() not in ("in", "of"):
            return ""
    if not currency and scale.lower() not in _PLAIN_SCALES:
        return ""
    words = [_SCALES.get(scale) or _SCALES[scale.lower()]] if scale else []
    return " ".join([*words, currency] if currency else words)


def _unit_of(label: str) -> str:
    """The unit that a label ends with: that of "Amount (EUR)", "Amount EUR" and "amount_eur" is
    "EUR", that of "Timeout (ms)" is "milliseconds"; nothing of other labels."""
    label = label.strip(" \t\"'*`")
    if measure := unit_of_label(label):
        return measure
    key = _KEY.search(label)
    unit = _UNIT.search(label)
    if key:
        name, currency = label[: key.start()], (key["low"] or key["high"]).upper()
        scale = f" {key['scale']}" if key["scale"] else ""
        written = currency + scale if currency in _CODES else ""
    elif unit:
        name, written = label[: unit.start()], unit["inside"] or unit["last"].strip()
    else:
        return ""
    words = _words(name)
    if not words or _is_no_money(label) or any(word.upper() in _CODES for word in words):
        return ""
    found = _unit_in(written)
    return "" if found in _OTHER_MEANINGS and not _is_money(name) else found


# --- what is said of several amounts --------------------------------------------------------------


def _scopes(text: str, *, source: bool) -> list[list[_Scope]]:
    """The parts of a text that say what the currency of their amounts is, the narrowest first:
    objects of JSON, then paragraphs, then all of it where it names no other one."""
    fields = [match for match in _OF_CURRENCY.finditer(text) if match["code"] in _CODES]
    stated = [*_STATED.finditer(text)] if source else []
    parts = (_OBJECT, _PARAGRAPH) if source else (_OBJECT,)
    scopes = [[*_parts(text, pattern)] for pattern in parts if fields]
    if not (fields or stated) or not source or len(_named(text)) > 1:
        return scopes
    units = {unit for match in stated if (unit := _stated_unit(match))}
    codes = {match["code"] for match in fields}
    if len(units) == 1 or (not units and len(codes) == 1):
        unit = min(units or codes)
        scopes.append([_Scope(0, len(text), unit, is_stated=bool(units))])
    return scopes


def _parts(text: str, pattern: re.Pattern[str]) -> Iterator[_Scope]:
    """The objects or paragraphs with one field "currency" each."""
    for part in pattern.finditer(text):
        codes = {match["code"] for match in _OF_CURRENCY.finditer(text, *part.span())}
        if len(codes) == 1 and codes <= _CODES:
            yield _Scope(*part.span(), codes.pop())


def _named(text: str) -> set[str]:
    """The currencies that a text names, in full."""
    found = _ANY_CURRENCY.findall(text)
    return {lexicon.CURRENCIES.get(one) or lexicon.CURRENCY_CODES[one.lower()] for one in found}


def _stated_unit(match: re.Match[str]) -> str:
    """The unit in "All amounts are in EUR"; nothing where some amounts have another."""
    line = match.string[match.start() : match.end() + 60].split("\n")[0]
    unit = _unit_in(_BEFORE_VAT.split(match["unit"])[0])
    return "" if _EXCEPT.search(line) or unit in _PLAIN_SCALES else unit


def _of_scope(scopes: Sequence[Sequence[_Scope]], label: str, start: int, number: str) -> str:
    """The unit of an amount that is in one of the scopes."""
    for parts in scopes:
        place = bisect_right(parts, start, key=attrgetter("start")) - 1
        if place < 0 or start >= parts[place].end:
            continue
        unit, is_stated = parts[place].unit, parts[place].is_stated
        is_price = is_stated and unit in _CURRENCIES.values() and _WITH_CENTS.search(number)
        return unit if _is_money(label, number) or (is_price and not _is_no_money(label)) else ""
    return ""


# --- amounts --------------------------------------------------------------------------------------


def _of_fields(text: str, scopes: Sequence[Sequence[_Scope]]) -> Iterator[Piece]:
    """Amounts behind a label and a colon: "Total (EUR): 40", "price_usd=40"."""
    for match in _FIELD.finditer(text):
        before = text[max(0, match.start() - LONGEST) : match.start()]
        label = _LABEL_START.split(before)[-1].strip(" \t\"'-*`")
        start, end = match.span("number")
        if unit := _unit_of(label) or _of_scope(scopes, label, start, match["number"]):
            yield Piece(f"{match['number']} {unit}", start, end)


def _of_brackets(text: str) -> Iterator[Piece]:
    """ "Total: 40 (EUR)" as "Total: 40 EUR"."""
    for match in _BRACKETED.finditer(text):
        unit = _unit_in(match["unit"])
        if unit and not _YEAR.match(match["number"]):
            yield Piece(f"{match['number']} {unit}", *match.span())


def _of_codes(text: str) -> Iterator[Piece]:
    """ "currency: EUR" as "currency: euros"."""
    for match in _OF_CURRENCY.finditer(text):
        if match["code"] in _CODES:
            yield Piece(lexicon.CURRENCY_CODES[match["code"].lower()], *match.span("code"))


def _of_tables(text: str, scopes: Sequence[Sequence[_Scope]]) -> Iterator[Piece]:
    """Amounts in cells: the unit is in the header of their column, in the first cell of their row
    or in a column "currency"."""
    for table in tables(text):
        header = table[0]
        columns = [_unit_of(head.text) for head in header]
        of_codes = next((i for i, head in enumerate(header) if _CURRENCY.match(head.text)), None)
        for number, row in enumerate(table):
            code = row[of_codes].text if of_codes is not None else ""
            of_row = _unit_of(row[0].text)
            for head, cell, of_column in zip(header, row, columns, strict=True):
                if not _AMOUNT.fullmatch(cell.text):
                    continue
                unit = of_column if number else ""
                if not unit and of_row and not (_is_no_money(head.text) or _unlike(cell, number)):
                    unit = of_row
                if not unit and number and _is_money(head.text, cell.text):
                    unit = code if code in _CODES else _of_scope(scopes, head.text, cell.start, "")
                if unit:
                    yield _in_cell(text, cell, unit)


def _unlike(cell: Cell, row: int) -> bool:
    """Whether a number in the first row is the year that its column is of."""
    return row == 0 and _YEAR.match(cell.text) is not None


def _in_cell(text: str, cell: Cell, unit: str) -> Piece:
    """In a CSV file there is no blank before the number."""
    blank = " " if text[cell.start - 1 : cell.start] in (",", ";") else ""
    return Piece(f"{blank}{cell.text} {unit}", cell.start, cell.end)
