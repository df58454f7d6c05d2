"""Units in full after a number: "5mg/kg" as "5 milligrams per kilogram", "25bp" as "25 basis
points", feet and inches, parts of one unit, coordinates and what engineers count. What does not
live here: currencies and scales (`amounts.py`), short durations (`terms.py`), one amount in several
units (`quantities.py`), and how often a dose is given (`doses.py`).
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from faithkit.language import lexicon
from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.notations import measures
from faithkit.language.notations.numerals import NUMBER, plain_number
from faithkit.language.words import plain_letters


def _any_of(names: dict[str, str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


def singular(number: str, unit: str) -> str:
    """The unit in the singular after 1."""
    if number != "1":
        return unit
    words = unit.split()
    place = next((i - 1 for i, word in enumerate(words) if word in _NO_HEAD), -1)
    words[place] = "foot" if words[place] == "feet" else words[place].removesuffix("s")
    return " ".join(words)


_NO_HEAD = frozenset(["per", "of", "Celsius", "Fahrenheit"])
"""Words before which the noun of a unit stands."""

# Units and what they are counted by

UNIT, CASED, _PER = map(_any_of, (measures.UNITS, measures.CASED_UNITS, measures.PER_UNITS))
_LONG_PER = _any_of({name: "" for name in measures.PER_UNITS if len(name) > 1})
# "5G" is a network, and "TB", "L" and "IU" after a blank are often no units.
_LETTERS = (
    r"(?-i:(?P<grams>(?:(?<=\d\d)|(?<=[01789])|(?=g(?: of\b|/))|[ ])g)"
    r"|(?P<litres> ?l|L| L(?=/| of\b))"
    r"|(?P<terabytes>TB| TB(?= (?:of|disks?|drives?|SSDs?|HDDs?|NVMe|storage|hard|external)\b"
    r"|[.,;)]| \||$))|(?P<milligrams>Mg)|(?P<units> ?U(?=/[a-zL]))"
    r"|(?P<international_units>IU| IU(?= (?:of|per|a|once|twice|daily)\b|[/.,;)]|$)))"
    rf"|(?P<metres>[ -]?m)(?=[ -](?:{'|'.join(lexicon.DIMENSIONS)})\b)"
)
_MEASURED = re.compile(
    rf"(?P<number>(?<![\w.,])\d[\d.]*(?: (?:million|billion|trillion))?)"
    rf"(?:(?P<unit>[ -]?(?:{UNIT}))|(?P<cased>[ -]?(?-i:{CASED}))|{_LETTERS})"
    rf"(?P<per>(?:(?:/| per )(?:{_PER})(?!\w))+)?(?![\w%])(?P<point>\.(?= (?-i:[a-z])))?",
    re.IGNORECASE,
)
_COUNTED = re.compile(rf"(?<=[a-z\d])(?P<per>(?:/(?:{_LONG_PER}|l)(?![\w/]))+)", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?<![\w.,/:])(?<![A-Za-z]-)\d[\d.]*(?: (?:million|billion|trillion))?(?: [A-Z][a-z]+){0,2}"
    r"(?: (?!(?:day|week|month|year|hour|night)$)[A-Za-z]+)?$"
)
_PART = re.compile(rf"(?P<sign>/| per )(?P<unit>{_PER})(?!\w)", re.IGNORECASE)


def _measured(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5mg/kg" as "5 milligrams per kilogram", "2 tbsp. of" as "2 tablespoons of"."""
    name = next(name for name in _NAMES if match[name])
    written = match[name].strip(" -")
    full = measures.CASED_UNITS.get(written) or measures.UNITS.get(plain_letters(written)) or name
    unit = Piece(f" {singular(match['number'], full.replace('_', ' '))}", *match.span(name))
    pieces = (keep_group(match, "number"), unit, *_per(match))
    return (*pieces, Piece("", *match.span("point"))) if match["point"] else pieces


_NAMES = [name for name in _MEASURED.groupindex if name not in ("number", "per", "point")]


