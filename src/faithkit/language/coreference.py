"""What pronouns refer to, by an installed spaCy pipeline with a coreference component."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from faithkit.language.sentences import pieces
from faithkit.records import ConfigError

if TYPE_CHECKING:
    from spacy.language import Language


def antecedents(texts: Sequence[str], pipeline: str) -> list[dict[int, tuple[int, str]]]:
    """For each text its pronouns, possessive ones too, that stand for something named: start to
    end and that name.

    pipeline: the package or folder of an installed spaCy pipeline with a coreference component
    that leaves its clusters in `doc.spans` under names that begin with "coref_clusters", as those
    of spacy-experimental do. Raises ConfigError where there is none such.
    """
    model = _coreference_model(pipeline)
    found: list[dict[int, tuple[int, str]]] = []
    for text in texts:
        names: dict[int, tuple[int, str]] = {}
        for piece in pieces(text, 0, len(text)):
            document = model(piece.text)
            clusters = [
                sorted(document.spans[key], key=lambda span: (span.start, span.end))
                for key in document.spans
                if key.startswith("coref_clusters")
            ]
            for mentions in clusters:
                named = next((span for span in mentions if not _is_pronoun(span.text)), None)
                if named is None:
                    continue
                for span in mentions:
                    if _is_pronoun(span.text):
                        start = piece.start + span.start_char
                        names[start] = (piece.start + span.end_char, named.text)
        found.append(names)
    return found


def coreference_name(pipeline: str) -> str:
    """The name and version of such a pipeline, for a signature. Raises ConfigError as
    `antecedents` does."""
    meta = _coreference_model(pipeline).meta
    return f"{meta['lang']}_{meta['name']}-{meta['version']}"


_PRONOUNS = (
    "i me my mine myself you your yours yourself he him his himself she her hers herself it its "
    "itself we us our ours ourselves they them their theirs themselves this that these those who "
    "whom whose which"
)


def _is_pronoun(text: str) -> bool:
    return text.lower() in _PRONOUNS.split()


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
