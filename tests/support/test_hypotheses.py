"""The support model as an entailment model: what is said of a hypothesis of several sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from faithkit import Example, Outcome
from faithkit.metrics.entailment import MnliDoc
from faithkit.models.protocols import EntailmentModel, SentenceVerdict, Verdict
from faithkit.records import Coverage
from faithkit.support.entailment import SupportEntailment


class Judge:
    """A support model that judges "|"-separated sentences by a table."""

    id = "support@000000000000"

    def __init__(self) -> None:
        self.calls: list[list[tuple[str, str]]] = []

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        self.calls.append(list(pairs))
        return [self._one(*pair) for pair in pairs]

    def _one(self, source: str, summary: str) -> Verdict:
        table = {
            "yes": (0.9, 0.1, 0.0),
            "mostly": (0.4, 0.25, 0.35),
            "unsaid": (0.05, 0.9, 0.05),
            "no": (0.1, 0.3, 0.6),
            "greeting": (0.0, 0.2, 0.8),
            "broken": (np.nan, 0.0, 0.0),
        }
        sentences = tuple(
            SentenceVerdict(
                0, 1, name != "greeting", table[name], 0.5, np.zeros((0, 2), int), np.zeros(0), ()
            )
            for name in summary.split("|")
            if name in table
        )
        cut = 5 if summary == "yes|cut" else 0
        coverage = Coverage(
            source_tokens=7, source_tokens_cut=2, summary_tokens=3, summary_tokens_cut=cut
        )
        return Verdict(sentences, coverage)


def test_a_support_model_judges_hypotheses() -> None:
    judge = Judge()
    model = SupportEntailment(judge)
    assert isinstance(model, EntailmentModel) and model.id == judge.id
    summaries = ["yes", "yes|no", "", "broken", "yes|cut", "yes"]
    found = model.predict([("source", summary) for summary in summaries])
    assert found[0].probabilities == (0.9, 0.1, 0.0)
    assert found[1].probabilities == pytest.approx((0.1, 0.3, 0.6))
    assert [one.outcome for one in found[2:5]] == [
        Outcome.NO_CLAIMS,
        Outcome.MODEL_ERROR,
        Outcome.TRUNCATED_SUMMARY,
    ]
    assert found[5] == found[0]
    assert all(one.probabilities == (0.0, 0.0, 0.0) for one in found[2:5])
    assert (found[0].premise_tokens, found[0].premise_cut, found[0].hypothesis_tokens) == (7, 2, 3)
    assert len(judge.calls) == 1 and len(judge.calls[0]) == 5
    assert model.predict([]) == []


@pytest.mark.parametrize(
    ("summary", "probabilities"),
    [
        ("yes|yes|yes", (0.9, 0.1, 0.0)),
        # However much that holds is put around it, one contradicted sentence decides.
        ("yes|yes|yes|no", (0.1, 0.3, 0.6)),
        ("no|yes", (0.1, 0.3, 0.6)),
        # Least entailment of one sentence, greatest contradiction of another, the rest neutral.
        ("mostly|unsaid", (0.05, 0.6, 0.35)),
        # A sentence that claims nothing does not count beside one that does.
        ("yes|greeting", (0.9, 0.1, 0.0)),
        ("greeting", (0.0, 0.2, 0.8)),
    ],
)
def test_a_hypothesis_is_entailed_as_a_whole(
    summary: str, probabilities: tuple[float, float, float]
) -> None:
    model = SupportEntailment(Judge())
    (entailed,) = model.predict([("source", summary)])
    assert entailed.probabilities == pytest.approx(probabilities)
    (score,) = MnliDoc(model).score([Example("x", "source", summary)])
    assert score.value == pytest.approx(probabilities[0])
    parts = ("entailment", "neutral", "contradiction")
    assert score.parts == pytest.approx(dict(zip(parts, probabilities, strict=True)))
