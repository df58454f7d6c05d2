"""By how much something changed, in words: "doubled" is "rose by 100%", "halved" is "fell by 50%",
"cut by a quarter" is "cut by 25%", and none of them is "tripled".

Numbers that two sentences both have in digits are not compared here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.support.statements import NumericFinding, Statement, findings_for, match_level

EQUAL, OTHER = 0.02, 0.05
"""Two factors that differ by so much at most are the same, by so much at least are others."""

_FACTORS = {"halv": 0.5, "doubl": 2.0, "tripl": 3.0, "trebl": 3.0, "quadrupl": 4.0}
_PARTS = {"half": 50.0, "third": 100 / 3, "quarter": 25.0, "fifth": 20.0, "tenth": 10.0}
_UP = (
    "rose|rises?n?|rising|increas(?:e|es|ed|ing)|gr(?:ew|own|ows?|owing)|climb(?:s|ed)?|raised"
    "|(?:went|gone|goes|go) up|jumped|expanded"
)
_DOWN = (
    "fell|fall(?:s|en)?|drop(?:s|ped)?|declin(?:e|es|ed)|decreas(?:e|es|ed)|shrank|shrunk|cut"
    "|lowered|reduced|slashed|(?:went|gone|goes|go) down"
)
_BREAKS = "and|or|but|nor|while|than|from|to|in|on|at|for|with|after|before|by"
_CHANGE = re.compile(
    rf"\b(?P<factor>{'|'.join(_FACTORS)})(?:ed|es|ing)\b(?! (?:over|up|down|back|as)\b)"
    rf"|\b(?P<verb>(?P<up>{_UP})|{_DOWN})(?: (?!(?:{_UP}|{_DOWN}|{_BREAKS})\b)[a-z'-]+){{0,5}}?"
    rf" (?P<amount>(?:by )?(?P<percent>\d+(?:\.\d+)?) percent\b"
    rf"|by (?:(?:an?|one|(?P<several>\d)) (?P<part>{'|'.join(_PARTS)})s?|half)\b)"
    r"(?! (?:of|points?)\b)",
    re.IGNORECASE,
)
_NEAR = re.compile(
    r"\b(?:more than|over|less than|under|nearly|almost|about|around|roughly|approximately"
    r"|at (?:least|most)|up to|not|never|half) $",
    re.IGNORECASE,
)
FACTOR_CUE = _CHANGE


def factors(claim: Statement, evidence: Statement) -> Iterator[NumericFinding]:
    """ "The subsidy tripled" is wrong where it "doubled", and "rose by 100%" is right."""
    said, written = _change(claim), _change(evidence)
    if said is None or written is None or (said["percent"] and written["percent"]):
        return
    phrase = _words(claim, said)
    agreed = match_level(claim, phrase, evidence, _words(evidence, written))
    ratio = _factor(said) / _factor(written)
    off = abs(1 - min(ratio, 1 / ratio))
    yield from findings_for(
        claim, phrase, agreed, off <= EQUAL if off <= EQUAL or off >= OTHER else None
    )


def _change(statement: Statement) -> re.Match[str] | None:
    """The only change of a sentence, where it is exact."""
    matches = list(_CHANGE.finditer(statement.text))
    if len(matches) != 1 or _factor(matches[0]) <= 0:
        return None
    (match,) = matches
    start = match.start()
    return None if _NEAR.search(statement.text, max(0, start - 15), start) else match


def _words(statement: Statement, match: re.Match[str]) -> list[int]:
    """The words of a change, without "the price" of "cut the price by half"."""
    parts = ("factor",) if match["factor"] else ("verb", "amount")
    spans = [match.span() if part == "factor" else match.span(part) for part in parts]
    return [word for span in spans for word in statement.words_between(*span)]


def _factor(match: re.Match[str]) -> float:
    """Of "doubled" 2, of "fell by 25 percent" 0.75."""
    if match["factor"]:
        return _FACTORS[match["factor"].lower()]
    share = (
        float(match["percent"])
        if match["percent"]
        else _PARTS[(match["part"] or "half").lower()] * int(match["several"] or 1)
    )
    return 1 + share / 100 if match["up"] else 1 - share / 100
