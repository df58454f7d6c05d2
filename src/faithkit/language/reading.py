"""A sentence as the support model reads it: what can be written in several ways is written in one.

Contractions are written out; numbers are digits, amounts have one scale ("2.5m" and "2,500,000"
are "2.5 million"), with the unit in full after them ("£5" is "5 pounds"), dates are "February 3
2019", ranges "5 to 7"; and two negations that cancel are gone ("It is not true that he did not go"
is "he went"). Each character is mapped to its part of the sentence, so no word is lost
and every verdict can be shown where it belongs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from faithkit.language import lexicon
from faithkit.language.inflection import inflect
from faithkit.language.mapped import Form, Mapped, Piece, changed, unchanged
from faithkit.language.words import Segment, number_values, words


@lru_cache(maxsize=4096)
def read(text: str) -> Mapped:
    """The text in the one form that the rules of this module give."""
    reading = unchanged(text)
    for cue, rules in _RULES:
        if cue.search(reading.text):
            for pattern, form in rules:
                reading = changed(reading, pattern, form)
    return reading


def _same(match: re.Match[str], name: str) -> Piece:
    return Piece(match[name], *match.span(name))


def _whole(match: re.Match[str], text: str) -> tuple[Piece, ...]:
    return (Piece(text, *match.span()),)


def _plain_letters(text: str) -> str:
    """As the tables here have it: `re.IGNORECASE` takes "ſ" for "s" and "ı" for "i"."""
    return text.casefold().replace("ı", "i")


_BLANKS = re.compile(r"\s\s+|[^\S ]")


def _one_blank(match: re.Match[str]) -> tuple[Piece, ...]:
    return _whole(match, " ")


# Contractions

_APOSTROPHE = "['’]"
_CONTRACTION = re.compile(
    rf"""\b (?P<start>ca|wo|sha) (?P<short_not>\s? n{_APOSTROPHE}t) \b
    | (?P<not>\s? n{_APOSTROPHE}t | (?<=\bcan) not) \b
    | (?P<verb>\s? {_APOSTROPHE} (?:re|ve|ll|m)) \b
    | \b (?P<who>it|he|she|who|that|what|here|there) (?P<is>{_APOSTROPHE}s) \b""",
    re.IGNORECASE | re.VERBOSE,
)


def _written_out(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "didn't" as "did not". "it's" is taken for "it is"; other words with "'s" stay, for most are
    possessives."""
    if start := match["start"]:
        first = Piece(lexicon.CONTRACTED_NOT[_plain_letters(start)], *match.span("start"))
        return first, Piece(" not", *match.span("short_not"))
    if match["not"]:
        return (Piece(" not", *match.span("not")),)
    if verb := match["verb"]:
        short = re.split(_APOSTROPHE, _plain_letters(verb))[1]
        return (Piece(f" {lexicon.CONTRACTED_VERBS[short]}", *match.span("verb")),)
    return _same(match, "who"), Piece(" is", *match.span("is"))


# Numbers

_SCALE_AFTER = re.compile(r" (million|billion|trillion)\b", re.IGNORECASE)
_NUMBER = r"\d++(?:\.\d++)?+"

_TENS = "|".join(lexicon.TENS)
_ONES = "|".join(lexicon.SPELLED[1:10])
_SMALL = "|".join(word for word in lexicon.NUMBER_WORDS if word not in ("zero", "one"))
_COUNTABLE = "|".join(lexicon.HYPHENATED_UNITS)
_SCALE = "hundred|thousand|million|billion|trillion"
_SPELLED = re.compile(
    rf"(?<![\w-])(?:(?P<tens>{_TENS})[- ](?P<ones>{_ONES})|(?P<small>{_SMALL}))"
    rf"(?!\w|-(?!{_COUNTABLE})\w)"
    rf"|(?<![\w-])(?<!half )(?P<one>an?|one)(?=[ -](?:{_SCALE})\b)",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?!\w|,\d)")
