"""The GitHub Action and the pre-commit hook by their own scripts, on files that pass and fail."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers.paths import HELPERS, ROOT

pytestmark = pytest.mark.slow

JUDGED = f"{HELPERS / 'tiny_verdict_metric.py'}:Judged"
SOURCE, GOOD, BAD = "Ann paid 74 pounds. Bob left.", "Bob left.", "Ann paid 68 dollars"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, summary in (("good", GOOD), ("bad", BAD)):
        row = {"id": "a b", "source": SOURCE, "summary": summary}
        Path(f"pairs {name}.jsonl").write_text(json.dumps(row) + "\n")


def run(command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    folder = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "FAITHKIT_CACHE": str(Path.cwd() / "cache"),
        **variables,
    }
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_action_passes_fails_and_reports() -> None:
    script = ["bash", str(ROOT / "tools/action.sh")]
    inputs = {"METRICS": f"{JUDGED}\n", "FAIL_IF": "not_consistent > 0\nvalue < .2",
              "GITHUB_STEP_SUMMARY": "summary.md", "SARIF": "s.json"}  # fmt: skip
    passed = run(script, PAIRS="pairs good.jsonl", **inputs)
    assert passed.returncode == 0, passed.stderr
    failed = run(script, PAIRS="pairs bad.jsonl", **inputs)
    assert failed.returncode == 1, failed.stderr
    assert "::error file=pairs bad.jsonl,line=1,title=a b%3A not_consistent::" in failed.stderr
    summary = Path("summary.md").read_text()
    assert "✅ passed" in summary
    assert "❌ failed" in summary
    assert len(json.loads(Path("s.json").read_text())["runs"][0]["results"]) == 1
    hostile = run(script, PAIRS="$(touch hacked).jsonl", **inputs)
    assert hostile.returncode == 2
    assert not Path("hacked").exists()


def test_the_inputs_of_the_action_are_the_variables_of_its_script() -> None:
    action = (ROOT / "action.yml").read_text()
    script = (ROOT / "tools/action.sh").read_text()
    inputs = set(re.findall(r"^  ([a-z-]+):$", action.partition("runs:")[0], re.MULTILINE))
    passed = dict(re.findall(r"^        ([A-Z_]+): \$\{\{ inputs\.([a-z-]+)", action, re.MULTILINE))
    assert set(passed.values()) == inputs
    assert all(
        f"${name}" in script or f"${{{name}:-" in script for name in passed if name != "PACKAGE"
    )
    steps = action.partition("runs:")[2]
    assert not any("${{" in line for line in steps.splitlines() if line.strip().startswith("run:"))


def test_the_hook_fails_where_a_file_does() -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    entry = re.search(r"entry: python (.+)", hooks)
    assert entry is not None
    hook = [sys.executable, *entry[1].split(), f"--metric={JUDGED}"]
    assert run([*hook, "pairs good.jsonl"]).returncode == 0
    found = run([*hook, "pairs bad.jsonl", "pairs good.jsonl"])
    assert found.returncode == 1, found.stderr
    assert "gate failed: not_consistent > 0: 1 of 1 rows (100.0%): a b" in found.stderr
    assert run([*hook, "--fail-if=value < .3", "pairs bad.jsonl"]).returncode == 0
    assert run([*hook, "missing.jsonl"]).returncode == 2
