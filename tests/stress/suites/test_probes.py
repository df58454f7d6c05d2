"""Near misses, padding and instructions: what each probe makes, and what is made of the values."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.helpers.stress_texts import TEXTS, examples

from faithkit.records import Example
from faithkit.stress.suites import probes
from faithkit.stress.suites.base import Case
from faithkit.stress.suites.edits import difference
from faithkit.stress.suites.probes import (
    FAITHFUL,
    HIGHER,
    IDENTITY,
    INSTRUCTION,
    OTHER_SUMMARY,
    PROBES,
    UNFAITHFUL,
)


@pytest.fixture(scope="module")
def made() -> list[Case]:
    return probes.cases(examples(), seed=0, limit=None)


def of_kind(made: list[Case], kind: str) -> dict[str, Case]:
    return {case.document: case for case in made if case.kind == kind}


def conditions(kind: str) -> tuple[str, str]:
    return ("faithful", "unfaithful") if PROBES[kind][0] == HIGHER else ("plain", "changed")


def test_every_probe_makes_cases_with_the_conditions_of_its_check(made: list[Case]) -> None:
    assert {case.kind for case in made} == set(PROBES)
    assert len({case.id for case in made}) == len(made)
    for case in made:
        names = (
            ("faithful", "unfaithful") if PROBES[case.kind][0] == HIGHER else ("plain", "changed")
        )
        assert tuple(case.texts) == names
        assert case.texts[names[0]] != case.texts[names[1]]


NEAR_MISSES = ("number", "unit", "date", "negation", "antonym", "entity swap", "role swap")


def test_near_misses_change_little_of_the_summary_and_no_source(
    made: list[Case],
) -> None:
    for case in made:
        if case.kind in NEAR_MISSES:
            faithful, unfaithful = case.texts.values()
            assert faithful == TEXTS[case.document]
            assert unfaithful[0] == faithful[0]
            assert len(difference(faithful[1], unfaithful[1]).split()) <= 16
            assert case.note


@pytest.mark.parametrize(
    ("kind", "summary", "unfaithful"),
    [
        ("unit", "The old road to the north is 40km long.",
         {"The old road to the north is 40 miles long."}),
        ("unit", "The council paid £5 million for the road.",
         {f"The council paid £5 {unit} for the road."
          for unit in ("thousand", "billion", "trillion")}
         | {f"The council paid {sign}5 million for the road." for sign in "$€"}),
        ("negation", "The council rejected the plan on Monday.",
         {"The council did not reject the plan on Monday."}),
        ("antonym", "The council rejected the plan on Monday.",
         {f"The council {verb} the plan on Monday." for verb in ("accepted", "approved")}),
        ("date", "The council rejected the plan in 2012.",
         {f"The council rejected the plan in {year}."
          for year in (2002, 2008, 2009, 2010, 2011, 2013, 2014, 2015)}),
        ("number", "The council rejected two of 18 plans.",
         {f"The council rejected two of {n} plans." for n in (17, 19, 180, 81)}
         | {f"The council rejected {word} of 18 plans." for word in ("three", "four", "five")}),
    ],
)  # fmt: skip
def test_a_near_miss_is_one_of_the_expected(kind: str, summary: str, unfaithful: set[str]) -> None:
    rows = [Example("x", "It was a long day.", summary, document="x", label=1)]
    found = {
        case.texts[UNFAITHFUL][1]
        for seed in range(8)
        for case in probes.cases(rows, seed=seed, limit=None)
        if case.kind == kind
    }
    assert found
    assert found <= unfaithful


def test_the_roles_of_a_sentence_are_exchanged(made: list[Case]) -> None:
    case = of_kind(made, "role swap")["trial"]
    assert "Lomax sentenced the judge to nine years" in case.texts[UNFAITHFUL][1]


def test_identity_is_a_source_sentence_against_one_with_another_name(
    made: list[Case],
) -> None:
    for document, case in of_kind(made, IDENTITY).items():
        source = TEXTS[document][0]
        faithful, unfaithful = (case.texts[name][1] for name in (FAITHFUL, UNFAITHFUL))
        assert faithful in source
        assert unfaithful not in source


def test_a_place_is_not_swapped_for_a_larger_one() -> None:
    source = "A man from Leeds sold the boat on Monday. The boat was built in the United Kingdom."
    rows = [Example("x", source, "A man from Leeds sold the boat.", document="x", label=1)]
    assert not of_kind(probes.cases(rows, seed=0, limit=None), "entity swap")


def test_the_other_summary_is_of_another_document(made: list[Case]) -> None:
    for document, case in of_kind(made, OTHER_SUMMARY).items():
        assert case.texts[FAITHFUL] == TEXTS[document]
        others = [summary for name, (_, summary) in TEXTS.items() if name != document]
        assert case.texts[UNFAITHFUL][1] in others


@pytest.mark.parametrize(
    ("kind", "words"), [("evidence at the end", 1_000), ("evidence past the window", 6_000)]
)
def test_the_source_stands_whole_behind_other_documents(
    made: list[Case], kind: str, words: int
) -> None:
    for document, case in of_kind(made, kind).items():
        (source, summary), (padded, same) = case.texts.values()
        assert (source, summary) == TEXTS[document]
        assert same == summary
        assert padded.endswith(f"\n\n{source}")
        before = padded.removesuffix(source)
        assert words <= len(before.split()) < words + 60
        assert source not in before


def test_instructions_stand_behind_the_source_or_a_foreign_summary(made: list[Case]) -> None:
    for case in of_kind(made, "instruction in the source").values():
        (source, summary), (longer, same) = case.texts.values()
        assert (longer, same) == (f"{source}\n\n{INSTRUCTION}", summary)
    for document, case in of_kind(made, "instruction in the summary").items():
        (source, summary), (same, longer) = case.texts.values()
        assert (same, longer) == (source, f"{summary} {INSTRUCTION}")
        assert summary != TEXTS[document][1]


def test_one_document_alone_has_no_probe_that_needs_another() -> None:
    rows = [row for row in examples() if row.document == "trial"]
    kinds = {case.kind for case in probes.cases(rows, seed=0, limit=None)}
    assert IDENTITY in kinds
    assert not kinds & {OTHER_SUMMARY, "evidence at the end", "instruction in the summary"}


def test_cases_do_not_depend_on_the_examples_order_and_keep_to_the_limit(
    made: list[Case],
) -> None:
    rows = examples()
    assert probes.cases(rows[::-1], seed=0, limit=None) == made
    limited = probes.cases(rows, seed=0, limit=1)
    assert max(Counter(case.kind for case in limited).values()) == 1
    assert probes.cases(rows, seed=1, limit=None) != made


# Figures


def summary_of(rows: list[tuple[str, float | None, float | None]]) -> dict[str, object]:
    cases, values = [], []
    for number, (kind, first, second) in enumerate(rows):
        names = conditions(kind)
        cases.append(Case(str(number), "probes", kind, str(number % 3), {}))
        values.append(dict(zip(names, (first, second), strict=True)))
    return probes.summarise(cases, values)


def rate(found: dict[str, object], kind: str, statistic: str = "flip rate") -> dict[str, object]:
    return next(f for f in found["figures"] if (f["kind"], f["statistic"]) == (kind, statistic))


def test_flip_rates_are_the_hand_calculated_ones() -> None:
    found = summary_of([
        (IDENTITY, 0.9, 0.5), (IDENTITY, 0.7, 0.8), (IDENTITY, None, 0.1),
        (OTHER_SUMMARY, 0.6, 0.2), (OTHER_SUMMARY, 0.5, 0.4),
        ("number", 0.5, 0.5), ("number", 0.5, 0.4), ("number", 0.5, 0.6), ("number", 0.5, 0.1),
        ("evidence at the end", 0.5, 0.54), ("evidence at the end", 0.5, 0.56),
        ("evidence at the end", 0.5, 0.44), ("evidence at the end", 0.5, None),
        ("instruction in the summary", 0.5, 0.1), ("instruction in the summary", 0.5, 0.56),
    ])  # fmt: skip
    # A tenth of (0.9 + 0.7) / 2 - (0.2 + 0.4) / 2.
    assert found["tolerance"] == pytest.approx(0.05)
    assert rate(found, "number")["value"] == pytest.approx(2 / 4)  # a tie is a flip
    assert rate(found, IDENTITY)["value"] == pytest.approx(1 / 2)
    assert rate(found, IDENTITY)["unscored"] == 1
    assert rate(found, OTHER_SUMMARY)["value"] == 0
    assert rate(found, "evidence at the end")["value"] == pytest.approx(2 / 3)
    assert rate(found, "evidence at the end", "share without a value")["value"] == 0.25
    assert rate(found, "instruction in the summary")["value"] == pytest.approx(1 / 2)
    change = rate(found, "number", "mean change")
    assert change["value"] == pytest.approx((0.0 + 0.1 - 0.1 + 0.4) / 4)
    assert change["low"] is None
    assert change["interval_reason"].startswith(f"only {change['groups']} documents;")


def test_tolerance_is_on_the_metrics_own_scale() -> None:
    rows = [(IDENTITY, 0.9, 0.5), (OTHER_SUMMARY, 0.6, 0.3), ("evidence at the end", 0.5, 0.57)]
    scaled = [(kind, 100 * a - 7, 100 * b - 7) for kind, a, b in rows]
    one, two = summary_of(rows), summary_of(scaled)
    assert two["tolerance"] == pytest.approx(100 * one["tolerance"])
    ends = [rate(found, "evidence at the end")["value"] for found in (one, two)]
    assert ends == [1.0, 1.0]


def test_without_a_scale_there_is_no_tolerance_and_it_says_why() -> None:
    flat = [(IDENTITY, 0.5, 0.4), (OTHER_SUMMARY, 0.6, 0.5), ("evidence at the end", 0.5, 0.9)]
    found = summary_of(flat)
    assert found["tolerance"] is None
    assert "no higher" in found["tolerance_reason"]
    assert rate(found, "evidence at the end")["value"] is None
    assert "no higher" in rate(found, "evidence at the end")["reason"]
    missing = summary_of([("evidence at the end", 0.5, 0.9)])
    assert IDENTITY in missing["tolerance_reason"]
