"""`dae` and the arcs of a parse, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from faithkit import Example, Outcome
from faithkit.language.parse import parse
from faithkit.language.words import words
from faithkit.metrics.arcs import Dae, arcs
from faithkit.models.protocols import Decision, SentenceVerdict, Verdict
from faithkit.records import Coverage

pytestmark = pytest.mark.slow


SOURCE = "Acme bought Globex in 2019. The council approved the plan."


def marked(text: str, spans: Sequence[Any]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


class Doubter:
    """Satisfies `SupportModel`: doubts these words; the second sentence claims nothing."""

    id = "doubter@0"
    decision = Decision(0.4, 0.6)
    marked = 0.5
    doubtful = 0.5

    def __init__(self, **doubts: float) -> None:
        self.doubts = doubts

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        return [self._verdict(summary) for _, summary in pairs]

    def _verdict(self, summary: str) -> Verdict:
        sentences = []
        for number, part in enumerate(summary.split(". ")):
            shift = summary.index(part)
            own = [word for word in words(part) if word.text.isalnum()]
            sentences.append(
                SentenceVerdict(
                    start=shift,
                    end=shift + len(part),
                    has_claim=number == 0,
                    probabilities=(1.0, 0.0, 0.0),
                    supported=1.0,
                    words=np.array([(shift + w.start, shift + w.end) for w in own]),
                    unsupported=np.array([self.doubts.get(w.text, 0.0) for w in own]),
                    evidence=(),
                )
            )
        return Verdict(tuple(sentences), Coverage(source_sentences=1))


def test_arcs_pass_over_function_words() -> None:
    (tokens,) = parse(["Police arrested two men on Monday."])
    shown = [(tokens[child].text, tokens[head].text) for child, head in arcs(tokens)]
    assert shown == [
        ("Police", "arrested"),
        ("two", "men"),
        ("men", "arrested"),
        ("Monday", "arrested"),
    ]


def test_dae_by_hand() -> None:
    summary = "Police arrested two men on Monday. Dogs bark."
    metric = Dae(Doubter(two=0.6, men=0.1, Monday=0.9, Dogs=1.0))
    (score,) = metric.score([Example("x", SOURCE, summary)])
    # Police–arrested 1, two–men .4, men–arrested .9, Monday–arrested .1.
    assert score.value == pytest.approx((1 + 0.4 + 0.9 + 0.1) / 4)
    assert score.parts == pytest.approx({"arcs": 4, "worst_arc": 0.1, "unsupported_arcs": 2})
    assert marked(summary, score.spans) == ["arrested", "two", "men", "Monday"]
    assert [span.score for span in score.spans] == pytest.approx([0.1, 0.4, 0.4, 0.1])


def test_dae_without_an_arc_is_no_claims() -> None:
    (plain,) = Dae(Doubter()).score([Example("x", SOURCE, "Leeds")])
    (filled,) = Dae(Doubter(), default=1.0).score([Example("x", SOURCE, "Leeds")])
    assert (plain.value, plain.outcome) == (None, Outcome.NO_CLAIMS)
    assert (filled.value, filled.outcome) == (1.0, Outcome.NO_CLAIMS)
