"""What prices, contracts and schedules abbreviate: "£950 pcm" is "950 pounds per month", "ex VAT"
is "excluding VAT", "1h20m" is "1 hour 20 minutes", "after 60s" is "after 60 seconds". What does not
live here: units after any number (`units.py`), how often a dose is given (`doses.py`).
"""

from __future__ import annotations

import re

from faithkit.language import lexicon
from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.notations import measures
from faithkit.language.notations.units import singular
from faithkit.language.words import plain_letters

# Rates

_NOUNS = {
    name.rstrip("."): noun for noun, names in measures.RATES.items() for name in names.split()
}
_MONEY = "|".join(
    sorted(
        {
            f"{name.split()[-1].removesuffix('s')}s?"
            for name in [*lexicon.CURRENCIES.values(), *lexicon.CURRENCY_CODES.values()]
        }
    )
)
_RATE = re.compile(
    rf"(?P<amount>(?<![\w.,])\d[\d.]*(?: (?:million|billion|trillion))?(?: [A-Z][a-z]+){{0,2}} "
    rf"(?:{_MONEY}|pence|cents?|(?P<share>percent)))"
    rf"(?P<rate> (?:{'|'.join(sorted(map(re.escape, _NOUNS), key=len, reverse=True))})"
    r"(?:(?<=\.\w)\.(?=[,;)]| [a-z\d(]))?)(?![\w/-])"
)
_PER_ANNUM = re.compile(r"\bper (?P<noun>annum|calendar month)\b")
_ON = {"y": "year on year", "q": "quarter on quarter", "m": "month on month"}
_CHANGE = re.compile(r"(?<=percent )(?P<period>[yqm])(?:/(?P=period)|o(?P=period))(?!\w)", re.I)


