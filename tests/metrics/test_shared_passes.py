"""Metrics of one language model: a pair of texts goes through it once for all of them, whatever
their order, and no value depends on what ran before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.helpers import tiny_models

from faithkit.metrics import loading
from faithkit.metrics.base import Metric
from faithkit.metrics.probability import Coco
from faithkit.metrics.spec import MetricSpec
from faithkit.models.causal import CausalLM
from faithkit.models.protocols import Forced
from faithkit.records import Example
from faithkit.reproduce import recipes

pytestmark = pytest.mark.slow

EXAMPLES = [
    Example(f"{source}/{k}", tiny_models.text(source, 40), tiny_models.text(source + 5 * k, 4 + k))
    for source in range(2)
    for k in range(3)
]


def make() -> CausalLM:
    return CausalLM(tiny_models.llama(), tiny_models.tokenizer(), id="llama@000000000000")


def metrics_of(name: str, lm: CausalLM) -> list[Metric]:
    """The metrics of a recipe's table, with the stand-ins of their rows, on one model."""
    rows = recipes.load(name).rows
    texts = [(row.stand_in or row.metric).split("lm=")[0] + "lm=tiny" for row in rows]
    return [loading.load(MetricSpec.parse(text), lambda _: lm).metric for text in texts]


def tokens_of(lm: CausalLM) -> list[int]:
    """Tokens of every forward pass from here on."""
    seen: list[int] = []
    lm._model.base_model.register_forward_pre_hook(lambda _, args: seen.append(args[0].numel()))
    return seen


def values(metrics: Sequence[Metric]) -> list[list[float | None]]:
    return [[score.value for score in metric.score(EXAMPLES)] for metric in metrics]


@pytest.mark.parametrize("backwards", [False, True])
def test_the_ablations_of_fflm_cost_what_fflm_costs(backwards: bool) -> None:
    alone = make()
    alone._batch_tokens = 1  # one sequence at a time, so that padding is not counted
    seen = tokens_of(alone)
    values(metrics_of("fflm-table4", alone)[:1])
    lm = make()
    lm._batch_tokens = 1
    metrics = metrics_of("fflm-table4", lm)
    assert len(metrics) == 11
    together = tokens_of(lm)
    values(metrics[::-1] if backwards else metrics)
    assert sum(together) == sum(seen)


@pytest.mark.parametrize("name", ["fflm-table4", "fflm-table5"])
def test_a_metric_has_its_value_whatever_ran_before_on_its_model(name: str) -> None:
    together = values(metrics_of(name, make()))
    backwards = values(metrics_of(name, make())[::-1])[::-1]
    for number, (one, other) in enumerate(zip(together, backwards, strict=True)):
        (alone,) = values([metrics_of(name, make())[number]])
        assert one == pytest.approx(alone, abs=1e-6)
        assert other == pytest.approx(alone, abs=1e-6)


def test_cop_and_fflm_join_texts_alike_so_that_cop_costs_nothing_more() -> None:
    lm = make()
    bartscore, harim, cop, fflm = metrics_of("fflm-table5", lm)
    values([fflm])
    seen = tokens_of(lm)
    values([bartscore, harim, cop])
    assert seen == []


def test_coco_masks_the_part_of_the_source_that_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = make()
    asked: list[str] = []
    log_probs = lm.log_probs

    def recorded(pairs: Sequence[tuple[str, str]], *args: Any, **options: Any) -> list[Forced]:
        asked.extend(source for source, _ in pairs)
        return log_probs(pairs, *args, **options)

    monkeypatch.setattr(lm, "log_probs", recorded)
    source = tiny_models.text(1, 400)
    (score,) = Coco(lm, mask="token").score([Example("x", source, "zzz zzz")])
    assert score.coverage.source_tokens_cut > 0
    # Nothing is masked, so the second source is the part of the first that was seen.
    assert asked[0] == source and source.startswith(asked[1])
    assert len(lm._ids(asked[1])) == score.coverage.source_tokens
    assert score.value == pytest.approx(0, abs=1e-6)


def test_the_source_without_a_condition_runs_once_for_all_its_summaries() -> None:
    lm = make()
    (prior_x,) = [m for m in metrics_of("fflm-table4", lm) if m.name == "delta_prior_x"]
    lm._expected = frozenset()
    lm._batch_tokens = 1
    seen = tokens_of(lm)
    prior_x.score(EXAMPLES)
    # A pass over each of two sources alone, and one for each pair with the summary before it.
    assert len(seen) == 2 + len(EXAMPLES)
