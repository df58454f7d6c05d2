"""The presets: each metric of the five papers has `paper`, each names options that there are, and
the table of docs/presets.md is that of the classes."""

from __future__ import annotations

import pytest
from tests.helpers.paths import ROOT

from faithkit.cli.common import metric_specs
from faithkit.metrics.loading import class_of
from faithkit.metrics.options import options_of
from faithkit.metrics.registry import METRICS
from faithkit.metrics.spec import MetricSpec

PAGE = ROOT / "docs" / "presets.md"

OTHERS = {"support", "novelty", "hhem", "lettucedetect", "combine", "calibrated"}
"""Metrics that none of the five papers has, or that are made of others."""


def presets(name: str) -> dict[str, dict[str, str]]:
    return {key: dict(sets) for key, sets in class_of(MetricSpec.parse(name)).presets.items()}


ALL = [(name, preset) for name in METRICS for preset in presets(name)]


@pytest.mark.parametrize("name", [name for name in METRICS if name not in OTHERS])
def test_every_metric_of_the_papers_has_the_preset_paper(name: str) -> None:
    assert "paper" in presets(name)


@pytest.mark.parametrize(("name", "preset"), ALL)
def test_a_preset_names_options_and_values_that_there_are(name: str, preset: str) -> None:
    spec = MetricSpec.parse(f"{name}:preset={preset}")
    assert options_of(spec, class_of(spec)).given == presets(name)[preset]


def test_a_metric_without_the_preset_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    labels = [spec.label for spec in metric_specs(["novelty", "rouge2"], "paper")]
    assert labels == ["novelty", "rouge2:preset=paper"]
    assert "novelty has no preset 'paper'" in capsys.readouterr().err
    (spec,) = metric_specs(["ner:preset=paper"], "paper")
    assert spec.label == "ner:preset=paper"
    assert capsys.readouterr().err == ""


def table() -> str:
    rows = ["| metric | preset | sets |", "| --- | --- | --- |"]
    for name, preset in ALL:
        settings = ", ".join(f"`{key}={value}`" for key, value in presets(name)[preset].items())
        rows.append(f"| `{name}` | {preset} | {settings or 'nothing: the defaults'} |")
    return "\n".join(rows)


def test_the_page_shows_every_preset_as_it_is() -> None:
    assert table() in PAGE.read_text(encoding="utf-8"), f"{PAGE} should have\n\n{table()}"
