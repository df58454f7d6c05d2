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

from faithkit.language.calendar_words import MONTH_LIKE, WEEKDAY, WEEKDAY_LIKE
from faithkit.language.mapped import Mapped, Piece, replace_pieces
from faithkit.language.speech.transcripts import ROLES

LEAST_TURNS = 3
"""Turns of a text from which it is a dialogue, if two speakers have them."""

LEAST_SHARE = 0.2
"""Of the sentences of a dialogue at least so many open a turn: an article has a few "He said: "."""

LONGEST_OPENING = 150
"""Characters in which the colon of an opening is."""

LONGEST_NAME = 12
"""Words before a colon that may be a speaker, though they are not understood."""

LEAST_TALK = 0.25
"""Share of the turns with "I" or "you" from which lines that begin as in a play are turns, if one
has "I", and not the notes of a report."""

_TIME = r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\b\.?)?"
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_DAY = (
    rf"(?:(?:{WEEKDAY_LIKE},?\s)?(?:{_DATE}|\d{{1,2}}[ -]{MONTH_LIKE}(?:[ -]\d{{2,4}})?"
    rf"|{MONTH_LIKE} \d{{1,2}}(?:,? \d{{4}})?)|{WEEKDAY_LIKE}|Today|Yesterday)"
)
_STAMP = rf"(?:{_DAY}(?:(?:,|,? at)?\s|T))?{_TIME}Z?"
_TIMES = rf"{_STAMP}(?: ?-+> ?{_STAMP})?"
_BEFORE = rf"(?:[\[(]{_TIMES}[\])]|{_TIMES})(?: ?[-|])?\s+"
NAME = r"""[^\W\d_][\w.'’@/-]*+(?: (?:[&/|] )?"?[\w.'’@/-]++"?){0,4}"""
"""A speaker's name: "Anna", "DR. LEE", "Ben & Tom", 'Ben "Bear" Holt', "ben@x.org"."""
_PHONE = r"\+\d[\d ()-]{5,20}\d"
_PICTURE = "[☀-➿⬀-⯿\U0001f000-\U0001faff]"
_OPENING = re.compile(
    rf"(?P<before>{_BEFORE})?(?:From (?P<sender>{NAME}) to {NAME}"
    rf"|(?:[@#\[]|~ ?|{_PICTURE}+ ?)?(?P<name>{NAME}|{_PHONE})(?:[#\]]| ?{_PICTURE}+)?)"
    rf"(?P<role>(?:, {NAME}){{1,3}})?"
    rf"(?P<after> ?\((?P<inside>[^()\n]{{1,60}})\)(?: ?\([^()\n]{{1,40}}\))?(?: {_TIME})?"
    rf"| ?\[[^\[\]\n]{{1,40}}\]| ?<[^<>\n]{{1,60}}>| {_TIME})? ?:\s+(?=\S)"
)
_FIRST_NAME = re.compile(r", (?P<first>[A-Z][a-z'’-]+)")
"""The first name after a surname, as in "Meyer, Anna"."""

_LABEL = re.compile(
    r"(?:from|to|b?cc|date|sent|subject|re|tel|phone|fax|e-?mail|photo|source|note|scorer|booking"
    r"|goal|sub|substitute|line-?up|team|venue|attendance|referee|ingredient|method|serve|prep|cook"
    r"|agenda|item|decision|action|owner|status|priority|due|deadline|result|price|cost|address"
    r"|location|when|where|background|next steps?|risk|issue|fix|feature|warning|error|info|debug"
    r"|trace|critical|fatal|caution|danger|important|tip|fyi|btw|reminder|update|plan|edit|tl;?dr"
    r"|added|removed|changed|fixed|deprecated|included|excluded|covered)s?"
    r"|(?:I|he|she|it|they|we|you) .+"
    r"|.* (?:said|says|told|added|adds|wrote|writes|replied|asked|continued|explained)\b.*",
    re.IGNORECASE,
)
"""What stands before a colon and is no speaker: a header of a letter, a heading of a report, who is
quoted by a writer."""