def _rate(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "950 pounds pcm" as "950 pounds per month"; after a share only "p.a." is one."""
    noun = _NOUNS[match["rate"].strip(" ").removesuffix(".")]
    if match["share"] and noun != "year":
        return ()
    return keep_group(match, "amount"), Piece(f" per {noun}", *match.span("rate"))


def _per_annum(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, "per year" if match["noun"] == "annum" else "per month")


def _change(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "3 percent y/y" as "3 percent year on year"."""
    return replace_match(match, _ON[plain_letters(match["period"])])


# What a price leaves out

_TAXES = r"(?:VAT|GST|tax|taxes|postage|delivery|shipping|bills|fees)\b"
_LEFT_OUT = re.compile(
    rf"\b(?P<word>(?:[Ee]xcl|[Ii]ncl)(?:\.(?= ?[\w(])|\b(?= ?[\w(]))"
    rf"|[Ee]xc\.?(?=[ -]{_TAXES})|[Ee]x\.?(?=[ -](?:VAT|GST)\b)|inc\.?(?= {_TAXES}))(?P<hyphen>-?)"
)


def _left_out(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "excl. VAT" and "ex VAT" as "excluding VAT", "incl. bills" as "including bills"."""
    first, rest = match["word"][0], "xcluding" if match["word"][1] == "x" else "ncluding"
    blank = " " if match["hyphen"] or match.string[match.end()] not in " " else ""
    return replace_match(match, first + rest + blank)


_OF_PRICES = re.compile(
    rf"(?P<amount>\d (?:million |billion )?(?:[A-Z][a-z]+ ){{0,2}}(?:{_MONEY}|[A-Z]{{3}})"
    r"(?: (?:per|an?) (?:calendar )?[a-z]+| p(?:cm|a|w|n|h|pn|ppn|p)\b)?)(?P<join>,? \(?| ?\+ ?\(?)"
    rf"(?P<words>(?:(?i:plus|\+|without|before|net of|exclusive of|not including|not incl\.?) ?"
    rf"|(?P<with>(?:gross|inclusive) of ))?)(?P<tax>(?i:{_TAXES}))"
    r"(?P<after> (?:is |are )?(?i:not included|excluded|extra|on top|(?P<included>included))\b)?",
)
_EXCLUSIVE = re.compile(rf"\b(?P<word>(?i:exclusive|inclusive) of )(?={_TAXES})", re.IGNORECASE)


def _of_prices(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "6500 euros plus VAT" and "6500 euros, VAT not included" as "6500 euros excluding VAT"."""
    words, after = match["words"], match["after"]
    is_sum = bool(words) or "+" in match["join"]
    if is_sum == bool(after) or (after and match["join"] == " "):
        return ()
    if plain_letters(match["tax"]) not in ("vat", "gst") and words.lower() in _OF_PROFITS:
        return ()
    is_in = match["with"] or match["included"]
    start = match.end("amount")
    bracket = "(" if match["join"].endswith("(") else ""
    word = Piece(
        f" {bracket}{'including' if is_in else 'excluding'} ",
        *(match.span("after") if after else (start, match.start("tax"))),
    )
    return keep_group(match, "amount"), word, keep_group(match, "tax")


_OF_PROFITS = ("before ", "net of ", "gross of ")
"""Words that make another amount of a profit before "tax", and of a price before "VAT" alone."""


def _exclusive(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "exclusive of VAT" as "excluding VAT"."""
    return replace_match(match, f"{match['word'][:2]}cluding ")


# Durations

_HOURS_AND_MINUTES = re.compile(
    r"(?<![\w.,:/-])(?P<hours>\d{1,3})(?P<hour> ?h(?:rs?|ours?)?\b ?(?:and )?|h)"
    r"(?P<minutes>[0-5]?\d)(?P<minute> ?m(?:ins?|inutes?)?)(?![\w-])"
)
_WAIT = "timeout|delay|interval|pause|limit|latency|duration|window"
_LENGTH = re.compile(
    rf"(?P<before>\b(?i:for|after|within|every|took|takes?|lasts?|lasted|waits?|waited"
    rf"|(?:{_WAIT})(?: is| was| of|:)?) |(?<![\w.,-])(?=\d+s (?:{_WAIT})\b)"
    r"|\b(?:in|of|to|by|at|from|is|was) (?=\d+\.\d+s\b))"
    r"(?P<number>\d+(?:\.\d+)?)(?P<unit>s(?! of\b)|(?:(?<=\d\d)| )d| ?h)(?![\w'’-])"
)
_DECIMAL = re.compile(r"(?<![\w.,/:$£€-])(?P<number>\d+\.\d+)(?P<unit> s)(?![\w'’-]| of\b)")
_UNITS = {"s": "seconds", "d": "days", "h": "hours"}
# "for 90s fans" tells of a decade.
_DECADE = re.compile(rf"[2-9]0s(?!$|[.,;:)]| (?:in|on|at|per|before|if|when|unless|{_WAIT})\b)")


def _hours_and_minutes(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1h20m" and "1 hour and 20 minutes" as "1 hour 20 minutes"."""
    hours, minutes = match["hours"], match["minutes"]
    return (
        keep_group(match, "hours"),
        Piece(f" {singular(hours, 'hours')} ", *match.span("hour")),
        keep_group(match, "minutes"),
        Piece(f" {singular(minutes, 'minutes')}", *match.span("minute")),
    )


def _length(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "after 60s" as "after 60 seconds", "4.8s" as "4.8 seconds"."""
    if _DECADE.match(match.string, match.start("number")):
        return ()
    unit = singular(match["number"], _UNITS[match["unit"].strip()])
    before = (keep_group(match, "before"),) if match["before"] else ()
    return (*before, keep_group(match, "number"), Piece(f" {unit}", *match.span("unit")))


def _decimal(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1.2 s" as "1.2 seconds"."""
    return keep_group(match, "number"), Piece(" seconds", *match.span("unit"))


# Data sheets

_TYPICAL = re.compile(
    r"(?<![\w.-])(?:typ\b\.?(?=$| ?[|,;)]| [~≈]?\d)|(?<=\| )(?:Typ|TYP)\b\.?(?=$| ?\|))"
)


def _typical(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "3.3 V typ." as "3.3 V typical", and so the head of a column, "Typ"."""
    return replace_match(match, "Typical" if match.group()[0] == "T" else "typical")


TERMS_CUE = re.compile(
    r"\btyp\b|\d ?[hsd](?![a-ce-z])|hours? (?:and )?\d|\b(?:exc?l?|incl?)\b|percent [yqm]"
    r"|\bp(?:[./][achmnpw]|cm\b|ppn\b|[ahmnpw]\b)|per (?:annum|calendar)"
)
TERMS = (
    Rule(_TYPICAL, _typical, re.compile(r"\btyp\b")),
    Rule(_RATE, _rate, re.compile(r"\bp(?:[./][achmnpw]|cm\b|ppn\b|[ahmnpw]\b)")),
    Rule(_PER_ANNUM, _per_annum, re.compile("per (?:annum|calendar)")),
    Rule(_CHANGE, _change, re.compile("percent [yqm]")),
    Rule(_LEFT_OUT, _left_out, re.compile(r"\b(?:exc?l?|incl?)\b")),
    Rule(_HOURS_AND_MINUTES, _hours_and_minutes, re.compile(r"\d ?h(?:ours?)? ?(?:and )?\d")),
    Rule(_LENGTH, _length, re.compile(r"\d ?[shd](?!\w)")),
    Rule(_DECIMAL, _decimal, re.compile(r"\.\d+ s\b")),
)
"""Rules for texts in which `TERMS_CUE` is found; after those of `amounts.py`."""
PRICES = (
    Rule(_EXCLUSIVE, _exclusive, re.compile("sive of")),
    Rule(_OF_PRICES, _of_prices, re.compile(_TAXES.lower())),
)
"""Rules for texts with digits; after those of `amounts.py`."""
