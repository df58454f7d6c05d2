"""Questions by any Hugging Face encoder-decoder that was trained to ask for a given answer (T5 or
BART on SQuAD). Questions without a model are in `rules.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from faithkit.models import hf
from faithkit.models.batching import map_distinct
from faithkit.models.generation import BEAMS, BeamSearch, Written
from faithkit.models.identity import model_id
from faithkit.models.protocols import Ints, Question
from faithkit.records import Outcome

Layout = Literal["highlight", "prepend"]
Request = tuple[str, int, int]

INPUT_TOKENS, OUTPUT_TOKENS = 512, 64

MARK = "<hl>"


def layout_of(name: str, tokenizer: Any) -> Layout:
    """How a checkpoint wants the answer shown.

    highlight  `generate question: text <hl> answer <hl> text` (without the first two words for
               other models than T5): where the tokenizer knows `<hl>`, as valhalla/t5-*-qg-hl and
               lmqg/*
    prepend    `answer: … context: …`: where it does not, as mrm8488/t5-base-finetuned-question-
               generation-ap, or where the name has "prepend", as valhalla/t5-*-qg-prepend
    """
    marked = MARK in tokenizer.get_vocab()
    return "highlight" if marked and "prepend" not in name.lower() else "prepend"


class Seq2SeqQuestions(BeamSearch):
    """An encoder-decoder that asks by beam search: BEAMS questions for a request, fewer where some
    are the same. Satisfies `QuestionGenerator`.

    layout  see `layout_of`

    A question's probability is the geometric mean of its tokens', the end included. Of a context
    that does not fit, what is around the answer is shown; an answer that does not fit is not asked
    about.
    """

    def __init__(self, model: Any, tokenizer: Any, *, id: str, layout: Layout) -> None:
        relative = model.config.model_type in ("t5", "mt5")
        limit = INPUT_TOKENS if relative else hf.context_limit(model.config, tokenizer, id)
        tokens = min(OUTPUT_TOKENS, limit - 1)
        super().__init__(model, tokenizer, id=id, tokens=tokens, results=BEAMS)
        self.layout = layout
        self._input_tokens = min(INPUT_TOKENS, limit)
        self._prefix = "generate question:" if relative else ""

    def ask(self, requests: Sequence[Request]) -> list[list[Question]]:
        """See `protocols.QuestionGenerator`."""
        return map_distinct(requests, self._ask)

    def _ask(self, requests: Sequence[Request]) -> list[list[Question]]:
        prompts = [self.prompt(*request) for request in requests]
        written = iter(self.write([ids for ids in prompts if len(ids)]))
        return [_questions(next(written)) if len(ids) else [] for ids in prompts]

    def prompt(self, context: str, start: int, end: int) -> Ints:
        """The encoder's input, special tokens included; empty where the answer does not fit."""
        answer = context[start:end].strip()
        if self.layout == "highlight":
            head, shown = self._prefix, f"{MARK} {answer} {MARK}"
        else:
            head, shown = f"answer: {answer} context:", answer
        texts = [head, context[:start].strip(), shown, context[end:].strip()]
        filled = next(index for index, text in enumerate(texts) if text)
        first, left, middle, right = (
            self.ids(text if index == filled else f" {text}") if text else self.ids("")
            for index, text in enumerate(texts)
        )
        fixed = sum(map(len, (self._front, first, middle, self._back)))
        left_over = self._input_tokens - fixed
        if not answer or left_over < 0:
            return middle[:0]
        before = min(len(left), max(left_over // 2, left_over - len(right)))
        near = left[len(left) - before :]
        after = right[: left_over - before]
        return np.concatenate([self._front, first, near, middle, after, self._back])


def _questions(written: Written | None) -> list[Question]:
    if written is None:
        return [Question("", 0.0, outcome=Outcome.MODEL_ERROR)]
    return _distinct(written.texts, [math.exp(score) for score in written.scores])


def _distinct(texts: Sequence[str], probabilities: Sequence[float]) -> list[Question]:
    """Each question once, with its best probability; beams that wrote nothing left out. Some
    checkpoints begin with the word "question:"."""
    best: dict[str, float] = {}
    for text, probability in zip(texts, probabilities, strict=True):
        plain = text.strip().removeprefix("question:").strip()
        if plain and math.isfinite(probability):
            best[plain] = max(probability, best.get(plain, 0.0))
    ordered = sorted(best, key=lambda plain: -best[plain])
    return [Question(plain, min(best[plain], 1.0)) for plain in ordered]


def load_question_generator(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> Seq2SeqQuestions:
    """The encoder-decoder in a folder of safetensors, config and tokenizer.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError.
    """
    model, tokenizer = hf.read("Seq2SeqLM", path, name, "sequence-to-sequence model", device, dtype)
    layout = layout_of(name, tokenizer)
    return Seq2SeqQuestions(model, tokenizer, id=model_id(path, name, dtype), layout=layout)
