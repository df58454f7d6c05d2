"""SummaC by hand and against the authors' package; the training of its convolution."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers import tiny_models
from tests.helpers.load_metric import load_metric
from tests.helpers.tiny_entailment import TableModel
from typer.testing import CliRunner

from faithkit import ConfigError, DataError, Example, Outcome
from faithkit.cli import app
from faithkit.metrics.summac import (
    Convolution,
    SummacConv,
    SummacZs,
    histograms,
    judge,
    read_convolution,
    sigmoid,
    units,
    zero_shot,
)
from faithkit.models.identity import model_id
from faithkit.models.runtime import Runtime
from faithkit.run import prepare
from faithkit.train import summac_conv as training

D1, D2 = "The fair opened on Monday.", "It rained all day long."
S1, S2 = "The council met Ben.", "The mayor went to Paris."
SOURCE, SUMMARY = f"{D1} {D2}", f"{S1} {S2}"
EXAMPLE = Example("a", SOURCE, SUMMARY)
# What the authors' package gives on the matrices of the two tests that name it.
AUTHORS = {"zs": -0.07, "zs_entailment": 0.54, "conv": 0.562706708908081}
# (entailment, contradiction); E - C: S1 .5 and .6, S2 -.4 and -.1.
TABLE = {
    (D1, S1): (0.8, 0.3),
    (D2, S1): (0.6, 0.0),
    (D1, S2): (0.3, 0.7),
    (D2, S2): (0.1, 0.2),
}


# --- zero-shot ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "scores", "best"),
    [
        ("on", (0.6, -0.1), (D2, D2)),
        ("apart", (0.8 - 0.3, 0.3 - 0.7), (D1, D1)),
        ("off", (0.8, 0.3), (D1, D1)),
    ],
)
def test_zero_shot_by_hand(how: Any, scores: tuple[float, ...], best: tuple[str, ...]) -> None:
    (found,) = SummacZs(TableModel(TABLE), contradiction=how, threshold=0.4).score([EXAMPLE])
    assert found.value == pytest.approx(sum(scores) / 2)
    pairs = list(zip(best, (S1, S2), strict=True))
    assert found.parts == pytest.approx(
        {
            "entailment": sum(TABLE[pair][0] for pair in pairs) / 2,
            "contradiction": sum(TABLE[pair][1] for pair in pairs) / 2,
            "minimum": min(scores),
        }
    )
    shown = [(SOURCE[e.start : e.end], SUMMARY[e.summary_start : e.summary_end])
             for e in found.evidence]  # fmt: skip
    assert shown == pairs
    assert [e.score for e in found.evidence] == [pytest.approx(TABLE[pair][0]) for pair in pairs]
    assert [(SUMMARY[s.start : s.end], s.score) for s in found.spans] == [
        (S2, pytest.approx(scores[1]))
    ]
    assert (found.coverage.source_sentences, found.coverage.summary_sentences) == (2, 2)


def test_coverage_counts_a_repeated_sentence_as_often_as_it_occurs() -> None:
    source, summary = f"{D1} {D2} {D1}", f"{S1} {S2} {S1}"
    (found,) = SummacZs(TableModel(TABLE)).score([Example("a", source, summary)])
    coverage = found.coverage
    assert coverage.source_tokens == len(source.split())
    assert coverage.summary_tokens == len(summary.split())
    assert (coverage.source_sentences, coverage.summary_sentences) == (3, 3)


def test_zero_shot_is_that_of_the_authors_package() -> None:
    # SummaCZS.image2score of summac 0.0.4 on these matrices [source, summary], use_con True, False.
    entailment = np.array([[0.91, 0.02, 0.3], [0.05, 0.4, 0.31], [0.2, 0.1, 0.05]])
    contradiction = np.array([[0.01, 0.9, 0.1], [0.6, 0.15, 0.33], [0.3, 0.2, 0.02]])
    scores, _ = zero_shot(entailment.T, contradiction.T, "apart")
    assert scores.mean() == pytest.approx(AUTHORS["zs"], abs=1e-12)
    scores, _ = zero_shot(entailment.T, contradiction.T, "off")
    assert scores.mean() == pytest.approx(AUTHORS["zs_entailment"], abs=1e-12)


@pytest.mark.parametrize(
    ("source", "summary", "pairs"),
    [
        ("document", "document", {(SOURCE, SUMMARY)}),
        ("document", "sentence", {(SOURCE, S1), (SOURCE, S2)}),
        ("sentence", "document", {(D1, SUMMARY), (D2, SUMMARY)}),
        ("sentence", "sentence", set(TABLE)),
        ("paragraph", "sentence", {(SOURCE, S1), (SOURCE, S2)}),
        ("sentence", "paragraph", {(D1, SUMMARY), (D2, SUMMARY)}),
    ],
)
def test_units_of_either_side(source: Any, summary: Any, pairs: set[tuple[str, str]]) -> None:
    model = TableModel({})
    (found,) = SummacZs(model, source=source, summary=summary).score([EXAMPLE])
    assert set(model.calls[0]) == pairs and len(model.calls[0]) == len(pairs)
    assert found.value == 0.0


def test_paragraphs() -> None:
    text = " One\nline. \n\n \n Two.\n\nOk\n"
    found = units(text, "paragraph")
    assert [unit.text for unit in found] == ["One\nline.", "Two.", "Ok"]
    assert all(text[unit.start : unit.end] == unit.text for unit in found)
    assert [unit.text for unit in units("One line.\n Two.\n", "paragraph")] == ["One line.", "Two."]
    assert [unit.text for unit in units("One.", "paragraph")] == ["One."]
    assert units(" \n\n ", "paragraph") == () == units(" ", "document")


def test_a_batch_is_one_call_with_each_pair_once() -> None:
    model = TableModel(TABLE)
    examples = [
        EXAMPLE,
        Example("b", SOURCE, S2),
        Example("c", f"{D2} {D1}", S1),
        Example("d", "", S1),
    ]
    found = SummacZs(model).score(examples)
    assert len(model.calls) == 1
    assert sorted(model.calls[0]) == sorted(TABLE)
    assert [one.value for one in found] == [
        pytest.approx(0.25),
        pytest.approx(-0.1),
        pytest.approx(0.6),
        None,
    ]
    assert found[3].outcome is Outcome.NO_CONTENT


def test_outcomes_of_the_model_are_those_of_the_row() -> None:
    model = TableModel(TABLE, {(D2, S2): Outcome.MODEL_ERROR})
    assert [one.outcome for one in SummacZs(model).score([EXAMPLE, Example("b", SOURCE, S1)])] == [
        Outcome.MODEL_ERROR,
        Outcome.OK,
    ]
    nothing = {(d, S2): Outcome.NO_CLAIMS for d in (D1, D2)}
    found = SummacZs(TableModel(TABLE, nothing)).score([EXAMPLE, Example("b", SOURCE, S2)])
    assert found[0].value == pytest.approx(0.6)
    assert found[1].outcome is Outcome.NO_CLAIMS


# --- convolution -------------------------------------------------------------------------------


def test_histograms_count_source_units_in_fifty_parts() -> None:
    found = histograms(np.array([[0.0, 0.019, 0.021, 0.5, 1.0], [0.99, 0.999, 0.98, 0.9, 0.1]]))
    assert found.shape == (2, 50)
    assert {place: count for place, count in enumerate(found[0]) if count} == {
        0: 2, 1: 1, 25: 1, 49: 1
    }  # fmt: skip
    assert found.sum(axis=1).tolist() == [5, 5]
    assert found[1, 49] == 3 and found[1, 45] == 1


def convolution(**weights: float) -> Convolution:
    """Zero but for the bins named `b45=...`."""
    values = [0.0] * 50
    for name, weight in weights.items():
        values[int(name[1:])] = weight
    return Convolution(tuple(values), -1.0, TableModel.id, {})


def save(path: Path, learned: Convolution) -> Path:
    path.write_text(json.dumps(learned.to_dict()))
    return path


def test_convolution_by_hand(tmp_path: Path) -> None:
    # S1 is entailed with .8 (bin 40) and .61 (bin 30), S2 with .3 (15) and .11 (5).
    table = TABLE | {(D2, S1): (0.61, 0.0), (D1, S2): (0.31, 0.0), (D2, S2): (0.11, 0.0),
                     (D1, S1): (0.81, 0.0)}  # fmt: skip
    file = save(tmp_path / "c.json", convolution(b40=2.0, b30=0.5, b15=-1.0, b5=-0.25, b0=9.0))
    (found,) = SummacConv(TableModel(table), file=str(file)).score([EXAMPLE])
    first, second = 2.0 + 0.5 - 1.0, -1.0 - 0.25 - 1.0
    assert found.value == pytest.approx(1 / (1 + math.exp(-(first + second) / 2)))
    assert found.parts == {"minimum": pytest.approx(1 / (1 + math.exp(-second)))}
    assert [(SUMMARY[s.start : s.end], s.score) for s in found.spans] == [
        (S2, pytest.approx(1 / (1 + math.exp(-second))))
    ]
    assert [SOURCE[e.start : e.end] for e in found.evidence] == [D1, D1]


def test_convolution_is_that_of_the_authors_package() -> None:
    # SummaCConv.forward of summac 0.0.4 (bins even50, labels e, mean), its layers set so: kernel
    # sin(0..49), bias 0.1; last layer weights ((.2, -.1, .3), (.5, .4, -.2)), biases (.05, -.15).
    entailment = np.array([[0.91, 0.02, 0.3], [0.05, 0.4, 0.31], [0.2, 0.1, 0.05]])
    scale, shift = (0.5 + 0.4 - 0.2) - (0.2 - 0.1 + 0.3), -0.15 - 0.05
    kernel = np.sin(np.arange(50.0))
    ours = Convolution(tuple(kernel * scale), 0.1 * scale + shift, "", {})
    value = sigmoid(ours.logits(entailment.T).mean())
    assert value == pytest.approx(AUTHORS["conv"], abs=1e-6)


def test_without_a_file_it_names_the_training() -> None:
    with pytest.raises(ConfigError, match="faithkit train summac-conv"):
        SummacConv(TableModel({}))


def test_another_entailment_model_is_refused(tmp_path: Path) -> None:
    learned = convolution(b0=1.0)
    file = str(save(tmp_path / "c.json", learned))
    model = TableModel({})
    model.id = "table@111111111111"
    with pytest.raises(ConfigError, match="trained on the probabilities of table@000000000000"):
        SummacConv(model, file=file)
    model.id = "other name@000000000000"  # the same weights
    SummacConv(model, file=file)


def test_the_signature_names_what_the_file_holds(tmp_path: Path) -> None:
    def resolved(path: Path) -> Any:
        loaded = load_metric(f"summac_conv:file={path}", lambda _spec: TableModel({}))
        return loaded.signature.options["file"]

    one = resolved(save(tmp_path / "one.json", convolution(b0=1.0)))
    assert resolved(save(tmp_path / "copy.json", convolution(b0=1.0))) == one
    assert resolved(save(tmp_path / "two.json", convolution(b0=1.5))) != one


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "other"}, "not a saved summac-conv"),
        ({"weights": [1.0]}, "1 weights for 50 bins"),
        ({"weights": ["a"] * 50}, "not a whole convolution"),
        ({"bias": None}, "not a whole convolution"),
        ({"nli": ...}, "no field 'nli'"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    row = {**convolution(b0=1.0).to_dict(), **change}
    path = tmp_path / "c.json"
    path.write_text(json.dumps({key: value for key, value in row.items() if value is not ...}))
    with pytest.raises(DataError, match=words) as error:
        read_convolution(path)
    assert str(path) in str(error.value)


def test_a_file_that_is_not_there_or_not_json(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_convolution(tmp_path / "none.json")
    (tmp_path / "text.json").write_text("{")
    with pytest.raises(DataError, match="invalid JSON"):
        read_convolution(tmp_path / "text.json")
    assert read_convolution(save(tmp_path / "c.json", convolution(b3=2.0))) == convolution(b3=2.0)


# --- training ----------------------------------------------------------------------------------


def pairs(count: int) -> tuple[list[Example], TableModel]:
    """Pairs of one sentence with one; the even ones are entailed, and consistent."""
    examples, table = [], {}
    for number in range(count):
        source, summary = f"Town {number} has a mill.", f"There is a mill in town {number}."
        label = 1 - number % 2
        table[source, summary] = (0.93 if label else 0.04, 0.0)
        examples.append(Example(str(number), source, summary, label=label))
    return examples, TableModel(table)


@pytest.mark.slow
def test_training_learns_what_can_be_learned(tmp_path: Path) -> None:
    examples, model = pairs(40)
    learned = training.train(examples, model, data="towns", epochs=120)
    assert learned.weights[46] > 0.5 and learned.weights[2] < -0.5
    assert all(weight == 0 for place, weight in enumerate(learned.weights) if place not in (2, 46))
    metric = SummacConv(model, file=str(save(tmp_path / "c.json", learned)))
    values = [score.value for score in metric.score(examples)]
    assert all((value or 0) > 0.7 for value in values[::2])
    assert all((value or 1) < 0.3 for value in values[1::2])
    fitted: Any = learned.fitted
    assert (fitted["pairs"], fitted["consistent"], fitted["documents"]) == (40, 20, 40)
    assert fitted["held_out"]["folds"] == 5
    assert fitted["held_out"]["auc"]["value"] == 1.0
    assert fitted["held_out"]["balanced_accuracy"]["value"] == 1.0
    assert fitted["length_alone"]["auc"]["value"] < 0.6  # one sentence each
    assert learned.nli == model.id and fitted["data"] == "towns"


@pytest.mark.slow
def test_held_out_figures_are_of_unseen_documents() -> None:
    # A document's three pairs share a bin and a label that nothing tells.
    generator = np.random.default_rng(0)
    examples, table = [], {}
    for number in range(40):
        source, label = f"Town {number} has a mill.", int(generator.integers(2))
        for copy in range(3):
            summary = f"There is a mill in town {number}, {copy}."
            table[source, summary] = ((number + 0.5) / 40, 0.0)
            examples.append(Example(f"{number}-{copy}", source, summary, label=label))
    learned = training.train(examples, TableModel(table), data="noise", epochs=100)
    fitted: Any = learned.fitted
    assert fitted["documents"] == 40
    assert fitted["held_out"]["auc"]["value"] < 0.65
    rows = training.read(examples, TableModel(table))
    seen = sigmoid(rows.histograms @ learned.weights + learned.bias)
    assert ((seen > 0.5) == rows.labels).mean() > 0.85  # though it has learned them by heart


@pytest.mark.slow
def test_training_reproduces_itself() -> None:
    examples, model = pairs(40)
    for number in (3, 5, 8):  # so that the order of the steps matters
        examples[number] = Example(str(number), examples[0].source, examples[0].summary, label=0)
    first = training.train(examples, model, data="x", seed=3, epochs=5)
    assert training.train(examples, model, data="x", seed=3, epochs=5) == first
    assert training.train(examples, model, data="x", seed=4, epochs=5).weights != first.weights


def test_the_mean_may_come_before_the_convolution() -> None:
    generator = np.random.default_rng(1)
    entailment = generator.random((4, 9))
    weights, bias = generator.normal(size=50), 0.3
    after = Convolution(tuple(weights), bias, "", {}).logits(entailment).mean()
    assert histograms(entailment).mean(axis=0) @ weights + bias == pytest.approx(after)


def test_epochs_are_enough_for_1500_steps() -> None:
    # 96 pairs are 3 steps of 32, 97 are 4; 10,000 are 313, of which 5 epochs make more.
    assert [training.usual_epochs(pairs) for pairs in (96, 97, 10_000)] == [500, 375, 5]


def test_pairs_without_label_or_matrix_are_counted() -> None:
    examples, model = pairs(20)
    examples += [Example("none", D1, S1), Example("blank", "", S1, label=1)]
    learned = training.train(examples, model, data="x", epochs=1)
    assert learned.fitted["left_out"] == {"no label": 1, "no_content": 1}
    assert learned.fitted["pairs"] == 20


def test_one_label_only_is_refused_before_the_model_runs() -> None:
    examples, model = pairs(20)
    with pytest.raises(DataError, match="10 consistent and 0 inconsistent"):
        training.train(examples[::2], model, data="x")
    assert model.calls == []


@pytest.mark.slow
def test_the_command_trains_a_file_that_the_metric_takes(tmp_path: Path) -> None:
    nli = tiny_models.save_classifier(tmp_path / "nli")
    rows = tmp_path / "pairs.jsonl"
    with rows.open("w") as file:
        for place in range(12):
            row = {"id": str(place), "source": tiny_models.text(place, 15),
                   "summary": tiny_models.text(place, 4), "label": place % 2}  # fmt: skip
            file.write(json.dumps(row) + "\n")
    output = tmp_path / "conv.json"
    arguments = ["train", "summac-conv", str(rows), "--nli", str(nli), "--offline"]
    arguments += ["--device", "cpu", "--epochs", "2", "--seed", "7", "-o", str(output)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "12 pairs of 12 documents, 6 consistent" in result.output
    assert "auc on held-out documents" in result.output
    learned = read_convolution(output)
    assert learned.nli == model_id(nli)
    assert learned.fitted["seed"] == 7 and learned.fitted["epochs"] == 2
    first = output.read_bytes()
    assert CliRunner().invoke(app, [*arguments, "--json"]).exit_code == 0
    assert output.read_bytes() == first
    (one,) = prepare([f"summac_conv:file={output},model={nli}"], Runtime("cpu", offline=True))
    (score,) = one.metric.score([Example("a", tiny_models.text(1, 15), tiny_models.text(1, 4))])
    assert score.value is not None


def test_judge_gives_a_row_for_each_summary_unit() -> None:
    (found,) = judge(TableModel(TABLE), [EXAMPLE])
    assert found.entailment.tolist() == [[0.8, 0.6], [0.3, 0.1]]
    assert found.contradiction == pytest.approx(np.array([[0.3, 0.0], [0.7, 0.2]]))
