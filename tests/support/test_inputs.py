"""What the network reads: codes by hand, padding, and what does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.tiny_support import read, tokenizer

from faithkit.support.evidence import Source
from faithkit.support.inputs import (
    CLS,
    CODES,
    LEVELS,
    LIMIT,
    PADDING,
    SEP,
    ClaimWithEvidence,
    attach_evidence,
    batch_of,
    count_within_budget,
    encode,
)
from faithkit.support.sentences import Kind

CLAIM_PUNCTUATION, EVIDENCE_PUNCTUATION, SPECIAL = 25, 42, 43


def reading(claim: str, *evidence: str, budget: int = 180) -> ClaimWithEvidence:
    (one,) = read(claim)
    return attach_evidence(one, Source(read(*evidence)), budget)


def of_claim(kind: Kind, level: int) -> int:
    return 1 + int(kind) * 6 + level


def of_evidence(kind: Kind, run: int) -> int:
    return 26 + int(kind) * 4 + run


def test_special_tokens_are_those_of_the_vocabulary() -> None:
    names = ("[CLS]", "[SEP]", "[PAD]")
    assert [tokenizer().vocabulary[name] for name in names] == [CLS, SEP, PADDING]


def test_codes_by_hand() -> None:
    found = reading(
        "The cat saw 5 dogs and Lyon burn.",
        "The cat saw 5 men.",
        "Nobody knew a purple dog, unlike Rome or it and others.",
        budget=9,
    )
    assert found.indices == (0,)
    shown = encode(found)
    pieces = {id: piece for piece, id in tokenizer().vocabulary.items()}
    tokens = [pieces[token] for token in shown.ids.tolist()]
    assert " ".join(tokens) == (
        "[CLS] the cat saw 5 dogs and lyon burn . [SEP] the cat saw 5 men . [SEP]"
    )
    function, content, number, name = Kind.FUNCTION, Kind.CONTENT, Kind.NUMBER, Kind.NAME
    assert shown.codes.tolist() == [
        SPECIAL,
        of_claim(function, 4),  # in a run of four
        of_claim(content, 4),
        of_claim(content, 4),
        of_claim(number, 4),
        of_claim(content, 1),  # in the source, but not in the evidence
        of_claim(function, 1),
        of_claim(name, 0),  # absent
        of_claim(content, 0),
        CLAIM_PUNCTUATION,
        SPECIAL,
        of_evidence(function, 3),  # of three and more
        of_evidence(content, 3),
        of_evidence(content, 3),
        of_evidence(number, 3),
        of_evidence(content, 0),
        EVIDENCE_PUNCTUATION,
        EVIDENCE_PUNCTUATION,
    ]  # fmt: skip
    assert (shown.claim, shown.words, shown.cut) == (11, 8, 0)
    assert shown.owner.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, -1]


@pytest.mark.parametrize(("run", "level"), [(1, 2), (2, 3), (3, 4), (4, 4), (5, 5), (6, 5)])
def test_level_of_a_claims_word_follows_its_run(run: int, level: int) -> None:
    words = ["red", "cow", "sun", "hat", "cup", "pen"][:run]
    codes = encode(reading(" ".join(["zebra", *words]), " ".join(["tree", *words]))).codes
    assert codes[1] == of_claim(Kind.CONTENT, 0)
    assert set(codes[2 : 2 + run].tolist()) == {of_claim(Kind.CONTENT, level)}
    of_words = codes[-1 - run : -1].tolist()
    assert set(of_words) == {of_evidence(Kind.CONTENT, min(run, 3))}


def test_level_is_that_of_the_best_evidence_sentence() -> None:
    found = reading("red cow sun", "red cow.", "The red one.", "red cow sun.")
    assert found.claim_runs.max(axis=0).tolist() == [3, 3, 3]
    assert set(encode(found).codes[1:4].tolist()) == {of_claim(Kind.CONTENT, 4)}


def test_with_fewer_sentences_the_levels_are_those_of_the_ones_read() -> None:
    found = reading("red cow. sun", "sun tree bird hen pig.", "red cow.")
    assert len(found.evidence) == 2
    first = encode(found, 1)
    levels = {int(code) for code in first.codes[1:3]}
    kept = found.evidence[0].keys
    if "red" in kept:
        assert of_claim(Kind.CONTENT, 3) in levels
    assert first.ids[first.claim :].tolist() == [*found.evidence[0].ids.tolist(), SEP]
    none = encode(found, 0)
    assert none.ids[-1] == SEP and len(none.ids) == none.claim
    # What the source has, but no evidence that is read, is elsewhere.
    assert of_claim(Kind.CONTENT, 1) in none.codes.tolist()


def test_evidence_is_read_in_the_order_of_the_source() -> None:
    found = reading("red cow", "The sun rose.", "It was warm.", "A red cow slept.", "Rain fell.")
    assert found.indices[0] == 2 and sorted(found.indices) == [0, 1, 2, 3]
    ids = encode(found).ids[encode(found).claim :]
    in_order = sorted(zip(found.indices, found.evidence, strict=True), key=lambda one: one[0])
    assert ids.tolist() == [id for _, one in in_order for id in [*one.ids.tolist(), SEP]]


def test_pieces_of_a_word_have_its_code() -> None:
    shown = encode(reading("motorcyclists unbelievably won", "motorcyclists left"))
    assert len(shown.ids) > 8 and shown.words == 3
    for word in range(3):
        codes = shown.codes[1 : shown.claim - 1][shown.owner == word]
        assert len(set(codes.tolist())) == 1


def test_codes_fit_their_number() -> None:
    assert 1 + (len(Kind) - 1) * LEVELS + LEVELS - 1 < CLAIM_PUNCTUATION
    assert of_evidence(Kind.NAME, 3) < EVIDENCE_PUNCTUATION < SPECIAL < CODES


def test_without_a_source_the_claim_is_read_alone() -> None:
    found = reading("A cat sat.")
    assert found.evidence == () and found.claim_runs.shape == (0, 3)
    assert count_within_budget(found, 100) == 0
    shown = encode(found)
    assert shown.ids[[0, -1]].tolist() == [CLS, SEP] and len(shown.ids) == shown.claim
    assert shown.codes[1:4].tolist() == [of_claim(kind, 0) for kind in (0, 1, 1)]  # type: ignore[arg-type]


def test_within_a_budget_are_the_first_sentences_and_at_least_one() -> None:
    found = reading("cat dog bird fish", "cat dog bird", "fish sun", "cat moon")
    sizes = [len(one.ids) + 1 for one in found.evidence]
    assert len(sizes) == 3
    assert count_within_budget(found, 0) == count_within_budget(found, sizes[0]) == 1
    assert count_within_budget(found, sizes[0] + sizes[1] - 1) == 1
    assert count_within_budget(found, sizes[0] + sizes[1]) == 2
    assert count_within_budget(found, 1000) == 3


def test_what_is_beyond_the_limit_is_counted() -> None:
    words = ["red", "cow", "sun", "hat", "cup", "pen", "ink", "bus"]
    texts = [" ".join([word] * 140) for word in words]
    found = reading(" ".join(words), *texts, budget=5000)
    shown = encode(found)
    total = shown.claim + sum(len(one.ids) + 1 for one in found.evidence)
    assert len(shown.ids) == len(shown.codes) == LIMIT
    assert shown.cut == total - LIMIT > 0
    assert encode(found, 1).cut == 0
    batch = batch_of([shown])
    assert batch.ids.shape == (1, LIMIT)


def test_batch_is_padded_and_pools_the_tokens_of_a_word() -> None:
    short = encode(reading("A cat", "cat"))
    long = encode(reading("motorcyclists left, unbelievably.", "motorcyclists came", "left it"))
    batch = batch_of([short, long])
    shape = (2, len(long.ids))
    for array in (batch.ids, batch.codes, batch.segments, batch.mask):
        assert array.shape == shape and array.dtype == np.int64
    length = len(short.ids)
    assert batch.mask.sum(axis=1).tolist() == [length, len(long.ids)]
    for array in (batch.ids, batch.codes, batch.segments):
        assert (array[0, length:] == 0).all()
    for row, one in enumerate((short, long)):
        assert batch.ids[row, : len(one.ids)].tolist() == one.ids.tolist()
        assert batch.segments[row, : one.claim].tolist() == [0] * one.claim
        assert batch.segments[row, one.claim : len(one.ids)].all()
    assert batch.pool.shape == (2, 3, long.claim) and batch.pool.dtype == np.float32
    sums = batch.pool.sum(axis=2)
    assert sums.tolist() == [[1, 1, 0], [1, 1, 1]]
    first = np.flatnonzero(long.owner == 0)
    assert len(first) > 1
    assert np.flatnonzero(batch.pool[1, 0]).tolist() == (first + 1).tolist()
    assert batch.pool[1, 0].max() == pytest.approx(1 / len(first))


texts = st.lists(
    st.sampled_from(["cat", "dog", "the", "Lyon", "7", ",", "it", "motorcyclist", "漢", "-"]),
    min_size=1, max_size=9,
).map(" ".join)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(texts, st.lists(texts, max_size=5))
def test_codes_of_any_text_are_in_range(claim: str, evidence: list[str]) -> None:
    for one in read(claim):
        shown = encode(attach_evidence(one, Source(read(*evidence))))
        assert len(shown.ids) == len(shown.codes)
        assert ((shown.codes > 0) & (shown.codes < CODES)).all()
        inside, after = shown.codes[1 : shown.claim - 1], shown.codes[shown.claim :]
        assert ((inside >= 1) & (inside <= CLAIM_PUNCTUATION)).all()
        assert ((after > CLAIM_PUNCTUATION) & (after <= EVIDENCE_PUNCTUATION)).all()
        assert (inside == CLAIM_PUNCTUATION).tolist() == (shown.owner < 0).tolist()
