"""How the sciences abbreviate: "4.6 Gyr" is "4.6 billion years", "5 kb" of a genome "5 kilobase
pairs", "p99" is "99th percentile", "mg kg⁻¹" is "mg/kg". What does not live here: units that have
one meaning in all texts (`measures.py`), powers of ten (`notation.py`).
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule, keep_group, replace_match
from faithkit.language.notations.measures import PER_UNITS
from faithkit.language.notations.units import is_about

# Units that are others, or none, in other texts

_OF_GENES = re.compile(
    r"\b(?:genom\w+|genes?|genetic|plasmids?|c?dna|m?rna|chromosom\w+|amplicons?|primers?"
    r"|contigs?|nucleotides?|base pairs?|exons?|introns?)\b"
)
_OF_WIND = re.compile(
    r"\b(?:winds?|gust\w*|breezes?|squalls?|ships?|boats?|yachts?|vessels?|ferry|aircraft"
    r"|airspeed|sail(?:s|ed|ing)?)\b"
)
_OF_AIR = re.compile(
    r"\b(?:pressure|hurricane|typhoon|cyclone|storm|barometer|depression|anticyclone)\b"
)
_OF_HURRICANES = re.compile(r"\b(?:central pressure|barometric|hurricane|cyclone|typhoon)\b")
_OF_STARS = re.compile(
    r"\b(?:stellar|galax\w+|nebulae?|exoplanets?|quasars?|supernovae?|telescopes?|parsecs?"
    r"|light[ -]years?|star clusters?)\b"
)
_OF_ROCKS = re.compile(
    r"\b(?:rocks?|zircons?|basalts?|granites?|fossils?|sediment\w*|strata|lavas?|glaci\w+"
    r"|isotop\w+|cretaceous|jurassic|triassic|permian|devonian|cambrian|pleistocene|holocene"
    r"|eocene|miocene|pliocene|geolog\w+|extinctions?|tecton\w+|craton|mantle"
    r"|layers?|cores?|craters?)\b"
)
_OF_ANY = re.compile("")
_MEANINGS = {
    "bp": ("base pairs", _OF_GENES),
    "kb": ("kilobase pairs", _OF_GENES),
    "Mb": ("megabase pairs", _OF_GENES),
    "Gb": ("gigabase pairs", _OF_GENES),
    "kbp": ("kilobase pairs", _OF_ANY),
    "Mbp": ("megabase pairs", _OF_ANY),
    "kt": ("knots", _OF_WIND),
    "mb": ("millibars", _OF_AIR),
    "MB": ("millibars", _OF_HURRICANES),
    "kn": ("knots", _OF_WIND),
    "pc": ("parsecs", _OF_STARS),
    "ly": ("light-years", _OF_STARS),
    "kyr": ("thousand years", _OF_ANY),
    "Myr": ("million years", _OF_ANY),
    "Gyr": ("billion years", _OF_ANY),
    "ka": ("thousand years", _OF_ROCKS),
    "Ma": ("million years", _OF_ROCKS),
    "Ga": ("billion years", _OF_ROCKS),
}
"""Units, each in full, and what texts are about in which they are that: elsewhere "25 bp" are basis
points, "5 Mb" megabits, and "Ma" is a mother."""
_UNIT = re.compile(
    rf"(?<=\d)(?P<unit>[ -]?(?:{'|'.join(sorted(_MEANINGS, key=len, reverse=True))}))"
    r"(?![\w/+'’]|[-.](?!old\b)\w)(?P<age>(?=[ -](?:old|ago|BP)\b))?"
)
_ONE = re.compile(r"(?<![\d.,])1$")


def _unit_in_full(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "40 ka ago" as "40 thousand years ago", "35 kt" of a wind as "35 knots"."""
    full, texts = _MEANINGS[match["unit"].strip(" -")]
    is_age = match["age"] is not None and full.endswith("years")
    if not (is_age or is_about(match.string, texts)):
        return ()
    text, start = match.string, match.start()
    is_one = _ONE.search(text, max(0, start - 2), start) is not None
    return replace_match(match, f" {full.removesuffix('s') if is_one else full}")


# Percentiles

_OF_LATENCY = r"\d[\d.]* (?:latenc|response|request|load|duration|quer)"
_PERCENTILE = re.compile(
    rf"(?<![\w./-])(?<!\b[Ss]ee )(?<!\bto )(?<!\bon )(?:p|P(?={_OF_LATENCY}))"
    r"(?P<short>50|75|9\d(?:\.9{1,2})?)"
    r"(?![\w%]|[.,-]\d)"
    r"|(?<![\w.,])(?P<number>\d\d?(?:\.\d{1,2})?)(?:st|nd|rd|th)[- ]percentile\b"
)
_OF_TIMES = re.compile(
    r"\b(?:latenc\w+|percentiles?|response|requests?|queries|durations?|throughput|load times?"
    r"|slos?|milliseconds?|seconds?)\b|\d ?m?s\b"
)


