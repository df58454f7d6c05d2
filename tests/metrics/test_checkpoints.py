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

from faithkit import ConfigError, Example, ModelError, Outcome, Score
from faithkit.language.sentences import sentences
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
from faithkit.metrics.chunks import even_chunks, full_chunks
from faithkit.metrics.lettucedetect import LettuceDetect, marked_spans
from faithkit.models import checkpoints, pairs
from faithkit.models.batching import TokenBudget
from faithkit.models.checkpoints import load_claim_model, load_token_classifier
from faithkit.models.protocols import Checked, ClaimModel, Layout, TokenClassifier

D = [
    "Anna met Ben in Rome.",
    "The fair opened on Monday.",
    "It rained all day long.",
    "Ben flew home on Friday.",
    "The mayor of Paris said two new schools open in June.",
]
SOURCE = " ".join(D)
S = ["The council met Ben.", "The mayor went to Paris.", "It did not rain."]
EXAMPLES = [
    Example("three", SOURCE, " ".join(S)),
    Example("one", SOURCE, S[1]),
    Example("short", D[0], S[0]),
    Example("same", SOURCE, " ".join(S)),
    Example("blank", SOURCE, " "),
]
LONG = " ".join(tiny_models.text(i, 12).capitalize() for i in range(12))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("checkpoints")
    names = ("alignscore", "minicheck", "unieval", "factcc", "hhem", "lettucedetect")
    found = {name: tiny_models.save_checkpoint(place / name, name) for name in names}
    for kind in ("roberta", "deberta"):
        labels = ("not_entailment", "entailment")
        found[kind] = tiny_models.save_classifier(place / kind, kind, labels)
    return found


def claims_of(path: Path) -> Any:
    return load_claim_model(path, path.name, device="cpu", dtype=None)


def tokens_of(path: Path) -> Any:
    return load_token_classifier(path, path.name, device="cpu", dtype=None)


def directly(path: Path, kind: str) -> tuple[Any, Any]:
    import transformers

    model = getattr(transformers, f"AutoModelFor{kind}").from_pretrained(path).eval()
    return model, transformers.AutoTokenizer.from_pretrained(path)


def softmax(logits: torch.Tensor) -> list[float]:
    return logits.double().softmax(-1).tolist()


def value(scores: Sequence[Score], place: int = 0) -> float:
    found = scores[place].value
    assert found is not None, scores[place]
    return found


# --- chunks ------------------------------------------------------------------------------------


def texts(chunks: Sequence[Segment]) -> list[str]:
    return [chunk.text for chunk in chunks]


def test_even_chunks_hold_as_many_sentences_each() -> None:
    pieces = sentences(SOURCE)
    assert texts(pieces) == D
    # 31 words: 31 // 8 + 1 = 4 parts of 5 // 4 = 1 sentence; 31 // 12 + 1 = 3 parts; 31 // 16 + 1
    # = 2 parts of 2 sentences, and the fifth is left over.
    assert texts(even_chunks(SOURCE, pieces, 8)) == D
    assert texts(even_chunks(SOURCE, pieces, 16)) == [f"{D[0]} {D[1]}", f"{D[2]} {D[3]}", D[4]]
    (all_of_it,) = even_chunks(SOURCE, pieces, 350)
    assert all_of_it == (0, len(SOURCE), SOURCE)


def test_full_chunks_keep_sentences_whole() -> None:
    pieces = sentences(SOURCE)
    lengths = [5, 5, 5, 5, 11]
    found = full_chunks(SOURCE, pieces, lengths, 10)
    assert texts(found) == [f"{D[0]} {D[1]}", f"{D[2]} {D[3]}", D[4]]
    assert [SOURCE[chunk.start : chunk.end] for chunk in found] == texts(found)
    # A sentence longer than a chunk is one by itself, first, last or in between.
    assert texts(full_chunks(SOURCE, pieces, lengths, 4)) == D
    assert texts(full_chunks(SOURCE, pieces, [11, 5, 5, 5, 5], 10)) == [
        D[0],
        f"{D[1]} {D[2]}",
        f"{D[3]} {D[4]}",
    ]
    assert texts(full_chunks(SOURCE, pieces, lengths, 9)) == D
    assert full_chunks("", (), [], 9) == ()


def test_lines_stay_lines_inside_a_chunk() -> None:
    text = "A: yes it is.\n\nB: no.  C is here."
    pieces = [Segment(0, 13, text[:13]), Segment(15, 21, text[15:21]), Segment(23, 33, text[23:])]
    (found,) = full_chunks(text, pieces, [1, 1, 1], 9)
    assert found.text == "A: yes it is.\nB: no. C is here."


