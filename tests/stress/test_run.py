"""`faithkit stress`: runner, rules, page and command, on metrics whose right answers
are known by hand. The suites' own mathematics is in their own tests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from faithkit import Example, Score, run
from faithkit.cache import Cache
from faithkit.cli import app
from faithkit.metrics.base import Metric
from faithkit.metrics.loading import signature_of
from faithkit.records import Coverage, CutTally, Outcome, scored, unscored
from faithkit.stress import run as stress_run
from faithkit.stress import verdicts
from faithkit.stress.scores import BATCH, MetricScores
from faithkit.stress.suites import SUITES, base, load
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


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with metrics and a small file of labelled pairs, half of them wrong in one word."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAITHKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    (tmp_path / "own.py").write_text(OUTSIDE, encoding="utf-8")
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
    (tmp_path / "pairs.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def stress(*metrics: str, output: str = "out", more: Sequence[str] = ()) -> Any:
    asked = [part for name in metrics for part in ("-m", f"own.py:{name}")]
    return faithkit("stress", *asked, "-d", "pairs.jsonl", "-o", output, *more)


def summary_of(output: str = "out") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(output, "summary.json").read_text())
    return found


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


def test_gaming_tells_the_gamed_from_the_honest(place: Path) -> None:
    found = stress("Share", "Length", "Gamed", "Constant", more=GAMING)
    assert found.exit_code == 0, found.output
    summary = summary_of()
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
    assert "fails: Appending “more or less”" in found.output


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


def test_rows_hold_what_every_metric_said_of_every_condition(place: Path) -> None:
    assert stress("Share", "Constant", more=("--suite", "gaming", "--limit", "4")).exit_code == 0
    rows = [json.loads(line) for line in Path("out/rows.jsonl").read_text().splitlines()]
    keys = [(row["suite"], row["metric"], row["id"]) for row in rows]
    assert len(keys) == len(set(keys))
    row = next(row for row in rows
               if row["metric"] == "own.py:Share" and row["kind"] == "filler, alone"
               and row["note"] == "as we all know")  # fmt: skip
    assert row["values"]["after"] == {"value": 0.0, "outcome": "ok"}
    assert row["document"].startswith("g")
    assert row["dataset"] == "pairs.jsonl"
    assert not any("source" in one for one in rows), "no text stands in the rows"


def test_the_page_says_it_in_words_and_escapes_the_texts(place: Path) -> None:
    assert stress("Length", more=GAMING).exit_code == 0
    html = Path("out/stress.html").read_text()
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
    assert "<h1>What can this metric be trusted with?</h1>" in html
    markdown = Path("out/stress.md").read_text()
    assert "- ✗ Appending “" in markdown
    assert "| filler, suffix |" in markdown
    assert "fjord" not in markdown, "texts of the data stay out of it"
    assert Path("out/stress-gaming.png").read_bytes().startswith(b"\x89PNG")


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


def test_the_mined_bigrams_are_written_out_and_folded_on_the_page(place: Path) -> None:
    more = ("-d", "two.jsonl", *GAMING)
    Path("two.jsonl").write_text("".join(Path("pairs.jsonl").read_text().splitlines(True)[:6]))
    assert stress("Share", "Length", more=more).exit_code == 0
    rows = [json.loads(line) for line in Path("out/bigrams.jsonl").read_text().splitlines()]
    assert {row["dataset"] for row in rows} == {"pairs.jsonl"}, "three documents are too few"
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    assert 5 < len(rows) <= 100
    assert {row["metrics"] for row in rows} <= {1, 2}
    assert rows[0]["metrics"] >= rows[-1]["metrics"]
    html = Path("out/stress.html").read_text()
    folded = html.partition("<details>")[2].partition("</details>")[0]
    assert f"The {len(rows)} bigrams mined on pairs.jsonl" in folded
    assert all(row["bigram"] in folded for row in rows)
    assert "No bigrams were mined on two.jsonl: that takes four documents." in html
    assert rows[0]["bigram"] not in Path("out/stress.md").read_text()
    assert stress("Share", more=("--suite", "edits", "--limit", "2")).exit_code == 0
    assert not Path("out/bigrams.jsonl").exists(), "those of another run do not stay"


def test_phrases_of_a_file_are_tested_like_the_others(place: Path) -> None:
    Path("mine.txt").write_text("Trust us more or less.\n")
    assert stress("Gamed", more=(*GAMING, "--phrases", "mine.txt")).exit_code == 0
    summary = summary_of()
    assert summary["settings"]["phrases"] == ["Trust us more or less."]
    figures = summary["figures"]["gaming"]["pairs.jsonl"]["own.py:Gamed"]["figures"]
    changes = {one["kind"]: one["value"] for one in figures if one["statistic"] == "mean change"}
    assert changes["given, suffix"] == pytest.approx(0.4)
    assert "| given, suffix |" in Path("out/stress.md").read_text()


def test_phrases_without_the_suite_gaming_are_refused(place: Path) -> None:
    Path("mine.txt").write_text("Trust us.\n")
    found = stress("Share", more=("--suite", "edits", "--phrases", "mine.txt"))
    assert found.exit_code == 2
    assert "--phrases are cases of the suite gaming" in found.stderr


def test_a_metric_without_bounds_gets_its_page(place: Path) -> None:
    assert stress("Free", more=GAMING).exit_code == 0
    assert [one["bounds"] for one in summary_of()["metrics"]] == [[None, None]]
    assert "the source, without bounds." in Path("out/stress.html").read_text()


def test_two_datasets_are_pooled_for_the_verdict_and_shown_apart(place: Path) -> None:
    Path("more.jsonl").write_text(Path("pairs.jsonl").read_text())
    more = ("-d", "more.jsonl", "--suite", "gaming", "--limit", "4")
    assert stress("Share", more=more).exit_code == 0
    figures = summary_of()["figures"]["gaming"]
    assert list(figures) == ["all datasets", "pairs.jsonl", "more.jsonl"]
    counts = [next(f["groups"] for f in figures[name]["own.py:Share"]["figures"]
                   if f["kind"] == "filler, suffix") for name in figures]  # fmt: skip
    assert counts == [8, 4, 4], "documents of two datasets are two, whatever they are called"


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
        (["-m", "own.py:Share", "-d", "pairs.jsonl", "-d", "pairs.jsonl"], "asked for twice"),
        (["-m", "own.py:Share", "-d", "nosuch"], "neither a file nor a dataset"),
        (["-m", "own.py:Labelled", "-d", "pairs.jsonl"], "reads label as well"),
        (["-m", "own.py:Share", "-d", "bare.jsonl", "--suite", "difficulty"],
         "suite difficulty on bare.jsonl: difficulty needs rows labelled"),
        (["-m", "own.py:Share", "-d", "pairs.jsonl", "--suite", "difficulty", "--difficulty", "x"],
         "x: No such file"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_clear_line(place: Path, arguments: list[str], message: str) -> None:
    Path("bare.jsonl").write_text('{"source": "It rained.", "summary": "Rain."}\n')
    found = faithkit("stress", *arguments, "-o", "out", "--offline")
    assert found.exit_code == 2
    assert message in found.stderr
    assert found.stderr.count("\n") == 1
    assert not Path("out/summary.json").exists()


# The runner


def prepared(label: str, value: Callable[[Example], float | None]) -> run.Prepared:
    class Made(Metric):
        name, bounds, unit = "made", (0.0, 1.0), "made up"

        def __init__(self) -> None:
            self.batches: list[list[tuple[str, str]]] = []

        def score(self, examples: Sequence[Example]) -> list[Score]:
            self.batches.append([(e.source, e.summary) for e in examples])
            return [
                unscored(e, "made", Outcome.TIMEOUT) if (v := value(e)) is None
                else scored(e, "made", v)
                for e in examples
            ]  # fmt: skip

    made = Made()
    return run.Prepared(label, made, signature_of(made, {"label": label}, {}))


def test_texts_of_a_source_stand_together_and_a_timeout_is_tried_again(tmp_path: Path) -> None:
    one = prepared("one", lambda e: None if e.summary == "late" else 0.5)
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
    scores.ensure([pair for case in cases for pair in case.texts.values()])
    found = stress_run.caveats_of(parts[:1], "half", scores)
    assert (found["cut"]["rows"], found["cut"]["rows_cut"]) == (4, 2)
    assert str(CutTally(**found["cut"])) == "2 of 4 scored texts (50.0%), 33.3% of source tokens"
    assert found["trained_on"] == ["cliff"]
    assert stress_run.caveats_of(parts[1:], "half", scores)["trained_on"] == []
    both = stress_run.caveats_of(parts, "half", scores)
    assert (both["cut"]["rows"], both["trained_on"]) == (8, ["cliff"])


# The rules


def row(kind: str, statistic: str, value: float | None, *bounds: float, **more: Any) -> Any:
    low, high = bounds or (None, None)
    return {"kind": kind, "statistic": statistic, "value": value, "low": low, "high": high,
            "n": 10, "groups": 10, **more}  # fmt: skip


FEW = "only 9 documents; an interval or a test needs 10 or more"
SCALE = ("weaker systems", "stronger systems", "stronger less weaker systems")


def few(kind: str, statistic: str, value: float, **more: Any) -> Any:
    """A figure of nine documents."""
    return row(kind, statistic, value, groups=9, interval_reason=FEW, **more)


def same(kind: str, statistic: str, value: float) -> Any:
    """A figure that every resample agrees on."""
    reason = f"all resamples give {value:.4g}, so the data say nothing of its variation"
    return row(kind, statistic, value, interval_reason=reason)


def judged(suite: str, *rows: Any, phrases: Sequence[Any] = ()) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in verdicts.judge({suite: {"figures": list(rows), "phrases": list(phrases)}}):
        found.setdefault(one.rule, []).append(f"{one.words} {one.verdict}")
    return found


def test_a_correction_must_raise_it_significantly() -> None:
    rule = "a correction raises it"
    up, unsure, flat = (
        judged("edits", row("correction", "mean change", value, low, high))[rule]
        for value, low, high in ((0.12, 0.1, 0.14), (0.12, -0.01, 0.25), (0.0, 0.0, 0.0))
    )
    assert up == ["A correction raises it by +0.120 [+0.100, +0.140]. passes"]
    assert unsure == ["A correction raises it by +0.120 [−0.010, +0.250]. fails"]
    assert flat == ["A correction does not move it. fails"]
    assert judged("edits", few("correction", "mean change", 0.1))[rule] == [
        f"A correction changes it by +0.100 ({FEW}). undetermined"
    ]
    assert judged("edits", same("correction", "mean change", 0.1))[rule] == [
        "A correction raises it by +0.100. passes"
    ]
    nearly = same("correction", "mean change", 1e-17)
    assert judged("edits", nearly)[rule] == ["A correction does not move it. fails"]


def test_changes_on_few_documents_are_neither_harmless_nor_harmful() -> None:
    rule = "a harmless edit does not move it"
    correction = row("correction", "mean change", 0.10, 0.05, 0.15)
    still, moved = (few("voice, inconsistent", "mean change", value) for value in (0.0, 0.9))
    for edit in (still, moved):
        for rows in ((correction, edit), (edit,)):
            (found,) = judged("edits", *rows)[rule]
            assert found.endswith(f"({FEW}). undetermined")
    whole = same("voice, inconsistent", "mean change", 0.0)
    (found,) = judged("edits", few("correction", "mean change", 0.1), whole)[rule]
    assert found.endswith(f"(corrections to compare with: {FEW}). undetermined")
    assert judged("edits", whole)[rule][0].endswith("passes")
    assert judged("edits", correction, whole)[rule][0].endswith("passes")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("mined", same, 0.0)], "passes"),
        ([("mined", same, 0.4)], "fails"),
        ([("mined", few, 0.0)], "undetermined"),
        ([("mined", few, 0.4)], "undetermined"),
        ([("mined", same, 0.0), ("filler", few, -0.1)], "undetermined"),
        ([("mined", same, 0.1), ("filler", few, 0.4)], "fails"),
    ],
)
def test_no_kind_of_phrase_gains_on_average(rows: list[Any], expected: str) -> None:
    made = [figure(f"{kind}, suffix", "mean change", value) for kind, figure, value in rows]
    assert judged("gaming", *made)[AVERAGE][0].endswith(expected)
    searched = [figure("searched, suffix", "mean change", value) for _, figure, value in rows[:1]]
    if len(rows) == 1:
        assert judged("gaming", *searched)[SEARCH][0].endswith(expected)


def test_the_kind_that_decides_is_named_where_a_higher_one_is_unsure() -> None:
    found = judged("gaming", row("mined, suffix", "mean change", 0.1, 0.05, 0.15),
                   row("filler, suffix", "mean change", 0.3, -0.1, 0.7))[AVERAGE]  # fmt: skip
    assert found == [
        "Appending a phrase changes it by +0.100 [+0.050, +0.150] on average for the kind of "
        "phrase that decides (mined). fails"
    ]


def test_one_summary_that_a_phrase_raises_is_enough_but_few_that_none_does_are_not() -> None:
    phrase = {"kind": "filler, suffix", "phrase": "so", "rows": 4, "rises": 1, "largest rise": 0.2}
    never, some = (few("any phrase, suffix", "share that rises", value) for value in (0.0, 0.25))
    assert judged("gaming", some, phrases=[phrase])[NEVER][0].endswith("fails")
    assert judged("gaming", never)[NEVER] == [
        f"Appending a phrase never raises it in any summary ({FEW}). undetermined"
    ]


def test_rates_and_intervals_of_few_documents_say_nothing() -> None:
    silent = few("any phrase, alone", "share without a value", 1.0)
    assert judged("gaming", silent)[ALONE][0].endswith(f"({FEW}). undetermined")
    wide = row("any phrase, alone", "share without a value", 0.0, 0.0, 0.0)
    low = row("filler, alone", "mean value", 0.1, 0.0, 0.2)
    (found,) = judged("gaming", wide, low, few("weaker systems", "mean value", 0.6))[ALONE]
    assert found.endswith(f"(the weaker systems' mean: {FEW}). undetermined")
    probe = few("number", "flip rate", 0.0, check="higher")
    (found,) = judged("probes", probe)["an error makes it fall"]
    assert found.endswith(f"0% of 10 cases ({FEW}). undetermined")
    statistics = ("mean (a - c)", "mean (b - d)", "mean (a - c) - (b - d)", "inversions d > b")
    rows = [few("made", statistic, 0.2) for statistic in statistics]
    for (found,) in judged("counterfactual", *rows).values():
        assert found.endswith(f"({FEW}). undetermined")
    (found,) = judged("difficulty", few("easy", "auc", 1.0))["it is right on easy rows"]
    assert found.endswith(f": {FEW}. undetermined")
    (found,) = judged("difficulty", same("easy", "auc", 1.0))["it is right on easy rows"]
    assert found.endswith("passes")


def test_few_documents_get_no_interval_and_page_and_terminal_say_why(place: Path) -> None:
    more = ("--suite", "gaming", "--suite", "edits", "--limit", "9")
    found = stress("Length", more=more)
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


def test_a_harmless_edit_may_move_it_by_a_fifth_of_a_correction() -> None:
    rule = "a harmless edit does not move it"
    correction = row("correction", "mean change", 0.10, 0.05, 0.15)
    found = judged(
        "edits", correction, row("voice, inconsistent", "mean change", -0.02, -0.03, -0.01),
        row("quotes, inconsistent", "mean change", 0.021, 0.02, 0.022),
    )[rule]  # fmt: skip
    assert [one.rpartition(" ")[2] for one in found] == ["passes", "fails"]
    assert found[0].startswith(
        "Voice, a harmless edit of inconsistent summaries: moved by −0.020 [−0.030, −0.010], 20% of"
    )
    without = judged("edits", row("voice, inconsistent", "mean change", -0.02, -0.03, -0.01),
                     row("quotes, inconsistent", "mean change", 0.1, -0.1, 0.3))[rule]  # fmt: skip
    assert [one.rpartition(" ")[2] for one in without] == ["fails", "passes"]


def test_edits_of_inconsistent_summaries_are_judged_where_there_are_any() -> None:
    rule = "a harmless edit does not move it"
    correction = row("correction", "mean change", 0.10, 0.05, 0.15)
    consistent = row("voice, consistent", "mean change", 0.09, 0.08, 0.1)
    inconsistent = row("voice, inconsistent", "mean change", 0.0, -0.01, 0.01)
    (both,) = judged("edits", correction, consistent, inconsistent)[rule]
    assert "of inconsistent summaries" in both and both.endswith("passes")
    (alone,) = judged("edits", correction, consistent)[rule]
    assert "of consistent summaries" in alone and alone.endswith("fails")


def test_the_worst_edits_shown_are_of_the_summaries_that_are_judged() -> None:
    texts = {"before": ("s", "a"), "after": ("s", "b")}
    kinds = ("voice, consistent", "voice, inconsistent")
    cases = [Case(kind, "edits", kind, kind, texts) for kind in kinds]
    answers = [{"before": 0.5, "after": after} for after in (0.9, 0.6)]
    rule = "a harmless edit does not move it"
    assert dict(verdicts.worst("edits", cases, answers))[rule] == [(1, pytest.approx(0.1))]
    assert dict(verdicts.worst("edits", cases[:1], answers[:1]))[rule] == [(0, pytest.approx(0.4))]


def test_both_tables_of_edits_are_on_the_page_and_the_terminal(place: Path) -> None:
    found = stress("Length", more=("--suite", "edits", "--limit", "12"))
    assert found.exit_code == 0, found.output
    lines = [line.split("  ") for line in found.stdout.splitlines()]
    (header,) = [line for line in lines if line[0] == "mean change"]
    shown = [cell.strip() for cell in header if cell.strip()]
    assert shown == ["mean change", "of inconsistent summaries", "of consistent summaries"]
    below = found.stdout.partition("of consistent summaries")[2].splitlines()
    assert below[1].startswith("correction ")
    (capitals,) = [line for line in below if line.startswith("lower case")]
    assert capitals.count("0.000") >= 2
    (spaces,) = [line for line in below if line.startswith("white space")]
    assert spaces.count("+0.006") == 2 and "[" not in spaces, "the same in every summary"
    for page_text in (Path("out/stress.html").read_text(), Path("out/stress.md").read_text()):
        first, second = (page_text.index(f"Harmless edits of {member} summaries")
                         for member in ("inconsistent", "consistent"))  # fmt: skip
        assert first < second
    html = Path("out/stress.html").read_text()
    assert 'alt="mean change (edits of inconsistent summaries). own.py:Length, correction: ' in html
    assert ", lower case: " in html and "lower case, inconsistent: " not in html


def test_phrases_alone_are_held_against_the_weaker_systems() -> None:
    silent = row("any phrase, alone", "share without a value", 0.5, 0.4, 0.6)
    some = [row("mined, alone", "mean value", 0.2, 0.1, 0.3),
            row("filler, alone", "mean value", 0.5, 0.4, 0.7), silent]  # fmt: skip
    low, high = (row("weaker systems", "mean value", value) for value in (0.6, 0.71))
    unchanged = row("unchanged", "mean value", 0.9)
    assert judged("gaming", *some, low, unchanged)[ALONE][0].endswith("fails")
    assert judged("gaming", *some, high)[ALONE][0].endswith("passes")
    assert judged("gaming", *some, unchanged)[ALONE][0].endswith("passes")
    assert judged("gaming", silent)[ALONE] == [
        "A phrase alone, as the whole summary, never gets a value. passes"
    ]


def four(first: float, second: float, between: float, low: float, high: float) -> list[Any]:
    return [row("made", "mean (a - c)", first, first - 0.05, first + 0.05),
            row("made", "mean (b - d)", second, second - 0.05, second + 0.05),
            row("made", "mean (a - c) - (b - d)", between, low, high),
            row("made", "p", 0.012)]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (four(0.2, 0.2, 0.0, -0.01, 0.01), ("passes", "passes")),
        (four(0.2, 0.16, 0.04, 0.01, 0.07), ("passes", "passes")),  # a fifth
        (four(0.2, 0.15, 0.05, 0.01, 0.09), ("passes", "fails")),
        (four(0.2, 0.04, 0.16, -0.01, 0.33), ("fails", "passes")),  # (b - d) may be 0
    ],
)
def test_the_source_decides_and_what_is_true_does_not_show(
    rows: list[Any], expected: tuple[str, str]
) -> None:
    found = judged("counterfactual", *rows)
    names = ("the source decides", "what is true in the world does not show")
    assert tuple(found[name][0].rpartition(" ")[2] for name in names) == expected
    assert "paired t-test p = 0.012" in found[names[1]][0]


def test_rates_up_to_a_tenth_pass() -> None:
    rule = "the claim that the source denies is seldom ahead"
    rows = [row("made", "inversions d > b", 0.1), row("made", "inversions c > a", 0.11)]
    assert [one.rpartition(" ")[2] for one in judged("counterfactual", *rows)[rule]] == [
        "passes",
        "fails",
    ]
    found = judged(
        "probes",
        row("number", "flip rate", 0.1, check="higher"),
        row("date", "flip rate", 0.11, check="higher"),
        row("evidence at the end", "flip rate", None, check="same", reason="no gap"),
        row("instruction in the source", "flip rate", 0.0, check="no rise"),
    )
    assert found == {
        "an error makes it fall": [
            "Number: the unfaithful text scores as high or higher in 10% of 10 cases. passes",
            "Date: the unfaithful text scores as high or higher in 11% of 10 cases. fails",
        ],
        "text in front of the evidence does not move it": [
            "Evidence at the end: no gap. undetermined"
        ],
        "an instruction does not raise it": [
            "Instruction in the source: the value rises by more than the tolerance in 0% of 10 "
            "cases. passes"
        ],
    }


def test_an_auc_must_be_above_chance_significantly() -> None:
    found = judged("difficulty", row("easy", "auc", 0.8, 0.7, 0.9), row("hard", "auc", 0.6, 0.5, 1),
                   row("medium", "auc", None, reason="all 3 rows are consistent"))  # fmt: skip
    assert found["it is right on easy rows"][0].endswith("passes")
    assert found["it is right on hard rows"][0].endswith("fails")
    assert found["it is right on medium rows"] == [
        "On medium rows it has no AUC: all 3 rows are consistent. undetermined"
    ]


@pytest.mark.parametrize(
    ("suite", "kind", "answer", "rule", "badness"),
    [
        ("edits", "correction", {"before": 0.5, "after": 0.4}, "a correction raises it", 0.1),
        ("edits", "correction", {"before": 0.5, "after": 0.6}, "a correction raises it", None),
        ("edits", "voice, consistent", {"before": 0.5, "after": 0.4},
         "a harmless edit does not move it", 0.1),
        ("counterfactual", "made", {"a": 0.5, "b": 0.5, "c": 0.4, "d": 0.7},
         "the claim that the source denies is seldom ahead", 0.2),
        ("counterfactual", "made", {"a": 0.5, "b": 0.5, "c": 0.4, "d": 0.7},
         "what is true in the world does not show", 0.3),
        ("counterfactual", "made", {"a": 0.5, "b": None, "c": 0.4, "d": 0.7},
         "what is true in the world does not show", None),
        ("probes", "number", {"faithful": 0.5, "unfaithful": 0.7}, "an error makes it fall", 0.2),
        ("probes", "number", {"faithful": 0.5, "unfaithful": 0.3}, "an error makes it fall", None),
        ("probes", "evidence at the end", {"plain": 0.5, "changed": 0.3},
         "text in front of the evidence does not move it", 0.2),
        ("probes", "instruction in the source", {"plain": 0.5, "changed": 0.3},
         "an instruction does not raise it", None),
        ("gaming", "filler, alone", {"before": 0.5, "after": 0.3}, ALONE, 0.3),
        ("gaming", "searched, suffix", {"before": 0.5, "after": 0.6}, SEARCH, 0.1),
    ],
)  # fmt: skip
def test_how_far_a_case_breaks_a_rule(
    suite: str, kind: str, answer: dict[str, float | None], rule: str, badness: float | None
) -> None:
    case = Case("c", suite, kind, "d", {name: ("s", name) for name in answer})
    found = dict(verdicts.worst(suite, [case], [answer]))
    expected = None if badness is None else [(0, pytest.approx(badness))]
    assert found.get(rule) == expected


def test_the_worst_cases_are_of_different_documents_and_only_those_that_break_the_rule() -> None:
    def made(number: int, document: str) -> Case:
        texts = {"before": ("s", "a"), "after": ("s", "b")}
        return Case(f"c{number}", "gaming", "filler, suffix", document, texts)

    cases = [made(0, "d"), made(1, "d"), made(2, "e"), made(3, "f"), made(4, "g")]
    values = [0.3, 0.4, 0.1, 0.5, 0.51]
    answers = [{"before": 0.5 if n > 2 else 0.0, "after": v} for n, v in enumerate(values)]
    found = dict(verdicts.worst("gaming", cases, answers))
    assert found[NEVER] == [(1, 0.4), (2, 0.1), (4, pytest.approx(0.01))]
    assert SEARCH not in found


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.12, "+0.120"), (-0.12, "−0.120"), (0.0, "0.000"), (-0.0001, "0.000"), (1.0, "+1.000")],
)
def test_numbers_have_a_true_minus_and_no_sign_at_zero(value: float, shown: str) -> None:
    assert base.number(value) == shown
    assert base.number(value, sign=False) == shown.removeprefix("+")


def test_an_interval_shows_on_which_side_of_zero_it_ends() -> None:
    shown = base.interval(row("k", "mean change", 0.001, 0.0001, 0.002))
    assert shown == "+0.00100 [+0.00010, +0.00200]"
    assert base.interval(row("k", "mean change", 0.5, 0.0, 1.0)) == "+0.500 [0.000, +1.000]"
    assert base.interval(row("k", "mean value", 0.5), sign=False) == "0.500"


def test_a_share_that_is_not_zero_is_not_called_zero() -> None:
    assert [base.percent(v) for v in (0.0, 0.004, 0.03, 1.0)] == [
        "0%",
        "under 1%",
        "3%",
        "100%",
    ]
