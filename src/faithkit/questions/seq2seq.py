"""Questions by any Hugging Face encoder-decoder that was trained to ask for a given answer (T5 or
BART on SQuAD). Questions without a model are in `rules.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from transformers import GenerationConfig, LogitsProcessorList

from faithkit.models.embeddings import batches
from faithkit.models.generation import NanWatch, padded
from faithkit.models.identity import model_id
from faithkit.models.protocols import Ints, Question
from faithkit.models.seq2seq import frame
from faithkit.models.teacher_forcing import context_limit, loading, read_model
from faithkit.records import ModelError, Outcome

Layout = Literal["highlight", "prepend"]

INPUT_TOKENS, OUTPUT_TOKENS, BEAMS = 512, 64, 5
TOKENS_PER_BATCH, TOKENS_PER_BATCH_ACCELERATOR = 2048, 16_384
"""Padded tokens the encoder sees at once; the decoder has BEAMS rows for each of its rows."""

MARK = "<hl>"


def layout_of(name: str, tokenizer: Any) -> Layout:
    """How a checkpoint wants the answer shown.

    highlight  `generate question: text <hl> answer <hl> text` (without the first two words for
               other models than T5): where the tokenizer knows `<hl>`, as valhalla/t5-*-qg-hl and
               lmqg/*
    prepend    `answer: … context: …`: where it does not, as mrm8488/t5-base-finetuned-question-
               generation-ap, or where the name has "prepend", as valhalla/t5-*-qg-prepend
    """
    known = MARK in tokenizer.get_vocab()
    return "highlight" if known and "prepend" not in name.lower() else "prepend"


class Seq2SeqQuestions:
    """An encoder-decoder that asks by beam search: BEAMS questions for a request, fewer where some
    are the same. Satisfies `QuestionGenerator`.

    layout  see `layout_of`

    A question's probability is the geometric mean of its tokens', the end included. Of a context
    that does not fit, what is around the answer is shown; an answer that does not fit is not asked
    about.
    """

    def __init__(self, model: Any, tokenizer: Any, *, id: str, layout: Layout) -> None:
        if model.config.decoder_start_token_id is None or tokenizer.eos_token_id is None:
            raise ModelError(
                f"{id}: needs decoder_start_token_id in its config.json, and an end-of-sequence "
                "token in its tokenizer"
            )
        self.id = id
        self.layout = layout
        self.model = model.eval()
        self.tokenizer = tokenizer
        relative = model.config.model_type in ("t5", "mt5")
        positions = INPUT_TOKENS if relative else context_limit(model.config, tokenizer, id)
        self._input_tokens = min(INPUT_TOKENS, positions)
        self._prefix = "generate question:" if relative else ""
        self._left, self._right = frame(tokenizer)
        own = model.generation_config
        model.generation_config = GenerationConfig(
            num_beams=BEAMS,
            num_return_sequences=BEAMS,
            do_sample=False,
            length_penalty=1.0,
            max_new_tokens=min(OUTPUT_TOKENS, positions - 1),
            decoder_start_token_id=model.config.decoder_start_token_id,
            forced_bos_token_id=getattr(own, "forced_bos_token_id", None),
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id or 0,
            output_scores=True,
            return_dict_in_generate=True,
        )

    def ask(self, requests: Sequence[tuple[str, int, int]]) -> list[list[Question]]:
        """See `protocols.QuestionGenerator`."""
        unique = list(dict.fromkeys(requests))
        prompts = {one: self.prompt(*one) for one in unique}
        usable = [one for one in unique if len(prompts[one])]
        found: dict[tuple[str, int, int], list[Question]] = {one: [] for one in unique}
        cpu = self.model.device.type == "cpu"
        budget = TOKENS_PER_BATCH if cpu else TOKENS_PER_BATCH_ACCELERATOR
        for batch in batches([len(prompts[one]) for one in usable], budget):
            some = [usable[position] for position in batch]
            found |= dict(zip(some, self._asked([prompts[one] for one in some]), strict=True))
        return [found[one] for one in requests]

    def prompt(self, context: str, start: int, end: int) -> Ints:
        """The encoder's input, special tokens included; empty where the answer does not fit."""
        answer = context[start:end].strip()
        if self.layout == "highlight":
            head, shown = self._prefix, f"{MARK} {answer} {MARK}"
        else:
            head, shown = f"answer: {answer} context:", answer
        texts = [head, context[:start].strip(), shown, context[end:].strip()]
        filled = next(place for place, text in enumerate(texts) if text)
        first, left, middle, right = (
            self._ids(text if place == filled else f" {text}") if text else self._ids("")
            for place, text in enumerate(texts)
        )
        fixed = sum(map(len, (self._left, first, middle, self._right)))
        room = self._input_tokens - fixed
        if not answer or room < 0:
            return middle[:0]
        before = min(len(left), max(room // 2, room - len(right)))
        near = left[len(left) - before :]
        after = right[: room - before]
        return np.concatenate([self._left, first, near, middle, after, self._right])

    def _ids(self, text: str) -> Ints:
        found = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return np.array(found, dtype=np.int64)

    def _asked(self, prompts: Sequence[Ints]) -> list[list[Question]]:
        ids, mask = padded(prompts, self.tokenizer.pad_token_id or 0)
        watch = NanWatch(len(prompts))
        with torch.inference_mode():
            written = self.model.generate(
                input_ids=ids.to(self.model.device),
                attention_mask=mask.to(self.model.device),
                logits_processor=LogitsProcessorList([watch]),
            )
        texts = self.tokenizer.batch_decode(written.sequences, skip_special_tokens=True)
        scores = written.sequences_scores.double().exp().tolist()
        found = []
        for row, failed in enumerate(watch.failed):
            part = slice(row * BEAMS, (row + 1) * BEAMS)
            found.append(_failed() if failed else _distinct(texts[part], scores[part]))
        return found


def _failed() -> list[Question]:
    return [Question("", 0.0, outcome=Outcome.MODEL_ERROR)]


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
    from transformers import AutoModelForSeq2SeqLM

    with loading(name, path, "sequence-to-sequence model"):
        model, tokenizer = read_model(AutoModelForSeq2SeqLM, path, name, device=device, dtype=dtype)
    layout = layout_of(name, tokenizer)
    return Seq2SeqQuestions(model, tokenizer, id=model_id(path, name, dtype), layout=layout)
