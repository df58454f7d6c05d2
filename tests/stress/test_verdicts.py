"""The rules of pass and fail of every suite on figures made by hand, and the worst cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.helpers.stress_figures import FEW, few, row, same

from faithkit.stress import verdicts
from faithkit.stress.suites import base
from faithkit.stress.suites.base import Case

NEVER = "no appended phrase ever raises it"
AVERAGE = "appended phrases gain nothing on average"
SEARCH = "the worst suffix that a search finds gains nothing"
ALONE = "a phrase alone scores low"


def judged(suite: str, *rows: Any, phrases: Sequence[Any] = ()) -> dict[str, list[str]]:
    by_rule: dict[str, list[str]] = {}
    for finding in verdicts.judge({suite: {"figures": list(rows), "phrases": list(phrases)}}):
        by_rule.setdefault(finding.rule, []).append(f"{finding.words} {finding.verdict}")
    return by_rule


def test_a_correction_must_raise_the_value_significantly() -> None:
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


def test_rates_and_intervals_of_few_documents_are_undetermined() -> None:
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


def test_phrases_alone_are_compared_with_the_weaker_systems() -> None:
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