_ONCE_LABEL = re.compile(
    r"also|bad|bath|beach|bike|boat|breakfast|budget|bus|car|cinema|coffee|cons|conclusion|cost"
    r"|damage|dessert|dinner|drinks|evening|fee|ferry|finally|first|flight|food|fourth|fuel|gift"
    r"|good|groceries|gym|homework|hotel|invoice|journey|keys?|lunch|market|meal|meeting|menu|money"
    r"|morning|n\.?b\.?|news|night|option|p\.?s\.?|parking|party|payment|pros|question|rent|request"
    r"|rule|school|second|shopping|starter|status|step|summary|supper|taxi|third|tickets?|timing"
    rf"|today|tomorrow|tonight|total|train|travel|weather|weekend|{WEEKDAY}",
    re.IGNORECASE,
)
"""What opens a line of somebody's message ("Taxi: I paid for it."), unless it opens several."""


class Opening(NamedTuple):
    """How a turn begins: the speaker's name without a time or a role, the format, and what is in
    brackets after the name, which may be a name too."""

    name: str
    form: str
    inside: str = ""


def parse_opening(text: str) -> Opening | None:
    """The turn that a sentence or a line seems to open; None for none."""
    # Most texts have no colon, and are not read further.
    match = _OPENING.match(text) if ":" in text[:LONGEST_OPENING] else None
    if match is None:
        return None
    name = match["sender"] or match["name"]
    if _is_label(name):
        return None
    after = (match["after"] or match["role"] or "").strip()
    first = _FIRST_NAME.fullmatch(match["role"] or "")
    if first and " " not in name and not name.isupper():
        name = f"{first['first']} {name}"
    return Opening(name, f"{bool(match['before'])} {after[:1]}", match["inside"] or "")


@lru_cache(maxsize=1024)
def _is_label(name: str) -> bool:
    return _LABEL.fullmatch(name) is not None


def speakers_from_openings(openings: Sequence[Opening | None], total: int) -> list[str]:
    """[openings], the speaker; "" for one that opens no turn, and for all in a text that is no
    dialogue. Speakers are names that open several turns; in a dialogue, where most turns are of
    such, one with a capital (or a single word, where the others have none) in the same format may
    speak but once.

    total  sentences or lines of the text
    """
    persons = _persons(openings)
    counts = Counter(filter(None, persons))
    repeated = {name for name, count in counts.items() if count > 1}
    small = all(name.islower() for name in repeated)
    forms = {
        one.form for one, name in zip(openings, persons, strict=True) if one and name in repeated
    }
    names = [
        name if name in repeated or (one and one.form in forms and _may_speak(name, small)) else ""
        for one, name in zip(openings, persons, strict=True)
    ]
    turns = sum(map(bool, names))
    if len(set(names) - {""}) < 2 or turns < max(LEAST_TURNS, LEAST_SHARE * total):
        return [""] * len(names)
    if 2 * sum(name in repeated for name in names) <= turns:
        return [""] * len(names)
    return names


def _persons(openings: Sequence[Opening | None]) -> list[str]:
    """[openings], the name, which is the full one where that was said once, with a role or in
    capitals: "JANE HOLT, MAYOR: " before "HOLT: " and "JH: "; and "Anna" of "Chair (Anna): " if
    she speaks by that name too."""
    counts = Counter(one.name for one in openings if one)
    full: dict[str, str] = {}
    persons: list[str] = []
    before: set[str] = set()
    for one in openings:
        alone = one is not None and counts[one.name] == 1
        if one and alone and one.inside in counts:
            persons.append(one.inside)
            continue
        persons.append((full.get(one.name) or one.name) if one else "")
        if one is None or " " not in one.name or not alone:
            before.update([one.name] if one else [])
            continue
        first, *_, last = parts = one.name.split()
        briefs = ["".join(part[0] for part in parts)]
        has_role = one.form[-1:] in (",", "(") or one.name.isupper()
        if has_role and first.rstrip(".").lower() not in _TITLES:
            briefs.append(last)
        for brief in briefs:
            # Of two with the same surname it is nobody's.
            full[brief] = "" if brief in full or brief in before else one.name
    return persons


