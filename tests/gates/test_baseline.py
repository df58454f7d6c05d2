"""Gates with a baseline: what fails, what is said of the comparison, and which rows are joined."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.helpers.command_line import faithkit, refused
from tests.helpers.gated import BAD, GOOD, JUDGED, SOURCE, score, write


def test_a_baseline_names_the_rows_that_fail_newly() -> None:
    write("pairs.jsonl", *((str(n), GOOD) for n in range(3)), ("old", BAD))
    assert score("-o", "main.jsonl")[0] == 0
    write("pairs.jsonl", ("0", GOOD), ("1", BAD), ("old", BAD), ("new", BAD))
    code, lines = score("--baseline", "main.jsonl", "--fail-if", "newly_failing > 0")
    assert code == 1
    assert lines == [
        "faithkit: --baseline main.jsonl: mean 0.6667, before 0.8333, on 3 of 4 rows; not tested: "
        "only 1 document; an interval or a test needs 10 or more; 1 row fails that did not before: "
        "1; 1 of its rows is not in this run",
        "faithkit: gate failed: newly_failing > 0: 1 of 4 rows (25.0%): 1",
    ]
    assert score("--baseline", "main.jsonl", "--fail-if", "newly_failing > 1")[0] == 0


@pytest.mark.parametrize("others", [BAD, "Bob left in June."])
def test_a_mean_below_the_baselines_fails(others: str) -> None:
    sources = [f"Ann paid {n} pounds. Bob left in May." for n in range(30)]

    def rows(*summaries: str) -> str:
        pairs = (
            {"id": str(n), "source": source, "summary": summaries[n % len(summaries)]}
            for n, source in enumerate(sources)
        )
        return "".join(f"{json.dumps(pair)}\n" for pair in pairs)

    Path("pairs.jsonl").write_text(rows(GOOD))
    assert score("-o", "main.jsonl")[0] == 0
    assert score("--baseline", "main.jsonl") == (
        0,
        ["faithkit: --baseline main.jsonl: mean 1.0000, before 1.0000, no difference, on 30 rows"],
    )
    Path("pairs.jsonl").write_text(rows(BAD, others))
    code, (line,) = score("--baseline", "main.jsonl")
    assert code == 1
    assert line.startswith("faithkit: gate failed: no worse than main.jsonl: mean 0.")
    assert "on 30 rows" in line
    assert "; 30 rows fail that did not before: 0, 1, 2" in line


def test_a_baseline_of_other_settings_or_rows_is_refused() -> None:
    write("pairs.jsonl", ("a", GOOD))
    score("-o", "main.jsonl")
    base = ("score", "pairs.jsonl", "--baseline", "main.jsonl")
    assert "has no rows of novelty" in refused(*base, "-m", "novelty")
    saved = Path("main.jsonl").read_text()
    Path("main.jsonl").write_text(saved.replace('"version": "', '"version": "0.0.'))
    assert "of other settings or of another version" in refused(*base, "-m", JUDGED)
    Path("main.jsonl").write_text(saved)
    write("pairs.jsonl", ("b", GOOD))
    found = faithkit(*base, "-m", JUDGED)
    assert (found.exit_code, "has an id of this run" in found.stderr) == (2, True)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_rows_with_as_many_marks_as_before_do_not_fail_newly(ending: str) -> None:
    write("pairs.jsonl", ("old", BAD), ("new", GOOD), ("kept", GOOD))
    assert score("-o", f"main.{ending}")[0] == 0
    write("pairs.jsonl", ("old", BAD), ("new", "Ann left with 68 dollars."), ("kept", GOOD))
    gates = ("--fail-if", "newly_failing > 0", "--fail-if", "marks > 1")
    code, lines = score("--baseline", f"main.{ending}", *gates)
    assert code == 1
    assert lines[-2:] == [
        "faithkit: gate failed: newly_failing > 0: 1 of 3 rows (33.3%): new",
        "faithkit: gate failed: marks > 1: 2 of 3 rows (66.7%): old, new",
    ]


def test_a_table_without_the_number_of_marks_is_refused_by_a_condition_on_it() -> None:
    write("pairs.jsonl", ("a", GOOD))
    assert score("-o", "main.csv")[0] == 0
    Path("main.csv").write_text(Path("main.csv").read_text().replace(",marks,", ",noted,"))
    base = ("score", "pairs.jsonl", "-m", JUDGED, "--baseline", "main.csv", "--fail-if")
    assert "table without the column 'marks'; score it again" in refused(*base, "marks > 1")
    assert faithkit(*base, "value < .1").exit_code == 0


def test_a_comparison_that_is_not_tested_is_no_pass_in_the_reports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    write("pairs.jsonl", ("a", GOOD), ("b", GOOD))
    assert score("-o", "main.jsonl")[0] == 0
    write("pairs.jsonl", ("a", GOOD), ("b", BAD))
    said = (
        "mean 0.7500, before 1.0000, on 2 rows; not tested: only 1 document; an interval or a test "
        "needs 10 or more; 1 row fails that did not before: b"
    )
    code, lines = score("--baseline", "main.jsonl", "--junit", "j.xml", "--github")
    assert (code, lines) == (0, [f"faithkit: --baseline main.jsonl: {said}"])
    suites = ElementTree.parse("j.xml").getroot()
    assert (suites.get("failures"), suites.get("skipped")) == ("0", "1")
    (skipped,) = suites.iter("skipped")
    assert skipped.get("message") == said
    page = Path("summary.md").read_text()
    assert "⚠️ not tested" in page
    assert page.count("✅ passed") == 1  # of the rows without a score


def test_rows_without_an_id_are_said_to_be_joined_by_their_number() -> None:
    def write_without_ids(*summaries: str) -> None:
        rows = ({"source": SOURCE, "summary": summary} for summary in summaries)
        Path("pairs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    write_without_ids(GOOD, GOOD)
    assert score("-o", "main.jsonl")[0] == 0
    code, lines = score("--baseline", "main.jsonl")
    assert (code, lines[0]) == (
        0,
        "faithkit: --baseline main.jsonl: 2 of 2 rows have no id and are joined by their number",
    )
    write_without_ids(BAD, GOOD, GOOD)
    message = refused("score", "pairs.jsonl", "-m", JUDGED, "--baseline", "main.jsonl")
    assert message == (
        "--baseline main.jsonl has 2 rows and this run 3: rows without an id are joined by their "
        "number, which may be another row there; give them ids"
    )
    assert score("--baseline", "main.jsonl", "--limit", "2")[0] == 0
    write("pairs.jsonl", ("1", GOOD), ("2", GOOD), ("3", GOOD))
    code, lines = score("--baseline", "main.jsonl")
    assert (code, len(lines)) == (0, 1)
    assert "on 2 of 3 rows" in lines[0]


def test_a_file_of_pairs_is_no_baseline() -> None:
    write("pairs.jsonl", ("a", GOOD))
    message = refused("score", "pairs.jsonl", "-m", JUDGED, "--baseline", "pairs.jsonl")
    assert message == (
        "pairs.jsonl, line 1: this is not a row of scores (no field 'signature'); name what "
        "`faithkit score -o` wrote"
    )
