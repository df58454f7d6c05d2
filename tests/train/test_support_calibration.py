"""Calibration of the support model on constructed rows: what is fitted is what made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers.tiny_support import save_support
from tests.helpers.tiny_training import ARTICLES, data_folder, labelled

from faithkit.models.protocols import Decision
from faithkit.records import ConfigError, DataError
from faithkit.support.calibration import MARK_LOGIT, Calibration
from faithkit.support.model import Settings, Support, load_support
from faithkit.train import support_calibration
from faithkit.train.support_calibration import (
    PRECISION,
    UNREACHABLE,
    Judged,
    bands,
    calibrate,
    calibration_rows,
    claim_logits,
    fitted,
    judge,
    left_out,
    non_claim_threshold,
    values_of,
)
from faithkit.train.words import ENTAILED, UNSUPPORTED, Labelled


def quiet(_: str) -> None:
    return


def row(
    target: float,
    doubts: Sequence[float] = (0.3,),
    contradicted: Sequence[float] | None = None,
    words: Sequence[float] = (),
    labels: Sequence[float] = (),
    family: str = "a",
    worst: float = -50.0,
) -> Judged:
    return Judged(
        f"{family}.jsonl", family, "d", target,
        np.stack([doubts, contradicted or np.zeros(len(doubts))], axis=1),
        np.full(len(doubts), worst), np.zeros(len(doubts)), np.array(words, dtype=np.float32),
        np.array(labels, dtype=np.float32), np.zeros(len(words), dtype=np.int64),
    )  # fmt: skip


def logistic(value: Any) -> Any:
    return 1 / (1 + np.exp(-value))


# --- what is fitted ------------------------------------------------------------------------------


def test_value_of_a_row_is_that_all_its_sentences_are_supported() -> None:
    calibration = Calibration((1.0, 0.0), (0.5, 0.2), 1.5)
    sentences = [np.exp(-0.5 * 1.0 - 0.2 * 2.0), np.exp(-0.5 * 0.3 - 0.2 * 0.1)]
    expected = Decision(0, 1, 1.5).all_supported(sentences)
    one = row(1, [1.0, 0.3], [2.0, 0.1])
    assert values_of([one, row(1), one], calibration)[[0, 2]] == pytest.approx([expected] * 2)


def test_value_is_at_most_the_probability_that_each_most_doubtful_word_is_supported() -> None:
    calibration = Calibration((0.5, -1.0), (0.1, 0.1))
    expected = min(np.exp(-0.1), 1 - logistic(0.5)) * min(np.exp(-0.3), 1 - logistic(0.5))
    assert values_of([row(1, [1.0, 3.0], worst=3.0)], calibration) == pytest.approx(expected)


@pytest.mark.parametrize(("dependence", "size"), [(1.0, 1 / 6), (2.0, 1 / 4.3)])
def test_weights_and_dependence_of_sentences_are_recovered(dependence: float, size: float) -> None:
    """Rows of random doubts that are consistent as often as a Gumbel copula says."""
    rng = np.random.default_rng(0)
    made_by = Decision(0, 1, dependence)
    rows = []
    for number in range(6000):
        doubts = size * rng.exponential(size=(1 + number % 4, 2))
        chance = made_by.all_supported(np.exp(-doubts @ np.array([1.5, 0.5])).tolist())
        rows.append(
            row(float(rng.random() < chance), *doubts.T.tolist(), family="ab"[number // 4 % 2])
        )
    found, _, _ = fitted(rows)  # which weighs both labels the same; about half are consistent
    assert found.dependence == pytest.approx(dependence, abs=0.5)
    assert found.sentence == pytest.approx((1.5, 0.5), rel=0.2)


def test_doubt_never_counts_for_support() -> None:
    rows = [row(1, [2.0]), row(1, [3.0]), row(0, [0.1]), row(0, [0.2])]
    assert 0 < fitted(rows)[0].sentence[0] < 1


def test_known_scaling_of_words_is_recovered() -> None:
    rng = np.random.default_rng(0)
    made = []
    for number in range(400):
        logits = rng.normal(size=10) * 3
        made.append(row(number % 2, words=logits, labels=logistic(0.7 * logits - 1.2)))
    found, _, _ = fitted(made)
    assert found.word == pytest.approx((0.7, -1.2), abs=0.02)


def test_families_and_labels_weigh_the_same() -> None:
    """Of rows that all look alike half are consistent, however many of a family are."""
    few = [row(1.0, family="a") for _ in range(10)] + [row(0.0, family="a")]
    many = [row(0.0, family="b") for _ in range(500)] + [row(1.0, family="b")]
    found, _, _ = fitted([*few, *many])
    assert values_of(few[:1], found) == pytest.approx(0.5, abs=0.01)


def test_without_labelled_words_their_scaling_stays() -> None:
    found, _, marked = fitted([row(1.0), row(0.0)])
    assert found.word == (1.0, 0.0)
    assert marked == pytest.approx(logistic(MARK_LOGIT), abs=1e-4)


# --- bands and marks -----------------------------------------------------------------------------


def precision(values: np.ndarray, good: np.ndarray, low: float, high: float) -> tuple[float, float]:
    return float(good[values >= high].mean()), float((~good)[values < low].mean())


def test_bands_are_as_wide_as_their_precision_allows() -> None:
    values = np.arange(1, 1000) / 1000
    rng = np.random.default_rng(0)
    good = rng.random(len(values)) < values
    made = [row(float(one)) for one in good]
    lower, upper = bands(made, values.astype(np.float32))
    right, wrong = precision(values, good, lower, upper)
    about = PRECISION - 0.02  # of these rows not quite half are consistent
    assert right >= about and wrong >= about
    # Above u (1 + u) / 2 are consistent, below it 1 - u / 2 are not.
    assert upper == pytest.approx(2 * PRECISION - 1, abs=0.06)
    assert lower == pytest.approx(2 - 2 * PRECISION, abs=0.06)
    assert precision(values, good, lower, upper - 0.03)[0] < right


def test_perfect_values_leave_no_band_between() -> None:
    made = [row(0.0), row(0.0), row(1.0), row(1.0)]
    lower, upper = bands(made, np.array([0.1, 0.3, 0.7, 0.9], dtype=np.float32))
    assert lower == upper  # everything is decided


def test_chance_is_never_decided() -> None:
    values = np.repeat(np.arange(1, 100) / 100, 20).astype(np.float32)
    made = [row(float(number % 2)) for number in range(len(values))]
    assert bands(made, values) == (0, UNREACHABLE)


def test_verdict_that_is_never_right_often_enough_is_never_given() -> None:
    """High values are consistent; of low ones nine in ten."""
    values = np.array([0.9] * 40 + [0.2] * 40, dtype=np.float32)
    made = [row(1.0)] * 76 + [row(0.0)] * 4
    lower, upper = bands(made, values)
    assert lower == 0 and 0.2 < upper <= 0.9
    assert Decision(lower, upper).verdict(0.0) == 0.5
    lower, upper = bands([replace(one, target=1 - one.target) for one in made], 1 - values)
    assert upper == UNREACHABLE and 0.1 < lower <= 0.8
    assert Decision(lower, upper).verdict(1.0) == 0.5


def test_bands_weigh_families_alike() -> None:
    """In the small family the value at which the large one is consistent is wrong."""
    large = [row(1.0, family="a")] * 90 + [row(0.0, family="a")] * 90
    small = [row(0.0, family="b")] * 10 + [row(1.0, family="b")] * 10
    of_large = [0.8] * 45 + [0.95] * 45 + [0.1] * 90
    values = np.array([*of_large, *[0.8] * 10, *[0.95] * 10], dtype=np.float32)
    assert bands(large, values[:180])[1] == 0.11
    assert bands([*large, *small], values)[1] == 0.81


def test_claims_are_rarely_taken_for_non_claims() -> None:
    logits = np.concatenate([np.full(1000, -5.0), [3.0, 2.0, 1.0]])
    threshold = non_claim_threshold(logits)
    assert threshold == pytest.approx(1, abs=1e-3) and (logits >= threshold).sum() == 2
    assert -5 < non_claim_threshold(np.full(1000, -5.0)) <= -4.999


def test_each_family_of_claims_counts_by_itself_and_talk_about_a_text_does_not() -> None:
    logits = {"claims": [-4.0, -5.0], "stories": [-1.0, np.inf], "chat_models": [6.0, 5.0]}
    judged = [
        replace(row(1, (0.3, 0.3), family=family), non_claim=np.array(values))
        for family, values in logits.items()
    ]
    assert [one.tolist() for one in claim_logits(judged)] == [[-4.0, -5.0], [-1.0]]


def test_sentences_that_claim_nothing_are_left_out_with_their_words() -> None:
    one = replace(
        row(1.0, [0.1, 0.2], words=[1, 2, 3], labels=[0, 1, 1]),
        non_claim=np.array([2.0, -2.0]), owner=np.array([0, 1, 1]),
    )  # fmt: skip
    kept = one.claims(0.5)
    assert kept is not None and kept.doubts.tolist() == [[0.2, 0]]
    assert kept.words.tolist() == [2, 3] and kept.labels.tolist() == [1, 1]
    assert one.claims(-3) is None


def test_words_are_marked_from_a_logit() -> None:
    rng = np.random.default_rng(0)
    logits = rng.uniform(-4, 4, 4000)
    labels = (rng.random(4000) < logistic(0.7 * logits - 1.2)).astype(float)
    calibration, _, marked = fitted([row(0.0, words=logits, labels=labels), row(1.0)])
    assert marked == pytest.approx(logistic(0.7 * MARK_LOGIT - 1.2), abs=0.03)
    assert calibration.unsupported(np.array([MARK_LOGIT + 0.1]))[0] > marked


def test_words_of_files_in_which_no_word_is_marked_do_not_count() -> None:
    logits = np.linspace(-4, 4, 400)
    marked = replace(row(0.0, words=logits, labels=(logits > 0).astype(float)), file="marked")
    faithful = replace(row(1.0, words=logits, labels=np.zeros(400)), file="faithful")
    assert fitted([marked, faithful])[0].word == fitted([marked, row(1.0)])[0].word


# --- the table -----------------------------------------------------------------------------------


def test_each_family_is_judged_by_the_others() -> None:
    rng = np.random.default_rng(0)
    made = []
    for family in "abc":
        for number in range(40):
            good = number % 2
            doubts = rng.exponential(size=1) / 20 + (0 if good else 3)
            made.append(row(good, doubts.tolist(), words=[3.0, -3.0] if not good else [-3.0, -3.0],
                            labels=[1, 0] if not good else [0, 0], family=family))  # fmt: skip
    table = left_out(made)
    assert list(table) == ["a", "b", "c"]
    figures: Any = table["b"]
    assert figures["rows"] == 40 and figures["consistent"] == 0.5
    assert figures["auc"] > 99
    assert figures["right_consistent"] > 0.95 and figures["right_not"] > 0.95
    assert figures["even_consistent"] == figures["right_consistent"]
    assert sum(n for n, _, _ in figures["reliability"]) == 40
    assert figures["reliability"][0][2] == 0 and figures["reliability"][-1][2] == 1
    assert {precision for _, _, precision, _ in figures["marks"]} <= {1, None}
    assert figures["marked_words"] == 20
    assert figures["marks_precision"] == figures["marks_recall"] == 1
    # Of one label alone no AUC is known, and one family alone has no others.
    assert left_out([one for one in made if one.family == "a"]) == {}
    only_good = [one for one in made if one.family != "c" or one.target]
    constant: Any = left_out(only_good)["c"]
    assert constant["auc"] is None and constant["consistent"] == 1


# --- rows to logits ------------------------------------------------------------------------------


@pytest.fixture
def model(tiny_support: Path, monkeypatch: pytest.MonkeyPatch) -> Support:
    monkeypatch.setattr(support_calibration, "MADE_NON_CLAIMS", 20)
    return load_support(tiny_support, "tiny", device="cpu", dtype=None)


def test_judged_row_has_the_models_value(model: Support) -> None:
    rows = [
        labelled("The council voted. Paris won the cup.", ["Paris", "won", "cup"], UNSUPPORTED,
                 "storysumm_dev"),
        labelled("Lee left.", [], None, "storysumm_dev"),
        labelled("...", [], ENTAILED, "storysumm_dev"),
        labelled("A ferry ran.", [], ENTAILED, "storysumm_dev", ARTICLES[1]),
        labelled("A ferry ran.", [], ENTAILED, "storysumm_dev", "..."),
    ]  # fmt: skip
    judged = judge(rows, model)
    assert len(judged) == 2
    first = next(one for one in judged if one.target == 0)
    assert first.family == "stories" and len(first.doubts) == len(first.non_claim) == 2
    assert first.labels.tolist() == [0, 0, 1, 1, 1]  # of content words
    (verdict,) = model.judge([(rows[0].source, rows[0].summary)])
    sentences = [one.supported for one in verdict.sentences]
    (value,) = values_of([first], model.settings.calibration)
    assert value == pytest.approx(model.decision.all_supported(sentences), abs=1e-6)
    shares = np.concatenate([one.unsupported[one.content] for one in verdict.sentences])
    assert model.settings.calibration.unsupported(first.words) == pytest.approx(shares, abs=1e-6)


def calibrated(model: Support, folder: Path, *families: str) -> Settings:
    return calibrate(model, calibration_rows(data_folder(folder), families), quiet)


def test_calibrating_fills_the_settings(model: Support, tmp_path: Path) -> None:
    model.trained_on = frozenset({"bump1", "made"})
    before = model.settings
    rows = calibration_rows(data_folder(tmp_path), ("stories", "dialogue"))
    after = calibrate(model, rows, quiet)
    kept = ("encoder", "encoder_id", "budget")
    assert all(getattr(after, name) == getattr(before, name) for name in kept)
    assert after.calibration != before.calibration
    assert after.card["calibrated_on"] == ["claims", "dialogue", "stories"]
    assert set(after.card["left_out"]) == {"claims", "dialogue", "stories"}
    assert after.card["rows"] == before.card["rows"]
    assert set(after.card["non_claims"]) == {"noticed", "mistaken"}
    thresholds = [non_claim_threshold(logits) for logits in claim_logits(judge(rows, model))]
    assert len(thresholds) == 3 and after.non_claim == max(thresholds)


def test_rows_without_a_sentence_that_surely_claims_calibrate_no_model(model: Support) -> None:
    text = "The council met on Tuesday."
    rows = [Labelled("summeval_dev", "d", text, text, (), target)
            for target in (ENTAILED, UNSUPPORTED)]  # fmt: skip
    with pytest.raises(ConfigError, match="no row of claims, dialogue, meetings, stories has a"):
        calibrate(model, rows, quiet)


def test_what_it_was_trained_on_calibrates_no_model(tiny_encoder: Path, tmp_path: Path) -> None:
    card = {"rows": {"diasumfact_dev[part=QMSum]": 3, "made": 9}}
    folder = save_support(tmp_path / "m", tiny_encoder, card=card)
    model = load_support(folder, "m", device="cpu", dtype=None)
    with pytest.raises(ConfigError, match=r"trained on diasumfact_dev\[part=QMSum\]"):
        calibrated(model, tmp_path / "data", "meetings")
    # Another family of the same file.
    after = calibrated(model, tmp_path / "data", "dialogue")
    assert after.card["calibrated_on"] == ["claims", "dialogue"]


def test_unknown_family_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    folder = data_folder(tmp_path)
    with pytest.raises(ConfigError, match=r"Unknown family 'story'.*stories"):
        calibration_rows(folder, ("story",))
    with pytest.raises(DataError, match="faithbench_dev"):
        calibration_rows(folder, ("chat_models",))


def test_phrases_of_a_chat_model_are_no_part_of_what_is_judged(model: Support) -> None:
    text = "The council voted on Tuesday."
    plain, opened = (
        judge([labelled(one, ["Tuesday"], UNSUPPORTED, "storysumm_dev")], model)[0]
        for one in (text, f"Here is a summary: {text}")
    )
    assert opened.doubts.tolist() == plain.doubts.tolist()
    assert opened.labels.tolist() == plain.labels.tolist() == [0, 0, 1]


def test_talk_about_a_text_is_never_what_is_judged(model: Support) -> None:
    text = "The council voted on Tuesday. The document discusses."
    (row,) = judge([labelled(text, [], ENTAILED, "storysumm_dev")], model)
    assert np.isfinite(row.non_claim).tolist() == [True, False]
    kept = row.claims(1e9)
    assert kept is not None and len(kept.doubts) == 1
