"""Semantic roles from a token classifier, and `srl` with one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from tests.helpers import tiny_models
from tests.helpers.load_metric import load_metric

from faithkit import Example, ModelError, Outcome, models
from faithkit.models.labelling import load_labeller, phrases_of
from faithkit.models.runtime import Runtime

pytestmark = pytest.mark.slow


LABELS = ("O", "B-ARG0", "I-ARG0", "B-ARG1", "I-ARG1", "B-V", "B-ARGM-TMP")


def save_labeller(folder: Path, labels: Sequence[str] = LABELS, broken: bool = False) -> Path:
    from transformers import BertConfig, BertForTokenClassification

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=300, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, max_position_embeddings=64, pad_token_id=0,
        id2label=dict(enumerate(labels)), label2id={name: i for i, name in enumerate(labels)},
    )  # fmt: skip
    model = BertForTokenClassification(config)
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(torch.nan if broken else 8 if weights.ndim > 1 else 1)
    model.save_pretrained(folder)
    tiny_models.pair_tokenizer(types=True).save_pretrained(folder)
    return folder


SENTENCES = ["the mayor of paris said on monday", "critics in lyon called the plan too costly"]


REQUESTS = [(SENTENCES[0], 19, 23), (SENTENCES[1], 16, 22), (SENTENCES[0], 0, 3)]


def test_the_labeller_gives_what_the_model_says_of_a_sentence_and_its_verb(tmp_path: Path) -> None:
    from transformers import BertForTokenClassification

    save_labeller(tmp_path)
    labeller = models.load(f"srl:{tmp_path}", Runtime("cpu"))
    assert labeller.id.startswith(f"{tmp_path.name}@")
    found = labeller.label(REQUESTS)
    assert labeller.label(REQUESTS[::-1]) == found[::-1]
    assert labeller.label(REQUESTS[:1]) == found[:1]
    model = BertForTokenClassification.from_pretrained(tmp_path).eval()
    tokenizer = tiny_models.pair_tokenizer(types=True)
    for (sentence, start, end), labelled in zip(REQUESTS, found, strict=True):
        encoded = tokenizer(sentence, sentence[start:end], return_tensors="pt")
        best = model(**encoded).logits[0].argmax(dim=1).tolist()
        assert labelled.outcome is Outcome.OK
        first = next(i for i, side in enumerate(encoded.sequence_ids()) if side == 0)
        begins = LABELS[best[first]] != "O"
        assert (bool(labelled.phrases) and labelled.phrases[0][0] == 0) == begins
        for start, end, name in labelled.phrases:
            assert sentence[start:end].strip() == sentence[start:end]
            assert f"B-{name}" in LABELS


def test_srl_with_a_token_classifier_by_name(tmp_path: Path) -> None:
    save_labeller(tmp_path)
    text = "The mayor of paris said so."
    metric, signature, _ = load_metric(
        f"srl:extractor={tmp_path},similarity=f1", lambda s: models.load(s, Runtime("cpu"))
    )
    assert list(signature.models) == ["extractor"]
    (score,) = metric.score([Example("x", text, text)])
    assert score.outcome in (Outcome.OK, Outcome.NO_CLAIMS)
    assert score.value in (1.0, None)


def test_the_labeller_says_what_does_not_fit_and_what_is_broken(tmp_path: Path) -> None:
    long = "said " * 100
    ok = load_labeller(save_labeller(tmp_path / "a"), "a", device="cpu", dtype=None)
    assert [one.outcome for one in ok.label([(long, 0, 4), REQUESTS[0]])] == [
        Outcome.TRUNCATED_SUMMARY,
        Outcome.OK,
    ]
    bad = load_labeller(save_labeller(tmp_path / "b", broken=True), "b", device="cpu", dtype=None)
    assert bad.label(REQUESTS[:1])[0].outcome is Outcome.MODEL_ERROR
    other = load_labeller(
        save_labeller(tmp_path / "c", ["O", "B-PER", "I-PER"]), "c", device="cpu", dtype=None
    )
    with pytest.raises(ModelError, match="PropBank"):
        other.label(REQUESTS[:1])


def test_bio_labels_become_phrases() -> None:
    sentence = "Anna Reyes met Ben, today"
    places = [(0, 4), (5, 8), (8, 10), (11, 14), (15, 18), (18, 19), (20, 25)]
    labels = ["B-ARG0", "I-ARG0", "O", "B-V", "I-ARG1", "O", "B-ARGM-TMP"]
    # The second piece of "Reyes" goes with its first; "Ben" begins a run though it says I-.
    assert phrases_of(sentence, labels, places) == (
        (0, 10, "ARG0"),
        (11, 14, "V"),
        (15, 18, "ARG1"),
        (20, 25, "ARGM-TMP"),
    )