_HUNDRED = re.compile(
    r"(?<![\w.,])(?P<hundreds>\d{1,2}) hundred(?:(?: and)? (?P<rest>[1-9]\d?)(?!\w|[.,]\d))?(?!\w)",
    re.IGNORECASE,
)
_CODES = "|".join(lexicon.CURRENCY_CODES)
_PRICED = re.compile(
    rf"(?P<sign>(?<!\w)(?:{'|'.join(lexicon.DOLLARS)})?\$|[£€¥₹]|(?<!\w)(?:{_CODES}))\s?"
    rf"(?P<number>{_NUMBER})"
    r"(?:(?P<short>k|mn|bn|tn|m|b)\b"
    r"|(?P<long>[ -](?:thousand|million|billion|trillion|k|mn|bn|tn|m|b)\b))?(?!\w|,\d)",
    re.IGNORECASE,
)
_COUNTED = "|".join(lexicon.COUNTED_NOUNS)
_SCALED = re.compile(
    rf"(?<![\w.,$£€])(?P<number>{_NUMBER})(?:(?P<long>[ -](?:thousand|million|billion|trillion))\b"
    rf"|(?P<short> ?(?:k|mn|bn|tn)\b| ?m(?= (?:{_COUNTED})\b)))",
    re.IGNORECASE,
)
_LONG = re.compile(r"(?<![\w.,])\d{4,}000(?!\w|[.,]\d)")
_MEASURED = re.compile(
    rf"(?P<number>(?<![\w.,])\d[\d.]*(?: (?:million|billion|trillion))?)(?P<unit>[ -]?"
    rf"(?:{'|'.join(sorted(map(re.escape, lexicon.UNITS), key=len, reverse=True))}))(?!\w)",
    re.IGNORECASE,
)


def _plain(value: Decimal) -> str:
    """Without an exponent or idle zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _in_digits(match: re.Match[str]) -> tuple[Piece, ...]:
    if match["one"]:
        return _whole(match, "1")
    if match["tens"]:
        both = (lexicon.NUMBER_WORDS[_plain_letters(match[name])] for name in ("tens", "ones"))
        return _whole(match, str(sum(map(int, both))))
    return _whole(match, lexicon.NUMBER_WORDS[_plain_letters(match["small"])])


def _ungrouped(match: re.Match[str]) -> tuple[Piece, ...]:
    return _whole(match, match.group().replace(",", ""))


def _hundreds(match: re.Match[str]) -> tuple[Piece, ...]:
    return _whole(match, str(100 * int(match["hundreds"]) + int(match["rest"] or 0)))


def _priced(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "£2.5m" as "2.5 million pounds"."""
    sign = match["sign"]
    money = lexicon.CURRENCY_CODES.get(_plain_letters(sign))
    if not money:
        money = lexicon.DOLLARS.get(_plain_letters(sign[:-1]), "") + lexicon.CURRENCIES[sign[-1]]
    unit = Piece(f" {money}", *match.span("sign"))
    name = "short" if match["short"] else "long"
    if not match[name]:
        return _same(match, "number"), unit
    return (*_amount(match, name), unit)


def _scaled(match: re.Match[str]) -> tuple[Piece, ...]:
    return _amount(match, "short" if match["short"] else "long")


def _amount(match: re.Match[str], name: str) -> tuple[Piece, ...]:
    """The groups "number" and `name`, its scale, as "2.5 million", or "80000" below a million."""
    word = _plain_letters(match[name].strip(" -"))
    value = Decimal(match["number"]) * (lexicon.SHORT_SCALES.get(word) or lexicon.SCALES[word])
    number, scale = _in_scale(value)
    if not scale:
        return (Piece(number, match.start("number"), match.end(name)),)
    return Piece(number, *match.span("number")), Piece(f" {scale}", *match.span(name))


def _in_scale(value: Decimal) -> tuple[str, str]:
    """The number and the word of its scale; none below a million."""
    for scale in ("trillion", "billion", "million"):
        if value >= lexicon.SCALES[scale]:
            return _plain(value / lexicon.SCALES[scale]), scale
    return _plain(value), ""


