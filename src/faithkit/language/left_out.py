"""What the plain form of a text (`normalise.py`) leaves out, in words, so that a row can say it: a
chat model's phrases, a user's question, what documents do not tell, lists of sources.

Blanks, signs, numbers of lists and footnotes, tags of HTML and keys of JSON are form, and are not
named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language.mapped import Mapped

LEFT_OUT = "left_out"
"""The name under which a score has it, among its texts."""

QUOTES, QUOTED = 3, 60
"""So many parts of a text are quoted, each with so many characters at most."""

_WORD_CHARACTER = re.compile(r"\w")
_WORD = re.compile(r"[^\W\d_]{2}")
_FORM = re.compile(r'<[^<>]*>|"[\w -]+"\s*:')
_SIGNS = " \t\r\n\f\v#*_•-"
"""Signs of layout at either end of a part."""


def left_out(source: str, plain_source: Mapped, summary: str, plain_summary: Mapped) -> str:
    """`15 characters of the summary (“Confidence: 95%”); 40 of the source (“...”)`; "" where the
    plain forms have every word of the texts."""
    said: list[str] = []
    for name, given, plain in (
        ("summary", summary, plain_summary),
        ("source", source, plain_source),
    ):
        if parts := list(left_out_parts(given, plain)):
            unit = "" if said else " characters"
            said.append(f"{sum(map(len, parts)):,}{unit} of the {name} ({_quoted(parts)})")
    return "; ".join(said)


def left_out_parts(given: str, plain: Mapped) -> Iterator[str]:
    """The parts of a text that have words and are in no character of its plain form, in order."""
    if plain.text == given:
        return
    last = None
    for start, end in [*_gaps(len(given), plain), (len(given), len(given))]:
        if last and (end == start or _WORD_CHARACTER.search(given, last[1], start)):
            part = given[slice(*last)].strip(_SIGNS)
            if _WORD.search(_FORM.sub("", part)):
                yield part
            last = None
        last = (last[0] if last else start, end)


def _gaps(size: int, plain: Mapped) -> list[tuple[int, int]]:
    """The runs of characters of a given text of this size that none of the plain text is mapped
    to."""
    import numpy as np

    bounds = (np.asarray(side, dtype=np.int64) for side in (plain.starts, plain.ends))
    opened, closed = (np.bincount(side, minlength=size + 1) for side in bounds)
    outside = np.cumsum(opened - closed)[:size] == 0
    edges = np.flatnonzero(np.diff(outside, prepend=False, append=False))
    return [(start, end) for start, end in edges.reshape(-1, 2).tolist()]


def _quoted(parts: list[str]) -> str:
    flat = [" ".join(part.split()) for part in parts[:QUOTES]]
    cut = [part if len(part) <= QUOTED else f"{part[: QUOTED - 1].rstrip()}…" for part in flat]
    shown = [f"“{part}”" for part in cut]
    more = len(parts) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
