"""A table as Markdown, for the reports of `bench` and `leaderboard`."""

from __future__ import annotations

from collections.abc import Sequence


def escaped(text: str) -> str:
    """The text of a cell: no line end, and no bar that would end it."""
    return text.replace("|", "\\|").replace("\n", " ")


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Header, rule and rows, and an empty line below."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(escaped, cells)) + " |"

    return [line(header), "|" + " --- |" * len(header), *map(line, rows), ""]
