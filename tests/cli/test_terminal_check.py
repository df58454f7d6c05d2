"""What `check` prints of a checked summary: the marks, how doubtful each is, and its evidence."""

from __future__ import annotations

import re
from typing import Any

import pytest

from faithkit.cli import terminal_check
from faithkit.metrics.base import Metric
from faithkit.records import Evidence, Example, Outcome, Score, Signature, Span
from faithkit.run import Prepared

SOURCE = "Ann paid 74 pounds. Bob left in May. Nobody was hurt."
SUMMARY = "Ann paid 68 pounds and Bob left in June."
PAID, LEFT = (0, 19), (20, 36)


class Marking(Metric):
    name = "marking"
    bounds = (0.0, 1.0)
    unit = "share"

    def score(self, examples: Any) -> list[Score]:
        raise NotImplementedError


class Titled(Marking):
    title = "marking, calibrated"


def prepared(*labels: str, kind: type[Metric] = Marking) -> list[Prepared]:
    return [Prepared(label, kind(), Signature(label)) for label in labels]


def span(words: str, score: float | None) -> Span:
    start = SUMMARY.index(words)
    return Span(start, start + len(words), "unsupported", score)


def evidence(place: tuple[int, int], words: str, label: str, score: float = 0.5) -> Evidence:
    start = SUMMARY.index(words)
    return Evidence(*place, start, start + len(words), label, score)


def checked(
    capsys: pytest.CaptureFixture[str], *scores: Score, kind: type[Metric] = Marking
) -> list[str]:
    made = prepared(*(score.metric for score in scores), kind=kind)
    terminal_check.print_check(Example("x", SOURCE, SUMMARY), scores, made)
    return capsys.readouterr().out.splitlines()


def test_marks_are_numbered_by_doubt_and_shown_in_percent(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = checked(capsys, Score("x", "m", 0.5, spans=(span("68", 0.83), span("June", 0.3))))
    assert "  Ann paid [2: 68] pounds and Bob left in [1: June]." in shown
    start = shown.index("Words in doubt, the most doubtful first")
    assert shown[start + 1 : start + 3] == ["  1: June — 70% doubt", "  2: 68 — 17% doubt"]


def test_of_several_metrics_each_doubt_has_its_name_and_the_greatest_counts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = checked(
        capsys,
        Score("x", "a", 0.5, spans=(span("68", 0.5), span("June", 0.6))),
        Score("x", "b", 0.5, spans=(span("June", 0.1), span("Bob", None), span("Ann", -0.4))),
    )
    start = shown.index("Words in doubt, the most doubtful first")
    assert shown[start + 1 : start + 5] == [
        "  1: Ann — 100% doubt by b",
        "  2: June — 40% doubt by a, 90% doubt by b",
        "  3: 68 — 50% doubt by a",
        "  4: Bob — marked by b",
    ]


def test_a_mark_has_its_own_evidence_and_else_that_of_its_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = checked(
        capsys,
        Score(
            "x",
            "m",
            0.5,
            spans=(span("68", 0.1), span("June", 0.2), span("pounds", 0.3), span("Ann", 0.4)),
            evidence=(
                evidence(PAID, SUMMARY, "best match", 0.9),
                evidence((37, 53), SUMMARY, "evidence", 0.9),
                evidence(LEFT, "June", "marked words"),
                evidence(PAID, "68", "marked words"),
                evidence((37, 53), "pounds", "marked words", 0.2),
                evidence(LEFT, "pounds", "marked words", 0.3),
            ),
        ),
    )
    start = shown.index("Words in doubt, the most doubtful first")
    assert shown[start + 1 : start + 9] == [
        "  1: 68 pounds — 90% doubt",
        "     best evidence: “Ann paid 74 pounds.”",
        "  2: June — 80% doubt",
        "     best evidence: “Bob left in May.”",
        "  3: Ann — 60% doubt",
        "     best evidence: that of 1",
        "",
        "metric   score   what the number means",
    ]


def test_the_least_supported_sentence_is_shown_with_its_evidence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    item = evidence(LEFT, SUMMARY, "least supported sentence", 0.22)
    shown = checked(capsys, Score("x", "m", 0.2, evidence=(item,)))
    line = "No single word stands out; the least supported sentence is shown below, which need not"
    start = shown.index(f"{line} be wrong.")
    assert shown[start + 1 : start + 4] == [
        f"Least supported sentence (22% likely): “{SUMMARY}”",
        "  best evidence: “Bob left in May.”",
        "",
    ]


def test_a_metric_is_called_by_its_name_unless_two_have_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parts = {"probability": 0.42, "verdict": 0.0}
    score = Score("x", "calibrated:file=some/where.json", 0.5, parts=parts)
    shown = "\n".join(checked(capsys, score, kind=Titled))
    assert "marking, calibrated: not consistent (42% likely to be consistent)" in shown
    assert "some/where.json" not in shown
    twice = "\n".join(checked(capsys, Score("x", "m:a=1", 0.5), Score("x", "m:a=2", 0.5)))
    assert "No unsupported words found by m:a=1, m:a=2." in twice


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (0.0, "No single word stands out."),
        (0.5, "No single word stands out."),
        (1.0, "No unsupported words found by marking."),
    ],
)
def test_without_marks_nothing_is_found_only_where_the_verdict_is_consistent(
    capsys: pytest.CaptureFixture[str], verdict: float, said: str
) -> None:
    assert said in checked(capsys, Score("x", "m", 0.5, parts={"verdict": verdict}))


