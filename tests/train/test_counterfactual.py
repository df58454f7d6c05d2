"""Claims beside edited sources: what is renamed, which words lose their support."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from faithkit.records import document_id
from faithkit.train.counterfactual import (
    COUNTERFACTUAL,
    Alternatives,
    counterfactual_rows,
    exchanged_rows,
    words_of_rows,
)
from faithkit.train.labels.rows import by_spans
from faithkit.train.words import CONTRADICTED, ENTAILED, UNSUPPORTED, Labelled

SOURCE = (
    "Anna Berg runs the harbour of Oslo. On Monday she told reporters that 240 ships had called in "
    "March, and that the old crane would be painted green."
)
CLAIM = "The crane in the harbour will be painted green, Berg said on Monday."


def row(summary: str, *wrong: str, source: str = SOURCE, pair: str = "") -> Labelled:
    places = [(summary.index(word), summary.index(word) + len(word)) for word in wrong]
    return Labelled(
        "claims[split=train]", document_id(source), source, summary,
        tuple(by_spans(summary, places)), CONTRADICTED if wrong else ENTAILED, pair,
    )  # fmt: skip


def alternatives(*rows: Labelled) -> Alternatives:
    """Any word may replace any other of its kind: the vectors are random."""
    fill = ["table", "window", "garden", "copper", "silver", "yellow", "mended", "opened"]
    pieces = [*fill, "crane", "green", "harbour", "painted", "reporters", "ships"]
    vectors = np.random.default_rng(0).normal(size=(len(pieces), 8)).astype(np.float32)
    names, common = words_of_rows(rows)
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    return Alternatives(vocabulary, vectors, [*names, "Priya", "Quito"], common | set(pieces))


def made(*rows: Labelled, seeds: int = 12) -> list[Labelled]:
    other = alternatives(*rows)
    return [one for seed in range(seeds) for one in counterfactual_rows(rows, other, seed, 2)]


def wrong(one: Labelled) -> list[str]:
    return [one.summary[start:end] for start, end, share in one.labels if share >= 0.5]


def test_a_claim_that_is_not_renamed_loses_the_support_of_the_replaced_words() -> None:
    kept = [one for one in made(row(CLAIM)) if one.summary == CLAIM]
    assert kept and all(one.target == UNSUPPORTED and wrong(one) for one in kept)
    for one in kept:
        assert one.file == COUNTERFACTUAL and one.document == document_id(SOURCE)
        assert all(word not in one.source for word in wrong(one))
        assert all(word in SOURCE for word in wrong(one))


def test_a_claim_that_is_renamed_with_its_source_keeps_its_labels() -> None:
    renamed = [one for one in made(row(CLAIM, "green")) if one.summary != CLAIM]
    assert renamed
    for one in renamed:
        new = set(one.summary.rstrip(".").split()) - set(CLAIM.rstrip(".").split())
        assert new and all(word.strip(",") in one.source for word in new)
        assert one.target == CONTRADICTED and len(wrong(one)) == 1
        [marked] = wrong(one)
        assert (
            one.summary.index(marked) == one.summary.index("painted ") + 8
            or "painted" not in one.summary
        )


def test_a_wrong_claim_stays_wrong_beside_an_edited_source() -> None:
    for one in made(row(CLAIM, "green")):
        assert one.target == CONTRADICTED


def test_a_word_with_another_form_is_not_replaced() -> None:
    source = "A ship came. The ships were painted."
    for one in made(row("A ship was painted.", source=source)):
        assert "ship" in one.source and "ship" not in wrong(one)


def test_numbers_and_days_are_replaced_by_their_like() -> None:
    claim = "On Monday 240 ships had called."
    found = [word for one in made(row(claim), seeds=40) for word in one.source.split()]
    days = {word for word in found if word.endswith("day")}
    numbers = {word for word in found if word.isdigit()}
    assert len(days) > 2 and len(numbers) > 2
    assert all(len(number) == 3 for number in numbers)


@pytest.mark.parametrize(
    ("claim", "copy", "places"),
    [
        ("Lars beat his friend Ines.", "Ines beat his friend Lars.", ["Lars", "Ines"]),
        ("Ines lost to Lars in July.", "Ines lost to Lars in June.", ["July"]),
    ],
)
def test_exchanged_phrases_support_the_copy_and_not_the_claim(
    claim: str, copy: str, places: list[str]
) -> None:
    source = "In July, Lars won against Ines. He had trained since June."
    rows = [
        row(claim, source=source, pair="1"),
        replace(row(copy, source=source, pair="1"), target=CONTRADICTED),
    ]
    first, second = exchanged_rows(rows)
    assert first.summary == claim and first.target == UNSUPPORTED and wrong(first) == places
    assert second.summary == copy and second.target == ENTAILED and not wrong(second)
    assert first.source == second.source != source
    assert sorted(first.source) == sorted(source)


@pytest.mark.parametrize(
    "copy",
    [
        "Lars beat Ines twice.",  # nothing to exchange it with
        "Lars beat them.",  # no content
        "Ola beat them.",  # two changes that are no exchange
        "Lars beat Ines and Ines beat Lars.",
    ],
)
def test_other_copies_are_not_used(copy: str) -> None:
    source = "Lars beat Ines. Ola watched."
    rows = [row("Lars beat Ines.", source=source, pair="1"),
            replace(row(copy, source=source, pair="1"), target=CONTRADICTED)]  # fmt: skip
    assert list(exchanged_rows(rows)) == []


def test_the_rows_do_not_depend_on_the_other_sources() -> None:
    other = row("Nobody came.", source="The hall was empty. Nobody came.")
    known = alternatives(row(CLAIM), other)
    alone = counterfactual_rows([row(CLAIM)], known, 3, 2)
    assert alone == [
        one for one in counterfactual_rows([other, row(CLAIM)], known, 3, 2)
        if one.document == document_id(SOURCE)
    ]  # fmt: skip
