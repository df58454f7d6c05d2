"""One amount in one unit: "512 MB" is "512 million bytes", "1,200 metres" are "1.2 kilometres", "90
minutes" are "1.5 hours". What does not live here: units in full (`units.py`).

Of bytes, bits, hertz, watts, joules and parts of a second the prefix becomes the number's scale, so
that another prefix is another number. Of grams, metres and litres an amount is written in the
largest unit in which it is at least 1 and has no more than three decimals, centimetres below a
metre as they are. All of it is exact.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from faithkit.language.lexicon import SCALES
from faithkit.language.mapped import Piece, Rule, same
from faithkit.language.notations.numerals import NUMBER, in_scale, plain_number

_PREFIXES = {
    "micro": Decimal("0.000001"), "milli": Decimal("0.001"), "kilo": Decimal(10**3),
    "mega": Decimal(10**6), "giga": Decimal(10**9), "tera": Decimal(10**12),
    "peta": Decimal(10**15),
    "kibi": 1 / Decimal(1024), "mebi": Decimal(1), "gibi": Decimal(1024), "tebi": Decimal(1024**2),
}  # fmt: skip
"""What a prefix multiplies by; a binary one into mebibytes."""

_LADDERS = {
    "gram": {"microgram": 1, "milligram": 10**3, "gram": 10**6, "kilogram": 10**9,
             "tonne": 10**12},
    "metre": {"millimetre": 1, "metre": 10**3, "kilometre": 10**6},
    "litre": {"millilitre": 1, "litre": 10**3},
}  # fmt: skip
"""The units of one kind that amounts are written in, the smallest first, each with its size."""

_SIZES = {"centimetre": 10, "centilitre": 10, "decilitre": 100} | {
    unit: size for ladder in _LADDERS.values() for unit, size in ladder.items()
}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_MOST_MINUTES = 300
"""More are counted as minutes: "3,000 minutes of calls"."""
_FEW = 180
"""From so many minutes on a time is written in hours and minutes; seconds likewise."""

_TECHNICAL = (
    r"(?:kilo|mega|giga|tera|peta)(?:bytes?|bits?|hertz|watts?(?:[ -]hours?)?|joules?)"
    r"|(?:kibi|mebi|gibi|tebi)bytes?|(?:milli|micro)seconds?"
)
_EVERYDAY = (
    r"(?:micro|milli|kilo)?grams?|tonnes?|(?:milli|centi|kilo)?met(?:re|er)s?"
    r"|(?:milli|centi|deci)?lit(?:re|er)s?"
)
_UNIT = rf"(?:{_TECHNICAL}|{_EVERYDAY}|(?:second|minute|hour)s?)"
_SCALE = r"(?: (?:million|billion|trillion))?"
_MEMBER = rf"{NUMBER}{_SCALE}(?: {_UNIT})?"
_PARTS = re.compile(
    r"(?P<prefix>kilo|mega|giga|tera|peta|kibi|mebi|gibi|tebi|milli|micro)"
    r"(?P<base>byte|bit|hertz|watt|watt hour|joule|second)"
)
_METERS = re.compile("(met|lit)er")
_AMOUNTS = re.compile(
    rf"(?<![\w.,/:^-])(?:(?:{_MEMBER}(?:, |/)){{0,4}}{_MEMBER}(?:,? (?:to|and|or) | [x×] |/))?"
    rf"{NUMBER}{_SCALE}[ -]{_UNIT}(?![\w'’⁻]|[−^-]\d)"
    r"(?! of mercury| per (?:(?:milli|deci|micro)?litre|(?:kilo|milli)?gram|square|cubic|1\.73)"
    r"|(?<=met(?:re|er)s|litres|ograms|.metre|.litre) per (?:hour|minute|second))"
)
_ONE = re.compile(rf"(?P<number>{NUMBER})(?P<scale>{_SCALE})(?:[ -](?P<unit>{_UNIT})\b)?")
_YEAR = re.compile(r"(?:19|20)\d\d")


def _amounts(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "128 or 256 GB" as "128 billion or 256 billion bytes", "500 mg to 1000 mg" as "500
    milligrams to 1 gram"."""
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
        return cls(value, _METERS.sub(r"\1re", name.removesuffix("s").replace("-", " ")))

    def best(self) -> _Amount:
        """The same amount in the unit that all such amounts are read in."""
        technical = _PARTS.fullmatch(self.unit)
        if technical:
            prefix, base = technical["prefix"], technical["base"]
            base = f"mebi{base}" if prefix.endswith("bi") else base
            amount = _Amount(self.value * _PREFIXES[prefix], base)
            return _time(amount) if base == "second" else amount
        if self.unit in _SECONDS:
            return _time(self)
        return _everyday(self) if self.unit in _SIZES else self

    def named(self, written: str, given: _Amount) -> str:
        """The unit's name, in the plural where the number or the name as it is written say so."""
        is_singular = self.value == 1 or (given.value != 1 and not written.endswith("s"))
        head, *rest = self.unit.split(" ", 1) if self.unit != "watt hour" else [self.unit]
        plural = head if is_singular or head == "hertz" else f"{head}s"
        return " ".join([plural, *rest])


