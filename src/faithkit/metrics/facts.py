"""Named entities of the summary, compared with those of the source: `ner` [MFAS §3.4] and
`ner_overlap`, the baseline of [FCLLM]. Entities come from `language/parse.py`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import ClassVar, Literal

from faithkit.language.case import TrueCase, with_case
from faithkit.language.parse import Entity, entities
from faithkit.language.sentences import SPLITTER
from faithkit.language.words import numbers, word_coverage
from faithkit.metrics.align import (
    Absent,
    Alignment,
    Normalise,
    Similarity,
    models_for_similarity,
    precision_recall_f1,
)
from faithkit.metrics.aligned import AlignedMetric, Extraction, Groups, Item, with_similarity
from faithkit.metrics.base import Metric
from faithkit.metrics.batch import score_unless_blank
from faithkit.metrics.defaults import gives_default
from faithkit.metrics.options import check_range
from faithkit.metrics.overlap import Measure
from faithkit.metrics.plain import reads_plain_texts
from faithkit.models.protocols import ENGLISH, SentenceEmbedder, TokenEncoder
from faithkit.records import JSON, Example, Outcome, Score, Span, scored, unscored


def _key(text: str) -> str:
    """An entity's words without case, article, possessive and punctuation."""
    plain = re.sub(r"['’]s\b", "", text.lower())
    return " ".join(word for word in re.findall(r"[\w]+", plain) if word not in ("the", "a", "an"))


def _occurs(entity: str, source: str) -> bool:
    """Whether an entity's words occur in the source."""
    return f" {_key(entity)} " in f" {_key(source)} "


class Ner(AlignedMetric):
    """Entities grouped by label, each matched with its best one of the same label in the source.

    similarity  of two entities
    measure     precision: the mean over the summary's entities; recall: over the source's; f1
    absent      entities of a label that the other side lacks count 0 (`zero`) or are left out
                (`skip`)
    mean        over all `entities`, or over the `labels`, of each one's mean (f1: over those of
                either side)
    normalise   what is done to entities before exact or f1 compare them (`align.Normalise`)
    default     the value where the outcome is no_claims (no entity in the summary) or no_content
                (no label in common, which the parts show, or a blank text); default: none
    truecase    auto: a summary without a capital letter takes the case of its source before
                entities are looked for; on: any does
    threshold   an entity whose match is under it is marked unsupported, unless its words occur in
                the source under another label; so is any number, in an entity or not, whose value
                the source does not have

    The preset `paper` is the code released with [MFAS]: the mean over the labels that both texts
    have, 1 if there is none. Its entities are those of a larger spaCy model.
    """

    name = "ner"
    bounds = (-1.0, 1.0)
    unit = "mean match of the summary's named entities with the source's of the same label"
    limitations = (
        "English only. Sees named entities and numbers alone: a summary without any has no score, "
        "and what is said of an entity does not count. As good as the recognition of the entities."
    )
    models: ClassVar[dict[str, str]] = {"model": "embed:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "paper": {
            "similarity": "exact",
            "absent": "skip",
            "mean": "labels",
            "normalise": "squad",
            "default": "1",
            "truecase": "off",
        }
    }
    splitter = SPLITTER
    packages = ("spacy",)
    # Round numbers, not fitted to any data.
    thresholds: ClassVar[dict[str, float]] = {
        "exact": 1.0, "f1": 0.5, "bertscore": 0.8, "cosine": 0.8
    }  # fmt: skip

    @classmethod
    def models_for(cls, options: Mapping[str, JSON]) -> dict[str, str]:
        return models_for_similarity(options)

    def __init__(
        self,
        model: SentenceEmbedder | TokenEncoder | None = None,
        similarity: Similarity = "f1",
        measure: Measure = "precision",
        threshold: float | None = None,
        default: float | None = None,
        truecase: TrueCase = "auto",
        absent: Absent = "zero",
        mean: Literal["entities", "labels"] = "entities",
        normalise: Normalise = "none",
    ) -> None:
        super().__init__(model, similarity, measure, threshold, default, truecase, normalise)
        self._skip = absent == "skip"
        self._by_label = mean == "labels"

    def _extract(self, texts: Sequence[str]) -> list[Extraction]:
        extractions = []
        for named in entities(texts):
            groups: dict[str, list[Item]] = {}
            for entity in named:
                item = Item(entity.text, ((entity.start, entity.end),))
                groups.setdefault(entity.label, []).append(item)
            extractions.append(Extraction(groups))
        return extractions

    def _parts(
        self, alignments: Mapping[str, Alignment], summary: Extraction, source: Extraction
    ) -> dict[str, float]:
        counts = {
            "summary_entities": summary.total(),
            "source_entities": source.total(),
            "common_labels": float(len(alignments)),
        }
        if not alignments:
            return counts
        aligned = list(alignments.values())
        if self._by_label:
            missing, unmet = (
                [0.0] * (0 if self._skip else len(text.groups) - len(alignments))
                for text in (summary, source)
            )
            return {
                "precision": fmean([*(label.precision for label in aligned), *missing]),
                "recall": fmean([*(label.recall for label in aligned), *unmet]),
                "f1": fmean([*(label.f1 for label in aligned), *missing, *unmet]),
            } | counts
        # Entities of a label that the other side lacks have no match: they count 0.
        in_summary, in_source = (
            sum(len(items) for label, items in text.groups.items()
                if not self._skip or label in alignments)
            for text in (summary, source)
        )  # fmt: skip
        precision = sum(sum(label.similarity) for label in aligned) / in_summary
        recall = sum(
            alignment.recall * len(source.groups[group]) for group, alignment in alignments.items()
        )
        return precision_recall_f1(precision, recall / in_source) | counts

    def _unmatched(
        self, example: Example, groups: Groups, alignments: Mapping[str, Alignment]
    ) -> list[Span]:
        spans = [
            Span(entity.start, entity.end, "unsupported", similarity)
            for entity, similarity in with_similarity(groups, alignments)
            if similarity < self._threshold and not _occurs(entity.text, example.source)
        ]
        in_source = {value for _, value in numbers(example.source)}
        for word, value in numbers(example.summary):
            inside = any(span.start < word.end and word.start < span.end for span in spans)
            if value not in in_source and not inside:
                spans.append(Span(word.start, word.end, "unsupported", 0.0))
        return sorted(spans, key=lambda span: span.start)