_TITLES = frozenset(
    {
        "mr", "mrs", "ms", "miss", "dr", "lady", "lord", "sir", "old", "young", "uncle",
        "aunt",
    }
)  # fmt: skip


def _may_speak(name: str, small: bool) -> bool:
    """Whether one who opens a single turn is a speaker.

    small  whether the others are written in small letters
    """
    if _ONCE_LABEL.fullmatch(name):
        return False
    return not name[0].islower() or (small and " " not in name)


# --- turns whose speaker is not understood ------------------------------------------------------

_STAMPED = re.compile(_BEFORE)
_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_BEFORE_COLON = re.compile(r"(?P<name>[^\n]{1,100}?):\s+(?=\S)")
_SENTENCE_END = re.compile(r"[a-z]{3}[.!?]\s|[!?]\s")
_SMALL_IN_NAMES = frozenset(
    {
        "a", "an", "and", "at", "da", "de", "del", "der", "di", "for", "from", "in", "of",
        "on", "the", "to", "van", "von",
    }
)  # fmt: skip


def unrecognised_openings(texts: Sequence[str], names: Sequence[str]) -> list[str | None]:
    """[sentences of a dialogue], what one begins with that begins as turns do though nobody is
    known to open it: what may be a name, what several begin with, "" after a time as the others
    have one; None for one that begins as no turn.

    names  who opens each
    """
    stamps = {_stamp(text) for text, name in zip(texts, names, strict=True) if name} - {""}
    heads = ["" if name else _head(text) for text, name in zip(texts, names, strict=True)]
    counts = Counter(heads)
    others: list[str | None] = []
    for text, name, head in zip(texts, names, heads, strict=True):
        if not name and _stamp(text) in stamps:
            others.append("")
        else:
            others.append(head if head and (counts[head] > 1 or _named(head)) else None)
    return others


def _stamp(text: str) -> str:
    """The form of the time that a text begins with: "[a 0/0/0, 0:0 a] "; "" of none."""
    match = _STAMPED.match(text)
    return _LETTERS.sub("a", _DIGITS.sub("0", match.group())) if match else ""


def _head(text: str) -> str:
    """What is before a text's first colon; "" where that is no name but a label or a sentence."""
    match = _BEFORE_COLON.match(text)
    name = match["name"].strip() if match else ""
    if len(name.split()) > LONGEST_NAME or _SENTENCE_END.search(name) or _is_label(name):
        return ""
    return "" if _ONCE_LABEL.fullmatch(name) else name


def _named(head: str) -> bool:
    """Whether the words before a colon may be a name that is said once: with a capital, a digit or
    a sign each, but "of" and the like."""
    words = head.split()
    if words[0][0].isupper() and head.endswith(")"):
        return True
    return not head.isdigit() and all(
        not word[0].islower() or (place > 0 and word in _SMALL_IN_NAMES)
        for place, word in enumerate(words)
    )


# --- formats that are changed --------------------------------------------------------------------

