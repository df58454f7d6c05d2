"""What every suite declares, and that one file and one table line are enough to add one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.helpers.stress_metrics import prepared_metric

from faithkit import Example
from faithkit.cache import Cache
from faithkit.stress import page, run
from faithkit.stress.suites import SUITES, load

ROWS = [
    Example(f"r{place}", f"It rained on day {place}.", "It rained.", document=f"d{place}")
    for place in range(12)
]


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_declares_its_name_texts_and_rules(name: str) -> None:
    suite = load(name)
    assert suite.name == name and suite.title and suite.about.endswith(".") and suite.plotted
    names = [rule.name for rule in suite.rules]
    assert names and len(set(names)) == len(names)


def test_one_file_and_one_table_line_add_a_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SUITES, "exclamation", "tests.helpers.tiny_suite")
    still = prepared_metric("still", lambda example: 0.5)
    jumpy = prepared_metric("jumpy", lambda example: float(example.summary.endswith("!")))
    summary = run.run(
        [run.Dataset("rows", ROWS)],
        [still, jumpy],
        run.StressOptions(("exclamation",)),
        tmp_path,
        Cache(None),
        helpers=lambda: [],
        progress=lambda *_: None,
    )
    verdicts = {label: [one["verdict"] for one in summary["findings"][label]]
                for label in ("still", "jumpy")}  # fmt: skip
    assert verdicts == {"still": ["passes"], "jumpy": ["fails"]}
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert len(rows) == 2 * len(ROWS)
    html, _ = page.write(tmp_path, summary)
    text = html.read_text()
    for words in ("Exclamation marks", "which changes nothing", "an exclamation mark does not move",
                  "It rained!"):  # fmt: skip
        assert words in text
    assert (tmp_path / "stress-exclamation.png").exists()
