"""openie, srl and dae by hand; truecasing; coreference; the CoreNLP server; the role labeller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.helpers.load_metric import load_metric

from faithkit import Example, Outcome
from faithkit.metrics.openie import OpenIe, match_rates
from faithkit.metrics.options import options_of
from faithkit.metrics.spec import MetricSpec
from faithkit.metrics.srl import Srl

pytestmark = pytest.mark.slow


SOURCE = "Acme bought Globex in 2019. The council approved the plan."


def marked(text: str, spans: Sequence[Any]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def test_openie_by_hand() -> None:
    # Source: Acme bought Globex; Acme bought in 2019; The council approved the plan.
    # Summary: Acme bought Globex (1); Acme bought in 2018: 3 of 4 words each (.75).
    summary = "Acme bought Globex in 2018."
    (score,) = OpenIe().score([Example("x", SOURCE, summary)])
    assert score.value == pytest.approx((1 + 0.75) / 2)
    # Recall: 1 and .75; of the third triple "The council approved the plan" no word.
    assert score.parts["recall"] == pytest.approx((1 + 0.75 + 0) / 3)
    # "bought in 2018" has its subject and relation in the source, with another object.
    counts = {key: score.parts[key] for key in ("hits", "wrong", "missed", "rmr1", "rmr2")}
    assert counts == {"hits": 1, "wrong": 1, "missed": 0, "rmr1": 0.5, "rmr2": 0.5}
    assert (score.parts["summary_triples"], score.parts["source_triples"]) == (2, 3)


def test_openie_links_and_marks_triples() -> None:
    summary = "Acme bought Globex. Floods hit Spain."
    (score,) = OpenIe().score([Example("x", SOURCE, summary)])
    assert score.value == pytest.approx(0.5)
    assert marked(summary, score.spans) == ["Floods hit Spain"]
    first = score.evidence[0]
    assert SOURCE[first.start : first.end] == "Acme bought Globex"
    assert summary[first.summary_start : first.summary_end] == "Acme bought Globex"
    assert first.score == 1.0


def test_openie_matches_a_passive_with_its_active() -> None:
    (score,) = OpenIe().score([Example("x", SOURCE, "The plan was approved by the council.")])
    assert score.value == pytest.approx(1.0)
    assert score.parts["rmr1"] == 1.0


def test_openie_does_not_take_a_reversed_role_for_a_hit() -> None:
    example = Example("x", "Smith was attacked in Paris.", "Smith attacked in Paris.")
    (score,) = OpenIe(measure="rmr2").score([example])
    assert (score.value, score.parts["hits"]) == (0.0, 0)


def test_openie_does_not_take_a_denial_for_a_hit() -> None:
    (score,) = OpenIe().score([Example("x", SOURCE, "The council did not approve the plan.")])
    assert score.parts["hits"] == 0


@pytest.mark.parametrize(
    ("source", "summary", "outcome"),
    [
        (SOURCE, "A plan for Globex.", Outcome.NO_CLAIMS),
        ("A plan for Globex.", "Acme bought Globex.", Outcome.NO_CONTENT),
    ],
)
@pytest.mark.parametrize("metric", [OpenIe, Srl])
def test_degenerate_cases_are_outcomes_with_an_optional_default(
    metric: Any, source: str, summary: str, outcome: Outcome
) -> None:
    (plain,) = metric(similarity="f1").score([Example("x", source, summary)])
    (filled,) = metric(similarity="f1", default=0.25).score([Example("x", source, summary)])
    assert (plain.value, plain.outcome) == (None, outcome)
    assert (filled.value, filled.outcome) == (0.25, outcome)


def test_relation_matching_rates_by_hand() -> None:
    source = [("a", "buy", "b"), ("c", "sell", "d")]
    summary = [
        ("a", "buy", "b"),  # hit
        ("a", "buy", "x"),  # another object: wrong
        ("x", "sell", "d"),  # another subject: wrong
        ("a", "sell", "b"),  # neither pair is there: missed
    ]
    assert match_rates(summary, source) == (1, 2, 1)
    assert match_rates([], source) == (0, 0, 0)


def test_openie_is_made_from_a_request_and_reads_a_batch_as_it_reads_one() -> None:
    metric, signature, _ = load_metric("openie:similarity=exact,measure=recall", _fail)
    assert signature.models == {}
    assert (signature.options["similarity"], signature.options["threshold"]) == ("exact", 1.0)
    one = Example("x", SOURCE, "Acme bought Globex in 2018.")
    other = Example("y", "It rained.", "It rained in Leeds.")
    together = [score.value for score in metric.score([other, one])]
    assert together == [metric.score([other])[0].value, metric.score([one])[0].value]


def _fail(spec: str) -> Any:
    raise AssertionError(f"{spec} is not needed")


def test_facts_normalise() -> None:
    example = Example("x", "Anna met the U.S. envoy.", "Anna met a US envoy.")
    for metric, plain in ((OpenIe, 2 * 3 / 10), (Srl, (1 + 2 / 6) / 2)):
        none, squad = (
            metric(similarity="f1", normalise=how).score([example])[0] for how in ("none", "squad")
        )
        assert (none.value, squad.value) == pytest.approx((plain, 1.0))


def test_openie_gives_the_relation_matching_rates_as_its_value() -> None:
    summary = "Acme bought Globex in 2018. Floods hit Spain."
    rmr1, rmr2 = (
        OpenIe(measure=measure).score([Example("x", SOURCE, summary)])[0]
        for measure in ("rmr1", "rmr2")
    )
    spec = MetricSpec.parse("openie:measure=rmr1")
    assert options_of(spec, OpenIe).typed == {"measure": "rmr1"}
    # One hit, one wrong, one missed.
    assert (rmr1.value, rmr2.value) == pytest.approx((1 / 2, 1 / 3))


def test_openie_without_a_hit_or_a_contradiction_has_no_rmr1() -> None:
    example = Example("x", SOURCE, "Floods hit Spain.")
    (none,) = OpenIe(measure="rmr1").score([example])
    (filled,) = OpenIe(measure="rmr1", default=0.0).score([example])
    (rmr2,) = OpenIe(measure="rmr2").score([example])
    assert (none.value, none.outcome) == (None, Outcome.NO_CONTENT)
    assert (filled.value, filled.outcome) == (0.0, Outcome.NO_CONTENT)
    assert (rmr2.value, rmr2.outcome) == (0.0, Outcome.OK)
