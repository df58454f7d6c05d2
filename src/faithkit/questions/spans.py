"""Answers from any Hugging Face model that points to a span (SQuAD, and SQuAD 2.0 where it may say
that there is none). Answers without such a model are in `answering.py`.

What lives here: windows over a long text, the choice of the span, the choice against no answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from faithkit.models.embeddings import batches
from faithkit.models.entailment import PairInput, frame_of, pair_context
from faithkit.models.identity import model_id
from faithkit.models.protocols import Answer, Question
from faithkit.models.teacher_forcing import loading, read_model
from faithkit.records import ModelError, Outcome

Logits = NDArray[np.float64]

OVERLAP = 128
"""Tokens that two neighbouring windows share, or half a window where that is less."""

ANSWER_TOKENS = 30
"""Of the longest answer, as in SQuAD's evaluation scripts."""

TOKENS_PER_BATCH, TOKENS_PER_BATCH_ACCELERATOR = 4096, 32_768
"""Padded tokens in one forward pass."""


class Choice(NamedTuple):
    """The best span of a window: tokens `first..last` of the text, the sum of their logits, and
    that of no answer."""

    score: float
    first: int
    last: int
    null: float


def windows(tokens: int, room: int) -> list[tuple[int, int]]:
    """Where the windows over so many tokens begin and end, `room` tokens each but the last."""
    step = room - min(OVERLAP, room // 2)
    found = [(0, min(room, tokens))]
    while found[-1][1] < tokens:
        start = found[-1][0] + step
        found.append((start, min(start + room, tokens)))
    return found


def best_span(start: Logits, end: Logits, most: int = ANSWER_TOKENS) -> tuple[float, int, int]:
    """The greatest start[i] + end[j] with i <= j < i + most; the first of several.

    start, end  [tokens], logits of one window's text, at least one token
    """
    sums = start[:, None] + end[None, :]
    rows, columns = np.indices(sums.shape)
    sums[(columns < rows) | (columns >= rows + most)] = -np.inf
    first, last = np.unravel_index(int(sums.argmax()), sums.shape)
    return float(sums[first, last]), int(first), int(last)


def choose(found: Sequence[Choice]) -> tuple[Choice, float]:
    """The best span of all windows, and by how much it is better than no answer.

    No answer has the least score that a window gives it: a window without the answer says little.
    """
    best = max(found, key=lambda one: one.score)
    return best, best.score - min(one.null for one in found)


class SpanModel:
    """A span model over windows of the whole text; nothing is cut. Satisfies `QuestionAnswerer`.

    threshold  the text answers where its best span's logits are together more than this above those
               of no answer (0, as trained)

    An answer's probability is the logistic function of that difference.
    """

    def __init__(self, model: Any, tokenizer: Any, *, id: str, threshold: float = 0.0) -> None:
        if not tokenizer.is_fast:
            raise ModelError(f"{id}: needs a fast tokenizer (tokenizer.json)")
        if tokenizer.pad_token_id is None:
            raise ModelError(f"{id}: its tokenizer has no padding token; set pad_token")
        self.id = id
        self.model = model.eval()
        self.tokenizer = tokenizer
        self._threshold = threshold
        self._frame = frame_of(tokenizer)
        self._context = pair_context(model.config, tokenizer, id)
        cls = tokenizer.cls_token_id
        # Where the logits of no answer are.
        self._null = self._frame.front.index(cls) if cls in self._frame.front else 0

    def answer(self, pairs: Sequence[tuple[Question, str]]) -> list[Answer]:
        """See `protocols.QuestionAnswerer`. Only the question's text is read."""
        unique = list(dict.fromkeys((question.text, context) for question, context in pairs))
        questions = {text: self._ids(text)[0] for text in dict.fromkeys(q for q, _ in unique)}
        contexts = {text: self._ids(text) for text in dict.fromkeys(c for _, c in unique)}
        rows: list[tuple[int, int, PairInput]] = []
        for number, (text, context) in enumerate(unique):
            asked, read = questions[text], contexts[context][0]
            room = self._context - self._frame.size - len(asked)
            if room < 1 or not read:
                continue
            for start, end in windows(len(read), room):
                rows.append((number, start, PairInput(asked, read[start:end], len(asked))))
        found: dict[int, list[Choice]] = {}
        for (number, start, _), (begins, ends, null) in zip(
            rows, self._logits([row for _, _, row in rows]), strict=True
        ):
            score, first, last = best_span(begins, ends)
            found.setdefault(number, []).append(Choice(score, start + first, start + last, null))
        answers = {
            pair: self._answer(pair[1], contexts[pair[1]][1], found.get(number))
            if contexts[pair[1]][0]
            else NOTHING
            for number, pair in enumerate(unique)
        }
        return [answers[question.text, context] for question, context in pairs]

    def _ids(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        # Letters that spell a special token, as "[SEP]", are text like any other.
        found = self.tokenizer(
            text,
            add_special_tokens=False,
            split_special_tokens=True,
            return_offsets_mapping=True,
            verbose=False,
        )
        return found["input_ids"], found["offset_mapping"]

    def _answer(
        self, context: str, offsets: Sequence[tuple[int, int]], found: Sequence[Choice] | None
    ) -> Answer:
        if found is None:
            return Answer("", None, None, 0.0, False, Outcome.TRUNCATED_SUMMARY)
        if not all(math.isfinite(number) for one in found for number in (one.score, one.null)):
            return Answer("", None, None, 0.0, False, Outcome.MODEL_ERROR)
        best, difference = choose(found)
        probability = 0.5 + 0.5 * math.tanh(difference / 2)
        start, end = offsets[best.first][0], offsets[best.last][1]
        text = context[start:end]
        if difference <= self._threshold or not text.strip():
            return Answer("", None, None, probability, False)
        start += len(text) - len(text.lstrip())
        return Answer(text.strip(), start, start + len(text.strip()), probability, True)

    def _logits(self, inputs: Sequence[PairInput]) -> list[tuple[Logits, Logits, float]]:
        """Of each window: start and end logits of its text, and the sum for no answer."""
        found: dict[int, tuple[Logits, Logits, float]] = {}
        cpu = self.model.device.type == "cpu"
        budget = TOKENS_PER_BATCH if cpu else TOKENS_PER_BATCH_ACCELERATOR
        frame = self._frame
        lengths = [frame.size + len(one.premise) + len(one.hypothesis) for one in inputs]
        for batch in batches(lengths, budget):
            some = [inputs[position] for position in batch]
            tensors = frame.padded(some, self.tokenizer.pad_token_id)
            with torch.inference_mode():
                out = self.model(**{k: v.to(self.model.device) for k, v in tensors.items()})
            starts = out.start_logits.float().cpu().numpy().astype(np.float64)
            ends = out.end_logits.float().cpu().numpy().astype(np.float64)
            for row, position in enumerate(batch):
                one = inputs[position]
                first = len(frame.front) + len(one.premise) + len(frame.middle)
                part = slice(first, first + len(one.hypothesis))
                null = float(starts[row, self._null] + ends[row, self._null])
                found[position] = (starts[row, part], ends[row, part], null)
        return [found[position] for position in range(len(inputs))]


NOTHING = Answer("", None, None, 0.0, False)
"""What a text without a word answers."""


def load_span_model(path: Path, name: str, *, device: str | None, dtype: str | None) -> SpanModel:
    """The span model in a folder of safetensors, config and tokenizer.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError.
    """
    from transformers import AutoModelForQuestionAnswering

    with loading(name, path, "question-answering model"):
        model, tokenizer = read_model(
            AutoModelForQuestionAnswering, path, name, device=device, dtype=dtype
        )
    return SpanModel(model, tokenizer, id=model_id(path, name, dtype))
