"""Men and women in personal advertisements: "M, 58, seeks F" is a man who seeks a woman."""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule, same

_WHO = {"M": "Man", "F": "Woman"}
_ADVERT = re.compile(
    r"^(?P<who>[MF])(?P<between>(?:,? \d| ?\(\d)[^\n]{0,200}?"
    r"\b(?:seeks|seeking|WLTM|looking for|would like to meet) )(?P<whom>[MF])(?![\w'’])"
)


def _advert(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "M, 58, seeks F" as "Man, 58, seeks woman"."""
    who = Piece(_WHO[match["who"]], *match.span("who"))
    return who, same(match, "between"), Piece(_WHO[match["whom"]].lower(), *match.span("whom"))


ADVERTS = (Rule(_ADVERT, _advert),)
ADVERTS_CUE = re.compile(r"^[mf],? ?\(?\d.*\b(?:seek|wltm|looking for|to meet)", re.DOTALL)
"""Rules for texts in which `ADVERTS_CUE` is found; before those of numbers."""
