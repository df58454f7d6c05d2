"""Metrics over items of both texts (entities, triples, phrases) that are aligned within their group
[MFAS §3]. What the items are, and what is made of the alignments, is for the subclasses: `ner`
(`facts.py`), `openie` and `srl`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from faithkit.language.case import TrueCase, with_case
from faithkit.language.clauses import Names, Pieces
from faithkit.language.coreference import antecedents, coreference_name
from faithkit.language.parse import Token, parse
from faithkit.language.words import is_content, word_coverage, words
from faithkit.metrics.align import (
    COSINES,
    Alignment,
    Normalise,
    Similarities,
    Similarity,
    align,
)
from faithkit.metrics.base import Metric
from faithkit.metrics.batch import map_in_chunks
from faithkit.metrics.defaults import gives_default
from faithkit.metrics.marks import best_matches, consecutive_runs
from faithkit.metrics.options import check_range
from faithkit.metrics.plain import reads_plain_texts
from faithkit.models.protocols import ENGLISH, SentenceEmbedder, TokenEncoder
from faithkit.records import (
    JSON,
    Coverage,
    Example,
    Outcome,
    Score,
    Span,
    is_blank,
    scored,
    unscored,
)


class Item(NamedTuple):
    """What is aligned: its words, the characters of its pieces, and for triples what must be equal
    for two to be the same."""

    text: str
    pieces: Pieces
    key: tuple[str, str, str] = ("", "", "")

    @property
    def start(self) -> int:
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        return max(end for _, end in self.pieces)


Groups = Mapping[str, Sequence[Item]]
"""Items by group: a label, a role, or "" for all."""


class Extraction(NamedTuple):
    """The items of one text.

    outcome  ok, or why there are none
    cut      sentences that an extractor could not take
    """

    groups: Groups
    outcome: Outcome = Outcome.OK
    cut: int = 0

    def total(self) -> float:
        """How many items there are."""
        return float(sum(map(len, self.groups.values())))


class AlignedMetric(Metric):
    """Aligns the items of the summary with those of the source in the same group.

    A subclass gives `thresholds`, `_extract` and `_parts`; the part `measure` is the value.
    """

    language: str | None = ENGLISH
    thresholds: ClassVar[Mapping[str, float]]
    """By similarity: an item whose match is under it is marked as unsupported."""

    def __init__(
        self,
        model: SentenceEmbedder | TokenEncoder | None,
        similarity: Similarity,
        measure: str,
        threshold: float | None,
        default: float | None,
        truecase: TrueCase,
        normalise: Normalise,
        coreference: str | None = None,
    ) -> None:
        check_range(self.name, "threshold", threshold, COSINES)
        check_range(self.name, "default", default, self.bounds)
        self._similarities = Similarities(similarity, model, normalise)
        self._measure = measure
        self._threshold = self.thresholds[similarity] if threshold is None else threshold
        self.default = default
        self._truecase: TrueCase = truecase
        self._coreference = coreference
        self.resolved: dict[str, JSON] = {"threshold": self._threshold}
        if coreference is not None:
            self.resolved["coreference"] = coreference_name(coreference)

    @gives_default
    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        return map_in_chunks(examples, self._score_chunk)

    def _score_chunk(self, examples: Sequence[Example]) -> list[Score]:
        summaries = [with_case(e.summary, e.source, self._truecase) for e in examples]
        texts = list(dict.fromkeys([*summaries, *(e.source for e in examples)]))
        extracted = dict(zip(texts, self._extract(texts), strict=True))
        self._similarities.prepare(
            item.text
            for extraction in extracted.values()
            for items in extraction.groups.values()
            for item in items
        )
        return [
            self._score(example, extracted[summary], extracted[example.source])
            for example, summary in zip(examples, summaries, strict=True)
        ]

    def _extract(self, texts: Sequence[str]) -> list[Extraction]:
        """The items of each text."""
        raise NotImplementedError

    def _parts(
        self, alignments: Mapping[str, Alignment], summary: Extraction, source: Extraction
    ) -> dict[str, float]:
        """The parts of the score, from the alignments of the groups that both texts have."""
        raise NotImplementedError

    def _parsed(self, texts: Sequence[str]) -> Iterator[tuple[str, list[Token], Names | None]]:
        """Each text with its tokens and the antecedents of its pronouns."""
        parsed = parse(texts)
        if self._coreference is None:
            yield from zip(texts, parsed, [None] * len(texts), strict=True)
            return
        resolved = antecedents(texts, self._coreference)
        for text, tokens, names in zip(texts, parsed, resolved, strict=True):
            possessive = {token.start for token in tokens if token.tag in ("PRP$", "WP$")}
            yield (
                text,
                tokens,
                {
                    start: (end, f"{name}'s" if start in possessive else name)
                    for start, (end, name) in names.items()
                },
            )

    def _score(self, example: Example, summary: Extraction, source: Extraction) -> Score:
        if is_blank(example):
            return unscored(example, self.name, Outcome.NO_CONTENT)
        coverage = word_coverage(example)
        if source.cut:
            coverage = Coverage(
                source_tokens=coverage.source_tokens,
                summary_tokens=coverage.summary_tokens,
                source_sentences_cut=source.cut,
            )
        if failed := _failure(summary, source):
            return unscored(example, self.name, failed, coverage=coverage)
        alignments = {
            group: align(
                self._similarities.matrix(
                    [item.text for item in items], [item.text for item in source.groups[group]]
                )
            )
            for group, items in summary.groups.items()
            if group in source.groups
        }
        parts = self._parts(alignments, summary, source)
        spans = self._unmatched(example, summary.groups, alignments)
        if not alignments or self._measure not in parts:
            outcome = Outcome.NO_CONTENT if summary.groups else Outcome.NO_CLAIMS
            return unscored(
                example,
                self.name,
                outcome,
                parts=parts,
                spans=spans,
                coverage=coverage,
            )
        evidence = [
            match
            for group, alignment in alignments.items()
            for match in best_matches(
                summary.groups[group],
                source.groups[group],
                alignment.best_source,
                alignment.similarity,
                group or "best match",
            )
        ]
        return scored(
            example,
            self.name,
            parts[self._measure],
            parts=parts,
            spans=spans,
            evidence=sorted(evidence, key=lambda item: (item.summary_start, item.summary_end)),
            coverage=coverage,
        )

    def _unmatched(
        self, example: Example, groups: Groups, alignments: Mapping[str, Alignment]
    ) -> list[Span]:
        """Words of items under the threshold that are in no item above it, neighbours joined; the
        score is that of the worst."""
        worst: dict[int, float] = {}
        matched: set[int] = set()
        segments = words(example.summary)
        for item, similarity in with_similarity(groups, alignments):
            covered = [
                index
                for index, word in enumerate(segments)
                if any(start < word.end and word.start < end for start, end in item.pieces)
            ]
            if similarity >= self._threshold:
                matched.update(covered)
            else:
                worst |= {index: min(similarity, worst.get(index, 1.0)) for index in covered}
        return [
            Span(
                segments[run[0]].start,
                segments[run[-1]].end,
                "unsupported",
                min(worst[index] for index in run),
            )
            for run in consecutive_runs(sorted(worst.keys() - matched))
            if any(is_content(segments[index].text) for index in run)
        ]


def with_similarity(
    groups: Groups, alignments: Mapping[str, Alignment]
) -> Iterator[tuple[Item, float]]:
    """Every item of the summary with the similarity of its best match; 0 in a group that the source
    lacks."""
    for group, items in groups.items():
        aligned = alignments.get(group)
        yield from zip(items, aligned.similarity if aligned else (0.0,) * len(items), strict=True)


def _failure(summary: Extraction, source: Extraction) -> Outcome | None:
    """Why the items of a text are missing; a summary that was cut is not scored."""
    for extraction in (summary, source):
        if extraction.outcome is not Outcome.OK:
            return extraction.outcome
    return Outcome.TRUNCATED_SUMMARY if summary.cut else None
