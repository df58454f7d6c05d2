"""What further models say of a summary sentence: against direct forward passes of tiny random
models, in any batch, and where a model has no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tiny_models
from faithkit import models
from faithkit.models.causal import CausalLM
from faithkit.models.entailment import SupportEntailment
from faithkit.models.evidence import ASKED, FEATURES, GROUPS, lay
from faithkit.models.opinions import (
    NO_OPINIONS,
    Opinions,
    Request,
    load_opinions,
    request_of,
    word_means,
)
from faithkit.models.protocols import Floats, Forced, Ints, SentenceVerdict
from faithkit.models.support import Reader, Support, write
from faithkit.records import ModelError, Outcome
from faithkit.text import closed_sentences
from faithkit.text import words as words_of
from tiny_entailment import TableModel
from tiny_support import SHOWN, WIDTH, Words, network, settings_of

LIKELIHOOD, INFERENCE = GROUPS["likelihood"], GROUPS["inference"]


def lm() -> CausalLM:
    return CausalLM(tiny_models.llama(), tiny_models.tokenizer(), id="llama@000000000000")


def request(evidence: str, sentence: str) -> Request:
    places = tuple((one.start, one.end) for one in words_of(sentence) if one.text[0].isalnum())
    return Request(evidence, sentence, places)


REQUESTS = [
    request(tiny_models.text(i % 3, 8 + 5 * (i % 3)), tiny_models.text(i + 4, 3 + i))
    for i in range(9)
]


# --- likelihood ----------------------------------------------------------------------------------


def logs_of(model: Any, before: Sequence[int], target: Sequence[int]) -> list[float]:
    """The log-probability of each target token after BOS and `before`, from all its logits."""
    with torch.no_grad():
        logits = model(torch.tensor([[1, *before, *target]])).logits[0].double()
    logs = logits.log_softmax(-1)
    return [float(logs[len(before) + i, token]) for i, token in enumerate(target)]


def test_a_words_likelihood_is_the_mean_of_its_tokens_in_a_direct_pass() -> None:
    model, tokenizer = tiny_models.llama(), tiny_models.tokenizer()

    def ids(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    evidence, sentence = "the mayor of paris said on monday", "two Towns open"
    (found,) = Opinions(lm()).ask([request(evidence, sentence)])
    assert set(found) == set(LIKELIHOOD)
    target = ids(sentence)
    ends = np.cumsum([len(tokenizer.decode([one])) for one in target])
    # The tokens that reach into "Towns", a blank before it counted to the first of them.
    own = [i for i, end in enumerate(ends) if 4 < end <= 9]
    assert len(own) >= 2 and "".join(tokenizer.decode([target[i]]) for i in own).strip() == "Towns"
    before = logs_of(model, [], target)
    behind = logs_of(model, ids(evidence) + ids("TL;DR "), target)
    alone, given = (sum(some[i] for i in own) / len(own) for some in (before, behind))
    assert abs(given - alone) > 0.1
    assert found["likelihood_alone"][1] == pytest.approx(1 + max(alone, -10) / 5, abs=1e-5)
    assert found["likelihood_given"][1] == pytest.approx(1 + max(given, -10) / 5, abs=1e-5)
    gain = max(-1, min(1, (given - alone) / 10))
    assert found["likelihood_gain"][1] == pytest.approx(gain, abs=1e-5)
    for column in found.values():
        assert column.shape == (3,) and column.dtype == np.float32


def test_words_have_the_mean_of_the_tokens_that_overlap_them() -> None:
    values = np.array([-1, -2, -4, -8, -16], dtype=np.float32)
    # "a bc," in tokens "a", " b", "c", "", ","; then a word that no token reaches.
    offsets = np.array([(0, 1), (1, 3), (3, 4), (4, 4), (4, 5)])
    known, means = word_means(values, offsets, np.array([(0, 1), (2, 4), (7, 9)]))
    assert known.tolist() == [True, True, False]
    assert means.tolist() == [-1, -3, 0]


class Said:
    """Satisfies `LanguageModel`: gives every sentence these vectors."""

    id = "said@000000000000"
    context = 100
    mask = "_"

    def __init__(self, alone: Floats, given: Floats, offsets: Ints) -> None:
        self._vectors = {"summary_lm": alone, "summary_s2s": given}
        self._offsets = offsets

    def expect(self, wanted: Any) -> None:
        return

    def log_probs(self, pairs: Any, wanted: Any, *, context: Any = None) -> list[Forced]:
        found: Any = {name: self._vectors[name] for name in wanted}
        one = Forced(Outcome.OK, found, self._offsets, 5, 0, len(found["summary_lm"]))
        return [one for _ in pairs]


def said(*pairs: tuple[float, float]) -> dict[str, list[float]]:
    """The columns of words of one token each, with these log-probabilities, alone and given."""
    alone, given = np.array(pairs, dtype=np.float32).T
    places = tuple((i, i + 1) for i in range(len(pairs)))
    model = Said(alone, given, np.array(places))
    (found,) = Opinions(model).ask([Request("a", "b", places)])
    return {name: column.tolist() for name, column in found.items()}


def test_likelihoods_are_cut_and_scaled() -> None:
    assert said((0, -5), (-10, -2.5), (-30, -10.5), (-1, -30)) == {
        "likelihood_alone": [1, -1, -1, pytest.approx(0.8)],
        "likelihood_given": [0, 0.5, -1, -1],
        "likelihood_gain": [-0.5, 0.75, 1, -1],
    }


def test_a_word_without_a_token_and_a_tokenizer_without_offsets() -> None:
    values = np.array([-1.0], dtype=np.float32)
    model = Said(values, values, np.array([(0, 1)]))
    (found,) = Opinions(model).ask([Request("a", "b c", ((0, 1), (2, 3)))])
    assert found["likelihood_alone"].tolist() == [pytest.approx(0.8), 0]
    slow = Said(values, values, np.zeros((0, 2), dtype=np.int64))
    with pytest.raises(ModelError, match="fast tokenizer"):
        Opinions(slow).ask([Request("a", "b", ((0, 1),))])


def test_a_sentence_that_does_not_fit_or_gives_nan_has_nought_and_no_other_has() -> None:
    model = lm()
    with torch.no_grad():
        model._model.base_model.embed_tokens.weight[int(model._ids("z")[0])] = torch.nan
    usual = request("the mayor said", "critics in lyon")
    bad = request("the mayor said", "critics z lyon")
    long = request("the mayor said", "q " * tiny_models.CONTEXT)
    found = Opinions(model).ask([bad, usual, long])
    for one, other in zip(found, (bad, usual, long), strict=True):
        for name in LIKELIHOOD:
            assert one[name].shape == (len(other.words),)
            assert one[name].any() == (other is usual)
    (alone,) = Opinions(lm()).ask([usual])
    for name in LIKELIHOOD:
        assert found[1][name] == pytest.approx(alone[name], abs=1e-5)


# --- inference -----------------------------------------------------------------------------------


def classifier(folder: Path) -> Any:
    return models.load(f"nli:{tiny_models.save_classifier(folder)}", device="cpu", offline=True)


def test_a_sentence_has_the_probabilities_of_a_direct_pass(tmp_path: Path) -> None:
    own = request("the mayor of paris said on monday", "two schools open")
    (found,) = Opinions(inference=classifier(tmp_path)).ask([own])
    tokenizer = tiny_models.pair_tokenizer(types=True)
    inputs = tokenizer(own.evidence, own.sentence, return_tensors="pt")
    with torch.no_grad():
        logits = tiny_models.classifier("bert", *tiny_models.NLI_LABELS)(**inputs).logits[0]
    contradicted, _, entailed = logits.softmax(-1).tolist()
    assert set(found) == set(INFERENCE)
    assert found["inference_entailed"] == pytest.approx([entailed] * 3, abs=1e-5)
    assert found["inference_contradicted"] == pytest.approx([contradicted] * 3, abs=1e-5)


def test_each_distinct_request_is_asked_once_and_no_answer_is_nought() -> None:
    pairs = {("a", "b c"): (0.7, 0.1), ("a", "d"): (0.2, 0.5)}
    model = TableModel(pairs, {("a", "d"): Outcome.MODEL_ERROR})
    requests = [request("a", "b c"), request("a", "d"), request("a", "b c")]
    first, second, third = Opinions(inference=model).ask(requests)
    assert model.calls == [[("a", "b c"), ("a", "d")]]
    assert first["inference_entailed"].tolist() == pytest.approx([0.7, 0.7])
    assert first["inference_contradicted"].tolist() == pytest.approx([0.1, 0.1])
    assert {name: column.tolist() for name, column in second.items()} == {
        "inference_entailed": [0], "inference_contradicted": [0],
    }  # fmt: skip
    assert third.keys() == first.keys()


# --- both ----------------------------------------------------------------------------------------


def test_what_else_is_in_the_batch_does_not_show(tmp_path: Path) -> None:
    inference = classifier(tmp_path)
    together = Opinions(lm(), "l", inference, "i").ask(REQUESTS)
    backwards = Opinions(lm(), "l", inference, "i").ask(REQUESTS[::-1])[::-1]
    alone = [Opinions(lm(), "l", inference, "i").ask([one])[0] for one in REQUESTS]
    for found in (backwards, alone):
        for one, other in zip(found, together, strict=True):
            assert set(one) == {*LIKELIHOOD, *INFERENCE} == set(other)
            for name, column in one.items():
                assert column == pytest.approx(other[name], abs=1e-5), name
    for name in (*LIKELIHOOD, *INFERENCE):
        assert np.ptp(np.concatenate([one[name] for one in together])) > 0.05


def test_nobody_is_asked_where_nobody_is_there() -> None:
    assert NO_OPINIONS.ask(REQUESTS[:2]) == [{}, {}]
    model = TableModel({})
    assert Opinions(inference=model).ask([]) == [] and model.calls == []
    assert NO_OPINIONS.ids == ()


def test_only_models_whose_features_are_shown_are_kept() -> None:
    table, language = TableModel({}), lm()
    both = Opinions(language, "l", table, "i")
    assert both.ids == (language.id, table.id)
    assert both.of(FEATURES) == both
    assert both.of(["cosine", "likelihood_gain"]) == Opinions(language, "l")
    assert both.of(["inference_entailed"]) == Opinions(inference=table, inference_name="i")
    assert both.of(SHOWN) == NO_OPINIONS


def test_models_are_loaded_by_their_names(tmp_path: Path) -> None:
    language = tiny_models.save_llama(tmp_path / "lm")
    found = load_opinions(str(language), device="cpu", offline=True)
    assert (found.likelihood_name, found.inference, found.inference_name) == (
        str(language), None, "",
    )  # fmt: skip
    assert found.likelihood is models.load(f"lm:{language}", device="cpu", offline=True)
    assert load_opinions() == NO_OPINIONS
    with pytest.raises(ModelError):
        load_opinions("no/such_model", offline=True)


# --- as features of a support model --------------------------------------------------------------

SOURCE = (
    "Anna Reyes opened a school in Lyon. It cost 3 million\neuros. Nobody was hurt. Critics called "
    "it too costly. Paris paid."
)
SUMMARY = "Critics were hurt.  The school didn't cost 3 million euros in Lyon."


def prepared(opinions: Opinions) -> Reader:
    reader = Reader(Words(), 2, parsed=False, opinions=opinions)
    reader.prepare([SOURCE], closed_sentences(SUMMARY))
    return reader


def test_a_request_has_the_evidence_in_the_order_of_the_source() -> None:
    reader = prepared(NO_OPINIONS)
    source = reader.source(SOURCE)
    assert source is not None
    _, own = reader.summary(closed_sentences(SUMMARY))
    laid = replace(lay(own, source), chosen=(3, 1, 0))
    found = request_of(own, source, laid)
    assert found.evidence == (
        "Anna Reyes opened a school in Lyon. It cost 3 million euros. Critics called it too costly."
    )
    assert found.sentence == "The school didn't cost 3 million euros in Lyon."
    shown = [found.sentence[start:end] for start, end in found.words]
    assert shown[:5] == ["The", "school", "did", "n't", "cost"] and shown[-1] == "Lyon"


def test_a_reader_puts_what_is_said_among_the_features() -> None:
    opinions = Opinions(lm(), "l", TableModel({}), "i")
    reader, plain = prepared(opinions), prepared(NO_OPINIONS)
    reader.ask([(SOURCE, SUMMARY), ("", SUMMARY)])
    source = reader.source(SOURCE)
    assert source is not None
    for own in reader.summary(closed_sentences(SUMMARY)):
        laid = lay(own, source)
        found, without = (one.features(own, source, laid) for one in (reader, plain))
        (told,) = Opinions(lm()).ask([request_of(own, source, laid)])
        for name in FEATURES:
            asked = name in (*LIKELIHOOD, *INFERENCE)
            assert not (asked and without[name].any())
            assert asked or (found[name] == without[name]).all()
        for name in LIKELIHOOD:
            assert found[name] == pytest.approx(told[name], abs=1e-5) and found[name].any()


def logits(verdict: SentenceVerdict) -> Any:
    return np.log(verdict.unsupported / (1 - verdict.unsupported))


def judge(folder: Path, opinions: Opinions, features: Sequence[str]) -> Support:
    kept = replace(settings_of("words", Words.id, WIDTH), features=tuple(features))
    write(folder, kept, network(5, WIDTH, features=len(features)))
    return Support(folder, kept, Words(), "words", opinions)


def test_a_support_model_may_be_asked_by_another_in_a_batch_or_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = SupportEntailment(judge(tmp_path / "inner", NO_OPINIONS, SHOWN))
    opinions = Opinions(inference=inner, inference_name="inner")
    features = (*SHOWN, *INFERENCE)
    (found,) = judge(tmp_path / "outer", opinions, features).judge([(SOURCE, SUMMARY)])
    (nothing,) = judge(tmp_path / "outer", NO_OPINIONS, features).judge([(SOURCE, SUMMARY)])
    monkeypatch.setattr(Reader, "ask", lambda self, pairs: None)
    (single,) = judge(tmp_path / "outer", opinions, features).judge([(SOURCE, SUMMARY)])
    for one, other, third in zip(found.sentences, single.sentences, nothing.sentences, strict=True):
        assert one.unsupported == pytest.approx(other.unsupported, abs=1e-6)
        assert np.abs(logits(one) - logits(third)).max() > 1e-3


def test_the_groups_of_further_models_stand_last() -> None:
    assert tuple(GROUPS)[-2:] == ASKED
    assert FEATURES[-5:] == (*LIKELIHOOD, *INFERENCE)
    assert FEATURES[: len(FEATURES) - 5] == tuple(
        name for group, some in GROUPS.items() if group not in ASKED for name in some
    )
