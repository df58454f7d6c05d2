"""Dialogues: how a speaker's turn begins where chats, meetings and interviews are exported, and
whether a text is a dialogue at all.

What lives here: the formats of a turn's opening ("Anna: ", "[10:32] Anna: ", "Anna Smith, CFO: "),
which of them a text has, and the change of others ("<Anna> ", a name on its own line) to these.
What does not: captions (`subtitles.py`), lines (`lines.py`), whose turn a sentence belongs to
(`sentences.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from faithkit.language.mapped import Mapped, Piece, replaced

LEAST_TURNS = 3
"""Turns of a text from which it is a dialogue, if two speakers have them."""

LEAST_SHARE = 0.2
"""Of the sentences of a dialogue at least so many open a turn: an article has a few "He said: "."""

LONGEST_OPENING = 150
"""Characters in which the colon of an opening is."""

_TIME = r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\b\.?)?"
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_STAMP = rf"(?:{_DATE},?\s)?{_TIME}"
_BEFORE = rf"(?:[\[(]{_STAMP}[\])]|{_STAMP})(?: ?-)?\s+"
_NAME = r"[^\W\d_][\w.'’-]*+(?: [\w.'’-]++){0,4}"
_OPENING = re.compile(
    rf"(?P<before>{_BEFORE})?(?:From (?P<sender>{_NAME}) to {_NAME}|[@#\[]?(?P<name>{_NAME})[#\]]?)"
    rf"(?P<after> ?\([^()\n]{{1,40}}\)| ?\[[^\[\]\n]{{1,40}}\]|, {_NAME})? ?:\s+(?=\S)"
)

_LABEL = re.compile(
    r"(?:from|to|b?cc|date|sent|subject|re|tel|phone|fax|e-?mail|photo|source|note|scorer|booking"
    r"|goal|sub|substitute|line-?up|team|venue|attendance|referee|ingredient|method|serve|prep|cook"
    r"|agenda|item|decision|action|owner|status|priority|due|deadline|result|price|cost|address"
    r"|location|when|where|background|next steps?|risk|issue|fix|feature|warning|error|info)s?"
    r"|(?:I|he|she|it|they|we|you) .+"
    r"|.* (?:said|says|told|added|adds|wrote|writes|replied|asked|continued|explained)\b.*",
    re.IGNORECASE,
)
"""What stands before a colon and is no speaker: a header of a letter, a heading of a report, who is
quoted by a writer."""


class Opening(NamedTuple):
    """How a turn begins: the speaker's name without a time or a role, and the format."""

    name: str
    form: str


def opening(text: str) -> Opening | None:
    """The turn that a sentence or a line seems to open; None for none."""
    # Most texts have no colon, and are not read further.
    match = _OPENING.match(text) if ":" in text[:LONGEST_OPENING] else None
    if match is None:
        return None
    name = match["sender"] or match["name"]
    if _is_label(name):
        return None
    return Opening(name, f"{bool(match['before'])} {(match['after'] or '').strip()[:1]}")


@lru_cache(maxsize=1024)
def _is_label(name: str) -> bool:
    return _LABEL.fullmatch(name) is not None


def opened(openings: Sequence[Opening | None], total: int) -> list[str]:
    """[openings], the speaker; "" for one that opens no turn, and for all in a text that is no
    dialogue. Speakers are names that open several turns; in a dialogue, where most turns are of
    such, one with a capital (or a single word, where the others have none) in the same format may
    speak but once.

    total  sentences or lines of the text
    """
    counts = Counter(one.name for one in openings if one)
    repeated = {name for name, count in counts.items() if count > 1}
    small = all(name.islower() for name in repeated)
    forms = {one.form for one in openings if one and one.name in repeated}
    names = [
        one.name
        if one and one.form in forms and (one.name in repeated or _may_speak(one.name, small))
        else ""
        for one in openings
    ]
    turns = sum(map(bool, names))
    if len(set(names) - {""}) < 2 or turns < max(LEAST_TURNS, LEAST_SHARE * total):
        return [""] * len(names)
    if 2 * sum(name in repeated for name in names) <= turns:
        return [""] * len(names)
    return names


