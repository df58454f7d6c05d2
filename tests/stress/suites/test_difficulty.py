"""Difficulty: buckets by hand, the network's file, what is learned from the features, the AUC."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier

from faithkit import ConfigError, DataError, Example, Outcome, Score, run
from faithkit.cache import Cache
from faithkit.models.runtime import Runtime
from faithkit.stress.suites import difficulty
from faithkit.stress.suites.base import Case
from faithkit.stress.suites.difficulty import buckets, features_of
from faithkit.train import difficulty as training

pytestmark = pytest.mark.slow

SOURCE = "Anna Reyes spoke in Brookfield on Tuesday. The library will open in March."


def test_buckets_are_the_paper_s() -> None:
    # Ten rows: the two least sure are the bottom 20%, whatever they say.
    p = [0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.95, 0.05, 0.52, 0.49]
    y = [1, 0, 0, 1, 1, 0, 1, 0, 1, 1]
    assert buckets(p, y) == [
        "easy", "easy", "hard", "hard", "easy", "easy", "easy", "easy", "medium", "medium",
    ]  # fmt: skip


def test_half_is_read_as_consistent_and_four_rows_have_no_bottom_fifth() -> None:
    assert buckets([0.5, 0.5, 0.6, 0.4], [1, 0, 1, 1]) == ["easy", "hard", "easy", "hard"]
    assert buckets([], []) == []


def test_the_features_are_those_of_the_metrics_on_a_pair_that_can_be_counted() -> None:
    prepared = run.prepare(difficulty.metrics_needed(), Runtime(offline=True))
    row = Example("r", SOURCE, "Anna Reyes spoke in Paris. The library will open in March.")
    (scores,) = run.score_batch(prepared, [row], Cache(None))
    found = features_of({one.metric.name: s for one, s in zip(prepared, scores, strict=True)})
    # 13 source words, 11 of the summary; word pairs 12 and 10, in common 3 ("anna reyes", "reyes
    # spoke", "spoke in") and 5 of the second sentence.
    assert found[0] == pytest.approx(2 * 8 / (12 + 10))
    assert found[1] == pytest.approx(2 / 3), "Anna Reyes and March are there, Paris is not"
    assert found[2] is not None
    assert 0.5 < found[2] < 1
    assert found[3] == pytest.approx(1 / 11)
    assert found[4] == pytest.approx(1 / 2)
    assert found[5] == pytest.approx(13 / 11)


def test_a_metric_without_a_value_leaves_its_features_missing() -> None:
    scores = {
        "rouge2": Score("r", "rouge2", 0.5, parts={"f1": 0.5}),
        "ner_overlap": Score("r", "ner_overlap", None, Outcome.NO_CLAIMS),
        "sentsim": Score("r", "sentsim", 0.7, parts={"precision": 0.7}),
        "novelty": Score("r", "novelty", 0.9, parts={"novel_1gram": 0.1, "novel_sentence": 1.0,
                                                     "conciseness": 4.0}),
    }  # fmt: skip
    assert features_of(scores) == [0.5, None, 0.7, 0.1, 1.0, 4.0]


def rows(
    count: int, seed: int, *, noise: float = 0.0
) -> tuple[list[list[float | None]], list[int]]:
    """Features whose first column says the label, but for a share of the rows."""
    pick = random.Random(seed)
    labels = [pick.randrange(2) for _ in range(count)]
    noisy = [label if pick.random() >= noise else 1 - label for label in labels]
    return [
        [one + pick.uniform(-0.2, 0.2), None if pick.random() < 0.1 else pick.random(),
         *(pick.random() for _ in range(4))]
        for one in noisy
    ], labels  # fmt: skip


def test_what_is_learned_is_the_column_that_says_the_label() -> None:
    features, labels = rows(120, 1)
    documents = [str(place // 2) for place in range(120)]
    found = training.train(features, labels, documents, data="made up", seed=0)
    new, truth = rows(60, 2)
    predicted = [p >= 0.5 for p in found.probabilities(new)]
    assert sum(g == bool(t) for g, t in zip(predicted, truth, strict=True)) >= 57
    held_out = found.card["held_out"]
    assert isinstance(held_out, dict)
    assert held_out["auc"]["value"] > 0.95  # type: ignore[index,call-overload,operator]
    assert found.card["documents"] == 60


def test_the_forward_pass_is_that_of_scikit_learn() -> None:
    features, labels = rows(80, 3)
    found = training.train(features, labels, [str(n) for n in range(80)], data="x", seed=4)
    states = difficulty.standardised(features, found.means, found.scales)
    theirs = MLPClassifier((100, 50), learning_rate_init=0.001, random_state=4)
    theirs.fit(states, labels)
    assert [layer.shape for layer in found.weights] == [(6, 100), (100, 50), (50, 1)]
    np.testing.assert_allclose(
        found.probabilities(features), theirs.predict_proba(states)[:, 1], atol=1e-9
    )


def test_no_row_is_classified_by_a_network_that_saw_its_document() -> None:
    # Each document holds one feature vector of its own, and its label is random: a network that saw
    # the document knows the label, one that did not is at chance.
    pick = random.Random(5)
    vectors = [[pick.random() for _ in range(6)] for _ in range(40)]
    labels = [pick.randrange(2) for _ in range(40)]
    features = [vectors[place % 40] for place in range(120)]
    truth = [labels[place % 40] for place in range(120)]
    documents = [str(place % 40) for place in range(120)]
    predicted = training.crossfit(features, truth, documents, seed=0)
    right = sum((p >= 0.5) == bool(t) for p, t in zip(predicted, truth, strict=True))
    assert right / 120 < 0.75
    alone = training.train(features, truth, documents, data="x").probabilities(features)
    assert sum((p >= 0.5) == bool(t) for p, t in zip(alone, truth, strict=True)) / 120 > 0.9


def test_a_file_is_read_as_it_was_written_and_a_changed_one_is_refused(tmp_path: Path) -> None:
    features, labels = rows(40, 6)
    found = training.train(features, labels, [str(n) for n in range(40)], data="x", seed=0)
    path = tmp_path / "d.json"
    path.write_text(json.dumps(found.to_dict()))
    again = difficulty.load(path)
    assert again.probabilities(features) == found.probabilities(features)
    assert again.card == found.card
    record = json.loads(path.read_text())
    record["means"][0] += 1
    path.write_text(json.dumps(record))
    with pytest.raises(DataError, match="was changed"):
        difficulty.load(path)
    for text in ("[]", "{", '{"sha256": 1}'):
        path.write_text(text)
        with pytest.raises(DataError, match=str(path)):
            difficulty.load(path)
    with pytest.raises(DataError, match="No such file"):
        difficulty.load(tmp_path / "none.json")


def labelled(number: int, label: int | None) -> Example:
    return Example(f"r{number}", SOURCE, "A.", document=f"g{number}", label=label)


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        ([labelled(1, None)], "of 1 rows none has one"),
        ([labelled(1, 1), labelled(2, 1)], "of 2 rows all are labelled 1"),
    ],
)
def test_rows_without_both_labels_are_one_clear_error(
    examples: list[Example], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        difficulty.cases(examples, seed=0, limit=None)
    with pytest.raises(DataError):
        training.train([[0.0] * 6] * 2, [1, 1], ["a", "b"], data="x")


def test_the_suite_takes_ten_rows_for_each_of_the_limit() -> None:
    examples = [labelled(number, number % 2) for number in range(50)]
    assert len(difficulty.cases(examples, seed=0, limit=2)) == 20
    assert len(difficulty.cases(examples, seed=0, limit=None)) == 50


def test_the_auc_of_each_bucket_by_hand() -> None:
    def one(number: int, kind: str, label: int | None) -> Case:
        return Case(f"c{number}", "difficulty", kind, f"d{number}", {"row": ("s", "t")}, label)

    cases = [one(1, "easy", 1), one(2, "easy", 0), one(3, "easy", 0), one(4, "hard", 1),
             one(5, "hard", 0), one(6, "medium", 1)]  # fmt: skip
    values = [{"row": v} for v in (0.9, 0.1, 0.9, 0.2, 0.4, None)]
    found = difficulty.summarise(cases, values)["figures"]
    assert isinstance(found, list)
    auc = {f["kind"]: f["value"] for f in found}  # type: ignore[index,call-overload]
    assert auc == {"all": pytest.approx(3.5 / 6), "easy": pytest.approx(0.75),
                   "medium": None, "hard": 0.0}  # fmt: skip
    with pytest.raises(ConfigError, match="has no label"):
        difficulty.summarise([one(1, "easy", None)], [{"row": 0.5}])
