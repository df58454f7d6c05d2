"""Groups a batch of examples so that what they share is encoded once and memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from faithkit.records import Example

SOURCE_CHARACTERS = 400_000
"""Source text encoded at once: token states of this much text take about 150 MB."""


def by_size(
    examples: Sequence[Example], characters: int = SOURCE_CHARACTERS
) -> Iterator[list[tuple[int, Example]]]:
    """Chunks of (position, example), those of one source beside each other, each chunk's distinct
    sources within `characters` (or one source alone)."""
    groups: dict[str, list[tuple[int, Example]]] = {}
    for position, example in enumerate(examples):
        groups.setdefault(example.source, []).append((position, example))
    chunk: list[tuple[int, Example]] = []
    size = 0
    for source, members in groups.items():
        if chunk and size + len(source) > characters:
            yield chunk
            chunk, size = [], 0
        chunk += members
        size += len(source)
    if chunk:
        yield chunk
