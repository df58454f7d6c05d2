"""Reads the docstrings of this project and writes them as Markdown or reStructuredText.

Their form: paragraphs; lists of names, each with its explanation in an aligned column that may go
on below itself; indented code; code in single backquotes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

NAMES = r"\S+(?:, \S+)*"
ENTRY = re.compile(rf"({NAMES}) {{2,}}(\S.*)")
KEY = r"(?:FFLM|MFAS|FCLLM|LSS|STRESS)\b[^\]]*"
"""A key of docs/papers.md, with the section that may follow it."""


class Text(NamedTuple):
    """A paragraph."""

    text: str


class Code(NamedTuple):
    """Lines as they are."""

    lines: list[str]


class Entries(NamedTuple):
    """Names and what is said of each."""

    entries: list[tuple[str, str]]


Block = Text | Code | Entries


def blocks(docstring: str) -> list[Block]:
    """The docstring's parts, in order."""
    lines = inspect.cleandoc(docstring).splitlines()
    found: list[Block] = []
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
        elif lines[at].startswith("    "):
            end = _end(lines, at, lambda line: not line.strip() or line.startswith("    "))
            found.append(Code(inspect.cleandoc("\n".join(lines[at:end])).splitlines()))
            at = end
        elif ENTRY.fullmatch(lines[at]):
            entries, at = _entries(lines, at)
            found.append(entries)
        else:
            end = _end(lines, at, lambda line: bool(line.strip()) and not ENTRY.fullmatch(line))
            found.append(Text(" ".join(line.strip() for line in lines[at:end])))
            at = end
    return found


def _end(lines: list[str], at: int, belongs: Callable[[str], bool]) -> int:
    """The first line after `at` that does not belong."""
    return next((n for n in range(at + 1, len(lines)) if not belongs(lines[n])), len(lines))


def _entries(lines: list[str], at: int) -> tuple[Entries, int]:
    """The list that begins at a line, and the line after it."""
    first = ENTRY.fullmatch(lines[at])
    assert first is not None
    column = first.start(2)
    entries: list[tuple[str, str]] = []
    while at < len(lines):
        line = lines[at]
        entry = ENTRY.fullmatch(line) or _reaching(line, column)
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if entry:
            entries.append((entry[1], entry[2]))
        elif line.startswith("  ") and line.strip():
            name, text = entries[-1]
            entries[-1] = (name, f"{text} {line.strip()}".strip())
        elif re.fullmatch(NAMES, line) and following.startswith(" " * column):
            entries.append((line, ""))
        else:
            break
        at += 1
    return Entries(entries), at


def _reaching(line: str, column: int) -> re.Match[str] | None:
    """A line whose name is so long that one blank is left before the column of explanations."""
    return re.fullmatch(rf"({NAMES}) (\S.*)", line) if line[column - 1 : column] == " " and (
        re.fullmatch(NAMES, line[: column - 1])
    ) else None  # fmt: skip


def markdown(docstring: str, papers: str = "papers.md") -> str:
    """The docstring as Markdown of MyST, with definition lists. papers: the address of the page of
    papers, from the page that this is for."""
    parts = []
    for block in blocks(docstring):
        match block:
            case Text(text):
                parts.append(inline_markdown(text, papers))
            case Code(lines):
                parts.append("\n".join(["```python", *lines, "```"]))
            case Entries(entries):
                parts += [definition(f"`{name}`", text, papers) for name, text in entries]
    return "\n\n".join(parts)


def definition(term: str, text: str, papers: str = "papers.md") -> str:
    """One entry of a definition list, its term as it is."""
    return f"{term}\n: {inline_markdown(text, papers) or '–'}"


def inline_markdown(text: str, papers: str = "papers.md") -> str:
    """Text with its code left alone, everything else escaped, and its papers linked."""
    return "".join(
        piece if piece.startswith("`") else _plain_markdown(piece, papers)
        for piece in _code_apart(text)
    )


def _plain_markdown(text: str, papers: str) -> str:
    escaped = re.sub(r"([\\*_<|\[])", r"\\\1", text)
    return re.sub(rf"\\\[({KEY})\]", rf"[\\[\1\\]]({papers})", escaped)


def restructured(docstring: str) -> list[str]:
    """The docstring as lines of reStructuredText, for Sphinx's autodoc."""
    lines: list[str] = []
    for block in blocks(docstring):
        match block:
            case Text(text):
                lines += [_inline_restructured(text), ""]
            case Code(code):
                lines += [".. code-block:: python", "", *(f"   {line}" for line in code), ""]
            case Entries(entries):
                for name, text in entries:
                    lines += [f"``{name}``", f"    {_inline_restructured(text) or '–'}"]
                lines.append("")
    return lines


def _inline_restructured(text: str) -> str:
    pieces = []
    for piece in _code_apart(text):
        if piece.startswith("`"):
            # A letter after it would make it text again.
            pieces.append(rf"``{piece.strip('`')}``\ ")
        else:
            escaped = re.sub(r"([\\*|]|_(?!\w))", r"\\\1", piece)
            pieces.append(re.sub(rf"\[({KEY})\]", r":doc:`[\1] </papers>`\ ", escaped))
    # No blank is kept after an escaped one, and none is to stand before the first word.
    return re.sub(r"\\ $", "", "".join(pieces))


def _code_apart(text: str) -> Iterator[str]:
    """The text in pieces, those of code with their backquotes."""
    yield from (piece for piece in re.split(r"(`+[^`]+`+)", text) if piece)
