"""promptfoo's own runner with faithkit's assertion, offline, with its provider `echo`. It is an npm
package: skipped unless `promptfoo` is on the path."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.paths import HELPERS, ROOT

from faithkit import ConfigError, DataError
from faithkit.integrations.promptfoo import get_assert

SOURCE, GOOD, BAD = "Ann paid 74 pounds. Bob left.", "Bob left.", "Ann paid 68 dollars"
JUDGED = f"{HELPERS / 'tiny_verdict_metric.py'}:Judged"
CONFIG = {
    "prompts": ["{{summary}}"],
    "providers": ["echo"],
    "defaultTest": {
        "assert": [
            {"type": "python", "value": "file://faithful.py",
             "config": {"source": "article", "metric": JUDGED}},
        ],
    },
    "tests": [
        {"vars": {"article": source, "summary": summary}}
        for source, summary in ((SOURCE, GOOD), (SOURCE, BAD), (" ", GOOD))
    ],
}  # fmt: skip


def asserted(output: str, article: str, **config: Any) -> dict[str, Any]:
    options = {"source": "article", "metric": JUDGED, **config}
    return get_assert(output, {"vars": {"article": article}, "config": options})


@pytest.mark.slow
def test_an_assertion_grades_an_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path))
    assert asserted(GOOD, SOURCE)["pass"] is True
    failed = asserted(BAD, SOURCE)
    assert (failed["pass"], failed["score"]) == (False, 0.5)
    assert failed["reason"].startswith("the summary is not consistent\n\nAnn paid [1: 68 dollars]")
    assert asserted(BAD, SOURCE, at_least=0.5)["pass"] is True
    blank = asserted(GOOD, "")
    assert (blank["pass"], blank["score"]) == (False, 0.0)
    assert blank["reason"].startswith("the summary has no score (no_content)")
    with pytest.raises(DataError, match="no variable 'text'"):
        asserted(GOOD, SOURCE, source="text")
    with pytest.raises(ConfigError, match=r"at_least should be a number, found '0\.5'"):
        asserted(GOOD, SOURCE, at_least="0.5")
    with pytest.raises(ConfigError, match="no option 'threshold'"):
        asserted(GOOD, SOURCE, threshold=1)


@pytest.mark.slow
def test_promptfoo_evaluates_a_configuration(tmp_path: Path) -> None:
    program = shutil.which("promptfoo")
    if program is None:
        pytest.skip("promptfoo is not on the path: npm install -g promptfoo")
    (tmp_path / "faithful.py").write_text(
        "from faithkit.integrations.promptfoo import get_assert as get_assert\n"
    )
    (tmp_path / "promptfooconfig.json").write_text(json.dumps(CONFIG))
    environment = os.environ | {
        "PROMPTFOO_PYTHON": sys.executable, "PROMPTFOO_CONFIG_DIR": str(tmp_path / "home"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1", "FAITHKIT_CACHE": str(tmp_path),
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
    }  # fmt: skip
    done = subprocess.run(
        [program, "eval", "-c", "promptfooconfig.json", "--no-cache", "-o", "out.json"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert (tmp_path / "out.json").exists(), done.stdout + done.stderr
    rows = json.loads((tmp_path / "out.json").read_text())["results"]["results"]
    found = {(row["vars"]["article"], row["vars"]["summary"]): row["gradingResult"] for row in rows}
    assert [(row["pass"], row["score"]) for row in found.values()] == [
        (True, 1), (False, 0.5), (False, 0),
    ]  # fmt: skip
    assert "Ann paid [1: 68 dollars]" in found[SOURCE, BAD]["reason"]
    assert "no score (no_content)" in found[" ", GOOD]["reason"]
