"""What the plain form of a text (`normalise.py`) leaves out, in words, so that a row can say it: a
chat model's phrases, a user's question, what documents do not tell, lists of sources.

Blanks, signs, numbers of lists and footnotes, tags of HTML and keys of JSON are form, and are not
named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from faithkit.language.mapped import Mapped

LEFT_OUT = "left_out"
"""The name under which a score has it, among its texts."""

MOST_QUOTES, LONGEST_QUOTE = 3, 60
"""So many parts of a text are quoted, each with so many characters at most."""

_WORD_CHARACTER = re.compile(r"\w")
_WORD = re.compile(r"[^\W\d_]{2}")
_TAG_OR_KEY = re.compile(r'<[^<>]*>|"[\w -]+"\s*:')
_LAYOUT_SIGNS = " \t\r\n\f\v#*_•-"
"""Signs of layout at either end of a part."""


def describe_left_out(summary_parts: Sequence[str], source_parts: Sequence[str]) -> str:
    """`15 characters of the summary (“Confidence: 95%”); 40 of the source (“...”)`; "" where no
    part of either text is left out."""
    descriptions: list[str] = []
    for name, parts in (("summary", summary_parts), ("source", source_parts)):
        if parts:
            unit = "" if descriptions else " characters"
            size = sum(map(len, parts))
            descriptions.append(f"{size:,}{unit} of the {name} ({_quote_parts(parts)})")
    return "; ".join(descriptions)


def find_left_out(given: str, plain: Mapped) -> Iterator[str]:
    """The parts of a text that have words and are in no character of its plain form, in order."""
    if plain.text == given:
        return
    part_bounds = None
    for start, end in [*_find_gaps(len(given), plain), (len(given), len(given))]:
        if part_bounds and (end == start or _WORD_CHARACTER.search(given, part_bounds[1], start)):
            part = given[slice(*part_bounds)].strip(_LAYOUT_SIGNS)
            if _WORD.search(_TAG_OR_KEY.sub("", part)):
                yield part
            part_bounds = None
        part_bounds = (part_bounds[0] if part_bounds else start, end)


def _find_gaps(size: int, plain: Mapped) -> list[tuple[int, int]]:
    """The runs of characters of a given text of this size that none of the plain text is mapped
    to."""
    import numpy as np

    bounds = (np.asarray(side, dtype=np.int64) for side in (plain.starts, plain.ends))
    opening_counts, closing_counts = (np.bincount(side, minlength=size + 1) for side in bounds)
    is_outside = np.cumsum(opening_counts - closing_counts)[:size] == 0
    edges = np.flatnonzero(np.diff(is_outside, prepend=False, append=False))
    return [(start, end) for start, end in edges.reshape(-1, 2).tolist()]


def _quote_parts(parts: Sequence[str]) -> str:
    """“Confidence: 95%”, “Doc 3”, ... and 2 more."""
    lines = [" ".join(part.split()) for part in parts[:MOST_QUOTES]]
    shortened = [
        part if len(part) <= LONGEST_QUOTE else f"{part[: LONGEST_QUOTE - 1].rstrip()}…"
        for part in lines
    ]
    quotes = [f"“{part}”" for part in shortened]
    more = len(parts) - len(quotes)
    return ", ".join(quotes) + (f" and {more} more" if more else "")
