"""Generates texts about a source and a claim with any Hugging Face encoder-decoder (T5, BART, ...).

The layout `Reference: … Claim: … Output:`, 528 input tokens, 128 output tokens and 5 beams are
those of [LSS]. Only the source is ever truncated. Log-probabilities of the same models are in
`seq2seq.py`; how one is fine-tuned for longest supported subsequences is in `train/lss.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList

from faithkit.models import hf
from faithkit.models.batching import TokenBudget, batches
from faithkit.models.cards import CARD, of_folder
from faithkit.models.identity import model_id
from faithkit.models.protocols import Generated, Ints
from faithkit.records import ModelError, Outcome

BEFORE_SOURCE, BEFORE_CLAIM, AFTER_CLAIM = "Reference:", "\nClaim:", "\nOutput:"
INPUT_TOKENS, OUTPUT_TOKENS, BEAMS = 528, 128, 5
LSS, LSS_STAR = "lss", "lss_star"
"""The two values of `task` in the card that training for LSS writes beside the weights."""

BUDGET = TokenBudget(2048, 16_384)
"""Of the encoder's input; the decoder has BEAMS rows for each row of the encoder."""


class Written(NamedTuple):
    """The generated texts for one input, the most probable first, and their scores: the mean
    log-probability of the tokens, end of sequence included; 0 if only one text was wanted."""

    texts: list[str]
    scores: list[float]


class Prompt(NamedTuple):
    """The token ids of a (source, claim) pair in the layout; empty unless the outcome is ok."""

    outcome: Outcome
    ids: Ints
    source_tokens: int
    source_cut: int
    claim_tokens: int


class BeamSearch:
    """An encoder-decoder that generates by beam search.

    tokens   the most tokens of a generated text
    results  how many texts to generate for each input; they have scores if there are several

    The checkpoint's own generation settings (minimum length, no repeated words) are for another
    task and are ignored. Raises ModelError if the config or the tokenizer lacks a token that is
    needed.
    """

    def __init__(
        self, model: Any, tokenizer: Any, *, id: str, tokens: int, results: int = 1
    ) -> None:
        if model.config.decoder_start_token_id is None:
            raise ModelError(f"{id}: its config.json has no decoder_start_token_id; add it")
        if tokenizer.eos_token_id is None:
            raise ModelError(f"{id}: its tokenizer has no end-of-sequence token; add it")
        self.id = id
        self.model = model.eval()
        self.tokenizer = tokenizer
        self._front, self._back = (
            np.array(ids, dtype=np.int64) for ids in hf.special_tokens(tokenizer, id)
        )
        self._results = results
        model.generation_config = GenerationConfig(
            num_beams=BEAMS,
            do_sample=False,
            max_new_tokens=tokens,
            decoder_start_token_id=model.config.decoder_start_token_id,
            forced_bos_token_id=getattr(model.generation_config, "forced_bos_token_id", None),
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id or 0,
        )

    def ids(self, text: str) -> Ints:
        """The token ids of a text, without special tokens around it."""
        return hf.token_ids(self.tokenizer, text)

    def write(self, prompts: Sequence[Ints]) -> list[Written | None]:
        """The generated texts for each prompt; None if the model gave NaN."""
        results: list[Written | None] = [None] * len(prompts)
        budget = BUDGET.on(self.model.device.type)
        for batch in batches([len(ids) for ids in prompts], budget):
            written = self._write([prompts[position] for position in batch])
            for position, result in zip(batch, written, strict=True):
                results[position] = result
        return results

    def _write(self, prompts: Sequence[Ints]) -> list[Written | None]:
        ids, mask = hf.pad(prompts, self.tokenizer.pad_token_id or 0)
        watch = NanWatch(len(prompts))
        with torch.inference_mode():
            output = self.model.generate(
                input_ids=ids.to(self.model.device),
                attention_mask=mask.to(self.model.device),
                logits_processor=LogitsProcessorList([watch]),
                num_return_sequences=self._results,
                output_scores=self._results > 1,
                return_dict_in_generate=True,
            )
        texts = self.tokenizer.batch_decode(output.sequences, skip_special_tokens=True)
        scores = [0.0] * len(texts)
        if self._results > 1:
            scores = output.sequences_scores.double().tolist()
        parts = [
            slice(row * self._results, (row + 1) * self._results) for row in range(len(prompts))
        ]
        return [
            None if failed else Written([text.strip() for text in texts[part]], scores[part])
            for part, failed in zip(parts, watch.failed, strict=True)
        ]


class NanWatch(LogitsProcessor):  # type: ignore[misc]
    """Records for which rows of a batch the model gave NaN, at any step and in any beam."""

    def __init__(self, rows: int) -> None:
        self.failed = [False] * rows

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        is_nan = scores.isnan().any(dim=1).view(len(self.failed), -1).any(dim=1).tolist()
        self.failed = [failed or nan for failed, nan in zip(self.failed, is_nan, strict=True)]
        return scores.nan_to_num(nan=-1e9)


