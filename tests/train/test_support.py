"""Training of the support model: the loss and its weights by hand, a network that learns a few
made-up sentences by heart, and the whole way from labelled rows to a model that judges."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.helpers.tiny_support import SHOWN, WIDTH, Words, network, settings_of
from typer.testing import CliRunner

from faithkit import models
from faithkit.cli import app
from faithkit.language.sentences import sentences, source_sentences
from faithkit.metrics.support import value_of
from faithkit.models.protocols import SentenceVerdict, Verdict
from faithkit.models.runtime import Runtime
from faithkit.records import ConfigError, Coverage, document_id
from faithkit.support.evidence import FEATURES, GROUPS
from faithkit.support.model import (
    FOLDS,
    WEIGHTS,
    CrossFitted,
    Settings,
    Support,
    read_network,
    read_settings,
    write,
)
from faithkit.support.network import SupportNetwork, claim_inputs
from faithkit.train import support as training
from faithkit.train import support_calibration as calibration
from faithkit.train.support import fit, loss_of, tensors, train
from faithkit.train.support_calibration import (
    UNSCALED,
    balanced,
    best_claims,
    calibrate,
    fit_claim,
    read_claims,
    scaling,
)
from faithkit.train.support_rows import (
    MADE,
    Options,
    Unit,
    limited,
    made_rows,
    units,
    varied,
)
from faithkit.train.words import ENTAILED, UNKNOWN, UNSUPPORTED, Labelled

pytestmark = pytest.mark.slow

NOTHING = (UNKNOWN,) * 3
Target = tuple[float, float, float]


def quiet(_: str) -> None:
    return


def unit(
    labels: Sequence[float],
    target: Target = NOTHING,
    file: str = "a",
    document: str = "d",
    seed: int = 0,
    depth: int = 4,
) -> Unit:
    """A sentence whose words differ by chance, against `depth` words of evidence."""
    rng = np.random.default_rng(seed)
    known = np.array(labels, dtype=np.float32)
    return Unit(
        file,
        document,
        rng.normal(size=(len(known), 5)).astype(np.float16),
        rng.normal(size=(len(known), WIDTH)).astype(np.float16),
        rng.normal(size=(depth, WIDTH)).astype(np.float16),
        known,
        np.array(target, dtype=np.float32),
    )


def row(
    summary: str,
    unsupported: Sequence[str] | None = (),
    target: Target | None = None,
    source: str = "Anna Reyes opened a school in Lyon.",
    file: str = "a",
) -> Labelled:
    """A summary with these words unsupported and all others supported; None: nothing is known."""
    labels = []
    for word in training_words(summary):
        share = float(summary[word[0] : word[1]] in (unsupported or ()))
        labels.append((*word, share))
    return Labelled(
        file,
        document_id(source),
        source,
        summary,
        () if unsupported is None else tuple(labels),
        target,
    )


def training_words(summary: str) -> list[tuple[int, int]]:
    from faithkit.language.words import words

    return [(one.start, one.end) for one in words(summary)]


# --- rows ----------------------------------------------------------------------------------------


def test_at_most_so_many_rows_of_each_file() -> None:
    rows = [row(f"{file} {i}", file=file) for file in ("a", "b", "nli_snli", "nli_mnli")
            for i in range(10 if file == "a" else 4)]  # fmt: skip
    found = limited(rows, 5, seed=1)
    files = [one.file for one in found]
    assert files.count("a") == 5 and files.count("b") == 4
    assert files.count("nli_snli") + files.count("nli_mnli") == 5  # one file's rows
    assert len({one.summary for one in found}) == len(found)
    assert limited(rows, 5, seed=1) == found
    assert limited(rows, 5, seed=2) != found
    assert sorted(limited(rows, 100, seed=1), key=str) == sorted(rows, key=str)


def test_some_rows_are_put_in_another_form_that_changes_no_label() -> None:
    rows = [
        row(f"Anna met {i} People.", source=f"Document {i} of {file}.", file=file)
        for file in ("a", "b", "nli_snli")
        for i in range(300)
    ]
    made = [replace(one, file=MADE, summary="Anna left.") for one in rows[:300]]
    found = varied([*rows, *made], seed=0)
    assert len(found) == len(rows) + len(made)
    documents = {one.document: one for one in rows}
    lowered, padded = set(), set()
    for old, new in zip([*rows, *made], found, strict=True):
        assert (new.document, new.labels, new.target) == (old.document, old.labels, old.target)
        assert new.summary in (old.summary, old.summary.lower())
        if new.summary != old.summary:
            lowered.add(new.summary)
        if new.source == old.source:
            continue
        before, own = new.source.split("\n\n")
        assert own == old.source and before != own
        padded.add(new.document)
        # The text in front is of a document of the same file, cut at a word.
        file = documents[new.document].file
        assert any(one.source.startswith(before) for one in rows if one.file == file)
    assert 20 <= len(lowered) <= 80  # one in twelve of 601 different summaries
    assert 60 <= len(padded) <= 140  # one in six of 600 documents, and no premise
    assert not any(documents[one].file == "nli_snli" for one in padded)
    # What is made of a document has the same source as the document's own rows.
    assert len({(one.document, one.source) for one in found}) == len(documents)
    assert varied([*rows, *made], seed=0) == found
    assert varied([*rows, *made], seed=1) != found


def read(rows: Sequence[Labelled], **options: Any) -> list[Unit]:
    return list(units(rows, Words(), Options(layer=2, **options), quiet))


def test_a_unit_has_what_the_model_will_see() -> None:
    source = "Anna Reyes opened a school in Lyon. It cost 3 million euros. Nobody was hurt."
    (one,) = read([row("Anna opened 4 schools.", ["4", "schools"], UNSUPPORTED, source)])
    assert (one.file, one.document) == ("a", document_id(source))
    assert one.features.shape == (4, len(SHOWN)) and one.words.shape == (4, WIDTH)
    assert one.found.shape == (15, WIDTH)  # three sentences of evidence
    assert one.labels.tolist() == [0, 0, 1, 1]
    assert one.target[:2].tolist() == [0, 1] and math.isnan(one.target[2])
    assert one.features[:, SHOWN.index("number")].tolist() == [0, 0, 1, 0]
    assert one.features[:, SHOWN.index("in_source")].tolist() == [1, 1, 0, 1]


def test_unknown_words_are_nan() -> None:
    labelled = Labelled("a", "d", "Anna left.", "Anna left Lyon", ((5, 9, 0.25), (7, 9, 0.5)), None)
    (one,) = read([labelled])
    assert np.isnan(one.labels).tolist() == [True, False, True]
    assert one.labels[1] == 0.5  # the greater of two
    assert np.isnan(one.target).all()


def targets(summary: str, unsupported: Sequence[str] | None, target: Target | None) -> list[Any]:
    found = [one.target.tolist() for one in read([row(summary, unsupported, target)])]
    return [
        None if math.isnan(some[0]) else [None if math.isnan(p) else p for p in some]
        for some in found
    ]


def test_a_sentence_alone_has_the_summarys_target() -> None:
    assert targets("Anna left.", None, UNSUPPORTED) == [[0, 1, None]]
    assert targets("Anna left.", [], (0.25, 0.75, UNKNOWN)) == [[0.25, 0.75, None]]
    assert targets("Anna left.", [], None) == [None]


def test_of_several_sentences_only_what_their_words_tell() -> None:
    assert targets("Anna left. Bob came.", ["Bob"], UNSUPPORTED) == [[1, 0, 0], [0, 1, None]]
    assert targets("Anna left. Bob came.", None, UNSUPPORTED) == [None, None]
    some = row("Anna left. Bob came.", [], UNSUPPORTED)
    half = replace(some, labels=((0, 4, 0.4), (5, 9, 0.0), (11, 14, 0.1), (15, 19, 0.1)))
    first, second = read([half])
    assert np.isnan(first.target).all() and second.target.tolist() == [1, 0, 0]
    part = replace(some, labels=((0, 4, 1.0), (11, 14, 0.0), (15, 19, 0.0)))
    assert [math.isnan(one.target[0]) for one in read([part])] == [True, False]


def test_rows_that_nothing_can_be_learned_from_are_left_out() -> None:
    rows = [row("Anna left.", source="... !"), row("?!"), row("Bob came.", source="Bob.")]
    assert [len(one.words) for one in read(rows)] == [2]


def test_each_source_is_read_once_and_many_rows_are_read_in_turn() -> None:
    encoder = Words()
    sources = [f"Town {i} is large. It has {i} wells." for i in range(3)]
    rows = [row(f"Town {i} has {j} wells.", source=sources[i]) for i in range(3) for j in range(50)]
    found = list(units(rows, encoder, Options(layer=2), quiet))
    assert [one.document for one in found] == [document_id(one.source) for one in rows]
    alone = [read([one])[0] for one in rows[60:66]]
    for one, other in zip(found[60:66], alone, strict=True):
        assert (one.features == other.features).all() and (one.found == other.found).all()
    assert encoder.read.count("It has 1 wells.") == 1


def test_groups_of_features_and_states_can_be_left_out() -> None:
    rows = [row("Anna left Lyon.")]
    (whole,) = read(rows, drop=())
    (some,) = read(rows, drop=("numbers", "match"))
    left = [i for i, name in enumerate(FEATURES)
            if name not in (*GROUPS["numbers"], *GROUPS["match"])]  # fmt: skip
    assert some.features.tolist() == whole.features[:, left].tolist()
    assert Options(drop=("numbers", "match")).features() == tuple(FEATURES[i] for i in left)
    (blind,) = read(rows, drop=("states",))
    assert not blind.words.any() and (blind.features == whole.features).all()
    assert Options(drop=("states",)).features() == FEATURES
    with pytest.raises(ConfigError, match="Did you mean 'numbers'"):
        Options(drop=("number",)).features()


def test_made_rows_have_their_words_labelled() -> None:
    found = made_rows([ARTICLES[0]], Options(made=20))
    assert {one.file for one in found} == {MADE} and len(found) > 5
    assert {one.target == ENTAILED for one in found} == {True, False}
    for one in found:
        assert one.document == document_id(ARTICLES[0]) and one.source == ARTICLES[0]
        shares = {share for _, _, share in one.labels}
        assert shares <= {0.0, 1.0} and (1.0 in shares) == (one.target != ENTAILED)
        assert all(one.summary[start:end].strip() for start, end, _ in one.labels)


# --- loss ----------------------------------------------------------------------------------------


def softplus(value: float) -> float:
    return math.log1p(math.exp(value))


def loss(
    word: Any, sentence: Any, labels: Any, target: Any, weights: Sequence[tuple[float, ...]]
) -> float:
    given = [training.Weights(*some) for some in weights]
    arrays = [torch.tensor(one, dtype=torch.float32) for one in (word, sentence, labels, target)]
    return float(loss_of(*arrays, given))


def test_known_words_count_by_their_weight() -> None:
    # -log p(unsupported) = softplus(-logit), else softplus(logit); the third is unknown.
    found = loss([[1.0, 2.0, -1.0]], [[0.0, 0.0, 0.0]], [[1, 0, UNKNOWN]], [NOTHING], [(3, 0.5, 1)])
    assert found == pytest.approx((3 * softplus(-1) + 0.5 * softplus(2)) / 2)


def test_a_share_counts_to_both_sides() -> None:
    found = loss([[0.5]], [[0.0, 0.0, 0.0]], [[0.25]], [NOTHING], [(3, 0.5, 1)])
    each = 0.25 * softplus(-0.5) + 0.75 * softplus(0.5)
    assert found == pytest.approx(each * (0.25 * 3 + 0.75 * 0.5))


def test_each_row_has_the_weights_of_its_file_and_words_are_averaged_over_the_batch() -> None:
    found = loss(
        [[0.0, 0.0], [0.0, 9.0]],
        [[0.0] * 3] * 2,
        [[1, 1], [0, UNKNOWN]],
        [NOTHING] * 2,
        [(2, 1, 1), (7, 4, 1)],
    )
    assert found == pytest.approx(math.log(2) * (2 + 2 + 4) / 3)


def test_sentences_count_half_and_unknown_ones_not_at_all() -> None:
    logits = [[1.0, 0.0, -1.0], [2.0, 0.0, 0.0], [5.0, 0.0, 0.0]]
    logs = [math.log(sum(math.exp(value) for value in some)) for some in logits]
    found = loss(
        [[0.0]] * 3, logits, [[UNKNOWN]] * 3, [(0, 0, 1), (1, 0, 0), NOTHING],
        [(1, 1, 1), (1, 1, 0.5), (1, 1, 1)],
    )  # fmt: skip
    first, second = logs[0] + 1, logs[1] - 2
    assert found == pytest.approx(0.5 * (first + 0.5 * second) / 1.5)


def test_where_only_not_entailed_is_known_two_classes_are_one() -> None:
    whole = math.log(math.e + 1 + 1 / math.e)
    found = loss([[0.0]], [[1.0, 0.0, -1.0]], [[UNKNOWN]], [(0.25, 0.75, UNKNOWN)], [(1, 1, 1)])
    apart = 0.25 * (whole - 1) + 0.75 * (whole - math.log(1 + 1 / math.e))
    assert found == pytest.approx(0.5 * apart)


def test_a_batch_of_which_nothing_is_known_has_no_loss_and_no_nan() -> None:
    word = torch.zeros(1, 2, requires_grad=True)
    sentence = torch.zeros(1, 3, requires_grad=True)
    nothing = torch.full((1, 2), UNKNOWN), torch.full((1, 3), UNKNOWN)
    found = loss_of(word, sentence, *nothing, [training.Weights(1, 1, 1)])
    found.backward()  # type: ignore[no-untyped-call]
    assert found == 0 and not word.grad.any() and not sentence.grad.any()


def test_gradients_of_joined_classes_are_finite() -> None:
    sentence = torch.zeros(2, 3, requires_grad=True)
    target = torch.tensor([(0.0, 1.0, UNKNOWN), NOTHING])
    weights = [training.Weights(1, 1, 1)] * 2
    loss_of(torch.zeros(2, 1), sentence, torch.full((2, 1), UNKNOWN), target, weights).backward()  # type: ignore[no-untyped-call]
    assert sentence.grad is not None and torch.isfinite(sentence.grad).all()
    assert sentence.grad[0, 0] > 0 > sentence.grad[0, 1] and not sentence.grad[1].any()


def test_files_count_by_the_root_of_their_size_and_rare_words_more() -> None:
    many = unit([0.0] * 9 + [1.0], file="many")
    data = [
        *[many] * 10,  # 100 words, 10 of them unsupported
        *[unit([0.0] * 6 + [1.0] * 2, file="few")] * 50,  # 400, 100
        unit([0.0, 0.0, UNKNOWN], file="clean"),
        unit([UNKNOWN], file="unknown"),
        unit([1.0, 1.0], file="all"),  # 2, 2
    ]
    found = training._weights(data)
    typical = (100 + 400 + 2) / 3
    size = {name: math.sqrt(typical / known) for name, known in (("many", 100), ("few", 400))}
    assert found["many"].supported == pytest.approx(size["many"])
    assert found["many"].unsupported == pytest.approx(size["many"] * 3)  # sqrt(.9 / .1)
    assert found["few"].supported == pytest.approx(size["few"])
    assert found["few"].unsupported == pytest.approx(size["few"] * math.sqrt(3))
    for name in ("clean", "unknown"):
        assert (found[name].unsupported, found[name].supported) == (0, 0)
    assert {one.sentence for one in found.values()} == {1.0}
    assert training._weights([many] * 6000)["many"].sentence == 0.5


def test_a_batch_is_padded_to_its_longest() -> None:
    one, other = unit([0, 1, 1], ENTAILED, depth=2), unit([UNKNOWN], depth=5, seed=1)
    features, words, found, is_word, is_found, labels, target = tensors([one, other])
    assert features.shape == (2, 3, 5) and words.shape == (2, 3, WIDTH)
    assert found.shape == (2, 5, WIDTH)
    assert is_word.tolist() == [[True] * 3, [True, False, False]]
    assert is_found.tolist() == [[True, True, False, False, False], [True] * 5]
    assert features[1, 0].tolist() == other.features[0].astype(np.float32).tolist()
    assert not features[1, 1:].any() and labels[0].tolist() == [0, 1, 1]
    assert labels[1].isnan().all() and target[0].tolist() == [1, 0, 0] and target[1].isnan().all()


# --- fitting -------------------------------------------------------------------------------------

FEW = [
    unit([0, 1, 0, 0], UNSUPPORTED, seed=1),
    unit([0, 0, 0], ENTAILED, seed=2, depth=7),
    unit([1, 1, 0, 0, 1], (0, 0, 1), seed=3),
    unit([0, 0, 1], UNSUPPORTED, "b", seed=4, depth=1),
    unit([0, UNKNOWN], (1, 0, 0), "b", seed=5),
    unit([UNKNOWN, UNKNOWN], (0, 1, 0), "b", seed=6),
    unit([UNKNOWN], seed=7),  # of which nothing is known
]


def judged(
    made: SupportNetwork, data: Sequence[Unit]
) -> tuple[list[list[float]], list[list[float]]]:
    *inputs, _, _ = tensors(data)
    with torch.inference_mode():
        word, classes = made(*inputs)
    own = [word[i, : len(one.labels)].sigmoid().tolist() for i, one in enumerate(data)]
    return own, classes.softmax(-1).tolist()


def test_a_network_learns_a_few_sentences_by_heart() -> None:
    said: list[str] = []
    options = Options(epochs=150, batch=3, hidden=16, rate=1e-2)
    made = fit(FEW, options, said.append)
    words, classes = judged(made, FEW)
    for one, found in zip(FEW, words, strict=True):
        for label, p in zip(one.labels, found, strict=True):
            assert math.isnan(label) or abs(p - label) < 0.3
    assert classes[1][0] > 0.7 and classes[4][0] > 0.7
    assert classes[2][2] > 0.7 and classes[5][1] > 0.7
    assert classes[0][0] < 0.3 and classes[3][0] < 0.3
    assert not made.training
    losses = [float(line.rpartition(" ")[2]) for line in said]
    assert len(losses) == 150 and losses[-1] < 0.2 * losses[0]


def test_one_seed_gives_one_network_and_leaves_the_global_generator_alone() -> None:
    options = Options(epochs=2, batch=3, hidden=4)
    torch.manual_seed(11)
    before = torch.random.get_rng_state()
    first = fit(FEW, options, quiet).state_dict()
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.manual_seed(12)
    again = fit(FEW, options, quiet).state_dict()
    other = fit(FEW, replace(options, seed=1), quiet).state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["join.weight"], other["join.weight"])


def test_features_are_scaled_by_those_that_teach() -> None:
    made = fit(FEW, Options(epochs=1, hidden=4), quiet)
    rows = np.concatenate([one.features for one in FEW[:-1]]).astype(np.float32)
    assert made.mean.numpy() == pytest.approx(rows.mean(axis=0), abs=1e-6)
    assert made.spread.numpy() == pytest.approx(rows.std(axis=0) + 0.05, abs=1e-6)


@pytest.mark.parametrize("count", [1, 2, 3, 39, 40, 41, 80, 81])
@pytest.mark.parametrize("epochs", [1, 2])
def test_any_number_of_sentences_fits_the_schedule(count: int, epochs: int) -> None:
    data = [unit([0, 1], UNSUPPORTED, seed=i, depth=1 + i % 3) for i in range(count)]
    made = fit(data, Options(epochs=epochs, batch=2, hidden=2), quiet)
    assert all(torch.isfinite(value).all() for value in made.state_dict().values())


@pytest.mark.parametrize("data", [[], [unit([UNKNOWN], UNSUPPORTED)], [unit([0.0], ENTAILED)]])
def test_without_an_unsupported_word_nothing_is_learned(data: list[Unit]) -> None:
    with pytest.raises(ConfigError, match="no unsupported word"):
        fit(data, Options(epochs=1), quiet)


# --- claims and probabilities --------------------------------------------------------------------


def test_the_claim_head_looks_at_ten_words_at_a_time() -> None:
    text = " ".join(f"Word{i}" if i % 3 else f"word{i}" for i in range(16)) + "."
    ((found,), (short,)) = (read_claims([one], Words(), 2) for one in (text, "Anna left Lyon."))
    assert found.shape == (3, WIDTH + 2)  # words 0 to 9, 5 to 14, 10 to 15
    (one,) = read([row(text)])
    vectors = one.words.astype(np.float32)
    for i, start in enumerate((0, 5, 10)):
        assert found[i, :WIDTH] == pytest.approx(vectors[start : start + 10].mean(0), abs=2e-3)
    assert short.shape == (1, WIDTH + 2)
    assert short[0, -1] == pytest.approx(0.5)  # of two words behind the first, one
    assert read_claims(["?!", "One."], Words(), 2)[0].shape == (1, WIDTH + 2)
    assert claim_inputs.__module__ == "faithkit.support.network"


@pytest.mark.parametrize(("count", "windows"), [(1, 1), (10, 1), (11, 2), (15, 2), (16, 3)])
def test_windows_reach_to_the_end(count: int, windows: int) -> None:
    (found,) = read_claims([" ".join(f"w{i}" for i in range(count))], Words(), 2)
    assert len(found) == windows


def sentences_at(
    centre: float, count: int, seed: int, windows: int = 1
) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    made = rng.normal(size=(count, windows, WIDTH + 2)).astype(np.float32)
    made[:, :, 0] = made[:, :, 0] * 0.3 + centre
    return list(made)


def test_the_claim_head_tells_talk_from_claims_and_loses_few_claims() -> None:
    made = network(0, WIDTH)
    before = {name: value.clone() for name, value in made.state_dict().items()}
    talk, real = sentences_at(-1, 200, 1), sentences_at(1, 1000, 2, windows=2)
    limit = fit_claim(made, talk, real, allowed=0.01)
    lost = best_claims(made, real) < limit
    assert 0 < lost.mean() <= 0.01
    assert (best_claims(made, sentences_at(-1, 200, 3)) < limit).mean() > 0.9
    for name, value in made.state_dict().items():
        assert torch.equal(value, before[name]) != name.startswith("claim"), name


def test_a_sentence_claims_something_where_its_best_window_does() -> None:
    made = network(0, WIDTH)
    mixed = np.concatenate([sentences_at(-1, 1, 1)[0], sentences_at(1, 1, 2)[0]])
    apart = [best_claims(made, [part[None]])[0] for part in mixed]
    assert best_claims(made, [mixed])[0] == pytest.approx(max(apart))
    assert apart[0] != pytest.approx(apart[1])


def test_scaling_recovers_a_known_slope() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=4000) * 2
    p = 1 / (1 + np.exp(-(1.7 * logits - 0.4)))
    assert scaling(logits[:, None], p) == pytest.approx((1.7, -0.4), abs=1e-3)
    drawn = (rng.random(4000) < p).astype(float)
    assert scaling(logits[:, None], drawn) == pytest.approx((1.7, -0.4), abs=0.15)


def test_two_inputs_are_scaled_together() -> None:
    rng = np.random.default_rng(0)
    inputs = np.stack([rng.normal(size=4000) * 2, rng.random(4000)], axis=1)
    p = 1 / (1 + np.exp(-(0.8 * inputs[:, 0] + 3 * inputs[:, 1] - 2)))
    assert scaling(inputs, p) == pytest.approx((0.8, 3, -2), abs=5e-3)


def test_files_have_shifts_of_their_own_and_count_alike() -> None:
    """In one file most words are unsupported and far, in the other few and near; within each, the
    distance says nothing. Taken together it would seem to say much."""
    rng = np.random.default_rng(0)
    files = ["a"] * 3000 + ["b"] * 1000
    shifts = np.array([-2.0] * 3000 + [1.0] * 1000)
    logits = rng.normal(size=4000)
    distances = rng.random(4000) + (shifts > 0)
    p = 1 / (1 + np.exp(-(0.8 * logits + shifts)))
    inputs = np.stack([logits, distances], axis=1)
    assert scaling(inputs, p, files) == pytest.approx((0.8, 0, -0.5), abs=5e-3)
    assert scaling(inputs, p)[1] > 1


# --- the whole way -------------------------------------------------------------------------------

ARTICLES = [
    "The council of Brookfield voted on Tuesday to spend £1.9m on a new library. Mayor Anna Reyes "
    "said building work would begin in March. Two members, Lee and Okafor, voted against the plan. "
    "Critics said the money should go to the old bridge, which was closed in 2019. The library "
    "lost 12,000 books in the flood.",
    "A ferry ran aground off Harwich on Sunday night with 214 people on board. All of them were "
    "taken to the harbour in lifeboats. Captain Maria Olsen told reporters that a sensor had "
    "failed. The company, Nordline, cancelled its sailings until Thursday. Nobody was badly hurt, "
    "the coastguard said. The ferry was built in 1998.",
    "Scientists at Leiden found a frog that changes its colour in 30 seconds. It lives in the "
    "forests of northern Peru. The team, led by Jan de Vries, watched 46 animals for two years. "
    "Its members believe that the frogs warn each other of snakes. The study was published in "
    "June, and a second one is planned.",
]
ROWS = [
    row("The council voted to spend £1.9m on a library.", [], ENTAILED, ARTICLES[0], "a"),
    row("The council voted to spend £3m on a stadium.", ["£3m", "3m", "stadium"], UNSUPPORTED,
        ARTICLES[0], "a"),
    row("Anna Reyes said work would begin in March. Paris won the cup.",
        ["Paris", "won", "the", "cup"], UNSUPPORTED, ARTICLES[0], "a"),
    row("The library lost books in the flood.", [], ENTAILED, ARTICLES[0], "a"),
    row("A ferry ran aground off Harwich.", [], ENTAILED, ARTICLES[1], "b"),
    row("A plane crashed near Oslo.", ["plane", "crashed", "near", "Oslo"], UNSUPPORTED,
        ARTICLES[1], "b"),
    row("Maria Olsen said that a sensor had failed.", [], ENTAILED, ARTICLES[1], "b"),
    row("Hundreds were killed.", None, UNSUPPORTED, ARTICLES[1], "b"),
    row("Scientists found a frog that changes its colour.", [], ENTAILED, ARTICLES[2], "c"),
    row("The frog lives in Chile.", ["Chile"], UNSUPPORTED, ARTICLES[2], "c"),
    row("The study was published in June.", [], ENTAILED, ARTICLES[2], "c"),
    row("The team watched 900 whales.", ["900", "whales"], UNSUPPORTED, ARTICLES[2], "c"),
]  # fmt: skip
SMALL = Options(layer=1, hidden=8, epochs=1, batch=4, made=0)


@pytest.fixture
def little_talk(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = calibration.non_claims

    def less(n: int, *, seed: int, held_out: bool) -> list[str]:
        return whole(n // 50, seed=seed, held_out=held_out)

    monkeypatch.setattr(calibration, "non_claims", less)


def mini() -> Any:
    return models.load("tokens:mini", Runtime("cpu", offline=True))


def check(folder: Path, card: dict[str, Any]) -> Any:
    model = models.load(f"support:{folder}", Runtime("cpu", offline=True))
    found = model.judge([(one.source, one.summary) for one in ROWS])
    for verdict in found:
        for one in verdict.sentences:
            assert ((one.unsupported >= 0) & (one.unsupported <= 1)).all()
    assert card == read_settings(folder).card
    return model


@pytest.mark.parametrize("made", [0, 1])
def test_from_labelled_rows_to_a_model_that_judges(
    tmp_path: Path, little_talk: None, made: int
) -> None:
    said: list[str] = []
    options = replace(SMALL, made=made)
    card = train(ROWS, mini(), "mini", tmp_path / "own", options, progress=said.append)
    assert isinstance(check(tmp_path / "own", card), Support)
    assert not (tmp_path / "own" / FOLDS).exists()
    assert [path.name for path in (tmp_path / "own").iterdir()] == [WEIGHTS]
    assert card["calibrated_on"] == "the training rows themselves"
    assert card["rows"]["a"] == {"rows": 4, "labelled_words": sum(len(r.labels) for r in ROWS[:4])}
    assert card["options"]["made"] == made and 0 <= card["empty_talk_found"] <= 1
    assert card["sentences"] == 13 or (made and card["sentences"] > 13)
    assert card["decision"]["rows"] == len(ROWS)
    settings = read_settings(tmp_path / "own")
    assert settings.encoder_id == mini().id and settings.features == SHOWN
    assert settings.word != UNSCALED and settings.claim > -1e9
    assert any(line.startswith("epoch 1 of 1") for line in said)


def test_the_same_seed_trains_the_same_file(tmp_path: Path, little_talk: None) -> None:
    for name in ("one", "two"):
        train(ROWS, mini(), "mini", tmp_path / name, SMALL)
    assert (tmp_path / "one" / WEIGHTS).read_bytes() == (tmp_path / "two" / WEIGHTS).read_bytes()


FAMILIES = {"first": ("a",), "second": ("b",), "absent": ("z",)}


def test_a_fold_has_seen_neither_the_files_nor_the_documents_of_its_family(
    tmp_path: Path, little_talk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A row of another file about the first article, which the first family holds out as well.
    beside = row("Two members voted against it.", [], ENTAILED, ARTICLES[0], "c")
    seen: list[Sequence[Unit]] = []

    def spy(data: Sequence[Unit], options: Options, progress: Any) -> SupportNetwork:
        seen.append(data)
        return fit(data, options, progress)

    monkeypatch.setattr(training, "fit", spy)
    folder = tmp_path / "own"
    options = replace(SMALL, made=6)
    card = train([*ROWS, beside], mini(), "mini", folder, options, families=FAMILIES)
    every, without_first, without_second = seen
    ids = [document_id(text) for text in ARTICLES]
    assert {one.document for one in every} == set(ids)
    assert {one.document for one in every if one.file == MADE} == set(ids)
    assert {one.document for one in without_first} == {ids[1], ids[2]}
    assert {one.document for one in without_second} == {ids[0], ids[2]}
    assert "a" not in {one.file for one in without_first}
    assert {one.file for one in without_second} == {"a", "c", MADE}

    owner = json.loads((folder / FOLDS).read_text())["owner"]
    assert {id: owner.get(id) for id in ids} == {ids[0]: "first", ids[1]: "second", ids[2]: None}
    for text, fold in zip(ARTICLES[:2], ("first", "second"), strict=True):
        pieces = [*sentences(text), *source_sentences(text)]
        assert {owner[document_id(piece.text)] for piece in pieces} == {fold}
    assert card["calibrated_on"].startswith("rows of documents that the judging model has not")
    model = check(folder, card)
    assert isinstance(model, CrossFitted)
    pairs = [(one.source, one.summary) for one in ROWS]
    found = [float(one.sentences[0].unsupported[0]) for one in model.judge(pairs)]
    for name, places in (("first", range(4)), ("second", range(4, 8)), ("", range(8, 12))):
        own = Support(folder / name, read_settings(folder / name), mini(), "x")
        alone = [float(one.sentences[0].unsupported[0]) for one in own.judge(pairs)]
        assert [found[i] for i in places] == pytest.approx([alone[i] for i in places], abs=1e-6)
    first, second = (read_settings(folder / name) for name in ("first", "second"))
    assert (first.word, first.decision) == (second.word, second.decision) == (
        read_settings(folder).word, read_settings(folder).decision,
    )  # fmt: skip
    assert [first.card["without"], second.card["without"]] == ["first", "second"]


def test_training_anew_without_families_leaves_no_folds_behind(
    tmp_path: Path, little_talk: None
) -> None:
    train(ROWS, mini(), "mini", tmp_path, SMALL, families=FAMILIES)
    assert (tmp_path / FOLDS).is_file()
    card = train(ROWS, mini(), "mini", tmp_path, replace(SMALL, hidden=4))
    assert not (tmp_path / FOLDS).exists()
    assert isinstance(check(tmp_path, card), Support)
    assert card["calibrated_on"] == "the training rows themselves"


def test_calibrating_anew_changes_nothing_but_what_it_fits(
    tmp_path: Path, little_talk: None
) -> None:
    train(ROWS, mini(), "mini", tmp_path, SMALL)
    before, weights = read_settings(tmp_path), read_network(tmp_path, read_settings(tmp_path))
    card = calibrate(tmp_path, ROWS, seed=0)
    after = read_settings(tmp_path)
    assert replace(after, word=before.word, decision=before.decision, card={}) == replace(
        before, card={}
    )
    # Probabilities are turned back into logits, so the second fit finds the first.
    assert after.word == pytest.approx(before.word, rel=0.02, abs=0.02)
    assert card["options"] == before.card["options"]
    again = read_network(tmp_path, after).state_dict()
    for name, value in weights.state_dict().items():
        assert torch.equal(value, again[name]), name


def test_calibration_needs_a_word_that_is_unsupported(tmp_path: Path, little_talk: None) -> None:
    write(tmp_path, settings_of("mini", mini().id, 384), network(0, 384))
    with pytest.raises(ConfigError, match="no word is marked"):
        calibrate(tmp_path, [one for one in ROWS if one.target == ENTAILED], seed=0)


def test_labels_of_one_kind_give_no_decision(tmp_path: Path, little_talk: None) -> None:
    write(tmp_path, settings_of("mini", mini().id, 384), network(0, 384))
    card = calibrate(tmp_path, [one for one in ROWS if one.target != ENTAILED], seed=0)
    assert card["decision"] == {"rows": 0, "why": "no file has labels of both kinds"}
    decided: Settings = read_settings(tmp_path)
    model = Support(tmp_path, decided, mini(), "x")
    assert [model.decision.verdict(value) for value in (0.0, 0.5, 1.0)] == [0.5] * 3


def test_the_decision_rests_on_as_many_rows_of_either_label_of_each_file() -> None:
    def verdict(doubt: float) -> Verdict:
        words, shares = np.array([[0, 1]]), np.array([doubt], dtype=np.float32)
        one = SentenceVerdict(0, 1, True, (1 - doubt, doubt, 0.0), words, shares, (),
                              1 - shares, 1 - shares, np.array([True]))  # fmt: skip
        return Verdict((one,), Coverage())

    def some(file: str, count: int, target: Target | None) -> list[Labelled]:
        return [row(f"{i}", target=target, file=file, source=f"{file}{i}") for i in range(count)]

    rows = [
        *some("a", 3, ENTAILED), *some("a", 9, UNSUPPORTED), *some("a", 5, None),
        *some("b", 4, UNSUPPORTED), *some("c", 2, ENTAILED), *some("c", 2, (0.5, 0.5, 0.0)),
        *some("c", 1, UNSUPPORTED),
    ]  # fmt: skip
    judged = [verdict(i / 100) for i in range(len(rows))]
    documents, values, labels = balanced(rows, judged, seed=0)
    assert labels == [0] * 3 + [1] * 3 + [0] + [1]  # of a, of c; b has one kind
    place = {value_of(one): i for i, one in enumerate(judged)}
    for document, value, label in zip(documents, values, labels, strict=True):
        own = rows[place[value]]
        assert own.document == document and (own.target == ENTAILED) == bool(label)
    assert len(set(values)) == 8
    assert balanced(rows, judged, seed=0) == (documents, values, labels)
    assert balanced(rows, judged, seed=1) != (documents, values, labels)


def test_rows_without_an_unsupported_word_are_refused(tmp_path: Path, little_talk: None) -> None:
    with pytest.raises(ConfigError, match="no unsupported word"):
        train([ROWS[0]], mini(), "mini", tmp_path / "own", SMALL)
    assert not (tmp_path / "own").exists()


def test_the_command_trains_and_calibrates(tmp_path: Path, little_talk: None) -> None:
    lines = []
    for i, one in enumerate(ROWS):
        marked = {one.summary[start:end] for start, end, share in one.labels if share}
        tokens = [one.summary[start:end] for start, end in training_words(one.summary)]
        flags = [token in marked for token in tokens]
        lines.append({"id": str(i), "source": one.source, "summary": one.summary,
                      "tokens": tokens, "unsupported": flags})  # fmt: skip
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "wice_tokens_dev.jsonl").write_text(text)
    command = [
        "train", "support", "-o", str(tmp_path / "own"), "--file", "wice_tokens_dev", "--layer",
        "1", "--hidden", "8", "--epochs", "1", "--made", "0", "--data-dir", str(tmp_path),
        "--device", "cpu", "--offline", "--json",
    ]  # fmt: skip
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"] == {
        "wice_tokens_dev": {"rows": 12, "labelled_words": sum(len(x["tokens"]) for x in lines)}
    }
    before = read_settings(tmp_path / "own")
    again = CliRunner().invoke(app, [*command, "--only-calibrate"])
    assert again.exit_code == 0, again.output
    assert read_settings(tmp_path / "own").claim == pytest.approx(before.claim)
    unknown = CliRunner().invoke(app, [*command, "--drop", "number"])
    assert unknown.exit_code == 2 and "numbers" in unknown.output
    fewer = CliRunner().invoke(app, [*command, "--drop", "numbers"])
    assert fewer.exit_code == 0, fewer.output
    after = read_settings(tmp_path / "own")
    assert before.features == SHOWN
    groups = [name for name in GROUPS if name != "numbers"]
    assert after.features == tuple(one for name in groups for one in GROUPS[name])
