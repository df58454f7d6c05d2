"""Supported claims with planted errors: what is edited, which words are labelled, the originals."""

from __future__ import annotations

import pytest

from faithkit.records import document_id
from faithkit.train.edited import EDITED, edited_claims
from faithkit.train.words import ENTAILED, NEUTRAL, UNSUPPORTED, Labelled

SOURCE = (
    "Anna Berg, who runs the port of Oslo, told Reuters on Monday that 240 ships had called there "
    "in March. Her deputy, Lars Holm, said that nobody was hurt in the fire."
)
CLAIM = "Anna Berg said on Monday that 240 ships had called at the port."


def row(summary: str, target: tuple[float, float, float] | None = ENTAILED) -> Labelled:
    return Labelled("wice_dev", document_id(SOURCE), SOURCE, summary, (), target)


def wrong(one: Labelled) -> list[str]:
    return [one.summary[start:end] for start, end, share in one.labels if share]


def test_a_claim_comes_as_it_is_and_with_errors_each_in_a_copy() -> None:
    found = edited_claims([row(CLAIM)], seed=0, most=10)
    [original] = [one for one in found if one.summary == CLAIM]
    assert original.target == ENTAILED and not wrong(original)
    errors = [one for one in found if one.target == UNSUPPORTED]
    assert len(errors) == 2 and len({one.summary for one in errors}) == 2
    for one in errors:
        assert wrong(one) and not set(wrong(one)) & set(CLAIM.split())
        words = one.summary.rstrip(".").split()
        kept = [word for word in words if word in CLAIM.rstrip(".").split()]
        assert len(kept) >= len(words) - 3
    assert {(one.file, one.document, one.source) for one in found} == {
        (EDITED, document_id(SOURCE), SOURCE)
    }


def test_names_are_exchanged_for_others_of_the_source() -> None:
    made = [one for seed in range(12) for one in edited_claims([row(CLAIM)], seed, 10)]
    assert ["Lars", "Holm"] in [wrong(one) for one in made]


def test_what_keeps_a_claim_true_has_no_wrong_word() -> None:
    claim = "The council rejected the new plan on Monday."
    found = edited_claims([row(claim)], seed=1, most=10)
    restated = [one for one in found if one.target == ENTAILED and one.summary != claim]
    assert restated and not any(map(wrong, restated))


@pytest.mark.parametrize(
    "one",
    [
        row(CLAIM, NEUTRAL),
        row(CLAIM, None),
        row(f"{CLAIM} Nobody was hurt in the fire, her deputy said."),
        row("ships: 240"),
    ],
    ids=["not supported", "unknown", "two sentences", "no clause"],
)
def test_other_rows_are_left_alone(one: Labelled) -> None:
    assert edited_claims([one], seed=0, most=10) == []


def test_at_most_so_many_claims_whatever_their_order() -> None:
    rows = [row(CLAIM.replace("240", str(count))) for count in range(240, 250)]
    found = edited_claims(rows, seed=0, most=3)
    originals = {one.summary for one in rows} & {one.summary for one in found}
    assert len(originals) == 3
    assert found == edited_claims(rows, seed=0, most=3)
