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

from faithkit.metrics.support import all_supported
from faithkit.records import ConfigError
from faithkit.support.calibration import Calibration
from faithkit.support.model import Support, load_support
from faithkit.train.support_calibration import (
    MARK_PRECISION,
    PRECISION,
    STEPS,
    Judged,
    bands,
    calibrate,
    fitted,
    judge,
    left_out,
    value_of,
)
from faithkit.train.words import ENTAILED, UNSUPPORTED


def quiet(_: str) -> None:
    return


def row(
    target: float,
    features: Sequence[Sequence[float]] = ((0.0, 0.0, 0.0),),
    words: Sequence[float] = (),
    labels: Sequence[float] = (),
    family: str = "a",
) -> Judged:
    return Judged(
        family, "d", target, np.array(features, dtype=np.float64),
        np.array(words, dtype=np.float32), np.array(labels, dtype=np.float32),
        np.zeros(len(features), dtype=np.float32),
    )  # fmt: skip


def logistic(value: Any) -> Any:
    return 1 / (1 + np.exp(-value))


# --- what is fitted ------------------------------------------------------------------------------


def test_value_of_a_row_is_the_product_of_its_sentences() -> None:
    calibration = Calibration((1.0, 0.0), (0.5, 0.25, 2.0, -1.0))
    features = [[1.0, 2.0, -0.5], [3.0, 0.0, -0.1]]
    odds = [0.5 + 0.5 - 1.0 - 1.0, 1.5 - 0.2 - 1.0]
    expected = all_supported([float(logistic(one)) for one in odds])
    assert value_of(row(1, features), calibration) == pytest.approx(expected)


def test_known_weights_of_sentences_are_recovered() -> None:
    rng = np.random.default_rng(0)
    true = Calibration((1.0, 0.0), (0.8, 0.4, 0.6, 0.5))
    made = []
    for number in range(3000):
        features = rng.normal(size=(1 + number % 3, 3)) * 2
        one = row(1, features, family="ab"[number % 2])
        made.append(replace(one, target=value_of(one, true)))
    found, _, _ = fitted(made)
    assert found.sentence == pytest.approx(true.sentence, abs=0.03)


def test_known_scaling_of_words_is_recovered() -> None:
    rng = np.random.default_rng(0)
    made = []
    for number in range(400):
        logits = rng.normal(size=10) * 3
        made.append(row(number % 2, words=logits, labels=logistic(0.7 * logits - 1.2)))
    found, _, _ = fitted(made)
    assert found.word == pytest.approx((0.7, -1.2), abs=0.02)


def test_no_feature_counts_against_support() -> None:
    rng = np.random.default_rng(0)
    made = []
    for _ in range(500):
        features = rng.normal(size=(1, 3))
        made.append(row(float(logistic(features[0, 0] - 3 * features[0, 1])), features))
    found, _, _ = fitted(made)
    assert found.sentence[0] > 0.2 and found.sentence[1] == 0


def test_families_weigh_the_same() -> None:
    """Two families with other shares of consistent rows: the larger does not outvote the other."""
    few = [row(1.0, family="a") for _ in range(10)]
    many = [row(0.0, family="b") for _ in range(500)]
    found, _, _ = fitted([*few, *many])
    assert value_of(few[0], found) == pytest.approx(0.5, abs=0.01)


def test_without_labelled_words_their_scaling_stays_and_none_is_marked() -> None:
    found, _, marked = fitted([row(1.0), row(0.0)])
    assert found.word == (1.0, 0.0)
    assert marked == STEPS[-1]


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
    assert right >= PRECISION and wrong >= PRECISION
    assert (lower, upper) == pytest.approx((0.4, 0.6), abs=0.06)
    wider = precision(values, good, lower + 0.01, upper - 0.01)
    assert min(wider[0], wider[1]) < PRECISION


def test_perfect_values_leave_no_band_between() -> None:
    made = [row(0.0), row(0.0), row(1.0), row(1.0)]
    lower, upper = bands(made, np.array([0.1, 0.3, 0.7, 0.9], dtype=np.float32))
    assert lower == upper  # everything is decided


def test_bands_of_chance_are_far_apart_and_in_order() -> None:
    rng = np.random.default_rng(1)
    values = rng.random(2000).astype(np.float32)
    made = [row(float(rng.random() < 0.5)) for _ in values]
    lower, upper = bands(made, values)
    assert lower <= 0.1 and upper >= 0.9