@pytest.mark.parametrize(
    ("value", "verdict", "shown"),
    [
        (0.42, 0.5, "undecided (42% likely to be consistent"),
        (0.2996, 0.0, "not consistent (29.96% likely to be consistent"),
        (0.301, 0.5, "undecided (30% likely to be consistent"),
        (0.6794, 0.5, "undecided (67.9% likely to be consistent"),
        (1.0, 1.0, "consistent (100% likely to be consistent"),
    ],
)
def test_the_thresholds_of_a_verdict_are_shown_with_it_and_fit_its_percent(
    capsys: pytest.CaptureFixture[str], value: float, verdict: float, shown: str
) -> None:
    made = [Prepared("m", Likely(), Signature("m"), verdict_thresholds=(0.3, 0.68))]
    score = Score("x", "m", value, parts={"verdict": verdict})
    terminal_check.print_check(Example("x", SOURCE, SUMMARY), [score], made)
    lines = capsys.readouterr().out.splitlines()
    assert f"marking: {shown}; undecided is from 30% to 68%)" in lines


@pytest.mark.parametrize(
    ("source", "summary", "outcome", "why"),
    [
        (SOURCE, "🙂", Outcome.NO_CLAIMS, "The summary claims nothing that can be checked."),
        (SOURCE, " ", Outcome.NO_CONTENT, "The summary is empty, so there is nothing to check."),
    ],
)
def test_a_summary_without_a_score_is_told_why_in_a_sentence(
    capsys: pytest.CaptureFixture[str], source: str, summary: str, outcome: Outcome, why: str
) -> None:
    score = Score("x", "m", None, outcome)
    terminal_check.print_check(Example("x", source, summary), [score], prepared("m"))
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "Summary",
        f"  {summary.strip() or '(empty)'}",
        "",
        f"marking: no score. {why}",
        f"metric   {'score'.ljust(len(f'– ({outcome})'))}  what the number means",
        f"marking  – ({outcome})  share",
    ]


class Likely(Marking):
    unit = "probability that all is well"


def test_value_that_is_a_probability_is_shown_beside_its_verdict(
    capsys: pytest.CaptureFixture[str],
) -> None:
    score = Score("x", "m", 0.42, parts={"verdict": 0.0})
    shown = "\n".join(checked(capsys, score, kind=Likely))
    assert "marking: not consistent (42% likely to be consistent)" in shown
    assert "marking: not consistent\n" in "\n".join(checked(capsys, score))


def test_the_more_doubtful_a_mark_the_deeper_its_colour(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    shares = {"Ann": 0.9, "68": 0.6, "Bob": 0.3, "June": 0.0}
    spans = tuple(span(words, share) for words, share in shares.items())
    shown = "\n".join(checked(capsys, Score("x", "m", 0.5, spans=spans)))
    found = re.findall(r"\x1b\[1;(3\d);48;2;(\d+);(\d+);\d+m\[\d: (\w+)\]", shown)
    assert [words for *_, words in found] == ["Ann", "68", "Bob", "June"]
    greens = [int(green) for _, _, green, _ in found]
    assert greens == sorted(greens, reverse=True) and len(set(greens)) == 4
    assert [text for text, *_ in found] == ["30", "30", "37", "37"]


def test_what_was_left_out_is_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    left_out = {"left_out": "9 characters of the summary (“in [red]”)"}
    line = f"Left out before judging: {left_out['left_out']}"
    shown = checked(capsys, Score("x", "m", 0.5, texts=left_out))
    assert shown[-1] == line
    both = [Score("x", name, 0.5, texts=left_out) for name in ("m", "n")]
    assert checked(capsys, *both)[-1] == line
    some = checked(capsys, *both, Score("x", "o", 0.5))
    assert some[-1] == line.replace("judging", "judging by m, n")
