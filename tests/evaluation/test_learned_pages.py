"""The pages of calibrate and combine, and the intervals that only they show."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from tests.helpers.judged_pairs import invoke, refused, split_in_two, table_of, write_rows
from tests.helpers.judged_pairs import judged_rows as rows_of

from faithkit.evaluation.learning import CalibrationSettings, combine, learn

pytestmark = pytest.mark.slow


def test_the_page_of_a_calibration_says_verdicts_data_and_signature(tmp_path: Path) -> None:
    file, page = write_rows(tmp_path / "p.jsonl", split_in_two(rows_of(40))), tmp_path / "c.html"
    invoke("calibrate", file, "-m", "novelty", "--html", page, "--draws", 50)
    text = page.read_text(encoding="utf-8")
    assert "<h1>Calibration of novelty</h1>" in text
    assert "60 of 120 rows used, those of the validation split" in text
    assert "novelty|split=" in text and text.count('<img src="data:image/png') == 2
    assert "<script" not in text
    cells = re.findall(r'<th scope="row">(.*?)</th><td>.*?</td><td>(\d+)</td>', text)
    verdicts = {name: int(rows) for name, rows in cells[:3]}
    assert list(verdicts) == ["consistent", "undecided", "not consistent"]
    assert sum(verdicts.values()) == 60


def test_held_out_decisions_add_up_to_the_counts(pairs: Path) -> None:
    learned = learn(table_of(pairs, "novelty"), CalibrationSettings(max_error=0.2))
    assert learned.calibrated is not None
    result, labels = learned.calibrated.result, learned.table.labels
    decided = [(d, y) for d, y in zip(result.decisions, labels, strict=True) if d in (0.0, 1.0)]
    assert len(decided) == result.decided
    assert sum(d != y for d, y in decided) == result.errors
    assert result.decisions.count(0.5) == result.abstained


def test_weights_have_the_interval_of_a_bootstrap_by_document(pairs: Path) -> None:
    table = table_of(pairs, "novelty", "rouge2")
    learned = combine(table, draws=400)
    fitted = learned.result.combination
    columns = np.array([column.values for column in table.columns.values()], dtype=float).T
    z = (columns - fitted.means) / fitted.scales
    rated, documents = np.array(table.ratings, dtype=float), np.array(table.documents)
    draw, drawn = np.random.default_rng(5), []
    for _ in range(400):
        taken = draw.choice(np.unique(documents), len(np.unique(documents)))
        rows = np.concatenate([np.flatnonzero(documents == name) for name in taken])
        drawn.append(LinearRegression().fit(z[rows], rated[rows]).coef_)
    expected = np.quantile(drawn, [0.025, 0.975], axis=0)
    for place, estimate in enumerate(learned.weights.values()):
        assert estimate.value == fitted.weights[place]
        width = expected[1, place] - expected[0, place]
        assert estimate.low == pytest.approx(expected[0, place], abs=0.2 * width)
        assert estimate.high == pytest.approx(expected[1, place], abs=0.2 * width)


def test_the_page_of_a_combination_says_weights_folds_and_growth(
    pairs: Path, tmp_path: Path
) -> None:
    page = tmp_path / "c.html"
    printed = invoke(
        "combine", pairs, "-m", "novelty", "-m", "rouge2", "--growing", "--html", page,
        "--draws", 50,
    )  # fmt: skip
    text = page.read_text(encoding="utf-8")
    spanned = r"(\S+ \[\S+) \S+\]"
    row = re.search(rf"^novelty +{spanned} +{spanned}", printed, re.MULTILINE)
    assert row is not None and all(f"<td>{number}" in text for number in row.groups())
    together = re.search(rf"mean Spearman over 10 folds {spanned}", printed)
    assert together is not None and f"<td>{together[1]}" in text
    step = re.search(rf"^\+ \S+ +{spanned}", printed, re.MULTILINE)
    assert step is not None and f"<td>{step[1]}" in text
    assert "One metric after the other" in text and text.count("<img") == 2
    assert "rouge2|measure=f1" in text
    assert "is written as .html" in refused("combine", pairs, "--html", "page.txt")
