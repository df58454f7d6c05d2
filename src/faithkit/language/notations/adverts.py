"""Short forms of advertisements: "M, 58, seeks F" is a man who seeks a woman, "perm, FT" a
permanent full-time post, "£34k neg." a negotiable salary, "6% ee" the employee's share.
"""

from __future__ import annotations

import re

from faithkit.language.mapped import Piece, Rule, keep_group, replace_match

# Personal advertisements

_WHO = {"M": "Man", "F": "Woman"}
_ADVERT = re.compile(
    r"^(?P<who>[MF])(?P<between>(?:,? \d| ?\(\d)[^\n]{0,200}?"
    r"\b(?:seeks|seeking|WLTM|looking for|would like to meet) )(?P<whom>[MF])(?![\w'’])"
)


def _advert(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "M, 58, seeks F" as "Man, 58, seeks woman"."""
    who = Piece(_WHO[match["who"]], *match.span("who"))
    return (
        who,
        keep_group(match, "between"),
        Piece(_WHO[match["whom"]].lower(), *match.span("whom")),
    )


# Posts

_POST = r"(?:assistant|cleaner|clerk|contract|driver|hours|job|nurse|position|post|role|staff)"
_HOURS = re.compile(
    r"(?:(?<=\bis )|(?<=\bare )|(?<=\bworks )|(?<=perm, )|(?<=perm )|(?<=perm/)|(?<=permanent, )"
    rf"|(?<=temp, )|(?<=temporary, )|\b(?=[FP]T (?:{_POST}|perm|temp)\b)|\b(?=FT (?:or|and) PT\b)"
    r"|\b(?=FT/PT\b)|(?<=\bFT or )|(?<=\bFT and )|(?<=\bFT/))"
    r"[FP]T(?![\w'’-])(?!(?: \d| [A-Z]))"
)
_TERM = re.compile(
    r"(?:(?:(?<=\b[FP]T )|(?<=\b[FP]T, )|(?<=\b[FP]T/)|(?<=\bis )|(?<=\b[Tt]emp to )"
    r"|(?<=\bjob, )|(?<=\bpost, )|(?<=\brole, ))(?:perm|temp)"
    r"(?= ?[,;/)]| [FP]T\b|\.?$|\. )"
    rf"|(?<![\w-])(?:perm|temp)(?= (?:{_POST}|FT|PT|to perm)\b|[,/] ?[FP]T\b))",
)
_NEGOTIABLE = re.compile(
    r"(?P<before>(?:[£$€]\d[\d,.]*k?|\d(?:k|,?000)|\b[Ss]alary|\b[Rr]ate|\b[Pp]rice|\b[Rr]ent)"
    r"(?: (?:pa|pcm|pw)\b)?,? \(?)(?P<short>neg\b\.?)(?P<doe> DOE\b)?(?! (?:result|impact|cash))"
)
_SHARE = re.compile(r"(?<=\d%)(?P<of> \(?)(?P<who>ee|er|EE|ER)\b(?![/\w-]|\.\w)")
_FULL = {"FT": "full-time", "PT": "part-time", "perm": "permanent", "temp": "temporary"}


def _post(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "FT" as "full-time", "perm" as "permanent"."""
    return replace_match(match, _FULL[match.group()])


def _negotiable(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "£34k neg. DOE" as "£34k negotiable depending on experience"."""
    start, end = match.span("short")
    ends_sentence = not match["doe"] and match.string[end:].strip() == ""
    point = "." if match["short"][-1] == "." and ends_sentence else ""
    pieces = keep_group(match, "before"), Piece("negotiable" + point, start, end)
    if match["doe"]:
        return *pieces, Piece(" depending on experience", *match.span("doe"))
    return pieces


def _share(match: re.Match[str]) -> tuple[Piece, ...]:
    """ "6% ee" as "6% employee", "9% er" as "9% employer"."""
    who = "employee" if match["who"].lower() == "ee" else "employer"
    return keep_group(match, "of"), Piece(who, *match.span("who"))


ADVERTS = (
    Rule(_ADVERT, _advert, re.compile(r"^[mf],? ?\(?\d")),
    Rule(_HOURS, _post, re.compile(r"\b[fp]t\b")),
    Rule(_TERM, _post, re.compile(r"\b(?:perm|temp)\b")),
    Rule(_NEGOTIABLE, _negotiable, re.compile(r"\bneg\b")),
    Rule(_SHARE, _share, re.compile(r"\d% \(?e[er]\b")),
)
ADVERTS_CUE = re.compile("|".join(rule.cue.pattern for rule in ADVERTS if rule.cue))
"""Rules for texts in which `ADVERTS_CUE` is found; before those of numbers."""
