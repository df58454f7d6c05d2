"""One amount in one unit: "512 MB" is "512 million bytes", "3200 MHz" are "3.2 billion hertz"; and
an amount of a summary in the unit of the source: "0.5 kg" as "500 g", "an hour and a half" as "90
minutes", where it has that. What does not live here: units in full (`units.py`).

Of bytes, bits, hertz, watts, joules, base pairs and parts of a second the prefix becomes the
number's scale, so that another prefix is another number. All of it is exact.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from faithkit.language.lexicon import SCALES
from faithkit.language.mapped import (
    Mapped,
    Piece,
    Rule,
    apply_rules,
    identity_map,
    keep_group,
    replace_pieces,
)
from faithkit.language.notations.numerals import NUMBER, in_scale
from faithkit.language.notations.sciences import UNITS_IN_FULL
from faithkit.language.words import plain_letters

_PREFIXES = {
    "micro": Decimal("0.000001"), "milli": Decimal("0.001"), "kilo": Decimal(10**3),
    "mega": Decimal(10**6), "giga": Decimal(10**9), "tera": Decimal(10**12),
    "peta": Decimal(10**15),
    "kibi": 1 / Decimal(1024), "mebi": Decimal(1), "gibi": Decimal(1024), "tebi": Decimal(1024**2),
}  # fmt: skip
"""What a prefix multiplies by; a binary one into mebibytes."""

_UNIT = (
    r"(?:(?:kilo|mega|giga|tera|peta)(?:bytes?|bits?|hertz|watts?(?:[ -]hours?)?|joules?"
    r"|base pairs?)"
    r"|(?:kibi|mebi|gibi|tebi)bytes?|(?:milli|micro)seconds?)"
)
_SCALE = r"(?: (?:million|billion|trillion))?"
_MEMBER = rf"{NUMBER}{_SCALE}(?: {_UNIT})?"
_PARTS = re.compile(
    r"(?P<prefix>kilo|mega|giga|tera|peta|kibi|mebi|gibi|tebi|milli|micro)"
    r"(?P<base>byte|bit|hertz|watt|watt hour|joule|second|base pair)"
)
_AMOUNTS = re.compile(
    rf"(?<![\w.,/:^-])(?:(?:{_MEMBER}(?:, |/)){{0,4}}{_MEMBER}(?:,? (?:to|and|or) | [x×] |/))?"
    rf"{NUMBER}{_SCALE}[ -]{_UNIT}(?![\w'’⁻]|[−^-]\d)"
)
_ONE = re.compile(rf"(?P<number>{NUMBER})(?P<scale>{_SCALE})(?:[ -](?P<unit>{_UNIT})\b)?")
_YEAR = re.compile(r"(?:19|20)\d\d")


def _amounts(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "128 or 256 GB" as "128 billion or 256 billion bytes"."""
    members = [*_ONE.finditer(match.string, *match.span())]
    while len(members) > 1 and not members[0]["unit"] and _YEAR.fullmatch(members[0].group()):
        del members[0]
    names: list[str] = []
    name = ""
    for member in reversed(members):
        name = member["unit"] or name
        names.insert(0, name)
    amounts = [_Amount.of(*given) for given in zip(members, names, strict=True)]
    best = [amount.best() for amount in amounts]
    if best == amounts:
        return ()
    pieces: list[Piece] = []
    done = match.start()
    units = [amount.unit for amount in best[1:]] + [""]
    for member, name, given, new, unit in zip(members, names, amounts, best, units, strict=True):
        pieces.append(Piece(match.string[done : member.start()], done, member.start()))
        done = member.end()
        if new == given and (member["unit"] or new.unit == unit):
            pieces.append(Piece(member.group(), *member.span()))
            continue
        number, scale = in_scale(new.value)
        place = member.span("unit") if member["unit"] else member.span()
        pieces.append(Piece(number, *member.span("number")))
        words = [scale, new.named(name, given) if member["unit"] or new.unit != unit else ""]
        pieces += [Piece(f" {word}", *place) for word in words if word]
    return tuple(pieces)


