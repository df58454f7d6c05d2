"""Adapters of published checkpoints against straight loops that call tiny random models of the same
architectures the way the authors' own code does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.helpers import tiny_models
from tests.helpers.tiny_checkpoints import (
    EXAMPLES,
    LONG,
    SOURCE,
    D,
    S,
    claims_of,
    directly,
    softmax,
    tokens_of,
    value,
)

from faithkit import ConfigError, Example, ModelError, Outcome
from faithkit.language.words import Segment
from faithkit.metrics import checkpoints as metrics
from faithkit.metrics.checkpoints import (
    SUPPORTED,
    AlignScore,
    FactCC,
    Hhem,
    MiniCheck,
    UniEval,
    column_of,
)
from faithkit.metrics.lettucedetect import LettuceDetect
from faithkit.models import checkpoints, pairs
from faithkit.models.batching import TokenBudget
from faithkit.models.protocols import Checked, ClaimModel, Layout, TokenClassifier


def texts(chunks: Sequence[Segment]) -> list[str]:
    return [chunk.text for chunk in chunks]


@pytest.mark.parametrize(
    ("labels", "unnamed", "asked", "column"),
    [
        (("CORRECT", "INCORRECT"), {2: 1}, None, 0),
        (("INCORRECT", "CORRECT"), {2: 0}, None, 1),
        (("neutral", "contradiction", "ALIGNED"), {3: 0}, None, 2),
        (("LABEL_0", "LABEL_1", "LABEL_2"), {3: 0}, None, 0),
        (("0", "1"), {2: 1}, None, 1),
        (("LABEL_0", "LABEL_1"), {2: 1}, "0", 0),
        (("LABEL_0", "LABEL_1"), {2: 1}, "label-0", 0),
        (("entailment", "not_entailment"), {2: 1}, "Not entailment", 1),
    ],
)
def test_the_label_is_read_or_said(
    labels: tuple[str, ...], unnamed: dict[int, int], asked: str | None, column: int
) -> None:
    assert column_of(labels, SUPPORTED, unnamed, asked, "some") == column


@pytest.mark.parametrize(
    ("labels", "asked", "words"),
    [
        (("LABEL_0", "LABEL_1"), None, "label=NAME"),
        (("positive", "negative", "mixed"), None, "positive, negative, mixed do not say"),
        (("supported", "entailment", "other"), None, "do not say"),
        (("a", "b", "c"), "3", "no label '3'"),
        (("a", "b", "c"), "entailment", "no label"),
    ],
)
def test_a_label_that_cannot_be_known_is_an_error(
    labels: tuple[str, ...], asked: str | None, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        column_of(labels, SUPPORTED, {3: 0}, asked, "some")


@pytest.mark.slow
@pytest.mark.parametrize("metric", [AlignScore, FactCC])
def test_reversed_labels_in_the_config_give_the_same_value(
    folders: dict[str, Path], tmp_path: Path, metric: Any
) -> None:
    path = folders[metric.name]
    labels = list(json.loads((path / "config.json").read_text())["id2label"].values())
    kind = "roberta" if metric is AlignScore else "bert"
    other = tiny_models.save_classifier(tmp_path / "x", kind, tuple(labels[::-1]))
    weights = load_file(other / "model.safetensors")
    head = [
        key for key in weights if key.startswith("classifier") and len(weights[key]) == len(labels)
    ]
    assert len(head) == 2
    save_file(
        weights | {key: weights[key].flip(0).contiguous() for key in head},
        other / "model.safetensors",
        metadata={"format": "pt"},
    )
    expected = metric(claims_of(path)).score(EXAMPLES)
    found = metric(claims_of(other)).score(EXAMPLES)
    assert value(found) == pytest.approx(value(expected), abs=1e-6)
    wrong = metric(claims_of(other), label="0").score(EXAMPLES)
    assert abs(value(wrong) - value(expected)) > 1e-3


def pair_probability(model: Any, tokenizer: Any, document: str, claim: str, column: int) -> float:
    inputs = tokenizer(
        document, claim, truncation="only_first", max_length=tiny_models.CONTEXT,
        return_tensors="pt",
    )  # fmt: skip
    with torch.no_grad():
        return softmax(model(**inputs).logits[0])[column]


@pytest.mark.slow
@pytest.mark.parametrize("size", [8, 16, 350])
def test_alignscore(folders: dict[str, Path], size: int) -> None:
    model, tokenizer = directly(folders["alignscore"], "SequenceClassification")
    parts = len(SOURCE.split()) // size + 1
    each = max(len(D) // parts, 1)
    chunks = [" ".join(D[i : i + each]) for i in range(0, len(D), each)]
    best, places = [], []
    for claim in S:
        shares = [pair_probability(model, tokenizer, chunk, claim, 0) for chunk in chunks]
        best.append(max(shares))
        places.append(shares.index(max(shares)))
    found = AlignScore(claims_of(folders["alignscore"]), chunk=size).score(EXAMPLES)
    assert value(found) == pytest.approx(sum(best) / 3, abs=1e-6)
    assert found[0].parts == pytest.approx({"mean": sum(best) / 3, "minimum": min(best)}, abs=1e-6)
    assert np.std(best) > 1e-3 or size > 16
    shown = [SOURCE[item.start : item.end] for item in found[0].evidence]
    assert shown == [chunks[place] for place in places]
    assert [EXAMPLES[0].summary[s.start : s.end] for s in found[0].spans] == [
        claim for claim, share in zip(S, best, strict=True) if share < 0.5
    ]
    assert value(found, 1) == pytest.approx(best[1], abs=1e-6)
    assert found[3].value == found[0].value
    assert found[4].outcome is Outcome.NO_CONTENT
    coverage = found[0].coverage
    assert (coverage.source_sentences, coverage.summary_sentences) == (5, 3)
    assert (coverage.source_tokens_cut, coverage.summary_tokens_cut) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["roberta", "deberta"])
@pytest.mark.parametrize("size", [30, 400])
def test_minicheck_as_a_classifier(folders: dict[str, Path], kind: str, size: int) -> None:
    model, tokenizer = directly(folders[kind], "SequenceClassification")
    chunks: list[list[str]] = []
    filled = 0
    for sentence in D:
        length = len(tokenizer(sentence, add_special_tokens=False)["input_ids"])
        if not chunks or filled + length > size:
            chunks.append([])
            filled = 0
        chunks[-1].append(sentence)
        filled += length
    assert (len(chunks) > 1) == (size == 30)

    def support(claim: str) -> float:
        shares = []
        for chunk in chunks:
            text = tokenizer.eos_token.join([" ".join(chunk), claim])
            with torch.no_grad():
                logits = model(**tokenizer(text, return_tensors="pt")).logits[0]
            shares.append(softmax(logits)[1])
        return max(shares)

    model_ = claims_of(folders[kind])
    expected = [support(claim) for claim in S]
    mean = MiniCheck(model_, chunk=size).score(EXAMPLES)
    least = MiniCheck(model_, chunk=size, aggregate="min").score(EXAMPLES)
    whole = MiniCheck(model_, chunk=size, summary="document").score(EXAMPLES)
    assert value(mean) == pytest.approx(sum(expected) / 3, abs=1e-6)
    assert value(least) == pytest.approx(min(expected), abs=1e-6)
    assert value(whole) == pytest.approx(support(" ".join(S)), abs=1e-6)
    assert whole[0].coverage.summary_sentences == 0


def test_minicheck_as_an_encoder_decoder(folders: dict[str, Path]) -> None:
    model, tokenizer = directly(folders["minicheck"], "Seq2SeqLM")
    no, yes = (tokenizer(a, add_special_tokens=False)["input_ids"][0] for a in ("0", "1"))
    # 5, 5, 5, 5 and 11 words: at 10 words to a chunk, two and two and one.
    chunks = [f"{D[0]} {D[1]}", f"{D[2]} {D[3]}", D[4]]
    expected = []
    for claim in S:
        shares = []
        for chunk in chunks:
            text = "predict: " + tokenizer.eos_token.join([chunk, claim])
            with torch.no_grad():
                logits = model(
                    **tokenizer(text, return_tensors="pt"),
                    decoder_input_ids=torch.zeros(1, 1).long(),
                ).logits[0, 0]
            shares.append(softmax(logits[[no, yes]])[1])
        expected.append(max(shares))
    found = MiniCheck(claims_of(folders["minicheck"]), chunk=10).score(EXAMPLES)
    assert value(found) == pytest.approx(sum(expected) / 3, abs=1e-6)
    assert np.std(expected) > 1e-5


def test_minicheck_takes_the_chunk_size_of_its_architecture(folders: dict[str, Path]) -> None:
    assert MiniCheck(claims_of(folders["minicheck"])).resolved == {"chunk": 500}
    assert MiniCheck(claims_of(folders["roberta"])).resolved == {
        "chunk": 400,
        "label": "entailment",
    }


def test_unieval(folders: dict[str, Path]) -> None:
    model, tokenizer = directly(folders["unieval"], "Seq2SeqLM")
    no, yes = (tokenizer(a, add_special_tokens=False)["input_ids"][0] for a in ("No", "Yes"))
    expected = []
    for claim in S:
        question = (
            f"question: Is this claim consistent with the document? </s> claim: {claim} </s> "
            f"document: {SOURCE}"
        )
        with torch.no_grad():
            shares = (
                model(
                    **tokenizer(question, return_tensors="pt"),
                    decoder_input_ids=torch.zeros(1, 1).long(),
                )
                .logits[0, 0]
                .double()
                .softmax(-1)
            )
        expected.append(float(shares[yes] / (shares[yes] + shares[no])))
    found = UniEval(claims_of(folders["unieval"])).score(EXAMPLES)
    assert value(found) == pytest.approx(sum(expected) / 3, abs=1e-6)
    assert np.std(expected) > 1e-5
    assert found[0].evidence == ()


def test_factcc(folders: dict[str, Path]) -> None:
    model, tokenizer = directly(folders["factcc"], "SequenceClassification")
    for source in (SOURCE, LONG):
        expected = [pair_probability(model, tokenizer, source, claim, 0) for claim in S]
        (found,) = FactCC(claims_of(folders["factcc"])).score([Example("a", source, " ".join(S))])
        assert found.value == pytest.approx(sum(expected) / 3, abs=1e-6)
        assert (found.coverage.source_tokens_cut > 0) == (source == LONG)


def test_hhem_reads_the_first_token_of_a_prompt(folders: dict[str, Path]) -> None:
    model, tokenizer = directly(folders["hhem"], "TokenClassification")

    def consistent(claim: str) -> float:
        prompt = (
            "<pad> Determine if the hypothesis is true given the premise?\n\n"
            f"Premise: {SOURCE}\n\nHypothesis: {claim}"
        )
        with torch.no_grad():
            return softmax(model(**tokenizer(prompt, return_tensors="pt")).logits[0, 0])[1]

    whole = Hhem(claims_of(folders["hhem"])).score(EXAMPLES)
    single = Hhem(claims_of(folders["hhem"]), summary="sentence").score(EXAMPLES)
    assert value(whole) == pytest.approx(consistent(" ".join(S)), abs=1e-6)
    assert value(single) == pytest.approx(sum(map(consistent, S)) / 3, abs=1e-6)
    assert abs(consistent(S[0]) - consistent(S[1])) > 1e-4


def test_hhem_as_published_is_read_without_its_code(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    expected = Hhem(claims_of(folders["hhem"])).score(EXAMPLES)
    weights = load_file(folders["hhem"] / "model.safetensors")
    save_file(
        {f"t5.{key}": tensor for key, tensor in weights.items()}, tmp_path / "model.safetensors"
    )
    tiny_models.pair_tokenizer().save_pretrained(tmp_path)
    published = {
        "architectures": ["HHEMv2ForSequenceClassification"],
        "auto_map": {"AutoModelForSequenceClassification": "modeling.Danger"},
        "model_type": "HHEMv2",
    }
    (tmp_path / "config.json").write_text(json.dumps(published))
    (tmp_path / "modeling.py").write_text("raise SystemExit('this code must never run')")
    found = Hhem(claims_of(tmp_path)).score(EXAMPLES)
    assert [one.value for one in found] == pytest.approx([one.value for one in expected])
    del weights["classifier.weight"]
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="classifier"):
        Hhem(claims_of(tmp_path)).score(EXAMPLES)


def test_hhem_of_one_output_is_its_sigmoid(tmp_path: Path) -> None:
    path = tiny_models.save_classifier(tmp_path / "one", "deberta", ("LABEL_0",))
    model, tokenizer = directly(path, "SequenceClassification")
    with torch.no_grad():
        logit = model(**tokenizer(SOURCE, S[0], return_tensors="pt")).logits[0, 0].double()
    (found,) = Hhem(claims_of(path)).score([Example("a", SOURCE, S[0])])
    assert found.value == pytest.approx(float(logit.sigmoid()), abs=1e-6)


def test_alignscores_own_weights_are_read_by_their_names(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    expected = AlignScore(claims_of(folders["alignscore"])).score(EXAMPLES)
    theirs = {}
    for key, tensor in load_file(folders["alignscore"] / "model.safetensors").items():
        key = key.replace("classifier.out_proj", "tri_layer")
        key = key.replace("classifier.dense", "base_model.pooler.dense")
        theirs[key.replace("roberta.", "base_model.")] = tensor
    assert {key.partition(".")[0] for key in theirs} == {"base_model", "tri_layer"}
    others = {"mlm_head.bias": torch.ones(3), "bin_layer.weight": torch.ones(2, 32)}
    save_file(theirs | others, tmp_path / "model.safetensors")
    config = json.loads((folders["alignscore"] / "config.json").read_text())
    del config["id2label"], config["label2id"]
    (tmp_path / "config.json").write_text(json.dumps(config | {"architectures": ["RobertaModel"]}))
    tiny_models.pair_tokenizer().save_pretrained(tmp_path)
    model = claims_of(tmp_path)
    assert model.labels == ("aligned", "neutral", "contradiction")
    found = AlignScore(model).score(EXAMPLES)
    assert [one.value for one in found] == pytest.approx([one.value for one in expected])
    del theirs["base_model.pooler.dense.bias"]
    save_file(theirs, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match=r"classifier\.dense\.bias"):
        AlignScore(claims_of(tmp_path)).score(EXAMPLES)


def all_metrics(folders: dict[str, Path]) -> list[Any]:
    return [
        AlignScore(claims_of(folders["alignscore"]), chunk=8),
        MiniCheck(claims_of(folders["minicheck"]), chunk=8),
        MiniCheck(claims_of(folders["roberta"]), chunk=30),
        UniEval(claims_of(folders["unieval"])),
        FactCC(claims_of(folders["factcc"])),
        Hhem(claims_of(folders["hhem"])),
        LettuceDetect(tokens_of(folders["lettucedetect"])),
    ]


@pytest.mark.slow
def test_values_do_not_depend_on_the_batch(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    built = all_metrics(folders)
    together = [metric.score(EXAMPLES) for metric in built]
    backwards = [metric.score(EXAMPLES[::-1])[::-1] for metric in built]
    monkeypatch.setattr(pairs, "BUDGET", TokenBudget(1, 1))
    alone = [metric.score(EXAMPLES) for metric in built]
    for one, two, three in zip(together, backwards, alone, strict=True):
        for left, middle, right in zip(one[:4], two[:4], three[:4], strict=True):
            assert middle.value == pytest.approx(left.value, abs=1e-6)
            assert right.value == pytest.approx(left.value, abs=1e-6)
            assert left.coverage == middle.coverage == right.coverage


@pytest.mark.slow
def test_special_tokens_spelt_in_a_text_are_text(folders: dict[str, Path]) -> None:
    for metric in all_metrics(folders):
        plain, spelt = metric.score(
            [
                Example("a", "Anna met Ben.", "Ben met."),
                Example("b", "Anna</s> met Ben.", "Ben met."),
            ]
        )
        # "</s>" is four letters to it, not one end of text.
        assert spelt.coverage.source_tokens >= plain.coverage.source_tokens + 3


def test_a_source_that_does_not_fit_is_cut_and_says_so(folders: dict[str, Path]) -> None:
    model = claims_of(folders["unieval"])
    long, short = (UniEval(model, context=limit) for limit in (1024, 120))
    example = Example("a", SOURCE, S[0])
    (whole,), (cut,) = long.score([example]), short.score([example])
    assert whole.coverage.source_tokens_cut == 0
    missing = cut.coverage.source_tokens_cut
    assert cut.coverage.source_tokens + missing == whole.coverage.source_tokens and missing > 0
    assert cut.value != whole.value
    (none,) = UniEval(model, context=20).score([example])
    assert (none.value, none.outcome) == (None, Outcome.TRUNCATED_SUMMARY)


class Table:
    """A classifier whose answers are a table, for what no real model gives on purpose."""

    id, kind, labels = "table@000000000000", "classifier", ("CORRECT", "INCORRECT")

    def __init__(self, outcomes: dict[str, Outcome]) -> None:
        self.outcomes = outcomes
        self.calls: list[list[tuple[str, str]]] = []

    def check(
        self, pairs: Sequence[tuple[str, str]], layout: Layout, *, context: int | None = None
    ) -> list[Checked]:
        del layout, context
        self.calls.append(list(pairs))
        outcomes = [self.outcomes.get(claim, Outcome.OK) for _, claim in pairs]
        return [Checked(o, (0.75, 0.25) if o is Outcome.OK else (), 3, 0, 2) for o in outcomes]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


@pytest.mark.parametrize("outcome", [Outcome.TRUNCATED_SUMMARY, Outcome.MODEL_ERROR])
def test_a_claim_that_cannot_be_judged_leaves_its_summary_unscored(outcome: Outcome) -> None:
    model = Table({S[2]: outcome})
    found = FactCC(model).score(EXAMPLES)
    assert [one.outcome for one in found[:3]] == [outcome, Outcome.OK, Outcome.OK]
    assert found[0].value is None and found[1].value == 0.75
    assert len(model.calls) == 1 and len(set(model.calls[0])) == len(model.calls[0])


def test_nan_is_an_outcome_of_its_pair_alone(folders: dict[str, Path]) -> None:
    model = claims_of(folders["factcc"])
    own, tokenizer = model.loaded
    place = tokenizer("Zoë", add_special_tokens=False)["input_ids"][-1]
    with torch.no_grad():
        own.bert.embeddings.word_embeddings.weight[place] = torch.nan
    found = FactCC(model).score([Example("a", "Zoë left.", S[0]), EXAMPLES[2]])
    assert [one.outcome for one in found] == [Outcome.MODEL_ERROR, Outcome.OK]


def test_models_and_metrics_that_do_not_fit_are_refused(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    answers, labels = claims_of(folders["unieval"]), claims_of(folders["factcc"])
    assert isinstance(answers, ClaimModel) and isinstance(labels, ClaimModel)
    assert isinstance(tokens_of(folders["lettucedetect"]), TokenClassifier)
    for metric in (AlignScore, FactCC, Hhem):
        with pytest.raises(ConfigError, match="writes answers"):
            metric(answers)
    with pytest.raises(ConfigError, match="expected an encoder-decoder"):
        UniEval(labels)
    with pytest.raises(ConfigError, match="model=FOLDER"):
        AlignScore()
    with pytest.raises(ConfigError, match="chunk should be"):
        MiniCheck(answers, chunk=0)
    with pytest.raises(ConfigError, match="context should be"):
        UniEval(answers, context=0)
    with pytest.raises(ModelError, match="expected a token classifier"):
        tokens_of(folders["factcc"])
    with pytest.raises(ModelError, match="ModernBertForTokenClassification"):
        claims_of(folders["lettucedetect"])
    with pytest.raises(ModelError, match=r"config\.json"):
        claims_of(tmp_path)


def test_a_config_that_names_other_labels_than_the_model_has_is_refused(
    folders: dict[str, Path],
) -> None:
    model = claims_of(folders["factcc"])
    model.labels = ("correct", "incorrect", "neither")
    with pytest.raises(ModelError, match="names 3 labels, but the model gives 2"):
        FactCC(model).score(EXAMPLES[:1])


def test_layouts_are_those_of_the_releases() -> None:
    assert metrics.UNIEVAL.before.startswith(
        "question: Is this claim consistent with the document?"
    )
    assert metrics.MINICHECK_ANSWERS.answers == ("0", "1") and metrics.UNIEVAL.answers[1] == "Yes"


@pytest.mark.parametrize("text", ["Anna met  Ben.\nIt rained.", "a"])
def test_with_t5s_own_tokenizer_the_parts_make_the_whole(text: str) -> None:
    """Document and claim are tokenised apart from the prompt; under SentencePiece as T5 has it,
    that gives the ids of the text that the authors write."""
    from transformers import T5Tokenizer

    layouts = (metrics.MINICHECK_ANSWERS, metrics.UNIEVAL, metrics.HHEM)
    prompts = "".join(one.before + one.between for one in layouts)
    letters = sorted(set(prompts + SOURCE + "".join(S)) - set(" \n"))
    words = {f"▁{word}" for word in f"{metrics.UNIEVAL.before} {SOURCE}".split()}
    pieces = ["<pad>", "</s>", "<unk>", "▁", *letters, *sorted(words - {"▁"})]
    vocabulary = [(piece, -float(place)) for place, piece in enumerate(pieces)]
    tokenizer = T5Tokenizer(vocab=vocabulary, extra_ids=0, additional_special_tokens=[])
    model = checkpoints.Answerer("t5", (), lambda: (tiny_models.t5(), tokenizer))
    claim = S[0]
    for layout, written in (
        (metrics.MINICHECK_ANSWERS, f"predict: {text}</s>{claim}"),
        (
            metrics.UNIEVAL,
            "question: Is this claim consistent with the document? </s> claim: "
            f"{claim} </s> document: {text}",
        ),
        (
            metrics.HHEM,
            "<pad> Determine if the hypothesis is true given the premise?\n\n"
            f"Premise: {text}\n\nHypothesis: {claim}",
        ),
    ):
        framed = model.layout_frame(layout)
        (read,) = model.inputs([(text, claim)], layout, 1000)
        pair = read.pair(framed.claim_first)
        ids = framed.frame.tensors([pair], 0)["input_ids"][0].tolist()
        assert ids == tokenizer(written)["input_ids"]
        assert len(set(ids)) > 5