def _percentile(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "p99 latency" and "99th-percentile latency" as "99th percentile latency", "p50 latency" as
    "median latency"; nothing of a page, "p99"."""
    if match["short"] and not is_about(match.string, _OF_TIMES):
        return ()
    number = match["short"] or match["number"]
    if number == "50":
        return replace_match(match, "median")
    ending = {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
    ending = "th" if number in ("11", "12", "13") else ending
    return replace_match(match, f"{number}{ending} percentile")


# Negative exponents of units

_DIVISORS = "s|min|hr?|d|day|yr|year|[kmµμ]?g|[dmµμ]?[Ll]|mol|ha|[ck]?m"
_RAISED_POWER = rf"[ ·⋅](?:{_DIVISORS})(?:⁻[¹²³]|\^[({{]?[−–-][123][)}}]?)"
_LOWERED_POWER = rf"[ ·⋅](?:{_DIVISORS})[−–-][123]"
_PER = re.compile(
    rf"(?<=\d)(?:(?P<unit> ?[A-Za-zµμ]{{1,6}})(?P<powers>(?:{_RAISED_POWER})+)"
    r"|(?P<measure> ?(?:[mkµμun]?(?:g|mol|[Ll]|m|J|W)|cm|t|I?U|cells|beats))"
    rf"(?P<lowered>(?:{_LOWERED_POWER})+))(?![\w⁻^]|[.,]\d)"
)
_ALONE = re.compile(r"(?<=\d) ?(?P<unit>s|min|h|d|day|yr|year)(?:⁻¹|\^[({]?[−–-]1[)}]?)(?!\w)")
_ONE_POWER = re.compile(r"[ ·⋅](?P<unit>[A-Za-zµμ]+)[^\d¹²³]*(?P<power>[123¹²³])[)}]?")
_RAISED = {"1": "", "¹": "", "2": "²", "²": "²", "3": "³", "³": "³"}


def _per(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "410 µmol m⁻² s⁻¹" as "410 µmol/m²/s"."""
    unit, powers = ("unit", "powers") if match["unit"] else ("measure", "lowered")
    return keep_group(match, unit), *(
        Piece(f"/{part['unit']}{_RAISED[part['power']]}", *part.span())
        for part in _ONE_POWER.finditer(match.string, *match.span(powers))
    )


def _per_alone(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "5 s⁻¹" as "5 per second"."""
    return replace_match(match, f" per {PER_UNITS[match['unit']]}")


# Marks of minutes and of parts of circuits

_PRIMES = re.compile(
    r"\b(?P<before>(?:for|then|after) \d{1,3})(?P<sign> ?['\"′″])"
    r"(?= (?:at|on|in|with)\b|[,;.]|$)"
)
_OF_LABORATORIES = re.compile(r"\b(?:incubat\w+|centrifug\w+|on ice)\b|\d ?°")
_PART = re.compile(
    r"(?<![\w.-])(?P<whole>\d{1,3})(?P<sign>[RkMpnuµμ])(?P<part>\d{1,2})(?![\w-]|\.\w)"
)
_OF_CIRCUITS = re.compile(r"\b(?:resist\w+|k?ohms?|potentiometers?|pull-?ups?|capacitors?)\b|ω")
_PARTS = {
    "R": "ohms", "k": "kiloohms", "M": "megaohms", "p": "picofarads", "n": "nanofarads",
    **dict.fromkeys("uµμ", "microfarads"),
}  # fmt: skip


def _prime(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "Incubate for 30' at 37 °C" as "Incubate for 30 minutes at 37 °C"."""
    if not is_about(match.string, _OF_LABORATORIES):
        return ()
    unit = " minutes" if match["sign"].strip() in ("'", "′") else " seconds"
    return keep_group(match, "before"), Piece(unit, *match.span("sign"))


def _part(match: re.Match[str]) -> tuple[Piece, ...]:
    """A resistor of "4k7" as one of "4.7 kiloohms", a capacitor of "4n7" as "4.7 nanofarads"."""
    if not is_about(match.string, _OF_CIRCUITS):
        return ()
    return replace_match(match, f"{match['whole']}.{match['part']} {_PARTS[match['sign']]}")


UNITS_IN_FULL = (
    Rule(
        _UNIT, _unit_in_full, re.compile(r"\d[ -]?(?:[kmg]bp?|bp|k[nt]|mb|pc|ly|[kmg]yr|[kmg]a)\b")
    ),
)
SCIENCES = (
    *UNITS_IN_FULL,
    Rule(_PERCENTILE, _percentile, re.compile(r"\bp\d\d|percentile")),
    Rule(_PER, _per, re.compile(r"[⁻^]|[a-z][−–-][123]\b")),
    Rule(_ALONE, _per_alone, re.compile("[⁻^]")),
    Rule(_PRIMES, _prime, re.compile(r"\d ?['\"′″]")),
    Rule(_PART, _part, re.compile(r"\d[rkmpnuµμ]\d")),
)
"""Rules for texts with digits; before those of ranges, which share the scale that they give."""
