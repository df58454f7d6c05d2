"""SentSim: each summary sentence against its most similar source sentence [MFAS §3.3]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from faithkit.language.sentences import SPLITTER, sentences
from faithkit.language.words import Segment
from faithkit.metrics.align import (
    Normalise,
    Similarities,
    Similarity,
    align,
    models_for_similarity,
)
from faithkit.metrics.base import Metric
from faithkit.metrics.batch import by_size
from faithkit.metrics.overlap import Measure
from faithkit.metrics.plain import language_of, reads_plain_texts
from faithkit.models.protocols import SentenceEmbedder, TokenEncoder
from faithkit.records import (
    JSON,
    Coverage,
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
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
    models: ClassVar[dict[str, str]] = {"model": "embed:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {"similarity": "f1", "normalise": "squad"}
    }
    splitter = SPLITTER

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
        self._similarities = Similarities(similarity, model, normalise)
        self.language = language_of(model)
        self._measure = measure
        self._threshold = THRESHOLDS[similarity] if threshold is None else threshold
        self.resolved = {"threshold": self._threshold}

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        scores: dict[int, Score] = {}
        for chunk in by_size(examples):
            self._similarities.prepare(
                piece.text
                for _, example in chunk
                for text in (example.source, example.summary)
                for piece in sentences(text)
            )
            scores |= {position: self._score(example) for position, example in chunk}
        return [scores[position] for position in range(len(examples))]

    def _score(self, example: Example) -> Score:
        source, summary = sentences(example.source), sentences(example.summary)
        coverage = Coverage(source_sentences=len(source), summary_sentences=len(summary))
        if not source or not summary:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        found = align(
            self._similarities.matrix([s.text for s in summary], [s.text for s in source])
        )
        parts = {"precision": found.precision, "recall": found.recall, "f1": found.f1}
        return scored(
            example,
            self.name,
            parts[self._measure],
            parts=parts,
            spans=[
                Span(sentence.start, sentence.end, "unsupported", similarity)
                for sentence, similarity in zip(summary, found.similarity, strict=True)
                if similarity < self._threshold
            ],
            evidence=link(summary, source, found.best_source, found.similarity),
            coverage=coverage,
        )


def link(
    summary: Sequence[Segment],
    source: Sequence[Segment],
    best: Sequence[int],
    similarity: Sequence[float],
) -> list[Evidence]:
    """Each summary piece's best source piece, as evidence."""
    return [
        Evidence(source[j].start, source[j].end, s.start, s.end, "best match", float(number))
        for s, j, number in zip(summary, best, similarity, strict=True)
    ]
