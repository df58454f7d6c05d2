"""The presets: each metric of the five papers has `paper`, each names options that there are, and
the table of docs/presets.md is that of the classes."""

from __future__ import annotations

import pytest
from tests.helpers.paths import ROOT

from faithkit.cli.common import with_preset
from faithkit.metrics.registry import METRICS, add_preset, check, metric_class, parse_request

PAGE = ROOT / "docs" / "presets.md"

OTHERS = {"support", "novelty", "hhem", "lettucedetect", "combine", "calibrated"}
"""Metrics that none of the five papers has, or that are made of others."""


def presets(name: str) -> dict[str, dict[str, str]]:
    return dict(getattr(metric_class(METRICS[name]), "presets", {}))


ALL = [(name, preset) for name in METRICS for preset in presets(name)]


@pytest.mark.parametrize("name", [name for name in METRICS if name not in OTHERS])
def test_every_metric_of_the_papers_has_the_preset_paper(name: str) -> None:
    assert "paper" in presets(name)
    assert add_preset(name, "paper") == f"{name}:preset=paper"


@pytest.mark.parametrize(("name", "preset"), ALL)
def test_a_preset_names_options_and_values_that_there_are(name: str, preset: str) -> None:
    _, given, _ = check(parse_request(f"{name}:preset={preset}"))
    assert given == presets(name)[preset]


def test_a_metric_without_the_preset_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert with_preset(["novelty", "rouge2"], "paper") == ["novelty", "rouge2:preset=paper"]
    assert "novelty has no preset 'paper'" in capsys.readouterr().err
    assert with_preset(["ner:preset=paper"], "paper") == ["ner:preset=paper"]
    assert capsys.readouterr().err == ""


def table() -> str:
    rows = ["| metric | preset | sets |", "| --- | --- | --- |"]
    for name, preset in ALL:
        settings = ", ".join(f"`{key}={value}`" for key, value in presets(name)[preset].items())
        rows.append(f"| `{name}` | {preset} | {settings or 'nothing: the defaults'} |")
    return "\n".join(rows)


def test_the_page_shows_every_preset_as_it_is() -> None:
    assert table() in PAGE.read_text(encoding="utf-8"), f"{PAGE} should have\n\n{table()}"
