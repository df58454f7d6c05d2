"""Entailment models against the checkpoint called directly, and the metrics on them by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.helpers import tiny_models
from tests.helpers.load_metric import load_metric
from tests.helpers.tiny_entailment import TableModel

from faithkit import ConfigError, Example, ModelError, Outcome, models
from faithkit.metrics.entailment import Entailment, MnliDoc, nearest
from faithkit.metrics.registry import METRICS
from faithkit.models import pairs
from faithkit.models.batching import TokenBudget
from faithkit.models.entailment import CrossEncoder, columns_of
from faithkit.models.identity import model_id
from faithkit.models.pairs import PairClassifier
from faithkit.models.protocols import EntailmentModel, Floats
from faithkit.models.runtime import Runtime
from faithkit.support.entailment import load_entailment

pytestmark = pytest.mark.slow

KINDS = ("bert", "roberta", "deberta", "bart")
LONG = tiny_models.text(4, 90)
# The last premise does not fit beside its hypothesis.
PAIRS = [
    *[(tiny_models.text(i, 12 + 7 * i), tiny_models.text(i + 5, 2 + 3 * i)) for i in range(6)],
    (LONG, tiny_models.text(8, 9)),
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("classifiers")
    return {kind: tiny_models.save_classifier(place / kind, kind) for kind in KINDS}


def load(path: Path) -> CrossEncoder:
    return load_entailment(path, path.name, device="cpu", dtype=None)


def probabilities(model: EntailmentModel, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    found = model.predict(pairs)
    assert all(one.outcome is Outcome.OK for one in found)
    return np.array([one.probabilities for one in found])


# --- the model ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_has_the_probabilities_of_the_checkpoint_called_directly(
    folders: dict[str, Path], kind: str
) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folders[kind]).eval()
    tokenizer = AutoTokenizer.from_pretrained(folders[kind])
    expected = []
    for pair in PAIRS:
        inputs = tokenizer(
            *pair, truncation="only_first", max_length=tiny_models.CONTEXT, return_tensors="pt"
        )
        with torch.no_grad():
            expected.append(model(**inputs).logits[0].softmax(-1).tolist())
    found = probabilities(load(folders[kind]), PAIRS)
    assert found == pytest.approx(np.array(expected)[:, ::-1], abs=1e-6)  # entailment is its last
    assert found[:, 0].std() > 0.005  # a model that says the same of all would show nothing
    assert found.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("kind", KINDS)
def test_results_do_not_depend_on_the_batch(
    folders: dict[str, Path], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(folders[kind])
    together = probabilities(model, PAIRS)
    backwards = probabilities(model, PAIRS[::-1])[::-1]
    monkeypatch.setattr(pairs, "BUDGET", TokenBudget(1, 1))
    alone = probabilities(model, PAIRS)
    assert backwards == pytest.approx(together, abs=1e-6)
    assert alone == pytest.approx(together, abs=1e-6)
    assert model.predict([]) == []


def test_a_premise_is_cut_from_its_end_and_says_so(folders: dict[str, Path]) -> None:
    model = load(folders["bert"])
    tokenizer = tiny_models.pair_tokenizer(True)
    size = [len(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in PAIRS[-1]]
    room = tiny_models.CONTEXT - 3 - size[1]
    assert size[0] > room
    (found,) = model.predict([PAIRS[-1]])
    assert (found.premise_tokens, found.premise_cut) == (room, size[0] - room)
    assert found.hypothesis_tokens == size[1]
    (other,) = model.predict([(PAIRS[-1][0] + " never seen", PAIRS[-1][1])])
    assert other.probabilities == found.probabilities
    (short,) = model.predict([PAIRS[0]])
    assert short.premise_cut == 0


def test_a_hypothesis_that_does_not_fit_is_an_outcome_and_harms_no_other(
    folders: dict[str, Path],
) -> None:
    model = load(folders["roberta"])
    found = model.predict([PAIRS[0], (PAIRS[0][0], LONG + LONG), PAIRS[1]])
    assert [one.outcome for one in found] == [
        Outcome.OK,
        Outcome.TRUNCATED_SUMMARY,
        Outcome.OK,
    ]
    assert found[1].probabilities == (0.0, 0.0, 0.0)
    assert found[1].premise_tokens == 0 and found[1].hypothesis_tokens > tiny_models.CONTEXT
    assert found[2].probabilities == pytest.approx(probabilities(model, [PAIRS[1]])[0], abs=1e-6)


def test_nan_is_an_outcome_of_its_pair_alone(folders: dict[str, Path]) -> None:
    model = load(folders["bert"])
    expected = probabilities(model, PAIRS)
    # A token that no other text has.
    (token,) = model.classifier.loaded.tokenizer("Q", add_special_tokens=False)["input_ids"]
    weights = model.classifier.loaded.model.get_input_embeddings().weight
    with torch.no_grad():
        weights[token] = torch.nan
    found = model.predict([*PAIRS, (PAIRS[0][0], "Q")])
    assert found[-1].outcome is Outcome.MODEL_ERROR
    assert found[-1].probabilities == (0.0, 0.0, 0.0)
    rest = [one.probabilities for one in found[:-1]]
    assert rest == [pytest.approx(row, abs=1e-6) for row in expected]


def test_each_distinct_pair_runs_once(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(folders["bert"])
    rows = []
    network = model.classifier.loaded.model
    forward = network.forward
    monkeypatch.setattr(
        network, "forward", lambda **inputs: rows.extend(inputs["input_ids"]) or forward(**inputs)
    )
    found = model.predict([PAIRS[0], PAIRS[1], PAIRS[0], PAIRS[0]])
    assert len(rows) == 2
    assert found[0] == found[2] == found[3] != found[1]


@pytest.mark.parametrize("kind", ["bert", "bart"])
def test_letters_that_spell_a_special_token_are_text(folders: dict[str, Path], kind: str) -> None:
    model = load(folders[kind])
    premise, hypothesis = PAIRS[0]
    plain, spelled = model.predict([(premise, hypothesis), (f"{premise}</s><pad>", hypothesis)])
    assert spelled.outcome is Outcome.OK
    assert spelled.premise_tokens > plain.premise_tokens + 2


def test_the_weights_are_read_at_the_first_pair_and_name_the_model(
    folders: dict[str, Path],
) -> None:
    model = models.load(f"nli:{folders['bert']}", Runtime("cpu", offline=True))
    assert isinstance(model, EntailmentModel)
    assert model.id == model_id(folders["bert"], "bert")
    assert "loaded" not in vars(model.classifier)
    assert load_entailment(folders["bert"], "x", device="cpu", dtype="bfloat16").id.endswith(
        "/bfloat16"
    )


# --- labels ------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", permutations(tiny_models.NLI_LABELS), ids="-".join)
def test_the_order_of_labels_is_read_from_the_config(
    folders: dict[str, Path], tmp_path: Path, order: tuple[str, ...]
) -> None:
    # The same weights under other names: what the third output says is now said of another class.
    expected = probabilities(load(folders["bert"]), PAIRS[:2])
    path = tiny_models.save_classifier(tmp_path / "bert", "bert", order)
    found = probabilities(load(path), PAIRS[:2])
    names = ("entailment", "neutral", "contradiction")
    places = [tiny_models.NLI_LABELS[::-1].index(tiny_models.NLI_LABELS[order.index(name)])
              for name in names]  # fmt: skip
    assert found == pytest.approx(expected[:, places], abs=1e-7)


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), (2, 1, 0)),
        ((" Entailment", "Not_Entailment"), (0, 1)),
        (("not-entailment", "entailment"), (1, 0)),
        (("entailment", "contradiction"), (0, 2)),
        (("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), (0, 2, 1)),
    ],
)
def test_label_names(names: tuple[str, ...], columns: tuple[int, ...]) -> None:
    config = {"id2label": {str(place): name for place, name in enumerate(names)}}
    assert columns_of(config, "some/model") == columns


def test_labels_are_in_the_order_of_their_numbers() -> None:
    labels = {"2": "entailment", "0": "contradiction", "1": "neutral"}
    assert columns_of({"id2label": labels}, "some/model") == (2, 1, 0)


def test_of_two_classes_the_third_has_nothing(tmp_path: Path) -> None:
    path = tiny_models.save_classifier(tmp_path / "two", "bert", ("not_entailment", "entailment"))
    found = probabilities(load(path), PAIRS[:3])
    assert found[:, 2].tolist() == [0, 0, 0]
    assert found[:, 0] + found[:, 1] == pytest.approx(1)
    path = tiny_models.save_classifier(tmp_path / "too", "bert", ("contradiction", "entailment"))
    assert probabilities(load(path), PAIRS[:3]) == pytest.approx(found[:, [0, 2, 1]])


def test_a_published_checkpoint_without_names_is_known() -> None:
    config = {"id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}
    assert columns_of(config, "tals/albert-xlarge-vitaminc-mnli") == (0, 2, 1)
    named = {"id2label": {"0": "neutral", "1": "entailment", "2": "contradiction"}}
    assert columns_of(named, "tals/albert-xlarge-vitaminc-mnli") == (1, 0, 2)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}, "config.json"),
        ({}, "LABEL_0, LABEL_1 do not say"),
        ({"id2label": {"0": "LABEL_0"}}, "single number"),
        ({"num_labels": 1}, "single number"),
        ({"id2label": {"0": "negative", "1": "positive"}}, "found negative, positive"),
        ({"id2label": {"0": "entailment", "1": "neutral", "2": "neutral"}}, "found entailment"),
        ({"id2label": {"0": "neutral", "1": "contradiction"}}, "found neutral, contradiction"),
        ({"id2label": {"entailment": 0, "neutral": 1}}, "id2label is"),
    ],
)
def test_labels_that_do_not_say_which_is_entailment_are_refused(
    config: dict[str, Any], words: str
) -> None:
    with pytest.raises(ModelError, match=words) as error:
        columns_of(config, "some/model")
    assert "some/model" in str(error.value)


def test_a_folder_that_holds_no_classifier_is_refused(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=r"no config\.json"):
        load_entailment(tmp_path, "empty", device="cpu", dtype=None)
    config = json.loads((folders["bert"] / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"architectures": ["BertModel"]}))
    with pytest.raises(ModelError, match="found BertModel"):
        load_entailment(tmp_path, "encoder", device="cpu", dtype=None)


def test_more_labels_in_the_config_than_outputs_are_refused(folders: dict[str, Path]) -> None:
    classifier = PairClassifier(
        "x", ("entailment", "neutral"), lambda: load(folders["bert"]).classifier.loaded
    )
    model = CrossEncoder(classifier, columns=(0, 1))
    with pytest.raises(ModelError, match="names 2 labels, but the model gives 3"):
        model.predict(PAIRS[:1])


# --- entailment --------------------------------------------------------------------------------

D1, D2, D3, D4 = (
    "Anna met Ben in Rome.",
    "The fair opened on Monday.",
    "It rained all day long.",
    "Ben flew home on Friday.",
)
SOURCE = " ".join((D1, D2, D3, D4))
S1, S2 = "The council met Ben.", "The mayor went to Paris."
EXAMPLE = Example("a", SOURCE, f"{S1} {S2}")


def test_s2s_is_the_mean_over_sentences_of_the_best_source_sentence() -> None:
    table = {(D1, S1): (0.9, 0.0), (D2, S1): (0.2, 0.1), (D4, S2): (0.3, 0.6), (D1, S2): (0.1, 0.2)}
    (found,) = Entailment(TableModel(table), granularity="s2s").score([EXAMPLE])
    assert found.value == pytest.approx((0.9 + 0.3) / 2)
    assert found.parts == pytest.approx(
        {"entailment": 0.6, "neutral": 0.1, "contradiction": 0.3, "minimum": 0.3}
    )
    assert [(SOURCE[e.start : e.end], EXAMPLE.summary[e.summary_start : e.summary_end], e.score)
            for e in found.evidence] == [(D1, S1, 0.9), (D4, S2, 0.3)]  # fmt: skip
    assert [(EXAMPLE.summary[s.start : s.end], s.label, s.score) for s in found.spans] == [
        (S2, "unsupported", 0.3)
    ]
    words = len(SOURCE.split())
    assert (found.coverage.source_tokens, found.coverage.source_tokens_cut) == (words, 0)
    assert (found.coverage.source_sentences, found.coverage.summary_sentences) == (4, 2)
    assert found.coverage.summary_tokens == len(EXAMPLE.summary.split())


def test_d2s_is_the_mean_over_sentences_of_the_whole_source() -> None:
    table = {(SOURCE, S1): (0.8, 0.1), (SOURCE, S2): (0.5, 0.5)}
    model = TableModel(table, cut=4)
    (found,) = Entailment(model).score([EXAMPLE])
    assert found.value == pytest.approx(0.65)
    assert found.parts == pytest.approx(
        {"entailment": 0.65, "neutral": 0.05, "contradiction": 0.3, "minimum": 0.5}
    )
    assert found.evidence == () and found.spans == ()  # 0.5 is not under the threshold
    # One premise, cut alike beside both hypotheses, counts once.
    assert (found.coverage.source_tokens, found.coverage.source_tokens_cut) == (
        len(SOURCE.split()) - 4,
        4,
    )


@pytest.mark.parametrize("granularity", ["s2s", "d2s"])
def test_coverage_counts_a_repeated_sentence_as_often_as_it_occurs(granularity: Any) -> None:
    source, summary = f"{D1} {D2} {D1}", f"{S1} {S2} {S1}"
    metric = Entailment(TableModel({}), granularity=granularity)
    (score,) = metric.score([Example("a", source, summary)])
    assert score.coverage.source_tokens == len(source.split())
    assert score.coverage.summary_tokens == len(summary.split())


class Directions:
    """Embeds each known sentence as a given unit vector."""

    id = "directions@0"

    def __init__(self, vectors: dict[str, tuple[float, float]]) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> Floats:
        return np.array([self._vectors[text] for text in texts], dtype=np.float32)


def test_top2s_joins_the_three_most_similar_sentences_in_the_sources_order() -> None:
    vectors = {D1: (0.6, 0.8), D2: (1.0, 0.0), D3: (0.0, 1.0), D4: (0.8, 0.6),
               S1: (0.0, 1.0), S2: (1.0, 0.0)}  # fmt: skip
    # S1: D1 .8, D2 0, D3 1, D4 .6; S2: D1 .6, D2 1, D3 0, D4 .8.
    table = {(f"{D1} {D3} {D4}", S1): (0.7, 0.0), (f"{D1} {D2} {D4}", S2): (0.1, 0.8)}
    model = TableModel(table)
    metric = Entailment(model, embedder=Directions(vectors), granularity="top2s")
    (found,) = metric.score([EXAMPLE])
    assert found.value == pytest.approx(0.4)
    assert found.parts["contradiction"] == pytest.approx(0.4)
    shown = [(SOURCE[e.start : e.end], e.label, round(e.score or 0, 4)) for e in found.evidence]
    assert shown == [(D1, "similar", 0.8), (D3, "similar", 1.0), (D4, "similar", 0.6),
                     (D1, "similar", 0.6), (D2, "similar", 1.0), (D4, "similar", 0.8)]  # fmt: skip
    assert len(model.calls) == 1 and sorted(model.calls[0]) == sorted(table)


def test_top2s_takes_all_of_a_short_source() -> None:
    vectors = {D1: (0.6, 0.8), D2: (1.0, 0.0), S1: (0.0, 1.0)}
    model = TableModel({(f"{D1} {D2}", S1): (0.7, 0.0)})
    metric = Entailment(model, embedder=Directions(vectors), granularity="top2s")
    (found,) = metric.score([Example("a", f"{D1} {D2}", S1)])
    assert found.value == pytest.approx(0.7)


def test_nearest_prefers_the_earlier_of_equals() -> None:
    assert nearest(np.array([0.5, 0.9, 0.5, 0.5, 0.1], dtype=np.float32), 3) == [0, 1, 2]


def test_a_batch_is_one_call_with_each_pair_once() -> None:
    model = TableModel({})
    examples = [EXAMPLE, Example("b", SOURCE, S1), Example("c", f"{D1} {D1} {D2}", S1)]
    found = Entailment(model, granularity="s2s").score([*examples, Example("empty", "", S1)])
    assert len(model.calls) == 1
    assert sorted(model.calls[0]) == sorted({(d, s) for d in (D1, D2, D3, D4) for s in (S1, S2)})
    assert [one.value for one in found] == [0.0, 0.0, 0.0, None]


@pytest.mark.parametrize("outcome", [Outcome.TRUNCATED_SUMMARY, Outcome.MODEL_ERROR])
@pytest.mark.parametrize("granularity", ["s2s", "d2s"])
def test_a_sentence_that_cannot_be_judged_leaves_its_summary_unscored(
    outcome: Outcome, granularity: Any
) -> None:
    premise = SOURCE if granularity == "d2s" else D2
    model = TableModel({}, {(premise, S2): outcome})
    metric = Entailment(model, granularity=granularity)
    found = metric.score([EXAMPLE, Example("b", SOURCE, S1)])
    assert [(one.value, one.outcome) for one in found] == [(None, outcome), (0.0, Outcome.OK)]
    assert found[0].coverage.summary_sentences == 2


def test_a_sentence_that_states_nothing_is_left_out_of_the_mean() -> None:
    outcomes = {(SOURCE, S2): Outcome.NO_CLAIMS}
    model = TableModel({(SOURCE, S1): (0.8, 0.0)}, outcomes)
    both, alone = Entailment(model).score([EXAMPLE, Example("b", SOURCE, S2)])
    assert both.value == pytest.approx(0.8)
    assert (alone.value, alone.outcome) == (None, Outcome.NO_CLAIMS)


def test_only_top2s_asks_for_an_embedder() -> None:
    loaded: list[str] = []

    def load_model(spec: str) -> Any:
        loaded.append(spec)
        return TableModel({})

    for option, wanted in (
        ("", ["nli:mini"]),
        (":granularity=s2s", ["nli:mini"]),
        (":granularity=top2s", ["nli:mini", "embed:mini"]),
        (":preset=paper", ["nli:roberta-large-mnli"]),
    ):
        loaded.clear()
        options = load_metric(f"entailment{option}", load_model).signature.options
        assert loaded == wanted
        assert options["granularity"] == (option.rpartition("granularity=")[2]
                                          if "granularity" in option else "d2s")  # fmt: skip
    with pytest.raises(ConfigError, match="needs an embedder"):
        Entailment(TableModel({}), granularity="top2s")


@pytest.mark.parametrize("granularity", ["s2s", "d2s", "top2s"])
def test_each_granularity_is_independent_of_the_batch(
    folders: dict[str, Path], granularity: Any
) -> None:
    embedder = models.load("embed:mini", Runtime("cpu", offline=True))
    metric = Entailment(load(folders["bert"]), embedder, granularity)
    examples = [
        EXAMPLE,
        Example("b", SOURCE, f"{S2} {D3}"),
        Example("c", f"{D4} {D2}", S1),
        Example("d", D1, D1),
    ]
    together = metric.score(examples)
    backwards = metric.score(examples[::-1])[::-1]
    for example, one, other in zip(examples, together, backwards, strict=True):
        (alone,) = metric.score([example])
        assert one.value == pytest.approx(alone.value, abs=1e-6)
        assert one.value == pytest.approx(other.value, abs=1e-6)
        assert one.coverage == alone.coverage == other.coverage


# --- mnli_doc ----------------------------------------------------------------------------------


def test_mnli_doc_is_the_entailment_of_both_texts_whole() -> None:
    model = TableModel({(SOURCE, EXAMPLE.summary): (0.25, 0.5)}, cut=3)
    found, empty = MnliDoc(model).score([EXAMPLE, Example("b", SOURCE, " ")])
    assert found.value == 0.25
    assert found.parts == {"entailment": 0.25, "neutral": 0.25, "contradiction": 0.5}
    assert found.coverage.source_tokens_cut == 3
    assert empty.outcome is Outcome.NO_CONTENT
    assert model.calls == [[(SOURCE, EXAMPLE.summary)]]


def test_mnli_doc_does_not_cut_a_summary(folders: dict[str, Path]) -> None:
    (found,) = MnliDoc(load(folders["bert"])).score([Example("a", SOURCE, LONG + LONG)])
    assert (found.value, found.outcome) == (None, Outcome.TRUNCATED_SUMMARY)
    assert found.coverage.summary_tokens > tiny_models.CONTEXT


def test_the_metrics_are_in_the_table() -> None:
    assert METRICS["entailment"].endswith(":Entailment") and METRICS["mnli_doc"].endswith(
        ":MnliDoc"
    )
