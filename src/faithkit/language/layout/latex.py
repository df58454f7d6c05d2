r"""Formulas of LaTeX in plain characters: "$\geq 95\%$" is "≥ 95%", "$12.5\,\mathrm{cm}$" is
"12.5 cm", "$10^{-5}$" is "10⁻⁵" and "H$_2$O" is "H2O". A formula with a command that has no such
character stays, and so do dollars: "$5 to $7". What does not live here: powers and comparisons in
plain characters (`notation.py`, `amounts.py`).
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Mapped, Piece, substitute

_SIGNS = {
    "ge": "≥", "geq": "≥", "geqslant": "≥", "le": "≤", "leq": "≤", "leqslant": "≤", "pm": "±",
    "times": "×", "cdot": "·", "approx": "≈", "sim": "~", "simeq": "≈", "neq": "≠", "ne": "≠",
    "to": "→", "rightarrow": "→", "circ": "°", "degree": "°", "infty": "∞", "ldots": "...",
    "dots": "...", "quad": " ", "left": "", "right": "",
    "lt": "<", "gt": ">", "%": "%", "$": "$", "&": "&", "#": "#", "_": "_", ",": " ", ";": " ",
    ":": " ", "!": "", " ": " ", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ",
    "Delta": "Δ", "epsilon": "ε", "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ",
    "mu": "µ", "nu": "ν", "pi": "π", "rho": "ρ", "sigma": "σ", "Sigma": "Σ", "tau": "τ",
    "phi": "φ", "chi": "χ", "omega": "ω", "Omega": "Ω",
}  # fmt: skip
_OF_LETTERS = ("mathrm", "mathit", "mathbf", "mathsf", "text", "textrm", "textbf", "textit", "rm",
               "operatorname")  # fmt: skip
"""Commands that say how the letters in the braces after them look."""

_INSIDE = r"(?:\\.|[^$\\\n.!?]|[.!?](?!\s))"
_FORMULA = re.compile(
    rf"(?<![\\$])(?P<open>\$\$?)(?!\s)(?P<inside>{_INSIDE}{{1,200}})(?<!\s)(?P=open)(?![\d$])"
    rf"|\\\((?P<inside_2>{_INSIDE}{{1,200}}?)\\\)"
)
_NUMBER = r"\d[\d.,]*(?:\\?%)?"
_IS_FORMULA = re.compile(
    rf"[^\\^_]*(?:\\[A-Za-z,;%]|[\^_][\w{{(+\\-])|{_NUMBER}$"
    r"|[A-Za-z](?: ?[=<>] ?[-+]?\d[\d.,]*%?)?$"
)
_TOKEN = re.compile(
    r"\\(?P<command>[A-Za-z]+|.)(?P<blank>(?:(?<=[A-Za-z]) )?)"
    r"|(?P<raised>\^ ?)(?:\{(?P<power>[^{}\\]*)\}|(?P<figure>[^\\{}]))"
    r"|\^(?:\{?\\circ\}?)|(?P<left_out>[{}]|_(?=[\w{\\]))|(?P<tie>~)",
)
_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_SIGN = re.compile(r"^[_^\\]|\\circ$")
"""What begins or ends a formula that is part of a word: "H$_2$O", "$25^\\circ$C"."""
_POWER = re.compile(r"[+−-]?\d{1,3}|\d?[+−-]")


def without_latex(text: Mapped) -> Mapped:
    """The text with its formulas in plain characters."""
    if "$" not in text.text and "\\(" not in text.text:
        return text
    return substitute(text, _FORMULA, _formula)


def _formula(match: re.Match[str]) -> tuple[Piece, ...]:
    """A formula between signs of LaTeX without them; nothing of "$5 and $x"."""
    name = "inside" if match["open"] else "inside_2"
    inside, (start, end) = match[name], match.span(name)
    if name == "inside" and not _IS_FORMULA.match(inside):
        return ()
    before, after = match.string[: match.start()][-1:], match.string[match.end() : match.end() + 1]
    if name == "inside" and (before.isalnum() or after.isalnum()) and not _SIGN.search(inside):
        return ()
    if not (pieces := _plain(match.string, start, end)):
        return ()
    return Piece("", match.start(), start), *pieces, Piece("", end, match.end())


def _plain(text: str, start: int, end: int) -> list[Piece]:
    """The characters of a formula from `start` to `end`; nothing where one of its commands has
    none."""
    pieces: list[Piece] = []
    done = start
    for token in _TOKEN.finditer(text, start, end):
        plain = _characters(token)
        if plain is None:
            return []
        pieces += [Piece(text[done : token.start()], done, token.start())]
        pieces += [Piece(plain, *token.span())]
        done = token.end()
    return [*pieces, Piece(text[done:end], done, end)]


def _characters(token: re.Match[str]) -> str | None:
    r"""Those of a command or a power: "≥" of "\geq", "⁻⁵" of "^{-5}", nothing of "\mathrm"."""
    if token["command"]:
        if token["command"] in _OF_LETTERS:
            return ""
        sign = _SIGNS.get(token["command"])
        return None if sign is None else sign + ("" if sign == "µ" else token["blank"])
    if token["raised"]:
        power = token["figure"] if token["power"] is None else token["power"]
        return power.translate(_RAISED) if _POWER.fullmatch(power) else f"^{power}"
    if token["tie"]:
        return " "
    return "" if token["left_out"] else "°"
