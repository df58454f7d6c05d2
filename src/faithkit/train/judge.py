"""`faithkit train nli --yes-no`: a causal language model that answers the judge's zero-shot
question about a whole summary and its document, fine-tuned on labelled ones [FCLLM §3; methods §4].

In: labelled summaries (`words.py`) and sentences made from their documents, as in `nli.py`, whose
draw it shares. Out: a folder with weights, tokenizer and chat template, for `judge:model=FOLDER`:
the low-rank changes (Hu et al. 2021, LoRA) are put in by `peft` and merged at the end. The prompt,
how it is cut and how an answer is read are the judge's own.
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

from faithkit import extras, models
from faithkit.metrics.judge import prompts
from faithkit.metrics.judge.judge import Judge
from faithkit.models import hf
from faithkit.models.batching import batches
from faithkit.models.chat.local import PLAIN, LocalChat, load_chat
from faithkit.models.identity import model_id
from faithkit.models.protocols import ChatModel, Entailed, Ints
from faithkit.models.runtime import DEFAULT_RUNTIME, Runtime
from faithkit.records import JSON, DataError, Example, ModelError, Outcome
from faithkit.support.adapter import Judged
from faithkit.train import nli
from faithkit.train.copy_test import CopyCheck
from faithkit.train.loop import Checkpoint, Report, Step, seeded, trainable
from faithkit.train.loop import train as optimise
from faithkit.train.nli import AdapterOptions, Fitted
from faithkit.train.nli_pairs import Pair, identity_of
from faithkit.train.output import check_new, write_card
from faithkit.train.words import Labelled
from faithkit.writing import new_folder

YES, NO = "yes", "no"
TEMPLATE = "zero-shot"
"""The judge's default prompt."""

TOKENS, TOKENS_ACCELERATOR = 2048, 16_384
"""Tokens whose states are held at once for their gradients; a longer pair is alone."""


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt with its right answer, in ids. ids [tokens]; the answer, with the end of the turn,
    is the last `answer` of them."""

    ids: Ints
    answer: int


def document_pairs(rows: Iterable[Labelled]) -> list[Pair]:
    """Whole summaries of which it is known whether their documents support them."""
    nothing = np.zeros(0, dtype=np.float32)
    return [
        Pair(row.file, row.document, row.source, row.summary, nothing,
             np.array(row.target, dtype=np.float32))
        for row in rows
        if row.target is not None
        and not math.isnan(row.target[0])
        and row.source.strip()
        and row.summary.strip()
    ]  # fmt: skip


class Student:
    """A causal model that is taught to answer, and the chat model that it is."""

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
        """Each pair as the judge would ask about it; None where the summary does not fit."""
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
        for places in batches([len(question.ids) for question in batch], budget):
            yield self._sum([batch[place] for place in places]) / len(batch)

    def _sum(self, questions: Sequence[Question]) -> torch.Tensor:
        width = max(len(question.ids) for question in questions)
        ids = torch.zeros((len(questions), width), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, question in enumerate(questions):
            ids[row, : len(question.ids)] = torch.from_numpy(question.ids)
            mask[row, : len(question.ids)] = 1
        # Logits of a whole prompt would be most of the memory.
        places = [
            range(len(question.ids) - question.answer - 1, len(question.ids) - 1)
            for question in questions
        ]
        kept = sorted({place for answer in places for place in answer})
        logits = self.model(
            input_ids=ids.to(self.device),
            attention_mask=mask.to(self.device),
            use_cache=False,
            logits_to_keep=torch.tensor(kept, device=self.device),
        ).logits.float()
        losses = []
        for row, (question, answer) in enumerate(zip(questions, places, strict=True)):
            predicted = logits[row, [kept.index(place) for place in answer]]
            wanted = torch.from_numpy(question.ids[len(question.ids) - question.answer :])
            losses.append(torch.nn.functional.cross_entropy(predicted, wanted.to(self.device)))
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
    """Teaches the student in place, and merges what it learned into its weights. The same seed
    gives the same weights on the same machine, unless `minutes` ends it. Raises as `nli.fit`."""
    with extras.explained("Training a judge"):
        from peft import LoraConfig, get_peft_model

    questions = [question for question in student.questions(pairs) if question is not None]
    if not questions:
        raise DataError("no pair is left to learn from")
    with seeded(options.seed, student.device):
        config = LoraConfig(
            r=options.rank,
            lora_alpha=nli.SCALE * options.rank,
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
        scores = self._judge.score([Example(str(place), *pair) for place, pair in enumerate(pairs)])
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
    """How its answers agree with the labels: accuracy and AUC of yes against no, also by origin,
    as in `nli.figures`. A pair without an answer that can be read is left out, and counted."""
    answers = Answered(model).predict([(pair.source, pair.sentence) for pair in pairs])
    nothing = np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.float32)
    judged = [
        Judged(
            answer.outcome, answer.probabilities, *nothing, answer.premise_cut,
            answer.hypothesis_tokens,
        )
        for answer in answers
    ]  # fmt: skip
    every = nli.figures(judged, pairs)
    return {name: every[name] for name in ("pairs", "left_out", "accuracy", "auc", "by_origin")}


# --- the whole ---------------------------------------------------------------------------------


def open_student(path: Path, name: str, *, device: str) -> Student:
    """The causal model in a folder, to be taught. Raises ModelError."""
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
    """Teaches a causal language model to answer the judge, and writes it to a new folder, whole or
    not at all; returns its card. Its figures are of the model as written and loaded again. Killed
    and started again with the same arguments, it goes on from its last checkpoint.

    base  an embedded causal language model, a folder or hub id of one; `lm:` may stand before it
    Raises ConfigError (also where the folder is there, or the copy test fails), DataError,
    ModelError.
    """
    options.check()
    check_new(folder)
    path, shown = models.resolve("lm", base.removeprefix("lm:"), offline=runtime.offline)
    base_id = model_id(path, shown)  # refuses a base without a tokenizer before it is trained
    device = runtime.device or ("cuda" if torch.cuda.is_available() else "cpu")
    pairs, held_out = nli.split_and_sample(
        document_pairs(nli.with_corruptions(rows, options, report)), options
    )
    sources = (pair.source for pair in held_out or pairs)
    check = CopyCheck(sources, options.require_copy, options.copy_after, options.seed, report)
    student = open_student(path, shown, device=device)
    checkpoint = Checkpoint.beside(folder, base_id, *map(identity_of, pairs))
    after_step = nli.step_reporter(check, Answered(student.chat), report)
    fitted = fit(student, pairs, options, after_step, checkpoint)
    with new_folder(folder) as written:
        student.write(written)
        loaded = load_chat(written, folder.name, device=device, dtype=None)
        card: dict[str, JSON] = {
            **nli.card_of(fitted, pairs, options, check),
            "base": base_id,
            "prompt": prompts.packaged(TEMPLATE).hash,
            "copy": check.at_end(fitted.training.steps, Answered(loaded)),
            "held_out": figures(loaded, held_out) if held_out else None,
        }
        write_card(written, card)
    checkpoint.delete()
    return card
