"""Tables, lists of names and users' texts in reports in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST_NAMES = 6
"""Names that a note lists before it only counts the others."""


def shortened(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def escaped(text: str) -> str:
    """The text of a cell: no line end, and no bar that would end it."""
    return text.replace("|", "\\|").replace("\n", " ")


def plain(text: str) -> str:
    """The text as text within a line: nothing in it is Markdown or HTML. `escaped` is for the cell
    it is in."""
    html = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]()#!~@])", r"\\\1", " ".join(html.split()))


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Header, rule and rows, and an empty line below."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(escaped, cells)) + " |"

    return [line(header), "|" + " --- |" * len(header), *map(line, rows), ""]
