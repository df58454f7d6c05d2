"""The option `default`: the value of every row of outcome no_claims or no_content, whichever part
of the package found it so, and of no other row."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from faithkit.metrics.defaults import gives_default
from faithkit.models.runtime import Runtime
from faithkit.records import Example, Outcome, Score, unscored
from faithkit.run import prepare

SOURCE = "Paul Reed died in Leeds on Monday. He was 45."
GERMAN = "Der Rat hat am Montag den Plan für die neue Brücke über den Fluss nicht angenommen."
PHRASE = "Sure! Here is a summary:"
ROWS = [
    Example("nothing claimed", SOURCE, "Hm."),
    Example("phrase", SOURCE, PHRASE),
    Example("blank summary", SOURCE, " "),
    Example("blank source", "", "It rained."),
    Example("another language", SOURCE, GERMAN),
]
OUTCOMES = [
    Outcome.NO_CLAIMS,
    Outcome.NO_CLAIMS,
    Outcome.NO_CONTENT,
    Outcome.NO_CONTENT,
    Outcome.UNSUPPORTED_LANGUAGE,
]
METRICS = ["ner", "ner_overlap", "openie", "srl:similarity=f1", "dae", "qgqa"]


@pytest.mark.parametrize("label", METRICS)
def test_every_degenerate_row_has_the_default_and_its_outcome(label: str) -> None:
    with_option = f"{label}{',' if ':' in label else ':'}default=0.25"
    none, filled = (
        loaded.metric.score(ROWS)
        for loaded in prepare([label, with_option], Runtime("cpu", offline=True))
    )
    assert [score.outcome for score in none] == OUTCOMES
    assert [score.outcome for score in filled] == OUTCOMES
    assert [score.value for score in none] == [None] * 5
    assert [score.value for score in filled] == [0.25] * 4 + [None]


def test_a_failure_has_no_value() -> None:
    class Failing:
        default: float | None = 1.0

        @gives_default
        def score(self, examples: Sequence[Example]) -> list[Score]:
            return [unscored(example, "failing", Outcome.TIMEOUT) for example in examples]

    assert [score.value for score in Failing().score(ROWS)] == [None] * 5
