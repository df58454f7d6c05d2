"""What a speaker takes back at once: "on Tuesday, no wait, Wednesday" is "on Wednesday", and "*8"
in a chat corrects the "7" of the same person's message before. Only words of one sort, directly
before and after such words: weekdays, months, numbers, times, and places with a capital.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language.calendar_words import MONTH, WEEKDAY, WEEKDAY_ABBREVIATIONS
from faithkit.language.mapped import Mapped, Piece, Rule, replace_match, replace_pieces
from faithkit.language.speech.dialogues import parse_opening

_DAY = rf"(?:{WEEKDAY}|{'|'.join(name for name in WEEKDAY_ABBREVIATIONS if name != 'Thu')})"
_MONTH = rf"(?:{MONTH}|Sept?)"
_NUMBER = r"[$£€]?\d[\d,:]*(?:\.\d+)?(?: ?[ap]\.?m\b\.?)?"
_GAP = r"(?:[ ]*[,-]+[ ]+|[ ]+)"
_SORRY = (
    r"(?:no,?[ ]wait|wait,?[ ]no|no,?[ ]sorry|sorry,?[ ]no|sorry,?[ ]i[ ]mean(?:t)?|no,?[ ]i[ ]mean"
    r"|i[ ]mean|i[ ]meant|sorry|or[ ]rather|make[ ]that|scratch[ ]that|correction"
    r"|(?<=[,-][ ])no(?=[,]))"
)
_BETWEEN = rf"{_GAP}{_SORRY}{_GAP}(?:(?:uh|um|er|erm)[ ])?"
_AGAIN = r"(?:(?P<again>at|on|in|to|by|from|for|until)[ ])?"


def _pair(form: str) -> re.Pattern[str]:
    pair = rf"(?<![\w.,-])(?P<first>{form}){_BETWEEN}{_AGAIN}(?P<second>{form})(?![\w-])"
    return re.compile(pair, re.IGNORECASE)


_NUMBERS = re.compile(
    rf"(?<![\w.,$£€-])(?P<first>{_NUMBER})(?P<unit>[ ][a-z]+)??{_BETWEEN}{_AGAIN}"
    rf"(?P<second>{_NUMBER}(?(unit)(?P=unit)|))(?![\w-])",
    re.IGNORECASE,
)
_PLACES = re.compile(
    rf"(?<=\b(?:to|in|at) )(?P<first>[A-Z][a-z]+)(?i:{_BETWEEN}){_AGAIN}(?P<second>[A-Z][a-z]+)\b"
)
_DENIED = re.compile(r"\b(?:not|never)\b|n['’]t\b", re.IGNORECASE)
_NEAR = 25
"""Characters before a word in which a negation says that it is no mistake: "not Friday, I mean
Saturday"."""


def _taken_back(match: re.Match[str]) -> tuple[Piece, ...]:
    """The second of two words of one sort, in place of both and of what is between them."""
    before = match.string[max(0, match.start() - _NEAR) : match.start()].lower()
    again = (match["again"] or "").lower()
    if _DENIED.search(before) or (again and not before.endswith(f"{again} ")):
        return ()
    return replace_match(match, match["second"])


CORRECTIONS = (
    Rule(_pair(_DAY), _taken_back),
    Rule(_pair(_MONTH), _taken_back),
    Rule(_NUMBERS, _taken_back, re.compile(r"\d")),
    Rule(_PLACES, _taken_back),
)
CORRECTIONS_CUE = re.compile(r"\b(?:wait|sorry|mean|meant|rather|that|correction)\b|[,-] no,")
"""Rules for texts in which `CORRECTIONS_CUE` is found; after those of numbers in words."""


# --- chats ---------------------------------------------------------------------------------------

_SORTS = tuple(re.compile(rf"\b{form}\b", re.IGNORECASE) for form in (_DAY, _MONTH, r"\d[\d.:]*"))
_CORRECTING = re.compile(r"(?:.{0,150}:[ \t]+)?\*(?P<word>[\w.:]+)(?:,? sorry)?[.!]*[ \t]*")
_OTHER_DAY = rf"(?![^\n]{{0,80}}\b{_DAY}\b)"
_IN_LINE = re.compile(
    rf"(?<![*\w])(?P<first>{_DAY})[ ]\*(?P<second>{_DAY})\b(?!\*){_OTHER_DAY}", re.IGNORECASE
)


def with_corrections(text: Mapped) -> Mapped:
    """The text with the word that a message consisting of "*8" corrects: "See you at 8" for "See
    you at 7" before it, and "Weds" for "Tues *Weds"."""
    if "*" not in text.text:
        return text
    text = replace_pieces(
        text, [Piece(m["second"], *m.span()) for m in _IN_LINE.finditer(text.text)]
    )
    return replace_pieces(text, list(_corrected(text.text)))


def _corrected(text: str) -> Iterator[Piece]:
    start, before, before_start = 0, "", 0
    for line in text.split("\n"):
        correcting = _CORRECTING.fullmatch(line)
        mine, other = parse_opening(line), parse_opening(before)
        if correcting and mine and other and mine.name == other.name:
            said = before.rindex(": ") + 2 if ": " in before else 0
            for sort in _SORTS:
                found = list(sort.finditer(before, said))
                if sort.fullmatch(correcting["word"]) and len(found) == 1:
                    first, last = (before_start + at for at in found[0].span())
                    yield Piece(correcting["word"], first, last)
        if line.strip():
            before, before_start = line, start
        start += len(line) + 1
