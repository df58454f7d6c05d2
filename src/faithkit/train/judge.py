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
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from faithkit import models, writing
from faithkit.metrics.judge import prompts
from faithkit.metrics.judge.judge import Judge
from faithkit.models import hf
from faithkit.models.batching import batches
from faithkit.models.cards import CARD
from faithkit.models.chat.local import PLAIN, LocalChat, load_chat
from faithkit.models.identity import model_id
from faithkit.models.protocols import ChatModel, Entailed, Ints
from faithkit.models.runtime import DEFAULT_RUNTIME, Runtime
from faithkit.records import JSON, ConfigError, DataError, Example, ModelError, Outcome
from faithkit.support.adapter import Judged
from faithkit.train import nli
from faithkit.train.copies import COPIES, copies, copy_test, require
from faithkit.train.nli import Pair
from faithkit.train.steps import Fit, Progress, Recipe, optimise
from faithkit.train.words import Labelled

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
        self._own = copy.deepcopy(model.generation_config)
        self.chat = LocalChat(model, tokenizer, id=id)
        self._prompt = prompts.packaged(TEMPLATE)

    @property
    def device(self) -> torch.device:
        found: torch.device = next(self.model.parameters()).device
        return found

    def questions(self, pairs: Sequence[Pair]) -> list[Question | None]:
        """Each pair as the judge would ask about it; None where the summary does not fit."""
        answers = {word: self._answer(word) for word in (YES, NO)}
        found: list[Question | None] = []
        for pair in pairs:
            answer = answers[YES if pair.target[0] > 0.5 else NO]
            asked = self.chat.frame(
                self._prompt.prompt(pair.source, pair.sentence), None, len(answer)
            )
            good = asked.outcome is Outcome.OK
            ids = np.concatenate([asked.ids, answer])
            found.append(Question(ids, len(answer)) if good else None)
        return found

    def _answer(self, word: str) -> Ints:
        ids = self.tokenizer(word, add_special_tokens=False)["input_ids"]
        return np.array([*ids, self.tokenizer.eos_token_id], dtype=np.int64)

    def losses(self, batch: Sequence[Question]) -> Iterator[torch.Tensor]:
        """Parts of the mean, over questions, of the mean -log probability of an answer's tokens."""
        budget = TOKENS if self.device.type == "cpu" else TOKENS_ACCELERATOR
        for places in batches([len(one.ids) for one in batch], budget):
            yield self._sum([batch[place] for place in places]) / len(batch)

    def _sum(self, some: Sequence[Question]) -> torch.Tensor:
        width = max(len(one.ids) for one in some)
        ids = torch.zeros((len(some), width), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, one in enumerate(some):
            ids[row, : len(one.ids)] = torch.from_numpy(one.ids)
            mask[row, : len(one.ids)] = 1
        # Logits of a whole prompt would be most of the memory.
        places = [range(len(one.ids) - one.answer - 1, len(one.ids) - 1) for one in some]
        kept = sorted({place for own in places for place in own})
        logits = self.model(
            input_ids=ids.to(self.device),
            attention_mask=mask.to(self.device),
            use_cache=False,
            logits_to_keep=torch.tensor(kept, device=self.device),
        ).logits.float()
        losses = []
        for row, (one, own) in enumerate(zip(some, places, strict=True)):
            asked = logits[row, [kept.index(place) for place in own]]
            wanted = torch.from_numpy(one.ids[len(one.ids) - one.answer :]).to(self.device)
            losses.append(torch.nn.functional.cross_entropy(asked, wanted))
        return torch.stack(losses).sum()

    def write(self, folder: Path) -> None:
        """The model, its low-rank changes merged into it, with its tokenizer."""
        self.model.generation_config = self._own
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def fit(
    student: Student,
    pairs: Sequence[Pair],
    recipe: Recipe,
    progress: Progress,
    test: Callable[[], dict[str, JSON]] | None = None,
) -> Fit:
    """Teaches the student in place, and merges what it learned into its weights. The same seed
    gives the same weights on the same machine, unless `minutes` ends it. Raises as `nli.fit`."""
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise ConfigError("training needs peft: pip install 'faithkit[train]'") from error
    data = [one for one in student.questions(pairs) if one is not None]
    if not data:
        raise DataError("no pair is left to learn from")
    devices = [student.device] if student.device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(recipe.seed)
        config = LoraConfig(
            r=recipe.rank,
            lora_alpha=nli.SCALE * recipe.rank,
            target_modules="all-linear",
            lora_dropout=0.0,
            task_type="CAUSAL_LM",
        )
        adapted = get_peft_model(student.model, config).eval()
        changed = [value for value in adapted.parameters() if value.requires_grad]
        fitted = optimise(
            data,
            lambda one: len(one.ids),
            student.losses,
            changed,
            recipe,
            progress,
            too_long=len(pairs) - len(data),
            test=test,
        )
        student.model = adapted.merge_and_unload()
    return fitted


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
                one.outcome,
                (0.0, 0.0, 0.0) if one.value is None else (one.value, 1 - one.value, 0.0),
                one.coverage.source_tokens,
                one.coverage.source_tokens_cut,
                one.coverage.summary_tokens,
            )
            for one in scores
        ]