class NerOverlap(Metric):
    """Share of the summary's named entities whose words occur in the source, under any label or
    none. No entity in the summary is `no_claims`, a blank text `no_content`; both score `default`
    (none unless given). `truecase` as in `ner`."""

    name = "ner_overlap"
    bounds = (0.0, 1.0)
    unit = "share of the summary's named entities that occur in the source"
    limitations = (
        "English only. Sees named entities and numbers alone: a summary without any has no score, "
        "and an entity of the source in the wrong place counts as supported."
    )
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"truecase": "off"}}
    splitter = SPLITTER
    packages = ("spacy",)
    language = ENGLISH

    def __init__(self, default: float | None = None, truecase: TrueCase = "auto") -> None:
        check_range(self.name, "default", default, self.bounds)
        self.default = default
        self._truecase: TrueCase = truecase

    @gives_default
    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        return score_unless_blank(examples, self.name, self._score_all)

    def _score_all(self, examples: Sequence[Example]) -> list[Score]:
        summaries = [with_case(e.summary, e.source, self._truecase) for e in examples]
        unique = list(dict.fromkeys(summaries))
        extracted = dict(zip(unique, entities(unique), strict=True))
        return [
            self._score(example, extracted[summary])
            for example, summary in zip(examples, summaries, strict=True)
        ]

    def _score(self, example: Example, named: Sequence[Entity]) -> Score:
        parts = {"summary_entities": float(len(named))}
        coverage = word_coverage(example)
        if not named:
            return unscored(
                example,
                self.name,
                Outcome.NO_CLAIMS,
                parts=parts,
                coverage=coverage,
            )
        missing = [entity for entity in named if not _occurs(entity.text, example.source)]
        return scored(
            example,
            self.name,
            1 - len(missing) / len(named),
            parts=parts,
            spans=[Span(entity.start, entity.end, "unsupported", 0.0) for entity in missing],
            coverage=coverage,
        )
