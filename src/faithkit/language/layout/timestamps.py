"""Times into a recording before the lines of show notes and chapters, in words: "[17:45] Farming
news" is "17 minutes and 45 seconds: Farming news", and so is "17:45" in a summary of them. What
does not live here: times of captions (`subtitles.py`), times of day (`clock.py`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from faithkit.language.mapped import Mapped, Piece, replace_match, replace_pieces, substitute

_TIME = r"(?:\d{1,2}:[0-5]\d:[0-5]\d|\d{1,3}:[0-5]\d)"
_STAMP = re.compile(
    rf"^[ \t]*(?P<stamp>(?P<open>[\[(])?(?P<time>{_TIME})(?(open)[\])])(?:[ \t]+[-–|]|[ \t]*:)?"
    r"[ \t]+)(?P<rest>[^\s:|\d-][^\n]*)",
    re.MULTILINE,
)
_ANY = re.compile(rf"(?<![\w:.,/-])[\[(]?(?P<time>{_TIME})[\])]?(?![\w:/-]| ?[apAP]\.?[mM]\b)")
_TURN = re.compile(r"[A-Z][\w.'’-]*(?: [\w.'’-]+){0,3}: ")
_OF_RECORDINGS = re.compile(
    r"\b(?:episodes?|podcasts?|show notes|chapters?|recordings?|videos?|timestamps?|listen)\b",
    re.IGNORECASE,
)
HOURS = 24
"""What a first number of so much or more is no hour of a day."""
LONGEST = 80
"""Characters of a line of show notes; what is longer is a transcript's."""


def with_durations(text: Mapped) -> Mapped:
    """A source with the times of its show notes in words."""
    pieces = []
    for match in _stamps(text.text):
        words = f"{_in_words(_seconds(match['time']))}: "
        pieces.append(Piece(words, *match.span("stamp")))
    return replace_pieces(text, pieces)


def with_durations_of(text: Mapped, source: str) -> Mapped:
    """A summary of show notes with their times in words.

    source  as it was given
    """
    if ":" not in text.text or not (stamps := _stamps(source)):
        return text
    told = {_seconds(match["time"]) for match in stamps}

    def form(match: re.Match[str]) -> tuple[Piece, ...]:
        seconds = _seconds(match["time"])
        return replace_match(match, _in_words(seconds)) if seconds in told else ()

    return substitute(text, _ANY, form)


@lru_cache(maxsize=16)
def _stamps(text: str) -> tuple[re.Match[str], ...]:
    """The times before lines of a text that go into a recording: each is later than the one before,
    and one is no time of day, or the first is 0:00 in a text about a recording."""
    stamps = tuple(_STAMP.finditer(text))
    if len(stamps) < 2 or any(len(match["rest"]) > LONGEST for match in stamps):
        return ()
    if any(_TURN.match(match["rest"]) for match in stamps[:2]):
        return ()
    times = [_seconds(match["time"]) for match in stamps]
    if any(later <= earlier for earlier, later in pairwise(times)):
        return ()
    pairs = [match["time"] for match in stamps if match["time"].count(":") == 1]
    is_no_hour = any(int(time.split(":")[0]) > HOURS for time in pairs)
    from_start = times[0] == 0 and bool(pairs) and _OF_RECORDINGS.search(text) is not None
    return stamps if is_no_hour or from_start else ()


def _seconds(time: str) -> int:
    parts = [int(part) for part in time.split(":")]
    return sum(part * 60**place for place, part in enumerate(reversed(parts)))


def _in_words(seconds: int) -> str:
    """ "62 minutes and 15 seconds"."""
    minutes, rest = divmod(seconds, 60)
    names = [
        f"{number} {unit}{'' if number == 1 else 's'}"
        for number, unit in ((minutes, "minute"), (rest, "second"))
        if number or (unit == "minute" and not rest)
    ]
    return " and ".join(names)