class _Amount(NamedTuple):
    """So many of a unit, whose name is in the singular."""

    value: Decimal
    unit: str

    @classmethod
    def of(cls, member: re.Match[str], name: str) -> _Amount:
        scale = member["scale"].strip()
        value = Decimal(member["number"]) * (SCALES[scale] if scale else 1)
        return cls(value, name.removesuffix("s").replace("-", " "))

    def best(self) -> _Amount:
        """The same amount without a prefix."""
        parts = _PARTS.fullmatch(self.unit)
        if not parts:
            return self
        prefix, base = parts["prefix"], parts["base"]
        base = f"mebi{base}" if prefix.endswith("bi") else base
        return _Amount(self.value * _PREFIXES[prefix], base)

    def named(self, written: str, given: _Amount) -> str:
        """The unit's name, in the plural where the number or the name as it is written say so."""
        is_singular = self.value == 1 or (given.value != 1 and not written.endswith("s"))
        return self.unit if is_singular or self.unit == "hertz" else f"{self.unit}s"


# Amounts in the unit of the source

_SIZES = {
    "weight": {"microgram mcg μg ug": 1, "milligram mg": 10**3, "gram g gm": 10**6,
               "kilogram kg": 10**9, "tonne": 10**12},
    "length": {"millimetre mm": 1, "centimetre cm": 10, "metre": 10**3, "kilometre km": 10**6},
    "volume": {"millilitre ml": 1, "centilitre cl": 10, "decilitre dl": 100,
               "litre l L": 10**3},
    "time": {"second sec": 1, "minute min": 60, "hour hr h": 3600},
    "speed": {"knot": 1, "kt": 1},
    "distance": {"parsec": 1, "pc": 1, "kpc": 10**3, "kiloparsec": 10**3, "Mpc": 10**6,
                 "megaparsec": 10**6},
    "years of light": {"light-year": 1, "light_year": 1, "ly": 1},
    "pressure": {"pascal": 1, "Pa": 1, "millibar mbar hPa": 100, "mb": 100, "kilopascal kPa": 1000,
                 "bar": 10**5, "megapascal MPa": 10**6},
    "voltage": {"millivolt mV": 1, "volt": 10**3, "V": 10**3, "kilovolt kV": 10**6},
    "resistance": {"ohm Ω": 1, "kiloohm kilohm kΩ": 10**3, "megaohm megohm MΩ": 10**6},
    "current": {"μA uA": 1, "microamp": 1, "milliamp mA": 10**3, "A": 10**6, "amp": 10**6},
    "energy": {"millielectronvolt meV": 1, "eV": 10**3, "electronvolt": 10**3,
               "kiloelectronvolt keV": 10**6, "megaelectronvolt MeV": 10**9,
               "gigaelectronvolt GeV": 10**12},
    "capacity": {"pF": 1, "picofarad": 1, "nF": 10**3, "nanofarad": 10**3,
                 "microfarad μF uF": 10**6},
    "bases": {"base_pair": 1, "bp": 1, "kilobase": 10**3, "kilobase_pair": 10**3, "kb": 10**3,
              "kbp": 10**3, "megabase": 10**6, "megabase_pair": 10**6, "Mb": 10**6, "Mbp": 10**6},
    "molarity": {"nanomolar nM": 1, "nmol/l": 1, "micromolar μM": 10**3, "uM": 10**3,
                 "μmol/l umol/l": 10**3, "millimolar mM": 10**6, "mmol/l": 10**6, "M": 10**9,
                 "molar": 10**9, "mol/l": 10**9},
    "weight in a volume": {"ng/ml": 1, "μg/l ug/l mcg/l": 1, "μg/dl ug/dl mcg/dl": 10,
                           "μg/ml ug/ml mcg/ml": 10**3, "mg/l": 10**3, "mg/dl": 10**4,
                           "mg/ml": 10**6, "g/l": 10**6, "g/dl": 10**7},
}  # fmt: skip
"""The sizes of the units of each kind, in its smallest; names that are read alike stand together,
with "re" and "μ" for other spellings and "_" for blanks."""


