"""`support`, the default metric: a trained verdict for every word, put together so that nothing
that is appended to a summary can raise its score.

The verdicts are the support model's (`support/model.py`); here they become a number, a verdict and
marked words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from faithkit.language.sentences import CLOSED_SPLITTER
from faithkit.language.words import is_content
from faithkit.metrics.base import Metric
from faithkit.metrics.plain import reads_plain_texts
from faithkit.models.protocols import ENGLISH, Ints, SentenceVerdict, SupportModel, Verdict
from faithkit.records import Evidence, Example, Outcome, Score, Span, is_blank, scored, unscored

POWER = 6.0
"""How much the worst sentence outweighs the others; chosen on the files of docs/results.md."""

STEEPNESS = 12.0
"""How fast doubt lowers the value; it changes no ranking. A share of .1 costs .01 of the value, one
of .4 more than half."""


MARKED = 0.16
"""Probability of being unsupported from which a word is marked. Most words are supported, so a
word at this probability is several times as doubtful as others: on documents kept out of training
73% (XSum) and 60% (WiCE) of the content words so marked were people's too (docs/results.md).
"""


def combine(shares: Sequence[float]) -> float:
    """exp(-STEEPNESS * (sum of u ** POWER) ** .5) over the sentences' unsupported shares u, each in
    0..1; 1 where there is none.

    A further sentence adds a term that is at least 0, so the sum never falls and the result never
    rises: that is why appended text cannot raise a score. ([STRESS] is what this answers.)
    """
    # Sorted, so that the order of sentences cannot show in the last digit; fsum for the same.
    total = math.fsum(sorted(share**POWER for share in shares))
    return math.exp(-STEEPNESS * math.sqrt(total))


class Support(Metric):
    """Every sentence of the summary is judged against the source sentences that say most about it.

    Texts are read in plain form (`language/normalise.py`): line breaks, Markdown and phrases like
    "Here is a summary:" change nothing; other languages than English are `unsupported_language`. A
    sentence
    that claims nothing ("The document discusses this.") counts as 0 unsupported, and a summary of
    nothing else is `no_claims`. `threshold`: the probability from which a word is
    marked. Parts: `probability` that the summary is consistent, as calibrated on labelled
    summaries; `verdict` 1 (consistent), 0 (not) or 0.5 (undecided, between the calibrated limits);
    `words`, one minus the mean probability of all words that they are unsupported, which padding
    can raise; `worst_sentence`; `entailment`, the sentences' mean; `sentences`, `claims`.
    """

    name = "support"
    bounds = (0.0, 1.0)
    unit = "support by the source: 1 where no word is doubted, falling with every doubted sentence"
    verdicts = True
    models: ClassVar[dict[str, str]] = {"model": "support:mini"}
    splitter = CLOSED_SPLITTER
    language = ENGLISH

    def __init__(self, model: SupportModel, threshold: float = MARKED) -> None:
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold should lie from 0 to 1, found {threshold}")
        self._model = model
        self._threshold = threshold

    @reads_plain_texts
    def score(self, examples: Sequence[Example]) -> list[Score]:
        verdicts = self._model.judge([(example.source, example.summary) for example in examples])
        return [self._score(one, found) for one, found in zip(examples, verdicts, strict=True)]

    def _score(self, example: Example, verdict: Verdict) -> Score:
        coverage = verdict.coverage
        if is_blank(example) or not coverage.source_sentences:
            return unscored(example, self.name, Outcome.NO_CONTENT, coverage=coverage)
        claims = [one for one in verdict.sentences if one.has_claim]
        value = value_of(verdict)
        spans, evidence = self._marks(example.summary, claims)
        counts = {"sentences": float(len(verdict.sentences)), "claims": float(len(claims))}
        if value is None:
            return unscored(example, self.name, Outcome.NO_CLAIMS, parts=counts, coverage=coverage)
        words = np.concatenate([one.unsupported for one in claims])
        decision = self._model.decision
        return scored(
            example,
            self.name,
            value,
            parts={
                "probability": decision.probability(value),
                "verdict": decision.verdict(value),
                "words": 1 - float(words.mean(dtype=np.float64)),
                "worst_sentence": min(combine([unsupported_share(one)]) for one in claims),
                "entailment": math.fsum(one.probabilities[0] for one in claims) / len(claims),
                **counts,
            },
            spans=spans,
            evidence=[*(item for one in claims for item in one.evidence), *evidence],
            coverage=coverage,
        )

    def _marks(
        self, summary: str, claims: Sequence[SentenceVerdict]
    ) -> tuple[list[Span], list[Evidence]]:
        """Words from the threshold up; those that follow each other are one span. Its score is
        their mean probability of being *supported*, as every score here: higher is better. With
        each the source sentence that is nearest to its words, if there is a source."""
        spans, evidence = [], []
        for one in claims:
            doubted = np.flatnonzero(one.unsupported.astype(np.float64) >= self._threshold)
            for run in np.split(doubted, np.flatnonzero(np.diff(doubted) > 1) + 1):
                offsets = one.words[run].tolist()
                if not any(is_content(summary[start:end]) for start, end in offsets):
                    continue
                start, end = offsets[0][0], offsets[-1][1]
                doubt = math.fsum(one.unsupported[run].tolist()) / len(run)
                spans.append(Span(start, end, "unsupported", 1 - doubt))
                if len(one.nearest):
                    evidence.append(_nearest(one, run, start, end))
        return spans, evidence


def _nearest(one: SentenceVerdict, run: Ints, start: int, end: int) -> Evidence:
    """The source sentence that most words of a run are nearest to, counted by how near."""
    votes: dict[tuple[int, int], list[float]] = {}
    for (low, high), nearness in zip(one.nearest[run].tolist(), one.nearness[run], strict=True):
        votes.setdefault((low, high), []).append(float(nearness))
    low, high = max(votes, key=lambda place: math.fsum(votes[place]))
    return Evidence(low, high, start, end, "marked words", max(votes[low, high]))


WORDS, SENTENCE, SIMILARITY = 0.2, 0.2, 0.6
"""Weights of a sentence's three doubts; chosen like POWER. The third lies in a narrow range."""

