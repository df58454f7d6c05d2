"""Named entities of the summary against those of the source: `ner` [MFAS §3.4] and `ner_overlap`,
the baseline of [FCLLM]. Entities come from `language/parse.py`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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
    Similarities,
    Similarity,
    align,
    f1,
    models_for_similarity,
)
from faithkit.metrics.base import Metric
from faithkit.metrics.overlap import Measure
from faithkit.metrics.plain import reads_plain_texts
from faithkit.models.protocols import ENGLISH, SentenceEmbedder, TokenEncoder
from faithkit.records import (
    JSON,
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
    is_blank,
    scored,
    unscored,
)

# Below it an entity is marked as unmatched. Round numbers, not fitted to any data.
THRESHOLDS: dict[str, float] = {"exact": 1.0, "f1": 0.5, "bertscore": 0.8, "cosine": 0.8}


def _entities(texts: Iterable[str]) -> dict[str, list[Entity]]:
    """Entities of every distinct text."""
    unique = list(dict.fromkeys(texts))
    return dict(zip(unique, entities(unique), strict=True))


def _key(text: str) -> str:
    """An entity's words without case, article, possessive and punctuation."""
    plain = re.sub(r"['’]s\b", "", text.lower())
    return " ".join(word for word in re.findall(r"[\w]+", plain) if word not in ("the", "a", "an"))


def _stands_in(entity: Entity, source: str) -> bool:
    return f" {_key(entity.text)} " in f" {_key(source)} "


def _by_label(found: Sequence[Entity]) -> dict[str, list[Entity]]:
    groups: dict[str, list[Entity]] = {}
    for entity in found:
        groups.setdefault(entity.label, []).append(entity)
    return groups