class Seq2SeqGenerator(BeamSearch):
    """Generates a text about a source and a claim. Satisfies `Generator`.

    input_tokens, output_tokens
          the limits of input and output, special tokens included: those of [LSS], or fewer if the
          model has fewer positions
    star  whether the model was trained to write LSS* rather than LSS; None if unknown
    """

    def __init__(self, model: Any, tokenizer: Any, *, id: str, star: bool | None = None) -> None:
        self.input_tokens = min(INPUT_TOKENS, _positions(model.config, "encoder"))
        self.output_tokens = min(OUTPUT_TOKENS, _positions(model.config, "decoder") - 1)
        super().__init__(model, tokenizer, id=id, tokens=self.output_tokens)
        self.star = star
        self.trained_on: frozenset[str] = frozenset()
        self._fixed = [self.ids(text) for text in (BEFORE_SOURCE, BEFORE_CLAIM, AFTER_CLAIM)]
        self._last_results: dict[tuple[str, str], Generated] = {}

    def generate(self, pairs: Sequence[tuple[str, str]]) -> list[Generated]:
        """See `protocols.Generator`. The results of the last call are kept, since several metrics
        ask for the same pairs in turn."""
        results = {pair: self._last_results[pair] for pair in pairs if pair in self._last_results}
        new = [pair for pair in dict.fromkeys(pairs) if pair not in results]
        prompts = self.prompts(new)
        usable = [prompt.ids for prompt in prompts if prompt.outcome is Outcome.OK]
        written = iter(self.write(usable))
        for pair, prompt in zip(new, prompts, strict=True):
            outcome, text = prompt.outcome, ""
            if outcome is Outcome.OK:
                answer = next(written)
                outcome, text = (
                    (Outcome.OK, answer.texts[0]) if answer else (Outcome.MODEL_ERROR, "")
                )
            results[pair] = Generated(
                outcome, text, prompt.source_tokens, prompt.source_cut, prompt.claim_tokens
            )
        self._last_results = results
        return [results[pair] for pair in pairs]

    def forget(self) -> None:
        """Drops the results of the last call, for use after the weights have changed."""
        self._last_results = {}

    def prompts(self, pairs: Sequence[tuple[str, str]]) -> list[Prompt]:
        """The encoder's input for each (source, claim), special tokens included. The source is
        truncated; if not one token of it fits, or the claim is too long to be written, the outcome
        is truncated_summary."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        ids = {text: self.ids(f" {text.strip()}") for text in texts}
        before, between, after = self._fixed
        frame_tokens = sum(map(len, (self._front, before, between, after, self._back)))
        prompts = []
        for source_text, claim_text in pairs:
            source, claim = ids[source_text], ids[claim_text]
            source_limit = self.input_tokens - frame_tokens - len(claim)
            # One token of the output is the end of the sequence.
            if source_limit < 1 or len(claim) >= self.output_tokens:
                prompts.append(
                    Prompt(Outcome.TRUNCATED_SUMMARY, self._back[:0], 0, len(source), len(claim))
                )
                continue
            truncated = source[:source_limit]
            prompt_ids = np.concatenate(
                [self._front, before, truncated, between, claim, after, self._back]
            )
            prompts.append(
                Prompt(
                    Outcome.OK, prompt_ids, len(truncated), len(source) - len(truncated), len(claim)
                )
            )
        return prompts

    def target(self, text: str) -> Ints:
        """The output ids of a text in training, its special tokens and the end included."""
        ids = np.concatenate([self._front, self.ids(text.strip()), self._back])
        end = np.array([self.tokenizer.eos_token_id], dtype=np.int64)
        return ids if len(ids) and ids[-1] == end[0] else np.concatenate([ids, end])


def _positions(config: Any, side: str) -> int:
    """The number of positions of the encoder or decoder (`side`). A model with relative positions
    (T5) has no limit; for it, more than [LSS] needs."""
    for field in (f"max_{side}_position_embeddings", "max_position_embeddings"):
        if isinstance(positions := getattr(config, field, None), int):
            return positions
    return INPUT_TOKENS + 1


def load_generator(
    path: Path, name: str, *, device: str | None, dtype: str | None
) -> Seq2SeqGenerator:
    """The encoder-decoder in a folder of safetensors, config and tokenizer.

    dtype: float32 (the default), bfloat16 or float16. Raises ModelError.
    """
    model, tokenizer = hf.read("Seq2SeqLM", path, name, "sequence-to-sequence model", device, dtype)
    star = _trained_for_star(path / CARD)
    generator = Seq2SeqGenerator(model, tokenizer, id=model_id(path, name, dtype), star=star)
    generator.trained_on = of_folder(path)
    return generator


def _trained_for_star(card: Path) -> bool | None:
    """Whether the card of `train/lss.py` says that the model writes LSS*; None if there is no such
    card."""
    try:
        settings = json.loads(card.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    task = settings.get("task") if isinstance(settings, dict) else None
    return task == LSS_STAR if task in (LSS, LSS_STAR) else None