FUNCTION_WORD = 0.1
"""How much a function word counts beside a content word; chosen like POWER."""

SHORT, WHOLE = 6, 13
"""Words of a sentence that counts least, and of one that counts whole; chosen like POWER. The first
keeps a text from being doubted less and less the smaller the fragments it is cut into."""


def doubt(sentence: SentenceVerdict) -> float:
    """How much of a sentence is unsupported, 0..1: the weighted mean of the probability that a word
    is not supported, the probability that the sentence is not entailed, and the distance (one minus
    the similarity, see `support.evidence.similarities`) of its words from the evidence's nearest.
    So other text in a source changes it only where it changes the evidence."""
    weights = np.where(sentence.content, 1.0, FUNCTION_WORD)
    words, near = np.average(
        [sentence.unsupported, sentence.near_evidence], axis=1, weights=weights
    )
    distance = min(max(1 - near, 0.0), 1.0)
    return float(WORDS * words + SENTENCE * (1 - sentence.probabilities[0]) + SIMILARITY * distance)


def unsupported_share(sentence: SentenceVerdict) -> float:
    """The sentence's doubt, less where it is short, by the root of its length: it says less, and
    one that is split in two would else be doubted twice."""
    length = min(max(len(sentence.words), SHORT), WHOLE)
    return doubt(sentence) * math.sqrt(length / WHOLE)


def value_of(verdict: Verdict) -> float | None:
    """The metric's value; None where no sentence claims anything."""
    shares = [unsupported_share(one) for one in verdict.sentences if one.has_claim]
    return combine(shares) if shares else None