_AT_LINE = rf"^[ \t]*(?:{_BEFORE})?"
_AFTER_NAME = re.compile(rf"{_AT_LINE}@?(?P<name>{NAME})(?P<mark>>[ \t]+)(?=\S)", re.MULTILINE)
_IN_BRACKETS = re.compile(
    rf"{_AT_LINE}(?P<open><)[@+%&~ ]?(?P<name>{NAME})(?P<mark>>[ \t]+)(?=\S)", re.MULTILINE
)
_BY_TAB = re.compile(
    rf"^(?:{_STAMP}\t+)?(?P<name>{NAME})(?P<mark> ?\t+)(?=[^\s\d][^\t\n]*$)", re.MULTILINE
)
_IN_ROW = re.compile(
    rf"^(?:\|[ \t]*)?{_STAMP}(?P<bar>[ \t]*\|[ \t]*)(?P<name>{NAME})(?P<mark>[ \t]*\|[ \t]*)(?=\S)",
    re.MULTILINE,
)
_TIME_AFTER = re.compile(
    rf"{_AT_LINE}(?P<name>{NAME})[ \t]+[\[(]{_STAMP}[\])](?P<mark>[ \t]+)(?=[^\s:])", re.MULTILINE
)
_TEXT_BELOW = r"[ \t]*\n\s*(?=[^\s\-*#>|•])"
_COLON_ABOVE = re.compile(
    rf"{_AT_LINE}(?P<name>{NAME})(?:[ \t]?\([^()\n]{{1,40}}\))?(?P<mark> ?:{_TEXT_BELOW})",
    re.MULTILINE,
)
_FIRST = r"(?:, [A-Z][a-z'’-]+)"
_TIME_ABOVE = re.compile(
    rf"^[ \t]*(?P<name>{NAME}?{_FIRST}??)"
    r"(?P<open>(?::\w+:)?(?:[ \t]*(?:[,|-]| at)?[ \t]+"
    r"|(?<![.!?])[ \t]*\n[ \t]*(?:-[ \t]*\n[ \t]*)?)[\[(]?)"
    rf"(?P<time>{_STAMP}|(?:\d{{1,2}} minutes? )?\d{{1,2}} seconds?)(?P<mark>[\])]?{_TEXT_BELOW})",
    re.MULTILINE,
)
_BELOW_TIME = re.compile(
    rf"^[ \t]*[\[(]{_STAMP}[\])][ \t]+(?P<name>{NAME}{_FIRST}?)"
    rf"(?P<mark>(?:#\d{{4}})?{_TEXT_BELOW})",
    re.MULTILINE,
)
_FORMATS = (
    (">", _IN_BRACKETS),
    (">", _AFTER_NAME),
    ("\t", _BY_TAB),
    ("|", _IN_ROW),
    (":", _TIME_AFTER),
    (":", _COLON_ABOVE),
    (":", _TIME_ABOVE),
    (" seconds", _TIME_ABOVE),
    (":", _BELOW_TIME),
)
"""What a text in the format has, and how a turn begins."""

_CAPITALS = r"(?:Mc|Mac)?[A-Z][A-Z'’-]+"
_IN_CAPITALS = (
    rf"(?:(?:M[rs]|Mrs|Miss|Dr|Sen)\.? |The )?{_CAPITALS}(?: {_CAPITALS}){{0,3}}"
    r"(?: of [A-Z][a-z]+(?: [A-Z][a-z]+)?)?"
)
_POINT_AFTER = re.compile(rf"^[ \t]*(?P<name>{_IN_CAPITALS})(?P<mark>\.[ \t]+)(?=\S)", re.MULTILINE)
_CAPITALS_ABOVE = re.compile(
    rf"^[ \t]*(?P<name>{_IN_CAPITALS})(?:[ \t]?\([^()\n]{{1,40}}\))?"
    rf"(?P<mark>{_TEXT_BELOW})(?=[^\n]*[a-z])",
    re.MULTILINE,
)
_CAPTION = re.compile(rf"^[ \t]*(?P<open>\[)(?P<name>{NAME})(?P<mark>\][ \t]+)(?=\S)", re.MULTILINE)
_IN_TALK = (_POINT_AFTER, _CAPITALS_ABOVE, _CAPTION)
"""How turns begin in plays and captions, and rows of a report too."""
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine)\b")
_PERSONS = re.compile(r"\b(?:I|me|my|mine|you|your)\b", re.IGNORECASE)

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
            text = replace_pieces(text, list(turn_colons(text.text, pattern)))
    for pattern in _IN_TALK:
        text = replace_pieces(text, list(turn_colons(text.text, pattern, in_talk=True)))
    text = replace_pieces(text, list(_line_ends(text.text)))
    text = replace_pieces(text, list(_by_role(text.text)))
    return replace_pieces(text, list(_roles(text.text)))


