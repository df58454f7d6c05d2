"""What pronouns refer to, by an installed spaCy pipeline with a coreference component."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from faithkit.language.lexicon import PRONOUNS
from faithkit.language.pipeline import documents as documents_of
from faithkit.records import ConfigError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span


def antecedents(texts: Sequence[str], pipeline: str) -> list[dict[int, tuple[int, str]]]:
    """For each text its pronouns, possessive ones too, that refer to something named: start to
    end and that name.

    pipeline: the package or folder of an installed spaCy pipeline with a coreference component
    that leaves its clusters in `doc.spans` under names that begin with "coref_clusters", as those
    of spacy-experimental do. Raises ConfigError where there is none such.
    """
    return [
        {
            start + pronoun.start_char: (start + pronoun.end_char, name)
            for start, document in documents
            for pronoun, name in _named_pronouns(document)
        }
        for documents in documents_of(_coreference_model(pipeline), texts)
    ]


def _named_pronouns(document: Doc) -> Iterator[tuple[Span, str]]:
    """The pronouns of each cluster that has a name in it, with the first name."""
    for key in document.spans:
        if not key.startswith("coref_clusters"):
            continue
        mentions = sorted(document.spans[key], key=lambda span: (span.start, span.end))
        name = next((span.text for span in mentions if not _is_pronoun(span)), None)
        if name is not None:
            yield from ((span, name) for span in mentions if _is_pronoun(span))


def coreference_name(pipeline: str) -> str:
    """The name and version of such a pipeline, for a signature. Raises ConfigError as
    `antecedents` does."""
    meta = _coreference_model(pipeline).meta
    return f"{meta['lang']}_{meta['name']}-{meta['version']}"


def _is_pronoun(span: Span) -> bool:
    return span.text.lower() in PRONOUNS


@lru_cache(maxsize=1)
def _coreference_model(pipeline: str) -> Language:
    import spacy

    try:
        model = spacy.load(pipeline)
    except (OSError, ValueError, ImportError) as error:
        raise ConfigError(
            f"coreference={pipeline}: no such spaCy pipeline is installed, or it cannot be loaded "
            f"({error}). Install one with a coreference component, and what it needs."
        ) from error
    if not any("coref" in name for name in model.pipe_names):
        raise ConfigError(
            f"coreference={pipeline}: this spaCy pipeline has no coreference component; it has "
            f"{', '.join(model.pipe_names) or 'none at all'}."
        )
    return model