class Ner(Metric):
    """Entities grouped by label, each matched with its best one of the same label in the source.

    similarity  of two entities
    measure     precision: the mean over the summary's entities; recall: over the source's; f1
    absent      entities of a label that the other side lacks count 0 (`zero`) or are left out
                (`skip`)
    mean        over all `entities`, or over the `labels`, of each one's mean
    normalise   what is done to entities before exact or f1 compare them (`align.Normalise`)
    default     the value where the outcome is no_claims (no entity in the summary) or no_content
                (no label in common; the parts count the entities of both sides); default: none
    truecase    auto: a summary without a capital letter takes the case of its source before
                entities are looked for; on: any does
    threshold   an entity whose match is under it is marked unsupported, unless its words occur in
                the source under another label; so is any number, in an entity or not, whose value
                the source does not have

    The preset `paper` is the code released with [MFAS]: the mean over the labels that both texts
    have, 1 where there is none. Its entities are those of a larger spaCy model.
    """

    name = "ner"
    bounds = (-1.0, 1.0)
    unit = "mean match of the summary's named entities with the source's of the same label"
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
    language = ENGLISH

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
        self._similarities = Similarities(similarity, model, normalise)
        self._absent: Absent = absent
        self._by_label = mean == "labels"
        self._truecase: TrueCase = truecase
        self._measure = measure
        self._threshold = THRESHOLDS[similarity] if threshold is None else threshold
        self._default = default
        self.resolved = {"threshold": self._threshold}

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        summaries = [with_case(e.summary, e.source, self._truecase) for e in examples]
        found = _entities([*summaries, *(example.source for example in examples)])
        self._similarities.prepare(entity.text for some in found.values() for entity in some)
        return [
            self._score(example, found[summary], found[example.source])
            for example, summary in zip(examples, summaries, strict=True)
        ]

    def _score(
        self, example: Example, summary: Sequence[Entity], source: Sequence[Entity]
    ) -> Score:
        if is_blank(example):
            return unscored(example, self.name, Outcome.NO_CONTENT)
        ours, theirs = _by_label(summary), _by_label(source)
        common = [label for label in ours if label in theirs]
        counts = {
            "summary_entities": float(len(summary)),
            "source_entities": float(len(source)),
            "common_labels": float(len(common)),
        }
        alignments = {
            label: align(
                self._similarities.matrix(
                    [entity.text for entity in ours[label]],
                    [entity.text for entity in theirs[label]],
                )
            )
            for label in common
        }
        spans = self._unmatched(example, ours, alignments)
        if not common:
            outcome = Outcome.NO_CONTENT if summary else Outcome.NO_CLAIMS
            return unscored(
                example,
                self.name,
                outcome,
                default=self._default,
                parts=counts,
                spans=spans,
                coverage=word_coverage(example),
            )
        parts = self._parts(ours, theirs, alignments)
        evidence = [
            Evidence(theirs[label][j].start, theirs[label][j].end, e.start, e.end, label, number)
            for label, found in alignments.items()
            for e, j, number in zip(ours[label], found.best_source, found.similarity, strict=True)
        ]
        return scored(
            example,
            self.name,
            parts[self._measure],
            parts=parts | counts,
            spans=spans,
            evidence=sorted(evidence, key=lambda item: item.summary_start),
            coverage=word_coverage(example),
        )

    def _parts(
        self,
        ours: Mapping[str, Sequence[Entity]],
        theirs: Mapping[str, Sequence[Entity]],
        alignments: Mapping[str, Alignment],
    ) -> dict[str, float]:
        skip = self._absent == "skip"
        if self._by_label:
            missing = [0.0] * (0 if skip else len(ours) - len(alignments))
            unmet = [0.0] * (0 if skip else len(theirs) - len(alignments))
            return {
                "precision": fmean([*(one.precision for one in alignments.values()), *missing]),
                "recall": fmean([*(one.recall for one in alignments.values()), *unmet]),
                "f1": fmean([*(one.f1 for one in alignments.values()), *missing]),
            }
        # Entities of a label that the other side lacks have no match: they count 0.
        counts = [
            sum(len(some) for label, some in side.items() if not skip or label in alignments)
            for side in (ours, theirs)
        ]
        precision = sum(sum(one.similarity) for one in alignments.values()) / counts[0]
        recall = sum(one.recall * len(theirs[k]) for k, one in alignments.items()) / counts[1]
        return {"precision": precision, "recall": recall, "f1": f1(precision, recall)}

    def _unmatched(
        self,
        example: Example,
        ours: dict[str, list[Entity]],
        alignments: dict[str, Alignment],
    ) -> list[Span]:
        spans: list[Span] = []
        for label, some in ours.items():
            found = alignments.get(label)
            similarity = found.similarity if found else (0.0,) * len(some)
            for entity, number in zip(some, similarity, strict=True):
                if number < self._threshold and not _stands_in(entity, example.source):
                    spans.append(Span(entity.start, entity.end, "unsupported", number))
        known = {value for _, value in numbers(example.source)}
        for word, value in numbers(example.summary):
            inside = any(span.start < word.end and word.start < span.end for span in spans)
            if value not in known and not inside:
                spans.append(Span(word.start, word.end, "unsupported", 0.0))
        return sorted(spans, key=lambda span: span.start)


class NerOverlap(Metric):
    """Share of the summary's named entities whose words stand in the source, under any label or
    none. No entity in the summary is `no_claims` and scores `default` (none unless given).
    `truecase` as in `ner`."""

    name = "ner_overlap"
    bounds = (0.0, 1.0)
    unit = "share of the summary's named entities that stand in the source"
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"truecase": "off"}}
    splitter = SPLITTER
    language = ENGLISH

    def __init__(self, default: float | None = None, truecase: TrueCase = "auto") -> None:
        self._default = default
        self._truecase: TrueCase = truecase

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        summaries = [with_case(e.summary, e.source, self._truecase) for e in examples]
        found = _entities(summaries)
        return [
            self._score(example, found[summary])
            for example, summary in zip(examples, summaries, strict=True)
        ]

    def _score(self, example: Example, summary: Sequence[Entity]) -> Score:
        if is_blank(example):
            return unscored(example, self.name, Outcome.NO_CONTENT)
        parts = {"summary_entities": float(len(summary))}
        if not summary:
            return unscored(
                example,
                self.name,
                Outcome.NO_CLAIMS,
                default=self._default,
                parts=parts,
                coverage=word_coverage(example),
            )
        missing = [entity for entity in summary if not _stands_in(entity, example.source)]
        return scored(
            example,
            self.name,
            1 - len(missing) / len(summary),
            parts=parts,
            spans=[Span(entity.start, entity.end, "unsupported", 0.0) for entity in missing],
            coverage=word_coverage(example),
        )
