"""`support`, the default metric: the probability that every sentence of a summary is supported by
its source, with the words that are not.

The verdicts are the support model's (`support/model.py`); here they become a number, a verdict and
marked words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from faithkit.language.sentences import CLOSED_SPLITTER
from faithkit.metrics.base import Metric
from faithkit.metrics.marked_words import Mark, find_marks
from faithkit.metrics.options import check_range
from faithkit.metrics.plain import reads_plain_texts
from faithkit.models.protocols import ENGLISH, SentenceVerdict, SupportModel, Verdict
from faithkit.records import (
    LEAST_SUPPORTED,
    Evidence,
    Example,
    Outcome,
    Score,
    Span,
    is_blank,
    scored,
    unscored,
)


class Support(Metric):
    """Splits the summary into sentences, selects the most relevant source sentences for each, and
    judges every word and sentence against them.

    Markdown, phrases such as "Here is a summary:", stray marks after a sentence and line breaks of
    text wrapped at 40 columns or more do not change the value; of shorter lines those do not that
    go on in small letters. Sentences without a claim ("The document discusses this.", "Yes.",
    "Something happened.") are ignored; a summary without any claim is `no_claims`.
    Texts in other languages than English are `unsupported_language`.

    model      the support model
    threshold  mark words whose probability of being unsupported is at least this; by default the
               model's own threshold

    Parts:
    verdict         1 consistent, 0 not consistent, 0.5 undecided
    worst_sentence  the lowest probability that a sentence is supported
    entailment      the mean entailment probability of the sentences
    words           one minus the mean probability that a word is unsupported
    sentences       how many sentences there are
    claims          how many of them make a claim
    """

    name = "support"
    bounds = (0.0, 1.0)
    unit = "probability that the source supports every sentence of the summary"
    limitations = (
        "English only. Many paraphrasing summaries get the verdict 'undecided'; on kinds of text "
        "unlike those it learned from, and on swapped names and roles, it is often wrong. The "
        "value is that all sentences are supported: a longer summary has a lower one."
    )
    verdicts = True
    models: ClassVar[dict[str, str]] = {"model": "support:mini"}
    splitter = CLOSED_SPLITTER
    language = ENGLISH

    def __init__(self, model: SupportModel, threshold: float | None = None) -> None:
        check_range(self.name, "threshold", threshold, self.bounds)
        self._model = model
        self._threshold = model.marked if threshold is None else threshold

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        verdicts = self._model.judge([(example.source, example.summary) for example in examples])
        return [
            self._score(example, verdict)
            for example, verdict in zip(examples, verdicts, strict=True)
        ]

    def _score(self, example: Example, verdict: Verdict) -> Score:
        coverage = verdict.coverage
        if is_blank(example) or not coverage.source_sentences:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        claims = [sentence for sentence in verdict.sentences if sentence.has_claim]
        counts = {"sentences": float(len(verdict.sentences)), "claims": float(len(claims))}
        if not claims:
            return unscored(example, self.name, Outcome.NO_CLAIMS, parts=counts, coverage=coverage)
        value = self._model.decision.all_supported([sentence.supported for sentence in claims])
        words = np.concatenate([sentence.unsupported for sentence in claims])
        if not (math.isfinite(value) and np.isfinite(words).all()):
            return unscored(example, self.name, Outcome.MODEL_ERROR, coverage=coverage)
        spans, evidence = self._marks(example.summary, claims)
        return scored(
            example,
            self.name,
            value,
            parts={
                "verdict": self._model.decision.verdict(value),
                "words": 1 - float(words.mean(dtype=np.float64)),
                "worst_sentence": min(sentence.supported for sentence in claims),
                "entailment": math.fsum(s.probabilities[0] for s in claims) / len(claims),
                **counts,
            },
            spans=spans,
            evidence=[
                *(item for sentence in claims for item in sentence.evidence),
                *evidence,
                *self._least_supported(claims, spans, value),
            ],
            coverage=coverage,
        )

    def _marks(
        self, summary: str, claims: Sequence[SentenceVerdict]
    ) -> tuple[list[Span], list[Evidence]]:
        """The marks (`marked_words.py`). The score of each is the mean probability that its words
        are *supported*, as every score here: higher is better. With each the evidence sentence that
        is nearest to its words, if there is a source."""
        spans, evidence = [], []
        for sentence in claims:
            unsupported = sentence.unsupported.astype(np.float64)
            for mark in find_marks(summary, sentence, self._threshold):
                probability = math.fsum(unsupported[mark.words].tolist()) / len(mark.words)
                spans.append(Span(mark.start, mark.end, "unsupported", 1 - probability))
                if len(sentence.nearest):
                    evidence.append(_nearest(sentence, mark))
        return spans, evidence

    def _least_supported(
        self, claims: Sequence[SentenceVerdict], spans: Sequence[Span], value: float
    ) -> list[Evidence]:
        """Where the verdict is not "consistent" and the least supported sentence has no mark that
        would show it, the evidence that has most of its words once more, labelled
        LEAST_SUPPORTED."""
        least = min(claims, key=lambda sentence: sentence.supported)
        marked = any(least.start < span.end and span.start < least.end for span in spans)
        if self._model.decision.verdict(value) == 1 or marked or not least.evidence:
            return []
        best = max(least.evidence, key=lambda evidence: evidence.score or 0)
        return [
            Evidence(best.start, best.end, least.start, least.end, LEAST_SUPPORTED,
                     least.supported)
        ]  # fmt: skip


def _nearest(sentence: SentenceVerdict, mark: Mark) -> Evidence:
    """The evidence sentence that most words of a mark are nearest to, and the share of them; its
    function words count where there are no others."""
    content = sentence.content[mark.words]
    counted = mark.words[content] if content.any() else mark.words
    votes = Counter(map(tuple, sentence.nearest[counted].tolist()))
    (low, high), count = votes.most_common(1)[0]
    return Evidence(low, high, mark.start, mark.end, "marked words", count / len(counted))
