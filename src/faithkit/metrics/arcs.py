"""`dae`: whether the source supports each pair of words that the summary's parse links
[Goyal & Durrett 2020]. The words are judged by the support model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from faithkit.language.case import TrueCase, with_case
from faithkit.language.parse import PARSER, Token, parse
from faithkit.language.sentences import CLOSED_SPLITTER
from faithkit.language.words import is_content
from faithkit.metrics.base import Metric
from faithkit.metrics.defaults import gives_default
from faithkit.metrics.options import check_range
from faithkit.metrics.plain import reads_plain_texts
from faithkit.models.protocols import ENGLISH, SentenceVerdict, SupportModel, Verdict
from faithkit.records import Example, Outcome, Score, Span, is_blank, scored, unscored


class Dae(Metric):
    """Arcs of the summary's dependency parse between content words, each with the probability that
    the source supports it: one minus the greater of the two probabilities with which the support
    model doubts its words. Function words are passed over: in "arrested on Monday" the arc is
    Monday–arrested. The value is the mean over the arcs; sentences that claim nothing have none.

    This is the arc-level baseline of Goyal & Durrett 2020 ("Evaluating Factuality in Generation
    with Dependency-level Entailment") judged by this package's word verdicts, not by their model.
    `threshold`: words of an arc whose probability is under it are marked; by default that of a
    word from which `support` shows it. Parts: `worst_arc`,
    `arcs`, `unsupported_arcs`. `truecase` as in `openie`, for the parse only.
    Degenerate: no arc is `no_claims`, a blank text `no_content`; both score `default` (none unless
    given).
    """

    name = "dae"
    bounds = (0.0, 1.0)
    unit = "mean probability that the source supports both words of a dependency arc"
    limitations = (
        "English only. Each word of an arc is judged, not the relation between the two: words that "
        "the source has, wrongly combined, are doubted only as far as the support model doubts "
        "them."
    )
    models: ClassVar[dict[str, str]] = {"model": "support:mini"}
    presets: ClassVar[dict[str, dict[str, str]]] = {"paper": {"truecase": "off"}}
    splitter = f"{PARSER}+{CLOSED_SPLITTER}"
    packages = ("spacy",)
    language = ENGLISH

    def __init__(
        self,
        model: SupportModel,
        threshold: float | None = None,
        default: float | None = None,
        truecase: TrueCase = "auto",
    ) -> None:
        check_range(self.name, "threshold", threshold, (0.0, 1.0))
        check_range(self.name, "default", default, self.bounds)
        self._model = model
        self._threshold = 1 - model.doubtful if threshold is None else threshold
        self.default = default
        self._truecase: TrueCase = truecase

    @gives_default
    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        verdicts = self._model.judge([(example.source, example.summary) for example in examples])
        summaries = [with_case(e.summary, e.source, self._truecase) for e in examples]
        unique = list(dict.fromkeys(summaries))
        parsed = dict(zip(unique, parse(unique), strict=True))
        return [
            self._score(example, verdict, parsed[summary])
            for example, verdict, summary in zip(examples, verdicts, summaries, strict=True)
        ]

    def _score(self, example: Example, verdict: Verdict, tokens: Sequence[Token]) -> Score:
        coverage = verdict.coverage
        if is_blank(example) or not coverage.source_sentences:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        claims = [sentence for sentence in verdict.sentences if sentence.has_claim]
        doubts = _doubts(tokens, claims)
        supported = [
            (child, head, 1 - max(doubts[child], doubts[head]))
            for child, head in arcs(tokens)
            if child in doubts and head in doubts
        ]
        parts = {"arcs": float(len(supported))}
        if not supported:
            return unscored(
                example,
                self.name,
                Outcome.NO_CLAIMS,
                parts=parts,
                coverage=coverage,
            )
        worst: dict[int, float] = {}
        for child, head, probability in supported:
            if probability < self._threshold:
                worst |= {i: min(probability, worst.get(i, 1.0)) for i in (child, head)}
        return scored(
            example,
            self.name,
            math.fsum(probability for _, _, probability in supported) / len(supported),
            parts=parts
            | {
                "worst_arc": min(probability for _, _, probability in supported),
                "unsupported_arcs": float(sum(p < self._threshold for _, _, p in supported)),
            },
            spans=[
                Span(tokens[index].start, tokens[index].end, "unsupported", worst[index])
                for index in sorted(worst)
            ],
            evidence=[item for sentence in claims for item in sentence.evidence],
            coverage=coverage,
        )


def arcs(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """(child, head) positions of content words that a parse links, function words passed over."""
    content = [is_content(token.text) for token in tokens]
    # For each token the nearest content word above it; None if absent.
    above: dict[int, int | None] = {}
    for index in range(len(tokens)):
        path = []
        current = index
        while current not in above:
            path.append(current)
            head = tokens[current].head
            if head == current or content[head]:
                above[current] = None if head == current else head
            else:
                current = head
        above |= dict.fromkeys(path, above[current])
    pairs = ((index, above[index]) for index in range(len(tokens)) if content[index])
    return [(child, head) for child, head in pairs if head is not None]


def _doubts(tokens: Sequence[Token], sentences: Sequence[SentenceVerdict]) -> dict[int, float]:
    """Position of each judged token to the greatest doubt of a word that it touches."""
    judged = sorted(
        (start, end, float(doubt))
        for sentence in sentences
        for (start, end), doubt in zip(sentence.words.tolist(), sentence.unsupported, strict=True)
    )
    doubts: dict[int, float] = {}
    first = 0
    for index, token in enumerate(tokens):
        while first < len(judged) and judged[first][1] <= token.start:
            first += 1
        next_word = first
        while next_word < len(judged) and judged[next_word][0] < token.end:
            doubts[index] = max(doubts.get(index, 0.0), judged[next_word][2])
            next_word += 1
    return doubts
