"""The claims of a patent, which are a numbered list: "2. The pump of claim 1, wherein the rotor is
ceramic." is "Claim 2: The pump of 1, wherein the rotor is ceramic.", so that what it adds is said
of claim 2 and not of claim 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from faithkit.language.mapped import Mapped, Piece, replace_pieces

_ITEM = re.compile(r"^[ \t]*(?P<mark>(?P<number>\d{1,3})[.)][ \t]+)(?=[A-Z])", re.MULTILINE)
_DEPENDENT = re.compile(
    r"(?:The|An?|Use|Method|Process|Apparatus|System) [^.;\n]{1,150}?"
    r"\b(?P<claims>claims? )(?P<number>\d{1,3})\b(?=[^.;\n]{0,60}?\b(?:characteri[sz]ed|comprising"
    r"|comprises|further|in which|whereby|wherein)\b)"
)


def with_claims(text: Mapped) -> Mapped:
    """The text with "Claim 2: " for "2. " before claims of a patent: before all numbered items
    where one refers to an earlier claim."""
    if "claim" not in text.text:
        return text
    items = list(_ITEM.finditer(text.text))
    references = [_reference(item) for item in items]
    if not any(references):
        return text
    return replace_pieces(text, list(_pieces(items, references)))


def _reference(item: re.Match[str]) -> re.Match[str] | None:
    """The words of an item that refer to an earlier claim."""
    match = _DEPENDENT.match(item.string, item.end())
    return match if match and int(match["number"]) < int(item["number"]) else None


def _pieces(items: list[re.Match[str]], references: list[re.Match[str] | None]) -> Iterator[Piece]:
    for item, reference in zip(items, references, strict=True):
        first = "" if item.start() == 0 else "\n"
        yield Piece(f"{first}Claim {item['number']}: ", item.start(), item.end("mark"))
        if reference:
            yield Piece("", *reference.span("claims"))