def test_bands_weigh_families_alike() -> None:
    """In the large family high values are right, in the small one they are wrong."""
    large = [row(1.0, family="a")] * 90 + [row(0.0, family="a")] * 90
    small = [row(0.0, family="b")] * 10
    values = np.array([0.9] * 90 + [0.1] * 90 + [0.9] * 10, dtype=np.float32)
    alone = bands(large, values[:180])
    both = bands([*large, *small], values)
    assert alone[1] < 0.5
    assert both[1] > 0.5


def test_words_are_marked_from_where_enough_are_unsupported() -> None:
    logits = np.linspace(-4, 4, 81)
    labels = (logistic(logits) > 0.7).astype(float)
    made = [row(0.0, words=logits, labels=labels), row(1.0)]
    calibration, _, marked = fitted(made)
    shown = calibration.unsupported(logits.astype(np.float32)) >= marked
    assert labels[shown].mean() >= MARK_PRECISION
    less = calibration.unsupported(logits.astype(np.float32)) >= marked - 0.01
    assert labels[less].mean() < MARK_PRECISION


# --- the table -----------------------------------------------------------------------------------


def test_each_family_is_judged_by_the_others() -> None:
    rng = np.random.default_rng(0)
    made = []
    for family in "abc":
        for number in range(60):
            good = number % 2
            features = rng.normal(size=(1, 3)) + (3 if good else -3)
            made.append(row(good, features, words=[3.0, -3.0] if not good else [-3.0, -3.0],
                            labels=[1, 0] if not good else [0, 0], family=family))  # fmt: skip
    table = left_out(made)
    assert list(table) == ["a", "b", "c"]
    figures: Any = table["b"]
    assert figures["rows"] == 60 and figures["consistent"] == 0.5
    assert figures["auc"] > 99
    assert figures["right_consistent"] > 0.95 and figures["right_not"] > 0.95
    assert figures["marked_words"] == 30
    assert figures["marks_precision"] == figures["marks_recall"] == 1
    # Of one label alone no AUC is known, and one family alone has no others.
    assert left_out([one for one in made if one.family == "a"]) == {}
    only_good = [one for one in made if one.family != "c" or one.target]
    constant: Any = left_out(only_good)["c"]
    assert constant["auc"] is None and constant["consistent"] == 1


# --- rows to logits ------------------------------------------------------------------------------


@pytest.fixture
def model(tiny_support: Path) -> Support:
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
    assert first.family == "stories" and len(first.features) == len(first.non_claim) == 2
    assert first.labels.tolist() == [0, 0, 1, 1, 1]  # of content words
    (verdict,) = model.judge([(rows[0].source, rows[0].summary)])
    sentences = [one.supported for one in verdict.sentences]
    value = value_of(first, model.settings.calibration)
    assert value == pytest.approx(all_supported(sentences), abs=1e-6)
    shares = np.concatenate([one.unsupported[one.content] for one in verdict.sentences])
    assert model.settings.calibration.unsupported(first.words) == pytest.approx(shares, abs=1e-6)


def test_calibrating_fills_the_settings(model: Support, tmp_path: Path) -> None:
    model.trained_on = frozenset({"bump1", "made"})
    before = model.settings
    after = calibrate(model, data_folder(tmp_path), quiet, ("stories", "dialogue"))
    kept = ("encoder", "encoder_id", "budget", "non_claim")
    assert all(getattr(after, name) == getattr(before, name) for name in kept)
    assert after.calibration != before.calibration
    assert after.card["calibrated_on"] == ["claims", "dialogue", "stories"]
    assert set(after.card["left_out"]) == {"claims", "dialogue", "stories"}
    assert after.card["rows"] == before.card["rows"]


def test_what_it_was_trained_on_calibrates_no_model(tiny_encoder: Path, tmp_path: Path) -> None:
    card = {"rows": {"diasumfact_dev[part=QMSum]": 3, "made": 9}}
    folder = save_support(tmp_path / "m", tiny_encoder, card=card)
    model = load_support(folder, "m", device="cpu", dtype=None)
    data = data_folder(tmp_path / "data")
    with pytest.raises(ConfigError, match=r"trained on diasumfact_dev\[part=QMSum\]"):
        calibrate(model, data, quiet, ("meetings",))
    # Another family of the same file.
    assert calibrate(model, data, quiet, ("dialogue",)).card["calibrated_on"] == [
        "claims", "dialogue"
    ]  # fmt: skip


def test_unknown_family_is_refused(model: Support, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"Unknown family 'story'.*stories"):
        calibrate(model, data_folder(tmp_path), quiet, ("story",))
