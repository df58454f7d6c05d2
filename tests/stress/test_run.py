"""`faithkit stress`: runner, rules, page and command, on metrics whose right answers
are known by hand. The suites' own mathematics is in their own tests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.stress_figures import FEW
from tests.helpers.stress_metrics import prepared_metric
from typer.testing import CliRunner

from faithkit import Example, Score, run
from faithkit.cache import Cache
from faithkit.cli import app
from faithkit.cut_tally import CutTally
from faithkit.metrics.base import Metric
from faithkit.metrics.loading import signature_of
from faithkit.records import Coverage, scored
from faithkit.report import plots
from faithkit.stress import run as stress_run
from faithkit.stress.scores import BATCH, MetricScores
from faithkit.stress.suites import SUITES, load
from faithkit.stress.suites.base import Case

pytestmark = pytest.mark.slow

WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven", "inlet", "jetty",
         "knoll", "ledge", "marsh", "north"]  # fmt: skip

OUTSIDE = '''
from faithkit import Score

class Share:
    """Share of the summary's words that the source has."""
    name, bounds, unit = "share", (0.0, 1.0), "share of words <b>in</b> the source"
    needs = frozenset({"source", "summary"})
    def score(self, examples):
        return [Score(e.id, self.name, self.value(e)) for e in examples]
    def value(self, e):
        words = e.summary.lower().replace(".", "").split()
        return sum(w in e.source.lower() for w in words) / max(1, len(words))

class Length(Share):
    """Longer is better."""
    name = "length"
    def value(self, e):
        return min(1.0, len(e.summary) / 1000)

class Gamed(Share):
    """Only one phrase moves it."""
    name = "gamed"
    def value(self, e):
        return 0.9 if "more or less" in e.summary.lower() else 0.5

class Free(Share):
    """Of no bounds, as a log-probability has none."""
    bounds = (float("-inf"), float("inf"))

class Constant(Share):
    name = "constant"
    def value(self, e):
        return 0.5

class Stopped(Share):
    """Stops in its third batch where STOP is set; writes a line for every text to LOG."""
    name = "share"
    calls = 0
    def score(self, examples):
        import os
        type(self).calls += 1
        if os.environ.get("STOP") and type(self).calls == 3:
            raise KeyboardInterrupt
        with open(os.environ["LOG"], "a") as file:
            file.writelines(f"{e.source}|{e.summary}\\n" for e in examples)
        return super().score(examples)

class Raising(Share):
    def value(self, e):
        return 1 / 0

class NotANumber(Share):
    def score(self, examples):
        from faithkit.records import scored
        return [scored(e, self.name, float("nan")) for e in examples]

class Labelled(Share):
    needs = frozenset({"source", "summary", "label"})

class Cut(Share):
    """Sees a quarter of a source that names the fjord, and all of any other; writes what it scores
    to LOG."""
    trained_on = frozenset({"pairs.jsonl"})
    def score(self, examples):
        import os
        from faithkit.records import Coverage
        with open(os.environ["LOG"], "a") as file:
            file.writelines(f"{e.source}|{e.summary}\\n" for e in examples)
        parts, whole = Coverage(source_tokens=5, source_tokens_cut=15), Coverage(source_tokens=20)
        return [Score(e.id, self.name, self.value(e),
                      coverage=parts if "fjord" in e.source else whole) for e in examples]
