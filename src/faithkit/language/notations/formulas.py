"""Chemical formulas and symbols with small figures, as they are typed: "CO₂" and "CO_2" are "CO2",
"IC₅₀" is "IC50", "¹⁴C" is "14C", "Fe³⁺" is "Fe3+". What does not live here: powers of ten
(`notation.py`), formulas of LaTeX (`latex.py`), and marks of notes, which stay.
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule, replace_match

_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ₐₑₒₓₕₖₗₘₙₚₛₜᵢ", "0123456789+-aeoxhklmnpsti", strict=True))
_LOWERED_SIGN = f"[{''.join(_LOWERED)}]"
_SUBSCRIPT = re.compile(rf"(?<=[^\W\d_]|[)\]]){_LOWERED_SIGN}+(?:\.{_LOWERED_SIGN}+)?")
_UNDERLINED = re.compile(
    r"(?<![\w./\\-])(?=[A-Za-z]{1,8}_)[A-Z](?:[A-Za-z]|_\d{1,2}(?!\d))*+(?:\.\d)?(?![\w/\\]|\.\w)"
)

_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))
_CHARGE = re.compile(r"(?<=[A-Za-z\d)\]])(?<!\b10)[¹²³⁴⁵⁶⁷⁸⁹]?[⁺⁻](?![⁰¹²³⁴⁵⁶⁷⁸⁹\d])")
_ELEMENTS = (
    "Ac|Ag|Al|Ar|Au|Ba|Bi|Br|C|Ca|Cd|Ce|Cf|Cl|Cm|Co|Cr|Cs|Cu|Dy|Er|Eu|F|Fe|Fr|Ga|Gd|Ge|Hf|Hg"
    "|Ir|K|Kr|Lu|Mg|Mn|Mo|N|Na|Nb|Nd|Ne|Ni|Np|O|Os|P|Pa|Pb|Pd|Pm|Po|Pr|Pt|Pu|Ra|Rb|Re|Rh|Rn"
    "|Ru|S|Sb|Sc|Se|Si|Sm|Sn|Sr|Ta|Tb|Tc|Te|Th|Ti|Tl|Tm|U|V|W|Xe|Y|Yb|Zn|Zr"
)
_FIGURE = "[⁰¹²³⁴⁵⁶⁷⁸⁹]"
_ISOTOPE = re.compile(
    rf"(?<![^\W\dδΔ])(?<!\d)(?:[¹²³⁴⁵⁶⁷⁸⁹]{_FIGURE}{{1,2}}ᵐ?(?=(?:{_ELEMENTS})(?![a-z’']))"
    rf"|¹[²³]{_FIGURE}(?=I(?![a-z’']))|[¹²³](?=H(?![a-z’'.])))"
)
"""Of one figure only those of hydrogen, since a note may begin with "¹A"; nor "¹²I think"."""


def _subscript(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "CO₂" as "CO2", "PM₂.₅" as "PM2.5"; nothing of a figure after a number, "10₂"."""
    return replace_match(match, "".join(_LOWERED.get(letter, letter) for letter in match.group()))


def _underlined(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "C_6H_12O_6" as "C6H12O6", "PM_2.5" as "PM2.5"; nothing of "IMG_2041" and "cell_12"."""
    return replace_match(match, match.group().replace("_", ""))


def _raised(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "¹⁴C" as "14C" and "Ca²⁺" as "Ca2+"."""
    plain = "".join(_RAISED.get(letter, letter) for letter in match.group())
    return replace_match(match, plain.replace("ᵐ", "m"))


FORMULAS_CUE = re.compile(rf"{_LOWERED_SIGN}|[a-z]_\d|[⁺⁻]|{_FIGURE}ᵐ?[a-z]")
FORMULAS = (
    Rule(_SUBSCRIPT, _subscript, re.compile(_LOWERED_SIGN)),
    Rule(_UNDERLINED, _underlined, re.compile(r"[a-z]_\d")),
    Rule(_CHARGE, _raised, re.compile("[⁺⁻]")),
    Rule(_ISOTOPE, _raised, re.compile(rf"{_FIGURE}ᵐ?[a-z]")),
)
"""Rules for texts in which `FORMULAS_CUE` is found; before those of results of tests, "CD4+"."""
