"""Gates on a file of pairs: exit codes, what is said, and the reports for machines."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.helpers.command_line import faithkit, refused
from tests.helpers.gated import BAD, GOOD, JUDGED, score, write
from tests.helpers.paths import HELPERS
from tests.helpers.recipes import KNOWN

from faithkit.gates import github
from faithkit.gates.gate import LISTED, Finding, GateResult

HOSTILE = "<b>x</b> | `y` ::error::z\n%0A &"


def test_a_share_of_verdicts_fails_and_names_the_rows() -> None:
    write("pairs.jsonl", ("a", GOOD), ("b", BAD), ("c", GOOD), ("d", BAD))
    code, lines = score("--fail-if", "not_consistent > 25%")
    assert code == 1
    assert lines == ["faithkit: gate failed: not_consistent > 25%: 2 of 4 rows (50.0%): b, d"]
    assert score("--fail-if", "not_consistent > 50%") == (0, [])


def test_too_few_of_a_verdict_fail_and_name_the_others() -> None:
    write("pairs.jsonl", ("a", GOOD), ("b", BAD), ("c", ""), ("d", BAD))
    code, lines = score("--fail-if", "consistent < 50%", "--allow-unscored", "--sarif", "s.json")
    assert code == 1
    assert lines == [
        "faithkit: gate failed: consistent < 50%: 1 of 3 rows (33.3%); the others: b, d"
    ]
    results = json.loads(Path("s.json").read_text())["runs"][0]["results"]
    assert [result["message"]["text"].partition(":")[0] for result in results] == ["b", "d"]
    assert score("--fail-if", "consistent < 30%", "--allow-unscored") == (0, [])


def test_a_number_of_a_row_fails_whatever_the_mean() -> None:
    write("pairs.jsonl", *((str(n), GOOD) for n in range(9)), ("bad", BAD))
    code, lines = score("--fail-under", "0.9", "--fail-if", "value < .6")
    assert code == 1
    assert lines == ["faithkit: gate failed: value < .6: 1 of 10 rows (10.0%): bad"]
    assert score("--fail-if", "marks > 2") == (0, [])
    assert score("--fail-if", "marks > 1")[0] == 1


def test_a_row_without_a_score_fails_unless_allowed() -> None:
    write("pairs.jsonl", ("a", GOOD), ("b", ""))
    code, lines = score("--fail-if", "value < .1")
    assert code == 1
    assert lines == ["faithkit: gate failed: a row has no score: 1 of 2 rows (50.0%): b"]
    assert score("--fail-if", "value < .1", "--allow-unscored") == (0, [])
    assert score("--fail-if", "unscored > 50%") == (0, [])
    assert score("--fail-if", "no_content > 0")[0] == 1


def test_a_condition_that_is_given_twice_counts_each_row_once() -> None:
    write("pairs.jsonl", ("a", GOOD), ("b", BAD))
    once, twice = (score(*("--fail-if", "not_consistent > 50%") * times) for times in (1, 2))
    assert once == twice == (0, [])


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "parquet"])
def test_marks_are_counted_in_a_complete_output_too(ending: str) -> None:
    write("pairs.jsonl", ("a", GOOD), ("b", BAD), ("c", "Eve met Mo and Cy"))
    gate = ("--fail-if", "marks > 2", "-o", f"out.{ending}")
    said = "faithkit: gate failed: marks > 2: 1 of 3 rows (33.3%): c"
    assert score(*gate) == score(*gate) == (1, [said])


def test_a_complete_output_without_the_number_of_marks_is_refused_by_a_condition_on_it() -> None:
    write("pairs.jsonl", ("a", GOOD))
    assert score("-o", "out.csv")[0] == 0
    Path("out.csv").write_text(Path("out.csv").read_text().replace(",marks,", ",noted,"))
    found = faithkit(
        "score", "pairs.jsonl", "-m", JUDGED, "-o", "out.csv", "--fail-if", "marks > 1"
    )
    assert (found.exit_code, "use --no-resume to score them again" in found.stderr) == (2, True)


def test_a_gate_goes_before_strict() -> None:
    write("pairs.jsonl", ("a", BAD), ("b", ""))
    assert score("--fail-if", "value < .9", "--strict")[0] == 1


def test_a_condition_on_a_part_that_no_row_has_is_refused() -> None:
    write("pairs.jsonl", ("a", GOOD))
    found = faithkit("score", "pairs.jsonl", "-m", JUDGED, "--fail-if", "wrods < .1")
    assert (found.exit_code, "no row of" in found.stderr) == (2, True)
    found = faithkit("score", "pairs.jsonl", "-m", JUDGED, "--fail-if", "not_consistant > 0")
    assert "has 'not_consistant'. Did you mean 'not_consistent'?" in found.stderr
    assert "newly_failing" not in found.stderr
    found = faithkit("score", "pairs.jsonl", "-m", KNOWN, "--fail-if", "probability < .9")
    assert "no row of" in found.stderr and "'probability'. Choices: " in found.stderr
    assert not {"probability,", "consistent,"} & set(found.stderr.split("Choices:")[1].split())


def test_rows_that_were_scored_before_a_wrong_name_was_seen_are_kept() -> None:
    write("pairs.jsonl", *((str(number), GOOD) for number in range(30)))
    asked = ("pairs.jsonl", "-m", JUDGED, "-o", "out.jsonl", "--batch-size", "8")
    said = faithkit("score", *asked, "--fail-if", "vlaue < .1").stderr
    assert said.endswith("24 of 30 rows are safe in out.jsonl: the corrected command goes on from "
                         "there.\n")  # fmt: skip
    assert faithkit("score", *asked, "--fail-if", "value < .1").exit_code == 0
    assert len(Path("out.jsonl").read_text().splitlines()) == 30


def test_rows_of_an_earlier_run_are_gated_too() -> None:
    write("pairs.jsonl", ("a", GOOD), ("b", BAD))
    for output in ("out.jsonl", "out.csv"):
        first = score("--fail-if", "value < .6", "-o", output)
        assert first == score("--fail-if", "value < .6", "-o", output)
        assert first[0] == 1


def test_reports_need_a_gate() -> None:
    write("pairs.jsonl", ("a", GOOD))
    assert "say what came of a gate" in refused("score", "pairs.jsonl", "--junit", "j.xml")
    assert "there is no folder" in refused(
        "score", "pairs.jsonl", "--fail-if", "value < 1", "--sarif", "no/s.json"
    )


def test_junit_has_every_row_and_the_conditions() -> None:
    write("pairs.jsonl", ("a", GOOD), ("b\x00\uffff", BAD), ("c", ""))
    assert score("--fail-if", "value < .6", "--junit", "j.xml")[0] == 1
    suites = ElementTree.parse("j.xml").getroot()
    assert suites.attrib == {
        "name": "faithkit", "tests": "5", "failures": "3", "errors": "1", "skipped": "0",
    }  # fmt: skip
    gates, rows = suites
    assert [case.get("name") for case in gates] == ["value < .6", "a row has no score"]
    good, bad, blank = rows
    assert (good.get("name"), len(good), good.get("line")) == ("a", 0, "1")
    assert (bad.get("name"), bad.get("file"), bad.get("line")) == (
        "b\\u0000\ufffd", "pairs.jsonl", "2",
    )  # fmt: skip
    (failure,) = bad
    assert failure.get("message") == (
        "judged: not consistent (50% likely to be consistent); unsupported: 68 dollars"
    )
    assert failure.text == "68 dollars — 80% doubt\n  best evidence: “Ann paid 74 pounds.”"
    assert [element.tag for element in blank] == ["error"]


def test_marks_with_the_same_evidence_quote_it_each() -> None:
    write("pairs.jsonl", ("a", "Eve paid 74 dollars"))
    assert score("--fail-if", "value < .6", "--sarif", "s.json")[0] == 1
    (result,) = json.loads(Path("s.json").read_text())["runs"][0]["results"]
    assert result["message"]["text"].splitlines()[1:] == [
        "Eve — 80% doubt",
        "  best evidence: “Ann paid 74 pounds.”",
        "dollars — 80% doubt",
        "  best evidence: “Ann paid 74 pounds.”",
    ]


def test_a_row_without_marks_shows_its_least_supported_sentence() -> None:
    write("pairs.jsonl", ("a", BAD))
    vague = f"{HELPERS / 'tiny_verdict_metric.py'}:Vague"
    found = faithkit("score", "pairs.jsonl", "-m", vague, "--fail-if", "value < .6",
                     "--junit", "j.xml", "--sarif", "s.json")  # fmt: skip
    assert found.exit_code == 1
    shown = (
        f"Least supported sentence (40% likely): “{BAD}”\n  best evidence: “Ann paid 74 pounds.”"
    )
    failures = ElementTree.parse("j.xml").getroot().iter("failure")
    assert [failure.text for failure in failures if failure.get("type") == "value"] == [shown]
    (result,) = json.loads(Path("s.json").read_text())["runs"][0]["results"]
    assert result["message"]["text"].endswith(shown)


def test_sarif_has_a_result_a_row_with_a_fingerprint_that_only_its_texts_change() -> None:
    def results() -> dict[str, dict[str, object]]:
        assert score("--fail-if", "value < .9", "--sarif", "s.json")[0] == 1
        log = json.loads(Path("s.json").read_text())
        assert log["version"] == "2.1.0"
        (run,) = log["runs"]
        driver = run["tool"]["driver"]
        assert [rule["id"] for rule in driver["rules"]] == ["value"]
        assert all(result["ruleId"] == driver["rules"][result["ruleIndex"]]["id"]
                   for result in run["results"])  # fmt: skip
        return {result["message"]["text"].partition(":")[0]: result for result in run["results"]}

    write("pairs.jsonl", ("a", GOOD), ("b", BAD), ("c", "Ann fled."))
    before = results()
    assert before["b"]["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "pairs.jsonl"}, "region": {"startLine": 2},
            }
        }
    ]  # fmt: skip
    write("pairs.jsonl", ("c", "Ann fled early."), ("new", GOOD), ("moved", BAD))
    after = results()
    assert after["moved"]["partialFingerprints"] == before["b"]["partialFingerprints"]
    assert after["c"]["partialFingerprints"] != before["c"]["partialFingerprints"]


def test_github_gets_ten_annotations_and_a_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    write("pairs.jsonl", (HOSTILE, BAD), *((str(n), BAD) for n in range(200)))
    code, lines = score("--fail-if", "not_consistent > 5%", "--github")
    commands = [line for line in lines if line.startswith("::")]
    assert (code, len(commands)) == (1, github.ANNOTATIONS)
    assert commands[0].startswith("::error title=faithkit%3A not_consistent > 5%25::201 of 201")
    assert commands[1].startswith(
        "::error file=pairs.jsonl,line=1,title=<b>x</b> | `y` %3A%3Aerror"
    )
    assert all(command.count("::") == 2 for command in commands[2:])
    page = Path("summary.md").read_text()
    assert "<b>" not in page
    assert r"&lt;b&gt;x&lt;/b&gt; \| \`y\`" in page
    assert "101 more rows fail." in page


def test_no_more_results_are_kept_than_github_shows() -> None:
    from tests.helpers.tiny_metrics import Known

    from faithkit import run
    from faithkit.gates import conditions
    from faithkit.gates.gate import Gate
    from faithkit.records import Example, Score

    gate = Gate([conditions.parse("value < 1")], run.prepare(Known()))
    for number in range(LISTED + 10):
        gate.add(Example(str(number), "a", "b"), [Score(str(number), "known", 0.5)])
    verdict, _ = gate.verdicts()
    assert (verdict.count, len(verdict.findings)) == (LISTED + 10, LISTED)
    assert verdict.message.endswith("18, 19 and 4990 more")


def test_texts_in_a_summary_are_cut() -> None:
    finding = Finding("value", "m", "x", "y" * 10_000, (), "0" * 64)
    page = github.summary([GateResult("value < 1", "m", True, "z", 1, (finding,))], "p.jsonl")
    assert len(page) < 1000