'''


def faithkit(*arguments: str) -> Any:
    found = CliRunner().invoke(app, list(arguments))
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


def prepare(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Makes the working folder, with metrics and a small file of labelled pairs, half of them
    wrong in one word."""
    patch.chdir(folder)
    patch.setenv("FAITHKIT_CACHE", str(folder / "cache"))
    patch.setenv("LOG", str(folder / "log"))
    (folder / "own.py").write_text(OUTSIDE, encoding="utf-8")
    rows = []
    for number in range(24):
        have = [WORDS[(number + step) % len(WORDS)] for step in range(8)]
        lack = WORDS[(number + 10) % len(WORDS)]
        source = f"The {have[0]} and the {have[1]} met {' '.join(have[2:])} <i>{number}</i>."
        for label, last in ((1, have[3]), (0, lack)):
            rows.append({
                "id": f"r{number}/{label}", "document": f"g{number}", "source": source,
                "summary": f"The {have[0]} met the {have[2]} and {last}.", "label": label,
                "system": "good" if label else "bad", "score": label,
            })  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "pairs.jsonl").write_text(lines, encoding="utf-8")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder of the test's own, where a plot is a list of what it shows: only those of
    `whole` are drawn, and of these three lines."""

    def listed(path: Path, title: str, rows: Sequence[Any], *, dotted: str) -> None:
        path.write_text(json.dumps([title, rows, dotted]), encoding="utf-8")

    prepare(tmp_path, monkeypatch)
    monkeypatch.setattr("faithkit.report.plots.estimates_plot", listed)
    return tmp_path


def stress(*metrics: str, output: str = "out", more: Sequence[str] = ()) -> Any:
    asked = [part for name in metrics for part in ("-m", f"own.py:{name}")]
    return faithkit("stress", *asked, "-d", "pairs.jsonl", "-o", output, *more)


def summary_of(output: str | Path = "out") -> dict[str, Any]:
    summary: dict[str, Any] = json.loads(Path(output, "summary.json").read_text())
    return summary


def verdict(summary: Mapping[str, Any], metric: str, rule: str) -> str:
    found = [one["verdict"] for one in summary["findings"][f"own.py:{metric}"]
             if one["rule"] == rule]  # fmt: skip
    assert len(found) == 1, rule
    return str(found[0])


GAMING = ("--suite", "gaming", "--limit", "20")  # searched on ten documents, measured on ten
NEVER = "no appended phrase ever raises it"
AVERAGE = "appended phrases gain nothing on average"
SEARCH = "the worst suffix that a search finds gains nothing"
ALONE = "a phrase alone scores low"


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder and the terminal's text of one run of five metrics and two suites on two files,
    the second of three documents."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        prepare(folder, patch)
        lines = (folder / "pairs.jsonl").read_text().splitlines(True)
        (folder / "three.jsonl").write_text("".join(lines[:6]))
        (folder / "mine.txt").write_text("Trust us more or less.\n")
        more = (*GAMING, "--suite", "edits", "-d", "three.jsonl", "--phrases", "mine.txt")
        drawn = plots.estimates_plot

        def few_lines(path: Path, title: str, rows: Sequence[Any], *, dotted: str) -> None:
            drawn(path, title, rows[:3], dotted=dotted)

        patch.setattr("faithkit.report.plots.estimates_plot", few_lines)
        result = stress("Share", "Length", "Gamed", "Constant", "Free", more=more)
    assert result.exit_code == 0, result.output
    return folder / "out", result.stdout


def test_gaming_fails_a_metric_that_phrases_raise(whole: tuple[Path, str]) -> None:
    folder, terminal = whole
    summary = summary_of(folder)
    expected = {
        #          never    average  search   alone
        "Share": ("passes", "passes", "passes", "passes"),
        "Length": ("fails", "fails", "fails", "fails"),
        "Gamed": ("fails", "fails", "fails", "fails"),
        "Constant": ("passes", "passes", "passes", "fails"),
    }
    for metric, verdicts_ in expected.items():
        rules = (NEVER, AVERAGE, SEARCH, ALONE)
        assert tuple(verdict(summary, metric, rule) for rule in rules) == verdicts_, metric
    words = [one["words"] for one in summary["findings"]["own.py:Gamed"]]
    assert any("Appending “more or less” raises it in 100% of summaries, by +0.400 at most" in one
               for one in words)  # fmt: skip
    assert any("(“More or less.”)" in one for one in words), "the search finds the one phrase"
    assert "fails: Appending “more or less”" in terminal


def test_difficulty_gives_an_auc_for_each_bucket(place: Path) -> None:
    trained = faithkit("train", "difficulty", "pairs.jsonl", "-o", "d.json", "--offline")
    assert trained.exit_code == 0, trained.output
    assert "rows: 48" in trained.output
    more = ("--suite", "difficulty", "--difficulty", "d.json", "--offline", "--limit", "0")
    assert stress("Share", "Constant", more=more).exit_code == 0
    figures = summary_of()["figures"]["difficulty"]["pairs.jsonl"]
    every = {f["kind"]: f for f in figures["own.py:Share"]["figures"]}
    assert every["all"]["value"] == 1.0
    assert every["all"]["n"] == 48
    assert sum(every[kind]["n"] for kind in ("easy", "medium", "hard")) == 48
    constant = {f["kind"]: f["value"] for f in figures["own.py:Constant"]["figures"]}
    assert constant["all"] == 0.5
    assert verdict(summary_of(), "Share", "it is right on easy rows") == "passes"
    assert verdict(summary_of(), "Constant", "it is right on easy rows") == "fails"
    again = ("--suite", "difficulty", "--offline", "--limit", "0", "--json")
    found = stress("Share", output="without", more=again)
    assert json.loads(found.stdout)["settings"]["difficulty"] is None


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}  # fmt: skip


def test_a_run_that_was_stopped_goes_on_and_ends_in_the_same_bytes(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopping(output: str) -> Any:
        return stress("Stopped", output=output, more=(*GAMING, "--cache", f"{output}.sqlite"))

    assert stopping("whole").exit_code == 0
    whole = Path("log").read_text().splitlines()
    assert len(whole) == len(set(whole)), "no text is scored twice"
    Path("log").unlink()
    Path("own.py").touch()
    monkeypatch.setenv("STOP", "1")
    code = run.prepare(["own.py:Stopped"])[0].metric.score.__self__  # type: ignore[attr-defined]
    monkeypatch.setattr(type(code), "calls", 0)
    assert stopping("stopped").exit_code == 130
    assert not Path("stopped/summary.json").exists()
    before = Path("log").read_text().splitlines()
    assert len(before) == 2 * BATCH
    monkeypatch.delenv("STOP")
    assert stopping("stopped").exit_code == 0
    assert Path("log").read_text().splitlines() == whole
    assert everything(Path("stopped")) == everything(Path("whole"))
    Path("log").unlink()
    assert stopping("whole").exit_code == 0
    assert not Path("log").exists(), "what is cached is not scored again"


def test_rows_hold_the_value_of_every_metric_under_every_condition(whole: tuple[Path, str]) -> None:
    rows = [json.loads(line) for line in (whole[0] / "rows.jsonl").read_text().splitlines()]
    keys = [(row["suite"], row["dataset"], row["metric"], row["id"]) for row in rows]
    assert len(keys) == len(set(keys))
    row = next(row for row in rows
               if row["metric"] == "own.py:Share" and row["kind"] == "filler, alone"
               and row["note"] == "as we all know")  # fmt: skip
    assert row["values"]["after"] == {"value": 0.0, "outcome": "ok"}
    assert row["document"].startswith("g")
    assert row["dataset"] == "pairs.jsonl"
    assert not any("source" in one for one in rows), "the rows have no texts"


def test_the_page_says_it_in_words_and_escapes_the_texts(whole: tuple[Path, str]) -> None:
    folder, _ = whole
    html = (folder / "stress.html").read_text()
    assert "Share of words &lt;b&gt;in&lt;/b&gt; the source, from 0.0 to 1.0." in html
    assert "&lt;i&gt;" in html, "the worst cases show their texts"
    assert "<i>" not in html
    assert "Where it fails worst" in html
    assert re.search(r"Appending “[^”]+” raises it in 100% of summaries.*?<b>Fails\.</b>", html)
    assert not re.search(r"(src|href)=\"(?!data:)", html), "nothing is requested"
    assert re.search(
        r'<img src="data:image/svg\+xml;base64,[^"]+" alt="mean change[^"]{40,}"', html
    )
    assert '<meta name="viewport"' in html
    assert all(rule.passes in html for rule in load("gaming").rules if "'" not in rule.passes)
    assert "<h1>What can these metrics be trusted with?</h1>" in html
    markdown = (folder / "stress.md").read_text()
    assert "- ✗ Appending “" in markdown
    assert "| filler, suffix |" in markdown
    assert "fjord" not in markdown, "texts of the data are left out"
    assert (folder / "stress-gaming.png").read_bytes().startswith(b"\x89PNG")


CUT_WORDS = r"own\.py:Cut on pairs\.jsonl{} (\d+) of (\d+) scored texts \(([\d.]+)%\), " \
    r"([\d.]+)% of source tokens"  # fmt: skip


def test_page_markdown_and_terminal_carry_the_share_that_was_cut(place: Path) -> None:
    more = ("--suite", "gaming", "--suite", "edits", "--limit", "12")
    found = stress("Cut", "Share", more=more)
    assert found.exit_code == 0, found.output
    html, markdown = (Path("out", name).read_text() for name in ("stress.html", "stress.md"))
    for suite in ("edits", "gaming"):
        kept = summary_of()["figures"][suite]["pairs.jsonl"]["own.py:Cut"]["cut"]
        numbers = [str(kept[name]) for name in ("rows_cut", "rows")]
        for text in (html, markdown, found.stdout):
            card = re.search(CUT_WORDS.format(rf" \({suite}\)"), text)
            assert card and [*card.groups()[:2]] == numbers, suite
        one, every = (int(number) for number in numbers)
        shares = (100 * one / every, 100 * 15 * one / (20 * every))
        assert [float(share) for share in card.groups()[2:]] == [
            pytest.approx(share, abs=0.06) for share in shares
        ]
        assert 0 < one < every
    for text in (html, markdown):
        assert len(re.findall(CUT_WORDS.format(""), text)) == 2, "under the tables of each suite"
        assert "own.py:Cut on pairs.jsonl §¶" in text
        assert "§ cut because it did not fit: " in text
    assert "own.py:Share on pairs.jsonl §" not in markdown + html
    shared = summary_of()["figures"]["edits"]["pairs.jsonl"]["own.py:Share"]
    assert shared["cut"]["rows_cut"] == 0 and shared["trained_on"] == []


def test_page_and_markdown_mark_a_metric_that_was_trained_on_the_dataset(place: Path) -> None:
    Path("other.jsonl").write_text(Path("pairs.jsonl").read_text())
    found = stress("Cut", "Share", more=("-d", "other.jsonl", "--suite", "gaming", "--limit", "4"))
    words = "¶ trained on rows of this release, so no measure of new texts: own.py:Cut on "
    on = "all datasets (pairs.jsonl)"
    tables = f"{words}{on}; own.py:Cut on pairs.jsonl (pairs.jsonl)."
    for name in ("stress.html", "stress.md"):
        text = Path("out", name).read_text()
        assert tables in text and f"{words}{on}." in text
        assert re.search(r"own\.py:Cut on other\.jsonl §(?!¶)", text)
    assert f"{words}{on}." in found.stdout
    assert "trained on" not in stress("Share", output="none", more=GAMING).stdout


def test_the_mined_bigrams_are_written_out_and_folded_on_the_page(
    whole: tuple[Path, str],
) -> None:
    folder, _ = whole
    rows = [json.loads(line) for line in (folder / "bigrams.jsonl").read_text().splitlines()]
    assert {row["dataset"] for row in rows} == {"pairs.jsonl"}, "three documents are too few"
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    assert 5 < len(rows) <= 100
    assert {row["metrics"] for row in rows} <= set(range(1, 6))
    assert rows[0]["metrics"] >= rows[-1]["metrics"]
    html = (folder / "stress.html").read_text()
    folded = html.partition("<details>")[2].partition("</details>")[0]
    assert f"The {len(rows)} bigrams mined on pairs.jsonl, from 28 summaries" in folded
    assert all(row["bigram"] in folded for row in rows)
    assert "No bigrams were mined on three.jsonl: that takes four documents." in html
    markdown = (folder / "stress.md").read_text()
    assert "The bigrams mined from 28 summaries of pairs.jsonl are in `bigrams.jsonl`" in markdown
    assert rows[0]["bigram"] not in markdown


def test_bigrams_of_an_earlier_run_are_removed(place: Path) -> None:
    Path("out").mkdir()
    Path("out/bigrams.jsonl").write_text("{}\n")
    assert stress("Share", more=("--suite", "edits", "--limit", "2")).exit_code == 0
    assert not Path("out/bigrams.jsonl").exists()


def test_phrases_of_a_file_are_tested_like_the_others(whole: tuple[Path, str]) -> None:
    folder, _ = whole
    summary = summary_of(folder)
    assert summary["settings"]["phrases"] == ["Trust us more or less."]
    figures = summary["figures"]["gaming"]["pairs.jsonl"]["own.py:Gamed"]["figures"]
    changes = {one["kind"]: one["value"] for one in figures if one["statistic"] == "mean change"}
    assert changes["given, suffix"] == pytest.approx(0.4)
    assert "| given, suffix |" in (folder / "stress.md").read_text()


def test_phrases_without_the_suite_gaming_are_refused(place: Path) -> None:
    Path("mine.txt").write_text("Trust us.\n")
    found = stress("Share", more=("--suite", "edits", "--phrases", "mine.txt"))
    assert found.exit_code == 2
    assert "--phrases are cases of the suite gaming" in found.stderr


def test_a_metric_without_bounds_gets_its_page(whole: tuple[Path, str]) -> None:
    folder, _ = whole
    assert summary_of(folder)["metrics"][-1]["bounds"] == [None, None]
    assert "the source, without bounds." in (folder / "stress.html").read_text()


def test_two_datasets_are_pooled_for_the_verdict_and_shown_apart(whole: tuple[Path, str]) -> None:
    figures = summary_of(whole[0])["figures"]["gaming"]
    assert list(figures) == ["all datasets", "pairs.jsonl", "three.jsonl"]
    counts = [next(f["groups"] for f in figures[name]["own.py:Share"]["figures"]
                   if f["kind"] == "filler, suffix") for name in figures]  # fmt: skip
    assert counts == [23, 20, 3], "documents of two datasets are two, whatever they are called"


def test_a_metric_of_an_entry_point_gets_every_suite(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = place / "mine-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[faithkit.metrics]\nmine = own:Share\n")
    monkeypatch.syspath_prepend(str(place))
    found = faithkit(
        "stress", "-m", "mine", "-d", "pairs.jsonl", "--limit", "12", "--offline", "-o", "out"
    )
    assert found.exit_code == 0, found.output
    summary = summary_of()
    asked = {one["suite"] for one in summary["suites"]} | {
        one["suite"] for one in summary["skipped"]
    }
    assert asked == set(SUITES)
    assert {"gaming", "difficulty", "edits"} <= set(summary["figures"])
    assert {one["suite"] for one in summary["findings"]["mine"]} >= {"gaming", "edits"}
    correction = [one for one in summary["findings"]["mine"]
                  if one["rule"] == "a correction raises it"]  # fmt: skip
    assert [one["verdict"] for one in correction] == ["passes"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "own.py:Share"], "stress needs -m METRIC and -d DATASET"),
        (["-m", "own.py:Share", "-d", "pairs.jsonl", "--suite", "gamin"],
         "Unknown suite 'gamin'. Did you mean 'gaming'?"),
        (["-m", "nosuch", "-d", "pairs.jsonl"], "Unknown metric 'nosuch'"),
        (["-m", "own.py:Share", "-d", "pairs.jsonl", "-d", "pairs.jsonl"], "given twice"),
        (["-m", "own.py:Share", "-d", "nosuch"], "neither a file nor a dataset"),
        (["-m", "own.py:Labelled", "-d", "pairs.jsonl"], "reads label as well"),
        (["-m", "own.py:Raising", "-d", "pairs.jsonl", "--suite", "edits"],
         "failed on row 'correction/r15/0 (before)': ZeroDivisionError: division by zero (own.py"),
        (["-m", "own.py:Share", "-d", "bare.jsonl", "--suite", "difficulty"],
         "suite difficulty on bare.jsonl: difficulty needs rows labelled"),
        (["-m", "own.py:Share", "-d", "pairs.jsonl", "--suite", "difficulty", "--difficulty", "x"],
         "x: No such file"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_clear_line(place: Path, arguments: list[str], message: str) -> None:
    bare = [f'{{"source": "It rained {n} times.", "summary": "Rain."}}\n' for n in range(10)]
    Path("bare.jsonl").write_text("".join(bare))
    found = faithkit("stress", *arguments, "-o", "out", "--offline")
    assert found.exit_code == 2
    assert message in found.stderr
    assert found.stderr.count("\n") == 1
    assert not Path("out/summary.json").exists()


def test_a_file_may_have_other_columns_and_labels(place: Path) -> None:
    rows = Path("pairs.jsonl").read_text().replace('"summary"', '"tldr"')
    Path("own.jsonl").write_text(rows.replace('"label": 1', '"label": "ok"'))
    named = ("--column", "summary=tldr", "--labels", "ok=1,0=0", "--suite", "difficulty")
    found = faithkit("stress", "-m", "own.py:Share", "-d", "own.jsonl", *named, "-o", "out")
    assert found.exit_code == 0, found.output
    assert summary_of()["suites"] == [{"suite": "difficulty", "dataset": "own.jsonl", "cases": 48}]


def test_a_metric_without_any_value_is_named_and_ends_with_code_3(place: Path) -> None:
    found = stress("Share", "NotANumber", more=("--suite", "edits"))
    assert found.exit_code == 3, found.output
    assert "own.py:NotANumber scored nothing, because its model failed" in found.stderr
    assert "own.py:Share scored" not in found.stderr
    assert summary_of()["without_score"] == ["own.py:NotANumber"]


# The runner


SCALE = ("weaker systems", "stronger systems", "stronger less weaker systems")


def test_texts_of_a_source_are_scored_together_and_a_timeout_is_tried_again(tmp_path: Path) -> None:
    one = prepared_metric("one", lambda e: None if e.summary == "late" else 0.5)
    pairs = [("a", "1"), ("b", "1"), ("a", "2"), ("a", "1"), ("b", "late")]

    with Cache(tmp_path / "scores.sqlite") as store:
        for _ in range(2):
            scores = MetricScores([one], store, lambda *_: None)
            assert scores.values("one", pairs) == [0.5, 0.5, 0.5, 0.5, None]
            assert scores.of("one", ("b", "late"))[:2] == (None, "timeout")
    assert one.metric.batches == [  # type: ignore[attr-defined]
        [("a", "1"), ("a", "2"), ("b", "1"), ("b", "late")],
        [("b", "late")],
    ]


def test_each_text_of_a_suite_counts_once_in_what_was_cut() -> None:
    """Five texts of two cases, of which four are distinct; the two long ones are cut by half."""
    seen = Coverage(source_tokens=10)

    class Half(Metric):
        name, bounds, unit = "half", (0.0, 1.0), "made up"

        def score(self, examples: Sequence[Example]) -> list[Score]:
            cut = replace(seen, source_tokens_cut=10)
            return [scored(e, "half", 0.5, coverage=cut if e.source == "long" else seen)
                    for e in examples]  # fmt: skip

    half = Half()
    signature = signature_of(half, {"label": "half"}, {})
    one = run.Prepared("half", half, signature, frozenset({"cliff"}))
    texts = {"before": ("long", "1"), "after": ("long", "2")}
    more = {"before": ("long", "1"), "after": ("short", "1"), "other": ("short", "2")}
    cases = [Case("a", "edits", "k", "d", texts), Case("b", "edits", "k", "d", more)]
    parts = [stress_run.SuiteCases("edits", name, cases) for name in ("cliff", "begin")]
    scores = MetricScores([one], Cache(None), lambda *_: None)
    scores.ensure(cases)
    found = stress_run.caveats_of(parts[:1], "half", scores)
    assert (found["cut"]["rows"], found["cut"]["rows_cut"]) == (4, 2)
    assert str(CutTally(**found["cut"])) == "2 of 4 scored texts (50.0%), 33.3% of source tokens"
    assert found["trained_on"] == ["cliff"]
    assert stress_run.caveats_of(parts[1:], "half", scores)["trained_on"] == []
    both = stress_run.caveats_of(parts, "half", scores)
    assert (both["cut"]["rows"], both["trained_on"]) == (8, ["cliff"])


def test_few_documents_get_no_interval_and_page_and_terminal_say_why(place: Path) -> None:
    more = ("--suite", "gaming", "--suite", "edits", "--limit", "9")
    found = stress("Length", more=more)
    assert "pairs.jsonl: only 9 documents; an interval or a test needs 10" in found.stderr
    summary = summary_of()
    judged = {one["rule"]: one["verdict"] for one in summary["findings"]["own.py:Length"]}
    assert judged.pop(NEVER) == "fails", "one summary is enough"
    assert set(judged.values()) == {"undetermined"}
    figures = [one for suite in summary["figures"].values() for data in suite.values()
               for one in data["own.py:Length"]["figures"]]  # fmt: skip
    assert {one.get("low") for one in figures if one["kind"] not in SCALE} == {None}
    assert [one["reason"] for one in figures if one["statistic"] == "p"] == [FEW]
    assert found.stdout.count(f"({FEW})") > len(judged)
    assert "No value or no interval: correction, " in found.stdout
    for name in ("stress.html", "stress.md"):
        text = Path("out", name).read_text()
        assert "Fewer than 10 documents give none" in text
        assert re.search(rf"No value or no interval: [^(]+ \({FEW}\)", text)


def test_both_tables_of_edits_are_on_the_page_and_the_terminal(whole: tuple[Path, str]) -> None:
    folder, terminal = whole
    of_length = terminal.partition("\nown.py:Length\n")[2].partition("\nown.py:Gamed\n")[0]
    lines = [line.split("  ") for line in of_length.splitlines()]
    (header,) = [line for line in lines if line[0] == "mean change"]
    shown = [cell.strip() for cell in header if cell.strip()]
    assert shown == ["mean change", "of inconsistent summaries", "of consistent summaries"]
    below = of_length.partition("of consistent summaries")[2].splitlines()
    assert below[1].startswith("correction ")
    (capitals,) = [line for line in below if line.startswith("lower case")]
    assert capitals.count("0.000") >= 2
    (spaces,) = [line for line in below if line.startswith("white space")]
    assert spaces.count("+0.006") == 2 and "[" not in spaces, "the same in every summary"
    for page_text in ((folder / "stress.html").read_text(), (folder / "stress.md").read_text()):
        first, second = (page_text.index(f"Harmless edits of {member} summaries")
                         for member in ("inconsistent", "consistent"))  # fmt: skip
        assert first < second
    html = (folder / "stress.html").read_text()
    assert 'alt="mean change (edits of inconsistent summaries). own.py:Share, correction: ' in html
    assert ", lower case: " in html and "lower case, inconsistent: " not in html
