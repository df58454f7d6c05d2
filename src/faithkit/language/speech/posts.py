"""Posts of a forum, each below its writer's name and what the forum says of that member ("Joined:
Mar 2019 · Posts: 12"): a post begins "mia_92: ".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from faithkit.language.calendar_words import SHORT_WEEKDAY, WEEKDAYS
from faithkit.language.mapped import Mapped, Piece, replace_pieces

LEAST_POSTS = 2
"""Posts of a text from which it is a thread."""

_NAME = re.compile(
    r"[ \t]*(?P<name>\w[\w.'’-]{1,30}(?: [A-Z][\w.'’-]{0,20})?)(?: \([^()\n]{1,30}\))?"
)
_WEEKDAY = rf"(?:{'|'.join(name.removesuffix('day') for name in WEEKDAYS)}|{SHORT_WEEKDAY})(?:day)?"
_DAY = (
    rf"(?:today|yesterday|{_WEEKDAY}"
    r"|\d{1,2}[ ./-](?:\d{1,2}|[a-z]{3,9})[ ./-]\d{2,4}|[a-z]{3,9} \d{1,2},? \d{4})"
)
_ABOUT = re.compile(
    r"[ \t]*(?:(?:joined|posts?|messages|location|member since|registered|reputation|likes"
    rf"|posted|reactions)\b:? ?\S|{_DAY},?(?: at)? \d{{1,2}}:\d\d)[^\n]{{0,80}}",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+|[^\s\w]\S*")


class _Post(NamedTuple):
    """Who wrote a post, and where its text begins."""

    name: str
    start: int


def with_writers(text: Mapped) -> Mapped:
    """The text with the writer's name before the first line of each post."""
    posts = list(_posts(text.text))
    if len(posts) < LEAST_POSTS or len({post.name for post in posts}) < 2:
        return text
    return replace_pieces(text, list(_names(text.text, posts)))


def _names(text: str, posts: list[_Post]) -> Iterator[Piece]:
    for post in posts:
        first = _WORD.match(text, post.start)
        word = first.group() if first else text[post.start]
        yield Piece("\n\n", post.start - 1, post.start)
        yield Piece(f"{post.name}: {word}", post.start, post.start + len(word))


def _posts(text: str) -> Iterator[_Post]:
    """A name at the beginning or below a blank line, lines about a member, and a line of text."""
    lines, starts = text.split("\n"), [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for place, line in enumerate(lines):
        name = _NAME.fullmatch(line.rstrip())
        if name is None or (place and lines[place - 1].strip()):
            continue
        below = place + 1
        while below < len(lines) and _ABOUT.fullmatch(lines[below].rstrip()):
            below += 1
        if below == place + 1:
            continue
        while below < len(lines) and lines[below].lstrip().startswith(">"):
            below += 1
        if below < len(lines) and lines[below].strip():
            indent = len(lines[below]) - len(lines[below].lstrip())
            yield _Post(name["name"], starts[below] + indent)
