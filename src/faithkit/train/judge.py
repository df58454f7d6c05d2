"""`faithkit train nli --yes-no`: a causal language model that answers the judge's zero-shot
question about a whole summary and its document, fine-tuned on labelled ones [FCLLM §3; methods §4].

In: labelled summaries (`words.py`) and sentences made from their documents, chosen as in `nli.py`
(`adapters.py`). Out: a folder with weights, tokenizer and chat template, for `judge:model=FOLDER`:
`peft` adds the low-rank changes (Hu et al. 2021, LoRA) and merges them at the end. The prompt, how
it is cut and how an answer is read are the judge's own.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from faithkit import extras
from faithkit.metrics.judge import prompts
from faithkit.metrics.judge.judge import Judge
from faithkit.models import hf
from faithkit.models.batching import batches
from faithkit.models.chat.local import PLAIN, LocalChat, load_chat
from faithkit.models.protocols import ChatModel, Entailed, Ints
from faithkit.models.runtime import DEFAULT_RUNTIME, Runtime
from faithkit.records import JSON, DataError, Example, ModelError, Outcome
from faithkit.train.adapters import (
    SCALE,
    AdapterOptions,
    Fitted,
    card_of,
    entailment_figures,
    prepare,
    resolve_base,
    step_reporter,
    with_corruptions,
)
from faithkit.train.loop import Checkpoint, Report, Step, seeded, trainable
from faithkit.train.loop import train as optimise
from faithkit.train.nli_pairs import Pair, identity_of
from faithkit.train.output import check_new, write_card
from faithkit.train.words import Labelled
from faithkit.writing import new_folder

YES, NO = "yes", "no"
TEMPLATE = "zero-shot"
"""The judge's default prompt."""