def figures(model: ChatModel, pairs: Sequence[Pair]) -> dict[str, JSON]:
    """How its answers agree with what is known: accuracy and AUC of yes against no, also by origin,
    as in `nli.figures`. A pair without an answer that can be read is left out, and counted."""
    said = Answered(model).predict([(pair.source, pair.sentence) for pair in pairs])
    nothing = np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.float32)
    judged = [
        Judged(one.outcome, one.probabilities, *nothing, one.premise_cut, one.hypothesis_tokens)
        for one in said
    ]
    found = nli.figures(judged, pairs)
    return {name: found[name] for name in ("pairs", "left_out", "accuracy", "auc", "by_origin")}


# --- the whole ---------------------------------------------------------------------------------


def open_student(path: Path, name: str, *, device: str) -> Student:
    """The causal model in a folder, to be taught. Raises ModelError."""
    model, tokenizer = hf.read("CausalLM", path, name, "causal language model", device, None)
    return Student(model, tokenizer, id=name)


def train(
    rows: Sequence[Labelled],
    base: str,
    folder: Path,
    recipe: Recipe,
    *,
    runtime: Runtime = DEFAULT_RUNTIME,
    progress: Progress = lambda _: None,
) -> dict[str, JSON]:
    """Teaches a causal language model to answer the judge, and writes it to a new folder, whole or
    not at all; returns its card. Its figures are of the model as written and loaded again.

    base  an embedded causal language model, a folder or hub id of one; `lm:` may stand before it
    Raises ConfigError (also where the folder is there, or the copy test fails), DataError,
    ModelError.
    """
    recipe.check()
    if folder.exists():
        raise ConfigError(f"{folder} is there already; name a folder that is not")
    name = base.removeprefix("lm:")
    path, shown = models.resolve("lm", name, offline=runtime.offline)
    base_id = model_id(path, shown)  # refuses a base without a tokenizer before it is trained
    device = runtime.device or ("cuda" if torch.cuda.is_available() else "cpu")
    pairs = document_pairs(nli.with_made(rows, recipe, progress))
    learned, held = nli.apart(pairs, recipe)
    tried = copies((pair.source for pair in held or learned), COPIES, recipe.seed)
    if recipe.require_copy is not None and not tried:
        raise ConfigError("there is no long source with a number for the copy test; leave it out")
    student = open_student(path, shown, device=device)

    def early() -> dict[str, JSON]:
        found = copy_test(Answered(student.chat), tried)
        progress(f"copy test after {recipe.copy_after} steps: {found}")
        require(found, recipe.require_copy, recipe.copy_after)
        return found

    fitted = fit(student, learned, recipe, progress, early)
    progress(f"{fitted.steps} steps in {fitted.seconds:.0f} s")
    card: dict[str, JSON] = {
        "recipe": asdict(recipe),
        "base": base_id,
        "prompt": prompts.packaged(TEMPLATE).hash,
        "learned": nli.counts(learned),
        "steps": fitted.steps,
        "loss": list(fitted.loss),
        "too_long": fitted.too_long,
        "steps_per_second": round(fitted.steps / fitted.seconds, 3),
        "copy_early": fitted.early,
        "versions": {one: version(one) for one in ("faithkit", "torch", "transformers", "peft")},
    }
    with writing.new_folder(folder) as made:
        student.write(made)
        loaded = load_chat(made, folder.name, device=device, dtype=None)
        card["copy"] = last = copy_test(Answered(loaded), tried)
        progress(f"copy test at the end: {last}")
        if fitted.early is None:
            require(last, recipe.require_copy, fitted.steps)
        card["held_out"] = figures(loaded, held) if held else None
        writing.write_json(made / CARD, card)
    return card