def _may_speak(name: str, small: bool) -> bool:
    """Whether one who opens a single turn is a speaker.

    small  whether the others are written in small letters
    """
    return name[0].isupper() or (small and " " not in name)


# --- formats that are changed --------------------------------------------------------------------

_AT_LINE = rf"^[ \t]*(?:{_BEFORE})?"
_AFTER_NAME = re.compile(rf"{_AT_LINE}@?(?P<name>{_NAME})(?P<mark>>[ \t]+)(?=\S)", re.MULTILINE)
_IN_BRACKETS = re.compile(
    rf"{_AT_LINE}(?P<open><)[@+%&~ ]?(?P<name>{_NAME})(?P<mark>>[ \t]+)(?=\S)", re.MULTILINE
)
_BY_TAB = re.compile(rf"^(?P<name>{_NAME})(?P<mark> ?\t+)(?=[^\s\d][^\t\n]*$)", re.MULTILINE)
_TEXT_BELOW = r"[ \t]*\n\s*(?=[^\s\-*#>|•])"
_COLON_ABOVE = re.compile(
    rf"{_AT_LINE}(?P<name>{_NAME})(?:[ \t]?\([^()\n]{{1,40}}\))?(?P<mark> ?:{_TEXT_BELOW})",
    re.MULTILINE,
)
_TIME_ABOVE = re.compile(
    rf"^[ \t]*(?P<name>{_NAME}?)(?P<open>[ \t]*[,|-]?[ \t]+[\[(]?)"
    rf"(?P<time>(?:(?:Today|Yesterday),?(?: at)? )?{_STAMP})(?P<mark>[\])]?{_TEXT_BELOW})",
    re.MULTILINE,
)
_BELOW_TIME = re.compile(
    rf"^[ \t]*[\[(]{_STAMP}[\])][ \t]+(?P<name>{_NAME})(?P<mark>{_TEXT_BELOW})", re.MULTILINE
)
_FORMATS = (
    (">", _IN_BRACKETS),
    (">", _AFTER_NAME),
    ("\t", _BY_TAB),
    (":", _COLON_ABOVE),
    (":", _TIME_ABOVE),
    (":", _BELOW_TIME),
)
"""A character that a text in the format has, and how a turn begins."""

_NUMBERS = re.compile(r"\d ?:\s")
_NUMBERED = re.compile(
    r"(?P<mark>\s)?(?<!\S)(?P<name>(?:speaker|person|participant|interviewe[re]|caller|agent|guest)"
    r"[ _]?\d{1,2}) ?:\s",
    re.IGNORECASE,
)


def with_turns(text: Mapped) -> Mapped:
    """The text with a line that begins "Anna: " for each turn."""
    for sign, pattern in _FORMATS:
        if sign in text.text:
            text = replaced(text, list(_colons(text.text, pattern)))
    return replaced(text, list(_line_ends(text.text)))


def _colons(text: str, pattern: re.Pattern[str]) -> Iterator[Piece]:
    """A colon for what stands between a name and what is said."""
    matches = list(pattern.finditer(text))
    if len(matches) < LEAST_TURNS:
        return
    names = [None if _is_label(m["name"]) else Opening(m["name"], "") for m in matches]
    total = sum(map(bool, map(str.strip, text.split("\n"))))
    for match, name in zip(matches, opened(names, total), strict=True):
        groups = match.groupdict()
        timed = groups.get("time") is not None
        if name and groups.get("open"):
            yield Piece(" (" if timed else "", *match.span("open"))
        if name:
            yield Piece("): " if timed else ": ", *match.span("mark"))


def _line_ends(text: str) -> Iterator[Piece]:
    """A line end before each of "Speaker 1: " and "Speaker 2: " that are within one line."""
    if len(_NUMBERS.findall(text)) < LEAST_TURNS:
        return
    matches = list(_NUMBERED.finditer(text))
    names = opened([Opening(match["name"], "") for match in matches], 0)
    for match, name in zip(matches, names, strict=True):
        if name and match["mark"]:
            yield Piece("\n", *match.span("mark"))
