"""`srl` by hand, with a labeller and on the parse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from faithkit import Example, Outcome
from faithkit.language.words import words
from faithkit.metrics.srl import Srl
from faithkit.models.protocols import Labelled

pytestmark = pytest.mark.slow


def marked(text: str, spans: Sequence[Any]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def test_srl_aligns_within_a_role_and_means_over_roles() -> None:
    source = "Anna met Ben in Leeds."
    # who: Ben against Anna, 0; what: Anna against Ben, 0; where: "in Leeds", 1.
    example = Example("x", source, "Ben met Anna in Leeds.")
    (apart,) = Srl(similarity="f1").score([example])
    assert apart.value == pytest.approx(1 / 3)
    assert [apart.parts[role] for role in ("who", "what", "where")] == [0, 0, 1]
    (together,) = Srl(similarity="f1", roles=False).score([example])
    assert together.value == pytest.approx(1.0)
    assert marked(example.summary, apart.spans) == ["Ben", "Anna"]
    assert marked(example.summary, together.spans) == []


def test_srl_a_role_the_source_lacks_counts_0() -> None:
    (score,) = Srl(similarity="f1").score([Example("x", "Anna met Ben.", "Anna met Ben today.")])
    assert score.value == pytest.approx(2 / 3)
    assert score.parts["when"] == 0
    assert score.parts["recall"] == pytest.approx(1.0)


def test_srl_skips_a_role_the_source_lacks_with_the_option() -> None:
    example = Example("x", "Anna met Ben.", "Anna met Ben today.")
    (score,) = Srl(similarity="f1", absent="skip").score([example])
    assert score.value == pytest.approx(1.0)


def test_srl_keeps_verbs_negations_and_adverbials_with_the_option() -> None:
    source, summary = "Anna met Ben.", "However, Anna did not see Ben."
    (arguments,) = Srl(similarity="f1").score([Example("x", source, summary)])
    (every,) = Srl(similarity="f1", phrases="all").score([Example("x", source, summary)])
    assert arguments.value == pytest.approx(1.0)
    # who 1, what 1; verb "see" 0 against "met"; negation and how have nothing in the source.
    assert every.value == pytest.approx(2 / 5)
    assert [every.parts[role] for role in ("who", "what", "verb", "negation", "how")] == [
        1, 1, 0, 0, 0,
    ]  # fmt: skip


def test_srl_keeps_a_verb_without_a_phrase() -> None:
    (score,) = Srl(similarity="f1", phrases="all").score([Example("x", "Leave!", "Leave!")])
    assert (score.value, score.parts["verb"]) == (1.0, 1.0)


def test_srl_with_a_labeller_keeps_its_verbs() -> None:
    (score,) = Srl(extractor=Labeller(), similarity="f1", phrases="all").score(
        [Example("x", "Anna left. Anna met Ben today.", "Anna left Ben yesterday.")]
    )
    assert (score.parts["who"], score.parts["verb"], score.parts["when"]) == (1.0, 1.0, 0.0)


class Labeller:
    """Satisfies `RoleLabeller`: the first word is ARG0, the last the time."""

    id = "labeller@0"

    def __init__(self, outcome: Outcome = Outcome.OK) -> None:
        self.outcome = outcome

    def label(self, requests: Sequence[tuple[str, int, int]]) -> list[Labelled]:
        found = []
        for sentence, start, end in requests:
            assert sentence[start:end] in ("met", "left")
            parts = words(sentence.rstrip("."))
            phrases = (
                (parts[0].start, parts[0].end, "ARG0"),
                (start, end, "V"),
                (parts[-1].start, parts[-1].end, "ARGM-TMP"),
            )
            ok = self.outcome is Outcome.OK
            found.append(Labelled(self.outcome, phrases if ok else ()))
        return found


def test_srl_with_a_labeller_uses_its_phrases_at_their_place() -> None:
    source, summary = "Anna left. Anna met Ben today.", "Anna left Ben yesterday."
    (score,) = Srl(extractor=Labeller(), similarity="f1").score([Example("x", source, summary)])
    assert (score.parts["who"], score.parts["when"]) == (1.0, 0.0)
    assert marked(summary, score.spans) == ["yesterday"]
    assert {source[item.start : item.end] for item in score.evidence} == {"Anna", "left"}


@pytest.mark.parametrize("outcome", [Outcome.MODEL_ERROR, Outcome.TRUNCATED_SUMMARY])
def test_srl_with_a_labeller_that_fails_is_an_outcome(outcome: Outcome) -> None:
    metric = Srl(extractor=Labeller(outcome), similarity="f1")
    (score,) = metric.score([Example("x", "Anna met Ben.", "Anna left Ben.")])
    assert (score.value, score.outcome) == (None, outcome)