def turn_colons(text: str, pattern: re.Pattern[str], *, in_talk: bool = False) -> Iterator[Piece]:
    """A colon for what stands between a name and what is said.

    in_talk  whether the turns must have "I" and "you" here and there
    """
    every = list(pattern.finditer(text))
    starts = {match.start() for match in every}
    # Where a turn follows at once nothing is said: it is a title.
    matches = [match for match in every if match.end() not in starts]
    if len(matches) < LEAST_TURNS:
        return
    names = [None if _is_label(m["name"]) else Opening(m["name"], "") for m in matches]
    total = sum(map(bool, map(str.strip, text.split("\n"))))
    found = speakers_from_openings(names, total)
    if in_talk and not _is_talk(text, matches, found):
        return
    for match, name in zip(matches, found, strict=True):
        groups = match.groupdict()
        timed = groups.get("time") is not None
        if name and groups.get("bar"):
            yield Piece(" ", *match.span("bar"))
        if name and groups.get("open"):
            yield Piece(" (" if timed else "", *match.span("open"))
        if name:
            yield Piece("): " if timed else ": ", *match.span("mark"))


def _is_talk(text: str, matches: Sequence[re.Match[str]], names: Sequence[str]) -> bool:
    """Whether enough of the turns speak of who speaks or listens."""
    ends = [*(match.start() for match in matches[1:]), len(text)]
    places = zip(matches, names, ends, strict=True)
    turns = [text[match.end() : end] for match, name, end in places if name]
    talk = sum(_PERSONS.search(turn) is not None for turn in turns)
    return talk >= LEAST_TALK * len(turns) and any(map(_FIRST_PERSON.search, turns))


def _line_ends(text: str) -> Iterator[Piece]:
    """A line end before each of "Speaker 1: " and "Speaker 2: " that are within one line."""
    if len(_NUMBERS.findall(text)) < LEAST_TURNS:
        return
    matches = list(_NUMBERED.finditer(text))
    names = speakers_from_openings([Opening(match["name"], "") for match in matches], 0)
    for match, name in zip(matches, names, strict=True):
        if name and match["mark"]:
            yield Piece("\n", *match.span("mark"))


_ROLE_IN_BRACKETS = re.compile(
    rf"(?P<open>(?:^|(?<=[.?!,\"')-]) )\[)(?P<name>(?:{ROLES})(?:[ _-]\w+)?)(?P<mark>\] +)(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_SMALL_I = re.compile(r"(?<![\w(.])i(?= |['’])")


def _by_role(text: str) -> Iterator[Piece]:
    """A line "Doctor: " for each "[Doctor] " of a text that begins with one, in one line too; not
    where it stands for a name, as in "[Patient] saw [Doctor]"."""
    matches = list(_ROLE_IN_BRACKETS.finditer(text))
    names = [match["name"].lower() for match in matches]
    if len(matches) < LEAST_TURNS or len(set(names)) < 2 or text[: matches[0].start()].strip():
        return
    if not _is_talk(_SMALL_I.sub("I", text), matches, names):
        return
    for match in matches:
        yield Piece("\n" if match["open"][0] == " " else "", *match.span("open"))
        yield Piece(": ", *match.span("mark"))


_ROLES = {"agt": "Agent", "csr": "Agent", "cus": "Customer", "cust": "Customer"}
_SHORT_ROLE = re.compile(rf"{_AT_LINE}(?P<name>AGT|CSR|CUST?)\.?(?= ?:\s)", re.MULTILINE)


def _roles(text: str) -> Iterator[Piece]:
    """The roles of a call in full, where both are written in short: "AGT: " and "CUS: "."""
    roles = [(match, _ROLES[match["name"].lower()]) for match in _SHORT_ROLE.finditer(text)]
    if len(roles) >= LEAST_TURNS and len({role for _, role in roles}) == 2:
        for match, role in roles:
            yield Piece(role, match.start("name"), match.end())
