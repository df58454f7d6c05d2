"""The leak test sees a shortcut that is there, and none where one side tells nothing."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.helpers.command_line import faithkit

from faithkit.evaluation.leaks import leak_test
from faithkit.records import DataError, Example

NAMES = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("ana", "eto", "iri", "ulo")]


def examples(*, shortcut: bool, count: int = 120) -> list[Example]:
    """Each source names two people; the claim is about the one who left, or about the other. With
    a shortcut, the claims that are wrong say "allegedly"."""
    draw = random.Random(0)
    rows = []
    for number in range(count):
        one, other = draw.sample(NAMES, 2)
        for label, who in ((1, one), (0, other)):
            word = " allegedly" if shortcut and not label else ""
            rows.append(Example(f"{number}/{label}", f"{one} left, {other} stayed in {number}.",
                                f"{who}{word} left.", label=label))  # fmt: skip
    return rows


def test_a_word_that_only_wrong_claims_have_is_a_leak() -> None:
    report = leak_test(examples(shortcut=True), draws=200)
    by_name = {leak.sees: leak for leak in report.leaks}
    assert by_name["claim"].leaks
    assert by_name["claim"].auc.value == pytest.approx(1)
    assert by_name["claim length"].leaks
    assert not by_name["source"].leaks
    assert (report.rows, report.consistent, report.documents) == (240, 120, 120)


def test_claims_that_tell_nothing_are_no_leak() -> None:
    report = leak_test(examples(shortcut=False), draws=200)
    assert not any(leak.leaks for leak in report.leaks)
    # Both labels have the same source, so a source alone cannot tell them.
    assert {leak.sees: leak.auc.value for leak in report.leaks}["source"] == 0.5


def test_members_of_a_pair_are_tested_together() -> None:
    # Without it, a claim seen with one label would be looked up with the other.
    rows = [
        Example(f"{n}/{label}", f"Source {n} {label}.", f"claim about {n}", label=label,
                pair=f"p{n}")
        for n in range(40) for label in (0, 1)
    ]  # fmt: skip
    (claim, *_) = leak_test(rows, draws=200).leaks
    assert claim.auc.value == pytest.approx(0.5)


def test_the_order_of_rows_changes_no_value() -> None:
    rows = [
        Example(f"{i}", f"Source {i}.", f"Claim {i % 7} of {i % 5}.", document=f"d{i % 50}",
                pair=f"p{i // 2}" if i < 20 else None, label=i % 2)
        for i in range(100)
    ]  # fmt: skip
    moved = random.Random(0).sample(rows, len(rows))
    first, again = (
        [leak.balanced_accuracy for leak in leak_test(r, draws=10).leaks] for r in (rows, moved)
    )
    assert first == pytest.approx(again)


def test_a_single_label_or_too_few_documents_is_refused() -> None:
    with pytest.raises(DataError, match="needs both labels"):
        leak_test([row for row in examples(shortcut=False) if row.label])
    with pytest.raises(DataError, match="10 documents or more"):
        leak_test(examples(shortcut=False, count=5))


def test_datasets_info_prints_the_leak_test_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    rows = [{"id": e.id, "source": e.source, "summary": e.summary, "label": e.label}
            for e in examples(shortcut=True)]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result = faithkit("datasets", "info", str(path), "--leak")
    assert result.exit_code == 0, result.output
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("claim ")
               and "length" not in line]  # fmt: skip
    assert line.split()[:2] == ["claim", "1.0000"] and line.rstrip().endswith("leaks")
    record = json.loads(faithkit("datasets", "info", str(path), "--leak", "--json").stdout)
    assert [item["leaks"] for item in record["leak"]["baselines"]] == [True, False, True]
