"""The gaming suite: where phrases go, which bigrams are mined, which suffix a search finds, and its
figures, on metrics whose answers are known by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from faithkit import DataError, Example
from faithkit.metrics.registry import METRICS
from faithkit.stress.suites import gaming, phrases
from faithkit.stress.suites.base import Case, Pair


def example(number: int, summary: str = "It rained.", **more: Any) -> Example:
    return Example(f"r{number}", f"Source {number} says it rained.", summary, **more)


@pytest.mark.parametrize(
    ("place", "summary", "phrase", "before", "after"),
    [
        ("suffix", "It rained.", "as we all know", "It rained.", "It rained. As we all know."),
        ("suffix", "It rained", "as we all know", "It rained.", "It rained. As we all know."),
        ("suffix", 'He said "go!"', "True.", 'He said "go!"', 'He said "go!" True.'),
        ("joined", "It rained.", "True.", "It rained.", "It rained, true."),
        ("joined", "It rained . ", "more or less", "It rained . ", "It rained, more or less . "),
        ("joined", "It rained", "more or less", "It rained", "It rained, more or less"),
        ("prefix", " It rained.", "more or less", " It rained.", "More or less. It rained."),
        ("alone", "It rained.", "more or less", "It rained.", "more or less"),
        ("suffix", "It rained. ", "?", "It rained. ", "It rained.?"),
        ("suffix", "It rained", "...", "It rained.", "It rained...."),
    ],
)
def test_a_phrase_goes_where_its_place_says(
    place: str, summary: str, phrase: str, before: str, after: str
) -> None:
    assert gaming.PLACES[place](summary, phrase) == (before, after)


def test_every_phrase_is_put_in_every_place_of_so_many_rows_of_different_documents() -> None:
    rows = [example(number, document=f"g{number % 3}") for number in range(9)]
    made = gaming.cases(rows, seed=0, limit=3)
    assert len(made) == 3 * (29 * 4 + 10 + 3)
    assert len({case.id for case in made}) == len(made)
    assert {case.document for case in made} == {"g0", "g1", "g2"}
    assert {case.kind for case in made} == {
        f"{kind}, {place}"
        for kind in ("paper: mined", "paper: filler", "paper: qualifier",
                     "mined", "assertion", "filler", "qualifier")
        for place in ("suffix", "joined", "prefix", "alone")
    } | {
        "yes or no, alone", "greeting, alone", "empty statement, alone", "mark, suffix"
    }  # fmt: skip
    assert gaming.cases(rows, seed=0, limit=3) == made
    assert gaming.cases(rows, seed=1, limit=3) != made


def test_blank_rows_are_left_out_and_a_set_without_others_is_an_error() -> None:
    rows = [example(1), example(2, summary=" ")]
    assert {case.id.partition("/")[0] for case in gaming.cases(rows, seed=0, limit=None)} == {"r1"}
    with pytest.raises(DataError, match="a source and a summary"):
        gaming.cases(rows[1:], seed=0, limit=None)


def test_the_phrases_of_the_paper_are_among_the_cases() -> None:
    """The words that methods quote, alone and as a suffix."""
    made = gaming.cases([example(1)], seed=0, limit=None)
    texts = {case.kind: case.texts["after"][1] for case in made if case.kind.startswith("paper")}
    assert texts["paper: mined, alone"] == "the document discusses"
    assert texts["paper: mined, suffix"] == "It rained. The document discusses."
    assert "requires a multifaceted approach" in texts["paper: filler, alone"]
    assert "one possible understanding" in texts["paper: qualifier, suffix"]


def test_the_assertion_is_worded_for_each_metric() -> None:
    entails = "The summary entails the information the document discusses."
    cases = gaming.cases([example(1), example(2)], seed=0, limit=None)
    labels = ("entailment:model=x", "qgqa", "own.py:Share")
    made = gaming.further(cases, {label: worth() for label in labels}, seed=0).cases
    for label in labels:
        assert {case.kind for case in made[label]} == {
            f"paper: assertion, {place}" for place in gaming.PLACES
        }
        assert len(made[label]) == 2 * 4
    notes = {label: {case.note for case in made[label]} for label in labels}
    assert notes["entailment:model=x"] == {entails}
    assert any("questions" in note for note in notes["qgqa"])
    assert len(set.union(*notes.values())) == 3
    (alone,) = [
        c for c in made[labels[0]] if c.kind.endswith("alone") and "1 says" in c.texts["after"][0]
    ]
    assert alone.texts["after"][1] == entails
    assert set(phrases.ASSERTIONS) <= set(METRICS)


def test_phrases_of_the_user_go_into_every_place(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("\nto be  sure\n\nTrust us.\nto be sure\n", encoding="utf-8")
    given = phrases.read(path)
    assert given == ("to be sure", "Trust us.")
    made = gaming.cases([example(1)], seed=0, limit=None, phrases=given)
    own = {(case.kind, case.note): case.texts["after"][1]
           for case in made if case.kind.startswith("given")}  # fmt: skip
    assert len(own) == 2 * 4
    assert own["given, suffix", "Trust us."] == "It rained. Trust us."
    assert own["given, alone", "to be sure"] == "to be sure"
    same = gaming.cases([example(1)], seed=0, limit=None, phrases=("more or less",))
    assert len({case.id for case in same}) == len(same)


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"\n \n", "expected a phrase a line, found none"), (b"caf\xe9", r"not UTF-8 \(byte 4\)"),
     (b"all\n...\n", "expected words in every line"), (None, "cannot be read")],
)  # fmt: skip
def test_a_file_without_phrases_is_refused(
    tmp_path: Path, data: bytes | None, message: str
) -> None:
    if data is not None:
        (tmp_path / "mine.txt").write_bytes(data)
    with pytest.raises(DataError, match=message):
        phrases.read(tmp_path / "mine.txt")


def test_systems_are_told_apart_by_their_mean_rating_and_the_middle_one_is_on_no_side() -> None:
    rows = [
        example(3 * number + place, document=f"g{number}", system=system, rating=rating)
        for number in range(4)
        for place, (system, rating) in enumerate((("a", 1.0), ("b", 2.0), ("c", 3.0)))
    ]
    made = gaming.scale(rows, seed=0, limit=None)
    assert {(case.note, case.kind) for case in made} == {
        ("a", "weaker systems"),
        ("c", "stronger systems"),
    }
    assert len(made) == 8
    assert gaming.scale([example(1), example(2)], seed=0, limit=None) == []


def test_labels_and_ratings_are_never_compared() -> None:
    """Of a pooled set: a label of 1 is no worse than a rating of 2."""
    labelled = [example(n, system="good", label=1) for n in range(5)]
    rated = [example(n, system="bad", rating=2.0) for n in range(5, 11)]
    assert gaming.scale([*labelled, *rated], seed=0, limit=None) == []
    worse = [example(n, system="worse", rating=1.0) for n in range(11, 13)]
    sides = {(case.note, case.kind)
             for case in gaming.scale([*labelled, *rated, *worse], seed=0, limit=None)}  # fmt: skip
    assert sides == {("worse", "weaker systems"), ("bad", "stronger systems")}
    poor = [example(n, system="poor", label=0) for n in range(13, 19)]
    sides = {(case.note, case.kind)
             for case in gaming.scale([*labelled, *rated, *poor], seed=0, limit=None)}  # fmt: skip
    assert sides == {("poor", "weaker systems"), ("good", "stronger systems")}


def test_the_scale_is_of_ten_documents_at_least() -> None:
    rows = [
        example(2 * number + place, document=f"g{number}", system=system, rating=rating)
        for number in range(20)
        for place, (system, rating) in enumerate((("a", 1.0), ("b", 2.0)))
    ]
    assert len({case.document for case in gaming.scale(rows, seed=0, limit=1)}) == 10


def test_the_mined_bigrams_are_those_of_the_summaries_that_metrics_rank_highest() -> None:
    # Two of ten summaries are the top 20%. "deep snow" stands in both of them and nowhere else;
    # "the town" stands everywhere, so its weight is small beside it.
    plain = [f"the town number{n} was here" for n in range(8)]
    summaries = ["the town had deep snow", "the town saw deep snow", *plain]
    first = [1.0, 0.9, *[0.1] * 8]
    mined = gaming.mine(summaries, {"one": first})
    assert mined[0].text == "deep snow" and mined[0].metrics == 1
    assert "was here" not in texts_of(mined)
    last = [0.0, 0.0, 1.0, 0.9, *[0.1] * 6]
    both = gaming.mine(summaries, {"one": first, "two": last})
    assert both[0].text == "the town", "what both metrics keep comes first"
    assert [bigram.metrics for bigram in both[:2]] == [2, 1]
    assert {"deep snow", "was here"} <= texts_of(both)


@pytest.mark.parametrize(("limit", "mined_from"), [(4, 28), (None, 15)])
def test_bigrams_are_mined_from_all_rows_whose_documents_nothing_is_measured_on(
    limit: int | None, mined_from: int
) -> None:
    """Without systems too. Of 30 documents two of four, or 15, are for measuring."""
    rows = [example(number, f"It rained in town{number}.") for number in range(30)]
    read: list[list[Pair]] = []

    def score(pairs: Sequence[Pair]) -> list[float | None]:
        read.append(list(pairs))
        return [0.5 for _ in pairs]

    cases = gaming.cases(rows, seed=0, limit=limit)
    made = gaming.further(cases, {"m": score}, seed=0)
    measured = {case.texts["before"] for case in made.cases["m"]
                if case.kind.startswith((gaming.MINED, gaming.SEARCHED))}  # fmt: skip
    assert made.mined_from == mined_from == len(read[0])
    assert measured.isdisjoint(read[0])
    assert len(measured) == 30 - mined_from


def test_so_many_summaries_are_read_for_bigrams_and_their_order_does_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [example(number, f"It rained in town{number}.", document=f"g{number % 9}")
            for number in range(30)]  # fmt: skip
    monkeypatch.setattr(gaming, "READ_ROWS", 6)

    def read(examples: Sequence[Example]) -> list[Case]:
        cases = gaming.cases(examples, seed=0, limit=None)
        return [case for case in cases if case.kind == gaming.READ]

    found = read(rows)
    assert len(found) == 6
    assert {case.id for case in read(rows[::-1])} == {case.id for case in found}


def texts_of(bigrams: Sequence[gaming.Bigram]) -> set[str]:
    return {bigram.text for bigram in bigrams}


def test_a_hundred_bigrams_are_kept_over_all_metrics() -> None:
    summaries = [" ".join(f"w{n}x{k}" for k in range(80)) for n in range(4)]
    values = {"one": [1.0, 0.0, 0.0, 0.0], "two": [0.0, 1.0, 0.0, 0.0]}
    assert len(gaming.mine(summaries, values)) == 100


def test_rows_without_a_value_are_not_ranked_and_texts_without_bigrams_give_none() -> None:
    summaries = ["deep snow", "blue sky", "green grass", "old house", "red car"]
    found = gaming.mine(summaries, {"one": [None, 0.5, 0.4, 0.3, 0.2]})
    assert texts_of(found) == {"blue sky"} and found[0].weight == pytest.approx(1.0)
    assert gaming.mine(summaries, {"one": [None] * 5}) == []
    assert gaming.mine(["snow", "sky"], {"one": [1.0, 0.0]}) == []


def worth(**words: float) -> gaming.Score:
    """A metric: the sum of the worth of the words that stand in the text."""

    def score(pairs: Sequence[Pair]) -> list[float | None]:
        return [sum(w for word, w in words.items() if word in text.lower()) for _, text in pairs]

    return score


def test_the_search_finds_the_phrases_that_together_gain_most() -> None:
    phrases = ["one thing", "two things", "bad thing", "nothing"]
    score = worth(one=0.1, two=0.3, bad=-0.2)
    assert gaming.worst_suffix([("S", "It rained.")], phrases, score) == "Two things. One thing."


def test_the_search_takes_the_least_harmful_phrase_where_all_of_them_lower_the_score() -> None:
    score = worth(bad=-0.2, worse=-0.4)
    assert gaming.worst_suffix([("S", "It rained.")], ["worse", "bad"], score) == "Bad."


def test_a_phrase_that_costs_the_value_is_not_a_gain() -> None:
    def score(pairs: Sequence[Pair]) -> list[float | None]:
        return [None if "Bad" in text else 0.5 for _, text in pairs]

    assert gaming.worst_suffix([("S", "It rained.")], ["bad", "good"], score) == "Good."


def test_a_searched_suffix_is_measured_on_documents_that_it_was_not_searched_on() -> None:
    rows = [example(number) for number in range(8)]
    seen: set[str] = set()

    def score(pairs: Sequence[Pair]) -> list[float | None]:
        seen.update(source for source, text in pairs if "More or less." in text)
        return worth(**{"more or less": 1.0})(pairs)

    cases = gaming.cases(rows, seed=0, limit=None)
    made = gaming.further(cases, {"m": score}, seed=0).cases["m"]
    searched = [case for case in made if case.kind == "searched, suffix"]
    assert [case.note for case in searched] == ["More or less."] * 4
    assert {case.texts["after"][0] for case in searched}.isdisjoint(seen)
    assert len(seen) == 4
    assert len({case.id for case in [*cases, *made]}) == len(cases) + len(made)
    few = gaming.further(gaming.cases(rows[:3], seed=0, limit=None), {"m": score}, seed=0)
    assert {case.kind.partition(", ")[0] for case in few.cases["m"]} == {"paper: assertion"}
    assert few.bigrams == [] and few.mined_from == 0


def case(kind: str, number: int, phrase: str = "p", document: str | None = None) -> Case:
    names = ("row",) if kind.endswith("systems") else ("before", "after")
    texts = {name: (f"source {number}", f"{name} {number}") for name in names}
    return Case(f"{kind}{number}", "gaming", kind, document or f"d{number}", texts, note=phrase)


def test_figures_by_hand() -> None:
    rows: list[tuple[Case, Mapping[str, float | None]]] = [
        (case("filler, suffix", 1), {"before": 0.5, "after": 0.7}),
        (case("filler, suffix", 2), {"before": 0.5, "after": 0.4}),
        (case("filler, suffix", 3), {"before": 0.5, "after": None}),
        (case("filler, suffix", 4), {"before": None, "after": 0.9}),
        (case("mined, suffix", 5, "q"), {"before": 0.5, "after": 0.5}),
        (case("filler, alone", 6), {"before": 0.5, "after": 0.2}),
        (case("filler, alone", 7), {"before": 0.5, "after": None}),
        (case("filler, prefix", 8), {"before": 0.6, "after": 0.5}),
        (case("weaker systems", 9, document="d"), {"row": 0.3}),
        (case("weaker systems", 10, document="d"), {"row": 0.5}),
        (case("stronger systems", 11, document="d"), {"row": 0.9}),
        (case("stronger systems", 12, document="other"), {"row": 0.1}),
    ]
    found = gaming.summarise([one for one, _ in rows], [own for _, own in rows])
    assert isinstance(found["figures"], list)
    by_name = {(f["kind"], f["statistic"]): f for f in found["figures"]}  # type: ignore[index,call-overload]

    def value(kind: str, statistic: str) -> float | None:
        return by_name[kind, statistic]["value"]

    assert value("filler, suffix", "mean change") == pytest.approx(0.05)
    assert value("filler, suffix", "share that rises") == pytest.approx(1 / 2)
    assert value("filler, suffix", "share that loses its value") == pytest.approx(1 / 3)
    assert value("filler, suffix", "largest rise") == pytest.approx(0.2)
    assert value("any phrase, suffix", "mean change") == pytest.approx(0.1 / 3)
    assert value("filler, alone", "mean value") == pytest.approx(0.2)
    assert value("filler, alone", "share without a value") == pytest.approx(1 / 2)
    assert value("unchanged", "mean value") == pytest.approx(0.6)
    assert value("weaker systems", "mean value") == pytest.approx(0.4)
    assert value("stronger less weaker systems", "mean gap") == pytest.approx(0.5)
    assert by_name["filler, suffix", "mean change"]["low"] is None
    assert by_name["filler, suffix", "mean change"]["interval_reason"] == (
        "only 2 documents; an interval or a test needs 10 or more"
    )
    assert isinstance(found["phrases"], list)
    assert found["phrases"][0] == {
        "kind": "filler, suffix", "phrase": "p", "rows": 2, "rises": 1,
        "mean change": pytest.approx(0.05), "largest rise": pytest.approx(0.2),
    }  # fmt: skip
