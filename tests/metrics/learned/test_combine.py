"""A saved combination as a metric: its numbers, its outcomes, and when it refuses to score."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers import tiny_combination
from tests.helpers.paths import HELPERS

from faithkit import ConfigError, DataError, Example, ModelError, Outcome
from faithkit.meta import Combination
from faithkit.metrics.learned.combine import Component, SavedCombination, read_combination
from faithkit.metrics.learned.components import drift
from faithkit.models.runtime import Runtime
from faithkit.run import Prepared, prepare

TINY = HELPERS / "tiny_metrics.py"
SOURCE = "The council voted on Tuesday to spend money on a new library in Brookfield."
PAIRS = [
    Example("good", SOURCE, "The council voted to spend money."),
    Example("bad", SOURCE, "Paris approved a stadium."),
]


def combined(file: Path, options: str = "") -> Prepared:
    (one,) = prepare([f"combine:file={file}{options}"], Runtime(offline=True))
    return one


def change(file: Path, edit: Any) -> Path:
    row = json.loads(file.read_text())
    edit(row)
    file.write_text(json.dumps(row))
    return file


@pytest.mark.slow
def test_value_is_the_weighted_sum_of_the_standardised_components(tmp_path: Path) -> None:
    file = tiny_combination.write(
        tmp_path / "c.json", {"rouge2": 2.0, "novelty": -0.5}, intercept=3.0, means=0.1, scales=0.25
    )
    one = combined(file)
    alone = {m.label: m.metric.score(PAIRS) for m in prepare(["rouge2", "novelty"])}
    for row, score in enumerate(one.metric.score(PAIRS)):
        x, y = (alone[name][row].value for name in ("rouge2", "novelty"))
        assert x is not None and y is not None
        assert score.value == pytest.approx(3 + 2 * (x - 0.1) / 0.25 - 0.5 * (y - 0.1) / 0.25)
        assert score.parts == {"rouge2": x, "novelty": y}


def test_spans_are_those_of_the_components_each_once(tmp_path: Path) -> None:
    file = tiny_combination.write(
        tmp_path / "c.json", {f"{TINY}:Known": 1.0, f"{TINY}:Other": 1.0, "novelty": 1.0}
    )
    (score,) = combined(file).metric.score(PAIRS[1:])
    (known,) = prepare([f"{TINY}:Known"])
    (novelty,) = prepare(["novelty"])
    expected = known.metric.score(PAIRS[1:])[0].spans + novelty.metric.score(PAIRS[1:])[0].spans
    assert score.spans == expected and expected


@pytest.mark.slow
def test_evidence_is_that_of_the_components(tmp_path: Path) -> None:
    file = tiny_combination.write(tmp_path / "c.json", {"ner": 1.0, "rouge2": 1.0})
    example = Example("ner", SOURCE, "On Tuesday Brookfield voted.")
    (ner,) = prepare(["ner"], Runtime(offline=True))
    (score,) = combined(file).metric.score([example])
    assert score.evidence == ner.metric.score([example])[0].evidence != ()


def test_a_part_of_a_metric_can_be_a_column(tmp_path: Path) -> None:
    weights = {"rouge2#precision": 1.0, "rouge2#recall": 2.0}
    file = tiny_combination.write(tmp_path / "c.json", weights)
    (rouge,) = prepare(["rouge2"])
    parts = rouge.metric.score(PAIRS)[0].parts
    (score,) = combined(file).metric.score(PAIRS[:1])
    assert score.value == pytest.approx(parts["precision"] + 2 * parts["recall"])
    assert set(score.parts) == {"rouge2.precision", "rouge2.recall"}


@pytest.mark.parametrize(("metric", "outcome"), [("Flaky", "timeout"), ("Known", "ok")])
def test_a_row_that_a_component_leaves_unscored_has_its_outcome_and_no_value(
    metric: str, outcome: str, tmp_path: Path
) -> None:
    file = tiny_combination.write(tmp_path / "c.json", {"rouge2": 1.0, f"{TINY}:{metric}": 1.0})
    (score,) = combined(file).metric.score(PAIRS[:1])
    assert (score.outcome, score.value is None) == (Outcome(outcome), outcome != "ok")
    assert "rouge2" in score.parts


def test_a_component_that_is_not_what_it_was_is_refused_with_what_differs(tmp_path: Path) -> None:
    file = tiny_combination.write(tmp_path / "c.json", {"rouge2": 1.0, "novelty": 1.0})

    def older(row: dict[str, Any]) -> None:
        item = row["components"][0]
        then = replace(prepare(["rouge2"])[0].signature, version="0.0.9", options={"stem": True})
        item |= {"signature": then.to_dict(), "digest": then.digest}

    change(file, older)
    with pytest.raises(ConfigError, match=r"version: 0\.0\.9 then") as error:
        combined(file)
    assert "stem: True then, False now" in str(error.value)
    assert "drift=allow" in str(error.value)
    score = combined(file, ",drift=allow").metric.score(PAIRS)[0]
    assert score.outcome is Outcome.OK


def test_drift_names_only_what_differs() -> None:
    (one,) = prepare(["rouge2"])
    assert drift(one.signature, one.signature) == []
    assert drift(one.signature, replace(one.signature, prompt="x")) == ["prompt: None then, x now"]


def test_the_signature_holds_the_weights_and_the_components_digests(tmp_path: Path) -> None:
    both = {"rouge2": 1.0, "novelty": 1.0}
    one = combined(tiny_combination.write(tmp_path / "a.json", both))
    (rouge,) = prepare(["rouge2"])
    assert one.signature.options["weights"] == [1.0, 1.0]
    components = one.signature.options["components"]
    assert isinstance(components, list)
    assert f"rouge2@{rouge.signature.digest[:12]}" in components
    elsewhere = combined(tiny_combination.write(tmp_path / "b.json", both))
    assert elsewhere.signature == one.signature
    other = combined(tiny_combination.write(tmp_path / "a.json", both, intercept=1e-9))
    assert other.signature.digest != one.signature.digest


def test_a_component_is_signed_as_a_run_signs_it(tmp_path: Path) -> None:
    # combine.py builds signatures itself; were they other than run.py's, this would refuse.
    requests = ["rouge2:stem=on", "ner_overlap", f"{TINY}:Known"]
    file = tiny_combination.write(tmp_path / "c.json", dict.fromkeys(requests, 1.0))
    (score,) = combined(file).metric.score(PAIRS[:1])
    assert score.outcome is Outcome.NO_CLAIMS and "ner_overlap" not in score.parts


def test_it_needs_what_its_components_need(tmp_path: Path) -> None:
    file = tiny_combination.write(tmp_path / "c.json", {"rouge2": 1.0, f"{TINY}:Topical": 1.0})
    assert combined(file).metric.needs == {"source", "summary", "topic"}


@pytest.mark.parametrize("name", ["Reversing", "Short", "Crashing"])
def test_a_component_that_breaks_its_promise_is_named(name: str, tmp_path: Path) -> None:
    file = tiny_combination.write(tmp_path / "c.json", {"rouge2": 1.0, f"{TINY}:{name}": 1.0})
    with pytest.raises(ModelError, match=name):
        combined(file).metric.score(PAIRS)


def test_a_combination_of_combinations_is_refused(tmp_path: Path) -> None:
    inner = tiny_combination.write(tmp_path / "inner.json", {"rouge2": 1.0})
    outer = tiny_combination.write(tmp_path / "outer.json", {f"combine:file={inner}": 1.0})
    with pytest.raises(ConfigError, match="is a combination itself"):
        combined(outer)


def test_an_unknown_component_is_named_before_any_is_created(tmp_path: Path) -> None:
    file = tiny_combination.write(tmp_path / "c.json", {"rouge2": 1.0})

    def rename(row: dict[str, Any]) -> None:
        row["components"][0]["request"] = "rogue2"
        row["combination"]["names"] = ["rogue2"]

    with pytest.raises(ConfigError, match="Did you mean 'rouge2'"):
        combined(change(file, rename))


def test_without_a_file_it_says_what_makes_one() -> None:
    with pytest.raises(ConfigError, match="faithkit combine -o"):
        prepare(["combine"])


BROKEN = {
    "other kind": (lambda row: row.update(kind="x"), "not a saved combination"),
    "no field": (lambda row: row.pop("components"), "no field 'components'"),
    "digest": (lambda row: row["components"][0].update(digest="0"), "do not belong together"),
    "weights": (lambda row: row["combination"].update(weights=["x"]), "should hold numbers"),
    "names": (lambda row: row["combination"].update(names=["a", "b"]), "in this order"),
    "signature": (lambda row: row["components"][0].update(signature=None), "not a whole"),
    "components": (lambda row: row.update(components=5), "not a whole"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_named_with_what_is_wrong(case: str, tmp_path: Path) -> None:
    edit, message = BROKEN[case]
    file = tiny_combination.write(tmp_path / "c.json", {"rouge2": 1.0, "novelty": 1.0})
    with pytest.raises(DataError, match=message) as error:
        read_combination(change(file, edit))
    assert str(file) in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "[1]", "null"])
def test_a_file_that_is_no_combination_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(text)
    with pytest.raises(DataError, match=r"c\.json"):
        read_combination(file)


def test_saving_and_reading_is_the_identity(tmp_path: Path) -> None:
    (one,) = prepare(["rouge2"])
    saved = SavedCombination(
        (Component("rouge2", None, one.signature),),
        Combination(("rouge2",), (0.1,), (1 / 3,), (2 / 3,), -0.7),
        {"rows": 3},
    )
    file = tmp_path / "c.json"
    file.write_text(json.dumps(saved.to_dict()))
    assert read_combination(file) == saved
