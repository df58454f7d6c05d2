"""Options that no run could use are refused before a text is read."""

from __future__ import annotations

from typing import Any

import pytest
from tests.helpers.load_metric import load_metric

from faithkit.metrics import loading
from faithkit.records import ConfigError


class Fake:
    """Stands for a model that was loaded by name."""

    marked = 0.5
    doubtful = 0.5

    def __init__(self, spec: str) -> None:
        self.id = f"{spec}@0123456789ab"


@pytest.mark.parametrize(
    ("request_text", "found"),
    [
        ("ner:default=7", "default should lie from -1 to 1, found 7"),
        ("openie:default=-9", "default should lie from -1 to 1, found -9"),
        ("srl:similarity=f1,default=7", "default should lie from -1 to 1, found 7"),
        ("qgqa:default=7", "default should lie from -1 to 1, found 7"),
        ("ner_overlap:default=-1", "default should lie from 0 to 1, found -1"),
        ("dae:default=7", "default should lie from 0 to 1, found 7"),
        ("dae:threshold=2", "threshold should lie from 0 to 1, found 2"),
        ("support:threshold=2", "threshold should lie from 0 to 1, found 2"),
        ("lss_share:threshold=2", "threshold should lie from 0 to 1, found 2"),
        ("entailment:threshold=-3", "threshold should lie from 0 to 1, found -3"),
        ("summac_zs:threshold=9", "threshold should lie from -1 to 1, found 9"),
        ("ner:threshold=9", "threshold should lie from -1 to 1, found 9"),
        ("sentsim:threshold=9", "threshold should lie from -1 to 1, found 9"),
        ("bertscore:threshold=9", "threshold should lie from -1 to 1, found 9"),
        ("qgqa:threshold=9", "threshold should lie from -1 to 1, found 9"),
        ("qgqa:minimum=1.5", "minimum should lie from 0 to 1, found 1.5"),
    ],
)
def test_a_number_out_of_range_is_refused(request_text: str, found: str) -> None:
    with pytest.raises(ConfigError, match=found):
        load_metric(request_text, Fake)


@pytest.mark.parametrize("text", ["nan", "-inf", "inf", "0.1,nan,0.2", "1"])
def test_a_baseline_is_a_finite_number_below_1(text: str) -> None:
    from faithkit.metrics.bertscore import _baselines

    with pytest.raises(ConfigError, match="baseline should be one number below 1"):
        _baselines(text)


@pytest.mark.parametrize(
    "text", ["ner:default=1,threshold=0", "ner_overlap:default=0", "qgqa:minimum=1,default=-1"]
)
def test_the_ends_of_a_range_are_in_it(text: str) -> None:
    load_metric(text, Fake)


def _refuse(spec: str) -> Any:
    raise AssertionError(f"{spec} is not needed")


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("sentsim:similarity=f1,model=nonexistent", "model is of no use with similarity=f1"),
        ("ner:model=nonexistent", "model is of no use with similarity=f1"),
        ("qgqa:model=nonexistent", "model is of no use with similarity=f1"),
        ("entailment:embedder=nonexistent", "embedder is of no use with granularity=d2s"),
    ],
)
def test_a_model_that_the_options_do_not_use_is_refused(text: str, setting: str) -> None:
    with pytest.raises(ConfigError, match=setting):
        load_metric(text, _refuse)
    with pytest.raises(ConfigError, match=setting):
        loading.specs_of(text)


def test_a_model_of_a_preset_may_be_of_no_use() -> None:
    assert load_metric("srl:preset=paper,similarity=f1", _refuse)[1].models == {}
    loading.specs_of("sentsim:model=any")
    loading.specs_of("entailment:granularity=top2s,embedder=any")
