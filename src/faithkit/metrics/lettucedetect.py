"""LettuceDetect: the probability of being hallucinated of each token of the summary
[methods §3]. The user names the weights; the model is in `models/checkpoints.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from faithkit.metrics.base import Metric
from faithkit.metrics.batch import score_unless_blank
from faithkit.metrics.checkpoints import column_of
from faithkit.metrics.marks import consecutive_runs, stripped
from faithkit.metrics.options import check_range
from faithkit.models.protocols import Floats, Ints, Layout, TokenClassifier, TokenLabels
from faithkit.records import (
    JSON,
    ConfigError,
    Coverage,
    Example,
    Outcome,
    Score,
    Span,
    scored,
    unscored,
)

LETTUCEDETECT = Layout(
    before="Summarize the following text:\npassage 1: ", between="\noutput:{pair}"
)

HALLUCINATED = frozenset(
    {"hallucinated", "hallucination", "unsupported", "inconsistent", "unfaithful", "incorrect"}
)
"""Label names in lower case that say that a probability is of this."""


def marked_spans(text: str, offsets: Ints, shares: Floats, threshold: float) -> list[Span]:
    """Runs of neighbouring tokens of a probability of at least `threshold`, without the white space
    around them, each scored with 1 less the greatest of its probabilities.

    offsets  [tokens, 2]; a token without characters is passed over
    shares   [tokens], probability of being hallucinated
    """
    real = offsets[:, 0] < offsets[:, 1]
    offsets, shares = offsets[real], shares[real]
    spans = []
    for run in consecutive_runs(np.flatnonzero(shares.astype(np.float64) >= threshold).tolist()):
        piece = stripped(text, int(offsets[run[0], 0]), int(offsets[run[-1], 1]))
        if piece.text:
            spans.append(Span(piece.start, piece.end, "unsupported", 1 - float(shares[run].max())))
    return spans


class LettuceDetect(Metric):
    """1 less how probably the summary is hallucinated, from a probability for each of its tokens
    (LettuceDetect, Kovács & Recski 2025).

    model      a token classifier of (context, answer)
    aggregate  `max`: the most suspicious token decides, as in the authors' verdict over an answer;
               `mean`: the mean over tokens
    context    tokens of source and summary together, as in their training; a longer source is cut
    label      which label says hallucinated: name or number; default: as the config says, else the
               second of two
    threshold  neighbouring tokens of at least this probability are a span, scored with 1 less the
               greatest of them

    Parts: `mean` and `maximum` of the tokens' probability of being hallucinated.
    """

    name = "lettucedetect"
    bounds = (0.0, 1.0)
    unit = "1 less the probability of being hallucinated, of the most suspicious token or the mean"
    limitations = (
        "You bring the weights: the adapter was tested on small random models, not on the "
        "published weights. By default a single token decides the value of the whole summary."
    )
    models: ClassVar[dict[str, str]] = {
        "model": "spans:KRLabsOrg/lettucedect-base-modernbert-en-v1"
    }

    def __init__(
        self,
        model: TokenClassifier,
        aggregate: Literal["max", "mean"] = "max",
        context: int = 4096,
        label: str | None = None,
        threshold: float = 0.5,
    ) -> None:
        if context < 1:
            raise ConfigError(f"{self.name}: context should be 1 or more tokens, found {context}")
        check_range(self.name, "threshold", threshold, self.bounds)
        self._model = model
        self._column = column_of(model.labels, HALLUCINATED, {2: 1}, label, self.name)
        self._aggregate: Literal["max", "mean"] = aggregate
        self._context = context
        self._threshold = threshold
        self.resolved: dict[str, JSON] = {"label": model.labels[self._column]}

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """See `Metric`."""
        return score_unless_blank(examples, self.name, self._score_all)

    def _score_all(self, examples: Sequence[Example]) -> list[Score]:
        unique = list(dict.fromkeys((example.source, example.summary) for example in examples))
        labelled = self._model.classify(unique, LETTUCEDETECT, context=self._context)
        by_pair = dict(zip(unique, labelled, strict=True))
        return [self._score(e, by_pair[e.source, e.summary]) for e in examples]

    def _score(self, example: Example, labels: TokenLabels) -> Score:
        coverage = Coverage(
            source_tokens=labels.source_tokens,
            source_tokens_cut=labels.source_cut,
            summary_tokens=labels.claim_tokens,
        )
        if labels.outcome is not Outcome.OK:
            return unscored(example, self.name, labels.outcome, coverage=coverage)
        shares = labels.probabilities[:, self._column]
        real = labels.offsets[:, 0] < labels.offsets[:, 1]
        if not real.any():
            return unscored(example, self.name, Outcome.NO_CLAIMS, coverage=coverage)
        of_words = shares[real].astype(np.float64)
        parts = {"mean": float(of_words.mean()), "maximum": float(of_words.max())}
        return scored(
            example,
            self.name,
            1 - parts["maximum" if self._aggregate == "max" else "mean"],
            parts=parts,
            spans=marked_spans(example.summary, labels.offsets, shares, self._threshold),
            coverage=coverage,
        )