# --- labels ------------------------------------------------------------------------------------


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


# --- each metric against its authors' way ------------------------------------------------------


def pair_probability(model: Any, tokenizer: Any, document: str, claim: str, column: int) -> float:
    inputs = tokenizer(
        document, claim, truncation="only_first", max_length=tiny_models.CONTEXT,
        return_tensors="pt",
    )  # fmt: skip
    with torch.no_grad():
        return softmax(model(**inputs).logits[0])[column]


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


# --- tokens ------------------------------------------------------------------------------------


def lettuce_tokens(path: Path, source: str, summary: str) -> list[tuple[int, int, float]]:
    """Start, end and probability of label 1 of each token of the summary."""
    model, tokenizer = directly(path, "TokenClassification")
    prompt = f"Summarize the following text:\npassage 1: {source}\noutput:"
    encoded = tokenizer(prompt, summary, return_offsets_mapping=True, return_tensors="pt")
    offsets = encoded.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        logits = model(**encoded).logits[0]
    return [
        (start, end, softmax(logits[place])[1])
        for place, (start, end) in enumerate(offsets)
        if encoded.sequence_ids(0)[place] == 1
    ]


def test_lettucedetect(folders: dict[str, Path]) -> None:
    summary = EXAMPLES[0].summary
    tokens = lettuce_tokens(folders["lettucedetect"], SOURCE, summary)
    shares = [share for _, _, share in tokens]
    assert np.std(shares) > 0.01
    threshold = float(np.median(shares))
    model = tokens_of(folders["lettucedetect"])
    worst = LettuceDetect(model, threshold=threshold).score(EXAMPLES)
    mean = LettuceDetect(model, aggregate="mean").score(EXAMPLES)
    assert value(worst) == pytest.approx(1 - max(shares), abs=1e-6)
    assert value(mean) == pytest.approx(1 - sum(shares) / len(shares), abs=1e-6)
    marked = [False] * len(summary)
    for start, end, share in tokens:
        for place in range(start, end):
            marked[place] = share >= threshold
    for span in worst[0].spans:
        assert all(marked[span.start : span.end])
        assert summary[span.start : span.end].strip() == summary[span.start : span.end]
    covered = {place for span in worst[0].spans for place in range(span.start, span.end)}
    assert {
        place for place, on in enumerate(marked) if on and not summary[place].isspace()
    } <= covered
    assert len(worst[0].spans) > 1
    coverage = worst[0].coverage
    assert (coverage.summary_tokens, coverage.source_tokens_cut) == (len(tokens), 0)
    assert worst[4].outcome is Outcome.NO_CONTENT


def test_spans_are_runs_of_tokens_scored_with_their_greatest() -> None:
    text = "ab cd  ef gh"
    offsets = np.array([(0, 2), (2, 5), (5, 5), (5, 7), (7, 9), (9, 12)])
    shares = np.array([0.9, 0.6, 0.0, 0.7, 0.2, 0.5], dtype=np.float32)
    found = marked_spans(text, offsets, shares, 0.5)
    marked = [(text[span.start : span.end], span.score) for span in found]
    assert marked == [("ab cd", pytest.approx(0.9)), ("gh", 0.5)]
    (span,) = marked_spans(text, offsets, shares, 0.65)
    assert (span.start, span.end, span.score) == (0, 2, pytest.approx(0.9))
    assert marked_spans(text, offsets[3:4], shares[3:4], 0.5) == []  # white space alone
    assert marked_spans("", np.zeros((0, 2), int), shares[:0], 0.5) == []


def test_a_long_source_is_cut_and_a_long_summary_is_not_scored(folders: dict[str, Path]) -> None:
    metric = LettuceDetect(tokens_of(folders["lettucedetect"]))
    found = metric.score([Example("a", LONG, S[0]), Example("b", SOURCE, LONG), EXAMPLES[2]])
    assert found[0].outcome is Outcome.OK and found[0].coverage.source_tokens_cut > 0
    assert (found[1].value, found[1].outcome) == (None, Outcome.TRUNCATED_SUMMARY)
    assert found[2].outcome is Outcome.OK
    # Cutting is at the end of the document: what stands behind the cut changes nothing.
    (other,) = metric.score([Example("a", LONG + " Never seen.", S[0])])
    assert other.value == found[0].value


# --- all of them -------------------------------------------------------------------------------


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
        MiniCheck(answers, chunk=-1)
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
