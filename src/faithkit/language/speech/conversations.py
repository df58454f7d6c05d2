"""Conversations in quotation marks, as in stories: an utterance without "said Anna" is the other
one's where two persons speak in turn. What does not live here: dialogues with a name before each
turn (`dialogues.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from faithkit.language.lexicon import STOP_WORDS
from faithkit.language.words import Segment

LONGEST = 400
"""Characters of an utterance; longer ones are of an article's or a speech's."""

_VERB = (
    r"(?:said|says|asked|asks|replied|replies|answered|answers|cried|cries|whispered|whispers"
    r"|shouted|shouts|muttered|murmured|laughed|sighed|called|added|exclaimed|admitted|snapped"
    r"|yelled|agreed|remarked|repeated|begged|demanded|insisted|suggested|wondered|enquired"
    r"|inquired|returned|continued|went on)"
)
_NAME = (
    r"(?P<name>(?:(?:Mr|Mrs|Ms|Miss|Dr|Sir|Lady|Lord|Aunt|Uncle)\.? )?[A-Z][a-z][\w'-]*"
    r"(?: [A-Z][a-z][\w'-]*)?)"
)
_AFTER = re.compile(rf"\s*(?:{_VERB} {_NAME}|{_NAME.replace('<name>', '<first>')} {_VERB})\b")
_BEFORE = re.compile(rf"{_NAME} {_VERB}[,:]\s*$")
_PRONOUN = re.compile(rf"\s*(?:(?:he|she) {_VERB}|{_VERB} (?:he|she))\b")
_QUOTATION = re.compile(
    r"\"[^\"]{1,400}\"|(?<![\w'])'(?:[^']|(?<=\w)'(?=\w)){1,400}(?<=[.,!?-])'(?!\w)"
)


class _Utterance(NamedTuple):
    """A paragraph, or a quotation directly after another, without words between them.

    pieces  of its sentences, the first and the one after the last
    name    who is said to speak it; "" where nobody is
    alone   whether it has no words outside the quotation marks
    asks    whether it has a question
    """

    pieces: tuple[int, int]
    name: str
    alone: bool
    asks: bool


def alternating_speakers(pieces: Sequence[Segment], text: str) -> list[str]:
    """[sentences of a text], who speaks an utterance without "said Anna" among those of two persons
    who speak in turn, one of whom asks something; "" of all other sentences."""
    names = [""] * len(pieces)
    if text.count('"') + text.count("'") < 4:
        return names
    run: list[_Utterance] = []
    for utterance in [*_utterances(pieces, text), None]:
        if utterance is not None:
            run.append(utterance)
            continue
        for one, name in zip(run, _in_turn(run), strict=True):
            if one.alone:
                names[slice(*one.pieces)] = [name] * (one.pieces[1] - one.pieces[0])
        run = []
    return names


def _in_turn(run: Sequence[_Utterance]) -> list[str]:
    """[utterances], who speaks each, as far as those that have a name say it: between two of them
    both must say the same."""
    persons = {one.name for one in run} - {""}
    if len(persons) != 2 or not any(one.asks for one in run):
        return [""] * len(run)
    forward = _alternating([one.name for one in run], persons)
    backward = _alternating([one.name for one in reversed(run)], persons)[::-1]
    return [
        one or other if not (one and other) or one == other else ""
        for one, other in zip(forward, backward, strict=True)
    ]


def _alternating(names: Sequence[str], persons: set[str]) -> list[str]:
    found: list[str] = []
    now = ""
    for name in names:
        now = name or (next(iter(persons - {now})) if now else "")
        found.append(now)
    return found


def _utterances(pieces: Sequence[Segment], text: str) -> Iterator[_Utterance | None]:
    """The utterances of a text; None for what is no utterance or may be anybody's."""
    start = 0
    for place in range(1, len(pieces) + 1):
        if place == len(pieces) or _begins(pieces[place - 1], pieces[place], text):
            yield _utterance(text[pieces[start].start : pieces[place - 1].end], start, place)
            start = place


def _begins(before: Segment, piece: Segment, text: str) -> bool:
    if "\n" in text[before.end : piece.start]:
        return True
    quotation = _QUOTATION.match(piece.text)
    if quotation is None:
        return False
    has_name = _AFTER.match(piece.text, quotation.end()) is not None
    return has_name or (before.text[-1] == piece.text[0] and len(before.text) > 1)


def _utterance(text: str, start: int, end: int) -> _Utterance | None:
    quotations = list(_QUOTATION.finditer(text)) if len(text) <= LONGEST else []
    if not quotations or text.count('"') % 2:
        return None
    said = "".join(match.group() for match in quotations)
    ends = [0, *(match.end() for match in quotations)]
    starts = [*(match.start() for match in quotations), len(text)]
    outside = [text[first:last] for first, last in zip(ends, starts, strict=True)]
    asks = "?" in said
    if not "".join(outside).strip():
        return _Utterance((start, end), "", True, asks)
    lead = _BEFORE.fullmatch(outside[0].strip())
    tags = [lead, *map(_AFTER.match, outside[1:])]
    names = {tag["name"] or tag.groupdict().get("first") or "" for tag in tags if tag is not None}
    if len(names) == 1 and (name := names.pop()).lower() not in STOP_WORDS:
        return _Utterance((start, end), name, False, asks)
    if not names and any(map(_PRONOUN.match, outside[1:])):
        return _Utterance((start, end), "", False, asks)
    return None
