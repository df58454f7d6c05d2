"""Short forms of fixtures and match reports: "Ashby v Leek (h)" is at home, "Moss (4') headed in"
tells of the 4th minute, and "Smith bt. Jones" is "Smith beat Jones".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language.calendar_words import SHORT_WEEKDAY
from faithkit.language.mapped import Mapped, Piece, replace_match, replace_pieces, substitute
from faithkit.language.notations.numerals import suffixed

_WHERE = {"h": "home", "a": "away"}
_OF_MATCH = re.compile(
    r"\bvs? (?:[A-Z][\w'-]+ ){1,3}\((?P<mark>[HhAa])\)"
    rf"(?=[^\n]{{0,40}}(?:\d[ap]m\b|\d[.:]\d\d|\b(?:{SHORT_WEEKDAY})))"
)
_OF_FIXTURE = re.compile(r"[A-Z][\w'-]+ \((?P<mark>[A-Z])\)")
_MINUTES = re.compile(r"(?<=\w )\((?P<minutes>\d{1,3}'(?:(?:,| and|, ) ?\d{1,3}'){0,5})\)")
_MINUTE = re.compile(r"(?P<number>\d{1,3})'")
_FOOTBALL = re.compile(
    r"\b(?:goals?|headed|headers?|scored?|scorers?|equali[sz]ers?|half-time|penalty|booked|kick-off"
    r"|striker|goalkeeper|keeper|HT|FT)\b"
)
_BEAT = re.compile(r"(?<=[\w.)] )bt\.?(?= (?:\(\d{1,2}\) )?[A-Z])")


def with_matches(text: Mapped) -> Mapped:
    """The text with "(home)" for "(H)", "(away)" for "(A)", "(4th minute)" for "(4')" and "beat"
    for "bt" between names."""
    text = substitute(text, _BEAT, lambda match: replace_match(match, "beat"))
    if ")" not in text.text:
        return text
    text = replace_pieces(text, list(_places(text.text)))
    return replace_pieces(text, list(_minutes(text.text)))


def _places(text: str) -> Iterator[Piece]:
    """After "Ashby v Leek" and before a time, or where a text has "(H)" and "(A)" after names, and
    no other letter so."""
    fixtures = list(_OF_FIXTURE.finditer(text))
    both = {match["mark"] for match in fixtures} == {"H", "A"}
    found = fixtures if both else list(_OF_MATCH.finditer(text))
    for match in found:
        yield Piece(_WHERE[match["mark"].lower()], *match.span("mark"))


def _minutes(text: str) -> Iterator[Piece]:
    if "')" not in text or _FOOTBALL.search(text) is None:
        return
    for match in _MINUTES.finditer(text):
        for minute in _MINUTE.finditer(text, *match.span("minutes")):
            yield Piece(f"{suffixed(int(minute['number']))} minute", *minute.span())