def _shortened(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "2500000" as "2.5 million"; nothing where it would not be shorter."""
    number, scale = _in_scale(Decimal(match.group()))
    return _whole(match, f"{number} {scale}") if scale and len(number) <= 6 else ()


def _measured(match: re.Match[str]) -> tuple[Piece, ...]:
    unit = lexicon.UNITS[_plain_letters(match["unit"].strip(" -"))]
    return _same(match, "number"), Piece(f" {unit}", *match.span("unit"))


# Times and ranges

_MONTH = "|".join(
    [*(rf"{name}" for name in lexicon.MONTHS if name not in ("March", "May")), r"(?-i:March|May)"]
    + [rf"{name[:3]}\b\.?" for name in lexicon.MONTHS if name != "May"] + [r"Sept\b\.?"]
)  # fmt: skip
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_ORDINAL = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:1[5-9]|20)\d\d"
_MONTH_BEFORE = re.compile(rf"\b({'|'.join(lexicon.MONTHS)}) $", re.IGNORECASE)
_DATE = re.compile(
    rf"""(?<![\w.,$£€/:-]) (?P<the>the[ ])? (?P<day_1>{_DAY}){_ORDINAL} (?P<of>[ ]of)?
        [ -](?P<month_1>{_MONTH})(?!\w) (?:[ ]?,?[ -](?P<year_1>{_YEAR})(?!\w|,\d))?
    | (?<![\w/-]) (?P<month_2>{_MONTH}) [ ] (?P<day_part_2>(?:the[ ])? (?P<day_2>{_DAY}){_ORDINAL})
        (?![\w:%/-]|[.,]\d) (?: [ ]?,?[ ](?P<year_2>{_YEAR})(?!\w|,\d))?
    | (?<![\w/-]) (?P<month_3>{_MONTH}) (?:[ ]of)? [ ](?P<year_3>{_YEAR})(?!\w|,\d)
    | (?<![\w/.-]) (?P<year_4>{_YEAR})-(?P<month_4>0[1-9]|1[0-2])-(?P<day_4>{_DAY})(?![\w-])""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOCK = re.compile(
    r"(?<![\w.,:])(?P<hour>2[0-3]|1\d|0?\d)(?:(?:[:.](?P<minute>[0-5]\d))?"
    r"(?P<half> ?[ap](?:\.m\.?|m\b))|:(?P<minute_2>[0-5]\d)(?![\w:]))",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"(?<![\w.,:/–-])(?P<low>{_NUMBER})(?P<to> ?[–-] ?|/)(?P<high>{_NUMBER})(?![\w/:–-]|[.,]\d)"
)


def _date(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "the 3rd of Feb., 2019" as "February 3 2019"; the small words go with the day."""
    form = next(i for i in "1234" if match[f"month_{i}"])
    month = Piece(_month(match[f"month_{form}"]), *match.span(f"month_{form}"))
    pieces = [month]
    if form != "3":
        start, end = match.span(f"day_{form}")
        if form == "1":
            start, end = match.start(), match.start("month_1") - 1
        elif form == "2":
            start, end = match.span("day_part_2")
        pieces += _parts(str(int(match[f"day_{form}"])), start, end)
    if match[f"year_{form}"]:
        pieces += _parts(match[f"year_{form}"], *match.span(f"year_{form}"))
    return tuple(pieces)


def _parts(text: str, start: int, end: int) -> tuple[Piece, Piece]:
    """A blank, and the text; both stand for the same characters."""
    return Piece(" ", start, end), Piece(text, start, end)


def values(text: str, given: Sequence[Segment] | None = None) -> list[tuple[Segment, str]]:
    """The numbers of a text that was read, as `words.numbers` gives them, but in their scale: that
    of "2.5 million" is "2500000"; days with their month: that of "February 3" is "3 February"; and
    "third" to "twelfth" besides, which "3rd" and "12th" are too.

    given  the text's words, where they are known
    """
    found = words(text) if given is None else given
    values = [
        (word, lexicon.ORDINALS[lower])
        for word in found
        if (lower := word.text.lower()) in lexicon.ORDINALS
    ]
    numbers = [(word, value) for word in found for value in number_values(word.text)]
    for word, value in numbers:
        scale = _SCALE_AFTER.match(text, word.end)
        month = _MONTH_BEFORE.search(text, max(0, word.start - 12), word.start)
        if scale:
            value = _plain(Decimal(value) * lexicon.SCALES[_plain_letters(scale[1])])
        elif month and len(value) <= 2:
            value = f"{value} {_month(month[1])}"
        values.append((word, value))
    return values


def _month(name: str) -> str:
    if name.isdigit():
        return lexicon.MONTHS[int(name) - 1]
    return next(full for full in lexicon.MONTHS if full[:3].lower() == _plain_letters(name[:3]))


def _clock(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "17:30" and "5.30pm" as "5:30 pm"; "9:30" stays, for it may be either."""
    hour, minute = int(match["hour"]), match["minute"] or match["minute_2"] or "00"
    half = match["half"]
    if not half and hour < 13:
        return ()
    late = "p" in _plain_letters(half) if half else True
    time = str(hour - 12 if hour > 12 else hour) + (f":{minute}" if minute != "00" else "")
    if not half:
        return _whole(match, f"{time} pm")
    return (
        Piece(time, match.start(), match.start("half")),
        Piece(" pm" if late else " am", *match.span("half")),
    )


def _range(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5-7" as "5 to 7", "2014/15" as "2014 to 2015"; other things with "/" stay."""
    low, high = match["low"], match["high"]
    season = re.fullmatch(_YEAR, low) and re.fullmatch(r"\d\d", high) and int(high) > int(low[2:])
    if match["to"] == "/" and not season:
        return ()
    last = low[:2] + high if season else high
    to = Piece(" to ", *match.span("to"))
    return _same(match, "low"), to, Piece(last, *match.span("high"))


# Negations

_BREAKS = "|".join(lexicon.CLAUSE_BREAKS)
_INSIDE = rf"(?:(?!\b(?:{_BREAKS})\b)[^,;:.!?])"
_CANCELLED = re.compile(
    rf"""(?P<opening>\bit[ ](?:is|was)[ ](?:not[ ](?:true|correct|accurate|so|the[ ]case)
        |false|untrue|incorrect|inaccurate)[ ]that[ ])(?P<first>\w[\w'’-]*)
    (?P<rest>{_INSIDE}*?(?:,{_INSIDE}+,{_INSIDE}*?)?)
    (?:\b(?P<do>does|did|do)[ ]not[ ](?P<verb>[a-z]+)
        |\b(?P<helper>is|are|was|were|am|has|have|had|can|could|will|would|should|must|may|might)
        (?P<not>[ ]not)|(?P<never>\bnever[ ])(?P<next>\w+))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_TENSES = {"does": "VBZ", "did": "VBD", "do": "VB"}
_FAILED = re.compile(
    r"(?:\b(?P<do>does|did|do) not fail to (?P<verb>[a-z]+)"
    r"|(?<!\bhad )(?<!\bhas )(?<!\bhave )(?<!\bnot )(?<!\bis )(?<!\bwas )(?<!\bare )(?<!\bwere )"
    r"(?<!\ba )(?<!\bthe )(?<!\bbeen )(?<!\bhaving )\b(?P<failed>failed|fails) to(?= [a-z]))\b",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?:no|not) (?P<than>fewer than|less than|more than)\b", re.IGNORECASE)


def _cancelled(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "It is not true that he did not go" as "he went". Removed words are mapped to
    those that stay: to the first and to the verb."""
    first = Piece(match["first"], match.start(), match.end("first"))
    rest = _same(match, "rest")
    if match["do"]:
        verb = inflect(match["verb"].lower(), _TENSES[_plain_letters(match["do"])])
        return first, rest, Piece(verb, match.start("do"), match.end("verb"))
    if match["helper"]:
        helper = Piece(match["helper"], match.start("helper"), match.end("not"))
        return first, rest, helper
    return first, rest, Piece(match["next"], match.start("never"), match.end("next"))


def _failed(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "failed to go" as "did not go", "did not fail to go" as "went"."""
    if match["do"]:
        return _whole(match, inflect(match["verb"].lower(), _TENSES[_plain_letters(match["do"])]))
    start, end = match.span()
    do = "did" if _plain_letters(match["failed"]) == "failed" else "does"
    return Piece(do, start, end), Piece(" not", start, end)


def _bound(match: re.Match[str]) -> tuple[Piece, ...]:
    bound = "at most" if _plain_letters(match["than"]) == "more than" else "at least"
    return _whole(match, bound)


_RULES: tuple[tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], Form], ...]], ...] = (
    (_BLANKS, ((_BLANKS, _one_blank),)),
    (re.compile(_APOSTROPHE + "|cannot", re.IGNORECASE), ((_CONTRACTION, _written_out),)),
    (
        re.compile(rf"\b(?:an?|one|{_SMALL})\b", re.IGNORECASE),
        ((_SPELLED, _in_digits),),
    ),
    (
        re.compile(r"\d"),
        (
            (_GROUPED, _ungrouped),
            (_HUNDRED, _hundreds),
            (_PRICED, _priced),
            (_SCALED, _scaled),
            (_LONG, _shortened),
            (_MEASURED, _measured),
            (_CLOCK, _clock),
            (_RANGE, _range),
            (_DATE, _date),
        ),
    ),
    (
        re.compile(r"\b(?:not?|never|fail(?:s|ed)|it (?:is|was))\b", re.IGNORECASE),
        ((_FAILED, _failed), (_CANCELLED, _cancelled), (_BOUND, _bound)),
    ),
)
"""A cue, and the rules in their order that are applied to a text with it."""
