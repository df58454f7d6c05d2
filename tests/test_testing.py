"""Assertions for test suites of others, and the pytest plugin in runs of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from faithkit import ConfigError, Scorer
from faithkit.testing import assert_faithful
from tests.helpers.paths import ROOT
from tests.helpers.tiny_metrics import Known
from tests.helpers.tiny_verdict_metric import Judged

SOURCE, GOOD, BAD = "Ann paid 74 pounds. Bob left.", "Bob left.", "Ann paid 68 dollars"


@pytest.fixture
def scorer() -> Scorer:
    return Scorer(Judged(), no_cache=True)


def test_a_faithful_summary_passes_and_gives_its_check(scorer: Scorer) -> None:
    assert assert_faithful(GOOD, SOURCE, scorer=scorer).value == 1.0
    assert assert_faithful(BAD, SOURCE, scorer=scorer, at_least=0.5).value == 0.5


def test_a_failure_shows_the_marks_and_their_evidence(scorer: Scorer) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_faithful(BAD, SOURCE, scorer=scorer)
    message = str(caught.value)
    assert message.startswith("the summary is not consistent\n\nAnn paid [1: 68 dollars]")
    assert "best evidence: “Ann paid 74 pounds.”" in message
    with pytest.raises(AssertionError, match=r"0\.5 is less than 0\.6"):
        assert_faithful(BAD, SOURCE, scorer=scorer, at_least=0.6)


def test_a_summary_without_a_score_fails(scorer: Scorer) -> None:
    with pytest.raises(AssertionError, match=r"no score \(no_content\)"):
        assert_faithful("", SOURCE, scorer=scorer, at_least=0.0)


def test_a_gate_that_can_mean_nothing_is_refused(scorer: Scorer) -> None:
    with pytest.raises(ConfigError, match="at_least=50: the bounds of judged are 0 to 1"):
        assert_faithful(GOOD, SOURCE, scorer=scorer, at_least=50)
    with pytest.raises(ConfigError, match="known gives no verdict: say at_least="):
        assert_faithful(GOOD, SOURCE, scorer=Scorer(Known(), no_cache=True))


@pytest.mark.parametrize("at_least", ["0.5", True, [0.5]])
def test_at_least_is_a_number(scorer: Scorer, at_least: Any) -> None:
    with pytest.raises(ConfigError, match="at_least should be a number, found"):
        assert_faithful(GOOD, SOURCE, scorer=scorer, at_least=at_least)


def test_several_metrics_are_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"metric= takes one metric, found a list; for several"):
        assert_faithful(GOOD, SOURCE, metric=["novelty", "rouge2"])  # type: ignore[arg-type]


CASES = """\
import sys
import pytest
from tests.helpers.tiny_verdict_metric import Judged

@pytest.mark.faithful_cases("cases.jsonl")
def test_case(faithful_case, assert_faithful):
    from faithkit import Scorer
    scorer = Scorer(Judged(), no_cache=True)
    assert_faithful(faithful_case.summary, faithful_case.source, scorer=scorer)
"""
PLUGIN = ("-p", "faithkit.integrations.pytest_plugin")


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    paths = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
    environment = {**os.environ, "PYTHONPATH": paths, "FAITHKIT_CACHE": str(folder),
                   "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # fmt: skip
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PLUGIN, *options],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_every_row_of_a_file_is_a_test(tmp_path: Path) -> None:
    (tmp_path / "test_cases.py").write_text(CASES)
    rows = f'{{"id": "good", "source": "{SOURCE}", "summary": "{GOOD}"}}\n'
    rows += f'{{"id": "bad", "source": "{SOURCE}", "summary": "{BAD}"}}\n'
    (tmp_path / "cases.jsonl").write_text(rows)
    found = run_pytest(tmp_path, "-p", "xdist", "-n", "2", "-rA")
    assert "1 failed, 1 passed" in found.stdout, found.stdout + found.stderr
    assert "PASSED test_cases.py::test_case[good]" in found.stdout
    assert "Ann paid [1: 68 dollars]" in found.stdout
    (tmp_path / "cases.jsonl").write_text("{}\n")
    refused = run_pytest(tmp_path)
    said = refused.stdout + refused.stderr
    assert "cases.jsonl, line 1: no field 'source'" in said
    assert "pytest_plugin.py" not in said  # no traceback


@pytest.mark.slow
def test_nothing_is_loaded_before_a_test_uses_it(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\n\n\ndef test_other(assert_faithful):\n"
        "    loaded = sorted(name for name in sys.modules if name.startswith('faithkit'))\n"
        "    assert loaded == ['faithkit', 'faithkit.integrations', "
        "'faithkit.integrations.pytest_plugin']\n"
    )
    found = run_pytest(tmp_path)
    assert "1 passed" in found.stdout, found.stdout + found.stderr