class _Unit(NamedTuple):
    """A unit of a kind, its size and the names that are read alike."""

    kind: str
    size: int
    name: str


_UNITS = {
    name.replace("_", " "): _Unit(kind, size, names)
    for kind, sizes in _SIZES.items()
    for names, size in sizes.items()
    for name in names.split()
}
_OF_ONE_CASE = ("bp", "kb", "kt", "ly", "mb", "pc")
"""Units that are others, or none, in other letters: "MB" are megabytes."""


def _has_one_case(name: str) -> bool:
    return len(name) == 1 or name != name.lower() or name in _OF_ONE_CASE


def _pattern_of(name: str) -> str:
    written = re.sub("(met|lit)re", r"\1(?:re|er)", re.escape(name).replace("μ", "[µμ]"))
    return f"(?-i:{written})" if _has_one_case(name) else written


def _unit_of(written: str) -> _Unit | None:
    """The unit of a name, in any of its spellings."""
    name = re.sub("(met|lit)er", r"\1re", written.replace("µ", "μ"))
    return _UNITS.get(name) or _UNITS.get(re.sub("(met|lit)er", r"\1re", plain_letters(name)))


_NAMES = "|".join(map(_pattern_of, sorted(_UNITS, key=len, reverse=True)))
_COUNT = r"\d{1,3}(?:,\d{3})+|\d++(?:\.\d++)?+"
_MEASURED = re.compile(
    r"(?<![\w.,/:^-])(?:(?P<hours>\d{1,4})[ -]?(?:hours?|hrs?|h) ?(?:and )?(?P<minutes>[1-5]?\d)"
    r" ?(?:min(?:ute)?s?|m)"
    rf"|(?P<count>{_COUNT})[ -]?(?P<unit>{_NAMES})s?(?! of mercury\b)"
    r"|(?P<words>half an hour|an hour and a half|a quarter of an hour|three quarters of an hour))"
    r"(?![\w'’⁻%/]|[−^.,-]\d| per\b| and a half)",
    re.IGNORECASE,
)
_IN_WORDS = {"half an hour": 1800, "an hour and a half": 5400, "a quarter of an hour": 900,
             "three quarters of an hour": 2700}  # fmt: skip
_SENTENCE = re.compile(r"[^\n.!?]+(?:[.!?](?!\s)[^\n.!?]*)*+")
_MEASURED_CUE = re.compile(rf"\d[ -]?(?:{_NAMES})|an hour", re.IGNORECASE)


def in_units_of(text: Mapped, source: str) -> Mapped:
    """A summary with its amounts as the source writes the same ones: "1.5 hours" as "90 minutes"
    where the source has that and no 1.5 hours."""
    if not _MEASURED_CUE.search(text.text):
        return text
    pieces = []
    for match in _MEASURED.finditer(text.text):
        measure = _measure(match)
        written = _measures(source).get(measure[0], {}) if measure else {}
        if measure and written and measure[1] not in written:
            pieces.append(Piece(next(iter(written.values())), *match.span()))
    return replace_pieces(text, pieces)


@lru_cache(maxsize=16)
def _measures(source: str) -> dict[tuple[str, Decimal], dict[str, str]]:
    """Of each amount in a source how it is first written in each unit, where that is not in full by
    what its sentence is about."""
    written: dict[tuple[str, Decimal], dict[str, str]] = {}
    for sentence in _SENTENCE.findall(source):
        plain = apply_rules(identity_map(sentence), UNITS_IN_FULL).text
        for match in _MEASURED.finditer(plain):
            if measure := _measure(match):
                key, unit = measure
                written.setdefault(key, {}).setdefault(unit, match.group())
    return written