def _everyday(amount: _Amount) -> _Amount:
    """ "1200 metres" as "1.2 kilometres", "0.5 kilograms" as "500 grams", "184 centimetres" as
    "1.84 metres"; "45 millimetres" of rain and "30 centimetres" stay, as people say them."""
    if amount.unit == "centimetre" and 1 <= amount.value < 100:
        return amount
    base = "gram" if amount.unit == "tonne" else re.sub("^.*(?=gram|metre|litre)", "", amount.unit)
    ladder = _LADDERS[base]
    size = amount.value * _SIZES[amount.unit]
    for unit in reversed(ladder):
        value = size / ladder[unit]
        if value >= 1 and value * 1000 % 1 == 0:
            return _Amount(value, unit)
    return amount


def _time(amount: _Amount) -> _Amount:
    """ "90 minutes" as "1.5 hours", "1.25 hours" as "75 minutes", "192 minutes" as "3 hours 12
    minutes", and seconds likewise."""
    value, unit = amount
    seconds = value * _SECONDS[unit]
    is_odd = value * 4 % 1 != 0 or (value * 2 % 1 != 0 and value >= _FEW // 60)
    if (unit != "second" and is_odd) or (unit == "minute" and value > _MOST_MINUTES):
        return amount
    large, small = ("hour", "minute") if seconds >= 3600 else ("minute", "second")
    parts = seconds / _SECONDS[small]
    if parts % 1 != 0 or parts < 60:
        return _Amount(seconds, "second") if seconds < 60 else amount
    if parts % 30 == 0:
        return _Amount(parts / 60, large)
    if parts < _FEW:
        return _Amount(parts, small)
    return _Amount(parts // 60, f"{large} {parts % 60} {small}s")


_WITH_PART = re.compile(
    r"(?<![\w.,/:-])(?:(?P<hours>\d+) (?:hours?) (?P<minutes>\d+) minutes?"
    r"|(?<!hour )(?<!hours )(?<!and )(?P<whole>\d+) minutes?(?: and)? (?P<seconds>\d+) seconds?)"
    r"(?!\w| (?:and )?\d)"
)


def _with_part(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "1 hour 30 minutes" as "1.5 hours", "1 hour 20 minutes" as "80 minutes"."""
    large, small = ("hours", "minutes") if match["hours"] else ("whole", "seconds")
    parts = int(match[large]) * 60 + int(match[small])
    value, unit = _time(_Amount(Decimal(parts), small.removesuffix("s")))
    if " " in unit or parts >= _MOST_MINUTES:
        return ()
    number = plain_number(value)
    return (
        Piece(number, *match.span(large)),
        Piece(f" {unit}{'' if number == '1' else 's'}", match.end(large), match.end()),
    )


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
    number = same(match, "number")
    return same(match, "label"), number, Piece(f" {unit}", *match.span("number"))


QUANTITIES_CUE = re.compile(
    r"[a-z]_[a-z]{2,7} |\d (?:[a-z]+ )?-?(?:second|minute|hour|gram|tonne|kilo|mega|giga|tera"
    r"|peta|micro|milli|centi|deci|met(?:re|er)|lit(?:re|er)|[kmgt][ei]bi)"
)
QUANTITIES = (
    Rule(_KEYED, _keyed, re.compile(r"[a-z]_[a-z]{2,7} ")),
    Rule(_WITH_PART, _with_part, re.compile(r"\d (?:hours?|minutes?) ")),
    Rule(_AMOUNTS, _amounts),
)
"""Rules for texts in which `QUANTITIES_CUE` is found; after all others of numbers."""
