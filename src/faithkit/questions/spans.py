"""Answers from any Hugging Face model that points to a span (SQuAD, and SQuAD 2.0 where it may say
that there is none). Answers without such a model are in `answering.py`.

What lives here: windows over a long text, the choice of the span, the choice against no answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from faithkit.models import hf
from faithkit.models.batching import map_distinct
from faithkit.models.identity import model_id
from faithkit.models.pairs import PairInput, PairModel
from faithkit.models.protocols import Answer, Ints, Question
from faithkit.records import Outcome

Logits = NDArray[np.float64]

OVERLAP = 128
"""Tokens that two neighbouring windows share, or half a window where that is less."""

ANSWER_TOKENS = 30
"""Of the longest answer, as in SQuAD's evaluation scripts."""


class Choice(NamedTuple):
    """The best span of a window: tokens `first..last` of the text, the sum of their logits, and
    that of no answer."""

    score: float
    first: int
    last: int
    null: float


def windows(tokens: int, width: int) -> list[tuple[int, int]]:
    """The start and end of overlapping windows over the tokens; all but the last have `width`
    tokens."""
    step = width - min(OVERLAP, width // 2)
    bounds = [(0, min(width, tokens))]
    while bounds[-1][1] < tokens:
        start = bounds[-1][0] + step
        bounds.append((start, min(start + width, tokens)))
    return bounds


def best_span(start: Logits, end: Logits, most: int = ANSWER_TOKENS) -> tuple[float, int, int]:
    """The greatest start[i] + end[j] with i <= j < i + most; the first of several.

    start, end  [tokens], logits of one window's text, at least one token
    """
    sums = start[:, None] + end[None, :]
    rows, columns = np.indices(sums.shape)
    sums[(columns < rows) | (columns >= rows + most)] = -np.inf
    first, last = np.unravel_index(int(sums.argmax()), sums.shape)
    return float(sums[first, last]), int(first), int(last)


def choose(choices: Sequence[Choice]) -> tuple[Choice, float]:
    """The best span of all windows, and by how much it is better than no answer.

    No answer has the least score that a window gives it: a window without the answer says little.
    """
    best = max(choices, key=lambda choice: choice.score)
    return best, best.score - min(choice.null for choice in choices)


class SpanModel(PairModel):
    """A span model over windows of the whole text; nothing is cut. Satisfies `QuestionAnswerer`.

    threshold  the text answers where its best span's logits are together more than this above those
               of no answer (0, as trained)

    An answer's probability is the logistic function of that difference.
    """

    def __init__(self, id: str, opener: hf.Opener, *, threshold: float = 0.0) -> None:
        super().__init__(id, opener)
        self._threshold = threshold

    def answer(self, pairs: Sequence[tuple[Question, str]]) -> list[Answer]:
        """See `protocols.QuestionAnswerer`. Only the question's text is read."""
        return map_distinct(
            [(question.text, context) for question, context in pairs], self._answers
        )

    def _answers(self, pairs: Sequence[tuple[str, str]]) -> list[Answer]:
        questions = self.encode([question for question, _ in pairs])
        contexts = self.encode([context for _, context in pairs])
        rows: list[tuple[int, int, PairInput]] = []
        for number, (question, context) in enumerate(zip(questions, contexts, strict=True)):
            window = self.context - self.frame.size - len(question.ids)
            if window < 1 or not context.ids:
                continue
            for start, end in windows(len(context.ids), window):
                rows.append((number, start, PairInput(question.ids, context.ids[start:end])))
        choices: list[list[Choice]] = [[] for _ in pairs]
        logits = self._logits([pair for _, _, pair in rows])
        for (number, start, _), (starts, ends, null) in zip(rows, logits, strict=True):
            score, first, last = best_span(starts, ends)
            choices[number].append(Choice(score, start + first, start + last, null))
        return [
            self._answer(context, encoded.offsets, spans) if encoded.ids else NOTHING
            for (_, context), encoded, spans in zip(pairs, contexts, choices, strict=True)
        ]

    def _answer(self, context: str, offsets: Ints, choices: Sequence[Choice]) -> Answer:
        if not choices:
            return Answer("", None, None, 0.0, False, Outcome.TRUNCATED_SUMMARY)
        if not all(
            math.isfinite(logit) for choice in choices for logit in (choice.score, choice.null)
        ):
            return Answer("", None, None, 0.0, False, Outcome.MODEL_ERROR)
        best, difference = choose(choices)
        probability = 0.5 + 0.5 * math.tanh(difference / 2)
        start, end = int(offsets[best.first][0]), int(offsets[best.last][1])
        text = context[start:end]
        if difference <= self._threshold or not text.strip():
            return Answer("", None, None, probability, False)
        start += len(text) - len(text.lstrip())
        return Answer(text.strip(), start, start + len(text.strip()), probability, True)

    def _logits(self, inputs: Sequence[PairInput]) -> list[tuple[Logits, Logits, float]]:
        """Of each window: start and end logits of its text, and the sum for no answer."""
        rows: dict[int, tuple[Logits, Logits, float]] = {}
        for batch, tensors in self.batches(inputs):
            with torch.inference_mode():
                output = self.loaded.model(**tensors)
            starts, ends = (
                logits.float().cpu().numpy().astype(np.float64)
                for logits in (output.start_logits, output.end_logits)
            )
            for row, position in enumerate(batch):
                first = self.frame.second_start(inputs[position])
                part = slice(first, first + len(inputs[position].second))
                null = float(starts[row, self._null] + ends[row, self._null])
                rows[position] = (starts[row, part], ends[row, part], null)
        return [rows[position] for position in range(len(inputs))]

    @property
    def _null(self) -> int:
        """The position of the logits of no answer: that of the classification token."""
        token, front = self.loaded.tokenizer.cls_token_id, self.frame.front
        return front.index(token) if token in front else 0


NOTHING = Answer("", None, None, 0.0, False)
"""What a text without a word answers."""


def load_span_model(path: Path, name: str, *, device: str | None, dtype: str | None) -> SpanModel:
    """The span model in a folder of safetensors, config and tokenizer.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError.
    """
    opener = partial(
        hf.read, "QuestionAnswering", path, name, "question-answering model", device, dtype
    )
    return SpanModel(model_id(path, name, dtype), opener)
