"""Short forms of credits: "Dir. Lena Voss. Ed. Max Orr." is "Director: Lena Voss. Editor: Max
Orr.", and "Joss Moon – gtr; Al Tait – drms" names a guitar and drums. Read in a whole text, and
only where it has several of them: "Ed." alone may be a man.
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Mapped, Piece, replace_match, substitute

LEAST = 2
"""Different short forms of a text from which they are read."""

_ROLES = {
    "Dir": "Director", "Ed": "Editor", "Mus": "Music", "Prod": "Producer", "DoP": "Cinematographer",
    "DOP": "Cinematographer", "Phot": "Cinematographer", "Scr": "Screenplay", "Des": "Designer",
}  # fmt: skip
_ROLE = re.compile(
    rf"(?:^|(?<=[.;,/|] ))(?P<role>{'|'.join(_ROLES)})(?P<mark>\.?:? (?:by )?)"
    r"(?=[A-Z][\w'’.-]* [A-Z])",
    re.MULTILINE,
)
_INSTRUMENTS = {
    "gtr": "guitar", "gtrs": "guitars", "bs": "bass", "drms": "drums", "drs": "drums",
    "dr": "drums", "vox": "vocals", "voc": "vocals", "vcls": "vocals", "perc": "percussion",
    "kbd": "keyboards", "kbds": "keyboards", "keys": "keyboards", "tpt": "trumpet",
    "tbn": "trombone", "hca": "harmonica",
}  # fmt: skip
_INSTRUMENT = re.compile(
    rf"(?<=[\w,/)-] )(?P<short>{'|'.join(_INSTRUMENTS)})\.?(?= ?[,;/)]|$|\.?$|\. )", re.MULTILINE
)
_TELLING = re.compile(r"\b(?:gtrs?|bs|drms|drs|vox|perc|kbds?|tpt|tbn)\b")


def with_credits(text: Mapped) -> Mapped:
    """The text with the short forms of credits in full."""
    if len({match["role"] for match in _ROLE.finditer(text.text)}) >= LEAST:
        text = substitute(text, _ROLE, _role)
    if len(set(_TELLING.findall(text.text))) >= LEAST:
        text = substitute(text, _INSTRUMENT, _instrument)
    return text


def _role(match: re.Match[str]) -> tuple[Piece, ...]:
    return (
        Piece(_ROLES[match["role"]], *match.span("role")),
        Piece(": ", *match.span("mark")),
    )


def _instrument(match: re.Match[str]) -> tuple[Piece, ...]:
    return replace_match(match, _INSTRUMENTS[match["short"]])