def _per(match: re.Match[str]) -> list[Piece]:
    """ "/kg/day" as " per kilogram per day"."""
    if not match["per"]:
        return []
    pieces = []
    for part in _PART.finditer(match.string, *match.span("per")):
        unit = measures.PER_UNITS[plain_letters(part["unit"])]
        pieces += [Piece(" per ", *part.span("sign")), Piece(unit, *part.span("unit"))]
    return pieces


def _counted(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5 dollars/month" as "5 dollars per month"."""
    start = max(0, match.start() - 50)
    return tuple(_per(match)) if _AMOUNT.search(match.string, start, match.start()) else ()


# Feet and inches

_FEET = re.compile(
    r"(?<![\w.,])(?P<feet>[3-8])(?:['’′](?P<marked> ?(?:1[01]|\d))(?: ?[\"”″]| ?''|(?=\s|-tall))"
    r"|(?P<foot> ?(?:ft|foot|feet)\.? ?)(?P<inches>1[01]|\d)"
    r"(?P<inch>(?: ?ins?| ?inch(?:es)?)(?=[.,;:]| tall|$)| inch(?:es)?|in"
    r"|(?:(?<=foot \d)|(?<=foot 1\d))(?=(?:[.,;:](?!\d)| tall|$)))\b)",
    re.IGNORECASE,
)
_IS_TALL = re.compile(
    r"\b(?:he|she|who|i|you) (?:is|was|am|are|stands|stood)(?: (?:about|almost|just|only|over))? $",
    re.IGNORECASE,
)
_DIMENSION = re.compile(rf" (?:{'|'.join(lexicon.DIMENSIONS)}|in height|by|x)\b")
_STONE = re.compile(
    r"(?<![\w.,])(?P<stone>\d{1,2})(?P<st>(?<!1)st ?|(?<=11)st ?| st ?| stone(?: and)? )"
    r"(?P<rest>1[0-3]|\d)"
    r"(?P<pounds> ?lbs?\b| pounds?\b|(?<=stone \d)(?=[.;:!?)]|,(?!\d)|$)|(?<=stone 1\d)(?=\.?$))",
)
_STONE_ALONE = re.compile(r"(?<![\w.,])(?P<stone>\d?[02-9]|1[1-3])(?P<st> ?st)(?![\w-]|\.\w)")
_OF_WEIGHT = re.compile(r"\b(?:weigh\w*|stone)\b")


def _feet(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5'10"" as "5 feet 10 inches", "he is 6ft 2in" as "he is 6 feet 2 inches tall"."""
    feet, text = keep_group(match, "feet"), match.string
    is_tall = _IS_TALL.search(text, max(0, match.start() - 24), match.start())
    tall = " tall" if is_tall and not _DIMENSION.match(text, match.end()) else ""
    if match["marked"]:
        start, inches = match.start("marked"), match["marked"].strip()
        end = Piece(f"{inches} inches{tall}", start, match.end())
        return feet, Piece(" feet ", feet.end, start), end
    foot, inches = Piece(" feet ", *match.span("foot")), keep_group(match, "inches")
    inch = match.span("inch") if match["inch"] else match.span("inches")
    return feet, foot, inches, Piece(f" inches{tall}", *inch)


def _stone(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "9st 4lb" and "9 stone 4" as "9 stone 4 pounds"."""
    rest = match.span("pounds") if match["pounds"] else match.span("rest")
    return (
        keep_group(match, "stone"),
        Piece(" stone ", *match.span("st")),
        keep_group(match, "rest"),
        Piece(f" {singular(match['rest'], 'pounds')}", *rest),
    )


def _stone_alone(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "He weighs 14st" as "He weighs 14 stone"."""
    if not is_about(match.string, _OF_WEIGHT):
        return ()
    return keep_group(match, "stone"), Piece(" stone", *match.span("st"))


# Parts of one unit

_SHORT, _FULL = map(_any_of, (measures.ONE_UNIT, measures.ONE_UNIT_IN_FULL))
_SIGNS = "".join(lexicon.FRACTION_SIGNS)
_PART_OF_ONE = re.compile(
    rf"(?<![\w.,/-])(?<!\d )(?:(?P<part>[{_SIGNS}]|[1-9]/(?:[2-9]|10)) ?(?P<unit>{_SHORT}|{_FULL})"
    rf"|(?P<half>half)(?: an?)? (?P<short>{_SHORT}))(?![\w-])(?P<point>\.(?= (?-i:[a-z])))?",
    re.IGNORECASE,
)


def _part_of_one(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "½ tsp", "1/2 tsp" and "half a tsp" as "half a teaspoon", "¾ cup" as "3 quarters of a
    cup"; "2½ tsp" is another number."""
    name = "half" if match["half"] else "part"
    part, count = (1, 2) if match["half"] else _fraction(match["part"])
    if part >= count:
        return ()
    one, several = lexicon.FRACTIONS[count]
    words = "half " if count == 2 else f"{one if part == 1 else f'{part} {several}'} of "
    unit = "short" if match["half"] else "unit"
    written = plain_letters(match[unit])
    whole_unit = measures.ONE_UNIT.get(written) or measures.ONE_UNIT_IN_FULL[written]
    start, end = match.start(unit), match.end()
    return Piece(words, match.start(name), start), Piece(whole_unit, start, end)


def _fraction(written: str) -> tuple[int, int]:
    """ "¾" and "3/4" as 3 and 4."""
    if written in lexicon.FRACTION_SIGNS:
        return lexicon.FRACTION_SIGNS[written]
    part, _, count = written.partition("/")
    return int(part), int(count)


# Units of one letter that are told by what the text is about

_LETTER = re.compile(
    r"(?<![\w.,$£€])(?!(?:240|360|480|720|1080|1440|2160)p)(?P<number>\d+(?:\.\d+)?)"
    r"(?P<unit> ?[CFKWL]|p)(?![\w°+]|[-.]\w| ?\d)"
)
_OF_WEATHER = re.compile(
    r"degrees?\b|temperature|celsius|fahrenheit|°|\b(?:heat(?:wave)?|hot|warm(?:er)?|cold(?:er)?|"
    r"cool(?:er)?|freez\w+|frost|fever|oven|bake|boil\w*|shade|weather|forecast|highs?|lows?|"
    r"(?:pre)?heat|roast|grill)\b"
)
_OF_COLD = re.compile("temperature|kelvin|superconduct|cryogen|thermal|cooled")
_OF_POWER = re.compile(
    r"\b(?:watts?|kw|kilowatts?|lamps?|bulbs?|leds?|heaters?|power|draws?|uses?|consum\w+|charg\w+|"
    r"energy|solar|panels?|motors?|amplifiers?|speakers?|microwaves?|ovens?|kettles?|volts?|"
    r"electric\w*|batter(?:y|ies)|appliances?)\b"
)
_OF_PRICES = re.compile(
    r"£|\b(?:costs?|prices?|priced|pay|pays|paid|pence|penny|coins?|stamps?|tolls?|fares?|fees?|"
    r"charge[ds]?|tickets?|shares?|dividends?|worth|cheap\w*|sells?|sold|tax|duty|levy)\b"
)
_OF_VOLUMES = re.compile(
    r"\b(?:millilit(?:re|er)s?|lit(?:re|er)s?|ml|volumes?|capacity|tanks?|bottles?|bags?|kettles?|"
    r"saline|fluids?|urine|output|blood loss|infus\w+|drain(?:s|ed|age)?|water|oxygen|"
    r"solution|buffer|medium|culture|milk|juice|wine|beer|fuel|petrol|diesel|oil|paint|engine)\b"
)
_IN_TEXTS = {
    "L": ("litres", _OF_VOLUMES),
    "C": ("degrees Celsius", _OF_WEATHER),
    "F": ("degrees Fahrenheit", _OF_WEATHER),
    "K": ("kelvin", _OF_COLD),
    "W": ("watts", _OF_POWER),
    "p": ("pence", _OF_PRICES),
}
"""The unit that a letter stands for, and what texts are about in which it does: elsewhere "31C" is
a seat or a flat, "77 K" 77 thousand, "5W" a street and "5p" a page."""
AFTER_LABEL = re.compile(
    rf"\b(?:{'|'.join([*measures.CLAUSES, *measures.LABELS, *lexicon.LETTERED])})s? $"
    r"|\b(?:nos?\.|number|size|gate|row) $",
    re.IGNORECASE,
)
"""What a number with a letter stands behind that is no amount: "flat 31C", "clause 5k"."""
_AFTER_NORTH = re.compile(r"\b[NS],? $")


def _letter(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "31C" as "31 degrees Celsius" in a text about heat, "50p" as "50 pence" in one about
    prices; nothing of "53.4 N, 2.9 W" and "flat 31C"."""
    name, context = _IN_TEXTS[match["unit"].strip()]
    text, start = match.string, match.start()
    if not is_about(text, context) or any(
        before.search(text, max(0, start - 14), start) for before in (AFTER_LABEL, _AFTER_NORTH)
    ):
        return ()
    unit = singular(match["number"], name)
    return keep_group(match, "number"), Piece(f" {unit}", *match.span("unit"))


@lru_cache(maxsize=16)
def is_about(text: str, context: re.Pattern[str]) -> bool:
    """Whether a text has one of the words, in small letters, that tell what it is about."""
    return context.search(text.lower()) is not None


# Places on the earth

_COORDINATE = re.compile(r"(?<![\w.,])(?P<number>\d{1,3}(?:\.\d+)?) ?° ?(?P<side>[NESW])(?!\w)")
_SIDES = {"N": "north", "E": "east", "S": "south", "W": "west"}


def _coordinate(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "53.4°N" as "53.4 degrees north", of which each word is all of it."""
    return replace_match(match, f"{match['number']} degrees {_SIDES[match['side']]}")


# Points of a percentage

_POINTS = re.compile(
    rf"(?<![\w.,])(?P<number>{NUMBER})(?:(?P<basis>[ -]?basis[ -]points?| ?bps)"
    r"|(?P<base> ?bp)|(?P<percentage>[ -]percentage[ -]points?|(?: ?%| per ?cent| pct)[ -]points?)"
    r"|(?P<short> ?ppts?| ?pp))(?!\w)"
)
# "bp" may be base pairs or blood pressure, "pp" pages.
_OF_RATES = re.compile(
    r"\b(?:rates?|yields?|spreads?|margins?|fed|ecb|banks?|bonds?|basis)\b|%|percent"
)
_OF_SHARES = re.compile(r"%|per ?cent|\bpct\b")


def _points(match: re.Match[str]) -> tuple[Piece, ...]:
    name = match.lastgroup or ""
    context = {"base": _OF_RATES, "short": _OF_SHARES}.get(name)
    if context and not context.search(match.string.lower()):
        return ()
    unit = "basis points" if name in ("basis", "base") else "percentage points"
    return keep_group(match, "number"), Piece(
        f" {singular(match['number'], unit)}", *match.span(name)
    )


# Rates and sizes of computers

_EVENTS = re.compile(
    rf"(?<![\w.,$£€])(?P<number>\d[\d.]*(?: million)?)(?P<unit> ?(?:{_any_of(measures.EVENTS)}"
    rf"|(?P<calls>{_any_of(measures.OF_INTERFACES)})))(?![\w/])"
)
_OF_INTERFACES = re.compile(
    r"\b(?:apis?|requests?|tokens?|rate limits?|quotas?|tpm|llms?|calls?)\b"
)
_OF_MODELS = re.compile(r"\b(?:tokens?|llms?|models?|gpus?|inference)\b")
_BINARY = re.compile(r"(?<![\w.,$£€])(?P<number>\d+(?:\.\d+)?)(?P<unit>[KMGT]i)(?!\w)")
_BINARY_UNITS = {"Ki": "kibibytes", "Mi": "mebibytes", "Gi": "gibibytes", "Ti": "tebibytes"}
_MILLICORES = re.compile(
    r"(?P<before>\b(?i:cpus?)(?: (?:limit|request)s?)?(?:: | is | of | to |=))?(?<![\w.,$£€])"
    r"(?P<number>\d+)(?P<unit>(?(before)(?:m| millicores?)| milli(?:cores?|cpus?)))(?!\w)"
)
_MODEL = re.compile(r"(?<![\w.,-])(?P<count>\d{1,3})x(?=[A-Z]{1,3}\d{2,4}\b)")


def _events(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "100rps" as "100 requests per second"; "600 RPM" as "600 requests per minute" only in a
    text about an interface."""
    unit = match["unit"].strip()
    is_other = unit.lower() == "tps" and is_about(match.string, _OF_MODELS)
    if is_other or (match["calls"] and not is_about(match.string, _OF_INTERFACES)):
        return ()
    full = measures.OF_INTERFACES[unit] if match["calls"] else measures.EVENTS[unit]
    return keep_group(match, "number"), Piece(f" {full}", *match.span("unit"))


def _binary(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "512Mi" as "512 mebibytes"."""
    return keep_group(match, "number"), Piece(
        f" {_BINARY_UNITS[match['unit']]}", *match.span("unit")
    )


def _millicores(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "cpu: 250m" and "250 millicores" as "0.25 cores"."""
    cores = Piece(plain_number(Decimal(match["number"]) / 1000), *match.span("number"))
    before = (keep_group(match, "before"),) if match["before"] else ()
    return (*before, cores, Piece(" cores", *match.span("unit")))


def _model(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "4xA100" as "4 A100"."""
    return Piece(match["count"], *match.span("count")), Piece(" ", match.end("count"), match.end())


# Temperatures in two scales

_BOTH_SCALES = re.compile(
    r"(?<=degrees )(?P<first>(?P<scale>Celsius|Fahrenheit))(?P<slash> ?/ ?)"
    r"(?P<other>\d[\d.]* degrees (?!(?P=scale))(?:Celsius|Fahrenheit))\b"
)


def _both_scales(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "350F/177C" as "350 degrees Fahrenheit (177 degrees Celsius)"."""
    end = match.end()
    bracket = Piece(" (", *match.span("slash"))
    return keep_group(match, "first"), bracket, keep_group(match, "other"), Piece(")", end - 1, end)


LETTERS = (Rule(_LETTER, _letter, re.compile(r"\d(?: ?[cfkwl]|p)(?!\w)")),)
"""Rules for texts with digits; before those of scales, for which "77K" is 77 thousand."""
PARTS_CUE = re.compile(rf"[{_SIGNS}]|\d/\d|\bhalf an? (?:{_SHORT})\b|\bhalf (?:{_SHORT})\b")
PARTS = (Rule(_PART_OF_ONE, _part_of_one),)
"""Rules for texts in which `PARTS_CUE` is found; before those of `numerals.py`."""
_EVENTS_CUE = re.compile(
    "|".join(re.escape(name.lower()) for name in [*measures.EVENTS, *measures.OF_INTERFACES])
)
UNITS = (
    Rule(_FEET, _feet, re.compile(r"\d ?(?:f|['’′])")),
    Rule(_STONE, _stone, re.compile(r"\d ?sto?n?e?\b")),
    Rule(_STONE_ALONE, _stone_alone, re.compile(r"\d ?st\b")),
    Rule(_COORDINATE, _coordinate, re.compile(r"\d ?°")),
    Rule(_POINTS, _points, re.compile(r"(?:bps?|ppts?|pp|points?)\b")),
    Rule(_EVENTS, _events, _EVENTS_CUE),
    Rule(_BINARY, _binary, re.compile(r"\d[kmgt]i\b")),
    Rule(_MILLICORES, _millicores, re.compile(r"cpu|millic")),
    Rule(_MODEL, _model, re.compile(r"\dx[a-z]+\d")),
    Rule(_MEASURED, _measured),
    Rule(_COUNTED, _counted, re.compile("/[a-z]")),
    Rule(_BOTH_SCALES, _both_scales, re.compile(r"(?:celsius|fahrenheit) ?/")),
)
"""Rules for texts with digits; after those of `amounts.py`."""
