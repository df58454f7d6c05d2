"""SentSim: each summary sentence compared with its most similar source sentence [MFAS §3.3]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from faithkit.language.sentences import SPLITTER, sentences
from faithkit.language.words import has_word
from faithkit.metrics.align import (
    COSINES,
    Normalise,
    Similarities,
    Similarity,
    align,
    models_for_similarity,
)
from faithkit.metrics.base import Metric
from faithkit.metrics.batch import map_in_chunks
from faithkit.metrics.marks import best_matches, unsupported_below
from faithkit.metrics.options import check_range
from faithkit.metrics.overlap import Measure
from faithkit.metrics.plain import language_of, reads_plain_texts
from faithkit.models.protocols import SentenceEmbedder, TokenEncoder
from faithkit.records import (
    JSON,
    Coverage,
    Example,
    Outcome,
    Score,
    scored,
    unscored,
)

# Below it a sentence is marked as unmatched. Round numbers, not fitted to any data.
THRESHOLDS: dict[str, float] = {"exact": 1.0, "f1": 0.3, "bertscore": 0.5, "cosine": 0.5}


class SentSim(Metric):
    """Options: `similarity` of two sentences; `measure` reported as the value (precision, recall,
    f1 over the alignment); `threshold` under which a sentence is marked unsupported (default: one
    for each similarity); `model` the encoder, where the similarity needs one; `normalise` what is
    done to the sentences before exact or f1 compare them (`align.Normalise`).

    The preset `paper` is the similarity that [MFAS] found best, with its token F1."""

    name = "sentsim"
    bounds = (-1.0, 1.0)
    unit = "mean similarity of each summary sentence with its best source sentence"
    limitations = (
        "Sentences are compared whole, so a changed name or number hardly counts; a sentence that "
        "joins several of the source has no good match."
    )
    models: ClassVar[dict[str, str]] = {"model": "embed:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {"similarity": "f1", "normalise": "squad"}
    }
    splitter = SPLITTER
    packages = ("spacy",)

    @classmethod
    def models_for(cls, options: Mapping[str, JSON]) -> dict[str, str]:
        return models_for_similarity(options)

    def __init__(
        self,
        model: SentenceEmbedder | TokenEncoder | None = None,
        similarity: Similarity = "cosine",
        measure: Measure = "precision",
        threshold: float | None = None,
        normalise: Normalise = "none",
    ) -> None:
        check_range(self.name, "threshold", threshold, COSINES)
        self._similarities = Similarities(similarity, model, normalise)
        self.language = language_of(model)
        self._measure = measure
        self._threshold = THRESHOLDS[similarity] if threshold is None else threshold
        self.resolved = {"threshold": self._threshold}

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        return map_in_chunks(examples, self._score_chunk)

    def _score_chunk(self, examples: Sequence[Example]) -> list[Score]:
        self._similarities.prepare(
            sentence.text
            for example in examples
            for text in (example.source, example.summary)
            for sentence in sentences(text)
        )
        return [self._score(example) for example in examples]

    def _score(self, example: Example) -> Score:
        source, summary = sentences(example.source), sentences(example.summary)
        coverage = Coverage(source_sentences=len(source), summary_sentences=len(summary))
        if not source or not summary:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        if not has_word(example.summary):
            return unscored(example, self.name, Outcome.NO_CLAIMS, coverage=coverage)
        aligned = align(
            self._similarities.matrix([s.text for s in summary], [s.text for s in source])
        )
        return scored(
            example,
            self.name,
            aligned.parts[self._measure],
            parts=aligned.parts,
            spans=unsupported_below(summary, aligned.similarity, self._threshold),
            evidence=best_matches(summary, source, aligned.best_source, aligned.similarity),
            coverage=coverage,
        )