TOKENS, TOKENS_ACCELERATOR = 2048, 16_384
"""Tokens of a forward and backward pass, on the CPU and on a GPU; a longer pair has its own."""


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt and its correct answer.

    ids     [tokens] of both
    answer  how many of them, at the end, are the answer with the end of the turn
    """

    ids: Ints
    answer: int


def document_pairs(rows: Iterable[Labelled]) -> list[Pair]:
    """The rows whose target says whether the document supports the whole summary, as pairs
    without word labels."""
    no_words = np.zeros(0, dtype=np.float32)
    return [
        Pair(row.file, row.document, row.source, row.summary, no_words,
             np.array(row.target, dtype=np.float32))
        for row in rows
        if row.target is not None
        and not math.isnan(row.target[0])
        and row.source.strip()
        and row.summary.strip()
    ]  # fmt: skip


class Student:
    """A causal language model in training, also as the chat model that the judge asks."""

    def __init__(self, model: Any, tokenizer: Any, *, id: str) -> None:
        if not tokenizer.chat_template:
            tokenizer.chat_template = PLAIN
        if tokenizer.eos_token_id is None:
            raise ModelError(f"{id}: its tokenizer has no end-of-sequence token; add it")
        self.model, self.tokenizer = model, tokenizer
        # LocalChat changes the model's generation settings; what is written has the original ones.
        self._generation_config = copy.deepcopy(model.generation_config)
        self.chat = LocalChat(model, tokenizer, id=id)
        self._prompt = prompts.packaged(TEMPLATE)

    @property
    def device(self) -> torch.device:
        device: torch.device = next(self.model.parameters()).device
        return device

    def questions(self, pairs: Sequence[Pair]) -> list[Question | None]:
        """The judge's question about each pair; None where the summary does not fit."""
        answers = {word: self._answer(word) for word in (YES, NO)}
        questions: list[Question | None] = []
        for pair in pairs:
            answer = answers[YES if pair.target[0] > 0.5 else NO]
            asked = self.chat.frame(
                self._prompt.prompt(pair.source, pair.sentence), None, len(answer)
            )
            fits = asked.outcome is Outcome.OK
            ids = np.concatenate([asked.ids, answer])
            questions.append(Question(ids, len(answer)) if fits else None)
        return questions

    def _answer(self, word: str) -> Ints:
        ids = self.tokenizer(word, add_special_tokens=False)["input_ids"]
        return np.array([*ids, self.tokenizer.eos_token_id], dtype=np.int64)

    def losses(self, batch: Sequence[Question]) -> Iterator[torch.Tensor]:
        """Parts of the mean, over questions, of the mean -log probability of an answer's tokens."""
        budget = TOKENS if self.device.type == "cpu" else TOKENS_ACCELERATOR
        for indices in batches([len(question.ids) for question in batch], budget):
            yield self._sum([batch[index] for index in indices]) / len(batch)

    def _sum(self, questions: Sequence[Question]) -> torch.Tensor:
        width = max(len(question.ids) for question in questions)
        ids = torch.zeros((len(questions), width), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, question in enumerate(questions):
            ids[row, : len(question.ids)] = torch.from_numpy(question.ids)
            mask[row, : len(question.ids)] = 1
        # Logits of a whole prompt would take most of the memory.
        positions = [
            range(len(question.ids) - question.answer - 1, len(question.ids) - 1)
            for question in questions
        ]
        computed = sorted({position for answer in positions for position in answer})
        logits = self.model(
            input_ids=ids.to(self.device),
            attention_mask=mask.to(self.device),
            use_cache=False,
            logits_to_keep=torch.tensor(computed, device=self.device),
        ).logits.float()
        losses = []
        for row, (question, answer) in enumerate(zip(questions, positions, strict=True)):
            predicted = logits[row, [computed.index(position) for position in answer]]
            target = torch.from_numpy(question.ids[len(question.ids) - question.answer :])
            losses.append(torch.nn.functional.cross_entropy(predicted, target.to(self.device)))
        return torch.stack(losses).sum()

    def write(self, folder: Path) -> None:
        """The model, its low-rank changes merged into it, with its tokenizer."""
        self.model.generation_config = self._generation_config
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def fit(
    student: Student,
    pairs: Sequence[Pair],
    options: AdapterOptions,
    after_step: Callable[[Step], None] = lambda _: None,
    checkpoint: Checkpoint | None = None,
) -> Fitted:
    """Trains the student in place and merges the low-rank changes into its weights. The same seed
    gives the same weights on the same machine, unless `minutes` ends it. Raises DataError without a
    pair, ConfigError without peft, and as `loop.train`."""
    with extras.explained("Training a judge"):
        from peft import LoraConfig, get_peft_model

    questions = [question for question in student.questions(pairs) if question is not None]
    if not questions:
        raise DataError("no pair is left to learn from")
    with seeded(options.seed, student.device):
        config = LoraConfig(
            r=options.rank,
            lora_alpha=SCALE * options.rank,
            target_modules="all-linear",
            lora_dropout=0.0,
            task_type="CAUSAL_LM",
        )
        adapted = get_peft_model(student.model, config).eval()
        training = optimise(
            questions,
            student.losses,
            trainable(adapted),
            options,
            length=lambda question: len(question.ids),
            after_step=after_step,
            checkpoint=checkpoint,
        )
        student.model = adapted.merge_and_unload()
    return Fitted(training, len(pairs) - len(questions))


# --- figures -----------------------------------------------------------------------------------


class Answered:
    """A judge's answers as an `EntailmentModel`, for the copy test and the figures."""

    def __init__(self, model: ChatModel) -> None:
        self.id = model.id
        # Weights change while they are trained, so no answer may come from a store; and how
        # probable the two words are together is part of what is learned.
        self._judge = Judge(model, transcripts="off", min_probability=0.0)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> list[Entailed]:
        """See `protocols.EntailmentModel`; what is not entailed is neutral."""
        scores = self._judge.score([Example(str(index), *pair) for index, pair in enumerate(pairs)])
        return [
            Entailed(
                score.outcome,
                (0.0, 0.0, 0.0) if score.value is None else (score.value, 1 - score.value, 0.0),
                score.coverage.source_tokens,
                score.coverage.source_tokens_cut,
                score.coverage.summary_tokens,
            )
            for score in scores
        ]


def figures(model: ChatModel, pairs: Sequence[Pair]) -> dict[str, JSON]:
    """How its answers agree with the labels: `entailment_figures`, yes being entailed. A pair whose
    answer cannot be read is left out, and counted."""
    answers = Answered(model).predict([(pair.source, pair.sentence) for pair in pairs])
    return entailment_figures(answers, pairs)


# --- the whole ---------------------------------------------------------------------------------


def open_student(path: Path, name: str, *, device: str) -> Student:
    """The causal language model in a folder, for training. Raises ModelError."""
    model, tokenizer = hf.read("CausalLM", path, name, "causal language model", device, None)
    return Student(model, tokenizer, id=name)


def train(
    rows: Sequence[Labelled],
    base: str,
    folder: Path,
    options: AdapterOptions,
    *,
    runtime: Runtime = DEFAULT_RUNTIME,
    report: Report = lambda _: None,
) -> dict[str, JSON]:
    """Trains a causal language model to answer the judge, and writes it to a new folder, whole or
    not at all; returns its card. Its figures are of the model as written and loaded again. A
    training that was killed is resumed from its last checkpoint when called with the same
    arguments.

    base  an embedded causal language model, a folder or hub id of one, with or without `lm:`
    Raises ConfigError (also where the folder exists, or the copy test fails), DataError,
    ModelError.
    """
    options.check()
    check_new(folder)
    start = resolve_base("lm", base.removeprefix("lm:"), runtime)
    prepared = prepare(document_pairs(with_corruptions(rows, options, report)), options, report)
    pairs, held_out, check = prepared.pairs, prepared.held_out, prepared.check
    student = open_student(start.path, start.name, device=start.device)
    checkpoint = Checkpoint.beside(folder, start.id, *map(identity_of, pairs))
    after_step = step_reporter(check, Answered(student.chat), report)
    fitted = fit(student, pairs, options, after_step, checkpoint)
    with new_folder(folder) as written:
        student.write(written)
        loaded = load_chat(written, folder.name, device=start.device, dtype=None)
        card: dict[str, JSON] = {
            **card_of(fitted, prepared, options),
            "base": start.id,
            "prompt": prompts.packaged(TEMPLATE).hash,
            "copy": check.at_end(fitted.training.steps, Answered(loaded)),
            "held_out": figures(loaded, held_out) if held_out else None,
        }
        write_card(written, card)
    checkpoint.delete()
    return card
