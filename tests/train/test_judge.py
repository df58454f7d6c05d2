"""Teaching a tiny chat model to answer the judge: a few summaries by heart, the loss by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.helpers import tiny_models
from typer.testing import CliRunner

from faithkit import ConfigError, DataError, Example, Outcome, models
from faithkit.cli import app
from faithkit.metrics.judge import prompts
from faithkit.metrics.judge.judge import Judge
from faithkit.models.chat.local import LocalChat
from faithkit.models.protocols import Asking, Limits
from faithkit.models.runtime import Runtime
from faithkit.train import judge
from faithkit.train.adapters import AdapterOptions
from faithkit.train.judge import Answered, Student, document_pairs, figures, fit, open_student
from faithkit.train.nli_pairs import Pair
from faithkit.train.words import ENTAILED, UNSUPPORTED, Labelled

pytestmark = pytest.mark.slow

NAN = float("nan")
SOURCE = "the mayor of paris said that two new schools open in june"
CLAIMS = {
    "two new schools open": ENTAILED,
    "300 schools open in lyon": UNSUPPORTED,
    "the mayor said that schools open": ENTAILED,
    "critics called the plan too costly": UNSUPPORTED,
    "schools open in june": ENTAILED,
    "schools open in autumn": UNSUPPORTED,
}
OVERFIT = AdapterOptions(epochs=60, batch_size=6, learning_rate=1e-2, rank=8, seed=1)


def row(summary: str, target: Any, source: str = SOURCE, document: str = "d") -> Labelled:
    return Labelled("f", document, source, summary, (), target)


ROWS = [row(claim, target) for claim, target in CLAIMS.items()]
PAIRS = document_pairs(ROWS)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chat") / "base"
    model = tiny_models.chat(gain=3)
    # Its output layer is not trained; as it is made, it could not make any word probable.
    with torch.no_grad():
        model.lm_head.weight.mul_(16)
    model.save_pretrained(folder)
    tiny_models.chat_tokenizer().save_pretrained(folder)
    return folder


def student(base: Path) -> Student:
    return open_student(base, "tiny", device="cpu")


def answers(model: Any, pairs: Sequence[Pair] = PAIRS) -> list[float]:
    found = Answered(model).predict([(one.source, one.sentence) for one in pairs])
    assert all(one.outcome is Outcome.OK for one in found)
    return [one.probabilities[0] for one in found]


def right(values: Sequence[float], pairs: Sequence[Pair] = PAIRS) -> int:
    return sum((v > 0.5) == (one.target[0] > 0.5) for v, one in zip(values, pairs, strict=True))


def test_a_tiny_model_learns_its_answers_and_is_a_judge_afterwards(
    base: Path, tmp_path: Path
) -> None:
    own = student(base)
    # A random model does not tell the summaries apart.
    assert right(answers(own.chat)) == 3
    fitted = fit(own, PAIRS, OVERFIT)
    training = fitted.training
    assert training.loss[0] > 2 and training.loss[-1] < 0.1
    assert (training.steps, training.examples, fitted.too_long) == (60, 360, 0)
    learned = answers(own.chat)
    assert right(learned) == 6

    out = tmp_path / "taught"
    own.write(out)
    assert sorted(path.suffix for path in out.iterdir() if "safetensors" in path.name) == [
        ".safetensors"
    ]
    assert not list(out.glob("adapter*"))
    loaded = models.load(f"chat:{out}", Runtime("cpu", offline=True))
    assert isinstance(loaded, LocalChat)
    assert answers(loaded) == pytest.approx(learned, abs=1e-5)
    metric = Judge(loaded, transcripts="off")
    scores = metric.score([Example("a", SOURCE, claim) for claim in CLAIMS])
    assert [one.value for one in scores] == pytest.approx(learned, abs=1e-5)
    # It also learned where to stop: what it writes is the word alone.
    asked = [prompts.packaged("zero-shot").prompt(SOURCE, claim) for claim in CLAIMS]
    written = loaded.limited(Limits(transcripts="off")).reply(asked, Asking(tokens=8))
    assert [one.text for one in written] == ["yes", "no"] * 3
    settings = json.loads((out / "generation_config.json").read_text())
    assert "max_new_tokens" not in settings


def test_the_loss_is_of_the_answer_and_the_end_of_the_turn(base: Path) -> None:
    """Against the model called directly on the chat template's own text."""
    own = student(base)
    tokenizer = own.tokenizer
    expected = []
    for one in PAIRS:
        prompt = "".join(
            piece.text for piece in prompts.packaged("zero-shot").prompt(one.source, one.sentence)
        )
        text = tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
        )
        word = "yes" if one.target[0] > 0.5 else "no"
        before = tokenizer(text, add_special_tokens=False)["input_ids"]
        answer = [*tokenizer(word, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
        with torch.no_grad():
            shares = own.model(torch.tensor([before + answer])).logits[0].log_softmax(-1)
        said = [float(shares[len(before) - 1 + i, token]) for i, token in enumerate(answer)]
        expected.append(-sum(said) / len(answer))
    questions = [one for one in own.questions(PAIRS) if one is not None]
    found = sum(part.item() for part in own.losses(questions))
    assert found == pytest.approx(float(np.mean(expected)), abs=1e-4)


def test_the_loss_does_not_depend_on_how_a_batch_is_parted(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = student(base)
    long = document_pairs([row("two schools", ENTAILED, source=tiny_models.text(3, 40))])
    questions = [one for one in own.questions([*PAIRS, *long]) if one is not None]
    whole = [part.item() for part in own.losses(questions)]
    monkeypatch.setattr(judge, "TOKENS", 1)
    single = [part.item() for part in own.losses(questions)]
    assert len(single) == 7 > len(whole)
    assert sum(single) == pytest.approx(sum(whole), abs=1e-4)


def test_the_same_seed_gives_the_same_weights_and_another_does_not(base: Path) -> None:
    found = []
    for seed in (0, 0, 1):
        own = student(base)
        before = torch.get_rng_state()
        fit(own, PAIRS, replace(OVERFIT, epochs=1, seed=seed))
        assert torch.equal(torch.get_rng_state(), before), "the caller's own seed is not touched"
        found.append(own.model.model.layers[0].self_attn.q_proj.weight.clone())
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_a_base_without_a_chat_template_gets_a_plain_one(base: Path, tmp_path: Path) -> None:
    own = student(base)
    own.tokenizer.chat_template = None
    bare = tmp_path / "bare"
    own.write(bare)
    # The judge asks a base model as training does, so that what is learned is what is asked.
    plain = models.load(f"chat:{bare}", Runtime("cpu", offline=True))
    again = open_student(bare, "bare", device="cpu")
    question = again.questions(PAIRS[:1])[0]
    assert question is not None
    shown = again.tokenizer.decode(question.ids)
    assert shown.startswith("<|im_start|>Below are") and shown.endswith("no.\nyes<|im_end|>")
    assert answers(plain) == pytest.approx(answers(again.chat), abs=1e-5)
    again.write(tmp_path / "plain")
    loaded = models.load(f"chat:{tmp_path / 'plain'}", Runtime("cpu", offline=True))
    assert answers(loaded) == pytest.approx(answers(again.chat), abs=1e-5)


def test_whole_summaries_with_a_label_are_learned_from() -> None:
    rows = [
        row("Two schools open. Critics met.", UNSUPPORTED),
        row("A plan.", (0.25, 0.75, NAN)),
        row("A plan.", None),
        row("A plan.", (NAN, 1.0, 0.0)),
        row(" ", ENTAILED),
        row("A plan.", ENTAILED, source=""),
    ]
    found = document_pairs(rows)
    assert [(one.sentence, one.kind) for one in found] == [
        ("Two schools open. Critics met.", "unsupported"),
        ("A plan.", "unsupported"),
    ]


def test_a_summary_that_does_not_fit_is_left_out_and_a_document_is_cut(base: Path) -> None:
    own = student(base)
    long = tiny_models.text(3, 2500)
    pairs = document_pairs([row(long, ENTAILED), row("two schools", ENTAILED, source=long)])
    nothing, cut = own.questions(pairs)
    assert nothing is None
    assert cut is not None and len(cut.ids) == own.chat.context
    fitted = fit(own, [*PAIRS, pairs[0]], replace(OVERFIT, epochs=1))
    assert fitted.too_long == 1
    with pytest.raises(DataError, match="no pair is left"):
        fit(student(base), pairs[:1], OVERFIT)


def test_a_pair_without_an_answer_is_left_out_of_the_figures(base: Path) -> None:
    long = document_pairs([row(tiny_models.text(3, 2500), ENTAILED)])
    found = figures(student(base).chat, [*PAIRS, *long])
    assert (found["pairs"], found["left_out"]) == (6, 1)
    assert found["accuracy"] == 0.5 and set(found) == {
        "pairs", "left_out", "accuracy", "auc", "by_origin",
    }  # fmt: skip


def test_what_cannot_be_taught_is_refused_and_leaves_nothing(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(DataError, match="nothing to learn"):
        judge.train([], str(base), out, AdapterOptions(), runtime=Runtime("cpu"))
    with pytest.raises(ConfigError, match="above 0"):
        judge.train(ROWS, str(base), out, AdapterOptions(learning_rate=0), runtime=Runtime("cpu"))
    long = f"{SOURCE} and it cost 20 euros. " + "Nobody came by boat. " * 60
    rows = [row(claim, target, source=long) for claim, target in CLAIMS.items()]
    strict = replace(OVERFIT, epochs=1, made=0, held_out=0, require_copy=0.99, learning_rate=1e-9)
    for after in (1, 99):
        with pytest.raises(ConfigError, match="after 1 steps the copy test"):
            judge.train(
                rows, str(base), out, replace(strict, copy_after=after), runtime=Runtime("cpu")
            )
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_a_judge(base: Path, tmp_path: Path) -> None:
    lines = [
        {"origin": "snli", "premise": tiny_models.text(i, 9), "label": label,
         "hypothesis": tiny_models.text(i + j, 4)}
        for i in range(6)
        for j, label in enumerate(("entailment", "contradiction"))
    ]  # fmt: skip
    (tmp_path / "nli_pairs.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    out = tmp_path / "out"
    arguments = [
        "train", "nli", "--yes-no", "-o", str(out), "--base", str(base), "--file", "nli_pairs",
        "--batch-size", "4", "--lora-rank", "2", "--held-out", "0.34", "--made", "0",
        "--data-dir", str(tmp_path), "--device", "cpu", "--offline",
    ]  # fmt: skip
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert f"Use it: -m judge:model={out}" in result.output
    card = json.loads((out / "card.json").read_text())
    assert card["options"]["epochs"] == 1 and card["steps"] == 2
    assert card["learned"] == {"nli_snli": {"entailment": 4, "contradiction": 4}}
    assert models.load(f"chat:{out}", Runtime("cpu", offline=True)).trained_on == {"nli_snli"}
    assert card["held_out"]["pairs"] == 4 and card["seconds_per_1000_pairs"] > 0
    assert card["prompt"] == prompts.packaged("zero-shot").hash
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 2 and "is there already" in again.output
    help_text = CliRunner().invoke(app, ["train", "nli", "--help"]).output
    assert "--yes-no" in help_text