def _measure(match: re.Match[str]) -> tuple[tuple[str, Decimal], str] | None:
    """What is measured, how much of it in the smallest unit, and the unit that it is written in:
    "hour minute" of "1 hour 30 minutes"."""
    if match["words"]:
        seconds = _IN_WORDS.get(plain_letters(match["words"]))
        return (("time", Decimal(seconds)), "hour hr h") if seconds else None
    if match["hours"]:
        size = Decimal(3600 * int(match["hours"]) + 60 * int(match["minutes"]))
        return ("time", size), "hour minute"
    unit = _unit_of(match["unit"])
    if not unit:
        return None
    return (unit.kind, unit.size * Decimal(match["count"].replace(",", ""))), unit.name


# Units of labels

_LABEL = re.compile(r"\w[ ]?[(\[](?P<unit>[A-Za-z/]{1,6})[)\]]$|(?<=[a-z])_(?P<key>[a-z]{2,7})$")
_OF_LABELS = {
    "ms": "milliseconds", "s": "seconds", "sec": "seconds", "min": "minutes", "mins": "minutes",
    "h": "hours", "hrs": "hours", "hours": "hours", "seconds": "seconds", "minutes": "minutes",
    "kg": "kilograms", "g": "grams", "mg": "milligrams", "km": "kilometres", "cm": "centimetres",
    "mm": "millimetres", "ml": "millilitres", "kb": "kilobytes", "mb": "megabytes",
    "gb": "gigabytes", "tb": "terabytes", "mib": "mebibytes", "gib": "gibibytes",
    "khz": "kilohertz", "mhz": "megahertz", "ghz": "gigahertz", "kw": "kilowatts",
    "kwh": "kilowatt hours", "mwh": "megawatt hours", "gwh": "gigawatt hours",
    "ppm": "parts per million", "ppb": "parts per billion",
    "kbps": "kilobits per second", "mbps": "megabits per second", "gbps": "gigabits per second",
}  # fmt: skip
_NO_UNITS = ("MM", "Kb", "Mb", "Gb", "Tb")
"""Millions, and bits, which are seldom what is meant."""
_OF_DATES = re.compile(r"date|birth|dob|exp", re.IGNORECASE)
_KEYED = re.compile(
    r"(?<![\w.])(?P<label>(?P<key>[a-z][a-z\d_]{0,40}_[a-z]{2,7}) "
    rf"(?:(?:is|was|value|field|set|of|to|at|=) ){{1,4}})(?P<number>{NUMBER})"
    r"(?![\w%]|[.,]\d| [a-z])"
)
_OF_TIMES = re.compile(
    r"time|duration|delay|length|interval|wait|latency|runtime|ttl|period|travel", re.IGNORECASE
)


def unit_of_label(label: str) -> str:
    """The unit that a label ends with: that of "Timeout (ms)" and "timeout_ms" is "milliseconds";
    nothing of "Age (min)", which is the least."""
    found = _LABEL.search(label)
    if not found:
        return ""
    written = found["unit"] or found["key"]
    if written.lower() in ("s", "h", "g", "min") and found["unit"] and found.group()[1] != " ":
        return ""
    if written == "min" and not _OF_TIMES.search(label):
        return ""
    if written in ("MW", *_NO_UNITS) or (written == "mm" and _OF_DATES.search(label)):
        return "megawatts" if written == "MW" else ""
    return _OF_LABELS.get(written if len(written) == 1 else written.lower(), "")


def _keyed(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "timeout_ms is 500" as "timeout_ms is 500 milliseconds"."""
    unit = unit_of_label(match["key"])
    if not unit:
        return ()
    number = keep_group(match, "number")
    return keep_group(match, "label"), number, Piece(f" {unit}", *match.span("number"))


QUANTITIES_CUE = re.compile(
    r"[a-z]_[a-z]{2,7} |\d (?:[a-z]+ )?-?(?:kilo|mega|giga|tera|peta|micro|milli|[kmgt][ei]bi)"
    r"|\d-(?:kilo|mega|giga|tera|peta|[kmgt][ei]bi)"
)
QUANTITIES = (
    Rule(_KEYED, _keyed, re.compile(r"[a-z]_[a-z]{2,7} ")),
    Rule(_AMOUNTS, _amounts),
)
"""Rules for texts in which `QUANTITIES_CUE` is found; after all others of numbers."""
